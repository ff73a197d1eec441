/** Queries of market v1. */
import { decimal, fields, optional, text } from '../../shared/fields.ts';

const SYMBOL = 'Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP';

export const MARKET_TYPES = ['Spot', 'FuturesPerpetual', 'FuturesTimeBased'] as const;

export const MARKETS_QUERY = fields({
  symbol: optional(text(SYMBOL)),
  types: optional(
    text(`Only markets of these types: a JSON array of ${MARKET_TYPES.join(', ')}, such as ["FuturesPerpetual"]`),
  ),
});

export const ORDERBOOK_QUERY = fields({
  symbol: text(SYMBOL),
  depth: optional(decimal('Levels a side; default 50', { min: 1, max: 50, whole: true })),
});
