/** Orders and what happens to them, as the archive says it: names, exact decimals as text, nothing that is not so. */
import type { VenueEvent } from '../venue/events.ts';
import type { Market } from '../venue/market.ts';
import type { Order } from '../venue/orders.ts';
import { decimalText } from '../venue/quantity.ts';
import type { Venue } from '../venue/venue.ts';
import type { Row, Value } from './tables.ts';

/** Digits below the tick that an average price is shown with; it is cut there. */
const AVERAGE_DIGITS = 8;

export const sideText = (side: 0 | 1): string => (side === 0 ? 'BUY' : 'SELL');

export function accountName(venue: Venue, account: number): string {
  return venue.accounts.get(account)?.name ?? String(account);
}

/** A row of `orders`. */
export function orderRow(venue: Venue, order: Order): Row {
  const market = venue.markets[order.market];
  const { trigger, quoteOriginal } = order;
  const quoteSized = quoteOriginal !== null;
  return [
    order.key,
    venue.orderIds.encode(order.key),
    order.seq,
    accountName(venue, order.account),
    market.symbol,
    sideText(order.side),
    order.kind,
    order.state,
    order.clientId,
    order.price === 0 ? null : market.priceText(order.price),
    quoteSized ? null : market.sizeText(order.original),
    quoteSized ? null : market.sizeText(order.current),
    market.sizeText(order.filled),
    quoteSized ? null : market.sizeText(order.remaining),
    averagePrice(market, order),
    quoteSized ? market.quoteText(quoteOriginal) : null,
    quoteSized ? market.quoteText(order.quoteFilled) : null,
    order.timeInForce,
    Number(order.postOnly),
    Number(order.reduceOnly),
    trigger?.reference ?? null,
    trigger === null || trigger.price === 0 ? null : market.priceText(trigger.price),
    trigger === null ? null : Number(trigger.fired),
    order.ending?.reason ?? null,
    order.createdMs,
    order.updatedMs,
  ];
}

function averagePrice(market: Market, order: Order): Value {
  if (order.filled === 0) return null;
  const ticks = (BigInt(order.filledCost) * 10n ** BigInt(AVERAGE_DIGITS)) / BigInt(order.filled);
  return decimalText(ticks * market.tick.coefficient, market.tick.scale + AVERAGE_DIGITS);
}

/** What an order was when it was accepted, beyond what its row says. */
export function acceptedData(venue: Venue, order: Order): object {
  const market = venue.markets[order.market];
  const { trigger, trailing, peg, twap, oco, bracketOf, takeProfit, stopLoss } = order;
  const bracket = (to: typeof takeProfit) => to && { price: market.priceText(to.price), reference: to.reference };
  return withoutNulls({
    side: sideText(order.side),
    kind: order.kind,
    state: order.state,
    price: order.price === 0 ? null : market.priceText(order.price),
    size: order.quoteOriginal === null ? market.sizeText(order.original) : null,
    quoteSize: order.quoteOriginal === null ? null : market.quoteText(order.quoteOriginal),
    timeInForce: order.timeInForce,
    postOnly: order.postOnly || null,
    reduceOnly: order.reduceOnly || null,
    clientId: order.clientId,
    broker: order.broker,
    trigger: trigger && {
      rule: trigger.rule,
      reference: trigger.reference,
      price: trigger.price === 0 ? null : market.priceText(trigger.price),
      limit: trigger.limit === null ? null : market.priceText(trigger.limit),
    },
    trailing: trailing && {
      distance: trailing.distance === null ? null : market.fineText(trailing.distance),
      percent: trailing.percent === null ? null : decimalText(BigInt(trailing.percent), 8),
      activation: trailing.activation === null ? null : market.priceText(trailing.activation),
    },
    peg: peg && { stealth: decimalText(BigInt(peg.stealth), 8), deviation: decimalText(BigInt(peg.deviation), 8) },
    twap: twap && { periodMs: twap.periodMs, makerFirst: twap.makerFirst, children: twap.children },
    oco: oco && { role: oco.role, sibling: venue.orderIds.encode(oco.siblingKey) },
    attachedTo: bracketOf && { role: bracketOf.role, parent: venue.orderIds.encode(bracketOf.parentKey) },
    takeProfit: bracket(takeProfit),
    stopLoss: bracket(stopLoss),
  });
}

export function changedData(venue: Venue, event: Extract<VenueEvent, { type: 'orderChanged' }>): object {
  const market = venue.markets[event.market];
  const { ending } = event;
  return withoutNulls({
    state: event.state,
    price: event.priceTicks === 0 ? null : market.priceText(event.priceTicks),
    filled: market.sizeText(event.filledLots),
    remaining: market.sizeText(event.remainingLots),
    reason: ending?.reason ?? null,
    ...(ending !== null && Object.keys(ending.params).length > 0 && { figures: ending.params }),
  });
}

function withoutNulls(record: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined));
}
