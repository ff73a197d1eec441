/** Market v1: the markets, their books and market data. Public, with envelope B. */

import { DAY_MS } from '../../../config/times.ts';
import { MOST_RATES } from '../../../market-data/market-memory.ts';
import type { Venue } from '../../../venue/venue.ts';
import type { MarketView } from '../../../venue/views.ts';
import { candleRange, MOST_LEVELS, tradesQuery } from '../../market-data/requests.ts';
import { jsonTexts, reader } from '../../shared/fields.ts';
import { marketId, unknownMarket } from '../../shared/markets.ts';
import { type Call, enveloped, type Route, type Surface } from '../../shared/surface.ts';
import * as records from './records.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';

const readMarkets = reader(schemas.MARKETS_QUERY);
const readOrderbook = reader(schemas.ORDERBOOK_QUERY);
const readAny = reader(schemas.ANY_MARKET);
const readTrades = reader(schemas.TRADES_QUERY);
const readKlines = reader(schemas.KLINES_QUERY);
const readFunding = reader(schemas.FUNDING_QUERY);
/** How many candles BTSE sends if nothing says how many. */
const DEFAULT_KLINES = 10;
const PERIOD_DAYS = { '7D': 7, '2W': 14, '1M': 30 } as const;

function named(venue: Venue, id: string) {
  const market = venue.markets.find((one) => marketId(one) === id || one.symbol === id);
  if (market === undefined) throw unknownMarket(venue, id, null, marketId);
  return market;
}

/** All markets, those of some types, or the named one. */
function chosen(venue: Venue, symbol: string | undefined, types: string | undefined): MarketView[] {
  const found = symbol === undefined ? venue.markets : [named(venue, symbol)];
  const wanted =
    types === undefined ? schemas.MARKET_TYPES : jsonTexts('types', types, 'FuturesPerpetual', schemas.MARKET_TYPES);
  return found.filter((one) => wanted.includes(records.marketType(one)));
}

function markets(call: Call): object {
  const { symbol, types } = readMarkets(call.query);
  return enveloped(call, { symbols: chosen(call.venue, symbol, types).map(records.marketRecord) });
}

function orderbook(call: Call): object {
  const { venue, query, engine } = call;
  const { symbol, depth } = readOrderbook(query);
  const levels = depth === undefined ? MOST_LEVELS : Number(depth.coefficient);
  return enveloped(call, records.bookRecord(named(venue, symbol), levels, engine.nowMs()));
}

/** One object for a symbol, otherwise a list. */
async function tickers(call: Call): Promise<object> {
  const { symbol, types } = readMarkets(call.query);
  const nowMs = call.engine.nowMs();
  const rows = await Promise.all(
    chosen(call.venue, symbol, types).map(async (market) =>
      records.tickerRecord(market, await call.marketData.day(market, nowMs), nowMs),
    ),
  );
  return enveloped(call, symbol === undefined || rows.length === 0 ? rows : rows[0]);
}

function indices(call: Call): object {
  const { symbol, types } = readMarkets(call.query);
  return enveloped(call, chosen(call.venue, symbol, types).map(records.indicesRecord));
}

async function trades(call: Call): Promise<object> {
  const { symbol, limit } = readTrades(call.query);
  const market = named(call.venue, symbol);
  const query = tradesQuery(limit === undefined ? {} : { count: limit }, call.engine.nowMs());
  const found = await call.marketData.trades(market, query);
  return enveloped(
    call,
    found.map((trade) => records.tradeRecord(market, trade)),
  );
}

async function klines(call: Call): Promise<object> {
  const { symbol, ...request } = readKlines(call.query);
  const market = named(call.venue, symbol);
  const nowMs = call.engine.nowMs();
  const range = candleRange(request, nowMs, DEFAULT_KLINES);
  const found = range === null ? [] : await call.marketData.candles(market, range, nowMs);
  return enveloped(
    call,
    found.toReversed().map((candle) => records.candleRecord(market, candle)),
  );
}

async function fundingHistory(call: Call): Promise<object> {
  const { symbol, period } = readFunding(call.query);
  const market = named(call.venue, symbol);
  const nowMs = call.engine.nowMs();
  const fromMs = nowMs - PERIOD_DAYS[period] * DAY_MS;
  const rates = await call.marketData.rates(market, { fromMs, toMs: nowMs, limit: MOST_RATES });
  return enveloped(call, rates.map(records.fundingRecord));
}

/** One object for a symbol, otherwise a list of all perpetuals. */
function riskLimits(call: Call): object {
  const { symbol } = readAny(call.query);
  if (symbol !== undefined) return enveloped(call, records.riskLimitsRecord(named(call.venue, symbol)));
  const perpetuals = call.venue.markets.filter(({ product }) => product === 'futures');
  return enveloped(call, perpetuals.map(records.riskLimitsRecord));
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
  {
    method: 'GET',
    path: '/ticker/24hr',
    permission: null,
    summary: 'Prices and the last 24 hours of one market or all',
    query: schemas.MARKETS_QUERY,
    reply: replies.TICKERS,
    handle: tickers,
  },
  {
    method: 'GET',
    path: '/ticker/indices',
    permission: null,
    summary: 'Index and mark of one market or all',
    query: schemas.MARKETS_QUERY,
    reply: replies.INDICES,
    handle: indices,
  },
  {
    method: 'GET',
    path: '/trades',
    permission: null,
    summary: 'The last trades of a market, newest first',
    query: schemas.TRADES_QUERY,
    reply: replies.TRADES,
    handle: trades,
  },
  {
    method: 'GET',
    path: '/klines',
    permission: null,
    summary: 'The candles of a market, newest first',
    query: schemas.KLINES_QUERY,
    reply: replies.KLINES,
    handle: klines,
  },
  {
    method: 'GET',
    path: '/recentFundingHistory',
    permission: null,
    summary: 'The funding rates of a perpetual, newest first',
    query: schemas.FUNDING_QUERY,
    reply: replies.FUNDING,
    handle: fundingHistory,
  },
  {
    method: 'GET',
    path: '/riskLimits',
    permission: null,
    summary: 'The risk tiers of one perpetual or all',
    query: schemas.ANY_MARKET,
    reply: replies.RISK_LIMITS,
    handle: riskLimits,
  },
];

export const marketV1: Surface = {
  name: 'market-v1',
  envelope: 'B',
  basePath: '/public-api/market/v1',
  unsignedPrefix: '',
  routes,
};
