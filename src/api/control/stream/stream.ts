/**
 * The control stream, `GET /control/v1/stream`: one WebSocket that shows everything of the venue, of any account, to anyone
 * who has a control token. The listener (server.ts) has checked the token before it hands over the connection.
 *
 * Invariants:
 * - A reader whose token is revoked is closed within a second.
 * - No reader makes the venue wait: one that is behind by MOST_BUFFERED bytes is closed, and may continue with `after`.
 * - Snapshots that readers ask for use a fifth of the thread at most, and readers take turns (pace.ts).
 * - Everybody gets a heartbeat each second, so that silence means that the connection or the venue is gone.
 *
 * Cost: a heartbeat a second while somebody is connected. The topics: feed.ts.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Timer } from '../../../engine/contract/world.ts';
import { Outbox } from '../../streams/outbox.ts';
import { Pace } from '../../streams/pace.ts';
import { webSockets } from '../../streams/upgrades.ts';
import { Feed, type FeedOptions } from './feed.ts';
import { Reader } from './reader.ts';

const HEARTBEAT_MS = 1000;
/** How long a stop waits until readers have answered that they close. */
const CLOSE_MS = 1000;

export interface ControlStreamOptions extends FeedOptions {
  /** Called when a reader is closed because it reads too slowly. Must not throw. */
  readonly onTooSlow?: () => void;
}

export class ControlStream {
  readonly #options: ControlStreamOptions;
  readonly #feed: Feed;
  readonly #outbox = new Outbox();
  readonly #pace: Pace;
  readonly #readers = new Map<Reader, () => boolean>();
  readonly #upgrades = webSockets();
  #heartbeat: Timer | null = null;
  #onEmpty: (() => void) | null = null;

  constructor(options: ControlStreamOptions) {
    this.#options = options;
    this.#feed = new Feed(options);
    this.#pace = new Pace(options.world);
  }

  /** How many are connected. */
  get readers(): number {
    return this.#readers.size;
  }

  /** Takes the connection of a handshake. `isAllowed`: its credential still counts. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer, isAllowed: () => boolean): void {
    this.#upgrades.handleUpgrade(request, socket, head, (ws: WebSocket) => {
      const { sources, world, onBug, onTooSlow = () => {} } = this.#options;
      const reader = new Reader(ws, socket, {
        feed: this.#feed,
        engine: sources.engine,
        outbox: this.#outbox,
        pace: this.#pace,
        world,
        onBug,
        onTooSlow,
        onClosed: () => this.#left(reader),
      });
      this.#readers.set(reader, isAllowed);
      if (this.#readers.size === 1) this.#scheduleHeartbeat();
    });
  }

  async close(): Promise<void> {
    if (this.#readers.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const reader of this.#readers.keys()) reader.drop('the venue stops', 1001);
    const timer = this.#options.world.timer(CLOSE_MS, () => {
      for (const reader of this.#readers.keys()) reader.cut();
    });
    await empty;
    timer.clear();
  }

  #left(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#heartbeat?.clear();
    this.#heartbeat = null;
    this.#onEmpty?.();
  }

  #scheduleHeartbeat(): void {
    this.#heartbeat = this.#options.world.timer(HEARTBEAT_MS, () => {
      this.#beat();
      if (this.#readers.size > 0) this.#scheduleHeartbeat();
    });
    this.#heartbeat.unref();
  }

  #beat(): void {
    for (const [reader, isAllowed] of this.#readers) if (!isAllowed()) reader.drop('its token does not count any more');
    // Without a heartbeat a reader says that what it shows is old, which is so while the venue is being rebuilt.
    if (this.#options.sources.engine.unreadable !== undefined) return;
    const frame = this.#feed.message('heartbeat', 'heartbeat');
    for (const reader of this.#readers.keys()) reader.send(frame);
    this.#feed.look();
  }
}
