/** Position mode (rules 11.9 to 11.12), leverage (11.33, 11.39) and risk limit (11.37): what may be changed, and when. */

import type { AttachOrders, Place, SetLeverage, SetPositionMode, SetRiskLimit } from '../contract/commands.ts';
import { decimalText } from '../contract/decimal.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import { BUY, PARTS, SELL } from '../contract/units.ts';
import { notTrading } from '../risk/checks.ts';
import { markAgainst } from '../risk/fees.ts';
import { availableOf, covered } from '../risk/funds.ts';
import {
  exposureOf,
  isolatedMargin,
  largestExposure,
  type MarginTerms,
  maintenanceOf,
  marginAfter,
  tierOf,
  worstExposure,
} from '../risk/margin.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import { type MarketPositions, MOST_ISOLATED } from '../state/market-positions.ts';
import { notionalAtMark, type Position, unrealised } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';

function changeable(account: Account, market: Market, marketPositions: MarketPositions): boolean {
  return marketPositions.flat && (account.openOrders[market.index] ?? 0) === 0;
}

/**
 * An order may ask for another mode if the account has no position and no order there. `newOrder` then switches to it.
 */
export function modeAllowed(account: Account, market: Market, place: Place): Refusal | null {
  if (market.product === 'spot') return null;
  const marketPositions = account.positionsIn(market.index);
  const { mode } = marketPositions;
  const wanted = place.positionMode ?? mode;
  if (wanted === mode || changeable(account, market, marketPositions)) return null;
  return refuse('positionModeMismatch', { symbol: market.symbol, positionMode: wanted, current: mode });
}

/**
 * A market allows up to five isolated positions, including those that live orders will open. `opening`: the orders of
 * the placement.
 */
export function roomForPosition(account: Account, market: Market, place: Place, opening: number): Refusal | null {
  if (market.product === 'spot') return null;
  const marketPositions = account.positionsIn(market.index).inMode(place.positionMode ?? null);
  const reduces = 'reduceOnly' in place && place.reduceOnly;
  if (marketPositions.mode !== 'ISOLATED' || reduces) return null;
  if (marketPositions.isolated.length + marketPositions.unopened + opening <= MOST_ISOLATED) return null;
  return refuse('tooManyPositions', { symbol: market.symbol, maximum: MOST_ISOLATED });
}

export function setPositionMode(venue: VenueState, command: SetPositionMode): Refusal | null {
  const found = positionsNamed(venue, command);
  if (!('marketPositions' in found)) return found;
  const { account, market, marketPositions } = found;
  if (marketPositions.mode === command.mode) return null;
  if (!changeable(account, market, marketPositions)) {
    return refuse('positionModeUnchangeable', {
      symbol: market.symbol,
      current: marketPositions.mode,
      orders: account.openOrders[market.index] ?? 0,
      positions: marketPositions.positions().filter((position) => position.size !== 0).length,
    });
  }
  marketPositions.mode = command.mode;
  return null;
}

interface Found {
  readonly account: Account;
  readonly market: Market;
  readonly marketPositions: MarketPositions;
}

function positionsNamed(venue: VenueState, command: { account: number; market: number }): Refusal | Found {
  const account = venue.accounts.get(command.account);
  if (account === undefined) return refuse('unknownAccount', { account: command.account });
  const market = venue.markets[command.market];
  if (market === undefined || market.product === 'spot') return refuse('unknownMarket', { symbol: command.market });
  return { account, market, marketPositions: account.positionsIn(market.index) };
}

/**
 * Refused above the maximum of the present tier, and if the margin of the present positions and orders would no longer
 * be covered.
 */
export function setLeverage(venue: VenueState, command: SetLeverage): Refusal | null {
  const found = positionsNamed(venue, command);
  if (!('marketPositions' in found)) return found;
  const { account, market, marketPositions } = found;
  const { leverage } = command;
  const positions = leveraged(marketPositions, command);
  if (positions === null) {
    return refuse('unknownPosition', { symbol: market.symbol, position: command.position ?? '' });
  }
  const isolated = command.margin === 'ISOLATED';
  const minimum = isolated ? 1 : 0;
  const maximum = Math.min(...positions.map((position) => mostLeverage(market, marketPositions, position)));
  if (!Number.isInteger(leverage) || leverage < minimum || leverage > maximum) {
    return refuse('leverageOutOfRange', { symbol: market.symbol, leverage, minimum, maximum });
  }
  if (isolated && command.position !== null) return isolatedLeverage(venue, account, market, positions[0], leverage);
  const { taker } = account.rates(market);
  const after = marginAfter(market, marketPositions, taker, { leverage: { positions, leverage } });
  const short = covered(venue, account, market.quote, after - marginAfter(market, marketPositions, taker));
  if (short !== null) return short;
  for (const position of positions) {
    venue.changes.position(account, market, position);
    position.leverage = leverage;
  }
  return null;
}

/** The positions that a leverage applies to. For an isolated leverage without a position: future positions. */
function leveraged(marketPositions: MarketPositions, { margin, position }: SetLeverage): Position[] | null {
  if (position === null) {
    return margin === 'ISOLATED'
      ? [marketPositions.pending]
      : [marketPositions.net, marketPositions.long, marketPositions.short];
  }
  const found =
    (margin === 'ISOLATED') === (marketPositions.mode === 'ISOLATED') ? marketPositions.byId(position) : undefined;
  return found === undefined ? null : [found];
}

function mostLeverage(market: Market, marketPositions: MarketPositions, position: Position): number {
  return Math.floor(
    PARTS / Number(tierOf(market, exposureOf(market, marketPositions, position), marketPositions.limit).initial),
  );
}

/** An open isolated position: its collateral becomes what the new leverage requires, but never less than maintenance. */
function isolatedLeverage(
  venue: VenueState,
  account: Account,
  market: Market,
  position: Position,
  leverage: number,
): Refusal | null {
  const { taker } = account.rates(market);
  const marketPositions = account.positionsIn(market.index);
  const more = requiredCollateral(market, position, { leverage, limit: position.limit }, taker) - position.collateral;
  // What still rests of the position's opening order is rated at its leverage, too.
  const restingBefore = marginAfter(market, marketPositions, taker);
  const restingAfter = marginAfter(market, marketPositions, taker, { leverage: { positions: [position], leverage } });
  const short = covered(venue, account, market.quote, more + restingAfter - restingBefore);
  if (short !== null) return short;
  venue.changes.position(account, market, position);
  position.leverage = leverage;
  venue.ledger.moveToCollateral(account, market.quote, position, more);
  return null;
}

/** The collateral that an isolated position has under those terms, which is at least its maintenance at the mark. */
function requiredCollateral(market: Market, position: Position, terms: MarginTerms, takerRate: bigint): bigint {
  const notional = notionalAtMark(position, market);
  const target = isolatedMargin(market, notional, worstExposure(market, position), terms, takerRate);
  const known = markAgainst(market, position.size > 0 ? BUY : SELL);
  const least = maintenanceOf(market, position, terms.limit) - unrealised(position, market, known);
  if (target < least) return least;
  return target;
}

/**
 * Sets the lowest tier for all positions of the account in the market. If a higher tier increases margin or
 * maintenance, it is paid for at once from what is available, and isolated positions receive from the wallet what they
 * lack. A lower tier returns none of that.
 */
export function setRiskLimit(venue: VenueState, command: SetRiskLimit): Refusal | null {
  const found = positionsNamed(venue, command);
  if (!('marketPositions' in found)) return found;
  const { account, market, marketPositions } = found;
  const refusal = levelFits(venue, market, marketPositions, command.level);
  if (refusal !== null) return refusal;
  const { taker } = account.rates(market);
  const leastTier = command.level - 1;
  const before = costsAt(market, marketPositions, taker, marketPositions.limit.leastTier);
  const after = costsAt(market, marketPositions, taker, leastTier);
  for (const position of marketPositions.positions()) venue.changes.position(account, market, position);
  const lacks = marketPositions.isolated.map(({ collateral }, i) => {
    const needed = after.collateral[i];
    return needed > before.collateral[i] && needed > collateral ? needed - collateral : 0n;
  });
  if (after.all > before.all) {
    const short = dearerTierCovered(venue, account, market, after, before, sum(lacks));
    if (short !== null) return short;
    marketPositions.isolated.forEach((position, i) => {
      venue.ledger.creditCollateral(account, market.quote, position, lacks[i]);
    });
    venue.ledger.credit(account, market.quote, -sum(lacks));
  }
  marketPositions.limit.leastTier = leastTier;
  return null;
}

/** What the account's positions in a market cost at a lowest tier, in smallest units. */
interface TierCosts {
  /** The margin that the wallet covers. */
  readonly walletMargin: bigint;
  /** The collateral that each isolated position needs. */
  readonly collateral: readonly bigint[];
  /** Both of them, and the maintenance. */
  readonly all: bigint;
}

function costsAt(market: Market, marketPositions: MarketPositions, takerRate: bigint, leastTier: number): TierCosts {
  const limit = { leastTier };
  const walletMargin = marginAfter(market, marketPositions, takerRate, { leastTier });
  const collateral = marketPositions.isolated.map((position) => {
    return requiredCollateral(market, position, { leverage: position.leverage, limit }, takerRate);
  });
  const maintenance = marketPositions.positions().map((position) => maintenanceOf(market, position, limit));
  return { walletMargin, collateral, all: walletMargin + sum(collateral) + sum(maintenance) };
}

/** Whether a more expensive tier can be paid for. `lacking`: what isolated positions receive from the wallet. */
function dearerTierCovered(
  venue: VenueState,
  account: Account,
  market: Market,
  after: TierCosts,
  before: TierCosts,
  lacking: bigint,
): Refusal | null {
  const free = BigInt(availableOf(venue, account, market.quote));
  const needed = after.walletMargin - before.walletMargin + lacking;
  // If only maintenance increases, nothing is taken. But an account that is already short may not increase it.
  const asked = needed === 0n && free < 0n ? after.all - before.all : needed;
  return covered(venue, account, market.quote, asked, free);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** Whether the market has that level, and its limit covers the exposure. */
function levelFits(venue: VenueState, market: Market, marketPositions: MarketPositions, level: number): Refusal | null {
  const { symbol, riskTiers } = market;
  const tier = riskTiers[level - 1];
  if (tier === undefined) {
    return refuse('unknownRiskLevel', { symbol, level, levels: riskTiers.map((_, i) => i + 1).join(', ') });
  }
  const exposure = largestExposure(market, marketPositions);
  if (exposure <= tier.maxNotional) return null;
  const { code, decimals } = venue.ledger.currencies[market.quote];
  return refuse('riskLimitBelowExposure', {
    symbol,
    level,
    limit: decimalText(tier.maxNotional, decimals),
    exposure: decimalText(exposure, decimals),
    currency: code,
  });
}

/**
 * The open position that orders are to be attached to. `closingSide`: the side of an order that closes it. `size`: its
 * lots, unsigned.
 */
export function attachTarget(
  venue: VenueState,
  command: AttachOrders,
): Refusal | (Found & { closingSide: 0 | 1; size: number }) {
  const found = positionsNamed(venue, command);
  if (!('marketPositions' in found)) return found;
  if (found.market.halted) return notTrading(found.market);
  const position = found.marketPositions.byId(command.position);
  if (position === undefined || position.size === 0) {
    return refuse('unknownPosition', { symbol: found.market.symbol, position: command.position });
  }
  return { ...found, closingSide: position.size > 0 ? SELL : BUY, size: Math.abs(position.size) };
}
