/**
 * Fills with the house: the other side of a user's order is a recorded market (state/playback.ts). The house pays no fee and
 * has no order and no margin.
 */

import * as decimal from '../contract/decimal.ts';
import type { Money } from '../contract/money.ts';
import { type Ending, ending } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { opposite, type Side } from '../contract/units.ts';
import { marginStateOf } from '../risk/margin-state.ts';
import { reducible } from '../risk/reduce-only.ts';
import { mostSolvent, solventTicks } from '../risk/solvency.ts';
import { unexpose } from '../state/exposure.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { keyOf } from '../state/playback.ts';
import type { VenueState } from '../state/venue-state.ts';
import { marginEnding, mustCheckForeseeablePrices, paysWithMoneyAtRisk, takerMarginState } from './fill-checks.ts';
import { finish } from './finish.ts';
import {
  afterMakerFill,
  concernsOthers,
  makerRateOf,
  observeTrade,
  payFutures,
  paySpot,
  recordFill,
  reportTrade,
  type TradeParty,
  takerRateOf,
} from './settlement.ts';

const { MAX_MONEY } = decimal;
const { BUY, HOUSE, HOUSE_KEY, NONE } = units;

/**
 * The taker takes up to `lots` from an entry of the house. Returns how many: NONE if its margin allows none, 0 if the venue
 * cannot hold more of a currency.
 */
export function takeFromHouse(venue: VenueState, market: Market, taker: Order, entry: number, lots: number): number {
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
