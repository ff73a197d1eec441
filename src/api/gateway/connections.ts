/**
 * Limits the connections of the listeners. Invariants:
 * - Both listeners together never have more than the process may open, minus what it has open at the start, minus
 *   KEPT_FREE for log, archive and snapshots. So strangers cannot keep the venue from writing.
 * - No address has more than its share of a listener, so one client cannot keep out all others. A trusted proxy has no
 *   such limit, because all clients come from there.
 * - A client that sends nothing, or slowly, is disconnected (TIMEOUTS).
 *
 * A connection over a limit is closed at once, without an answer. Cost: one Map look-up per connection.
 */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { sourceOf } from '../../config/addresses.ts';
import type { ClientAddresses } from './client-address.ts';

const MOST_CONNECTIONS = 10_000;
const MOST_CONTROL_CONNECTIONS = 1000;
const KEPT_FREE = 48;
/** With fewer connections a venue would be useless. */
const LEAST = 16;

/** The time limits for the headers and for the whole request, checked every second. */
export const TIMEOUTS = { headersMs: 10_000, requestMs: 15_000 } as const;
export const CHECK_TIMEOUTS_MS = 1000;
/**
 * How long a connection may be idle. A client that reuses a connection while it is being closed loses its request, so
 * this is not short.
 */
export const KEEP_ALIVE_MS = 65_000;

/** The limits of one listener. */
export interface ConnectionBounds {
  readonly total: number;
  readonly perAddress: number;
}

export interface ConnectionPlan {
  readonly gateway: ConnectionBounds;
  readonly control: ConnectionBounds;
}

export interface ConnectionSettings {
  /** For the gateway. Null: as many as possible, at most 10,000. */
  readonly maxConnections: number | null;
  /** For each listener. Null: a quarter of its connections. */
  readonly maxConnectionsPerAddress: number | null;
}

/**
 * Divides what the process may open. A quarter is for the control surface, so that the operator gets in when the
 * gateway is full. `limit` may be Infinity. Null: too little is left for a venue.
 */
export function planConnections(limit: number, open: number, settings: ConnectionSettings): ConnectionPlan | null {
  const left = limit - open - KEPT_FREE;
  return left < LEAST ? null : shares(left, settings);
}

/** The limits by default, if the process may open any number of files. */
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

/** Applies the limits to a listener. Call it before the server listens. */
export function boundConnections(
  server: Server,
  { total, perAddress }: ConnectionBounds,
  clients: ClientAddresses,
  onRefused: () => void,
): void {
  server.maxConnections = total;
  server.on('drop', onRefused);
  const held = new HeldByAddress(perAddress);
  server.prependListener('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (clients.isProxy(address)) return;
    if (held.take(address, socket)) return;
    socket.destroy();
    onRefused();
  });
}

/** Counts the open connections of each address. */
export class HeldByAddress {
  readonly most: number;
  readonly #held = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** Counts a connection until it closes. False: its address has as many as it may have. */
  take(address: string, socket: Duplex): boolean {
    const source = sourceOf(address);
    const count = this.#held.get(source) ?? 0;
    if (count >= this.most) return false;
    this.#held.set(source, count + 1);
    socket.once('close', () => {
      const left = (this.#held.get(source) as number) - 1;
      if (left === 0) this.#held.delete(source);
      else this.#held.set(source, left);
    });
    return true;
  }
}
