/**
 * BTSE's rate limits: how many requests a key, an account and an address may send, and how long they are blocked after
 * they sent more.
 *
 * Each of them has a bucket for each kind of request. It holds `burst` requests and refills at `perSecond`, so a client
 * that keeps to the rate is never refused, however its requests are spread over a second. A request that finds a
 * bucket empty is a breach. It blocks that kind of request for that key, account or address: one second, then five
 * minutes, then fifteen. Requests during a block are refused and neither prolong it nor count. The first duration
 * applies again after the longest block, and after an hour without a breach.
 *
 * Invariants:
 * - A request counts for all its buckets, or for none.
 * - A request that is not authenticated never counts for a key or an account, so nobody can block a stranger's.
 * - Time is elapsed time, which nobody can set.
 *
 * Cost: one or two Map look-ups for each request. At most BUCKETS are held. Beyond that, those that are full and have
 * no breach are forgotten, and then the oldest.
 */
import { sourceOf } from '../../config/addresses.ts';
import type { Rate, RateLimits } from '../../config/rate-limits.ts';
import { HOUR_MS } from '../../config/times.ts';
import { ApiError } from '../shared/errors.ts';
import type { Route, Surface } from '../shared/surface.ts';

const BUCKETS = 50_000;

export type RateKind = 'orders' | 'queries' | 'wallet' | 'public' | 'market';
export type RateOf = 'key' | 'account' | 'address';

export interface Limited {
  readonly kind: RateKind;
  readonly of: RateOf;
  /** How long the present block is in all. */
  readonly blockSeconds: number;
}

export interface RateLimiterOptions {
  /** Time that never goes back. */
  readonly elapsedMs: () => number;
  /** Called for each request that was refused. Must not throw. */
  readonly onLimited: (limited: Limited) => void;
}

interface Bucket {
  readonly kind: RateKind;
  readonly of: RateOf;
  readonly rate: Rate;
  tokens: number;
  atMs: number;
  /** How many durations were used. The next breach has the duration of this index. */
  blocks: number;
  breachedAtMs: number;
  blockedUntilMs: number;
}

/** What a request counts as. */
export function rateKindOf({ basePath, unsignedPrefix }: Surface, { method, path, permission }: Route): RateKind {
  if (permission === null) return basePath.startsWith('/public-api/market') ? 'market' : 'public';
  if (permission === 'transfer' || permission === 'wallet') return 'wallet';
  if (method !== 'GET') return 'orders';
  const isWallet = basePath.startsWith('/public-api/wallet') || path.startsWith('/user/wallet');
  return isWallet && unsignedPrefix !== '/futures' ? 'wallet' : 'queries';
}

export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #options: RateLimiterOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: RateLimits, options: RateLimiterOptions) {
    this.#limits = limits;
    this.#options = options;
  }

  /** Counts a request to a public route. @throws {ApiError} rateLimited */
  countPublic(kind: RateKind, address: string): void {
    const { market, publicQueries } = this.#limits;
    const nowMs = this.#options.elapsedMs();
    this.#count(nowMs, [
      this.#bucket(kind, 'address', sourceOf(address), kind === 'market' ? market : publicQueries, nowMs),
    ]);
  }

  /** Counts an authenticated request. @throws {ApiError} rateLimited */
  countSigned(kind: RateKind, key: string, account: number): void {
    const nowMs = this.#options.elapsedMs();
    if (kind === 'wallet') {
      this.#count(nowMs, [this.#bucket(kind, 'account', String(account), this.#limits.wallet, nowMs)]);
      return;
    }
    const rates = kind === 'orders' ? this.#limits.orders : this.#limits.queries;
    this.#count(nowMs, [
      this.#bucket(kind, 'key', key, rates.key, nowMs),
      this.#bucket(kind, 'account', String(account), rates.account, nowMs),
    ]);
  }

  #count(nowMs: number, buckets: readonly Bucket[]): void {
    const blocked = buckets.find(({ blockedUntilMs }) => blockedUntilMs > nowMs);
    if (blocked !== undefined) this.#refuse(blocked, nowMs);
    const empty = buckets.find(({ tokens }) => tokens < 1);
    if (empty !== undefined) {
      this.#block(empty, nowMs);
      this.#refuse(empty, nowMs);
    }
    for (const bucket of buckets) bucket.tokens -= 1;
  }

  #block(bucket: Bucket, nowMs: number): void {
    const { blockSeconds } = this.#limits;
    const isForgotten = bucket.blocks === blockSeconds.length || nowMs - bucket.breachedAtMs >= HOUR_MS;
    if (isForgotten) bucket.blocks = 0;
    bucket.breachedAtMs = nowMs;
    bucket.blockedUntilMs = nowMs + blockSeconds[bucket.blocks] * 1000;
    bucket.blocks += 1;
  }

  #refuse({ kind, of, rate, blocks, blockedUntilMs }: Bucket, nowMs: number): never {
    this.#options.onLimited({ kind, of, blockSeconds: this.#limits.blockSeconds[blocks - 1] });
    const seconds = Math.ceil((blockedUntilMs - nowMs) / 1000);
    throw new ApiError('rateLimited', { ...worded(kind, of, rate), seconds }, { retryAfterSeconds: seconds });
  }

  /** The bucket at this moment. */
  #bucket(kind: RateKind, of: RateOf, name: string, rate: Rate, nowMs: number): Bucket {
    const id = `${kind} ${of} ${name}`;
    const held = this.#buckets.get(id);
    if (held !== undefined) {
      held.tokens = Math.min(rate.burst, held.tokens + ((nowMs - held.atMs) * rate.perSecond) / 1000);
      held.atMs = nowMs;
      return held;
    }
    if (this.#buckets.size >= BUCKETS) this.#forget(nowMs);
    const bucket: Bucket = {
      kind,
      of,
      rate,
      tokens: rate.burst,
      atMs: nowMs,
      blocks: 0,
      breachedAtMs: 0,
      blockedUntilMs: 0,
    };
    this.#buckets.set(id, bucket);
    return bucket;
  }

  #forget(nowMs: number): void {
    for (const [id, { tokens, atMs, rate, blocks, breachedAtMs }] of this.#buckets) {
      const isFull = tokens + ((nowMs - atMs) * rate.perSecond) / 1000 >= rate.burst;
      if (isFull && (blocks === 0 || nowMs - breachedAtMs >= HOUR_MS)) this.#buckets.delete(id);
    }
    // Many addresses at once: the first tenth makes room, so that this is rare.
    for (const id of this.#buckets.keys()) {
      if (this.#buckets.size <= BUCKETS * 0.9) break;
      this.#buckets.delete(id);
    }
  }
}

const WORDS: Readonly<Record<RateKind, string>> = {
  orders: 'orders and cancels',
  queries: 'queries',
  wallet: 'wallet requests',
  public: 'public queries',
  market: 'queries of market v1',
};

function worded(kind: RateKind, of: RateOf, { burst, perSecond }: Rate): { most: number; what: string } {
  const interval = burst === perSecond ? 'a second' : 'in two seconds';
  return { most: burst, what: `${WORDS[kind]} of this ${of} ${interval}` };
}
