/**
 * The order routes of futures v2.3: place, look up, amend, cancel, the dead man's switch. Account routes are in
 * account.ts. Errors have envelope A. Markets are named BTC-PERP, BTC-PERP-USDT or BTCPFC. The reply to a placement is
 * always an array. The stop leg of an OCO comes first.
 */

import type { Place } from '../../../venue/contract/commands.ts';
import { FUTURES_MARKET_DATA } from '../../market-data/routes.ts';
import { ownOrOldOrder } from '../../orders/archived-orders.ts';
import {
  AMEND_BODY,
  CANCEL_QUERY,
  cancelLegacyOrders,
  LEGACY_GET,
  LEGACY_IDS,
  LEGACY_NAMES,
  LOOKUP_QUERY,
  legacyAmendment,
} from '../../orders/legacy-requests.ts';
import { amendNamed, CANCEL_ALL_AFTER_BODY, cancelAllAfter, ownOrder } from '../../orders/order-requests.ts';
import { NOTHING } from '../../orders/reply-fields.ts';
import { reader } from '../../shared/fields.ts';
import { submit } from '../../shared/submit.ts';
import type { Call, Route, Surface } from '../../shared/surface.ts';
import { NOT_ON_FUTURES } from '../../wallets/not-offered.ts';
import { ACCOUNT_ROUTES } from './account.ts';
import * as examples from './examples.ts';
import { pegPlacement, placement } from './placements.ts';
import { amendRecord, lookupRecord, orderRecord } from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';
import { WALLET_ROUTES } from './wallet-routes.ts';

const readLookup = reader(LOOKUP_QUERY, LEGACY_GET);
const readCancelAllAfter = reader(CANCEL_ALL_AFTER_BODY);

async function place(call: Call, command: Place): Promise<object[]> {
  const reply = await submit(call, command, LEGACY_NAMES);
  const records = reply.orders.map((order) => orderRecord(call.engine.venue, order));
  return reply.orders[0].algo === 'oco' ? records.reverse() : records;
}

/** Finds live and ended orders as long as the venue keeps them, with includeOld all. */
function lookup(call: Call): object | Promise<object> {
  const { orderID: id, clOrderID: clientId, includeOld } = readLookup(call.query);
  if (includeOld !== true) return lookupRecord(call.venue, ownOrder(call, 'futures', { id, clientId }, LEGACY_IDS));
  return ownOrOldOrder(call, 'futures', { id, clientId }, LEGACY_IDS).then((order) =>
    lookupRecord(call.engine.venue, order),
  );
}

async function cancel(call: Call): Promise<object[]> {
  const reply = await cancelLegacyOrders(call, 'futures');
  return reply.orders.map((order) => orderRecord(call.engine.venue, order));
}

/** Sizes are new totals. The reply is one record, status 123. */
async function amend(call: Call): Promise<object[]> {
  const reply = await amendNamed(call, legacyAmendment(call, 'futures'), LEGACY_IDS);
  return reply.orders.map((order) => amendRecord(call.engine.venue, order));
}

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/order',
    permission: 'trading',
    summary: 'Place a MARKET, LIMIT or OCO order, a STOP, TRIGGER or trailing order, with attached TP and SL',
    body: schemas.CREATE_BODY,
    examples: examples.CREATE,
    reply: replies.ORDERS,
    handle: (call) => place(call, placement(call)),
  },
  {
    method: 'GET',
    path: '/order',
    permission: 'trading',
    summary: 'Look up one order, live or ended, by orderID or clOrderID; with includeOld one that ended long ago',
    query: LOOKUP_QUERY,
    reply: replies.LOOKED_UP,
    handle: lookup,
  },
  {
    method: 'DELETE',
    path: '/order',
    permission: 'trading',
    isExit: true,
    summary: 'Cancel by orderID or clOrderID, or all orders of a market',
    query: CANCEL_QUERY,
    reply: replies.ORDERS,
    handle: cancel,
  },
  {
    method: 'PUT',
    path: '/order',
    permission: 'trading',
    summary: 'Amend price, size or trigger price of a live order',
    body: AMEND_BODY,
    examples: examples.AMEND,
    reply: replies.ORDERS,
    handle: amend,
  },
  {
    method: 'POST',
    path: '/order/peg',
    permission: 'trading',
    summary: 'Place a PEG order, which follows the index',
    body: schemas.PEG_BODY,
    examples: examples.PEG,
    reply: replies.ORDERS,
    handle: (call) => place(call, pegPlacement(call)),
  },
  {
    method: 'POST',
    path: '/order/cancelAllAfter',
    permission: 'trading',
    isExit: true,
    summary: "Dead man's switch: cancel all futures orders after a time, unless renewed",
    body: CANCEL_ALL_AFTER_BODY,
    examples: examples.CANCEL_ALL_AFTER,
    reply: NOTHING,
    handle: (call) => cancelAllAfter(call, 'futures', readCancelAllAfter(call.body).timeout),
  },
  ...ACCOUNT_ROUTES,
  ...WALLET_ROUTES,
  ...FUTURES_MARKET_DATA,
];

export const futuresV23: Surface = {
  name: 'futures-v2.3',
  envelope: 'A',
  basePath: '/futures/api/v2.3',
  unsignedPrefix: '/futures',
  routes,
  notOffered: NOT_ON_FUTURES,
};
