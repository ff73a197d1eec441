/** Requests for the documents, by what they do. A test sends each of them to a venue with BTC at 60,000. */
import type { Examples } from '../../shared/surface.ts';

export const PLACE: Examples = {
  'a limit order': { symbol: 'BTC-PERP', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 10, orderPrice: 59000 },
  'a market order': { symbol: 'BTC-PERP', orderSide: 'BUY', orderType: 'MARKET', orderSize: 10 },
};
export const CANCEL: Examples = { 'by client id': { symbol: 'BTC-PERP', clOrderId: 'my-future' } };
export const ALGO: Examples = {
  'a stop': { symbol: 'BTC-PERP', orderSide: 'SELL', orderType: 'CONDITIONAL', orderSize: 10, triggerPrice: 59000 },
  'an OCO': {
    symbol: 'BTC-PERP',
    orderSide: 'SELL',
    orderType: 'OCO',
    orderSize: 10,
    takeProfitOrderPrice: 62000,
    stopLossTriggerPrice: 58000,
    stopLossOrderPrice: 57900,
  },
  'a trailing stop': {
    symbol: 'BTC-PERP',
    orderSide: 'SELL',
    orderType: 'TRAILING',
    orderSize: 10,
    trailValue: 500,
    trailValueType: 'DISTANCE',
  },
};
export const AMEND: Examples = {
  'a new price': { symbol: 'BTC-PERP', clOrderId: 'my-future', amendType: 'PRICE', orderPrice: 58500 },
};
export const CANCEL_ALL_AFTER: Examples = { 'in a minute': { timeoutMs: 60000 } };
export const CLOSE: Examples = { 'at once': { symbol: 'BTC-PERP', orderType: 'MARKET' } };
export const TPSL: Examples = {
  both: { symbol: 'BTC-PERP', takeProfitTriggerPrice: 66000, stopLossTriggerPrice: 58000 },
};
export const RISK_LIMIT: Examples = { 'the second tier': { symbol: 'BTC-PERP', riskLimitLevel: 2 } };
export const SETTLE_IN: Examples = { 'in USDT': { symbol: 'BTC-PERP', currency: 'USDT' } };
export const LEVERAGE: Examples = {
  'ten times, of cross margin': { symbol: 'BTC-PERP', leverage: 10, marginMode: 'CROSS' },
};
export const POSITION_MODE: Examples = { hedge: { symbol: 'BTC-PERP', positionMode: 'HEDGE' } };
