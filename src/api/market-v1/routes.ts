/** Market v1: what markets there are, and their books. Public; envelope B. */
import type { Venue } from '../../venue/venue.ts';
import { reader } from '../fields.ts';
import { marketId, unknownMarket } from '../markets.ts';
import { type Call, enveloped, type Route, type Surface, venueNowMs } from '../surface.ts';
import { bookRecord, marketRecord } from './records.ts';
import * as schemas from './schemas.ts';

const MOST_LEVELS = 50;

const readMarkets = reader(schemas.MARKETS_QUERY);
const readOrderbook = reader(schemas.ORDERBOOK_QUERY);

function named(venue: Venue, id: string) {
  const market = venue.markets.find((one) => marketId(one) === id);
  if (market === undefined) throw unknownMarket(venue, id, null, marketId);
  return market;
}

function markets({ venue, query }: Call): object {
  const { symbol } = readMarkets(query);
  const found = symbol === undefined ? venue.markets : [named(venue, symbol)];
  return enveloped(venue, { symbols: found.map(marketRecord) });
}

function orderbook({ venue, query }: Call): object {
  const { symbol, depth } = readOrderbook(query);
  const levels = depth === undefined ? MOST_LEVELS : Number(depth.coefficient);
  return enveloped(venue, bookRecord(named(venue, symbol), levels, venueNowMs(venue)));
}

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/markets',
    permission: null,
    summary: 'List the markets, or one of them',
    query: schemas.MARKETS_QUERY,
    handle: markets,
  },
  {
    method: 'GET',
    path: '/orderbook',
    permission: null,
    summary: 'The book of a market, best prices first',
    query: schemas.ORDERBOOK_QUERY,
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
