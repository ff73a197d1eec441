/**
 * How many lots of a futures fill a side can take. Nothing here changes state.
 *
 * Invariant: every fill is solvent (semantics.md section 5). Including its fee, it leaves each side with equity at or
 * above the maintenance of the position that the side then has.
 *
 * A `Standing` is the situation of one side before a fill. `filled` returns its situation after the fill, exact to the
 * smallest unit that settlement books. So a fill is checked before it happens, and a fill-or-kill order before its
 * first fill.
 *
 * Equity less maintenance is a concave function of the lots that fill at one price, except for rounding. So a side that
 * is at or above maintenance can take every number of lots up to its maximum. A binary search comes close to that
 * number, and a scan of the last steps finds it.
 *
 * Cost: each perpetual market of the account is visited once. A fill that is clipped costs a logarithmic number of
 * trials.
 */

import { ceilDiv } from '../contract/decimal.ts';
import { BUY, beyond, NONE, nearer, SELL, type Side } from '../contract/units.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { type Position, type RiskLimit, sizeAt, unrealised, valueAt } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { bankruptcyTicks, closingSide } from './bankruptcy.ts';
import { feeOf, markAgainst, openLoss } from './fees.ts';
import { isolatedMargin, maintenanceAt } from './margin.ts';
import {
  crossMarginAccount,
  type MarginAccount,
  type MarginPosition,
  moneyOf,
  shareOfEquity,
} from './margin-account.ts';

/** Where the search ends and the scan begins, lots. */
const LAST_STEPS = 64;
/** More than all roundings of a fill together, smallest units. */
const ROUNDING = 32n;

/** The state of a margin account at one price of the market, in smallest units. */
interface Valuation {
  /** The price that is used as the mark, fine. */
  readonly fine: number;
  readonly equity: bigint;
  /** Maintenance of all positions of the same margin account except the one that is filled. */
  readonly elsewhere: bigint;
}

/** The situation of one side of a fill: its position, and the margin account of that position. */
export interface Standing {
  readonly market: Market;
  readonly side: Side;
  /** Signed contracts. */
  readonly size: number;
  readonly limit: RiskLimit;
  /** Parts: what this side pays for the fill, and what closing the whole position would pay. */
  readonly feeRate: bigint;
  readonly takerRate: bigint;
  /**
   * At the mark. While an index is pending in this market, or in another one of the margin account, also at that price.
   */
  readonly valuations: readonly Valuation[];
  readonly isolated: Isolated | null;
}

/** For an isolated position: its collateral, its entry cost, and the wallet. */
interface Isolated {
  readonly margin: bigint;
  readonly cost: bigint;
  readonly leverage: number;
  /**
   * `wallet` is the equity of the wallet's cross margin less its maintenance. `overdrawn`: an opening fill would take
   * more than that.
   */
  readonly wallet: bigint;
  readonly overdrawn: boolean;
  /** What still rests of an opening order: its price in ticks, and its lots. */
  readonly restTicks: number;
  readonly restLots: number;
}

/** The situation of an order's owner before the next fill. `feeRate`: what that fill pays, in parts. */
export function standingOf(venue: VenueState, order: Order, feeRate: bigint): Standing {
  const market = venue.market(order);
  const account = venue.account(order);
  const marketPositions = account.positionsIn(market.index);
  const position = marketPositions.filledBy(order);
  const takerRate = account.rates(market).taker;
  const head = {
    market,
    side: order.side,
    size: position?.size ?? 0,
    limit: marketPositions.limit,
    feeRate,
    takerRate,
  };
  const cross = crossMarginAccount(venue, account, market.quote);
  if (marketPositions.mode !== 'ISOLATED')
    return { ...head, valuations: crossValuations(cross, market, position), isolated: null };
  const { margin = 0n, cost = 0n, leverage = marketPositions.pending.leverage } = position ?? {};
  const rests = { restTicks: order.price, restLots: order.exposed };
  return {
    ...head,
    valuations: isolatedValuations(market, head.size, margin, cost),
    isolated: { margin, cost, leverage, wallet: walletRoom(cross), overdrawn: false, ...rests },
  };
}

/** The price at which a position is valued: the mark of its market, or the worst foreseeable price for it. */
type MarkOf = (marginPosition: MarginPosition) => number;
const atMark: MarkOf = ({ market }) => market.valuationMark;
const atWorst: MarkOf = ({ market, position }) => markAgainst(market, position.size > 0 ? BUY : SELL);

/** At the marks. While an index is pending in a market of the margin account, also at the foreseeable prices. */
function crossValuations(margin: MarginAccount, market: Market, position: Position | undefined): Valuation[] {
  const first = { fine: market.valuationMark, ...crossAt(margin, atMark, position) };
  const elsewhere = margin.positions.some(
    (marginPosition) => marginPosition.market !== market && atWorst(marginPosition) !== atMark(marginPosition),
  );
  if (market.pendingIndex === 0 && !elsewhere) return [first];
  const fine = market.pendingIndex || market.valuationMark;
  const known: MarkOf = (marginPosition) => (marginPosition.market === market ? fine : atWorst(marginPosition));
  return [first, { fine, ...crossAt(margin, known, position) }];
}

/** Equity of a cross margin account, and the maintenance of all its positions except `position`. */
function crossAt(margin: MarginAccount, markOf: MarkOf, position?: Position): Omit<Valuation, 'fine'> {
  let equity = moneyOf(margin);
  let elsewhere = 0n;
  for (const marginPosition of margin.positions) {
    const at = markOf(marginPosition);
    equity += unrealised(marginPosition.position, marginPosition.market, at);
    if (marginPosition.position !== position)
      elsewhere += maintenanceOfSize(
        marginPosition.market,
        marginPosition.position.size,
        at,
        marginPosition.position.limit,
      );
  }
  return { equity, elsewhere };
}

/** The same as `crossValuations`, for the collateral of an isolated position. */
function isolatedValuations(market: Market, size: number, margin: bigint, cost: bigint): Valuation[] {
  const fines = market.pendingIndex === 0 ? [market.valuationMark] : [market.valuationMark, market.pendingIndex];
  return fines.map((fine) => isolatedAt(market, size, margin, cost, fine));
}

/**
 * Whether the money that the account's spot orders reserve in the currency will be needed: at a foreseeable price its
 * cross margin there is below maintenance.
 */
export function needsReserve(venue: VenueState, account: Account, currency: number): boolean {
  if (account.positionsByMarket.length === 0) return false;
  const margin = crossMarginAccount(venue, account, currency);
  if (margin.positions.every((marginPosition) => atWorst(marginPosition) === atMark(marginPosition))) return false;
  const { equity, elsewhere } = crossAt(margin, atWorst);
  return equity < elsewhere;
}

function isolatedAt(market: Market, size: number, margin: bigint, cost: bigint, fine: number): Valuation {
  return { fine, equity: margin + (size === 0 ? 0n : valueAt(market, size, fine) - cost), elsewhere: 0n };
}

/** How much the wallet has above the maintenance of its cross positions, at the marks or at the foreseeable prices. */
function walletRoom(margin: MarginAccount): bigint {
  const room = ({ equity, elsewhere }: Omit<Valuation, 'fine'>) => equity - elsewhere;
  const now = room(crossAt(margin, atMark));
  const worst = room(crossAt(margin, atWorst));
  return smaller(now, worst);
}

function maintenanceOfSize(market: Market, size: number, fine: number, limit: RiskLimit): bigint {
  return maintenanceAt(market, sizeAt(market, size, fine), limit);
}

/** The most of `lots` that this side can take at `ticks`. */
export function mostSolvent(standing: Standing, ticks: number, lots: number): number {
  if (isBelowMaintenance(standing)) {
    const worst = ticksBelowMaintenance(standing);
    if (worst === NONE || beyond(standing.side, ticks, worst)) return 0;
    const most = Math.min(lots, Math.abs(standing.size));
    // Each fill rounds its fee up, so the last unit of equity may be missing.
    const after = filled(standing, ticks, most).valuations;
    const covers = standing.valuations.every(({ equity }, i) => after[i].equity >= (equity < 0n ? equity : 0n));
    return covers ? most : 0;
  }
  const slack = (count: number) => slackOf(filled(standing, ticks, count));
  if (slack(lots) >= 0n) return lots;
  let [low, high] = [0, lots];
  while (high - low > LAST_STEPS) {
    const middle = Math.floor((low + high) / 2);
    if (slack(middle) >= -ROUNDING) low = middle;
    else high = middle;
  }
  for (let most = high; most > 0; most--) if (slack(most) >= 0n) return most;
  return 0;
}

/** The largest number of lots that fits. If a number fits, every smaller one must fit, too. */
export function mostWithin(most: number, fits: (lots: number) => boolean): number {
  let [within, beyond] = [0, most + 1];
  while (beyond - within > 1) {
    const middle = Math.floor((within + beyond) / 2);
    if (fits(middle)) within = middle;
    else beyond = middle;
  }
  return within;
}

/**
 * The worst price, in ticks, at which this side could take `lots` or, if there is no such price, one lot. NONE: there
 * is no price.
 */
export function solventTicks(standing: Standing, lots: number): number {
  const { side, market } = standing;
  const most = market.maxPriceTicks;
  const worse = (count: number) => (side === BUY ? count : most + 1 - count);
  for (const wanted of new Set([lots, 1])) {
    const count = mostWithin(most, (count) => mostSolvent(standing, worse(count), wanted) === wanted);
    if (count > 0) return worse(count);
  }
  return NONE;
}

function isBelowMaintenance(standing: Standing): boolean {
  return slackOf(standing) < 0n;
}

/**
 * Below maintenance a side may only close, at prices no worse than its bankruptcy price in any valuation. Then each
 * remaining lot has as much equity as before. Returns the worst such price in ticks. NONE: the side opens.
 */
function ticksBelowMaintenance(standing: Standing): number {
  const { side, size, takerRate, feeRate } = standing;
  if (size === 0 || closingSide(size) !== side) return NONE;
  const dearer = feeRate > takerRate;
  return strictestBankruptcy(standing, dearer ? feeRate : takerRate);
}

/** The strictest of a position's bankruptcy prices in its valuations, in ticks. `feeRate` is in parts. */
function strictestBankruptcy(
  { market, size, limit, valuations }: Pick<Standing, 'market' | 'size' | 'limit' | 'valuations'>,
  feeRate: bigint,
): number {
  return valuations
    .map(({ fine, equity, elsewhere }) => {
      const own = maintenanceOfSize(market, size, fine, limit);
      return bankruptcyTicks(market, size, fine, shareOfEquity(equity, own, own + elsewhere), feeRate);
    })
    .reduce((a, b) => nearer(closingSide(size), a, b));
}

/**
 * The worst price, in ticks, at which a liquidation may close the position: its bankruptcy price at the marks and,
 * while an index is pending, also at the foreseeable prices. `feeRate` is in parts.
 */
export function liquidationTicks(margin: MarginAccount, { market, position }: MarginPosition, feeRate: bigint): number {
  const { size, limit, cost } = position;
  const { isolated } = margin;
  const valuations =
    isolated === null
      ? crossValuations(margin, market, position)
      : isolatedValuations(market, size, isolated.margin, cost);
  return strictestBankruptcy({ market, size, limit, valuations }, feeRate);
}

/** Whether a fill of `lots` opens any part of a position. */
function opens({ side, size }: Standing, lots: number): boolean {
  return lots > (side === BUY ? Math.max(0, -size) : Math.max(0, size));
}

/**
 * By how much equity exceeds maintenance, in the worst valuation. The wallet must have what an isolated position takes
 * from it.
 */
function slackOf({ market, size, limit, valuations, isolated }: Standing): bigint {
  const slacks = valuations.map(
    ({ fine, equity, elsewhere }) => equity - elsewhere - maintenanceOfSize(market, size, fine, limit),
  );
  if (isolated?.overdrawn) slacks.push(isolated.wallet);
  return slacks.reduce(smaller);
}

function smaller(a: bigint, b: bigint): bigint {
  if (b < a) return b;
  return a;
}

/** The situation of this side after a fill of `lots` at `ticks`. */
export function filled(standing: Standing, ticks: number, lots: number): Standing {
  const notional = standing.market.notional(ticks, lots);
  const fee = feeOf(notional, standing.feeRate);
  const { isolated } = standing;
  if (isolated === null) return crossFilled(standing, lots, notional, fee);
  if (!opens(standing, lots)) return isolatedClosed(standing, isolated, lots, notional, fee);
  return isolatedOpened(standing, isolated, ticks, lots, notional, fee);
}

/**
 * Updates a situation that was calculated before the fill `last`, which changed another position of the same account
 * and market. In HEDGE both positions share a cross margin. Isolated positions share the wallet.
 */
export function afterFillOf(standing: Standing, last: Standing): Standing {
  const { market, size, limit, valuations, isolated } = standing;
  if (isolated !== null && last.isolated !== null) {
    return { ...standing, isolated: { ...isolated, wallet: last.isolated.wallet } };
  }
  const shared = valuations.map(({ fine }, i) => {
    const { equity, elsewhere } = last.valuations[i];
    const all = elsewhere + maintenanceOfSize(market, last.size, fine, limit);
    return { fine, equity, elsewhere: all - maintenanceOfSize(market, size, fine, limit) };
  });
  return { ...standing, valuations: shared };
}

function sizeAfter({ side, size }: Standing, lots: number): number {
  return side === BUY ? size + lots : size - lots;
}

function crossFilled(standing: Standing, lots: number, notional: bigint, fee: bigint): Standing {
  const { market, side, size } = standing;
  const after = sizeAfter(standing, lots);
  const paid = (side === BUY ? notional : -notional) + fee;
  const valuations = standing.valuations.map(({ fine, equity, elsewhere }) => {
    const gained = valueAt(market, after, fine) - valueAt(market, size, fine);
    return { fine, equity: equity + gained - paid, elsewhere };
  });
  return { ...standing, size: after, valuations };
}

function isolatedClosed(standing: Standing, isolated: Isolated, lots: number, notional: bigint, fee: bigint): Standing {
  const { side, size } = standing;
  const released = ceilDiv(isolated.cost * BigInt(lots), BigInt(Math.abs(size)));
  const realised = (side === BUY ? -notional : notional) - released;
  const { margin, back } = isolatedClose(isolated.margin, size, lots, realised, fee);
  const after = { ...isolated, margin, cost: isolated.cost - released, wallet: isolated.wallet + back };
  return isolatedAfter(standing, after, lots);
}

function isolatedOpened(
  standing: Standing,
  isolated: Isolated,
  ticks: number,
  lots: number,
  notional: bigint,
  fee: bigint,
): Standing {
  const { market, side, limit, takerRate } = standing;
  const restLots = Math.max(0, isolated.restLots - lots);
  const rest = market.notional(isolated.restTicks, restLots);
  const opening = { side, size: sizeAfter(standing, lots), ticks, lots, rest };
  const moved = openingMargin(market, { leverage: isolated.leverage, limit }, takerRate, opening);
  const wallet = isolated.wallet - moved - fee;
  const after = {
    ...isolated,
    restLots,
    wallet,
    overdrawn: wallet < 0n,
    margin: isolated.margin + moved,
    cost: isolated.cost + (side === BUY ? notional : -notional),
  };
  return isolatedAfter(standing, after, lots);
}

function isolatedAfter(standing: Standing, isolated: Isolated, lots: number): Standing {
  const size = sizeAfter(standing, lots);
  const { margin, cost } = isolated;
  const valuations = standing.valuations.map(({ fine }) => isolatedAt(standing.market, size, margin, cost, fine));
  return { ...standing, size, valuations, isolated };
}

/** An opening fill of an isolated position: the size after it, and the notional of what still rests of its order. */
export interface OpeningFill {
  readonly side: Side;
  readonly size: number;
  readonly ticks: number;
  readonly lots: number;
  readonly rest: bigint;
}

/**
 * What an opening fill moves from the wallet into the position: margin at the rate of the whole position, and the open
 * loss.
 */
export function openingMargin(
  market: Market,
  terms: Pick<Position, 'leverage' | 'limit'>,
  takerRate: bigint,
  { side, size, ticks, lots, rest }: OpeningFill,
): bigint {
  const exposure = sizeAt(market, size, market.valuationMark) + rest;
  const margin = isolatedMargin(market, market.notional(ticks, lots), exposure, terms, takerRate);
  return margin + openLoss(market, side, ticks, lots);
}

/**
 * What is left in an isolated position after `lots` of it are closed, and what returns to the wallet: the share of the
 * margin, less the loss and the fee. A loss above the share is taken from the rest of the margin.
 */
export function isolatedClose(
  margin: bigint,
  size: number,
  lots: number,
  realised: bigint,
  fee: bigint,
): { margin: bigint; back: bigint } {
  const share = (margin * BigInt(lots)) / BigInt(Math.abs(size));
  const back = share + realised - fee;
  return back >= 0n ? { margin: margin - share, back } : { margin: margin + realised - fee, back: 0n };
}
