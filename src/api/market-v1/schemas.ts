/** Queries of market v1. */
import { decimal, fields, optional, text } from '../fields.ts';

const SYMBOL = 'Market id: BTC-USDT, BTC-PERP-USDT';

export const MARKETS_QUERY = fields({ symbol: optional(text(SYMBOL)) });

export const ORDERBOOK_QUERY = fields({
  symbol: text(SYMBOL),
  depth: optional(decimal('Levels a side; default 50', { min: 1, max: 50, whole: true })),
});
