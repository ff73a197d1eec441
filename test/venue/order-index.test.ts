import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OrderIndex } from '../../src/venue/structures/order-index.ts';
import { orderKey } from '../support/order-keys.ts';

/** Commands that follow each other, with gaps, and once in a while far ahead. Some make several orders. */
const steps = fc.record({
  kind: fc.constantFrom('set', 'set', 'set', 'delete'),
  ahead: fc.oneof({ weight: 40, arbitrary: fc.nat(3) }, { weight: 6, arbitrary: fc.nat(1500) }, fc.nat(600_000)),
  index: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(65_535)),
  /** Which of the keys so far is deleted, or stored again. */
  earlier: fc.nat(),
  slot: fc.nat(2 ** 31 - 2),
});

test('the index of orders does what a Map does, for young orders and old ones', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 120, size: 'max' }), (sequence) => {
      const index = new OrderIndex();
      const map = new Map<number, number>();
      const keys: number[] = [];
      let seq = 1;
      for (const { kind, ahead, index: place, earlier, slot } of sequence) {
        seq += ahead;
        const again = keys.length > 0 && earlier % 3 === 0;
        // A snapshot is loaded in another order than that of the commands.
        const older = earlier % 5 === 0 ? 1 + (earlier % seq) : seq;
        const key = again ? keys[earlier % keys.length] : orderKey(older, place);
        keys.push(key);
        if (kind === 'set') {
          index.set(key, slot);
          map.set(key, slot);
        } else {
          index.delete(key);
          map.delete(key);
        }
        assert.equal(index.get(key), map.get(key) ?? -1);
      }
      for (const key of keys) assert.equal(index.get(key), map.get(key) ?? -1);
      assert.equal(index.get(orderKey(seq + 1, 0)), -1);
    }),
    { numRuns: 40 },
  );
});

test('an order that was stored late stays known when the ring grows back to its time', () => {
  const index = new OrderIndex();
  index.set(orderKey(5000, 0), 1);
  index.set(orderKey(3, 0), 2);
  for (let seq = 5001; seq <= 9000; seq++) index.set(orderKey(seq, 0), seq);
  assert.deepEqual(
    [index.get(orderKey(3, 0)), index.get(orderKey(5000, 0)), index.get(orderKey(9000, 0))],
    [2, 1, 9000],
  );
});

test('an order that rests while 600,000 commands pass is still found, and so is one older than all others', () => {
  const index = new OrderIndex();
  index.set(orderKey(500_000, 0), 7);
  index.set(orderKey(3, 0), 5);
  for (let seq = 500_001; seq <= 1_100_000; seq++) {
    index.set(orderKey(seq, 0), seq);
    index.delete(orderKey(seq, 0));
  }
  assert.deepEqual([index.get(orderKey(3, 0)), index.get(orderKey(500_000, 0))], [5, 7]);
});
