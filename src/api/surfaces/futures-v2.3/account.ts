/**
 * The account routes of futures v2.3: open orders, trades, positions and closes, leverage, position mode, fees and
 * margins. Wallets are in wallet-routes.ts. Replies are bare rows. Errors have envelope A (shared/errors.ts).
 *
 * In a handler, `call.venue` is the venue at the start of the call. After an `await` it may have been replaced, so
 * records of a reply are made with `call.engine.venue`.
 */

import * as futures from '../../orders/futures-replies.ts';
import { LEGACY_GET, LEGACY_NAMES, OPEN_ORDERS_QUERY, openLegacyOrders } from '../../orders/legacy-requests.ts';
import { feeRecords } from '../../orders/order-records.ts';
import { refuse } from '../../orders/order-requests.ts';
import { NOTHING } from '../../orders/reply-fields.ts';
import { attachCommand, closeCommand, directionOf, positionRows } from '../../positions/position-records.ts';
import {
  changeLeverage,
  changePositionMode,
  changeRiskLimit,
  leverageRows,
  marginSettingRows,
  positionModeRows,
  riskLimitRow,
  settleIn,
} from '../../positions/position-settings.ts';
import { malformed } from '../../shared/errors.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import { submit } from '../../shared/submit.ts';
import type { Call, Route } from '../../shared/surface.ts';
import { priceTicks } from '../../shared/tick-conversion.ts';
import { legacyTradeRow, tradesOf } from '../../trades/trade-history.ts';
import * as examples from './examples.ts';
import { attached } from './placements.ts';
import { openOrderRecord, orderRecord } from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';

const ANY_CASE = { anyCase: true };
const readMarket = reader(schemas.MARKET_QUERY, LEGACY_GET);
const readMarkets = reader(schemas.MARKETS_QUERY, LEGACY_GET);
const readClose = reader(schemas.CLOSE_POSITION_BODY, ANY_CASE);
const readLeverage = reader(schemas.LEVERAGE_BODY, ANY_CASE);
const readPositionMode = reader(schemas.POSITION_MODE_BODY, ANY_CASE);
const readRiskLimit = reader(schemas.RISK_LIMIT_BODY, ANY_CASE);
const readSettleIn = reader(schemas.SETTLE_IN_BODY);
const readBind = reader(schemas.BIND_BODY, ANY_CASE);
const readTrades = reader(schemas.TRADE_HISTORY_QUERY, LEGACY_GET);

function marketOf(call: Call, symbol: string) {
  return findMarket(call.venue, 'futures', symbol, { legacyNames: true });
}

/** The market of a query, which must name one. */
function oneMarket(call: Call) {
  return marketOf(call, readMarket(call.query).symbol);
}

/** The market of a query. Null: all. */
function anyMarket(call: Call) {
  const { symbol } = readMarkets(call.query);
  return symbol === undefined ? null : marketOf(call, symbol);
}

function openOrders(call: Call): object[] {
  return openLegacyOrders(call, 'futures').map((order) => openOrderRecord(call.venue, order));
}

async function tradeHistory(call: Call): Promise<object[]> {
  const { symbol, ...request } = readTrades(call.query);
  const market = symbol === undefined ? null : marketOf(call, symbol);
  return (await tradesOf(call, 'futures', market, request)).map(legacyTradeRow);
}

function positions(call: Call): object[] {
  return positionRows(call, anyMarket(call)).map(({ row, view }) =>
    view.mode === 'ONE_WAY' ? row : { ...row, positionDirection: directionOf(view) },
  );
}

async function closePosition(call: Call): Promise<object[]> {
  const { symbol, type, price, postOnly = false, positionId } = readClose(call.body);
  const market = marketOf(call, symbol);
  if (type === 'LIMIT' && price === undefined) {
    throw malformed('price', 'is missing', 'type LIMIT requires price, a number above 0');
  }
  refuse('price', type === 'MARKET' && price !== undefined, 'type MARKET');
  refuse('postOnly', type === 'MARKET' && postOnly, 'type MARKET');
  const limit = price === undefined ? null : priceTicks(market, 'price', price);
  const reply = await submit(call, closeCommand(call, market, { positionId, price: limit, postOnly }), LEGACY_NAMES);
  return reply.orders.map((order) => orderRecord(call.engine.venue, order));
}

function fees(call: Call): object[] {
  return feeRecords(call.venue, call.account, 'futures', anyMarket(call));
}

function setLeverage(call: Call): Promise<object> {
  const { symbol, leverage, ...change } = readLeverage(call.body);
  return changeLeverage(call, marketOf(call, symbol), { ...change, leverage: Number(leverage.coefficient) });
}

function setPositionMode(call: Call): Promise<object> {
  const { symbol, positionMode } = readPositionMode(call.body);
  return changePositionMode(call, marketOf(call, symbol), positionMode);
}

function setRiskLimit(call: Call): Promise<object> {
  const { symbol, ...change } = readRiskLimit(call.body);
  return changeRiskLimit(call, marketOf(call, symbol), change);
}

function setSettlement(call: Call): object {
  const { symbol, ...settlement } = readSettleIn(call.body);
  return settleIn(call, marketOf(call, symbol), settlement);
}

/** Attaches to an open position. BTSE's reply has the stop-loss first, the venue's has the take-profit first. */
async function bindTpsl(call: Call): Promise<object[]> {
  const request = readBind(call.body);
  const market = marketOf(call, request.symbol);
  const fields = ['takeProfitPrice', 'stopLossPrice'] as const;
  const reply = await submit(
    call,
    attachCommand(call, market, request, attached(market, request), fields),
    LEGACY_NAMES,
  );
  return reply.orders.toReversed().map((order) => orderRecord(call.engine.venue, order));
}

export const ACCOUNT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/user/open_orders',
    permission: 'read',
    summary: 'List open orders: of all markets, of one market, or with a given orderID or clOrderID',
    query: OPEN_ORDERS_QUERY,
    reply: replies.OPEN_ORDERS,
    handle: openOrders,
  },
  {
    method: 'GET',
    path: '/user/trade_history',
    permission: 'read',
    summary: "The account's own trades, newest first",
    query: schemas.TRADE_HISTORY_QUERY,
    reply: replies.TRADES,
    handle: tradeHistory,
  },
  {
    method: 'GET',
    path: '/user/positions',
    permission: 'read',
    summary: 'List the open positions',
    query: schemas.MARKETS_QUERY,
    reply: replies.POSITIONS,
    handle: positions,
  },
  {
    method: 'POST',
    path: '/order/close_position',
    permission: 'trading',
    isExit: true,
    summary: 'Close a position with a MARKET or LIMIT order',
    body: schemas.CLOSE_POSITION_BODY,
    examples: examples.CLOSE,
    reply: replies.ORDERS,
    handle: closePosition,
  },
  {
    method: 'POST',
    path: '/order/bind/tpsl',
    permission: 'trading',
    summary: 'Attach take-profit and stop-loss to an open position',
    body: schemas.BIND_BODY,
    examples: examples.BIND,
    reply: replies.ORDERS,
    handle: bindTpsl,
  },
  {
    method: 'GET',
    path: '/risk_limit',
    permission: 'read',
    summary: 'The current risk tier',
    query: schemas.MARKET_QUERY,
    reply: futures.RISK_LIMIT,
    handle: (call) => riskLimitRow(call, oneMarket(call)),
  },
  {
    method: 'POST',
    path: '/risk_limit',
    permission: 'trading',
    summary: 'Set the lowest risk tier that margin in a market is calculated with',
    body: schemas.RISK_LIMIT_BODY,
    examples: examples.RISK_LIMIT,
    reply: futures.SETTING_CHANGED,
    handle: setRiskLimit,
  },
  {
    method: 'POST',
    path: '/settle_in',
    permission: 'trading',
    summary: 'Set the settlement currency of a market. Each market has one, and no other is accepted',
    body: schemas.SETTLE_IN_BODY,
    examples: examples.SETTLE_IN,
    reply: NOTHING,
    handle: setSettlement,
  },
  {
    method: 'GET',
    path: '/leverage',
    permission: 'read',
    summary: 'The current leverage',
    query: schemas.MARKET_QUERY,
    reply: futures.LEVERAGES,
    handle: (call) => leverageRows(call, oneMarket(call)),
  },
  {
    method: 'POST',
    path: '/leverage',
    permission: 'trading',
    summary: 'Change the cross or isolated leverage of a market, or the leverage of one position',
    body: schemas.LEVERAGE_BODY,
    examples: examples.LEVERAGE,
    reply: futures.SETTING_CHANGED,
    handle: setLeverage,
  },
  {
    method: 'GET',
    path: '/position_mode',
    permission: 'read',
    summary: 'The position mode of one market or all',
    query: schemas.MARKETS_QUERY,
    reply: futures.POSITION_MODES,
    handle: (call) => positionModeRows(call, anyMarket(call)),
  },
  {
    method: 'POST',
    path: '/position_mode',
    permission: 'trading',
    summary: 'Change the position mode of a market',
    body: schemas.POSITION_MODE_BODY,
    examples: examples.POSITION_MODE,
    reply: futures.SETTING_CHANGED,
    handle: setPositionMode,
  },
  {
    method: 'GET',
    path: '/user/fees',
    permission: 'read',
    summary: "The account's maker and taker fees",
    query: schemas.MARKETS_QUERY,
    reply: replies.FEES,
    handle: fees,
  },
  {
    method: 'GET',
    path: '/user/margin_setting',
    permission: 'read',
    summary: 'Initial and maintenance margin of the current risk tier',
    query: schemas.MARKETS_QUERY,
    reply: futures.MARGIN_SETTINGS,
    handle: (call) => marginSettingRows(call, anyMarket(call)),
  },
];
