import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { indexOfKey, OrderIds, seqOfKey } from '../../src/venue/contract/order-id.ts';
import { NONE } from '../../src/venue/contract/units.ts';
import { orderKey } from '../support/order-keys.ts';

const KEY = '000102030405060708090a0b0c0d0e0f';
const OTHER_KEY = '000102030405060708090a0b0c0d0e0e';
const LARGEST = Number.MAX_SAFE_INTEGER;
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const ids = new OrderIds(KEY);
const keys = fc.oneof(fc.nat(2 ** 31 - 1), fc.maxSafeNat());

/** Ids are in logs and with clients: a change of these is a change of the rules. */
const KNOWN: readonly [key: number, id: string][] = [
  [0, '58762a27-a539-42d2-b493-0a8ecd181e0e'],
  [1, '71dc846a-9d9f-455f-95a5-7a58356bb8cd'],
  [65536, 'c54f452c-0352-4aee-9fc7-5941db5eefdc'],
  [LARGEST, '3c3e4c27-1a94-430e-902e-f5113961b078'],
];

for (const [key, id] of KNOWN) {
  test(`order key ${key} is ${id} and back`, () => {
    assert.equal(ids.encode(key), id);
    assert.equal(ids.decode(id), key);
  });
}

test('every key comes back from its id, a lower-case UUID of version 4', { rule: '2.1' }, () => {
  fc.assert(
    fc.property(keys, (key) => {
      const id = ids.encode(key);
      assert.match(id, UUID_4);
      assert.equal(ids.decode(id), key);
    }),
    { numRuns: 2000 },
  );
});

test('an order key holds seq and index, and both come back', () => {
  const indexes = fc.oneof(fc.constantFrom(0, 65535), fc.nat(65535));
  fc.assert(
    fc.property(fc.oneof(fc.nat(1000), fc.integer({ min: 0, max: 2 ** 37 - 1 })), indexes, (seq, index) => {
      const key = orderKey(seq, index);
      assert.ok(Number.isSafeInteger(key));
      assert.deepEqual([seqOfKey(key), indexOfKey(key)], [seq, index]);
    }),
  );
  assert.equal(orderKey(2 ** 37 - 1, 65535), LARGEST);
});

test('a key outside its range is refused', () => {
  for (const key of [-1, 0.5, 2 ** 53, Number.NaN]) assert.throws(() => ids.encode(key), RangeError);
});

test('any other digit in any place gives NONE', () => {
  const places = fc.integer({ min: 0, max: 35 });
  fc.assert(
    fc.property(keys, places, fc.constantFrom(...'0123456789abcdef'), (key, place, digit) => {
      const id = ids.encode(key);
      fc.pre(id[place] !== digit);
      assert.equal(ids.decode(id.slice(0, place) + digit + id.slice(place + 1)), NONE);
    }),
    { numRuns: 2000 },
  );
});

test('a random UUID is no order', { rule: '2.1' }, () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      assert.equal(ids.decode(id), NONE);
    }),
    { numRuns: 2000 },
  );
});

test('an id of a venue with another key, though but one bit differs, is no order', () => {
  const others = new OrderIds(OTHER_KEY);
  for (let seq = 0; seq < 1000; seq++) assert.equal(ids.decode(others.encode(orderKey(seq, 0))), NONE);
});

test('text that is no id gives NONE', () => {
  const id = ids.encode(orderKey(7, 1));
  const malformed = [
    '',
    '0',
    id.toUpperCase(),
    ` ${id}`,
    `${id} `,
    `${id}\n`,
    id.slice(0, -1),
    `${id}0`,
    `{${id}}`,
    `urn:uuid:${id}`,
    id.replaceAll('-', ''),
    id.replaceAll('-', '_'),
    id.replace(/.$/, 'g'),
    id.replace(/.$/, '\u0130'),
    id.replace(/.$/, '\ud83d'),
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '__proto__',
    '-'.repeat(36),
  ];
  for (const text of malformed) assert.equal(ids.decode(text), NONE, JSON.stringify(text));
  fc.assert(fc.property(fc.string({ unit: 'binary', minLength: 36, maxLength: 36 }), (s) => ids.decode(s) === NONE));
});

test('ids of successive orders are distinct and show no pattern', () => {
  const count = 20_000;
  const seen = new Set<string>();
  const ones = new Float64Array(128);
  const changes = new Float64Array(128);
  let before: string | undefined;
  for (let seq = 1; seq <= count; seq++) {
    const bits = bitsOf(ids.encode(orderKey(seq, 0)));
    seen.add(bits);
    for (let i = 0; i < 128; i++) {
      if (bits[i] === '1') ones[i]++;
      if (before !== undefined && bits[i] !== before[i]) changes[i]++;
    }
    before = bits;
  }
  assert.equal(seen.size, count);
  // Each free bit is set in half of the ids and differs between neighbours in half: 6 standard deviations of room.
  const room = 3 * Math.sqrt(count);
  for (let i = 0; i < 128; i++) {
    if ((i >= 48 && i < 52) || i === 64 || i === 65) continue;
    assert.ok(Math.abs(ones[i] - count / 2) < room, `bit ${i} is set in ${ones[i]} of ${count}`);
    assert.ok(Math.abs(changes[i] - count / 2) < room, `bit ${i} changes ${changes[i]} times in ${count}`);
  }
});

/** The 128 bits of an id. */
function bitsOf(id: string): string {
  return BigInt(`0x${id.replaceAll('-', '')}`)
    .toString(2)
    .padStart(128, '0');
}

test('a key that is not 32 lower-case hex digits is refused, without being repeated', () => {
  for (const bad of ['', KEY.slice(1), `${KEY}0`, KEY.toUpperCase(), `${KEY.slice(1)}g`, `${KEY}\n`]) {
    assert.throws(
      () => new OrderIds(bad),
      (error) => error instanceof TypeError && (bad === '' || !error.message.includes(bad)),
    );
  }
});
