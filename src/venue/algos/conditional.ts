/**
 * CONDITIONAL on spot, STOP and TRIGGER on futures: an order that waits until a reference price reaches its trigger, then
 * enters as MARKET or LIMIT under its own id, judged again as a new order (semantics.md section 6).
 *
 * Spot holds the money from placement on; futures needs margin only when it fires.
 */

import { bracketsOnSide, covered, priceInBand, priceInLimits, sizeInLimits, triggerNearLimit } from '../checks.ts';
import type { PlaceConditional, PlaceTrailing } from '../commands.ts';
import type { Desk } from '../desk.ts';
import { enterLimit, enterMarket, startValidity } from '../entering.ts';
import type { Account } from '../ledger.ts';
import type { Market } from '../market.ts';
import { heldFor } from '../matching.ts';
import type { Order } from '../orders.ts';
import type { Refusal } from '../reasons.ts';
import { BUY, FINE } from '../units.ts';
import { clipToPosition, limitCovered, marketCovered, quoteInLimits } from './plain.ts';
import type { Algo } from './shape.ts';

/** Which way the reference has to move; null: the first reference price tells. Equal counts as reached: either way. */
export function directionTo(market: Market, reference: 'last' | 'mark' | 'index', ticks: number): boolean | null {
  const fine = market.reference(reference);
  return fine === 0 ? null : ticks * FINE >= fine;
}

function direction(place: PlaceConditional, market: Market): boolean | null {
  if (place.rule === 'reach') return directionTo(market, place.reference, place.trigger);
  return (place.rule === 'stop') === (place.side === BUY);
}

/** Money that a waiting spot trigger holds from placement on. */
export function waitingCovered(
  desk: Desk,
  place: PlaceConditional | PlaceTrailing,
  account: Account,
  market: Market,
): Refusal | null {
  if (market.product === 'futures') return null;
  if (place.quote !== null) return covered(desk, account, market.quote, BigInt(place.quote));
  const price = place.kind === 'conditional' ? (place.price ?? 0) : 0;
  return limitCovered(desk, account, market, place.side, price, place.size ?? 0, false);
}

export const conditional: Algo<PlaceConditional> = {
  accept(desk, place, account, market) {
    const { side, price, trigger } = place;
    const refusal =
      sizeInLimits(market, 'size', place.size) ??
      priceInLimits(market, 'trigger', trigger) ??
      priceInLimits(market, 'price', price) ??
      (price === null ? null : triggerNearLimit(market, trigger, price)) ??
      bracketsOnSide(market, side, place, price ?? trigger) ??
      waitingCovered(desk, place, account, market);
    if (refusal !== null) return refusal;

    const order = desk.create(account, market, side);
    order.kind = 'conditional';
    order.state = 'waiting';
    order.clientId = place.clientId;
    order.broker = place.broker;
    order.price = price ?? 0;
    order.original = place.size ?? 0;
    order.current = order.original;
    order.quoteOriginal = place.quote === null ? null : BigInt(place.quote);
    order.timeInForce = price === null ? null : place.timeInForce;
    order.postOnly = place.postOnly;
    order.reduceOnly = place.reduceOnly;
    order.takeProfit = place.takeProfit ?? null;
    order.stopLoss = place.stopLoss ?? null;
    const up = direction(place, market);
    const { rule, reference } = place;
    order.trigger = {
      rule,
      reference,
      price: trigger,
      original: trigger,
      up,
      fired: false,
      firedStep: 0,
      limit: price,
    };
    desk.admit(order);
    if (market.product === 'spot') desk.hold(order, heldFor(desk, order, account, market));
    desk.watch(order, reference, trigger, up);
    desk.entered.push(order.key);
    startValidity(desk, order);
    return [order];
  },

  onTrigger(desk, order) {
    fire(desk, order);
  },
};

/** The trigger was reached: the order enters, if it would be accepted now. */
export function fire(desk: Desk, order: Order): void {
  markFired(desk, order);
  const refusal = releaseRefusal(desk, order);
  if (refusal !== null) desk.finish(order, 'rejected', refusal);
  else if (order.trigger?.limit != null) enterLimit(desk, order);
  else enterMarket(desk, order);
}

export function markFired(desk: Desk, order: Order): void {
  const { trigger } = order;
  if (trigger === null) throw new Error(`order ${order.key} has no trigger`);
  desk.market(order).triggers.unwatch(order);
  trigger.fired = true;
  trigger.firedStep = desk.step;
  order.state = 'working';
  order.updatedMs = desk.nowMs;
  desk.changed(order, 'triggered');
}

/** The checks of a new order that time may have turned; a reduce-only order is clipped here. */
function releaseRefusal(desk: Desk, order: Order): Refusal | null {
  const market = desk.market(order);
  const account = desk.account(order);
  const limit = order.trigger?.limit ?? null;
  if (order.reduceOnly) {
    desk.bind(order);
    const lots = clipToPosition(account, market, order.side, order.remaining);
    if (typeof lots !== 'number') return lots;
    order.current = order.filled + lots;
  }
  return (
    (limit === null ? null : priceInBand(market, order.side, limit)) ??
    quoteInLimits(desk, account, market, order.quoteOriginal) ??
    (market.product === 'spot' || order.reduceOnly ? null : releaseMargin(desk, order, account, market, limit))
  );
}

function releaseMargin(
  desk: Desk,
  order: Order,
  account: Account,
  market: Market,
  limit: number | null,
): Refusal | null {
  if (limit === null) return marketCovered(desk, account, market, order.side, order.remaining);
  return limitCovered(desk, account, market, order.side, limit, order.remaining, false);
}
