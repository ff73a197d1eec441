/**
 * The records of spot v3.3: placements, amends and cancels, the look-up of live and ended orders, and the row of open
 * orders. Sizes are in base or in quote, as on spot v4. A client id that was not given is null.
 */
import type { OrderView } from '../../../venue/contract/order-view.ts';
import type { Reply, Venue } from '../../../venue/venue.ts';
import { algoDetail } from '../../algos/detail.ts';
import { legacyActionFields, legacyLookupFields, legacyOpenFields } from '../../orders/legacy-records.ts';
import { amendedStatus, spotTypeCode } from '../../orders/order-records.ts';
import { spotSizes } from '../../orders/spot-records.ts';

/** What an order is called and how large it is, in every record. */
function nameAndSize(venue: Venue, order: OrderView) {
  const market = venue.markets[order.market];
  return {
    clOrderID: order.clientId,
    orderType: spotTypeCode(order),
    ...spotSizes(venue, market, order),
    totalFilledBaseSize: market.sizeNumber(order.filled),
  };
}

export function orderRecord(venue: Venue, order: OrderView): object {
  const market = venue.markets[order.market];
  const limit = order.trigger?.limit ?? null;
  return {
    ...legacyActionFields(venue, order),
    ...nameAndSize(venue, order),
    stopPrice: limit === null ? null : market.priceNumber(limit),
    filledBaseSize: market.sizeNumber(order.lastFill),
  };
}

export function orderRecords(venue: Venue, reply: Reply): object[] {
  return reply.orders.map((order) => orderRecord(venue, order));
}

/** The reply to an amend: the record with status 123, or the end of the order if it ended at once. */
export function amendRecords(venue: Venue, reply: Reply): object[] {
  return reply.orders.map((order) => ({ ...orderRecord(venue, order), status: amendedStatus(order) }));
}

export function lookupRecord(venue: Venue, order: OrderView): object {
  const { quote } = venue.markets[order.market].spec;
  return { ...legacyLookupFields(venue, order), ...nameAndSize(venue, order), quote };
}

export function openOrderRecord(venue: Venue, order: OrderView): object {
  return {
    ...lookupRecord(venue, order),
    ...legacyOpenFields(order),
    requestId: order.seq,
    orderDetail: algoDetail(venue, order),
  };
}
