/** The queries of market data that spot v3.3, futures v2.3 and market v1 share, and the ranges that they ask for. */

import { DAY_MS } from '../../config/times.ts';
import type { CandleRange } from '../../market-data/candles.ts';
import type { TradesQuery } from '../../market-data/history.ts';
import { candleNumber, candleStartMs, RESOLUTIONS, type Resolution } from '../../market-data/resolution.ts';
import type { Decimal } from '../../venue/contract/decimal.ts';
import { ApiError, malformed } from '../shared/errors.ts';
import { choice, decimal, fields, flag, optional, text } from '../shared/fields.ts';
import { instant, LATEST_MS, SECONDS_BELOW } from '../shared/time-window.ts';

export const MOST_CANDLES = 300;
export const MOST_LEVELS = 50;
const MOST_TRADES = 500;
const DEFAULT_TRADES = 50;
const MOST_ID = 1e15 - 1;
/** The longest window of trades, and the longest with one end. */
const WINDOW_MS = 30 * DAY_MS;
const OPEN_WINDOW_MS = 3 * DAY_MS;

const serial = (description: string) => optional(decimal(description, { min: 0, max: MOST_ID, whole: true }));

export const resolution = choice(RESOLUTIONS.map(String), 'Minutes of a candle; 10080: from Monday on, 43200: a month');
export const START = instant('The first candle begins then or later; epoch seconds or milliseconds');
export const END = instant('The last candle begins then or earlier; epoch seconds or milliseconds');
export const CANDLE_LIMIT = optional(decimal('How many at most', { min: 1, max: MOST_CANDLES, whole: true }));
export const TRADE_LIMIT = optional(
  decimal(`How many at most; default ${DEFAULT_TRADES}`, { min: 1, max: MOST_TRADES, whole: true }),
);

const symbol = text('Market symbol');
export const ANY_MARKET = fields({ symbol: optional(symbol) });
export const SUMMARY_QUERY = fields({
  symbol: optional(symbol),
  listFullAttributes: optional(flag('true: with the times of funding')),
});
const levels = (what: string) => optional(decimal(`${what}; at most ${MOST_LEVELS} are sent`, { min: 0, whole: true }));
export const BOOK_QUERY = fields({
  symbol,
  group: optional(
    decimal('0 to 8: prices of 1, 5, 10, 50, 100, 500, 1,000, 5,000 or 10,000 ticks', { min: 0, max: 8, whole: true }),
  ),
  limit_bids: levels('Bids'),
  limit_asks: levels('Asks'),
});
export const L2_QUERY = fields({ symbol, depth: levels('Levels a side') });
export const TRADES_QUERY = fields({
  symbol,
  startTime: instant('Epoch milliseconds'),
  endTime: instant('Epoch milliseconds; default: now'),
  start: instant('The same as startTime'),
  end: instant('The same as endTime'),
  count: TRADE_LIMIT,
  beforeSerialId: serial('Trades with a smaller serialId'),
  afterSerialId: serial('Trades with a larger serialId: the next ones after it'),
  includeOld: optional(flag('true: no limit of 30 days between both ends, and of 3 with one end')),
});
export const OHLCV_QUERY = fields({ symbol, resolution, start: START, end: END });
export const FUNDING_QUERY = fields({
  symbol: optional(symbol),
  count: optional(decimal('How many of a market at most; default 100', { min: 1, max: 1000, whole: true })),
  from: instant('Epoch milliseconds'),
  to: instant('Epoch milliseconds; default: now'),
});

/** A time in seconds or milliseconds. Null: absent. */
export function eitherInstant(value: Decimal | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const given = Number(value.coefficient);
  // A manual clock may be at a time at which milliseconds look like seconds.
  return given < SECONDS_BELOW && nowMs >= SECONDS_BELOW ? given * 1000 : given;
}

export interface CandlesRequest {
  readonly resolution: string;
  readonly start?: Decimal;
  readonly end?: Decimal;
  readonly limit?: Decimal;
}

/**
 * The range of a request: of `start` and `end`, of `limit` candles from `start` on, or of the last `limit` ones up to
 * `end`. `unlimited`: how many they are without a limit and without an end. Null: there are none.
 * @throws {ApiError} malformed, or tooManyCandles
 */
export function candleRange(request: CandlesRequest, nowMs: number, unlimited: number): CandleRange | null {
  const resolution = Number(request.resolution) as Resolution;
  const [startMs, endMs] = [eitherInstant(request.start, nowMs), eitherInstant(request.end, nowMs)];
  if (startMs !== null && endMs !== null && startMs > endMs) {
    throw malformed('end', `${endMs} is before start ${startMs}`, 'give a later one');
  }
  const limit = request.limit === undefined ? null : Number(request.limit.coefficient);
  const end = candleNumber(resolution, Math.min(endMs ?? nowMs, nowMs));
  if (startMs === null) return { resolution, first: end - (limit ?? unlimited) + 1, last: end };
  const containing = candleNumber(resolution, startMs);
  const first = candleStartMs(resolution, containing) === startMs ? containing : containing + 1;
  if (first > end) return null;
  if (endMs === null) return { resolution, first, last: Math.min(first + (limit ?? MOST_CANDLES) - 1, end) };
  if (end - first >= MOST_CANDLES) throw new ApiError('tooManyCandles', { maximum: MOST_CANDLES });
  return { resolution, first: Math.max(first, end - (limit ?? MOST_CANDLES) + 1), last: end };
}

export interface TradesRequest {
  readonly startTime?: Decimal;
  readonly endTime?: Decimal;
  readonly start?: Decimal;
  readonly end?: Decimal;
  readonly count?: Decimal;
  readonly beforeSerialId?: Decimal;
  readonly afterSerialId?: Decimal;
  readonly includeOld?: boolean;
}

/** @throws {ApiError} malformed, for contradictory times or numbers */
export function tradesQuery(request: TradesRequest, nowMs: number): TradesQuery {
  const startMs = eitherInstant(request.startTime ?? request.start, nowMs);
  const endMs = eitherInstant(request.endTime ?? request.end, nowMs);
  const toMs = endMs ?? LATEST_MS;
  if (startMs !== null && startMs > toMs) {
    const end = endMs === null ? `the latest time, ${LATEST_MS}` : `endTime ${endMs}`;
    throw malformed('startTime', `${startMs} is after ${end}`, 'give an earlier startTime');
  }
  const number = (value: Decimal | undefined) => (value === undefined ? null : Number(value.coefficient));
  const [beforeId, afterId] = [number(request.beforeSerialId), number(request.afterSerialId)];
  if (beforeId !== null && afterId !== null && beforeId <= afterId + 1) {
    throw malformed('beforeSerialId', `${beforeId} leaves no id after afterSerialId ${afterId}`, 'give a larger one');
  }
  return {
    fromMs: Math.max(startMs ?? 0, request.includeOld === true ? 0 : earliest(startMs, endMs, nowMs)),
    toMs,
    fromId: afterId === null ? 0 : afterId + 1,
    toId: beforeId === null ? MOST_ID : beforeId - 1,
    limit: number(request.count) ?? DEFAULT_TRADES,
    oldestFirst: afterId !== null && beforeId === null,
  };
}

function earliest(startMs: number | null, endMs: number | null, nowMs: number): number {
  if (startMs === null && endMs === null) return 0;
  const longestMs = startMs === null || endMs === null ? OPEN_WINDOW_MS : WINDOW_MS;
  return (endMs ?? nowMs) - longestMs;
}
