/** What the records of both spot surfaces have in common: sizes, and where an algo stands. */
import { pegOf } from '../../venue/algos/peg.ts';
import { trailingOf } from '../../venue/algos/trailing.ts';
import { twapOf } from '../../venue/algos/twap.ts';
import { NONE } from '../../venue/contract/units.ts';
import type { Market } from '../../venue/state/market.ts';
import type { Order } from '../../venue/state/order.ts';
import type { Venue } from '../../venue/venue.ts';
import { moneyNumber } from './order-records.ts';

/** The size fields of an order: base or quote is populated, the other null. */
export function spotSizes(venue: Venue, market: Market, order: Order) {
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

/** Where an algo stands; null for other orders. */
export function algoDetail(market: Market, order: Order): object | null {
  const twap = twapOf(order);
  if (twap !== null) {
    return {
      children: twap.children,
      childrenDone: twap.childrenDone,
      nextChildAt: twap.nextChildAtMs === 0 ? null : twap.nextChildAtMs,
      pausedBy: twap.pausedBy,
    };
  }
  const peg = pegOf(order);
  if (peg !== null) {
    return {
      displayedSize: market.sizeNumber(order.entry === NONE ? 0 : market.book.size(order.entry)),
      waitingFor: peg.effective === 0 ? 'index' : null,
    };
  }
  const trailing = trailingOf(order);
  if (trailing !== null) {
    return { armed: trailing.armed, extreme: trailing.armed ? market.fineNumber(trailing.extreme) : null };
  }
  return null;
}
