/**
 * PEG: a limit order that follows the index at a deviation, capped by its price and held inside the band, showing a slice
 * at a time (semantics.md section 9). It holds the money of its cap.
 */

import { priceInLimits, sizeInLimits } from '../checks.ts';
import type { PlacePeg } from '../commands.ts';
import type { Desk } from '../desk.ts';
import type { Market } from '../market.ts';
import { heldFor, sweep } from '../matching.ts';
import type { Order } from '../orders.ts';
import { mulDivCeil } from '../quantity.ts';
import { ending } from '../reasons.ts';
import { BUY, FINE, HUNDRED_PERCENT } from '../units.ts';
import { limitCovered } from './plain.ts';
import type { Algo } from './shape.ts';

export const peg: Algo<PlacePeg> = {
  accept(desk, place, account, market) {
    const { side, price, size } = place;
    const refusal =
      sizeInLimits(market, 'size', size) ??
      priceInLimits(market, 'price', price) ??
      limitCovered(desk, account, market, side, price, size, false);
    if (refusal !== null) return refusal;

    const order = desk.create(account, market, side);
    order.kind = 'peg';
    order.clientId = place.clientId;
    order.broker = place.broker;
    order.price = price;
    order.original = size;
    order.current = size;
    order.timeInForce = 'GTC';
    const slice = Number(mulDivCeil(BigInt(size), BigInt(place.stealth), HUNDRED_PERCENT));
    order.peg = { stealth: place.stealth, deviation: place.deviation, effective: 0, slice };
    desk.admit(order);
    if (market.product === 'spot') desk.hold(order, heldFor(desk, order, account, market));
    desk.pegs[market.index].add(order.key);
    reprice(desk, order);
    return [order];
  },

  onPrice(desk, order) {
    reprice(desk, order);
  },
};

/** Moves to the price that the index gives now: to the back of its level; an unchanged price keeps its place. */
function reprice(desk: Desk, order: Order): void {
  const { peg } = order;
  if (peg === null) throw new Error(`order ${order.key} is no peg`);
  const market = desk.market(order);
  const effective = effectiveTicks(market, order, peg.deviation);
  if (effective === 0 || effective === peg.effective) return;
  desk.withdraw(order);
  peg.effective = effective;
  const stop = sweep(desk, order, effective, order.remaining);
  if (order.remaining === 0) desk.finish(order, 'filled', null);
  else if (stop === 'selfTrade') desk.finish(order, 'cancelled', ending('selfTrade'));
  else {
    desk.rest(order, effective, Math.min(peg.slice, order.remaining));
    desk.changed(order, 'repriced');
  }
}

/** index × (1 + deviation), on the tick (BUY down, SELL up), inside the band and the market's prices; 0 without index. */
function effectiveTicks(market: Market, order: Order, deviation: number): number {
  if (market.indexPrice === 0) return 0;
  const scaled = BigInt(market.indexPrice) * (HUNDRED_PERCENT + BigInt(deviation));
  const unit = HUNDRED_PERCENT * BigInt(FINE);
  const bandLimit = market.limitWithin(order.side, market.bandReference || market.indexPrice, market.band);
  if (order.side === BUY) return Math.max(1, Math.min(Number(scaled / unit), order.price, bandLimit));
  return Math.min(Math.max(Number((scaled + unit - 1n) / unit), order.price, bandLimit), market.maxPriceTicks);
}
