/** Markets: listed, added, halted. */
import { readCurrencies } from '../../../config/config.ts';
import type { Field } from '../../../config/field.ts';
import { highFeesOfMarket } from '../../../config/high-fees.ts';
import { readMarket } from '../../../config/market.ts';
import { RESOLUTIONS, type Resolution } from '../../../market-data/resolution.ts';
import { BUY, SELL, type Side } from '../../../venue/contract/units.ts';
import { ApiError } from '../../shared/errors.ts';
import { type ControlContext, findMarket, submit, withoutSymbol } from '../context.ts';
import { summaryView } from '../market-summary.ts';
import { leftAt, readSeq } from '../moment.ts';
import { pageFrom, placeIn, readLimit, readPage } from '../paging.ts';
import { refuseHighFees, refuseProblems } from '../problems.ts';
import { candleRow, tradeRow } from '../stream/row-topics.ts';
import { levelView, marketStatus, marketView } from '../views.ts';

/** In the order in which they were added. The symbol of the last one continues later, when there are new ones. */
export async function listMarkets({ venue }: ControlContext, query: Field): Promise<object> {
  const { limit, after } = readPage(query);
  const last = placeIn(after, (symbol) => venue.marketBySymbol(symbol)?.index) ?? -1;
  const { rows, more } = pageFrom(venue.markets, last + 1, limit);
  return { markets: rows.map(marketView), ...(more && { next: rows[rows.length - 1].symbol }) };
}

/** The best `limit` levels of each side, best first. */
export async function showBook({ venue }: ControlContext, query: Field, symbol: string): Promise<object> {
  const limit = readLimit(query);
  const market = findMarket(venue, symbol);
  const side = (which: Side) => market.depth(which, limit).map((level) => levelView(market, level));
  return { seq: venue.seq, symbol: market.symbol, status: marketStatus(market), bids: side(BUY), asks: side(SELL) };
}

const MOST_CANDLES = 300;

/** Trades, newest first, and candles, oldest first, as they were after the command `seq`. */
export async function showMarketPast(context: ControlContext, query: Field, symbol: string): Promise<object> {
  const { venue, marketData } = context;
  const seq = readSeq(context, query.at('seq'));
  const minutes = query.at('minutes');
  const resolution = minutes.given ? (Number(minutes.oneOf(RESOLUTIONS.map(String))) as Resolution) : 1;
  const mostTrades = readLimit(query, ['seq', 'minutes']);
  const market = findMarket(venue, symbol);
  const left = await leftAt(context, seq);
  const former = left === null ? null : await marketData.formerTerms(market, seq);
  if (former !== null) {
    const { kind, base, quote, tick, step } = former;
    const then = `${market.symbol} was another market then (${kind} of ${base} in ${quote}, tick ${tick}, step ${step})`;
    query
      .at('seq')
      .problem(`is in a branch that was left, and ${then}: its trades are among the fills of the accounts`);
    refuseProblems(query);
  }
  const { trades, candles } = await marketData.pastOf(market, {
    seq,
    isLeft: left !== null,
    resolution,
    mostTrades,
    mostCandles: MOST_CANDLES,
  });
  return {
    seq,
    left,
    symbol: market.symbol,
    trades: trades.map((trade) => tradeRow(market, trade)),
    candles: candles.map((candle) => candleRow(market, candle)),
  };
}

/** The figures of the markets with the last 24 hours, in the same order. */
export async function summarizeMarkets(context: ControlContext, query: Field): Promise<object> {
  const { limit, after } = readPage(query);
  const { venue, marketData } = context;
  const last = placeIn(after, (symbol) => venue.marketBySymbol(symbol)?.index) ?? -1;
  const { rows, more } = pageFrom(venue.markets, last + 1, limit);
  const nowMs = context.nowMs();
  const days = await Promise.all(rows.map((market) => marketData.day(market, nowMs)));
  return {
    seq: context.venue.seq,
    markets: rows.map((market, i) => summaryView(market, days[i], nowMs)),
    ...(more && { next: rows[rows.length - 1].symbol }),
  };
}

export async function addMarket(context: ControlContext, body: Field): Promise<object> {
  const known = Object.fromEntries(context.venue.currencies.map(({ code, decimals }) => [code, { decimals }]));
  const currencies = readCurrencies(body.at('currencies'));
  const market = readMarket(body, { ...currencies, ...known }, ['currencies', 'force']);
  const force = body.at('force').flag();
  refuseProblems(body);
  if (!force) refuseHighFees(highFeesOfMarket(body));
  const { venue } = context;
  if (venue.marketBySymbol(market.symbol)?.delisted) {
    const hint = ': it was delisted, and a symbol is never used again';
    throw new ApiError('marketExists', { symbol: market.symbol, hint });
  }
  await submit(context, { v: 1, type: 'listMarket', market, currencies }, withoutSymbol(market.symbol));
  return marketView(context.venue.marketBySymbol(market.symbol)!);
}

/** Halting a halted market, or resuming an active one, changes nothing. */
export function haltMarket(type: 'haltMarket' | 'resumeMarket') {
  return async (context: ControlContext, _body: Field, symbol: string): Promise<object> => {
    const { index } = findMarket(context.venue, symbol);
    await submit(context, { v: 1, type, market: index });
    return marketView(context.venue.markets[index]);
  };
}
