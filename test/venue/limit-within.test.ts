/** The limit of a band is worked out in numbers. It must be what bigints make of it, for every price and every share. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import { FINE, PARTS, type Side } from '../../src/venue/contract/units.ts';
import { listMarket, type Market } from '../../src/venue/state/market.ts';

const BUY: Side = 0;
const UNIT = BigInt(FINE) * BigInt(PARTS);
const CURRENCIES = [
  { code: 'BTC', decimals: 8 },
  { code: 'USDT', decimals: 8 },
];
/** Prices where a rounding or the way of working it out changes, each with its neighbours. */
const FINES = [1, FINE, 600_000 * FINE, PARTS, 3 * PARTS, 2 ** 32, 2 ** 45, 2 ** 50, 2 ** 51, 2 ** 52].flatMap(
  (fine) => [...[fine - 1, fine, fine + 1], ...[7, 499, 500, 999].map((more) => fine + more)],
);
const SHARES = [0, 1, 99_999, 1_000_000, 5_000_000, 33_333_333, PARTS / 2, PARTS / 2 + 1, PARTS - 1];

/** Of as many ticks as a market may have. */
const SPEC = { ...DEFAULT_MARKETS[0], maxPrice: '200000000000', maxSize: '0.04' };
const market = listMarket(0, SPEC, CURRENCIES) as Market;

function exact(side: Side, fine: number, parts: number): number {
  const scaled = BigInt(fine) * BigInt(side === BUY ? PARTS + parts : PARTS - parts);
  const ticks = Number(side === BUY ? scaled / UNIT : (scaled + UNIT - 1n) / UNIT);
  return Math.min(Math.max(ticks, 1), market.maxPriceTicks);
}

test('the highest BUY and the lowest SELL price within a share of a price', () => {
  for (const fine of FINES) {
    for (const parts of SHARES) {
      for (const side of [0, 1] as const) {
        assert.equal(market.limitWithin(side, fine, parts), exact(side, fine, parts), `${side} ${fine} ${parts}`);
      }
    }
  }
});

test('the same at every fine price around a tick', () => {
  for (let fine = 599_998 * FINE; fine < 600_002 * FINE; fine++) {
    for (const side of [0, 1] as const) {
      assert.equal(market.limitWithin(side, fine, 1_234_567), exact(side, fine, 1_234_567), `${side} ${fine}`);
    }
  }
});
