import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { JsonReader, type NumberList, type Read } from '../../src/venue/snapshot/json-reader.ts';

function readerOf(text: string): JsonReader {
  return new JsonReader(Buffer.from(text));
}

function all(list: NumberList | undefined): number[] | undefined {
  return list && [...list.all()];
}

describe('numbers in JSON', () => {
  const lists = {
    none: [],
    one: [7],
    zeros: [0, 0, 0],
    negative: [-1, 5, -12_345_678_901, 0],
    'around nine digits': [99_999_999, 100_000_000, 999_999_999, 1_000_000_000, 9_999_999_999],
    'around 2^31 and 2^32': [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32],
    'the largest safe integers': [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER],
    'more than are taken at once': Array.from({ length: 1500 }, (_, i) => i * 65_536 * (i % 3 ? 1 : -1) + 0),
  };
  for (const [name, numbers] of Object.entries(lists)) {
    test(name, () => assert.deepEqual(all(readerOf(JSON.stringify(numbers)).numbers()), numbers));
  }

  test('are taken some at a time', () => {
    const list = readerOf('[1,22,-333]').numbers() as NumberList;
    const room = new Float64Array(2);
    assert.equal(list.take(room), 2);
    assert.deepEqual([...room], [1, 22]);
    assert.equal(list.take(room), 1);
    assert.equal(room[0], -333);
    assert.equal(list.take(room), 0);
    assert.equal(list.take(room), 0);
  });

  test('in quotes, if all are short numbers', () => {
    assert.deepEqual(all(readerOf('["5","234000000000","0"]').quotedNumbers()), [5, 234_000_000_000, 0]);
    for (const other of ['["9007199254740993"]', '["1",null]', '["-1"]', '["1.5"]', '["x"]']) {
      const reader = readerOf(other);
      assert.equal(reader.quotedNumbers(), undefined, other);
      assert.deepEqual(reader.value(), JSON.parse(other));
    }
  });

  test('in rows', () => {
    for (const rows of [
      [],
      [[1, 2, 3]],
      [
        [1, 2, 3],
        [-4, 50_000_000_000, 6],
        [7, 8, 9],
      ],
    ]) {
      const reader = readerOf(`{"rows":${JSON.stringify(rows)},"after":[1]}`);
      const read = reader.object((name) => (name === 'rows' ? (at) => [...at.rows()] : undefined));
      assert.deepEqual(read, { rows: rows.flat(), after: [1] });
    }
  });

  test('a list that begins with something else is left as it is', () => {
    for (const other of ['["a"]', '[null,1]', '[[1]]', '[{"a":1}]', '[true]']) {
      const reader = readerOf(other);
      assert.equal(reader.numbers(), undefined, other);
      assert.deepEqual(reader.value(), JSON.parse(other));
    }
  });

  test('anything between them is refused', () => {
    for (const other of ['[1,null]', '[1.5]', '[1e21]', '[9007199254740993]', '[12345678901234567890123]', '[1,"a"]']) {
      assert.throws(() => all(readerOf(other).numbers()), SyntaxError, other);
    }
  });
});

describe('other JSON', () => {
  const values = ['{}', '[]', '""', '"a\\"b\\\\"', '-1.5e3', 'null', '{"a":{"b":[1,"}"]},"c":"é\\u2028🙂]"}'];
  for (const text of values) {
    test(text, () => assert.deepEqual(readerOf(text).value(), JSON.parse(text)));
  }

  test('members with a reader and without one, in any order', () => {
    const numbers: Read = (reader) => all(reader.numbers());
    const members = { first: [1], other: { n: [2] }, second: [3, 4], 'ü"': 'x', last: [5] };
    const orders = [Object.entries(members), Object.entries(members).reverse()];
    for (const order of orders) {
      for (const special of [[], ['first'], ['second', 'last'], ['first', 'second', 'last']]) {
        const text = JSON.stringify(Object.fromEntries(order));
        const read = readerOf(text).object((name) => (special.includes(name) ? numbers : undefined));
        assert.deepEqual(read, members);
      }
    }
  });

  test('a list of objects', () => {
    const read: Read = (reader) => reader.object(() => undefined);
    for (const list of [[], [{}], [{ a: 1 }, { b: [] }]]) {
      assert.deepEqual(readerOf(JSON.stringify(list)).list(read), list);
    }
  });

  test('text that ends too early is refused', () => {
    const text = '{"a":[1,2],"b":"x"}';
    for (let length = 0; length < text.length; length++) {
      const read = () =>
        readerOf(text.slice(0, length)).object((name) => (name === 'a' ? (at) => at.numbers() : undefined));
      assert.throws(read, SyntaxError, text.slice(0, length));
    }
  });
});
