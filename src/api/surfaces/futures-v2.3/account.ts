/**
 * The account routes of futures v2.3: open orders, trades, positions and closes, leverage, position mode, fees, margins
 * and wallets. Replies are bare rows, errors have envelope A.
 */

import * as futures from '../../orders/futures-replies.ts';
import { OLDER_GET, OLDER_NAMES, OPEN_ORDERS_QUERY, openOlder } from '../../orders/legacy-requests.ts';
import { feeRecords } from '../../orders/order-records.ts';
import { NOTHING } from '../../orders/reply-fields.ts';
import {
  attaching,
  CROSS_WALLET,
  closingOrder,
  directionOf,
  isolatedWalletName,
  positionRows,
} from '../../positions/position-records.ts';
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
import { olderTradeRow, tradesOf } from '../../trades/trade-history.ts';
import { attached } from './placements.ts';
import { openOrderRecord, orderRecord } from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';
import { crossWallet, isolatedWallet } from './wallet.ts';

const ANY_CASE = { anyCase: true };
const readMarket = reader(schemas.MARKET_QUERY, OLDER_GET);
const readMarkets = reader(schemas.MARKETS_QUERY, OLDER_GET);
const readClose = reader(schemas.CLOSE_POSITION_BODY, ANY_CASE);
const readLeverage = reader(schemas.LEVERAGE_BODY, ANY_CASE);
const readPositionMode = reader(schemas.POSITION_MODE_BODY, ANY_CASE);
const readRiskLimit = reader(schemas.RISK_LIMIT_BODY, ANY_CASE);
const readSettleIn = reader(schemas.SETTLE_IN_BODY);
const readBind = reader(schemas.BIND_BODY, ANY_CASE);
const readTrades = reader(schemas.TRADE_HISTORY_QUERY, OLDER_GET);
const readWallet = reader(schemas.WALLET_QUERY, OLDER_GET);

function marketOf(call: Call, symbol: string) {
  return findMarket(call.venue, 'futures', symbol, true);
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
  return openOlder(call, 'futures').map((order) => openOrderRecord(call.venue, order));
}

async function tradeHistory(call: Call): Promise<object[]> {
  const { symbol, ...request } = readTrades(call.query);
  const market = symbol === undefined ? null : marketOf(call, symbol);
  return (await tradesOf(call, 'futures', market, request)).map(olderTradeRow);
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
  if (type === 'MARKET' && price !== undefined) {
    throw malformed('price', 'is given with type MARKET', 'leave price out');
  }
  if (type === 'MARKET' && postOnly) {
    throw malformed('postOnly', 'is given with type MARKET', 'leave postOnly out');
  }
  const limit = price === undefined ? null : priceTicks(market, 'price', price);
  const reply = await submit(call, closingOrder(call, market, { positionId, price: limit, postOnly }), OLDER_NAMES);
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

/** Attaches to an open position. The stop-loss comes first in the reply. */
async function bindTpsl(call: Call): Promise<object[]> {
  const request = readBind(call.body);
  const market = marketOf(call, request.symbol);
  const fields = ['takeProfitPrice', 'stopLossPrice'] as const;
  const reply = await submit(call, attaching(call, market, request, attached(market, request), fields), OLDER_NAMES);
  return reply.orders.toReversed().map((order) => orderRecord(call.engine.venue, order));
}

function wallet(call: Call): object[] {
  const { wallet: name = CROSS_WALLET } = readWallet(call.query);
  const { venue, account } = call;
  const open = venue.positions(account);
  if (name === CROSS_WALLET) return [crossWallet(venue, venue.balances(account), open)];
  const market = venue.markets.find((each) => each.product === 'futures' && isolatedWalletName(each) === name);
  if (market === undefined) {
    throw malformed('wallet', `is ${JSON.stringify(name)}`, `give ${CROSS_WALLET} or such as ISOLATED@BTC-PERP-USDT`);
  }
  const isolated = open.filter((position) => position.market === market && position.mode === 'ISOLATED');
  return [isolatedWallet(venue, market, isolated)];
}

export const ACCOUNT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/user/open_orders',
    permission: 'read',
    summary: 'List the open orders, of one market or all; by orderID or clOrderID',
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
    summary: 'Close a position by a MARKET or LIMIT order',
    body: schemas.CLOSE_POSITION_BODY,
    reply: replies.ORDERS,
    handle: closePosition,
  },
  {
    method: 'POST',
    path: '/order/bind/tpsl',
    permission: 'trading',
    summary: 'Attach take-profit and stop-loss to an open position',
    body: schemas.BIND_BODY,
    reply: replies.ORDERS,
    handle: bindTpsl,
  },
  {
    method: 'GET',
    path: '/risk_limit',
    permission: 'read',
    summary: 'The risk tier in use',
    query: schemas.MARKET_QUERY,
    reply: futures.RISK_LIMIT,
    handle: (call) => riskLimitRow(call, oneMarket(call)),
  },
  {
    method: 'POST',
    path: '/risk_limit',
    permission: 'trading',
    summary: 'Choose the lowest risk tier used for margin in a market',
    body: schemas.RISK_LIMIT_BODY,
    reply: futures.SETTING_CHANGED,
    handle: setRiskLimit,
  },
  {
    method: 'POST',
    path: '/settle_in',
    permission: 'trading',
    summary: 'Choose the settlement currency of a market, which has only one',
    body: schemas.SETTLE_IN_BODY,
    reply: NOTHING,
    handle: setSettlement,
  },
  {
    method: 'GET',
    path: '/leverage',
    permission: 'read',
    summary: 'The leverage in force',
    query: schemas.MARKET_QUERY,
    reply: futures.LEVERAGES,
    handle: (call) => leverageRows(call, oneMarket(call)),
  },
  {
    method: 'POST',
    path: '/leverage',
    permission: 'trading',
    summary: 'Change the cross or isolated leverage of a market, or that of one position',
    body: schemas.LEVERAGE_BODY,
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
    summary: 'Initial and maintenance margin of the risk tier in use',
    query: schemas.MARKETS_QUERY,
    reply: futures.MARGIN_SETTINGS,
    handle: (call) => marginSettingRows(call, anyMarket(call)),
  },
  {
    method: 'GET',
    path: '/user/wallet',
    permission: 'read',
    summary: 'The cross wallet, or that of the isolated positions of a market',
    query: schemas.WALLET_QUERY,
    reply: replies.WALLETS,
    handle: wallet,
  },
];
