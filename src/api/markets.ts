/** How requests and replies name markets. */

import { nearest } from '../config/nearest.ts';
import type { Product } from '../venue/commands.ts';
import type { Market } from '../venue/market.ts';
import type { Venue } from '../venue/venue.ts';
import { ApiError } from './errors.ts';

const MOST_NAMED = 10;

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
  throw unknownMarket(venue, symbol, product);
}

/** A market that a product (null: the venue) does not have, with what the caller may have meant, as `nameOf` says it. */
export function unknownMarket(
  venue: Venue,
  symbol: string,
  product: Product | null,
  nameOf = (market: Market) => market.symbol,
): ApiError {
  const other = venue.markets.find((market) => market.symbol === symbol || marketId(market) === symbol);
  if (other !== undefined && other.product !== product && product !== null) {
    const kind = other.product === 'spot' ? 'spot pair' : 'perpetual';
    return new ApiError('unknownMarket', {
      symbol,
      hint: `: it is a ${kind}, which the ${other.product} routes trade`,
    });
  }
  const known = venue.markets.filter((market) => product === null || market.product === product);
  const symbols = known.map(nameOf);
  const close = nearest(symbol, symbols);
  const more = symbols.length > MOST_NAMED ? ', …' : '';
  const hint =
    close === null ? `; there are ${symbols.slice(0, MOST_NAMED).join(', ')}${more}` : `; did you mean ${close}?`;
  return new ApiError('unknownMarket', { symbol, hint });
}
