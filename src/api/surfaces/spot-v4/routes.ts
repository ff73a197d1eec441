/**
 * Spot v4: place (plain and algo), list, look up, amend and cancel, the dead man's switch, own trades, fees. Replies
 * are bare arrays or objects, except for the trades, which BTSE wraps. Errors have envelope B. Everything except trades
 * and fees needs the trading permission.
 */

import { ALGO_BODY, ALGO_TYPES, algoPlacement } from '../../algos/registry.ts';
import { feeRecords } from '../../orders/order-records.ts';
import {
  amendNamed,
  CANCEL_ALL_AFTER_BODY,
  cancelAllAfter,
  cancelNamed,
  changesOf,
  givesNothing,
  type IdNames,
  notFound,
  openOrders,
  ownOrder,
  type Placement,
} from '../../orders/order-requests.ts';
import { NOTHING } from '../../orders/reply-fields.ts';
import { NAMES } from '../../orders/spot-v4-requests.ts';
import { malformed } from '../../shared/errors.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import { submit } from '../../shared/submit.ts';
import { type Call, enveloped, type Route, type Surface } from '../../shared/surface.ts';
import { newerTradeRow, tradesOf } from '../../trades/trade-history.ts';
import * as examples from './examples.ts';
import { plainPlacement } from './placements.ts';
import { amendRecords, cancelRecords, lookupRecord, openOrderRecord, placementRecords } from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';

const IDS: IdNames = { id: 'orderId', clientId: 'clOrderId' };

const readLookup = reader(schemas.LOOKUP_QUERY);
const readList = reader(schemas.LIST_QUERY);
const readFees = reader(schemas.FEES_QUERY);
const readCancel = reader(schemas.CANCEL_QUERY);
const readCancelAll = reader(schemas.CANCEL_ALL_QUERY);
const readCancelAllAfter = reader(CANCEL_ALL_AFTER_BODY);
const readTradeHistory = reader(schemas.TRADE_HISTORY_QUERY, { query: true });
const readAmend = reader(schemas.AMEND_BODY, { only: 'an amend' });

function place(call: Call, { command, names }: Placement): Promise<object[]> {
  return submit(call, command, names).then((reply) => placementRecords(call.engine.venue, reply));
}

/**
 * 200 for a live order. 404 for an unknown order, another account's, or an ended one. Its own ended order is described.
 */
function lookup(call: Call): object {
  const query = readLookup(call.query);
  const named = { id: query.orderId, clientId: query.clOrderId };
  const order = ownOrder(call, 'spot', named, IDS, 404);
  if (!order.live) throw notFound(named, 404, order);
  return lookupRecord(call.venue, order);
}

/** Of one pair or all. An id or a client id selects the orders that have it. */
function list(call: Call): object[] {
  const { symbol, orderId, clOrderId } = readList(call.query);
  if (clOrderId === null) throw malformed('clOrderId', 'is empty', 'give text, or omit it to list all orders');
  const market = symbol === undefined ? null : findMarket(call.venue, 'spot', symbol).index;
  return openOrders(call, 'spot', market, { id: orderId, clientId: clOrderId }).map((order) =>
    openOrderRecord(call.venue, order),
  );
}

/** By orderId, or every live order of a clOrderId. Returns both legs of an OCO, the limit leg first. */
async function cancel(call: Call): Promise<object[]> {
  const query = readCancel(call.query);
  const market = findMarket(call.venue, 'spot', query.symbol);
  const named = { id: query.orderId, clientId: query.clOrderId };
  const reply = await cancelNamed(call, 'spot', market.index, named, IDS);
  return cancelRecords(call.engine.venue, reply);
}

/** orderSize is the new unfilled size, or the new total with totalAmountMode. */
async function amend(call: Call): Promise<object[]> {
  const request = readAmend(call.body);
  const given = { price: request.orderPrice, size: request.orderSize, trigger: request.triggerPrice };
  if (givesNothing(given)) {
    throw malformed('orderPrice', 'is missing', 'give orderPrice, orderSize or triggerPrice');
  }
  const market = findMarket(call.venue, 'spot', request.symbol);
  const changes = changesOf(market, given, NAMES);
  const named = { id: request.orderId, clientId: request.clOrderId };
  const totalSize = request.totalAmountMode ?? false;
  const reply = await amendNamed(call, { market, named, changes, totalSize, fields: NAMES }, IDS);
  return amendRecords(call.engine.venue, reply);
}

/** Of one pair, or of all with the literal ALL. A missing symbol must not cancel everything. */
async function cancelAll(call: Call): Promise<object[]> {
  const { symbol } = readCancelAll(call.query);
  const market = symbol === 'ALL' ? null : findMarket(call.venue, 'spot', symbol).index;
  const reply = await submit(call, { v: 1, type: 'cancelAll', account: call.account, product: 'spot', market });
  return cancelRecords(call.engine.venue, reply);
}

async function tradeHistory(call: Call): Promise<object> {
  const request = readTradeHistory(call.query);
  const market = findMarket(call.venue, 'spot', request.symbol);
  const trades = await tradesOf(call, 'spot', market, request);
  return enveloped(call, trades.map(newerTradeRow));
}

function fees(call: Call): object[] {
  const { symbol } = readFees(call.query);
  const market = symbol === undefined ? null : findMarket(call.venue, 'spot', symbol);
  return feeRecords(call.venue, call.account, 'spot', market);
}

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/trade/orders',
    permission: 'trading',
    summary: 'Place a LIMIT or MARKET order',
    body: schemas.PLACE_BODY,
    examples: examples.PLACE,
    reply: replies.ORDERS,
    handle: (call) => place(call, plainPlacement(call)),
  },
  {
    method: 'GET',
    path: '/trade/orders',
    permission: 'trading',
    summary: 'List open orders: of all pairs, of one pair, or with a given orderId or clOrderId',
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
    query: schemas.CANCEL_QUERY,
    reply: replies.ORDERS,
    handle: cancel,
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
    method: 'DELETE',
    path: '/trade/orders/all',
    permission: 'trading',
    isExit: true,
    summary: 'Cancel all orders of one pair, or of every pair',
    query: schemas.CANCEL_ALL_QUERY,
    reply: replies.ORDERS,
    handle: cancelAll,
  },
  {
    method: 'POST',
    path: '/trade/orders/cancel_all_after',
    permission: 'trading',
    isExit: true,
    summary: "Dead man's switch: cancel all spot orders after a time, unless renewed",
    body: CANCEL_ALL_AFTER_BODY,
    examples: examples.CANCEL_ALL_AFTER,
    reply: NOTHING,
    handle: (call) => cancelAllAfter(call, 'spot', readCancelAllAfter(call.body).timeout),
  },
  {
    method: 'POST',
    path: '/trade/orders/algo',
    permission: 'trading',
    summary: `Place a ${ALGO_TYPES.slice(0, -1).join(', ')} or ${ALGO_TYPES.at(-1)} order`,
    body: ALGO_BODY,
    examples: examples.ALGO,
    reply: replies.ORDERS,
    handle: (call) => place(call, algoPlacement(call)),
  },
  {
    method: 'GET',
    path: '/trade/order',
    permission: 'trading',
    summary: 'Look up one live order by orderId or clOrderId',
    query: schemas.LOOKUP_QUERY,
    reply: replies.OPEN_ORDER,
    handle: lookup,
  },
  {
    method: 'GET',
    path: '/trade/trade_history',
    permission: 'read',
    summary: "The account's own trades in a pair, newest first",
    query: schemas.TRADE_HISTORY_QUERY,
    reply: replies.TRADES,
    handle: tradeHistory,
  },
  {
    method: 'GET',
    path: '/trade/fees',
    permission: 'read',
    summary: "The account's maker and taker fees, of one pair or all",
    query: schemas.FEES_QUERY,
    reply: replies.FEES,
    handle: fees,
  },
];

export const spotV4: Surface = {
  name: 'spot-v4',
  envelope: 'B',
  basePath: '/spot/api/v4',
  unsignedPrefix: '/spot',
  routes,
};
