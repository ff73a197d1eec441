/** `npm run mutants` plants faults in code alone, the same ones for the same seed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EQUIVALENT } from '../../scripts/mutants/equivalent.ts';
import { faultsIn, named, shuffled } from '../../scripts/mutants/faults.ts';

const changes = (source: string) => faultsIn('f.ts', source).map(({ kind, from, to }) => [kind, from, to]);

test('a comparison, a rounding, a side, a flag and a statement can go wrong', () => {
  assert.deepEqual(changes('const a = b < c;'), [['comparison', 'const a = b < c;', 'const a = b <= c;']]);
  assert.deepEqual(changes('return Math.floor(a);'), [['rounding', 'return Math.floor(a);', 'return Math.ceil(a);']]);
  assert.deepEqual(changes('const side = BUY;'), [['side', 'const side = BUY;', 'const side = SELL;']]);
  assert.deepEqual(changes('const on = true;'), [['flag', 'const on = true;', 'const on = false;']]);
  assert.deepEqual(changes('  venue.reserve(order, 0n);'), [['dropped statement', 'venue.reserve(order, 0n);', ';']]);
  assert.deepEqual(changes('  if (halted) return null;'), [
    ['dropped guard', 'if (halted) return null;', 'if (false) return null;'],
  ]);
  assert.deepEqual(changes('    sizeInLimits(market, size) ??'), [
    ['dropped check', 'sizeInLimits(market, size) ??', ''],
  ]);
  assert.deepEqual(changes('    postOnly: request.postOnly ?? null,'), [
    ['dropped value', 'postOnly: request.postOnly ?? null,', 'postOnly: null,'],
  ]);
});

test('nothing in a comment, a text, a type, an import or an assertion is changed', () => {
  const source = `import { BUY } from './units.ts';
// a < b, and true
/** a === b */
const text = 'a < b && true';
const template = \`a < b\`;
const pattern = /a < b/;
export interface Order {
  readonly on: true;
}
type Kind =
  | true
  | false;
if (a < b) throw new Error('a bug');
const list = new Map<string, number>();
`;
  assert.deepEqual(changes(source), []);
});

test('a fault is named by its text, and the sample follows from the seed', () => {
  const faults = named(faultsIn('f.ts', 'a = b < c;\na = b < c;\nd = e > f;\ng = h + i;\n'));
  assert.deepEqual(
    [...faults.keys()],
    [
      'f.ts: a = b < c; → a = b <= c;',
      'f.ts: a = b < c; → a = b <= c; (2)',
      'f.ts: d = e > f; → d = e >= f;',
      'f.ts: g = h + i; → g = h - i;',
    ],
  );
  assert.deepEqual(shuffled(faults, 1), shuffled(faults, 1));
  assert.deepEqual(shuffled(faults, 1).sort(), [...faults.keys()].sort());
  // The kinds take turns.
  assert.equal(
    shuffled(faults, 1)
      .slice(0, 2)
      .filter((name) => name.includes('+')).length,
    1,
  );
});

test('a fault that is known to change nothing can still be planted: its file has its line, and its name is that of a fault', () => {
  const root = new URL('../../', import.meta.url);
  for (const name of Object.keys(EQUIVALENT)) {
    const file = name.slice(0, name.indexOf(': '));
    const faults = named(faultsIn(file, readFileSync(new URL(file, root), 'utf8')));
    assert.ok(faults.has(name), `${name}: take it out, or give it the words of now`);
  }
});
