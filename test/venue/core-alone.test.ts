/** What the core refuses by itself, although no surface lets it through: a new surface or algo may forget a check. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTC_PERP, BTC_USDT, VenueDriver } from './support.ts';

const ALICE = 0;
const BUY = 0;
const SELL = 1;
const PLAIN = { clientId: null, requestDigest: null, broker: null, positionMode: null, reduceOnly: false };
const TRIGGER = { ...PLAIN, postOnly: false, takeProfit: null, stopLoss: null, timeInForce: 'GTC', quote: null };

function open(): VenueDriver {
  const driver = new VenueDriver();
  for (const market of [BTC_USDT, BTC_PERP]) {
    driver.run({ type: 'setPrices', market, index: 600_000_000, last: 600_000, byHand: true });
  }
  return driver;
}

test('a spot BUY that fires as a market order has to say what it spends: in lots it would reserve nothing', () => {
  const driver = open();
  const stop = { ...TRIGGER, kind: 'conditional', rule: 'stop', trigger: 610_000, reference: 'last', price: null };
  const trail = { ...TRIGGER, kind: 'trailing', distance: 1000, percent: null, reference: 'last', activation: null };
  for (const order of [stop, trail]) {
    const size = 50_000;
    const reply = driver.place(ALICE, BTC_USDT, BUY, { ...order, size });
    assert.equal(reply.refusal?.reason, 'sizeUnfit', order.kind);
    assert.equal(driver.place(ALICE, BTC_USDT, SELL, { ...order, trigger: 590_000, size }).refusal, null, order.kind);
  }
  assert.equal(driver.venue.audit().ok, true);
});

const TWAP = {
  ...{ ...PLAIN, kind: 'twap', size: 50_000, periodMs: 600_000, makerFirst: false, randomizeSize: false },
  ...{ maxChildSize: null, maxSpread: null, maxThroughBook: null, pausePrice: null },
  ...{ activation: null, activationReference: null },
};

test('a TWAP on a perpetual is refused: its children have no price that could count towards exposure', () => {
  const reply = open().place(ALICE, BTC_PERP, SELL, TWAP);
  assert.deepEqual(reply.refusal, { reason: 'spotOnly', params: { symbol: 'BTC-PERP', kind: 'twap' } });
});

test('an amend of an algo order that names nothing to change is refused, too', () => {
  const driver = open();
  const [{ key }] = driver.place(ALICE, BTC_USDT, SELL, TWAP).orders;
  const amend = { type: 'amend', account: ALICE, product: 'spot', market: null, order: key, clientId: null } as const;
  const reply = driver.run({ ...amend, price: null, size: null, trigger: null, totalSize: false });
  assert.equal(reply.refusal?.reason, 'notAmendable');
});
