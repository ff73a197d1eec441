/** What the records of both spot surfaces have in common: sizes. */
import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { moneyNumber } from './order-records.ts';

/** The size fields of an order: base or quote is populated, the other null. */
export function spotSizes(venue: Venue, market: MarketView, order: OrderView) {
  if (order.quoteOriginal === null) {
    return {
      orderCurrency: 'base',
      originalOrderBaseSize: market.sizeNumber(order.original),
      originalOrderQuoteSize: null,
      currentOrderBaseSize: market.sizeNumber(order.quantity),
      currentOrderQuoteSize: null,
      remainingOrderBaseSize: market.sizeNumber(order.remaining),
      remainingOrderQuoteSize: null,
    };
  }
  const { decimals } = venue.currencies[market.quote];
  return {
    orderCurrency: 'quote',
    originalOrderBaseSize: null,
    originalOrderQuoteSize: moneyNumber(order.quoteOriginal, decimals),
    currentOrderBaseSize: null,
    currentOrderQuoteSize: moneyNumber(order.quoteOriginal, decimals),
    remainingOrderBaseSize: null,
    remainingOrderQuoteSize: moneyNumber(order.quoteRemaining, decimals),
  };
}
