/** LIMIT and MARKET orders: judged, held for, matched, and at rest or ended when accept returns. */

import {
  bracketsOnSide,
  covered,
  marginCovered,
  marketLimit,
  priceInBand,
  priceInLimits,
  sizeInLimits,
} from '../checks.ts';
import type { PlaceLimit, PlaceMarket } from '../commands.ts';
import type { Desk } from '../desk.ts';
import { enterLimit, enterMarket, startValidity } from '../entering.ts';
import type { Account } from '../ledger.ts';
import type { Market } from '../market.ts';
import { bestOpposite, heldFor } from '../matching.ts';
import type { Order } from '../orders.ts';
import { type Refusal, refuse } from '../reasons.ts';
import { BUY, NONE, type Side } from '../units.ts';
import type { Algo } from './shape.ts';

/**
 * Reduce-only: clipped to the position (by number; null: the one that the side tells), refused without one to reduce.
 * Returns the lots to go on with.
 */
export function clipToPosition(
  account: Account,
  market: Market,
  side: Side,
  lots: number,
  position: number | null = null,
): number | Refusal {
  const holding = account.holding(market.index);
  const id = position ?? holding.bind(side, true);
  const room = holding.reducible(id, side);
  if (room > 0) return Math.min(lots, room);
  return refuse('reduceOnlyWithoutPosition', {
    symbol: market.symbol,
    side: side === BUY ? 'BUY' : 'SELL',
    position: holding.byId(id)?.size ?? 0,
  });
}

/** Spot: money to hold for a limit order; futures: margin, but for what only reduces. */
export function limitCovered(
  desk: Desk,
  account: Account,
  market: Market,
  side: Side,
  ticks: number,
  lots: number,
  reduceOnly: boolean,
): Refusal | null {
  if (market.product === 'futures') {
    return reduceOnly ? null : marginCovered(desk, account, market, side, ticks, lots);
  }
  const needed = desk.spotCost(account, market, side, ticks, lots);
  return covered(desk, account, side === BUY ? market.quote : market.base, needed);
}

export const limitOrder: Algo<PlaceLimit> = {
  accept(desk, place, account, market) {
    const { side, price } = place;
    const refusal =
      sizeInLimits(market, 'size', place.size) ??
      priceInLimits(market, 'price', price) ??
      priceInBand(market, side, price) ??
      bracketsOnSide(market, side, place, price);
    if (refusal !== null) return refusal;
    const position = place.reduceOnly ? (place.position ?? null) : null;
    const lots = place.reduceOnly ? clipToPosition(account, market, side, place.size, position) : place.size;
    if (typeof lots !== 'number') return lots;
    const short = limitCovered(desk, account, market, side, price, lots, place.reduceOnly);
    if (short !== null) return short;

    const order = desk.create(account, market, side);
    order.kind = 'limit';
    order.clientId = place.clientId;
    order.broker = place.broker;
    order.price = price;
    order.original = place.size;
    order.current = lots;
    order.timeInForce = place.timeInForce;
    order.postOnly = place.postOnly;
    order.reduceOnly = place.reduceOnly;
    order.takeProfit = place.takeProfit ?? null;
    order.stopLoss = place.stopLoss ?? null;
    desk.bind(order, position);
    desk.admit(order);
    if (market.product === 'spot') desk.hold(order, heldFor(desk, order, account, market));
    enterLimit(desk, order);
    startValidity(desk, order);
    return [order];
  },
};

export const marketOrder: Algo<PlaceMarket> = {
  accept(desk, place, account, market) {
    const refusal = marketRefusal(desk, place, account, market);
    if (refusal !== null) return refusal;
    const { side, size } = place;
    const position = place.reduceOnly ? (place.position ?? null) : null;
    const lots = place.reduceOnly ? clipToPosition(account, market, side, size ?? 0, position) : (size ?? 0);
    if (typeof lots !== 'number') return lots;

    const order = desk.create(account, market, place.side);
    order.kind = 'market';
    order.clientId = place.clientId;
    order.broker = place.broker;
    order.original = place.size ?? 0;
    order.current = lots;
    order.quoteOriginal = place.quote === null ? null : BigInt(place.quote);
    order.reduceOnly = place.reduceOnly;
    order.takeProfit = place.takeProfit ?? null;
    order.stopLoss = place.stopLoss ?? null;
    desk.bind(order, position);
    desk.admit(order);
    holdForMarket(desk, order, account, market);
    enterMarket(desk, order);
    return [order];
  },
};

function marketRefusal(desk: Desk, terms: PlaceMarket, account: Account, market: Market): Refusal | null {
  const { side, size } = terms;
  const quote = terms.quote === null ? null : BigInt(terms.quote);
  return (
    sizeInLimits(market, 'size', size) ??
    quoteInLimits(desk, account, market, quote) ??
    bracketsOnSide(market, side, terms, null) ??
    (quote === null ? null : covered(desk, account, market.quote, quote)) ??
    (size === null || terms.reduceOnly ? null : marketCovered(desk, account, market, side, size))
  );
}

/**
 * A quote amount buys at least the minimum size (and pays its fee, where that comes from the quote), at most the maximum,
 * at the best price; without a book it is not judged.
 */
export function quoteInLimits(desk: Desk, account: Account, market: Market, quote: bigint | null): Refusal | null {
  const best = bestOpposite(market, BUY);
  if (quote === null || best === NONE) return null;
  const smallest = desk.takerCost(account, market, best, market.minLots);
  if (quote < smallest) {
    return refuse('sizeBelowMinimum', {
      field: 'quote',
      size: market.quoteText(quote),
      minimum: market.quoteText(smallest),
      symbol: market.symbol,
    });
  }
  const largest = market.notional(best, market.maxLots);
  if (quote > largest) {
    return refuse('sizeAboveMaximum', {
      field: 'quote',
      size: market.quoteText(quote),
      maximum: market.quoteText(largest),
      symbol: market.symbol,
    });
  }
  return null;
}

/** Money or margin for a market order of `lots`, at the worst price that it may trade at (without a book: nothing). */
export function marketCovered(desk: Desk, account: Account, market: Market, side: Side, lots: number): Refusal | null {
  if (market.product === 'spot' && side !== BUY) {
    return covered(desk, account, market.base, BigInt(lots) * market.unitsPerLot);
  }
  const worst = marketLimit(market, side);
  return worst === NONE ? null : limitCovered(desk, account, market, side, worst, lots, false);
}

/** Spot: a SELL holds its base, a quote-sized BUY its quote, a base-sized BUY what the band can cost. */
export function holdForMarket(desk: Desk, order: Order, account: Account, market: Market): void {
  if (market.product !== 'spot') return;
  if (order.side === BUY && order.quoteOriginal === null) {
    const worst = marketLimit(market, order.side);
    if (worst !== NONE) desk.hold(order, desk.buyCost(account, market, worst, order.remaining));
  } else desk.hold(order, heldFor(desk, order, account, market));
}
