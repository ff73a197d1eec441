/** Orders are records in typed columns, and a record is used again for another order: nothing of the last one may stay. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEYS_PER_SEQ } from '../../src/venue/contract/order-id.ts';
import { BLANK, Order } from '../../src/venue/state/order.ts';
import { CHUNK_ORDERS, OrderChunk } from '../../src/venue/state/order-record.ts';

/** A value for each field that can be set, all different from the blank ones and from each other where they can be. */
const SET = {
  key: 7 * KEYS_PER_SEQ + 3,
  account: 11,
  market: 12,
  product: 'futures',
  side: 1,
  clientId: 'mine',
  broker: 'theirs',
  kind: 'trailing',
  algo: 'bracket',
  algoState: { role: 'stop' },
  trigger: {
    rule: 'stop',
    reference: 'mark',
    price: 1,
    original: 1,
    up: true,
    fired: false,
    firedStep: 0,
    limit: null,
  },
  price: 2 ** 40 + 1,
  original: 2 ** 40 + 2,
  quoteOriginal: 5n,
  timeInForce: 'MONTH',
  postOnly: true,
  reduceOnly: true,
  positionId: -2,
  positionMode: 'ISOLATED',
  liquidation: 'forced',
  takeProfit: { price: 1, reference: 'mark' },
  stopLoss: { price: 2, reference: 'last' },
  takeProfitKey: 2 ** 40 + 3,
  stopLossKey: 2 ** 40 + 4,
  createdMs: 2 ** 41,
  state: 'rejected',
  ending: { reason: 'expired', params: {} },
  updatedMs: 2 ** 41 + 1,
  quantity: 2 ** 40 + 5,
  filled: 2 ** 40 + 6,
  lastFill: 2 ** 40 + 7,
  filledNow: 2 ** 40 + 8,
  filledSeq: 2 ** 40 + 9,
  filledCost: 2 ** 52 + 1,
  quoteFilled: 6n,
  openedLots: 2 ** 40 + 10,
  protectedLots: 2 ** 40 + 11,
  exposed: 2 ** 40 + 12,
  reserved: 2n ** 63n - 1n,
  entry: 13,
  watch: 14,
  watchTicks: 2 ** 40 + 13,
  watchReference: 'index',
  follows: 'last',
  timer: 15,
  dueMs: 2 ** 41 + 2,
  timerRank: 5,
} as const;

type Field = keyof typeof SET;
const FIELDS = Object.keys(SET) as Field[];

function settable(): string[] {
  const all = Object.entries(Object.getOwnPropertyDescriptors(Order.prototype));
  return all.filter(([, { set }]) => set !== undefined).map(([name]) => name);
}

describe('an order', () => {
  it('has these fields to set, each of which keeps its value beside all others', () => {
    assert.deepEqual(settable().sort(), [...FIELDS].sort());
    const chunk = new OrderChunk(CHUNK_ORDERS);
    const orders = [4, 5, 6].map((slot) => new Order(slot, chunk));
    Object.assign(orders[1], SET);
    for (const field of FIELDS) {
      assert.deepEqual(orders[1][field], SET[field], field);
      for (const i of [0, 2]) assert.deepEqual(orders[i][field], BLANK[field], `${field} of a neighbour`);
    }
  });

  it('is blank after it was cleared', () => {
    const chunk = new OrderChunk(CHUNK_ORDERS);
    const order = new Order(CHUNK_ORDERS - 1, chunk);
    for (const field of FIELDS) assert.notDeepEqual(SET[field], BLANK[field], field);
    Object.assign(order, SET);
    order.clear();
    for (const field of FIELDS) assert.deepEqual(order[field], BLANK[field], field);
    assert.equal(order.slot, CHUNK_ORDERS - 1);
    assert.deepEqual([BLANK.state, BLANK.entry, BLANK.timer, BLANK.trigger], ['working', -1, -1, null]);
  });

  it('takes no state, kind or time that it cannot keep', () => {
    assert.throws(() => Object.assign(new Order(0), { state: 'gone' }), /gone is not one of working, waiting/);
  });
});
