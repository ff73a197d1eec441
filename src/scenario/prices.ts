/**
 * A price over time: a start, then jumps, ramps, random walks and recordings. Equal files give equal prices: a walk follows
 * from its seed and the number of its step, in integers.
 */
import { hash } from 'node:crypto';
import type { RecordedPrice } from './recorded-prices.ts';
import { msOf, type PriceMove, type PriceOverTime } from './schema.ts';

/** The numbers of a walk: 2^32 of them, in equal steps from −1 to 1. */
const DRAWS = 2 ** 32;

export interface PricePath {
  readonly symbol: string;
  readonly sets: readonly ('index' | 'last')[];
  /** The prices at a time since the beginning, ms. Index and last differ only in a recording. Times must not go back. */
  at(ms: number): PathPrice;
}

interface PathPrice {
  readonly index: number;
  readonly last: number;
}

/** How a path steps, and what its recordings hold. */
export interface PathOptions {
  /** Between two steps of a walk. */
  readonly stepMs: number;
  readonly lengthMs: number;
  readonly seed: number;
  /** By the place of the move. Times are since its beginning. */
  readonly recorded?: ReadonlyMap<number, readonly RecordedPrice[]>;
}

/** The members of each kind of move, of which the first ones are required. */
const MOVES = [
  { what: 'a jump (at, to)', required: ['at', 'to'], optional: [] },
  { what: 'a ramp (from, until, to)', required: ['from', 'until', 'to'], optional: [] },
  { what: 'a walk (from, until, walk)', required: ['from', 'until', 'walk'], optional: ['seed'] },
  { what: 'a recording (recorded)', required: ['recorded'], optional: ['from', 'until', 'skip', 'recordedSymbol'] },
] as const;
const MOVE_WORDS = MOVES.map(({ what }) => what)
  .join(', ')
  .replace(/, a recording/, ' or a recording');

/** What is wrong with the members and times of moves, in words. */
export function problemsOfMoves({ start, moves = [] }: PriceOverTime, lengthMs: number, place: string): string[] {
  let endMs = 0;
  const problems = moves.flatMap((move, i) => {
    const where = `${place}.moves[${i}]`;
    if (!isMove(move)) return [`${where} must be ${MOVE_WORDS}`];
    const [beginMs, overMs] = timesOf(move, lengthMs);
    const wrong: string[] = [];
    if (beginMs < endMs) wrong.push(`${where} begins before the end of the move before it`);
    if (move.at === undefined && overMs <= beginMs) wrong.push(`${where}.until must be after from`);
    endMs = overMs;
    return wrong;
  });
  const first = moves.at(0);
  const hasFirst = first?.recorded !== undefined && msOf(first.from ?? 0) === 0;
  if (start === undefined && !hasFirst) {
    problems.push(`${place}.start is required: only a recording from the beginning has its own first price`);
  }
  return problems;
}

function isMove(move: PriceMove): boolean {
  const given = Object.keys(move);
  return MOVES.some(({ required, optional }) => {
    const known: readonly string[] = [...required, ...optional];
    return required.every((name) => given.includes(name)) && given.every((name) => known.includes(name));
  });
}

/** When a move begins, and when it is over, ms since the beginning. `lengthMs`: of the scenario. */
export function timesOf({ at, from, until }: PriceMove, lengthMs: number): [beginMs: number, overMs: number] {
  return at !== undefined ? [msOf(at), msOf(at)] : [msOf(from ?? 0), msOf(until ?? lengthMs)];
}

interface Point {
  readonly ms: number;
  readonly price: number;
  /** Of a recording. Absent: the same. */
  readonly last?: number;
  readonly isJump: boolean;
}

export function pricePath(prices: PriceOverTime, { stepMs, lengthMs, seed, recorded }: PathOptions): PricePath {
  const { symbol, start, sets = ['index', 'last'], moves = [] } = prices;
  const points: Point[] = start === undefined ? [] : [{ ms: 0, price: Number(start), isJump: true }];
  for (const [i, move] of moves.entries()) {
    const [beginMs, overMs] = timesOf(move, lengthMs);
    for (const { ms, index, last } of recorded?.get(i) ?? []) {
      points.push({ ms: beginMs + ms, price: index, last, isJump: true });
    }
    let { price } = points[points.length - 1];
    if (move.to !== undefined && move.at === undefined) points.push({ ms: beginMs, price, isJump: true });
    if (move.to !== undefined) points.push({ ms: overMs, price: Number(move.to), isJump: move.at !== undefined });
    if (move.walk === undefined) continue;
    for (let ms = beginMs + stepMs, step = 1; ms <= overMs; ms += stepMs, step += 1) {
      price *= 1 + move.walk * drawn(`${symbol} ${move.seed ?? seed} ${i} ${step}`);
      points.push({ ms, price, isJump: true });
    }
  }
  let place = 0;
  return {
    symbol,
    sets,
    at(ms) {
      while (place + 1 < points.length && points[place + 1].ms <= ms) place += 1;
      const [now, next] = [points[place], points.at(place + 1)];
      const { price: index, last = index } = now;
      if (next === undefined || next.isJump) return { index, last };
      const price = index + ((next.price - index) * (ms - now.ms)) / (next.ms - now.ms);
      return { index: price, last: price };
    },
  };
}

/** From −1 to 1. */
function drawn(text: string): number {
  return (Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) / DRAWS) * 2 - 1;
}
