/**
 * The gateway's part of a configuration. It is not part of the venue: no log holds it, and it may change from start to
 * start.
 */
import { RETENTION_ORDERS } from '../venue/contract/order-view.ts';
import { parseNetwork } from './addresses.ts';
import type { Field } from './field.ts';
import { type RateLimits, type RateLimitsInput, readRateLimits } from './rate-limits.ts';
import { DAY_MS } from './times.ts';

/** How many refused commands an account may have at once, and how many more each second. */
export interface RefusedCommandsLimit {
  readonly burst: number;
  readonly perSecond: number;
}

export interface GatewayConfiguration {
  readonly rateLimits: RateLimits | 'off';
  readonly nonceWindowMs: number;
  /** Addresses and networks of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Null: as many as the process can have, at most 10,000. */
  readonly maxConnections: number | null;
  /** Null: a quarter of them. */
  readonly maxConnectionsPerAddress: number | null;
  /** Null: depends on the clock (refusedCommandsOn). */
  readonly refusedCommands: RefusedCommandsLimit | 'off' | null;
  /** How long a command may wait before requests are refused. Null: depends on clock and demo (maxQueueOn). */
  readonly maxQueueMs: number | 'off' | null;
  /** The shortest time between two frames of a book on a stream. 0: each change at once. */
  readonly streamBookMs: number;
  /** How long the archive keeps an order that ended without a fill, and how many of them. */
  readonly keepUnfilledHours: number | 'all';
  readonly keepUnfilledOrders: number | 'all';
}

export interface GatewayInput {
  rateLimits?: 'off' | 'btse' | RateLimitsInput;
  nonceWindowMs?: number;
  trustedProxies?: readonly string[];
  maxConnections?: number;
  maxConnectionsPerAddress?: number;
  refusedCommands?: RefusedCommandsLimit | 'off';
  maxQueueMs?: number | 'off';
  streamBookMs?: number;
  keepUnfilledHours?: number | 'all';
  keepUnfilledOrders?: number | 'all';
}

export const GATEWAY_KEYS: readonly (keyof GatewayInput)[] = [
  'rateLimits',
  'nonceWindowMs',
  'trustedProxies',
  'maxConnections',
  'maxConnectionsPerAddress',
  'refusedCommands',
  'maxQueueMs',
  'streamBookMs',
  'keepUnfilledHours',
  'keepUnfilledOrders',
];

export const GATEWAY_DEFAULTS: GatewayConfiguration = {
  rateLimits: 'off',
  nonceWindowMs: 60_000,
  trustedProxies: [],
  maxConnections: null,
  maxConnectionsPerAddress: null,
  refusedCommands: null,
  maxQueueMs: null,
  streamBookMs: 50,
  keepUnfilledHours: 'all',
  keepUnfilledOrders: 'all',
};

const MOST_CONNECTIONS = 1_000_000;
const MOST_REFUSED = 1_000_000;
const LONGEST_QUEUE_MS = 60_000;
const LONGEST_BOOK_MS = 10_000;
const USUAL_QUEUE_MS = 50;
/** A century. */
const MOST_HOURS = 876_000;
/** The venue itself keeps as many ended orders. */
const LEAST_ORDERS = RETENTION_ORDERS;
const MOST_ORDERS = 1_000_000_000_000;
const USUAL_REFUSED: RefusedCommandsLimit = { burst: 2000, perSecond: 20 };

/** Reads the gateway's fields of a whole configuration. */
export function readGateway(configuration: Field): GatewayConfiguration {
  const defaults = GATEWAY_DEFAULTS;
  return {
    rateLimits: readRateLimits(configuration.at('rateLimits')),
    nonceWindowMs: configuration.at('nonceWindowMs').integer(1, DAY_MS, defaults.nonceWindowMs),
    trustedProxies: readNetworks(configuration.at('trustedProxies')),
    maxConnections: readConnections(configuration.at('maxConnections')),
    maxConnectionsPerAddress: readConnections(configuration.at('maxConnectionsPerAddress')),
    refusedCommands: readRefusedCommands(configuration.at('refusedCommands')),
    maxQueueMs: readMaxQueue(configuration.at('maxQueueMs')),
    streamBookMs: configuration.at('streamBookMs').integer(0, LONGEST_BOOK_MS, defaults.streamBookMs),
    keepUnfilledHours: readKept(configuration.at('keepUnfilledHours'), 1, MOST_HOURS),
    keepUnfilledOrders: readKept(configuration.at('keepUnfilledOrders'), LEAST_ORDERS, MOST_ORDERS),
  };
}

/**
 * The limit in force. None on a manual clock, where a test refuses as fast as it can, and the limit runs on the
 * machine's clock.
 */
export function refusedCommandsOn(
  clock: 'real' | 'manual',
  { refusedCommands }: Pick<GatewayConfiguration, 'refusedCommands'>,
): RefusedCommandsLimit | 'off' {
  return refusedCommands ?? (clock === 'manual' ? 'off' : USUAL_REFUSED);
}

/**
 * The limit in force. None on a manual clock and for a demo, where nobody waits for a market: a slow machine would fail
 * tests, and refuse a newcomer's first order.
 */
export function maxQueueOn(
  clock: 'real' | 'manual',
  { maxQueueMs }: Pick<GatewayConfiguration, 'maxQueueMs'>,
  isDemo = false,
): number | 'off' {
  return maxQueueMs ?? (clock === 'manual' || isDemo ? 'off' : USUAL_QUEUE_MS);
}

function readMaxQueue(field: Field): number | 'off' | null {
  if (!field.given) return null;
  return field.value === 'off' ? 'off' : field.integer(1, LONGEST_QUEUE_MS);
}

function readKept(field: Field, least: number, most: number): number | 'all' {
  return !field.given || field.value === 'all' ? 'all' : field.integer(least, most);
}

function readRefusedCommands(field: Field): RefusedCommandsLimit | 'off' | null {
  if (!field.given) return null;
  if (field.value === 'off') return 'off';
  if (typeof field.value !== 'object' || field.value === null || Array.isArray(field.value)) {
    field.problem('must be "off" or an object with burst, perSecond');
    return null;
  }
  field.object(['burst', 'perSecond']);
  return {
    burst: field.at('burst').integer(1, MOST_REFUSED, USUAL_REFUSED.burst),
    perSecond: field.at('perSecond').integer(1, MOST_REFUSED, USUAL_REFUSED.perSecond),
  };
}

function readConnections(field: Field): number | null {
  return field.given ? field.integer(1, MOST_CONNECTIONS) : null;
}

/** A list of addresses and networks. */
export function readNetworks(field: Field): string[] {
  return field.list('addresses or CIDR ranges').map((entry) => {
    const text = entry.text();
    if (text !== '' && parseNetwork(text) === null) entry.problem(`must be an address or CIDR range, not ${text}`);
    return text;
  });
}
