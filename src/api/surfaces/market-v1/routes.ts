/** Market v1: the markets and their books. Public, with envelope B. */
import type { Venue } from '../../../venue/venue.ts';
import { malformed, shortened } from '../../shared/errors.ts';
import { reader } from '../../shared/fields.ts';
import { marketId, unknownMarket } from '../../shared/markets.ts';
import { type Call, enveloped, type Route, type Surface } from '../../shared/surface.ts';
import { bookRecord, marketRecord, marketType } from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';

const MOST_LEVELS = 50;

const readMarkets = reader(schemas.MARKETS_QUERY);
const readOrderbook = reader(schemas.ORDERBOOK_QUERY);

function named(venue: Venue, id: string) {
  const market = venue.markets.find((one) => marketId(one) === id || one.symbol === id);
  if (market === undefined) throw unknownMarket(venue, id, null, marketId);
  return market;
}

/** The types in a query. Throws malformed unless they are a JSON array of known types. */
function marketTypes(text: string): readonly string[] {
  const expected = `give a JSON array of ${schemas.MARKET_TYPES.join(', ')}, such as ["FuturesPerpetual"]`;
  let types: unknown;
  try {
    types = JSON.parse(text);
  } catch {
    throw malformed('types', `is ${JSON.stringify(shortened(text))}`, expected);
  }
  const known: readonly unknown[] = schemas.MARKET_TYPES;
  const wrong = Array.isArray(types) ? types.find((type) => !known.includes(type)) : types;
  if (wrong !== undefined) throw malformed('types', `contains ${shortened(JSON.stringify(wrong))}`, expected);
  return types as string[];
}

function markets(call: Call): object {
  const { venue, query } = call;
  const { symbol, types } = readMarkets(query);
  const found = symbol === undefined ? venue.markets : [named(venue, symbol)];
  const wanted = types === undefined ? schemas.MARKET_TYPES : marketTypes(types);
  return enveloped(call, { symbols: found.filter((one) => wanted.includes(marketType(one))).map(marketRecord) });
}

function orderbook(call: Call): object {
  const { venue, query, engine } = call;
  const { symbol, depth } = readOrderbook(query);
  const levels = depth === undefined ? MOST_LEVELS : Number(depth.coefficient);
  return enveloped(call, bookRecord(named(venue, symbol), levels, engine.nowMs()));
}

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/markets',
    permission: null,
    summary: 'List the markets: all, those of some types, or one',
    query: schemas.MARKETS_QUERY,
    reply: replies.MARKETS,
    handle: markets,
  },
  {
    method: 'GET',
    path: '/orderbook',
    permission: null,
    summary: 'The book of a market, best prices first',
    query: schemas.ORDERBOOK_QUERY,
    reply: replies.ORDERBOOK,
    handle: orderbook,
  },
];

export const marketV1: Surface = {
  name: 'market-v1',
  envelope: 'B',
  basePath: '/public-api/market/v1',
  unsignedPrefix: '',
  routes,
};
