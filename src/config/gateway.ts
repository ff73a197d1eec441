/**
 * The part of a configuration that only the gateway looks at. It is no part of the venue: no log holds it, and it may
 * change from start to start.
 */
import { parseNetwork } from './addresses.ts';
import type { Field } from './field.ts';

export interface GatewayConfiguration {
  readonly rateLimits: 'off' | 'btse';
  readonly nonceWindowMs: number;
  /** Addresses and networks of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** null: as many as the process can hold, at most 10,000. */
  readonly maxConnections: number | null;
  /** null: a quarter of them. */
  readonly maxConnectionsPerAddress: number | null;
}

export interface GatewayInput {
  rateLimits?: 'off' | 'btse';
  nonceWindowMs?: number;
  trustedProxies?: readonly string[];
  maxConnections?: number;
  maxConnectionsPerAddress?: number;
}

export const GATEWAY_KEYS: readonly (keyof GatewayInput)[] = [
  'rateLimits',
  'nonceWindowMs',
  'trustedProxies',
  'maxConnections',
  'maxConnectionsPerAddress',
];

export const GATEWAY_DEFAULTS: GatewayConfiguration = {
  rateLimits: 'off',
  nonceWindowMs: 60_000,
  trustedProxies: [],
  maxConnections: null,
  maxConnectionsPerAddress: null,
};

const MOST_CONNECTIONS = 1_000_000;

/** Reads the gateway's members of a whole configuration. */
export function readGateway(configuration: Field): GatewayConfiguration {
  const defaults = GATEWAY_DEFAULTS;
  return {
    rateLimits: configuration.at('rateLimits').oneOf(['off', 'btse'], defaults.rateLimits),
    nonceWindowMs: configuration.at('nonceWindowMs').integer(1, 86_400_000, defaults.nonceWindowMs),
    trustedProxies: readNetworks(configuration.at('trustedProxies')),
    maxConnections: readConnections(configuration.at('maxConnections')),
    maxConnectionsPerAddress: readConnections(configuration.at('maxConnectionsPerAddress')),
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
