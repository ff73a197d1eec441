/**
 * A price over time: a start, then jumps, ramps and random walks. Equal files give equal prices: a walk follows from its
 * seed and the number of its step, in integers.
 */
import { hash } from 'node:crypto';
import { msOf, type PriceMove, type PriceOverTime } from './schema.ts';

/** The numbers of a walk: 2^32 of them, in equal steps from −1 to 1. */
const DRAWS = 2 ** 32;

export interface PricePath {
  readonly symbol: string;
  readonly sets: readonly ('index' | 'last')[];
  /** The price at a time since the beginning. Times must not go back. */
  at(ms: number): number;
}

/** What is wrong with the members and times of moves, in words. */
export function problemsOfMoves({ moves = [] }: PriceOverTime, place: string): string[] {
  let endMs = 0;
  return moves.flatMap((move, i) => {
    const where = `${place}.moves[${i}]`;
    const { at, from, until, to, walk } = move;
    const isJump = at !== undefined && from === undefined && until === undefined;
    const isOverTime = at === undefined && from !== undefined && until !== undefined;
    const isMove =
      (isJump && to !== undefined && walk === undefined) || (isOverTime && (to === undefined) !== (walk === undefined));
    if (!isMove) {
      return [`${where} must be a jump (at, to), a ramp (from, until, to) or a walk (from, until, walk)`];
    }
    const [beginMs, overMs] = timesOf(move);
    const problems: string[] = [];
    if (beginMs < endMs) problems.push(`${where} begins before the end of the move before it`);
    if (at === undefined && overMs <= beginMs) problems.push(`${where}.until must be after from`);
    endMs = overMs;
    return problems;
  });
}

function timesOf({ at, from, until }: PriceMove): [beginMs: number, overMs: number] {
  return at !== undefined ? [msOf(at), msOf(at)] : [msOf(from ?? 0), msOf(until ?? 0)];
}

/** `stepMs`: between two steps of a walk. */
export function pricePath(prices: PriceOverTime, stepMs: number, seed: number): PricePath {
  const { symbol, start, sets = ['index', 'last'], moves = [] } = prices;
  const points: { readonly ms: number; readonly price: number; readonly isJump: boolean }[] = [
    { ms: 0, price: Number(start), isJump: true },
  ];
  for (const [i, move] of moves.entries()) {
    const [beginMs, overMs] = timesOf(move);
    let price = points[points.length - 1].price;
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
      if (next === undefined || next.isJump) return now.price;
      return now.price + ((next.price - now.price) * (ms - now.ms)) / (next.ms - now.ms);
    },
  };
}

/** From −1 to 1. */
function drawn(text: string): number {
  return (Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) / DRAWS) * 2 - 1;
}
