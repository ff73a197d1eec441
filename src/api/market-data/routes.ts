/**
 * Market data of spot v3.3 and futures v2.3: summaries, prices, books, trades, candles, funding, risk limits. Public.
 * The same handlers serve both products.
 */

import type { Product } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import { malformed } from '../shared/errors.ts';
import { reader } from '../shared/fields.ts';
import { findMarket } from '../shared/markets.ts';
import { type Call, enveloped, type Route } from '../shared/surface.ts';
import { LATEST_MS } from '../shared/time-window.ts';
import * as records from './records.ts';
import * as replies from './replies.ts';
import * as requests from './requests.ts';

/** As LEGACY_GET of the order routes: flags in any case, empty parameters count as absent. */
const LEGACY = { query: true, emptyIsAbsent: true } as const;
const DEFAULT_RATES = 100;

const readAny = reader(requests.ANY_MARKET, LEGACY);
const readSummary = reader(requests.SUMMARY_QUERY, LEGACY);
const readBook = reader(requests.BOOK_QUERY, LEGACY);
const readL2 = reader(requests.L2_QUERY, LEGACY);
const readTrades = reader(requests.TRADES_QUERY, LEGACY);
const readOhlcv = reader(requests.OHLCV_QUERY, LEGACY);
const readFunding = reader(requests.FUNDING_QUERY, LEGACY);

type Handle = Route['handle'];

function get(path: string, summary: string, query: Route['query'], reply: Route['reply'], handle: Handle): Route {
  return { method: 'GET', path, permission: null, summary, ...(query && { query }), reply, handle };
}

function named({ venue }: Call, product: Product, symbol: string): MarketView {
  return findMarket(venue, product, symbol, { legacyNames: product === 'futures' });
}

/** The named market, or all of the product. */
function anyOf(call: Call, product: Product, symbol: string | undefined): readonly MarketView[] {
  return symbol === undefined
    ? call.venue.markets.filter((market) => market.product === product)
    : [named(call, product, symbol)];
}

function summaries(call: Call, product: Product): Promise<object[]> {
  const { symbol, listFullAttributes = false } = readSummary(call.query);
  const nowMs = call.engine.nowMs();
  return Promise.all(
    anyOf(call, product, symbol).map(async (market) =>
      records.summaryRecord(market, await call.marketData.day(market, nowMs), nowMs, listFullAttributes),
    ),
  );
}

function limitOf(given: { readonly coefficient: bigint } | undefined): number {
  const limit = Number(given?.coefficient ?? 0n);
  return limit === 0 ? requests.MOST_LEVELS : Math.min(limit, requests.MOST_LEVELS);
}

function book(call: Call, product: Product): object {
  const { symbol, group, limit_bids, limit_asks } = readBook(call.query);
  const limits = { group: Number(group?.coefficient ?? 0n), bids: limitOf(limit_bids), asks: limitOf(limit_asks) };
  return records.bookRecord(named(call, product, symbol), limits, call.engine.nowMs());
}

function levels(call: Call, product: Product): object {
  const { symbol, depth } = readL2(call.query);
  const limit = limitOf(depth);
  const limits = { group: 0, bids: limit, asks: limit };
  return records.bookRecord(named(call, product, symbol), limits, call.engine.nowMs());
}

/** Newest first. */
async function trades(call: Call, product: Product): Promise<object[]> {
  const { symbol, ...request } = readTrades(call.query);
  const market = named(call, product, symbol);
  const query = requests.tradesQuery(request, call.engine.nowMs());
  const found = await call.marketData.trades(market, query);
  return (query.oldestFirst ? found.toReversed() : found).map((trade) => records.tradeRecord(market, trade));
}

/** Newest first. */
async function candles(call: Call, product: Product): Promise<object[]> {
  const { symbol, ...request } = readOhlcv(call.query);
  const market = named(call, product, symbol);
  const nowMs = call.engine.nowMs();
  const range = requests.candleRange(request, nowMs, requests.MOST_CANDLES);
  const found = range === null ? [] : await call.marketData.candles(market, range, nowMs);
  return found.toReversed().map((candle) => records.candleRecord(market, candle));
}

async function fundingHistory(call: Call): Promise<object> {
  const { symbol, count, from, to } = readFunding(call.query);
  const nowMs = call.engine.nowMs();
  const fromMs = requests.eitherInstant(from, nowMs) ?? 0;
  const toMs = requests.eitherInstant(to, nowMs) ?? LATEST_MS;
  if (fromMs > toMs) throw malformed('from', `${fromMs} is after to ${toMs}`, 'give an earlier from');
  const limit = Number(count?.coefficient ?? DEFAULT_RATES);
  const rows = await Promise.all(
    anyOf(call, 'futures', symbol).map(async (market) => {
      const rates = await call.marketData.rates(market, { fromMs, toMs, limit });
      return [market.symbol, rates.map((rate) => records.fundingRecord(market, rate))] as const;
    }),
  );
  return Object.fromEntries(rows);
}

/** The routes that both products have. */
function shared(product: Product): readonly Route[] {
  const summariesReply = product === 'spot' ? replies.SPOT_SUMMARIES : replies.FUTURES_SUMMARIES;
  return [
    get(
      '/market_summary',
      'Prices, limits and the last 24 hours of one market or all',
      requests.SUMMARY_QUERY,
      summariesReply,
      (call) => summaries(call, product),
    ),
    get('/price', 'Index, last and mark of one market or all', requests.ANY_MARKET, replies.PRICES, (call) =>
      anyOf(call, product, readAny(call.query).symbol).map(records.priceRecord),
    ),
    get('/orderbook', 'The book by groups of prices, best first', requests.BOOK_QUERY, replies.BOOK, (call) =>
      book(call, product),
    ),
    get('/orderbook/L2', 'The book, best prices first', requests.L2_QUERY, replies.BOOK, (call) =>
      levels(call, product),
    ),
    get('/trades', 'The trades of a market, newest first', requests.TRADES_QUERY, replies.TRADES, (call) =>
      trades(call, product),
    ),
    get('/ohlcv', 'The candles of a market, newest first', requests.OHLCV_QUERY, replies.CANDLES, (call) =>
      candles(call, product),
    ),
  ];
}

export const SPOT_MARKET_DATA: readonly Route[] = shared('spot');

export const FUTURES_MARKET_DATA: readonly Route[] = [
  ...shared('futures'),
  get(
    '/funding_history',
    'The funding rates of one market or all, newest first',
    requests.FUNDING_QUERY,
    replies.FUNDING_HISTORY,
    fundingHistory,
  ),
  get('/market/risk_limit', 'The risk tiers of one market or all', requests.ANY_MARKET, replies.RISK_LIMITS, (call) => {
    const markets = anyOf(call, 'futures', readAny(call.query).symbol);
    return enveloped(call, markets.flatMap(records.riskTierRecords));
  }),
];
