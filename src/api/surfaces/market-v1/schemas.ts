/** Queries of market v1. */
import { CANDLE_LIMIT, END, resolution, START, TRADE_LIMIT } from '../../market-data/requests.ts';
import { choice, decimal, fields, optional, text } from '../../shared/fields.ts';

const SYMBOL = 'Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP';

export const MARKET_TYPES = ['Spot', 'FuturesPerpetual', 'FuturesTimeBased'] as const;

const symbol = text(SYMBOL);
const types = optional(
  text(`Only markets of these types: a JSON array of ${MARKET_TYPES.join(', ')}, such as ["FuturesPerpetual"]`),
);

/** One market, all, or those of some types. */
export const MARKETS_QUERY = fields({ symbol: optional(symbol), types });

export const ORDERBOOK_QUERY = fields({
  symbol,
  depth: optional(decimal('Levels a side; default 50', { min: 1, max: 50, whole: true })),
});

export const ANY_MARKET = fields({ symbol: optional(symbol) });
export const TRADES_QUERY = fields({ symbol, limit: TRADE_LIMIT });
export const KLINES_QUERY = fields({ symbol, resolution, limit: CANDLE_LIMIT, start: START, end: END });
export const PERIODS = ['7D', '2W', '1M'] as const;
export const FUNDING_QUERY = fields({ symbol, period: choice(PERIODS, 'The last 7, 14 or 30 days') });
