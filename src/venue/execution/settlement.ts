/**
 * The settlement of a fill: sizes, money, fees, position and reserve of a side, and the report of the trade.
 *
 * - Each fill is settled at once, completely, before the next one.
 * - Fees are rounded up, against the trader, to the smallest unit. paySpot has the one exception.
 * - A fill may affect other orders: OCO siblings, attached orders, reduce-only orders of the same position. It is noted
 *   in `venue.touched` and handled after the sweep (after-sweep.ts). Triggers react to its price after the command
 *   (reactions.ts).
 *
 * Cost: O(1) for a fill, and that of the book. If fees come from the quote, the perpetual markets of the account are
 * visited.
 */

import { feesInQuote } from '../contract/market-spec.ts';
import { type Money, minus, moneyOf, negated, plus } from '../contract/money.ts';
import type { Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import { feeOf, feeOn } from '../risk/fees.ts';
import { feeRoundedDown, reserveFor } from '../risk/funds.ts';
import { crossMarginAccount, equityOf } from '../risk/margin-account.ts';
import { isolatedClose, openingCollateral } from '../risk/margin-state.ts';
import { openOrGetPosition, unexpose } from '../state/exposure.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { finish } from './finish.ts';

const { BUY, FINE, NONE } = units;

/** One exchange of lots for money, as both sides settle it. */
interface TradedAmount {
  readonly market: Market;
  readonly lots: number;
  /** Smallest units of the quote (settlement) currency. */
  readonly notional: bigint;
}

/** One fill. Its notional is that of the lots at the price (ticks). */
interface PricedFill extends TradedAmount {
  readonly price: number;
}

/** One fill: `lots` of the taker against the maker's entry, at the maker's price. */
export function settle(
  venue: VenueState,
  market: Market,
  taker: Order,
  maker: Order,
  price: number,
  lots: number,
): void {
  const makerAccount = venue.account(maker);
  const takerAccount = venue.account(taker);
  unexpose(makerAccount, market, maker, lots);
  if (market.book.fill(maker.entry, lots) === 0) maker.entry = NONE;
  recordFill(venue, maker, price, lots, 'maker');
  recordFill(venue, taker, price, lots, 'taker');
  const isSpot = market.product === 'spot';
  const makerFee = isSpot
    ? paySpot(venue, market, price, lots, maker, makerAccount, makerAccount.rates(market).makerParts)
    : payFutures(venue, market, price, lots, maker, makerAccount, makerAccount.rates(market).maker);
  // Between the two payments: the digest of effects depends on the order.
  venue.effects.fill(maker.key, taker.key, price, lots);
  const takerFee = isSpot
    ? paySpot(venue, market, price, lots, taker, takerAccount, takerAccount.rates(market).takerParts)
    : payFutures(venue, market, price, lots, taker, takerAccount, takerRateOf(taker, takerAccount, market));
  const tradeId = market.nextTradeId++;
  if (venue.emit.traded !== undefined)
    reportTrade(venue, market, { tradeId, price, lots, taker, maker, makerFee, takerFee });
  // Trades of a liquidation do not set the last price, fire no trigger and do not move the mark.
  if (taker.liquidation === null) observeTrade(venue, market, price);
  if (concernsOthers(maker)) venue.touched.push(maker);
  if (concernsOthers(taker)) venue.touched.push(taker);
  afterMakerFill(venue, maker, price);
}

/** What a report says of a side. An order has it, and so has the house. */
export type TradeParty = Pick<Order, 'key' | 'account' | 'side' | 'clientId' | 'liquidation'>;

interface Trade {
  readonly tradeId: number;
  readonly price: number;
  readonly lots: number;
  readonly taker: TradeParty;
  readonly maker: TradeParty;
  readonly takerFee: Money;
  readonly makerFee: Money;
}

export function reportTrade(venue: VenueState, market: Market, trade: Trade): void {
  const { taker, maker } = trade;
  venue.emit.traded?.({
    type: 'traded',
    tradeId: trade.tradeId,
    market: market.index,
    priceTicks: trade.price,
    sizeLots: trade.lots,
    takerSide: taker.side,
    makerKey: maker.key,
    takerKey: taker.key,
    makerAccount: maker.account,
    takerAccount: taker.account,
    makerFee: trade.makerFee,
    takerFee: trade.takerFee,
    makerFeeCurrency: feeCurrency(venue, market, maker.side),
    takerFeeCurrency: feeCurrency(venue, market, taker.side),
    makerClientId: maker.clientId,
    takerClientId: taker.clientId,
    liquidation: taker.liquidation !== null,
  });
}

export function makerRateOf(venue: VenueState, maker: Order): bigint {
  return venue.account(maker).rates(venue.market(maker)).maker;
}

/** A liquidation pays the liquidation fee in place of the taker fee. A forced close has nothing left to pay with. */
export function takerRateOf(taker: Order, account: Account, market: Market): bigint {
  if (taker.liquidation === null) return account.rates(market).taker;
  return taker.liquidation === 'partial' ? market.liquidationRate : 0n;
}

/** Whether a fill of this order may change other orders: those of its position or of its group. */
export function concernsOthers(order: Order): boolean {
  return order.product === 'futures' || behaviourOf(order).onFill !== undefined;
}

export function recordFill(
  venue: VenueState,
  order: Order,
  price: number,
  lots: number,
  liquidity: 'maker' | 'taker',
): void {
  if (lots > order.remaining && order.quoteOriginal === null) throw filledTooMuch(order, lots);
  order.addFill(price, lots, venue.seq, venue.nowMs);
  venue.changes.fill(order, lots, liquidity);
}

function filledTooMuch({ key, state, filled, quantity }: Order, lots: number): Error {
  return new Error(`order ${key} (${state}) is filled for ${filled + lots} of ${quantity} lots`);
}

function feeCurrency(venue: VenueState, market: Market, side: Side): number {
  return feesInQuote(market.product, side, venue.genesis.config.feeFrom) ? market.quote : market.base;
}

/**
 * Moves base and quote of one side of a spot fill. Returns the fee (in base for a BUY, unless fees come from the
 * quote).
 */
export function paySpot(
  venue: VenueState,
  market: Market,
  price: number,
  lots: number,
  order: Order,
  account: Account,
  rate: number,
): Money {
  const { ledger } = venue;
  const notional = market.worth(price, lots);
  const base = market.baseOf(lots);
  const isBuy = order.side === BUY;
  const isQuoteSized = order.quoteOriginal !== null;
  const feeFromQuote = feesInQuote(market.product, order.side, venue.genesis.config.feeFrom);
  const paid = isBuy ? notional : base;
  let fee = feeOn(feeFromQuote ? notional : base, rate);
  ledger.credit(account, isBuy ? market.quote : market.base, negated(paid));
  ledger.credit(account, isBuy ? market.base : market.quote, isBuy ? base : notional);
  if (isQuoteSized) {
    order.quoteFilled += BigInt(feeFromQuote ? plus(notional, fee) : notional);
    order.quantity = order.filled;
  }
  venue.reserve(order, account, market, reserveAfter(venue, order, account, market, paid));
  if (isBuy && feeFromQuote && !isQuoteSized) fee = affordableFee(account, market, fee, notional, rate);
  if (fee !== 0) ledger.charge(account, feeFromQuote ? market.quote : market.base, fee);
  return fee;
}

/**
 * The fee of a BUY that pays it in the quote. Each fill rounds its fee up, but the reserve covers one rounding only. If
 * the free money, or the equity, does not cover the fee, it is rounded down.
 */
function affordableFee(account: Account, market: Market, fee: Money, notional: Money, rate: number): Money {
  const free = account.unreserved(market.quote);
  const equity = equityOf(crossMarginAccount(account, market.quote));
  if (fee <= 0 || (fee <= free && fee <= equity)) return fee;
  return feeRoundedDown(notional, rate);
}

/**
 * The reserve after a fill. A resting plain order fills at its own price, so the cost of the fill is taken off. For all
 * other orders the reserve is computed again from what is left.
 */
function reserveAfter(venue: VenueState, order: Order, account: Account, market: Market, taken: Money): Money {
  const plain =
    order.kind === 'limit' && behaviourOf(order).reserves === undefined && venue.genesis.config.feeFrom === 'received';
  if (plain && order.entry !== NONE) return minus(order.reserved, taken);
  return reserveFor(venue, order, account, market);
}

/** Books one side of a futures fill: position, realised result, fee. Both amounts are in the settlement currency. */
export function payFutures(
  venue: VenueState,
  market: Market,
  price: number,
  lots: number,
  order: Order,
  account: Account,
  rate: bigint,
): Money {
  const notional = market.notional(price, lots);
  const fill = { market, price, lots, notional };
  const marketPositions = account.positionsIn(market.index);
  const position = openOrGetPosition(account, market, order);
  const isolated = marketPositions.mode === 'ISOLATED';
  const liquidated = order.liquidation !== null;
  const fee = feeOf(notional, rate);
  const { collateral, size } = position;
  const { opened, realised } = settlePosition(venue, fill, account, position, order.side, isolated);
  order.openedLots += opened;
  // An opening fill takes its fee from the wallet. A closing one takes it from the collateral.
  const payer = isolated && opened === 0 ? position : null;
  if (fee !== 0n) {
    if (liquidated) venue.ledger.payToInsurance(account, market.quote, fee, payer);
    else venue.ledger.charge(account, market.quote, moneyOf(fee), payer);
  }
  // A position in liquidation keeps all its collateral until it is closed, because its steps make the rest safer.
  if (isolated && opened > 0) takeCollateral(venue, fill, account, position, order);
  else if (isolated && !liquidated)
    giveBack(venue, account, market, position, isolatedClose(collateral, size, lots, realised, fee));
  venue.noteReserve(account, market.quote);
  return moneyOf(fee);
}

/**
 * Books a fill on a position: size, entry cost, realised result. `toCollateral`: the result goes to the collateral
 * of the isolated position. Returns the opened lots and the result, in smallest units.
 */
export function settlePosition(
  venue: VenueState,
  { market, lots, notional }: TradedAmount,
  account: Account,
  position: Position,
  side: Side,
  toCollateral: boolean,
): { opened: number; realised: bigint } {
  venue.changes.position(account, market, position);
  const opened = position.opening(side, lots);
  const longBefore = Math.max(position.size, 0);
  const realised = position.fill(side, lots, notional);
  market.openInterest += Math.max(position.size, 0) - longBefore;
  if (realised !== 0n) realise(venue, market, account, position, realised, toCollateral);
  venue.trackHolder(market, account, account.positionsIn(market.index).flat);
  venue.effects.position(account.index, market.index, position.size);
  return { opened, realised };
}

function realise(
  venue: VenueState,
  market: Market,
  account: Account,
  position: Position,
  amount: bigint,
  toCollateral: boolean,
): void {
  if (toCollateral) venue.ledger.creditCollateral(account, market.quote, position, amount);
  else venue.ledger.credit(account, market.quote, amount);
  venue.emit.balanceChanged?.({
    type: 'balanceChanged',
    account: account.index,
    currency: market.quote,
    amount,
    reason: 'realised',
    market: market.index,
    positionId: position.id,
  });
}

/** An opening fill of an isolated position moves its margin and its open loss from the wallet to the collateral. */
function takeCollateral(venue: VenueState, fill: PricedFill, account: Account, position: Position, order: Order): void {
  const { market, price, lots } = fill;
  const rest = market.notional(order.price, order.exposed);
  const opening = { side: order.side, size: position.size, ticks: price, lots, rest };
  const moved = openingCollateral(market, position, account.rates(market).taker, opening);
  venue.ledger.moveToCollateral(account, market.quote, position, moved);
}

/**
 * Returns to the wallet what a close of an isolated position frees. Result and fee are already booked on the
 * collateral.
 */
export function giveBack(
  venue: VenueState,
  account: Account,
  market: Market,
  position: Position,
  closed: { back: bigint },
): void {
  venue.ledger.moveToCollateral(account, market.quote, position, -closed.back);
  if (position.size === 0 && position.collateral !== 0n) {
    const left = `is closed and leaves ${position.collateral} of currency ${market.quote}`;
    throw new Error(`isolated position ${position.id} of account ${account.index} in ${market.symbol} ${left}`);
  }
}

/** Ends a maker that is filled. If the shown slice of an iceberg is used up, the next one joins the back of its level. */
export function afterMakerFill(venue: VenueState, maker: Order, price: number): void {
  if (maker.remaining === 0) {
    finish(venue, maker, 'filled', null);
    return;
  }
  const { nextSlice } = behaviourOf(maker);
  if (maker.entry === NONE && nextSlice !== undefined) venue.rest(maker, price, nextSlice(maker));
  venue.changed(maker, 'filled');
}

export function observeTrade(venue: VenueState, market: Market, price: number): void {
  venue.observe(market, 'last', price * FINE);
  if (market.printed || market.product !== 'futures') return;
  market.printed = true;
  venue.printed.push(market);
}
