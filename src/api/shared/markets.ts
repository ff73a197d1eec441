/** The names of markets in requests and replies. */

import { nearest } from '../../config/nearest.ts';
import type { Product } from '../../venue/contract/commands.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { ApiError } from './errors.ts';

const MOST_NAMED = 10;

/** The name of a market in the markets API and in position ids: BTC-PERP-USDT. A spot pair has its own symbol. */
export function marketId(market: MarketView): string {
  return market.product === 'spot' ? market.symbol : `${market.symbol}-${market.spec.quote}`;
}

/** The number of a trade, unique in the venue: both sides show it. */
export function tradeIdText(market: MarketView, tradeId: number): string {
  return `${market.symbol}-${tradeId}`;
}

/**
 * The name of a perpetual in older versions: BTCPFC is BTC-PERP, and no other market of BTC. Any other market has its
 * symbol there too. So a name means one market, whatever else is listed.
 */
export function olderName({ product, symbol, spec }: MarketView): string {
  return product === 'futures' && symbol === `${spec.base}-PERP` ? `${spec.base}PFC` : symbol;
}

/** Which names of markets a topic has in its frames. */
export type Names = 'present' | 'older';

export function nameIn(market: MarketView, names: Names): string {
  return names === 'older' ? olderName(market) : market.symbol;
}

/** The name of a perpetual in the names of positions and wallets of older versions: BTCPFC-USD. */
export function olderId(market: MarketView): string {
  return `${olderName(market)}-USD`;
}

interface Naming {
  /** As on futures v2.3, a perpetual also has the names BTC-PERP-USDT and BTCPFC. */
  readonly legacyNames?: boolean;
}

/** The market of a product by its symbol. @throws {ApiError} unknownMarket */
export function findMarket(venue: Venue, product: Product, symbol: string, naming?: Naming): MarketView {
  const found = knownMarket(venue, product, symbol, naming);
  if (found === undefined) throw unknownMarket(venue, symbol, product);
  return found;
}

/** The market of a product by its symbol. Undefined: there is none, which costs far less to find out than the error. */
export function knownMarket(
  venue: Venue,
  product: Product,
  symbol: string,
  { legacyNames = false }: Naming = {},
): MarketView | undefined {
  const exact = venue.marketBySymbol(symbol);
  if (exact !== undefined && exact.product === product) return exact;
  if (legacyNames) {
    for (const market of venue.markets) {
      if (market.product !== 'futures') continue;
      if (symbol === marketId(market) || symbol === olderName(market)) return market;
    }
  }
  return undefined;
}

/**
 * The error for a market that a product (null: the venue) does not have. It suggests what the caller may have meant,
 * named by `nameOf`.
 */
export function unknownMarket(
  venue: Venue,
  symbol: string,
  product: Product | null,
  nameOf = (market: MarketView) => market.symbol,
): ApiError {
  const known = venue.markets.filter((market) => product === null || market.product === product);
  const others = venue.markets.filter((market) => product !== null && market.product !== product);
  const meant = meantOf(symbol, known);
  const other = others.find((market) => namesOf(market).includes(squeezed(symbol)));
  if (other !== undefined) {
    const kind = other.product === 'spot' ? 'spot pair' : 'perpetual';
    const here = meant === undefined ? '' : `; these routes have ${nameOf(meant)}`;
    const hint = `: it is a ${kind}, use the ${other.product} routes${here}`;
    return new ApiError('unknownMarket', { symbol, hint });
  }
  if (meant !== undefined) return new ApiError('unknownMarket', { symbol, hint: `; did you mean ${nameOf(meant)}?` });
  const more = known.length > MOST_NAMED ? ', …' : '';
  const hint = `; there are ${known.slice(0, MOST_NAMED).map(nameOf).join(', ')}${more}`;
  return new ApiError('unknownMarket', { symbol, hint });
}

/** How many letters of a misspelt name may be wrong. With three, BTC-USDT would match any other coin. */
const MOST_TYPOS = 2;

/** The market that a name probably means: another spelling (BTCUSDT), a misspelling, or the same base (BTC-EUR). */
function meantOf(symbol: string, markets: readonly MarketView[]): MarketView | undefined {
  const name = squeezed(symbol);
  const base = symbol.toUpperCase().split(/[^A-Z0-9]/, 1)[0];
  const same =
    markets.find((market) => namesOf(market).includes(name)) ??
    markets.find((market) => otherNamesOf(market).includes(name));
  if (same !== undefined) return same;
  const spelled = nearest(name, markets.flatMap(namesOf), MOST_TYPOS);
  return markets.find((market) => (spelled === null ? market.spec.base === base : namesOf(market).includes(spelled)));
}

/** Letters and digits only, in upper case, to compare names of other venues and clients. */
function squeezed(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

/** The names of each market, for errors: anyone may ask for markets that do not exist. */
const namesKnown = new WeakMap<MarketView, { readonly own: readonly string[]; readonly other: readonly string[] }>();

function namesOf(market: MarketView): readonly string[] {
  return allNamesOf(market).own;
}

/** The names of a market in older versions, on other venues and in ccxt. A perpetual often has the name of its pair. */
function otherNamesOf(market: MarketView): readonly string[] {
  return allNamesOf(market).other;
}

function allNamesOf(market: MarketView) {
  let names = namesKnown.get(market);
  if (names === undefined) {
    const { base, quote } = market.spec;
    const other = market.product === 'spot' ? [] : [`${base}PFC`, base + quote, base + quote + quote];
    const own = [...new Set([market.symbol, marketId(market)])];
    names = { own: own.map(squeezed), other: other.map(squeezed) };
    namesKnown.set(market, names);
  }
  return names;
}
