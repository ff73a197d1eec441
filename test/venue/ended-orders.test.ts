/** Ended orders are a key and a record of 64 bytes: what comes back is what was written, and what does not fit stays where it is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEYS_PER_SEQ } from '../../src/venue/contract/order-id.ts';
import { ending } from '../../src/venue/contract/reasons.ts';
import { NONE } from '../../src/venue/contract/units.ts';
import { EndedOrders } from '../../src/venue/state/ended-orders.ts';
import { Order } from '../../src/venue/state/order.ts';

const FIELDS = Object.entries(Object.getOwnPropertyDescriptors(Order.prototype))
  .filter(([, { set }]) => set !== undefined)
  .map(([name]) => name as keyof Order);
/** Of the last command only, or of live orders. */
const NOT_KEPT: ReadonlySet<string> = new Set(['filledNow', 'filledSeq', 'exposed', 'timerRank', 'dueMs']);

function ordered(terms: Partial<Order>): Order {
  const order = new Order(NONE);
  const state = { algo: 'limit', kind: 'limit', state: 'cancelled', ending: ending('cancelledByClient') } as const;
  return Object.assign(order, {
    key: 5 * KEYS_PER_SEQ,
    createdMs: 2 ** 41,
    updatedMs: 2 ** 41 + 5,
    ...state,
    ...terms,
  });
}

function assertSame(actual: Order, expected: Order): void {
  for (const field of FIELDS) if (!NOT_KEPT.has(field)) assert.deepEqual(actual[field], expected[field], field);
}

const PLAIN: readonly Partial<Order>[] = [
  {},
  { state: 'filled', ending: null, filled: 7, quantity: 7, original: 7, lastFill: 3, filledCost: 2 ** 52 + 1, side: 1 },
  { algo: 'market', kind: 'market', state: 'rejected', ending: ending('noLiquidityInBand'), timeInForce: 'IOC' },
  { clientId: 'mine', timeInForce: 'MONTH', postOnly: true, price: 2 ** 32 - 1, quantity: 2 ** 31 },
  {
    product: 'futures',
    positionMode: 'ISOLATED',
    positionId: -1,
    reduceOnly: true,
    openedLots: 9,
    protectedLots: 9,
    account: 2 ** 31 - 1,
    market: 65_536,
  },
];

const OTHERS: Readonly<Record<string, Partial<Order>>> = {
  'an algo': { algo: 'oco', algoState: { role: 'limit' } },
  'a trigger': {
    trigger: { rule: 'stop', reference: 'mark', price: 1, original: 1, up: true, fired: true, firedStep: 1, limit: 1 },
  },
  'a quote size': { algo: 'market', kind: 'market', quoteOriginal: 5n },
  'a broker': { broker: 'theirs' },
  'an attached order': { takeProfit: { price: 1, reference: 'mark' } },
  'a liquidation': { product: 'futures', liquidation: 'partial' },
  'lots that nothing protects': { product: 'futures', openedLots: 3, protectedLots: 2 },
  'an ending with figures': { ending: { reason: 'margin', params: { price: '5' } } },
  'a price from 2^32 on': { price: 2 ** 32 },
  'a size from 2^32 on': { original: 2 ** 40, quantity: 2 ** 40 },
};

describe('ended orders', () => {
  it('come back from their records with every field', () => {
    const ended = new EndedOrders();
    PLAIN.forEach((terms, i) => {
      ended.push(i);
      assert.ok(ended.write(ended.placeAt(i), ordered(terms)), JSON.stringify(Object.keys(terms)));
    });
    // Backwards, so that each read overwrites the copy of another order.
    for (let i = PLAIN.length - 1; i >= 0; i--) {
      const place = ended.placeAt(i);
      assert.equal(ended.keptAt(place), NONE);
      assertSame(ended.read(place), ordered(PLAIN[i]));
      assert.equal(ended.endedMs(place), 2 ** 41 + 5);
      assert.equal(ended.bareKey(place) > 0, PLAIN[i].clientId === undefined);
    }
  });

  for (const [what, terms] of Object.entries(OTHERS)) {
    it(`stay where they are if they have ${what}`, () => {
      const ended = new EndedOrders();
      ended.push(77);
      assert.equal(ended.write(ended.placeAt(0), ordered(terms)), false);
      assert.equal(ended.keptAt(ended.placeAt(0)), 77);
      assert.equal(ended.bareKey(ended.placeAt(0)), 0);
    });
  }

  it('keep their places while thousands come and go', () => {
    const ended = new EndedOrders();
    const known: { place: number; key: number; clientId: string | null }[] = [];
    for (let n = 1; n <= 20_000; n++) {
      const key = n * KEYS_PER_SEQ;
      const clientId = n % 700 < 3 ? `client-${n}` : null;
      ended.push(n);
      const place = ended.placeAt(ended.length - 1);
      assert.ok(ended.write(place, ordered({ key, clientId })));
      known.push({ place, key, clientId });
      if (known.length <= 1500) continue;
      ended.drop();
      known.shift();
      if (n % 997 !== 0) continue;
      for (const each of [known[0], known[700], known[1499]]) {
        const { key: found, clientId: id } = ended.read(each.place);
        assert.deepEqual([found, id], [each.key, each.clientId]);
        assert.equal(ended.bareKey(each.place), each.clientId === null ? each.key : -each.key);
      }
    }
    assert.equal(ended.length, 1500);
    assert.equal(ended.placeAt(0), known[0].place);
  });
});
