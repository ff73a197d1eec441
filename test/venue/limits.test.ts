/**
 * Sizes and prices outside the market's limits are refused by the venue itself, whoever made the command: each field of each
 * kind of placement. (The surfaces refuse most of them before, in their own words.)
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Side } from '../../src/venue/contract/commands.ts';
import { BTC_PERP, BTC_USDT, VenueDriver } from './support.ts';

const FINE = 1000;
const INDEX_TICKS = 600_000;
const MAX_PRICE_TICKS = 100_000_000;
const SPOT_MAX_LOTS = 10_000_000;
const PERP_MAX_LOTS = 7_500_000;
const SELL: Side = 1;

interface Case {
  readonly market: number;
  readonly terms: Readonly<Record<string, unknown>>;
  readonly sizes: readonly string[];
  readonly prices: readonly string[];
}

const TWAP = { periodMs: 60_000, makerFirst: false, randomizeSize: false, maxSpread: null, maxThroughBook: null };
const STARTS = { activation: 610_000, activationReference: 'last' };

const CASES: Readonly<Record<string, Case>> = {
  'a LIMIT order': {
    market: BTC_USDT,
    terms: { kind: 'limit', price: 610_000, size: 10 },
    sizes: ['size'],
    prices: ['price'],
  },
  'a MARKET order': { market: BTC_USDT, terms: { kind: 'market', size: 10 }, sizes: ['size'], prices: [] },
  'a CONDITIONAL order': {
    market: BTC_USDT,
    terms: { kind: 'conditional', rule: 'stop', reference: 'last', trigger: 590_000, price: 589_000, size: 10 },
    sizes: ['size'],
    prices: ['trigger', 'price'],
  },
  'an OCO': {
    market: BTC_USDT,
    terms: {
      ...{ kind: 'oco', size: 10, price: 610_000 },
      ...{ stopTrigger: 590_000, stopReference: 'last', stopPrice: 589_000 },
    },
    sizes: ['size'],
    prices: ['price', 'stopTrigger', 'stopPrice'],
  },
  'a TRAILING stop': {
    market: BTC_USDT,
    terms: { kind: 'trailing', distance: 10_000, percent: null, reference: 'last', size: 10, ...STARTS },
    sizes: ['size'],
    prices: ['activation'],
  },
  'a PEG': {
    market: BTC_USDT,
    terms: { kind: 'peg', price: 610_000, size: 10, stealth: 10_000_000_000, deviation: 0 },
    sizes: ['size'],
    prices: ['price'],
  },
  'a TWAP': {
    market: BTC_USDT,
    terms: { kind: 'twap', size: 100, maxChildSize: 50, pausePrice: 590_000, ...TWAP, ...STARTS },
    sizes: ['size', 'maxChildSize'],
    prices: ['pausePrice', 'activation'],
  },
  'a futures order': {
    market: BTC_PERP,
    terms: { kind: 'limit', price: 610_000, size: 10 },
    sizes: ['size'],
    prices: ['price'],
  },
};

for (const [name, { market, terms, sizes, prices }] of Object.entries(CASES)) {
  test(`${name}: ${[...sizes, ...prices].join(', ')}`, () => {
    const driver = new VenueDriver();
    for (const each of [BTC_USDT, BTC_PERP]) driver.prices(each, { index: INDEX_TICKS * FINE });
    const refused = (field: string, value: number) => {
      const before = driver.hash();
      const { refusal } = driver.place(0, market, SELL, { ...terms, [field]: value });
      assert.equal(driver.hash(), before);
      return [refusal?.reason, refusal?.params.field];
    };
    const maxLots = market === BTC_PERP ? PERP_MAX_LOTS : SPOT_MAX_LOTS;
    for (const field of sizes) {
      assert.deepEqual(refused(field, 0), ['sizeBelowMinimum', field]);
      assert.deepEqual(refused(field, maxLots + 1), ['sizeAboveMaximum', field]);
    }
    for (const field of prices) {
      assert.deepEqual(refused(field, 0), ['priceBelowMinimum', field]);
      assert.deepEqual(refused(field, MAX_PRICE_TICKS + 1), ['priceAboveMaximum', field]);
    }
    assert.equal(driver.place(0, market, SELL, terms).refusal, null);
  });
}

test('an attached take-profit and stop-loss', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_PERP, { index: INDEX_TICKS * FINE });
  for (const [field, price, reason] of [
    ['takeProfit', 0, 'priceBelowMinimum'],
    ['stopLoss', MAX_PRICE_TICKS + 1, 'priceAboveMaximum'],
  ] as const) {
    const { refusal } = driver.limit(0, BTC_PERP, SELL, 610_000, 10, { [field]: { price, reference: 'mark' } });
    assert.deepEqual([refusal?.reason, refusal?.params.field], [reason, field]);
  }
});

test('a TWAP has at most one child for each whole second of its period', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_USDT, { index: INDEX_TICKS * FINE });
  const terms = { kind: 'twap', maxChildSize: 10, activation: null, activationReference: 'last', pausePrice: null };
  const placed = (children: number) => {
    return driver.place(0, BTC_USDT, SELL, { ...terms, ...TWAP, periodMs: 60_500, size: 10 * children }).refusal;
  };
  assert.match(String(placed(61)?.params.problem), /^needs 61 children where 60 fit into the period/);
  assert.equal(placed(60), null);
});
