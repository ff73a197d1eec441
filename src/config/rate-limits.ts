/**
 * The rate limits of a configuration: off, those of BTSE, or other numbers. A number that is not given is BTSE's, or
 * follows from one that is.
 */
import { Field } from './field.ts';

/** A bucket of `burst` requests that refills at `perSecond`. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

export interface RateLimits {
  readonly orders: { readonly key: Rate; readonly account: Rate };
  readonly queries: { readonly key: Rate; readonly account: Rate };
  /** Wallets on spot and wallet v1, for each account. */
  readonly wallet: Rate;
  /** Public routes of spot and futures, for each address. */
  readonly publicQueries: Rate;
  /** Market v1, for each address. */
  readonly market: Rate;
  /** How long the first breach blocks, the second, and so on, in seconds. */
  readonly blockSeconds: readonly number[];
  /** Streams that one address may have open. */
  readonly streamsPerAddress: number;
}

export interface RateLimitsInput {
  /** For each key: placements, amends, cancels, closes, settings. Default: 75. */
  ordersPerSecond?: number;
  /** Default: that of a key. */
  ordersPerSecondOfAccount?: number;
  /** For each key: everything that reads, except wallets. Default: 15. */
  queriesPerSecond?: number;
  /** Default: twice that of a key. */
  queriesPerSecondOfAccount?: number;
  /** For each account, on spot and wallet v1. Default: 5. */
  walletPerSecond?: number;
  /** For each address: public routes of spot and futures. Default: that of a key's queries. */
  publicPerSecond?: number;
  /** For each address: market v1. Default: 50. */
  marketPerTwoSeconds?: number;
  /** Default: 1, 300, 900. */
  blockSeconds?: readonly number[];
  /** Default: 50. */
  streamsPerAddress?: number;
}

const KEYS: readonly (keyof RateLimitsInput)[] = [
  'ordersPerSecond',
  'ordersPerSecondOfAccount',
  'queriesPerSecond',
  'queriesPerSecondOfAccount',
  'walletPerSecond',
  'publicPerSecond',
  'marketPerTwoSeconds',
  'blockSeconds',
  'streamsPerAddress',
];

const MOST = 1_000_000;
const MOST_BLOCKS = 10;
const LONGEST_BLOCK_SECONDS = 86_400;
const BTSE_BLOCK_SECONDS = [1, 300, 900];

export function readRateLimits(field: Field): RateLimits | 'off' {
  if (!field.given || field.value === 'off') return 'off';
  const isObject = typeof field.value === 'object' && field.value !== null && !Array.isArray(field.value);
  if (field.value !== 'btse' && !isObject) {
    field.problem(`must be "off", "btse", or an object with ${KEYS.join(', ')}, not ${JSON.stringify(field.value)}`);
    return 'off';
  }
  if (isObject) field.object(KEYS);
  const number = (key: keyof RateLimitsInput, fallback: number) => field.at(key).integer(1, MOST, fallback);
  const orders = number('ordersPerSecond', 75);
  const queries = number('queriesPerSecond', 15);
  const market = number('marketPerTwoSeconds', 50);
  return {
    orders: { key: perSecond(orders), account: perSecond(number('ordersPerSecondOfAccount', orders)) },
    queries: { key: perSecond(queries), account: perSecond(number('queriesPerSecondOfAccount', 2 * queries)) },
    wallet: perSecond(number('walletPerSecond', 5)),
    publicQueries: perSecond(number('publicPerSecond', queries)),
    market: { burst: market, perSecond: market / 2 },
    blockSeconds: readBlocks(field.at('blockSeconds')),
    streamsPerAddress: number('streamsPerAddress', 50),
  };
}

/** The value of the flag. */
export function namedRateLimits(name: 'off' | 'btse'): RateLimits | 'off' {
  return readRateLimits(new Field(name));
}

function perSecond(count: number): Rate {
  return { burst: count, perSecond: count };
}

function readBlocks(field: Field): readonly number[] {
  if (!field.given) return BTSE_BLOCK_SECONDS;
  const blocks = field.list('seconds').map((entry) => entry.integer(1, LONGEST_BLOCK_SECONDS));
  if (Array.isArray(field.value) && (blocks.length === 0 || blocks.length > MOST_BLOCKS)) {
    field.problem(`must have 1 to ${MOST_BLOCKS} durations in seconds, not ${blocks.length}`);
  }
  return blocks;
}
