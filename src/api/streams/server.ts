/**
 * The streams: WebSocket connections on the port of the gateway. The gateway hands over the connection of a request for an
 * upgrade. From then on it belongs to a `Connection`.
 *
 * Invariants:
 * - A frame is sent only when its command is durable and applied.
 * - No client can make the venue wait, nor use more than its share of memory (connection.ts).
 *
 * Cost: nothing while nobody is connected. While somebody is, one check of all connections each second.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Timer, World } from '../../engine/contract/world.ts';
import type { Admission } from '../gateway/admission.ts';
import { errorBody } from '../gateway/error-bodies.ts';
import type { Faults } from '../gateway/faults.ts';
import { replyRaw } from '../gateway/raw-reply.ts';
import type { UpgradeTaker } from '../gateway/upgrades.ts';
import { malformed } from '../shared/errors.ts';
import { Accounts } from './accounts.ts';
import { Books } from './books.ts';
import { Connection } from './connection.ts';
import { Outbox } from './outbox.ts';
import { Pace } from './pace.ts';
import type { SinceOptions } from './since.ts';
import type { FrameKind, StreamEngine } from './subscription.ts';
import { type Publishers, socketAt } from './topics.ts';
import { type RecentTrades, Trades } from './trades.ts';
import { webSockets } from './upgrades.ts';

const CHECK_MS = 1000;
const IDLE_MS = 60_000;
const PING_MS = 30_000;
/** How long a stop waits until clients have answered that they close. */
const CLOSE_MS = 1000;
/** How long the reply to a command of the control surface waits for the clients. */
export const SETTLE_MS = 1000;

export interface StreamServerOptions {
  readonly engine: StreamEngine;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  /** The shortest time between two frames of a book. */
  readonly bookIntervalMs: number;
  readonly recentTrades: RecentTrades;
  readonly logins: Pick<Admission, 'login' | 'isPast'>;
  /** For topics that begin after a seq. */
  readonly since: Omit<SinceOptions, 'engine'>;
  readonly faults: Faults;
  /** Frames were written to all their subscribers so many seconds after the oldest change in them became durable. */
  readonly onSent: (kind: FrameKind, seconds: number) => void;
  /** Called with a bug: handling a frame threw. Must not throw. */
  readonly onBug: (error: unknown, where: string) => void;
}

export class StreamServer implements UpgradeTaker {
  readonly #options: StreamServerOptions;
  readonly #publishers: Publishers;
  readonly #upgrades = webSockets();
  readonly #outbox = new Outbox();
  readonly #connections = new Set<Connection>();
  #check: Timer | null = null;
  #pingAtMs = 0;
  #detach: (() => void) | null = null;
  #onEmpty: (() => void) | null = null;
  /** Keys that the command in progress has revoked. */
  #revoked: string[] = [];

  constructor(options: StreamServerOptions) {
    this.#options = options;
    const { engine, world, bookIntervalMs, recentTrades } = options;
    const pace = new Pace(world);
    const write = (kind: FrameKind, durableAtMs: number) => {
      this.#outbox.flush();
      options.onSent(kind, (world.monotonicMs() - durableAtMs) / 1000);
    };
    this.#publishers = {
      books: new Books({ engine, world, write, pace, intervalMs: bookIntervalMs }),
      trades: new Trades({ engine, write, pace, recent: recentTrades }),
      accounts: new Accounts({ engine, write }),
    };
    this.#upgrades.on('wsClientError', ({ message }, socket) => {
      const refusal = malformed('the handshake', message, 'send a WebSocket handshake of version 13');
      replyRaw(socket, refusal.status, JSON.stringify(errorBody(refusal, 'A', engine.venue, engine.nowMs())));
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** How many topics all connections have together. */
  get topics(): number {
    let topics = 0;
    for (const connection of this.#connections) topics += connection.topics;
    return topics;
  }

  takes(path: string): boolean {
    return socketAt(path) !== undefined;
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void {
    const place = socketAt((request.url ?? '').split('?', 1)[0]);
    if (place === undefined) throw new Error(`no stream at ${request.url}`);
    this.#upgrades.handleUpgrade(request, socket, head, (ws) => {
      const { engine, world, logins, faults, since, onBug } = this.#options;
      const connection = new Connection(ws, socket, {
        socket: place,
        engine,
        world,
        publishers: this.#publishers,
        since: { ...since, engine },
        faults,
        outbox: this.#outbox,
        login: (login) => logins.login(login, place.path, address),
        isPast: (expiresAtMs) => logins.isPast(expiresAtMs),
        onBug,
        onClosed: () => this.#left(connection),
      });
      this.#connections.add(connection);
      if (this.#connections.size === 1) this.#begin();
    });
  }

  /**
   * Resolves when every client with a topic has answered a ping behind its last frame, so that its library has all of
   * them, or after a second.
   */
  async settled(): Promise<void> {
    const waiting = [...this.#connections].map((connection) => connection.settled());
    if (waiting.length === 0) return;
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#options.world.timer(SETTLE_MS, resolve);
    });
    await Promise.race([Promise.all(waiting), late]);
    timer?.clear();
  }

  /** Ends the connections at the paths that match, as a broken network does. */
  cut(matches: (path: string) => boolean): void {
    for (const connection of this.#connections) if (matches(connection.path)) connection.cut();
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    if (this.#connections.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const connection of this.#connections) connection.drop('the venue stops', 1001);
    const timer = this.#options.world.timer(CLOSE_MS, () => {
      for (const connection of this.#connections) connection.cut();
    });
    await empty;
    timer.clear();
  }

  #begin(): void {
    this.#pingAtMs = this.#options.world.monotonicMs() + PING_MS;
    this.#detach = this.#options.engine.listen({
      keyRevoked: ({ key }) => this.#revoked.push(key),
      commandApplied: () => {
        if (this.#revoked.length > 0) this.#dropRevoked();
      },
      commandUndone: () => {
        this.#revoked = [];
      },
      // The venue becomes readable in this turn of the event loop.
      stateReplaced: () => queueMicrotask(() => this.#resume()),
    });
    this.#scheduleCheck();
  }

  #dropRevoked(): void {
    const revoked = this.#revoked;
    this.#revoked = [];
    for (const connection of this.#connections) {
      if (connection.session !== null && revoked.includes(connection.session.key)) {
        connection.drop('its API key was revoked');
      }
    }
  }

  /** The state was replaced: keys may be gone, and what clients sent meanwhile can be answered. */
  #resume(): void {
    const { engine } = this.#options;
    if (engine.unreadable !== undefined) return;
    for (const connection of this.#connections) {
      const { session } = connection;
      const key = session === null ? undefined : engine.venue.key(session.key);
      const isSame = key?.account === session?.account && key?.sealed === session?.sealed;
      if (isSame) connection.resume();
      else connection.drop('its API key does not exist any more');
    }
  }

  #left(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    this.#check?.clear();
    this.#check = null;
    this.#detach?.();
    this.#detach = null;
    this.#onEmpty?.();
  }

  #scheduleCheck(): void {
    this.#check = this.#options.world.timer(CHECK_MS, () => {
      const nowMs = this.#options.world.monotonicMs();
      const ping = nowMs >= this.#pingAtMs;
      if (ping) this.#pingAtMs = nowMs + PING_MS;
      for (const connection of this.#connections) connection.check(nowMs, { idleMs: IDLE_MS, ping });
      if (this.#connections.size > 0) this.#scheduleCheck();
    });
    this.#check.unref();
  }
}
