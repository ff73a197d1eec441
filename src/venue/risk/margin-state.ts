/**
 * The situation of one side of a futures fill, and what it becomes after the fill. Nothing here changes state.
 *
 * `filled` returns the situation after a fill, exact to the smallest unit that settlement books. So a fill is checked
 * before it happens, and a fill-or-kill order before its first fill (solvency.ts).
 *
 * Cost: `marginStateOf` visits each market where the account has a position once. The other functions visit nothing.
 */

import { ceilDiv } from '../contract/decimal.ts';
import type { Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { notionalAt, type Position, type RiskLimit, unrealised, valueAt } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { feeOf, markAgainst, openLoss } from './fees.ts';
import { isolatedMargin, maintenanceAt } from './margin.ts';
import { collateralOf, crossMarginAccount, type MarginAccount, type PositionInMarket } from './margin-account.ts';

const { BUY, SELL } = units;

/** The state of a margin account at one price of the market, in smallest units. */
interface Valuation {
  /** The price that is used as the mark, fine. */
  readonly fine: number;
  readonly equity: bigint;
  /** Maintenance of all positions of the same margin account except the one that is filled. */
  readonly otherMaintenance: bigint;
}

/** The situation of one side of a fill: its position, and the margin account of that position. */
export interface MarginState {
  readonly market: Market;
  readonly side: Side;
  /** Signed lots of the position: positive is long. */
  readonly size: number;
  readonly limit: RiskLimit;
  /** Parts: what this side pays for the fill, and what closing the whole position would pay. */
  readonly feeRate: bigint;
  readonly takerRate: bigint;
  /**
   * One at the mark. While an index is pending in this market, or in another one of the margin account, another one at
   * that price.
   */
  readonly valuations: readonly Valuation[];
  readonly isolated: Isolated | null;
}

/** For an isolated position: its collateral, its entry cost, and the wallet. */
interface Isolated {
  readonly collateral: bigint;
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
export function marginStateOf(venue: VenueState, order: Order, feeRate: bigint): MarginState {
  const market = venue.market(order);
  const account = venue.account(order);
  const marketPositions = account.positionsIn(market.index);
  const position = marketPositions.positionOfOrder(order);
  const takerRate = account.rates(market).taker;
  const head = {
    market,
    side: order.side,
    size: position?.size ?? 0,
    limit: marketPositions.limit,
    feeRate,
    takerRate,
  };
  const cross = crossMarginAccount(account, market.quote);
  if (marketPositions.mode !== 'ISOLATED')
    return { ...head, valuations: crossValuations(cross, market, position), isolated: null };
  const { collateral = 0n, cost = 0n, leverage = marketPositions.pending.leverage } = position ?? {};
  const rests = { restTicks: order.price, restLots: order.exposed };
  return {
    ...head,
    valuations: isolatedValuations(market, head.size, collateral, cost),
    isolated: { collateral, cost, leverage, wallet: walletRoom(cross), overdrawn: false, ...rests },
  };
}

/** The price at which a position is valued: the mark of its market, or the worst foreseeable price for it. */
type MarkOf = (marginPosition: PositionInMarket) => number;

const atMark: MarkOf = ({ market }) => market.valuationMark;

const atWorst: MarkOf = ({ market, position }) => markAgainst(market, position.size > 0 ? BUY : SELL);

/**
 * The first valuation is at the marks. While an index is pending in a market of the margin account, there is a second
 * one, with this market at its pending index (without one: at its mark) and the other markets at their worst
 * foreseeable prices. If both have a pending index, this market at its mark with the others at their worst is not a
 * valuation.
 */
export function crossValuations(
  marginAccount: MarginAccount,
  market: Market,
  position: Position | undefined,
): Valuation[] {
  const first = { fine: market.valuationMark, ...crossAt(marginAccount, atMark, position) };
  const othersMayMove = marginAccount.positions.some(
    (marginPosition) => marginPosition.market !== market && atWorst(marginPosition) !== atMark(marginPosition),
  );
  if (market.pendingIndex === 0 && !othersMayMove) return [first];
  const fine = market.pendingIndex || market.valuationMark;
  const known: MarkOf = (marginPosition) => (marginPosition.market === market ? fine : atWorst(marginPosition));
  return [first, { fine, ...crossAt(marginAccount, known, position) }];
}

/** Equity of a cross margin account, and the maintenance of all its positions except `position`. */
function crossAt(marginAccount: MarginAccount, markOf: MarkOf, position?: Position): Omit<Valuation, 'fine'> {
  let equity = collateralOf(marginAccount);
  let otherMaintenance = 0n;
  for (const marginPosition of marginAccount.positions) {
    const at = markOf(marginPosition);
    equity += unrealised(marginPosition.position, marginPosition.market, at);
    if (marginPosition.position !== position)
      otherMaintenance += maintenanceOfSize(
        marginPosition.market,
        marginPosition.position.size,
        at,
        marginPosition.position.limit,
      );
  }
  return { equity, otherMaintenance };
}

/** The same as `crossValuations`, for the collateral of an isolated position. */
export function isolatedValuations(market: Market, size: number, collateral: bigint, cost: bigint): Valuation[] {
  const fines = market.pendingIndex === 0 ? [market.valuationMark] : [market.valuationMark, market.pendingIndex];
  return fines.map((fine) => isolatedAt(market, size, collateral, cost, fine));
}

/**
 * Whether the money that the account's spot orders reserve in the currency will be needed: at a foreseeable price its
 * cross margin there is below maintenance.
 */
export function reserveIsAtRisk(account: Account, currency: number): boolean {
  const slack = foreseeableSlack(account, currency);
  return slack !== null && slack < 0n;
}

/**
 * Equity less maintenance of the account's cross margin in the currency, at the worst foreseeable prices. Null: no
 * foreseeable price moves a position there.
 */
export function foreseeableSlack(account: Account, currency: number): bigint | null {
  if (account.openMarkets.length === 0) return null;
  const marginAccount = crossMarginAccount(account, currency);
  if (marginAccount.positions.every((marginPosition) => atWorst(marginPosition) === atMark(marginPosition)))
    return null;
  const { equity, otherMaintenance } = crossAt(marginAccount, atWorst);
  return equity - otherMaintenance;
}

function isolatedAt(market: Market, size: number, collateral: bigint, cost: bigint, fine: number): Valuation {
  return { fine, equity: collateral + (size === 0 ? 0n : valueAt(market, size, fine) - cost), otherMaintenance: 0n };
}

/** How much the wallet has above the maintenance of its cross positions, at the marks or at the foreseeable prices. */
function walletRoom(marginAccount: MarginAccount): bigint {
  const room = ({ equity, otherMaintenance }: Omit<Valuation, 'fine'>) => equity - otherMaintenance;
  const now = room(crossAt(marginAccount, atMark));
  const worst = room(crossAt(marginAccount, atWorst));
  return smaller(now, worst);
}

export function maintenanceOfSize(market: Market, size: number, fine: number, limit: RiskLimit): bigint {
  return maintenanceAt(market, notionalAt(market, size, fine), limit);
}

/** Whether a fill of `lots` opens any part of a position. */
function opens({ side, size }: MarginState, lots: number): boolean {
  return lots > (side === BUY ? Math.max(0, -size) : Math.max(0, size));
}

export function smaller(a: bigint, b: bigint): bigint {
  if (b < a) return b;
  return a;
}

/** The situation of this side after a fill of `lots` at `ticks`. */
export function filled(state: MarginState, ticks: number, lots: number): MarginState {
  const notional = state.market.notional(ticks, lots);
  const fee = feeOf(notional, state.feeRate);
  const { isolated } = state;
  if (isolated === null) return crossFilled(state, lots, notional, fee);
  if (!opens(state, lots)) return isolatedClosed(state, isolated, lots, notional, fee);
  return isolatedOpened(state, isolated, ticks, lots, notional, fee);
}

/**
 * Brings `state` up to date after a fill of another position of the same account and market. `last` is the state of
 * that other position after its fill. In HEDGE both positions share a cross margin account, so equity and maintenance
 * follow. Isolated positions share the wallet only.
 */
export function afterFillOf(state: MarginState, last: MarginState): MarginState {
  const { market, size, limit, valuations, isolated } = state;
  if (isolated !== null && last.isolated !== null) {
    return { ...state, isolated: { ...isolated, wallet: last.isolated.wallet } };
  }
  const shared = valuations.map(({ fine }, i) => {
    const { equity, otherMaintenance } = last.valuations[i];
    const all = otherMaintenance + maintenanceOfSize(market, last.size, fine, limit);
    return { fine, equity, otherMaintenance: all - maintenanceOfSize(market, size, fine, limit) };
  });
  return { ...state, valuations: shared };
}

function sizeAfter({ side, size }: MarginState, lots: number): number {
  return side === BUY ? size + lots : size - lots;
}

function crossFilled(state: MarginState, lots: number, notional: bigint, fee: bigint): MarginState {
  const { market, side, size } = state;
  const after = sizeAfter(state, lots);
  const paid = (side === BUY ? notional : -notional) + fee;
  const valuations = state.valuations.map(({ fine, equity, otherMaintenance }) => {
    const gained = valueAt(market, after, fine) - valueAt(market, size, fine);
    return { fine, equity: equity + gained - paid, otherMaintenance };
  });
  return { ...state, size: after, valuations };
}

function isolatedClosed(
  state: MarginState,
  isolated: Isolated,
  lots: number,
  notional: bigint,
  fee: bigint,
): MarginState {
  const { side, size } = state;
  const released = ceilDiv(isolated.cost * BigInt(lots), BigInt(Math.abs(size)));
  const realised = (side === BUY ? -notional : notional) - released;
  const { collateral, back } = isolatedClose(isolated.collateral, size, lots, realised, fee);
  const after = { ...isolated, collateral, cost: isolated.cost - released, wallet: isolated.wallet + back };
  return isolatedAfter(state, after, lots);
}

function isolatedOpened(
  state: MarginState,
  isolated: Isolated,
  ticks: number,
  lots: number,
  notional: bigint,
  fee: bigint,
): MarginState {
  const { market, side, limit, takerRate } = state;
  const restLots = Math.max(0, isolated.restLots - lots);
  const rest = market.notional(isolated.restTicks, restLots);
  const opening = { side, size: sizeAfter(state, lots), ticks, lots, rest };
  const moved = openingCollateral(market, { leverage: isolated.leverage, limit }, takerRate, opening);
  const wallet = isolated.wallet - moved - fee;
  const after = {
    ...isolated,
    restLots,
    wallet,
    overdrawn: wallet < 0n,
    collateral: isolated.collateral + moved,
    cost: isolated.cost + (side === BUY ? notional : -notional),
  };
  return isolatedAfter(state, after, lots);
}

function isolatedAfter(state: MarginState, isolated: Isolated, lots: number): MarginState {
  const size = sizeAfter(state, lots);
  const { collateral, cost } = isolated;
  const valuations = state.valuations.map(({ fine }) => isolatedAt(state.market, size, collateral, cost, fine));
  return { ...state, size, valuations, isolated };
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
export function openingCollateral(
  market: Market,
  terms: Pick<Position, 'leverage' | 'limit'>,
  takerRate: bigint,
  { side, size, ticks, lots, rest }: OpeningFill,
): bigint {
  const exposure = notionalAt(market, size, market.valuationMark) + rest;
  const margin = isolatedMargin(market, market.notional(ticks, lots), exposure, terms, takerRate);
  return margin + openLoss(market, side, ticks, lots);
}

/**
 * What is left in an isolated position after `lots` of it are closed, and what returns to the wallet: the share of the
 * collateral, less the loss and the fee. A loss above the share is taken from the rest of the collateral.
 */
export function isolatedClose(
  collateral: bigint,
  size: number,
  lots: number,
  realised: bigint,
  fee: bigint,
): { collateral: bigint; back: bigint } {
  const share = (collateral * BigInt(lots)) / BigInt(Math.abs(size));
  const back = share + realised - fee;
  return back >= 0n ? { collateral: collateral - share, back } : { collateral: collateral + realised - fee, back: 0n };
}
