/**
 * How many connections the listeners hold. Invariants:
 * - Both listeners together never hold more than the process may open, less what it has open at the start and
 *   KEPT_FREE for log, archive and snapshots: strangers cannot keep the venue from writing.
 * - No address holds more than its share of a listener, so that one client cannot keep all others out. A trusted proxy
 *   has no such bound: all clients come from there.
 * - A client that sends nothing, or slowly, is cut off (TIMEOUTS).
 *
 * A connection beyond a bound is closed at once, without an answer. Cost: a Map look-up a connection.
 */
import type { Server } from 'node:http';
import { sourceOf } from '../../config/addresses.ts';
import type { ClientAddresses } from './client-address.ts';

const MOST_CONNECTIONS = 10_000;
const MOST_CONTROL_CONNECTIONS = 1000;
const KEPT_FREE = 48;
/** A venue with fewer would be of no use. */
const LEAST = 16;

/** Within which the headers, and the whole of a request, must have come; looked at every second. */
export const TIMEOUTS = { headersMs: 10_000, requestMs: 15_000 } as const;
export const CHECK_TIMEOUTS_MS = 1000;
/** How long a connection may be idle. A client that reuses one while it is being closed loses its request, so not briefly. */
export const KEEP_ALIVE_MS = 65_000;

/** Of one listener. */
export interface ConnectionBounds {
  readonly total: number;
  readonly perAddress: number;
}

export interface ConnectionPlan {
  readonly gateway: ConnectionBounds;
  readonly control: ConnectionBounds;
}

export interface ConnectionSettings {
  /** Of the gateway; null: as many as there can be, at most 10,000. */
  readonly maxConnections: number | null;
  /** Of each listener; null: a quarter of its connections. */
  readonly maxConnectionsPerAddress: number | null;
}

/**
 * Shares out what the process may open: a quarter to the control surface, so that the operator gets in when the gateway is
 * full. `limit` Infinity: there is none. Null: too little is left for a venue.
 */
export function planConnections(limit: number, open: number, settings: ConnectionSettings): ConnectionPlan | null {
  const left = limit - open - KEPT_FREE;
  return left < LEAST ? null : shares(left, settings);
}

/** What the listeners hold where nobody says otherwise and the process may open any number. */
export const DEFAULT_PLAN: ConnectionPlan = shares(Number.POSITIVE_INFINITY, {
  maxConnections: null,
  maxConnectionsPerAddress: null,
});

function shares(left: number, { maxConnections, maxConnectionsPerAddress }: ConnectionSettings): ConnectionPlan {
  const control = Math.min(MOST_CONTROL_CONNECTIONS, Math.floor(left / 4));
  const gateway = Math.min(maxConnections ?? MOST_CONNECTIONS, left - control);
  return {
    gateway: bounds(gateway, maxConnectionsPerAddress),
    control: bounds(control, maxConnectionsPerAddress),
  };
}

function bounds(total: number, perAddress: number | null): ConnectionBounds {
  return { total, perAddress: Math.min(total, perAddress ?? Math.ceil(total / 4)) };
}

/** Holds a listener to its bounds; to be called before it listens. */
export function boundConnections(
  server: Server,
  { total, perAddress }: ConnectionBounds,
  clients: ClientAddresses,
  onRefused: () => void,
): void {
  server.maxConnections = total;
  server.on('drop', onRefused);
  const held = new Map<string, number>();
  server.prependListener('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (clients.isProxy(address)) return;
    const source = sourceOf(address);
    const count = held.get(source) ?? 0;
    if (count >= perAddress) {
      socket.destroy();
      onRefused();
      return;
    }
    held.set(source, count + 1);
    socket.once('close', () => {
      const left = (held.get(source) as number) - 1;
      if (left === 0) held.delete(source);
      else held.set(source, left);
    });
  });
}
