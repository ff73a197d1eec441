/**
 * The names of perpetuals on futures v2.1: BTCPFC for BTC-PERP, and BTCPFC-USD for BTC-PERP-USDT in the names of
 * positions and wallets. A second perpetual of BTC (BTC-SWAP) keeps its symbol, and is BTC-SWAP-USD there. Requests may
 * use either. A reply uses the older names, unless the request used a newer one or set useNewSymbolNaming.
 */
import type { Venue } from '../../../venue/venue.ts';
import { Bare } from '../../shared/json.ts';
import { marketId, olderId, olderName } from '../../shared/markets.ts';
import type { Call } from '../../shared/surface.ts';
import type { Spelling } from './older-surface.ts';

/** The fields of requests and replies that hold such a name, or begin with one. */
const FIELDS: ReadonlySet<string> = new Set([
  'symbol',
  'positionId',
  'wallet',
  'walletName',
  'activeWalletName',
  'walletSrc',
  'walletDest',
]);
const ISOLATED = 'ISOLATED@';

/** Newer name → older name, of markets and of positions. */
function olderNames(venue: Venue): Map<string, string> {
  const names = new Map<string, string>();
  for (const market of venue.markets) {
    if (market.product !== 'futures') continue;
    const older = olderName(market);
    if (older !== market.symbol) names.set(market.symbol, older);
    names.set(marketId(market), olderId(market));
  }
  return names;
}

/** A name in the other spelling: alone, in the name of a wallet, or before `|` in the name of a position. */
function respelled(text: string, names: ReadonlyMap<string, string>): string {
  const prefix = text.startsWith(ISOLATED) ? ISOLATED : '';
  const rest = text.slice(prefix.length);
  const cut = rest.indexOf('|');
  const name = cut < 0 ? rest : rest.slice(0, cut);
  return `${prefix}${names.get(name) ?? name}${rest.slice(name.length)}`;
}

/** A request's fields in the newer spelling. */
function newerFields<T extends object>(source: T, newer: ReadonlyMap<string, string>): T {
  const fields = new Bare<unknown>();
  for (const [name, value] of Object.entries(source)) {
    fields[name] = FIELDS.has(name) && typeof value === 'string' ? respelled(value, newer) : value;
  }
  return fields as T;
}

/** A reply's fields in the older spelling, and its keys if they are names of markets. */
function olderFields(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => olderFields(each, names));
  // A number with more digits than a double holds is an object, too. Only plain ones have fields.
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      names.get(name) ?? name,
      FIELDS.has(name) && typeof field === 'string' ? respelled(field, names) : olderFields(field, names),
    ]),
  );
}

function asksForNewer({ query, body }: Call, names: ReadonlyMap<string, string>): boolean {
  if (query.useNewSymbolNaming?.toLowerCase() === 'true' || body.useNewSymbolNaming === true) return true;
  return [query.symbol, body.symbol].some((symbol) => typeof symbol === 'string' && names.has(symbol));
}

export const OLDER_PERPETUALS: Spelling = {
  request(call) {
    const newer = new Map([...olderNames(call.venue)].map(([to, from]) => [from, to]));
    return { ...call, query: newerFields(call.query, newer), body: newerFields(call.body, newer) };
  },
  reply(call, body) {
    const names = olderNames(call.engine.venue);
    return asksForNewer(call, names) ? body : olderFields(body, names);
  },
};
