/**
 * How many lots of a futures fill a side can take, and at which price. Nothing here changes state.
 *
 * Solvent means here: equity at or above maintenance. (liquidation.ts needs less: equity that is not negative.)
 *
 * Invariant: a fill, fee included, leaves each side solvent (rule 5.20). There are two exceptions:
 * - A side that is already below maintenance may close, and stay below, at a price no worse than its bankruptcy price
 *   (rule 5.27).
 * - The taker of a liquidation is not checked here. close-position.ts sets its limits.
 *
 * Equity less maintenance is a concave function of the lots that fill at one price, except for rounding. The
 * conditions: a cross account, and maintenance rates that do not fall from tier to tier. So a side that is at or above
 * maintenance can take every number of lots up to its maximum. A binary search ends at most LAST_STEPS lots above the
 * last number that fits within ROUNDING, and a scan goes down from there. If a lot changes the difference by far less than
 * one unit, most of the numbers within ROUNDING may not fit. So after SCANNED numbers each step of the scan is an
 * eighth longer than the one before, and what it finds may be less than the most (D-670).
 *
 * Cost: a fill that is clipped costs at most SCANNED trials and a logarithmic number of others. Each is one call of
 * `filled` (margin-state.ts).
 */

import * as units from '../contract/units.ts';
import { beyond, nearer } from '../contract/units.ts';
import { bankruptcyTicks, closingSide } from './bankruptcy.ts';
import { type MarginAccount, type PositionInMarket, shareOfEquity } from './margin-account.ts';
import {
  crossValuations,
  filled,
  isolatedValuations,
  type MarginState,
  maintenanceOfSize,
  smaller,
} from './margin-state.ts';

const { BUY, NONE } = units;

/** The search ends, and the scan begins, when this many lots are left to try. */
const LAST_STEPS = 64;
/** More than all roundings of a fill together, in smallest units. */
const ROUNDING = 32n;
/** How many numbers the scan tries one by one. */
const SCANNED = 1024;

/** The most of `lots` that this side can take at `ticks`. */
export function mostSolvent(state: MarginState, ticks: number, lots: number): number {
  if (isBelowMaintenance(state)) {
    const worst = ticksBelowMaintenance(state);
    if (worst === NONE || beyond(state.side, ticks, worst)) return 0;
    const most = Math.min(lots, Math.abs(state.size));
    // All or nothing: a close that the bankruptcy price allows is taken whole, unless the last unit of equity is missing,
    // because each fill rounds its fee up.
    const after = filled(state, ticks, most).valuations;
    const covers = state.valuations.every(({ equity }, i) => after[i].equity >= (equity < 0n ? equity : 0n));
    return covers ? most : 0;
  }
  const slack = (count: number) => slackOf(filled(state, ticks, count));
  if (slack(lots) >= 0n) return lots;
  let [low, high] = [0, lots];
  while (high - low > LAST_STEPS) {
    const middle = Math.floor((low + high) / 2);
    if (slack(middle) >= -ROUNDING) low = middle;
    else high = middle;
  }
  let step = 1;
  for (let most = high, tried = 1; most > 0; most -= step, tried++) {
    if (slack(most) >= 0n) return most;
    if (tried >= SCANNED) step += Math.ceil(step / 8);
  }
  return 0;
}

/** The largest number from 0 to `most` that fits. If a number fits, every smaller positive one must fit, too. */
export function mostWithin(most: number, fits: (lots: number) => boolean): number {
  let [within, tooMany] = [0, most + 1];
  while (tooMany - within > 1) {
    const middle = Math.floor((within + tooMany) / 2);
    if (fits(middle)) within = middle;
    else tooMany = middle;
  }
  return within;
}

/**
 * The worst price, in ticks, at which this side could take `lots` or, if there is no such price, one lot. NONE: there
 * is no price.
 */
export function solventTicks(state: MarginState, lots: number): number {
  const { side, market } = state;
  const most = market.maxPriceTicks;
  // The n-th price from the best one for this side.
  const worse = (n: number) => (side === BUY ? n : most + 1 - n);
  for (const wanted of new Set([lots, 1])) {
    const count = mostWithin(most, (n) => mostSolvent(state, worse(n), wanted) === wanted);
    if (count > 0) return worse(count);
  }
  return NONE;
}

function isBelowMaintenance(state: MarginState): boolean {
  return slackOf(state) < 0n;
}

/**
 * Below maintenance a side may only close, at prices no worse than its bankruptcy price in any valuation. Then each
 * remaining lot has as much equity as before. Returns the worst such price in ticks. NONE: the side opens.
 */
function ticksBelowMaintenance(state: MarginState): number {
  const { side, size, takerRate, feeRate } = state;
  if (size === 0 || closingSide(size) !== side) return NONE;
  const dearer = feeRate > takerRate;
  return strictestBankruptcy(state, dearer ? feeRate : takerRate);
}

/** The strictest of a position's bankruptcy prices in its valuations, in ticks. `feeRate` is in parts. */
function strictestBankruptcy(
  { market, size, limit, valuations }: Pick<MarginState, 'market' | 'size' | 'limit' | 'valuations'>,
  feeRate: bigint,
): number {
  return valuations
    .map(({ fine, equity, otherMaintenance }) => {
      const maintenance = maintenanceOfSize(market, size, fine, limit);
      const share = shareOfEquity(equity, maintenance, maintenance + otherMaintenance);
      return bankruptcyTicks(market, size, fine, share, feeRate);
    })
    .reduce((a, b) => nearer(closingSide(size), a, b));
}

/**
 * The worst price, in ticks, at which a liquidation may close the position: its bankruptcy price at the marks and,
 * while an index is pending, also at the foreseeable prices. `feeRate` is in parts.
 */
export function liquidationTicks(
  marginAccount: MarginAccount,
  { market, position }: PositionInMarket,
  feeRate: bigint,
): number {
  const { size, limit, cost } = position;
  const { isolated } = marginAccount;
  const valuations =
    isolated === null
      ? crossValuations(marginAccount, market, position)
      : isolatedValuations(market, size, isolated.collateral, cost);
  return strictestBankruptcy({ market, size, limit, valuations }, feeRate);
}

/**
 * By how much equity exceeds maintenance, in the worst valuation. The wallet must have what an isolated position takes
 * from it.
 */
function slackOf({ market, size, limit, valuations, isolated }: MarginState): bigint {
  const slacks = valuations.map(
    ({ fine, equity, otherMaintenance }) => equity - otherMaintenance - maintenanceOfSize(market, size, fine, limit),
  );
  if (isolated?.overdrawn) slacks.push(isolated.wallet);
  return slacks.reduce(smaller);
}
