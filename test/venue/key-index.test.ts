import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyIndex } from '../../src/venue/structures/key-index.ts';
import { orderKey } from '../support/order-keys.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;

/** Few enough keys to meet again, and of the shape that order keys have; and some from the whole range. */
const keys = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map((seq) => orderKey(seq, 0)),
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 1, max: LARGEST }),
);
const steps = fc.record({
  kind: fc.constantFrom('set', 'set', 'delete'),
  key: keys,
  slot: fc.nat(2 ** 31 - 1),
});

test('the index does what a Map does', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 200, size: 'max' }), (sequence) => {
      const index = new KeyIndex();
      const map = new Map<number, number>();
      for (const { kind, key, slot } of sequence) {
        if (kind === 'set') {
          index.set(key, slot);
          map.set(key, slot);
        } else {
          assert.equal(index.delete(key), map.delete(key));
        }
        assert.equal(index.get(key), map.get(key) ?? -1);
      }
      for (const { key } of sequence) assert.equal(index.get(key), map.get(key) ?? -1);
    }),
  );
});

test('100,000 order keys, half of them deleted again in another order, are all found or absent', () => {
  const index = new KeyIndex(1000);
  const count = 100_000;
  for (let i = 0; i < count; i++) index.set(orderKey(i + 1, i % 7), i);
  for (let i = count - 1; i >= 0; i--) if (i % 2 === 0) assert.ok(index.delete(orderKey(i + 1, i % 7)));
  for (let i = 0; i < count; i++) assert.equal(index.get(orderKey(i + 1, i % 7)), i % 2 === 0 ? -1 : i);
});

test('keys that come and go in their thousands leave nothing behind', () => {
  const index = new KeyIndex();
  for (let seq = 1; seq <= 200_000; seq++) {
    index.set(orderKey(seq, 0), seq);
    if (seq > 5) assert.ok(index.delete(orderKey(seq - 5, 0)));
  }
  for (let seq = 1; seq <= 200_000; seq++) assert.equal(index.get(orderKey(seq, 0)), seq > 199_995 ? seq : -1);
});

test('keys and slots reach to 2^53 - 1 and 2^31 - 1', () => {
  const index = new KeyIndex();
  index.set(LARGEST, 2 ** 31 - 1);
  index.set(1, 0);
  assert.equal(index.get(LARGEST), 2 ** 31 - 1);
  assert.equal(index.get(1), 0);
});

test('a key or slot outside its range is refused when set, and absent when asked for', () => {
  const index = new KeyIndex();
  for (const key of [0, -1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => index.set(key, 1), RangeError);
    assert.equal(index.get(key), -1);
    assert.equal(index.delete(key), false);
  }
  for (const slot of [-1, 0.5, 2 ** 31, Number.NaN]) assert.throws(() => index.set(1, slot), RangeError);
  assert.equal(index.get(1), -1);
});
