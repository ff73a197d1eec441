import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PriceBands } from '../../src/venue/structures/price-bands.ts';

const ends = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constantFrom(Number.NEGATIVE_INFINITY, Infinity));
const steps = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), low: ends, high: ends }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat(30) }),
  fc.record({ kind: fc.constant('ask' as const), price: fc.integer({ min: 0, max: 60 }) }),
);

interface Band {
  readonly owner: number;
  readonly slot: number;
  readonly low: number;
  readonly high: number;
}

const holds = ({ low, high }: Band, price: number) => low <= price && price <= high;

test('a band that a price is outside of is found, and only such a one', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 150, size: 'max' }), (sequence) => {
      const bands = new PriceBands();
      const all: Band[] = [];
      let owners = 0;
      for (const step of sequence) {
        if (step.kind === 'add') {
          const [low, high] = [Math.min(step.low, step.high), Math.max(step.low, step.high)];
          const owner = owners++;
          all.push({ owner, slot: bands.add(owner, low, high), low, high });
        } else if (step.kind === 'remove' && all.length > 0) {
          const [gone] = all.splice(step.which % all.length, 1);
          bands.remove(gone.slot);
        } else if (step.kind === 'ask') {
          const outside = all.filter((band) => !holds(band, step.price)).map(({ owner }) => owner);
          const found = bands.outside(step.price);
          assert.ok(outside.length === 0 ? found === -1 : outside.includes(found));
          for (const band of all) assert.equal(bands.holds(band.slot, step.price), holds(band, step.price));
        }
      }
    }),
  );
});

test('all bands that a price has left are found one after another, and their slots are used again', () => {
  const bands = new PriceBands();
  const slots = Array.from({ length: 1000 }, (_, owner) => bands.add(owner, 1000 - owner, 2000 + owner));
  const found: number[] = [];
  for (let owner = bands.outside(2500); owner !== -1; owner = bands.outside(2500)) {
    found.push(owner);
    bands.remove(slots[owner]);
  }
  assert.deepEqual(
    found,
    Array.from({ length: 500 }, (_, i) => i),
  );
  assert.ok(bands.add(7, 1, 2) < 500);
});
