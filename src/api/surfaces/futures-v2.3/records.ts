/**
 * The records of futures v2.3: the order record (spec.md section 2.2) of placements, amends and cancels, the look-up
 * record, and the row of open orders. In ONE_WAY mode positionDirection is absent.
 */

import type { OrderView } from '../../../venue/contract/order-view.ts';
import type { Venue } from '../../../venue/venue.ts';
import type { MarketView } from '../../../venue/views.ts';
import { legacyActionFields, legacyLookupFields, legacyOpenFields } from '../../orders/legacy-records.ts';
import {
  amendedStatus,
  attachedRecord,
  futuresTypeCode,
  positionDirection,
  positionText,
} from '../../orders/order-records.ts';

function position(market: MarketView, order: OrderView) {
  const { positionMode, positionId } = order;
  const direction = positionDirection(order);
  return {
    positionMode,
    ...(direction !== null && { positionDirection: direction }),
    positionId: positionText(market, positionMode, positionId),
  };
}

/** What an order is called and how large it is, in every record. */
function nameAndSize(market: MarketView, order: OrderView) {
  return {
    clOrderID: order.clientId ?? '',
    orderType: futuresTypeCode(order),
    remainingSize: market.sizeNumber(order.remaining),
    originalOrderSize: market.sizeNumber(order.original),
    currentOrderSize: market.sizeNumber(order.quantity),
    totalFilledSize: market.sizeNumber(order.filled),
  };
}

export function orderRecord(venue: Venue, order: OrderView): object {
  const market = venue.markets[order.market];
  return {
    ...legacyActionFields(venue, order),
    ...nameAndSize(market, order),
    filledSize: market.sizeNumber(order.filledNow),
    ...position(market, order),
  };
}

/** The reply to an amend: the record with status 123, or how the order ended at once. */
export function amendRecord(venue: Venue, order: OrderView): object {
  return { ...orderRecord(venue, order), status: amendedStatus(order) };
}

export function lookupRecord(venue: Venue, order: OrderView): object {
  const market = venue.markets[order.market];
  return {
    ...legacyLookupFields(venue, order),
    ...nameAndSize(market, order),
    reduceOnly: order.reduceOnly,
    contractSize: Number(market.spec.contractSize),
    takeProfitOrder: attachedRecord(venue, order, 'takeProfit'),
    stopLossOrder: attachedRecord(venue, order, 'stopLoss'),
    closeOrder: order.algo === 'bracket',
  };
}

export function openOrderRecord(venue: Venue, order: OrderView): object {
  return {
    ...lookupRecord(venue, order),
    ...legacyOpenFields(order),
    ...position(venue.markets[order.market], order),
  };
}
