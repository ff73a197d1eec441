/**
 * Market data from the archive: the trades of a market, its candles, its funding rates.
 *
 * Invariant: nothing is omitted because the file is damaged. Trades and rates of a market are numbered without a gap.
 * Each candle names the one before it, and the market names its newest minute.
 */
import type { Candle } from '../../market-data/candles.ts';
import type {
  CandleLevel,
  FormerTerms,
  FundingRate,
  MarketAnswers,
  MarketQuestion,
  PastCandles,
  RatesQuery,
  Recent,
  TradesQuery,
} from '../../market-data/history.ts';

import { type PublicTrade, RING_TRADES } from '../../market-data/trade-ring.ts';
import { BUY, SELL } from '../../venue/contract/units.ts';
import { levelStartMs, NO_CANDLE } from '../store/candle-rows.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveStore } from '../store/store.ts';
import { numberedRows } from '../store/stretches.ts';
import { type Row, toObject } from '../store/tables.ts';
import { timelineAt } from '../store/timeline.ts';
import { MarketTerms } from './market-terms.ts';

const ANY: RatesQuery & TradesQuery = {
  fromMs: 0,
  toMs: Number.POSITIVE_INFINITY,
  fromId: 0,
  toId: Number.POSITIVE_INFINITY,
  limit: 0,
  oldestFirst: false,
};

/** @throws {ArchiveDamaged} */
export function marketAnswer(store: ArchiveStore, question: MarketQuestion): MarketAnswers[MarketQuestion['type']] {
  const market = marketOf(store, question.market);
  switch (question.type) {
    case 'recent':
      return recent(store, market, question.fromMs, question.most);
    case 'trades':
      return trades(store, market, question.query);
    case 'candles':
      return candles(store, market, question.level, question.fromMs, question.toMs);
    case 'rates':
      return rates(store, market, question.query);
    case 'formerTerms':
      return formerTerms(store, question.market, question.seq);
  }
}

/** A row of `markets`: what is there of it. */
interface StoredMarket {
  readonly symbol: string;
  readonly trades: number;
  readonly rates: number;
  readonly candleMs: number;
}

function marketOf(store: ArchiveStore, symbol: string): StoredMarket {
  return toObject('markets', store.known('markets', symbol)) as unknown as StoredMarket;
}

function formerTerms(store: ArchiveStore, symbol: string, seq: number): FormerTerms | null {
  const terms = new MarketTerms(store).atCommand(symbol, seq);
  if (terms.number === undefined) return null;
  const { kind, base, quote, tick, step } = terms as unknown as FormerTerms;
  return { kind, base, quote, tick, step };
}

function recent(store: ArchiveStore, market: StoredMarket, fromMs: number, mostRates: number): Recent {
  return {
    seq: store.state.seq,
    trades: trades(store, market, { ...ANY, limit: RING_TRADES }),
    rates: rates(store, market, { ...ANY, limit: mostRates }),
    ...candles(store, market, 1, fromMs, Number.POSITIVE_INFINITY),
  };
}

function trades(store: ArchiveStore, { symbol, trades }: StoredMarket, query: TradesQuery): PublicTrade[] {
  const { fromMs, toMs, fromId, toId, toSeq, limit, oldestFirst } = query;
  const bounds = [
    ['timeMs', fromMs, toMs],
    ['tradeId', fromId, toId],
  ] as const;
  const asked = { table: 'market_trades', key: [symbol], rows: trades, bounds, oldestFirst } as const;
  const rows = numberedRows(store, asked, toSeq === undefined ? undefined : timelineAt(store.state, toSeq));
  return firstOf(rows, limit).map((row) => {
    const { takerSide, ...trade } = toObject('market_trades', row);
    const { tradeId, timeMs, priceTicks, sizeLots } = trade as unknown as Omit<PublicTrade, 'takerSide'>;
    return { tradeId, timeMs, priceTicks, sizeLots, takerSide: takerSide === 'BUY' ? BUY : SELL };
  });
}

function rates(store: ArchiveStore, market: StoredMarket, { fromMs, toMs, limit }: RatesQuery): FundingRate[] {
  const bounds = [['timeMs', fromMs, toMs] as const];
  const query = { table: 'funding', key: [market.symbol], rows: market.rates, bounds, oldestFirst: false } as const;
  return firstOf(numberedRows(store, query), limit).map((row) => {
    const { timeMs, rateParts } = toObject('funding', row) as unknown as FundingRate;
    return { timeMs, rateParts };
  });
}

/** No row behind the limit is read. */
function firstOf(rows: Iterable<Row>, limit: number): Row[] {
  const found: Row[] = [];
  for (const row of rows) {
    found.push(row);
    if (found.length === limit) break;
  }
  return found;
}

/** Those that begin from `fromMs` to `toMs`. */
function candles(
  store: ArchiveStore,
  { symbol, candleMs }: StoredMarket,
  level: CandleLevel,
  fromMs: number,
  toMs: number,
): PastCandles {
  // Nothing was traded before the epoch, and a link to no candle is a time before it.
  if (candleMs === NO_CANDLE || toMs < 0) return { candles: [], before: null };
  // Backwards, from the newest in the range: each names the one before it.
  let expected = levelStartMs(level, candleMs);
  if (expected > toMs) expected = beforeOf(firstBehind(store, symbol, level, toMs));
  const found: Candle[] = [];
  const key = [...store.key('candles', symbol, level), fromMs, Math.min(toMs, expected)];
  const condition = 'market = ? AND minutes = ? AND startMs BETWEEN ? AND ? ORDER BY startMs DESC';
  for (const row of store.rows('candles', condition, ...key)) {
    const candle = candleOf(row);
    if (candle.startMs !== expected) break;
    found.push(candle);
    expected = beforeOf(row);
  }
  if (expected !== NO_CANDLE && expected >= fromMs) throw missing(symbol, expected);
  const last = expected === NO_CANDLE ? null : candleOf(store.known('candles', symbol, level, expected));
  return { candles: found.reverse(), before: last };
}

/** The first candle behind a time, which must exist. */
function firstBehind(store: ArchiveStore, symbol: string, level: CandleLevel, toMs: number): Row {
  const condition = 'market = ? AND minutes = ? AND startMs > ? ORDER BY startMs LIMIT 1';
  const [row] = store.rows('candles', condition, ...store.key('candles', symbol, level), toMs);
  if (row === undefined || beforeOf(row) > toMs) throw missing(symbol, toMs);
  return row;
}

function missing(symbol: string, startMs: number): ArchiveDamaged {
  return new ArchiveDamaged(`a candle of ${symbol} is missing: at ${startMs}, or after it`);
}

function beforeOf(row: Row): number {
  return toObject('candles', row).before as number;
}

function candleOf(row: Row): Candle {
  const { startMs, openTicks, highTicks, lowTicks, closeTicks, volumeLots, cost } = toObject('candles', row);
  const figures = { startMs, openTicks, highTicks, lowTicks, closeTicks, volumeLots };
  return { ...(figures as unknown as Omit<Candle, 'cost'>), cost: BigInt(cost as string) };
}
