/**
 * The order routes of futures v3: place (plain and algo), list and look up, amend, cancel, the dead man's switch.
 * Account routes are in account.ts. Errors have envelope A. A market is named BTC-PERP, and other forms are unknown.
 * DELETE takes a signed JSON body.
 */

import {
  amendNamed,
  cancelAllAfter,
  cancelNamed,
  type IdNames,
  notFound,
  ownOrder,
} from '../../orders/order-requests.ts';
import { NOTHING } from '../../orders/reply-fields.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import { submit } from '../../shared/submit.ts';
import type { Call, Route, Surface } from '../../shared/surface.ts';
import { ACCOUNT_ROUTES } from './account.ts';
import { amendment } from './amendments.ts';
import * as examples from './examples.ts';
import { algoPlacement, plainPlacement } from './placements.ts';
import { algoRecord, amendRecord, cancelRecord, listRecord, placementRecord } from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';

const IDS: IdNames = { id: 'orderId', clientId: 'clOrderId' };

const readList = reader(schemas.LIST_QUERY, { query: true });
const readCancel = reader(schemas.CANCEL_BODY);
const readCancelAllAfter = reader(schemas.CANCEL_ALL_AFTER_BODY);

async function place(call: Call): Promise<object> {
  const { command, names } = plainPlacement(call);
  const reply = await submit(call, command, names);
  return placementRecord(call.engine.venue, reply);
}

/** Returns an array. The take-profit leg of an OCO comes first. */
async function placeAlgo(call: Call): Promise<object[]> {
  const { command, names } = algoPlacement(call);
  const reply = await submit(call, command, names);
  return reply.orders.map((order) => algoRecord(call.engine.venue, order));
}

/** The open orders, of one market or all. With an id: that order, or not found. */
function list(call: Call): object[] {
  const query = readList(call.query);
  const { venue, account } = call;
  const market = query.symbol === undefined ? null : findMarket(venue, 'futures', query.symbol).index;
  const named = { id: query.orderId, clientId: query.clOrderId };
  if (named.id === undefined && named.clientId === undefined) {
    return venue.openOrders(account, 'futures', market).map((order) => listRecord(venue, order));
  }
  const order = ownOrder(call, 'futures', named, IDS);
  if (market !== null && order.market !== market) throw notFound(named);
  if (!order.live && query.includeCancelled !== true) throw notFound(named, undefined, order);
  return [listRecord(venue, order)];
}

/** Cancels by orderId, or every live order of a clOrderId. */
async function cancel(call: Call): Promise<object[]> {
  const request = readCancel(call.body);
  const market = findMarket(call.venue, 'futures', request.symbol).index;
  const named = { id: request.orderId, clientId: request.clOrderId };
  const reply = await cancelNamed(call, 'futures', market, named, IDS);
  return reply.orders.map((order) => cancelRecord(call.engine.venue, order));
}

/** Sizes are new totals. The reply is one row, status 123. */
async function amend(call: Call): Promise<object[]> {
  const reply = await amendNamed(call, amendment(call), IDS);
  return reply.orders.map((order) => amendRecord(call.engine.venue, order));
}

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/trade/orders',
    permission: 'trading',
    summary: 'Place a LIMIT or MARKET order, with attached TP and SL',
    body: schemas.PLACE_BODY,
    examples: examples.PLACE,
    reply: replies.PLACEMENT,
    handle: place,
  },
  {
    method: 'GET',
    path: '/trade/orders',
    permission: 'trading',
    summary: 'List the open orders, or look up one by orderId or clOrderId',
    query: schemas.LIST_QUERY,
    reply: replies.OPEN_ORDERS,
    handle: list,
  },
  {
    method: 'DELETE',
    path: '/trade/orders',
    permission: 'trading',
    isExit: true,
    summary: 'Cancel by orderId or clOrderId',
    body: schemas.CANCEL_BODY,
    examples: examples.CANCEL,
    reply: replies.ORDERS,
    handle: cancel,
  },
  {
    method: 'POST',
    path: '/trade/orders/algo',
    permission: 'trading',
    summary: 'Place a CONDITIONAL, OCO or TRAILING order',
    body: schemas.ALGO_BODY,
    examples: examples.ALGO,
    reply: replies.ORDERS,
    handle: placeAlgo,
  },
  {
    method: 'PUT',
    path: '/trade/orders',
    permission: 'trading',
    summary: 'Amend price, size or trigger price of a live order',
    body: schemas.AMEND_BODY,
    examples: examples.AMEND,
    reply: replies.ORDERS,
    handle: amend,
  },
  {
    method: 'POST',
    path: '/trade/orders/cancel_all_after',
    permission: 'trading',
    isExit: true,
    summary: "Dead man's switch: cancel all futures orders after a time, unless renewed",
    body: schemas.CANCEL_ALL_AFTER_BODY,
    examples: examples.CANCEL_ALL_AFTER,
    reply: NOTHING,
    handle: (call) => cancelAllAfter(call, 'futures', readCancelAllAfter(call.body).timeoutMs),
  },
  ...ACCOUNT_ROUTES,
];

export const futuresV3: Surface = {
  name: 'futures-v3',
  envelope: 'A',
  basePath: '/futures/api/v3',
  unsignedPrefix: '/futures',
  routes,
};
