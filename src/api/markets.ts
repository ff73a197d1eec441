/** How requests and replies name markets. */
import type { Product } from '../venue/commands.ts';
import type { Market } from '../venue/market.ts';
import type { Venue } from '../venue/venue.ts';
import { ApiError } from './errors.ts';

/** What the markets API and position ids call a market: BTC-PERP-USDT; a spot pair is its own id. */
export function marketId(market: Market): string {
  return market.product === 'spot' ? market.symbol : `${market.symbol}-${market.spec.quote}`;
}

/** The market of a product by its symbol; futures v2.3 (`olderNames`) takes BTC-PERP-USDT and BTCPFC, too. */
export function findMarket(venue: Venue, product: Product, symbol: string, olderNames = false): Market {
  const exact = venue.marketBySymbol(symbol);
  if (exact !== undefined && exact.product === product) return exact;
  if (olderNames) {
    for (const market of venue.markets) {
      if (market.product !== 'futures') continue;
      if (symbol === marketId(market) || symbol === `${market.spec.base}PFC`) return market;
    }
  }
  throw new ApiError('unknownMarket', { symbol });
}
