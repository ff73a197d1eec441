/**
 * Spot v3.3: place, look up, amend and cancel orders, the dead man's switch, open orders, own trades, fees, balances, the clock.
 * Replies are bare arrays and objects, errors have envelope B. The limit leg of an OCO comes first.
 */

import { SPOT_MARKET_DATA } from '../../market-data/routes.ts';
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
  OPEN_ORDERS_QUERY,
  openLegacyOrders,
} from '../../orders/legacy-requests.ts';
import { feeRecords, moneyNumber } from '../../orders/order-records.ts';
import { amendNamed, CANCEL_ALL_AFTER_BODY, cancelAllAfter, ownOrder } from '../../orders/order-requests.ts';
import { NOTHING } from '../../orders/reply-fields.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import { submit } from '../../shared/submit.ts';
import type { Call, Route, Surface } from '../../shared/surface.ts';
import { legacyTradeRow, tradesOf } from '../../trades/trade-history.ts';
import { NOT_ON_SPOT } from '../../wallets/not-offered.ts';
import { spotHistoryRow, walletRecords } from '../../wallets/wallet-history.ts';
import { SPOT_HISTORY } from '../../wallets/wallet-replies.ts';
import * as examples from './examples.ts';
import { placement } from './placements.ts';
import { amendRecords, lookupRecord, openOrderRecord, orderRecords } from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';

const readLookup = reader(LOOKUP_QUERY, LEGACY_GET);
const readList = reader(schemas.LIST_QUERY, LEGACY_GET);
const readCancelAllAfter = reader(CANCEL_ALL_AFTER_BODY);
const readWalletHistory = reader(schemas.WALLET_HISTORY_QUERY, LEGACY_GET);
const readTradeHistory = reader(schemas.TRADE_HISTORY_QUERY, LEGACY_GET);

async function place(call: Call, defaultType: 'PEG' | null): Promise<object[]> {
  const reply = await submit(call, placement(call, defaultType), LEGACY_NAMES);
  return orderRecords(call.engine.venue, reply);
}

/** Finds live and ended orders as long as the venue keeps them, with includeOld all. */
function lookup(call: Call): object | Promise<object> {
  const { orderID: id, clOrderID: clientId, includeOld } = readLookup(call.query);
  if (includeOld !== true) return lookupRecord(call.venue, ownOrder(call, 'spot', { id, clientId }, LEGACY_IDS));
  return ownOrOldOrder(call, 'spot', { id, clientId }, LEGACY_IDS).then((order) =>
    lookupRecord(call.engine.venue, order),
  );
}

/** Sizes are new totals. */
async function amend(call: Call): Promise<object[]> {
  const reply = await amendNamed(call, legacyAmendment(call, 'spot'), LEGACY_IDS);
  return amendRecords(call.engine.venue, reply);
}

async function cancel(call: Call): Promise<object[]> {
  const reply = await cancelLegacyOrders(call, 'spot');
  return orderRecords(call.engine.venue, reply);
}

function anyMarket(call: Call) {
  const { symbol } = readList(call.query);
  return symbol === undefined ? null : findMarket(call.venue, 'spot', symbol);
}

function openOrders(call: Call): object[] {
  return openLegacyOrders(call, 'spot').map((order) => openOrderRecord(call.venue, order));
}

async function tradeHistory(call: Call): Promise<object[]> {
  const request = readTradeHistory(call.query);
  const trades = await tradesOf(call, 'spot', findMarket(call.venue, 'spot', request.symbol), request);
  return trades.map(legacyTradeRow);
}

/** Every currency of the venue, including zeros. */
function wallet({ venue, account }: Call): object[] {
  return venue.balances(account).map(({ currency: { code, decimals }, total, available }) => ({
    currency: code,
    total: moneyNumber(total, decimals),
    available: moneyNumber(available, decimals),
  }));
}

async function walletHistory(call: Call): Promise<object[]> {
  const request = readWalletHistory(call.query);
  return (await walletRecords(call, { ...request, wallets: ['SPOT'] })).map(spotHistoryRow);
}

function time({ engine }: Call): object {
  const nowMs = engine.nowMs();
  return { iso: new Date(nowMs).toISOString(), epoch: Math.floor(nowMs / 1000) };
}

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/order',
    permission: 'trading',
    summary: 'Place a LIMIT, MARKET, OCO or PEG order, a STOP, TRIGGER or trailing order',
    body: schemas.PLACE_BODY,
    examples: examples.PLACE,
    reply: replies.ORDERS,
    handle: (call) => place(call, null),
  },
  {
    method: 'POST',
    path: '/order/peg',
    permission: 'trading',
    summary: 'The same as /order, but the default type is PEG',
    body: schemas.PEG_ROUTE_BODY,
    examples: examples.PEG,
    reply: replies.ORDERS,
    handle: (call) => place(call, 'PEG'),
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
    method: 'DELETE',
    path: '/order',
    permission: 'trading',
    isExit: true,
    summary: 'Cancel by orderID or clOrderID, or all orders of a pair',
    query: CANCEL_QUERY,
    reply: replies.ORDERS,
    handle: cancel,
  },
  {
    method: 'POST',
    path: '/order/cancelAllAfter',
    permission: 'trading',
    isExit: true,
    summary: "Dead man's switch: cancel all spot orders after a time, unless renewed",
    body: CANCEL_ALL_AFTER_BODY,
    examples: examples.CANCEL_ALL_AFTER,
    reply: NOTHING,
    handle: (call) => cancelAllAfter(call, 'spot', readCancelAllAfter(call.body).timeout),
  },
  {
    method: 'GET',
    path: '/user/open_orders',
    permission: 'trading',
    summary: 'List open orders: of all pairs, of one pair, or with a given orderID or clOrderID',
    query: OPEN_ORDERS_QUERY,
    reply: replies.OPEN_ORDERS,
    handle: openOrders,
  },
  {
    method: 'GET',
    path: '/user/trade_history',
    permission: 'read',
    summary: "The account's own trades in a pair, newest first",
    query: schemas.TRADE_HISTORY_QUERY,
    reply: replies.TRADES,
    handle: tradeHistory,
  },
  {
    method: 'GET',
    path: '/user/fees',
    permission: 'read',
    summary: "The account's maker and taker fees, of one pair or all",
    query: schemas.LIST_QUERY,
    reply: replies.FEES,
    handle: (call) => feeRecords(call.venue, call.account, 'spot', anyMarket(call)),
  },
  {
    method: 'GET',
    path: '/user/wallet',
    permission: 'read',
    summary: 'Balances of the account',
    reply: replies.WALLET,
    handle: wallet,
  },
  {
    method: 'GET',
    path: '/user/wallet_history',
    permission: 'read',
    summary: 'Deposits, withdrawals and transfers, newest first',
    query: schemas.WALLET_HISTORY_QUERY,
    reply: SPOT_HISTORY,
    handle: walletHistory,
  },
  {
    method: 'GET',
    path: '/time',
    permission: null,
    summary: "The venue's clock, epoch in seconds",
    reply: replies.TIME,
    handle: time,
  },
  ...SPOT_MARKET_DATA,
];

export const spotV33: Surface = {
  name: 'spot-v3.3',
  envelope: 'B',
  basePath: '/spot/api/v3.3',
  unsignedPrefix: '/spot',
  routes,
  notOffered: NOT_ON_SPOT,
};
