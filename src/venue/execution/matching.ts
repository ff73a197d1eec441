/**
 * Matching and settlement: an incoming order against the book, in price-time order, at the resting order's price.
 *
 * - A futures fill is clipped to what is solvent for both sides (solvency.ts). A spot order fills nothing while a
 *   foreseeable price needs the money that it pays with.
 * - Each fill is settled at once, completely, before the next one: sizes, money, fees, position, reserve.
 * - Fees are rounded up, against the trader, to the smallest unit. paySpot has the one exception.
 * - A fill may affect other orders: OCO siblings, attached orders, reduce-only orders of the same position. It is noted
 *   in `venue.touched` and handled after the sweep (after-sweep.ts). Triggers react to its price after the command
 *   (reactions.ts).
 *
 * Cost: O(1) for a spot fill. While a price is foreseeable, or if fees come from the quote, the perpetual markets of
 * the account are visited. On futures each market where one of the accounts has a position is visited, and a clipped
 * fill searches.
 * The cost of the book comes on top.
 */

import type { VenueConfig } from '../contract/commands.ts';
import * as decimal from '../contract/decimal.ts';
import type { Figures } from '../contract/events.ts';
import { feesInQuote } from '../contract/market-spec.ts';
import { type Money, minus, moneyOf, negated, plus } from '../contract/money.ts';
import { type Ending, ending } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { beyond, opposite, type Side } from '../contract/units.ts';
import { feeOf, feeOn } from '../risk/fees.ts';
import { feeRoundedDown, reserveFor, takerCost } from '../risk/funds.ts';
import { crossMarginAccount, equityOf } from '../risk/margin-account.ts';
import {
  isolatedClose,
  type MarginState,
  marginStateOf,
  openingCollateral,
  reserveIsAtRisk,
} from '../risk/margin-state.ts';
import { reducible } from '../risk/reduce-only.ts';
import { mostSolvent, solventTicks } from '../risk/solvency.ts';
import { openOrGetPosition, unexpose } from '../state/exposure.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import { keyOf } from '../state/playback.ts';
import type { Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { finish } from './finish.ts';

const { MAX_MONEY } = decimal;
const { BUY, FINE, HOUSE, HOUSE_KEY, NONE } = units;

/**
 * Why a sweep stopped:
 * - done: nothing is left to fill
 * - limit: the book has nothing within the limit
 * - selfTrade: it met an order of its own account
 * - spent: the quote is spent
 * - margin: the taker's margin allows no more at that price
 * - ownAhead: it must stop before an order of its own account
 * - full: the accounts can hold no more of what it would get from a recorded market
 */
export type Stop = 'done' | 'limit' | 'selfTrade' | 'spent' | 'margin' | 'ownAhead' | 'full';

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

/** Takes up to `lots` for `taker` at prices no worse than `limitTicks`. */
export function sweep(venue: VenueState, taker: Order, limitTicks: number, lots: number): Stop {
  const market = venue.markets[taker.market];
  const book = market.book;
  const against = opposite(taker.side);
  const { orders } = venue;
  const checksForeseeable = mustCheckForeseeablePrices(venue, market);
  let left = lots;
  while (left > 0) {
    const entry = book.front(against);
    if (entry === NONE) return 'limit';
    const price = book.price(entry);
    if (beyond(taker.side, price, limitTicks)) return 'limit';
    let fill = left;
    if (taker.quoteOriginal !== null) {
      fill = Math.min(fill, affordable(venue, taker, market, price, taker.quoteRemaining));
      if (fill === 0) return 'spent';
    }
    const owner = book.owner(entry);
    if (owner === HOUSE) {
      const taken = takeFromHouse(venue, market, taker, entry, fill);
      if (taken === NONE) return 'margin';
      if (taken === 0) return 'full';
      left -= taken;
      continue;
    }
    const maker = orders.bySlot(owner);
    if (orders.accountOf(owner) === taker.account) {
      const rule = selfTradeRule(venue, taker, maker);
      if (rule === 'stopBefore') return 'ownAhead';
      if (rule === 'cancelIncoming') return 'selfTrade';
      cancelOwnResting(venue, maker, taker);
      if (rule === 'cancelBoth') return 'selfTrade';
      continue;
    }
    fill = Math.min(fill, book.size(entry));
    if (maker.reduceOnly) {
      fill = Math.min(fill, reducible(venue, maker));
      if (fill === 0) {
        finish(venue, maker, 'cancelled', ending('positionClosed'));
        continue;
      }
    }
    if (checksForeseeable) {
      if (paysWithMoneyAtRisk(venue, taker)) return 'margin';
      if (paysWithMoneyAtRisk(venue, maker)) {
        finish(venue, maker, 'cancelled', marginEnding(market, NONE));
        continue;
      }
    }
    if (market.product === 'spot') settle(venue, market, taker, maker, price, fill);
    else {
      fill = settleSolvent(venue, market, taker, maker, price, fill);
      if (fill === NONE) return 'margin';
    }
    left -= fill;
  }
  return 'done';
}

/**
 * A futures fill, clipped to what is solvent for both sides. A maker that is clipped ends. Returns the lots, or NONE if
 * the margin of the taker allows none.
 */
function settleSolvent(
  venue: VenueState,
  market: Market,
  taker: Order,
  maker: Order,
  price: number,
  lots: number,
): number {
  // The taker is checked first. A liquidation order follows rules in close-position.ts.
  const most = taker.liquidation === null ? mostSolvent(takerMarginState(venue, taker), price, lots) : lots;
  if (most === 0) return NONE;
  const makerState = marginStateOf(venue, maker, makerRateOf(venue, maker));
  const makerMost = mostSolvent(makerState, price, most);
  const isClipped = makerMost < most;
  const ending = isClipped ? marginEnding(market, solventTicks(makerState, maker.remaining)) : null;
  if (makerMost > 0) settle(venue, market, taker, maker, price, makerMost);
  if (isClipped && maker.live) finish(venue, maker, 'cancelled', ending);
  return makerMost;
}

/** Whether fills of the market must check foreseeable prices: on spot, while there are any. */
export function mustCheckForeseeablePrices(venue: VenueState, market: Market): boolean {
  return market.product === 'spot' && venue.isPriceForeseen();
}

/** Whether a spot order would pay with money that a foreseeable price will cost its account. */
export function paysWithMoneyAtRisk(venue: VenueState, order: Order): boolean {
  return reserveIsAtRisk(venue.account(order), venue.payCurrency(order));
}

export function makerRateOf(venue: VenueState, maker: Order): bigint {
  return venue.account(maker).rates(venue.market(maker)).maker;
}

export function takerMarginState(venue: VenueState, taker: Order): MarginState {
  const market = venue.market(taker);
  return marginStateOf(venue, taker, takerRateOf(taker, venue.account(taker), market));
}

/** The ending of an order whose margin allows no further fill, with the price at which it would fill. */
function marginEnding(market: Market, worstTicks: number): Ending {
  return { reason: 'margin', params: { price: worstTicks === NONE ? 'no price' : market.priceText(worstTicks) } };
}

/** The ending of a taker that its margin stopped. */
export function takerMarginEnding(venue: VenueState, taker: Order): Ending {
  const worst = taker.product === 'spot' ? NONE : solventTicks(takerMarginState(venue, taker), taker.remaining);
  return marginEnding(venue.market(taker), worst);
}

/**
 * What happens when a taker meets an order of its own account. Self-trade prevention must not stop a triggered or
 * reduce-only taker, because it protects a position: the resting order is cancelled. One exception comes first: a kind
 * with `stopsBeforeOwn` stops before orders of the same kind. Other takers follow the rule of their algo, or the
 * venue's.
 */
export function selfTradeRule(venue: VenueState, taker: Order, maker: Order): VenueConfig['selfTrade'] | 'stopBefore' {
  if (behaviourOf(taker).stopsBeforeOwn === true && maker.algo === taker.algo) return 'stopBefore';
  if (taker.reduceOnly || taker.trigger?.fired === true) return 'cancelResting';
  return behaviourOf(taker).selfTrade ?? venue.genesis.config.selfTrade;
}

/**
 * The order of its own account that stopped a taker, for the taker's ending. Undefined if that order has ended too, as
 * cancelBoth has it: then its own ending names the taker.
 */
export function ownMaker(venue: VenueState, taker: Order): Figures | undefined {
  const { book } = venue.market(taker);
  const entry = book.front(opposite(taker.side));
  const owner = entry === NONE ? HOUSE : book.owner(entry);
  if (owner === HOUSE || venue.orders.accountOf(owner) !== taker.account) return undefined;
  const maker = venue.orders.bySlot(owner);
  const ended = selfTradeRule(venue, taker, maker) === 'cancelBoth';
  return ended ? undefined : { maker: { order: maker.key } };
}

/** What happens to the resting order of the same account under cancelResting and cancelBoth. */
function cancelOwnResting(venue: VenueState, maker: Order, taker: Order): void {
  const { onSelfTrade } = behaviourOf(maker);
  if (onSelfTrade !== undefined) onSelfTrade(venue, maker);
  else finish(venue, maker, 'cancelled', ending('selfTrade'), { taker: { order: taker.key } });
}

/**
 * The most lots whose cost fits into `budget`, what a quote-sized order has left. The cost includes the fee if that
 * comes from the quote.
 */
export function affordable(venue: VenueState, taker: Order, market: Market, price: number, budget: bigint): number {
  const unit = market.notional(price, 1);
  let lots = budget / unit;
  if (venue.genesis.config.feeFrom === 'quote') {
    const account = venue.account(taker);
    while (lots > 0n && takerCost(venue, account, market, price, Number(lots)) > budget) {
      const excess = BigInt(takerCost(venue, account, market, price, Number(lots))) - budget;
      // A lot costs its notional, and a fee of at most as much again. So this step does not go past the answer.
      const step = excess / (2n * unit);
      lots -= step > 0n ? step : 1n;
    }
  }
  return lots > BigInt(market.maxLots) ? market.maxLots : Number(lots);
}

/** One fill: `lots` of the taker against the maker's entry, at the maker's price. */
function settle(venue: VenueState, market: Market, taker: Order, maker: Order, price: number, lots: number): void {
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
type TradeParty = Pick<Order, 'key' | 'account' | 'side' | 'clientId' | 'liquidation'>;

interface Trade {
  readonly tradeId: number;
  readonly price: number;
  readonly lots: number;
  readonly taker: TradeParty;
  readonly maker: TradeParty;
  readonly takerFee: Money;
  readonly makerFee: Money;
}

function reportTrade(venue: VenueState, market: Market, trade: Trade): void {
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

/** A liquidation pays the liquidation fee in place of the taker fee. A forced close has nothing left to pay with. */
function takerRateOf(taker: Order, account: Account, market: Market): bigint {
  if (taker.liquidation === null) return account.rates(market).taker;
  return taker.liquidation === 'partial' ? market.liquidationRate : 0n;
}

/** Whether a fill of this order may change other orders: those of its position or of its group. */
function concernsOthers(order: Order): boolean {
  return order.product === 'futures' || behaviourOf(order).onFill !== undefined;
}

function recordFill(venue: VenueState, order: Order, price: number, lots: number, liquidity: 'maker' | 'taker'): void {
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
function paySpot(
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
function payFutures(
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
function afterMakerFill(venue: VenueState, maker: Order, price: number): void {
  if (maker.remaining === 0) {
    finish(venue, maker, 'filled', null);
    return;
  }
  const { nextSlice } = behaviourOf(maker);
  if (maker.entry === NONE && nextSlice !== undefined) venue.rest(maker, price, nextSlice(maker));
  venue.changed(maker, 'filled');
}

// --- recorded markets (state/playback.ts) ----------------------------------------------------------------------------

/**
 * The taker takes up to `lots` from an entry of the house. Returns how many: NONE if its margin allows none, 0 if the venue
 * cannot hold more of a currency.
 */
function takeFromHouse(venue: VenueState, market: Market, taker: Order, entry: number, lots: number): number {
  const { book } = market;
  const price = book.price(entry);
  let fill = Math.min(lots, book.size(entry));
  if (mustCheckForeseeablePrices(venue, market) && paysWithMoneyAtRisk(venue, taker)) return NONE;
  if (market.product === 'futures' && taker.liquidation === null) {
    fill = mostSolvent(takerMarginState(venue, taker), price, fill);
    if (fill === 0) return NONE;
  }
  if (!houseCanPay(venue, market, taker.side, price, fill)) return 0;
  book.fill(entry, fill);
  market.playback?.take(keyOf(opposite(taker.side), price), fill, venue.nowMs);
  settleWithHouse(venue, market, taker, 'taker', price, fill);
  return fill;
}

/**
 * The recorded market trades up to `lots` with a resting order, at its price. Returns how many; 0: the order could not fill,
 * and has ended.
 */
export function fillByHouse(venue: VenueState, market: Market, maker: Order, lots: number): number {
  const { book } = market;
  const price = book.price(maker.entry);
  let fill = Math.min(lots, book.size(maker.entry));
  if (maker.reduceOnly) fill = Math.min(fill, reducible(venue, maker));
  if (fill === 0) {
    finish(venue, maker, 'cancelled', ending('positionClosed'));
    return 0;
  }
  if (mustCheckForeseeablePrices(venue, market) && paysWithMoneyAtRisk(venue, maker)) {
    finish(venue, maker, 'cancelled', marginEnding(market, NONE));
    return 0;
  }
  let clipped: Ending | null = null;
  if (market.product === 'futures') {
    const state = marginStateOf(venue, maker, makerRateOf(venue, maker));
    const most = mostSolvent(state, price, fill);
    if (most < fill) clipped = marginEnding(market, solventTicks(state, maker.remaining));
    fill = most;
  }
  if (fill > 0 && !houseCanPay(venue, market, maker.side, price, fill)) {
    fill = 0;
    clipped = ending('noLiquidityInBand');
  }
  if (fill > 0) {
    unexpose(venue.account(maker), market, maker, fill);
    if (book.fill(maker.entry, fill) === 0) maker.entry = NONE;
    settleWithHouse(venue, market, maker, 'maker', price, fill);
    afterMakerFill(venue, maker, price);
  }
  if (clipped !== null && maker.live) finish(venue, maker, 'cancelled', clipped);
  return fill;
}

/** The recorded market trades with itself: nothing moves but the last price. */
export function printTrade(venue: VenueState, market: Market, takerSide: Side, price: number, lots: number): void {
  venue.effects.fill(HOUSE_KEY, HOUSE_KEY, price, lots);
  const tradeId = market.nextTradeId++;
  if (venue.emit.traded !== undefined) {
    const [maker, taker] = [houseParty(opposite(takerSide)), houseParty(takerSide)];
    reportTrade(venue, market, { tradeId, price, lots, taker, maker, makerFee: 0, takerFee: 0 });
  }
  observeTrade(venue, market, price);
}

/**
 * Whether the accounts can still hold what such a fill pays them. Deposits cannot exceed the range of a balance
 * (`deposit`), but the house pays without limit.
 */
function houseCanPay(venue: VenueState, market: Market, side: Side, price: number, lots: number): boolean {
  const currency = market.product === 'spot' && side === BUY ? market.base : market.quote;
  const amount = market.product === 'spot' && side === BUY ? BigInt(market.baseOf(lots)) : market.notional(price, lots);
  const { deposits, withdrawals } = venue.ledger;
  return deposits[currency] - withdrawals[currency] - venue.house.total(currency) + amount <= MAX_MONEY;
}

/** One fill of a user's order, whose other side is the house: no fee and no order there. */
function settleWithHouse(
  venue: VenueState,
  market: Market,
  order: Order,
  role: 'maker' | 'taker',
  price: number,
  lots: number,
): void {
  const { house } = venue;
  const account = venue.account(order);
  const rates = account.rates(market);
  const isMaker = role === 'maker';
  recordFill(venue, order, price, lots, role);
  let fee: Money;
  if (market.product === 'spot') {
    fee = paySpot(venue, market, price, lots, order, account, isMaker ? rates.makerParts : rates.takerParts);
    const sign = order.side === BUY ? 1n : -1n;
    house.credit(market.quote, sign * market.notional(price, lots));
    house.credit(market.base, -sign * BigInt(market.baseOf(lots)));
  } else {
    const rate = isMaker ? rates.maker : takerRateOf(order, account, market);
    fee = payFutures(venue, market, price, lots, order, account, rate);
    settleHousePosition(venue, market, opposite(order.side), lots, market.notional(price, lots));
  }
  const party = houseParty(opposite(order.side));
  const [maker, taker] = isMaker ? [order, party] : [party, order];
  venue.effects.fill(maker.key, taker.key, price, lots);
  const tradeId = market.nextTradeId++;
  const [makerFee, takerFee] = isMaker ? [fee, 0] : [0, fee];
  if (venue.emit.traded !== undefined) {
    reportTrade(venue, market, { tradeId, price, lots, taker, maker, makerFee, takerFee });
  }
  if (order.liquidation === null) observeTrade(venue, market, price);
  if (concernsOthers(order)) venue.touched.push(order);
}

/** Books a fill on the position of the house. Its result is its money, because it has no margin. */
export function settleHousePosition(
  venue: VenueState,
  market: Market,
  side: Side,
  lots: number,
  notional: bigint,
): void {
  const position = venue.house.openOrGetPosition(market.index);
  const longBefore = Math.max(position.size, 0);
  venue.house.credit(market.quote, position.fill(side, lots, notional));
  market.openInterest += Math.max(position.size, 0) - longBefore;
  venue.effects.position(HOUSE, market.index, position.size);
}

function houseParty(side: Side): TradeParty {
  return { key: HOUSE_KEY, account: HOUSE, side, clientId: null, liquidation: null };
}

function observeTrade(venue: VenueState, market: Market, price: number): void {
  venue.observe(market, 'last', price * FINE);
  if (market.printed || market.product !== 'futures') return;
  market.printed = true;
  venue.printed.push(market);
}
