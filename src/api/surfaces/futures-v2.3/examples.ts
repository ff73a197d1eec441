/** Requests for the documents, by what they do. A test sends each of them to a venue with BTC at 60,000. */
import type { Examples } from '../../shared/surface.ts';

export const CREATE: Examples = {
  'a limit order': { symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', price: 59000, size: 10 },
  'a market order with take-profit and stop-loss': {
    symbol: 'BTC-PERP',
    side: 'BUY',
    type: 'MARKET',
    size: 10,
    takeProfitPrice: 66000,
    stopLossPrice: 58000,
  },
  'a stop that only reduces': {
    symbol: 'BTC-PERP',
    side: 'SELL',
    type: 'MARKET',
    txType: 'STOP',
    triggerPrice: 59000,
    size: 10,
    reduceOnly: true,
  },
};
export const AMEND: Examples = {
  'a new price': { symbol: 'BTC-PERP', clOrderID: 'my-future', type: 'PRICE', value: 58500 },
};
export const PEG: Examples = {
  'below the index': { symbol: 'BTC-PERP', side: 'BUY', price: 60500, size: 10, deviation: -0.1 },
};
export const CANCEL_ALL_AFTER: Examples = { 'in a minute': { timeout: 60000 } };
export const CLOSE: Examples = { 'at once': { symbol: 'BTC-PERP', type: 'MARKET' } };
export const BIND: Examples = { both: { symbol: 'BTC-PERP', takeProfitPrice: 66000, stopLossPrice: 58000 } };
export const RISK_LIMIT: Examples = { 'the second tier': { symbol: 'BTC-PERP', riskLimitLevel: 2 } };
export const SETTLE_IN: Examples = { 'in USDT': { symbol: 'BTC-PERP', currency: 'USDT' } };
export const LEVERAGE: Examples = {
  'ten times, of cross margin': { symbol: 'BTC-PERP', leverage: 10, marginMode: 'CROSS' },
};
export const POSITION_MODE: Examples = { hedge: { symbol: 'BTC-PERP', positionMode: 'HEDGE' } };
export const TRANSFER: Examples = {
  'to futures': {
    walletSrcType: 'SPOT',
    walletDestType: 'CROSS',
    apiWallets: [{ currency: 'USDT', balance: 100 }],
  },
};
