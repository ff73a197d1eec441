/**
 * Notifications of orders, in the records of each version. A notification says what one event did to an order. V3 of
 * spot and V4 of futures say what this event filled. V2 of spot, and V2 and V3 of futures, say what was filled in total.
 * V1 says neither.
 */
import type { OrderChanged } from '../../venue/contract/events.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import {
  averagePrice,
  futuresTypeCode,
  moneyNumber,
  orderDetailType,
  partsNumber,
  positionText,
  priceOf,
  STATUS_AMENDED,
  STATUS_TRIGGERED,
  sideName,
  spotTypeCode,
  TYPE_MARKET,
} from '../orders/order-records.ts';
import { marketId, olderId, olderName } from '../shared/markets.ts';
import { statusCode } from '../shared/order-state.ts';

/** What happened to an order. */
export interface OrderUpdate {
  /** The order as the event left it. */
  readonly order: OrderView;
  readonly market: MarketView;
  readonly orderId: string;
  readonly status: number;
  /** Lots that this event filled. */
  readonly filledNowLots: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
  /** The currency of its size: of the base, or of the quote for an order by its value. */
  readonly currency: string;
  readonly quoteDecimals: number;
}

/** An order was accepted. */
export function accepted(venue: Venue, order: OrderView): OrderUpdate {
  return updateOf(venue, order, statusCode(order), 0, false);
}

/** An order changed. Null: clients of BTSE do not hear of such a change. */
export function changed(venue: Venue, event: OrderChanged): OrderUpdate | null {
  const order = venue.order(event.account, venue.markets[event.market].product, event.key);
  if (order === undefined) return null;
  const status = statusOf(event, order);
  if (status === null) return null;
  return updateOf(venue, order, status, event.filledNowLots, event.liquidity === 'maker');
}

function statusOf({ change, state, filledLots }: OrderChanged, order: OrderView): number | null {
  const present = statusCode({ state, filled: filledLots });
  switch (change) {
    case 'triggered':
      return STATUS_TRIGGERED;
    case 'amended':
      return order.live ? STATUS_AMENDED : present;
    case 'rested':
      // The notification of its acceptance has already said so, unless its trigger has just fired.
      return order.trigger?.fired === true ? present : null;
    case 'filled':
    case 'reduced':
    case 'grown':
    case 'waiting':
    case 'started':
    case 'ended':
      return present;
    case 'repriced':
    case 'armed':
    case 'paused':
      return null;
  }
}

function updateOf(
  venue: Venue,
  order: OrderView,
  status: number,
  filledNowLots: number,
  isMaker: boolean,
): OrderUpdate {
  const market = venue.markets[order.market];
  const { quote, base } = market.spec;
  return {
    order,
    market,
    orderId: venue.orderIds.encode(order.key),
    status,
    filledNowLots,
    isMaker,
    timeMs: venue.timeMs,
    currency: order.quoteOriginal === null ? base : quote,
    quoteDecimals: venue.currencies[market.quote].decimals,
  };
}

/** txType: 0 none, 1 a stop, 2 a take-profit, 3 one of a pair. */
function txType({ algo, trigger }: OrderView): 0 | 1 | 2 | 3 {
  if (algo === 'oco') return 3;
  if (trigger === null) return 0;
  return trigger.rule === 'profit' ? 2 : 1;
}

const TX_TYPES = ['LIMIT', 'STOP', 'TAKE_PROFIT', 'OCO'] as const;

/** Fractions. 1 for an order that is not pegged. */
function pegOf({ details }: OrderView) {
  const { stealth, deviation } = details?.terms ?? {};
  return {
    pegPriceDeviation: deviation === undefined ? 1 : partsNumber(deviation.parts, 'fraction'),
    stealth: stealth === undefined ? 1 : partsNumber(stealth.parts, 'fraction'),
  };
}

/** What all versions but the first have in common. */
function common({ order, market, orderId, status, isMaker, timeMs }: OrderUpdate) {
  return {
    orderID: orderId,
    price: priceOf(market, order),
    triggerPrice: market.priceNumber(order.trigger?.price ?? 0),
    ...pegOf(order),
    status,
    timestamp: timeMs,
    clOrderID: order.clientId ?? '',
    maker: isMaker,
    time_in_force: order.timeInForce ?? 'GTC',
  };
}

/** Spot V3: sizes in base and in quote, of which one is 0. */
export function spotV3(update: OrderUpdate): object {
  const { order, market, currency, quoteDecimals } = update;
  const quote = (units: bigint) => moneyNumber(units, quoteDecimals);
  const byQuote = order.quoteOriginal !== null;
  return {
    symbol: market.symbol,
    side: `MODE_${sideName(order)}`,
    orderType: spotTypeCode(order),
    txType: txType(order),
    ...common(update),
    avgFilledPrice: averagePrice(market, order),
    postOnly: order.postOnly,
    orderUserInitiated: true,
    originalOrderBaseSize: byQuote ? 0 : market.sizeNumber(order.original),
    originalOrderQuoteSize: quote(order.quoteOriginal ?? 0n),
    currentOrderBaseSize: byQuote ? 0 : market.sizeNumber(order.quantity),
    currentOrderQuoteSize: quote(order.quoteOriginal ?? 0n),
    filledBaseSize: market.sizeNumber(update.filledNowLots),
    totalFilledBaseSize: market.sizeNumber(order.filled),
    remainingBaseSize: byQuote ? 0 : market.sizeNumber(order.remaining),
    remainingQuoteSize: byQuote ? quote(order.quoteRemaining) : 0,
    orderCurrency: currency,
  };
}

/** Spot V2. */
export function spotV2(update: OrderUpdate): object {
  const { order, market } = update;
  return { symbol: market.symbol, type: spotTypeCode(order), txType: txType(order), ...sizesV2(update) };
}

/** Futures V3: the fields of spot V2, and the position. */
export function futuresV3(update: OrderUpdate): object {
  const { order, market } = update;
  return {
    symbol: market.symbol,
    type: futuresTypeCode(order),
    txType: TX_TYPES[txType(order)],
    ...sizesV2(update),
    positionId: positionText(market, order.positionMode, order.positionId),
  };
}

/** Futures V2: as V3, with the older name of the market. */
export function futuresV2(update: OrderUpdate): object {
  const { order, market } = update;
  return { ...futuresV3(update), symbol: olderName(market), positionId: olderPosition(market, order) };
}

function olderPosition(market: MarketView, { positionMode, positionId }: OrderView): string {
  return positionText(market, positionMode, positionId).replace(marketId(market), olderId(market));
}

function sizesV2(update: OrderUpdate): object {
  const { order, market, quoteDecimals } = update;
  const quote = (units: bigint) => moneyNumber(units, quoteDecimals);
  const { quoteOriginal } = order;
  return {
    side: sideName(order),
    ...common(update),
    // Sized as the order is: by its value, or in the base.
    size: quoteOriginal === null ? market.sizeNumber(order.quantity) : quote(quoteOriginal),
    originalSize: quoteOriginal === null ? market.sizeNumber(order.original) : quote(quoteOriginal),
    avgFillPrice: averagePrice(market, order),
    fillSize: market.sizeNumber(order.filled),
    remainingSize: quoteOriginal === null ? market.sizeNumber(order.remaining) : quote(order.quoteRemaining),
  };
}

/** Futures V4. */
export function futuresV4(update: OrderUpdate): object {
  const { order, market } = update;
  return {
    symbol: market.symbol,
    side: sideName(order),
    orderType: futuresTypeCode(order),
    type: 0,
    ...common(update),
    avgFilledPrice: averagePrice(market, order),
    postOnly: order.postOnly,
    positionId: positionText(market, order.positionMode, order.positionId),
    orderDetailType: orderDetailType(order),
    orderUserInitiated: order.liquidation === null,
    originalOrderSize: market.sizeNumber(order.original),
    currentOrderSize: market.sizeNumber(order.quantity),
    filledSize: market.sizeNumber(update.filledNowLots),
    totalFilledSize: market.sizeNumber(order.filled),
    remainingSize: market.sizeNumber(order.remaining),
  };
}

const LABELS: Readonly<Record<number, string>> = {
  2: 'ORDER_INSERTED',
  4: 'ORDER_FULL_TRANSACTED',
  5: 'ORDER_PARTIALLY_TRANSACTED',
  6: 'ORDER_CANCELLED',
  9: 'TRIGGER_INSERTED',
  10: 'TRIGGER_ACTIVATED',
  15: 'ORDER_REJECTED',
  123: 'AMEND_ORDER',
};

/** The first version: all but the time is text. Its labels are those that GoCryptoTrader, the only known reader, accepts. */
export function firstVersion({ order, market, orderId, status, timeMs }: OrderUpdate): object {
  const code = market.product === 'spot' ? spotTypeCode(order) : futuresTypeCode(order);
  const type = code === TYPE_MARKET ? 'MARKET' : 'LIMIT';
  const special = txType(order);
  const { pegPriceDeviation, stealth } = pegOf(order);
  return {
    symbol: olderName(market),
    orderID: orderId,
    orderMode: `MODE_${sideName(order)}`,
    orderType: `TYPE_${type}`,
    type: special === 0 ? type : TX_TYPES[special],
    pegPriceDeviation: String(pegPriceDeviation),
    stealth: String(stealth),
    price: String(priceOf(market, order)),
    size: market.sizeText(order.quantity),
    triggerPrice: String(market.priceNumber(order.trigger?.price ?? 0)),
    status: LABELS[status] ?? String(status),
    timestamp: timeMs,
  };
}
