/** Requests for the documents, by what they do. A test sends each of them to a venue with BTC at 60,000. */
import type { Examples } from '../../shared/surface.ts';

export const PLACE: Examples = {
  'a limit order': { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 0.01, orderPrice: 59000 },
  'a market order that spends 100 USDT': {
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'MARKET',
    quoteOrderSize: 100,
  },
};
export const AMEND: Examples = { 'a new price': { symbol: 'BTC-USDT', clOrderId: 'my-first', orderPrice: 58500 } };
export const CANCEL_ALL_AFTER: Examples = { 'in a minute': { timeout: 60000 } };
export const ALGO: Examples = {
  'a stop': {
    symbol: 'BTC-USDT',
    orderSide: 'SELL',
    orderType: 'CONDITIONAL',
    orderSize: 0.01,
    triggerOrderType: 'STOP_LOSS',
    triggerPrice: 59000,
    triggerPriceType: 'LAST_PRICE',
  },
  'an OCO': {
    symbol: 'BTC-USDT',
    orderSide: 'SELL',
    orderType: 'OCO',
    orderSize: 0.01,
    takeProfitOrderPrice: 62000,
    stopLossTriggerPrice: 58000,
    stopLossOrderPrice: 57900,
    stopLossTriggerPriceType: 'LAST_PRICE',
  },
  'a trailing stop': {
    symbol: 'BTC-USDT',
    orderSide: 'SELL',
    orderType: 'TRAILING',
    orderSize: 0.01,
    trailValue: 500,
    trailValueType: 'DISTANCE',
    triggerPriceType: 'LAST_PRICE',
  },
  'a peg': {
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'PEG',
    orderSize: 0.01,
    orderPrice: 60500,
    stealth: 20,
    deviation: -0.1,
  },
  'a TWAP': {
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'TWAP',
    orderSize: 0.02,
    timePeriod: 600,
    maxSpread: 0.005,
  },
};
