import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../src/api/shared/errors.ts';
import { JsonNumber, type JsonObject, type JsonValue, parseBody } from '../../src/api/shared/json.ts';

function parse(text: string | Buffer): JsonObject {
  return parseBody(typeof text === 'string' ? Buffer.from(text) : text);
}

/** As JSON.parse would give it. */
function native(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(native);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, native(inner)] as const);
  return Object.fromEntries(entries);
}

test('what JSON.stringify writes is read as JSON.parse reads it', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((s) => !s.includes('\0') && s.isWellFormed());
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      text,
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('tree'), { maxLength: 4 }),
    object: fc.dictionary(text, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(fc.dictionary(text, tree, { noNullPrototype: true }), fc.nat(3), (object, indent) => {
      const written = JSON.stringify(object, null, indent);
      assert.deepEqual(native(parse(written)), JSON.parse(written));
    }),
    { numRuns: 300 },
  );
});

test('a name is read alike, whatever names were read before', () => {
  const before = ['a', 'a"', 'a\\', 'a\n', '', 'ab', 'a\u0041', 'é'];
  const bodies = [
    '{"a":1}',
    '{"a"":1}',
    '{"a\\":1}',
    '{"a\\\\":1}',
    '{"a\n":1}',
    '{"a\\n":1}',
    '{"":1}',
    '{"ab":1}',
    '{"aA":1}',
    '{"é":1}',
  ];
  const read = (text: string) => {
    try {
      return Object.keys(parse(text));
    } catch (error) {
      return (error as Error).message;
    }
  };
  const strange = JSON.stringify(Object.fromEntries(before.map((_, i) => [`strange${i}`, 1])));
  const alone = bodies.map((body) => {
    parse(strange);
    return read(body);
  });
  for (const name of before) {
    for (const [i, body] of bodies.entries()) {
      parse(JSON.stringify({ [name]: 1 }));
      assert.deepEqual(read(body), alone[i], `${body} after ${JSON.stringify(name)}`);
    }
  }
});

test('bytes that JSON.parse refuses are refused, as an ApiError', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    'a',
    '\\u00',
    'true',
    'nul',
    '1',
    '-',
    '.',
    'e',
    '0',
    ' ',
    '\n',
    '\u0001',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = `{${pieces.join('')}}`;
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        expected = undefined;
      }
      if (expected === undefined) assert.throws(() => parse(text), ApiError);
      else assert.deepEqual(native(parse(text)), expected);
    }),
    { numRuns: 2000 },
  );
});

test('numbers keep their text', () => {
  const body = parse('{"a":0.10,"b":1E+5,"c":-0,"d":12345678901234567890,"e":1e999999999}');
  assert.deepEqual(
    Object.values(body).map((value) => (value as JsonNumber).text),
    ['0.10', '1E+5', '-0', '12345678901234567890', '1e999999999'],
  );
});

test('the last of two equal names counts, and every name is like any other', () => {
  const body = parse('{"a":1,"__proto__":{"x":true},"constructor":2,"toString":3,"then":4,"a":5}');
  assert.equal((body.a as JsonNumber).text, '5');
  assert.deepEqual(Object.keys(body), ['a', '__proto__', 'constructor', 'toString', 'then']);
  assert.ok(!('hasOwnProperty' in body));
  assert.equal(({} as { x?: boolean }).x, undefined);
});

const BAD: readonly (readonly [name: string, bytes: Buffer | string, problem: RegExp])[] = [
  ['nothing', '', /is empty/],
  ['spaces', '  ', /ends too early/],
  ['null', 'null', /is null/],
  ['an array', '[]', /is an array/],
  ['a string', '"a"', /is a string/],
  ['a number', '1', /is a number/],
  ['true', 'true', /is a boolean/],
  ['a byte-order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), /byte-order mark/],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /not valid UTF-8/],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
  ['an overlong form', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
  ['a raw NUL', '{"a":"\0"}', /unexpected/],
  ['an escaped NUL', '{"a":"\\u0000"}', /NUL/],
  ['a lone high surrogate', '{"a":"\\ud83d"}', /lone surrogate/],
  ['a lone low surrogate in a name', '{"\\ude00":1}', /lone surrogate/],
  ['surrogates the wrong way round', '{"a":"\\ude00\\ud83d"}', /lone surrogate/],
  ['two documents', '{}{}', /unexpected "\{" at position 2/],
  ['a comma too many', '{"a":1,}', /unexpected/],
  ['single quotes', "{'a':1}", /unexpected/],
  ['NaN', '{"a":NaN}', /unexpected "N" at position 5/],
  ['Infinity', '{"a":Infinity}', /unexpected/],
  ['a plus sign', '{"a":+1}', /unexpected/],
  ['a leading zero', '{"a":01}', /unexpected/],
  ['hexadecimal', '{"a":0x10}', /unexpected/],
  ['a bare point', '{"a":.5}', /unexpected/],
  ['a line break in text', '{"a":"\n"}', /unexpected/],
  ['an emoji outside text', '{"a":😀}', /unexpected "😀"/],
];
for (const [name, bytes, problem] of BAD) {
  test(`refused with the problem named: ${name}`, () => {
    assert.throws(
      () => parse(bytes),
      (error) => error instanceof ApiError && error.reason === 'badJson' && problem.test(String(error.params.problem)),
    );
  });
}

test('nesting is refused at a bound, however deep', () => {
  for (const open of ['[', '{"a":']) {
    const text = `{"a":${open.repeat(200_000)}`;
    assert.throws(() => parse(text), /badJson/);
  }
});

// Were each name compared with all before it, this would take minutes, and the suite would run into its time limit.
test('a quarter of a million names are read', () => {
  const text = `{${Array.from({ length: 250_000 }, (_, i) => `"${i}":${i}`).join(',')}}`;
  assert.equal(Object.keys(parse(text)).length, 250_000);
});
