/** The account routes of futures v3: trades, positions, closes, attached orders, settings. */

import * as futures from '../../orders/futures-replies.ts';
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
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import { submit } from '../../shared/submit.ts';
import type { Call, Route } from '../../shared/surface.ts';
import { priceTicks } from '../../shared/tick-conversion.ts';
import { newerTradeRow, tradesOf } from '../../trades/trade-history.ts';
import * as examples from './examples.ts';
import { attached, NAMES } from './placements.ts';
import { algoRecord, cancelRecord } from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';

const readMarket = reader(schemas.MARKET_QUERY);
const readMarkets = reader(schemas.MARKETS_QUERY);
const readCloseType = reader(schemas.PLAIN_KIND);
const readCloseLimit = reader(schemas.CLOSE_LIMIT, { only: 'orderType LIMIT' });
const readCloseMarket = reader(schemas.CLOSE_MARKET, { only: 'orderType MARKET' });
const readLeverage = reader(schemas.LEVERAGE_BODY, { only: 'a leverage' });
const readTrades = reader(schemas.TRADE_HISTORY_QUERY, { query: true });
const readRiskLimit = reader(schemas.RISK_LIMIT_BODY, { only: 'a risk limit' });
const readSettleIn = reader(schemas.SETTLE_IN_BODY, { only: 'a settlement currency' });
const readTpsl = reader(schemas.TPSL_BODY, { only: 'take-profit and stop-loss of a position' });
const readPositionMode = reader(schemas.POSITION_MODE_BODY, { only: 'a position mode' });

function oneMarket(call: Call) {
  return findMarket(call.venue, 'futures', readMarket(call.query).symbol);
}

/** Null: all markets. */
function anyMarket(call: Call) {
  const { symbol } = readMarkets(call.query);
  return symbol === undefined ? null : findMarket(call.venue, 'futures', symbol);
}

/** A bare array. */
async function tradeHistory(call: Call): Promise<object[]> {
  const { symbol, ...request } = readTrades(call.query);
  const market = symbol === undefined ? null : findMarket(call.venue, 'futures', symbol);
  return (await tradesOf(call, 'futures', market, request)).map(newerTradeRow);
}

function positions(call: Call): object[] {
  return positionRows(call, anyMarket(call)).map(({ row, view }) => ({
    ...row,
    positionDirection: view.mode === 'ONE_WAY' ? null : directionOf(view),
  }));
}

function closeRequest(call: Call) {
  const { body } = call;
  if (readCloseType(body).orderType === 'LIMIT') {
    const { symbol, orderPrice, postOnly = false, positionId } = readCloseLimit(body);
    const market = findMarket(call.venue, 'futures', symbol);
    return closeCommand(call, market, { positionId, price: priceTicks(market, 'orderPrice', orderPrice), postOnly });
  }
  const { symbol, orderPrice, positionId } = readCloseMarket(body);
  refuse('orderPrice', orderPrice !== undefined, 'orderType MARKET');
  const market = findMarket(call.venue, 'futures', symbol);
  return closeCommand(call, market, { positionId, price: null, postOnly: false });
}

async function closePosition(call: Call): Promise<object[]> {
  const reply = await submit(call, closeRequest(call), NAMES);
  return reply.orders.map((order) => cancelRecord(call.engine.venue, order));
}

function setLeverage(call: Call): Promise<object> {
  const { symbol, leverage, ...change } = readLeverage(call.body);
  const market = findMarket(call.venue, 'futures', symbol);
  return changeLeverage(call, market, { ...change, leverage: Number(leverage.coefficient) });
}

function setPositionMode(call: Call): Promise<object> {
  const { symbol, positionMode } = readPositionMode(call.body);
  return changePositionMode(call, findMarket(call.venue, 'futures', symbol), positionMode);
}

function setRiskLimit(call: Call): Promise<object> {
  const { symbol, ...change } = readRiskLimit(call.body);
  return changeRiskLimit(call, findMarket(call.venue, 'futures', symbol), change);
}

function setSettlement(call: Call): object {
  const { symbol, ...settlement } = readSettleIn(call.body);
  return settleIn(call, findMarket(call.venue, 'futures', symbol), settlement);
}

/** Attaches to an open position. BTSE's reply has the stop-loss first, the venue's has the take-profit first. */
async function attachTpsl(call: Call): Promise<object[]> {
  const request = readTpsl(call.body);
  const market = findMarket(call.venue, 'futures', request.symbol);
  const which = { ...request, side: request.orderSide };
  const fields = ['takeProfitTriggerPrice', 'stopLossTriggerPrice'] as const;
  const reply = await submit(call, attachCommand(call, market, which, attached(market, request), fields), NAMES);
  return reply.orders.toReversed().map((order) => algoRecord(call.engine.venue, order));
}

export const ACCOUNT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/trade/positions',
    permission: 'read',
    summary: 'List the open positions',
    query: schemas.MARKETS_QUERY,
    reply: replies.POSITIONS,
    handle: positions,
  },
  {
    method: 'DELETE',
    path: '/trade/positions',
    permission: 'trading',
    isExit: true,
    summary: 'Close a position with a MARKET or LIMIT order',
    body: schemas.CLOSE_BODY,
    examples: examples.CLOSE,
    reply: replies.ORDERS,
    handle: closePosition,
  },
  {
    method: 'POST',
    path: '/trade/positions/tpsl',
    permission: 'trading',
    summary: 'Attach take-profit and stop-loss to an open position',
    body: schemas.TPSL_BODY,
    examples: examples.TPSL,
    reply: replies.ORDERS,
    handle: attachTpsl,
  },
  {
    method: 'GET',
    path: '/trade/risk_limit',
    permission: 'read',
    summary: 'The current risk tier',
    query: schemas.MARKET_QUERY,
    reply: futures.RISK_LIMIT,
    handle: (call) => riskLimitRow(call, oneMarket(call)),
  },
  {
    method: 'POST',
    path: '/trade/risk_limit',
    permission: 'trading',
    summary: 'Set the lowest risk tier that margin in a market is calculated with',
    body: schemas.RISK_LIMIT_BODY,
    examples: examples.RISK_LIMIT,
    reply: futures.SETTING_CHANGED,
    handle: setRiskLimit,
  },
  {
    method: 'GET',
    path: '/trade/margin_setting',
    permission: 'read',
    summary: 'Initial and maintenance margin of the current risk tier',
    query: schemas.MARKETS_QUERY,
    reply: futures.MARGIN_SETTINGS,
    handle: (call) => marginSettingRows(call, anyMarket(call)),
  },
  {
    method: 'POST',
    path: '/trade/settle_in',
    permission: 'trading',
    summary: 'Set the settlement currency of a market. Each market has one, and no other is accepted',
    body: schemas.SETTLE_IN_BODY,
    examples: examples.SETTLE_IN,
    reply: NOTHING,
    handle: setSettlement,
  },
  {
    method: 'GET',
    path: '/trade/trade_history',
    permission: 'read',
    summary: "The account's own trades, newest first",
    query: schemas.TRADE_HISTORY_QUERY,
    reply: replies.TRADES,
    handle: tradeHistory,
  },
  {
    method: 'GET',
    path: '/trade/leverage',
    permission: 'read',
    summary: 'The current leverage',
    query: schemas.MARKET_QUERY,
    reply: futures.LEVERAGES,
    handle: (call) => leverageRows(call, oneMarket(call)),
  },
  {
    method: 'POST',
    path: '/trade/leverage',
    permission: 'trading',
    summary: 'Change the cross or isolated leverage of a market, or the leverage of one position',
    body: schemas.LEVERAGE_BODY,
    examples: examples.LEVERAGE,
    reply: futures.SETTING_CHANGED,
    handle: setLeverage,
  },
  {
    method: 'GET',
    path: '/trade/position_mode',
    permission: 'read',
    summary: 'The position mode of one market or all',
    query: schemas.MARKETS_QUERY,
    reply: futures.POSITION_MODES,
    handle: (call) => positionModeRows(call, anyMarket(call)),
  },
  {
    method: 'POST',
    path: '/trade/position_mode',
    permission: 'trading',
    summary: 'Change the position mode of a market',
    body: schemas.POSITION_MODE_BODY,
    examples: examples.POSITION_MODE,
    reply: futures.SETTING_CHANGED,
    handle: setPositionMode,
  },
];
