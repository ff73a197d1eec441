/**
 * Spot v4: place (plain and algo), list, look up and cancel. Replies are bare arrays or objects, errors envelope B.
 * Everything needs the trading permission.
 */
import { cancelNamed, type IdNames, notFound, ownOrder } from '../requests-common.ts';
import type { Call, Route, Surface } from '../surface.ts';
import { findMarket, reader, submit } from '../values.ts';
import { algoPlacement, type Placement, plainPlacement } from './placements.ts';
import { cancelRecords, lookupRecord, openOrderRecord, placementRecords } from './records.ts';
import * as schemas from './schemas.ts';

const IDS: IdNames = { id: 'orderId', clientId: 'clOrderId' };

const readLookup = reader(schemas.LOOKUP_QUERY);
const readList = reader(schemas.LIST_QUERY);
const readCancel = reader(schemas.CANCEL_QUERY);

async function place(call: Call, { command, names }: Placement): Promise<object[]> {
  const reply = await submit(call, command, names);
  return placementRecords(call.engine.venue, reply);
}

/** A live order is 200; no order, another account's, or an ended one is 404, telling what became of an own ended one. */
function lookup(call: Call): object {
  const query = readLookup(call.query);
  const named = { id: query.orderId, clientId: query.clOrderId };
  const order = ownOrder(call, 'spot', named, IDS, 404);
  if (!order.live) throw notFound(named, 404, order);
  return lookupRecord(call.venue, order);
}

function list(call: Call): object[] {
  const { symbol } = readList(call.query);
  const market = symbol === undefined ? null : findMarket(call.venue, 'spot', symbol).index;
  return call.venue.openOrders(call.account, 'spot', market).map((order) => openOrderRecord(call.venue, order));
}

/** By orderId, or every live order of a clOrderId; both legs of an OCO come back, limit leg first. */
async function cancel(call: Call): Promise<object[]> {
  const query = readCancel(call.query);
  const market = findMarket(call.venue, 'spot', query.symbol);
  const named = { id: query.orderId, clientId: query.clOrderId };
  const reply = await cancelNamed(call, 'spot', market.index, named, IDS);
  return cancelRecords(call.engine.venue, reply);
}

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/trade/orders',
    permission: 'trading',
    summary: 'Place a LIMIT or MARKET order',
    body: schemas.PLACE_BODY,
    handle: (call) => place(call, plainPlacement(call)),
  },
  {
    method: 'GET',
    path: '/trade/orders',
    permission: 'trading',
    summary: 'List the open orders, of one pair or all',
    query: schemas.LIST_QUERY,
    handle: list,
  },
  {
    method: 'DELETE',
    path: '/trade/orders',
    permission: 'trading',
    summary: 'Cancel by orderId or clOrderId',
    query: schemas.CANCEL_QUERY,
    handle: cancel,
  },
  {
    method: 'POST',
    path: '/trade/orders/algo',
    permission: 'trading',
    summary: 'Place a TWAP, PEG, OCO, TRAILING or CONDITIONAL order',
    body: schemas.ALGO_BODY,
    handle: (call) => place(call, algoPlacement(call)),
  },
  {
    method: 'GET',
    path: '/trade/order',
    permission: 'trading',
    summary: 'Look up one live order by orderId or clOrderId',
    query: schemas.LOOKUP_QUERY,
    handle: lookup,
  },
];

export const spotV4: Surface = {
  name: 'spot-v4',
  envelope: 'B',
  basePath: '/spot/api/v4',
  unsignedPrefix: '/spot',
  routes,
};
