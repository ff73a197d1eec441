/** Requests for the documents, by what they do. A test sends each of them to a venue with BTC at 60,000. */
import type { Examples } from '../../shared/surface.ts';

export const PLACE: Examples = {
  'a limit order': { symbol: 'BTC-USDT', side: 'BUY', type: 'LIMIT', price: 59000, size: 0.01 },
  'a stop': {
    symbol: 'BTC-USDT',
    side: 'SELL',
    type: 'LIMIT',
    txType: 'STOP',
    triggerPrice: 59000,
    price: 58950,
    size: 0.01,
  },
};
export const PEG: Examples = {
  'below the index': { symbol: 'BTC-USDT', side: 'BUY', price: 60500, size: 0.01, deviation: -0.1, stealth: 20 },
};
export const AMEND: Examples = {
  'a new price': { symbol: 'BTC-USDT', clOrderID: 'my-first', type: 'PRICE', value: 58500 },
};
export const CANCEL_ALL_AFTER: Examples = { 'in a minute': { timeout: 60000 } };
