/**
 * An order as the control surface and its stream show it: every field of the venue's view, with names and exact decimals
 * as text. Null: it does not apply, or is not known yet.
 */
import { textOf } from '../../archive/follow/records.ts';
import { endText, isLiveState } from '../../story/ends.ts';
import { averagePriceText } from '../../venue/contract/average-price.ts';
import type { AlgoValue, OrderView } from '../../venue/contract/order-view.ts';
import { sideText } from '../../venue/contract/units.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { positionText } from '../orders/order-records.ts';
import { endingText } from '../shared/errors.ts';
import { statusCode } from '../shared/order-state.ts';

export function orderView(venue: Venue, order: OrderView): object {
  const market = venue.markets[order.market];
  const price = (ticks: number | null) => (ticks === null || ticks === 0 ? null : market.priceText(ticks));
  const quoteSized = order.quoteOriginal !== null;
  const lots = (value: number) => (quoteSized ? null : market.sizeText(value));
  return {
    orderId: venue.orderIds.encode(order.key),
    clientId: order.clientId,
    account: venue.account(order.account)?.name ?? null,
    symbol: market.symbol,
    side: sideText(order.side),
    kind: order.kind,
    algo: order.algo,
    state: order.state,
    status: statusCode(order),
    live: order.live,
    price: price(order.price),
    size: lots(order.original),
    currentSize: lots(order.quantity),
    filled: market.sizeText(order.filled),
    remaining: lots(order.remaining),
    averagePrice: averageOf(market, order),
    ...(order.quoteOriginal !== null && {
      quoteSize: market.quoteText(order.quoteOriginal),
      quoteFilled: market.quoteText(order.quoteFilled),
      quoteRemaining: market.quoteText(order.quoteRemaining),
    }),
    timeInForce: order.timeInForce,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    ...(market.product === 'futures' && {
      positionMode: order.positionMode,
      positionId: positionText(market, order.positionMode, order.positionId),
    }),
    liquidation: order.liquidation,
    trigger: triggerOf(order, price),
    details: detailsOf(venue, market, order),
    takeProfit: attachedOf(venue, market, order, 'takeProfit'),
    stopLoss: attachedOf(venue, market, order, 'stopLoss'),
    reason: order.ending?.reason ?? null,
    message: endingText(order.ending),
    ended: order.live ? null : endText(order.state, order.ending?.reason),
    nextDueMs: order.nextDueMs,
    createdMs: order.createdMs,
    updatedMs: order.updatedMs,
    seq: order.seq,
  };
}

function averageOf(market: MarketView, { filled, filledCost }: OrderView): string | null {
  return filled === 0 ? null : averagePriceText(market.tick, BigInt(filledCost), BigInt(filled), 'nearest');
}

/** `above`: it fires at or above its price; null: the first price decides. */
function triggerOf({ trigger }: OrderView, price: (ticks: number | null) => string | null): object | null {
  if (trigger === null) return null;
  const { rule, reference, up, fired } = trigger;
  return {
    rule,
    reference,
    price: price(trigger.price),
    original: price(trigger.original),
    above: up,
    fired,
    limit: price(trigger.limit),
  };
}

/** The terms of an algo and what it is doing, in the names of docs/algos.md. */
function detailsOf(venue: Venue, market: MarketView, { details }: OrderView): object | null {
  if (details === null) return null;
  const texts = (values: Readonly<Record<string, AlgoValue | undefined>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(venue, market, value ?? null)]));
  return { name: details.name, terms: texts(details.terms), progress: texts(details.progress) };
}

function attachedOf(
  venue: Venue,
  market: MarketView,
  order: OrderView,
  which: 'takeProfit' | 'stopLoss',
): object | null {
  const terms = order[which];
  if (terms === null) return null;
  const key = order[`${which}Key`];
  return {
    orderId: key === 0 ? null : venue.orderIds.encode(key),
    price: market.priceText(terms.price),
    reference: terms.reference,
  };
}

/** An order of the archive, in the names of `orderView`, with how it ended in words. */
export function pastOrderView(order: Readonly<Record<string, unknown>>): object {
  const { orderId, clientId, market: symbol, side, kind, state, price, size, filledSize, quoteSize } = order;
  const live = isLiveState(String(state));
  return {
    orderId,
    clientId,
    symbol,
    side,
    kind,
    state,
    live,
    price,
    size,
    filled: filledSize,
    ...(quoteSize !== null && { quoteSize, quoteFilled: order.quoteFilled }),
    trigger: order.triggerRule === null ? null : { rule: order.triggerRule, price: order.triggerPrice },
    liquidation: order.liquidation,
    reason: order.reason,
    ended: live ? null : endText(String(state), order.reason),
    createdMs: order.createdMs,
    updatedMs: order.updatedMs,
    seq: order.seq,
  };
}
