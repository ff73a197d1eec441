import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUY, NONE, SELL } from '../../src/venue/contract/units.ts';
import { closingSide } from '../../src/venue/risk/bankruptcy.ts';
import type { MarginState } from '../../src/venue/risk/margin-state.ts';
import { solventTicks } from '../../src/venue/risk/solvency.ts';
import type { Market } from '../../src/venue/state/market.ts';
import { valueAt } from '../../src/venue/state/position.ts';
import { liveState } from '../support/live-state.ts';
import { BTC_PERP, VenueDriver } from './support.ts';

const MARK_TICKS = 600_000;
const FINE = 1000;

/** A position below maintenance, whose bankruptcy price is `ticks`: it may close there or nearer, without a fee. */
function bankruptAt(market: Market, size: number, ticks: number): MarginState {
  const mark = MARK_TICKS * FINE;
  const equity = valueAt(market, size, mark) - valueAt(market, size, ticks * FINE);
  return {
    ...{ market, size, side: closingSide(size), limit: { leastTier: 0 }, feeRate: 0n, takerRate: 0n },
    ...{ valuations: [{ fine: mark, equity, otherMaintenance: 0n }], isolated: null },
  };
}

test('the worst price at which a side can be filled is found up to the highest and the lowest price of the market', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_PERP, { index: MARK_TICKS * FINE });
  const market = liveState(driver.venue).markets[BTC_PERP];
  const most = market.maxPriceTicks;
  for (const ticks of [most, most - 1, MARK_TICKS, 1]) {
    const long = bankruptAt(market, 1000, ticks);
    assert.deepEqual([long.side, solventTicks(long, 1000)], [SELL, ticks]);
    const short = bankruptAt(market, -1000, ticks);
    assert.deepEqual([short.side, solventTicks(short, 1000)], [BUY, ticks]);
  }
  assert.equal(solventTicks(bankruptAt(market, 1000, most + 1), 1000), NONE);
  assert.equal(solventTicks(bankruptAt(market, -1000, 0), 1000), NONE);
});
