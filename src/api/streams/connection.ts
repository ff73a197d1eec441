/**
 * One client of the streams: reads its frames, keeps its subscriptions, and sends it frames without letting it hold up
 * anybody.
 *
 * Invariants:
 * - A client has at most MOST_TOPICS topics, and at most MOST_BUFFERED bytes wait for it. A client that does not read is
 *   dropped with 1008.
 * - A client may ask for as much as allowance.ts says: pings and pongs without a ping count as frames, a login as LOGIN. At
 *   most MOST_HELD characters wait while the venue cannot be read. A client that asks for more, or sends MOST_FAILED frames
 *   with an error, is dropped with 1008.
 * - When a connection closes, its subscriptions end.
 * - No frame can end the process. If handling one throws, that is a bug of ours, which costs its sender the connection.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { World } from '../../engine/contract/world.ts';
import type { Venue } from '../../venue/venue.ts';
import type { Login } from '../gateway/auth.ts';
import type { Faults } from '../gateway/faults.ts';
import { ApiError, errorText } from '../shared/errors.ts';
import type { PrivateTopic } from './accounts.ts';
import { Allowance, ASKS_TOO_MUCH } from './allowance.ts';
import { closeSoon } from './closing.ts';
import type { Outbox } from './outbox.ts';
import { acknowledged, errorFrame, loggedIn, pong, type Refusal, readFrame, type StreamError } from './protocol.ts';
import { Since, type SinceOptions } from './since.ts';
import type { Publication, Receiver, StreamEngine, Subscription } from './subscription.ts';
import { type Publishers, type Socket, topicOf } from './topics.ts';

export const MOST_TOPICS = 100;
export const MOST_BUFFERED = 1_048_576;
export const MOST_FAILED = 20;
/** What a login counts as. A client needs one, and each costs the venue a signature and a place among the used nonces. */
export const LOGIN = 25;
/** The most errors that are reported for one frame. */
const MOST_ERRORS = 100;
/** The characters of the frames that wait while the venue cannot be read. */
export const MOST_HELD = 65_536;
/** Frames that a fault may delay. */
const MOST_DELAYED = 10_000;

/** The key that signed in, as it was then. */
export interface Session {
  readonly key: string;
  readonly sealed: string;
  readonly account: number;
  readonly expiresAtMs: number | null;
}

export interface ConnectionOptions {
  /** @throws {ApiError} says why the key is refused */
  readonly login: (login: Login) => Session;
  /** The time of an expiry has come. */
  readonly isPast: (expiresAtMs: number | null) => boolean;
  readonly socket: Socket;
  readonly engine: StreamEngine;
  readonly publishers: Publishers;
  readonly since: SinceOptions;
  readonly faults: Faults;
  /** Shared by all connections. */
  readonly outbox: Outbox;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  /** Called with a bug: handling a frame threw. Must not throw. */
  readonly onBug: (error: unknown, where: string) => void;
  readonly onClosed: () => void;
}

/** A frame that a fault delays. */
interface Delayed {
  readonly frame: Buffer;
  readonly latencyMs: number;
  /** When it may be sent, in venue time. Null: the delay is elapsed time. */
  readonly atMs: number | null;
}

interface Subscribed {
  readonly subscription: Subscription;
  /** Null: acknowledged, and silent until a login. */
  publication: Publication | null;
  /** Silent until a login. */
  readonly own: OwnTopic | null;
}

/** `since`: it begins after that seq. */
interface OwnTopic {
  readonly topic: PrivateTopic;
  readonly since?: number;
}

export class Connection implements Receiver {
  readonly #ws: WebSocket;
  readonly #raw: Duplex;
  readonly #options: ConnectionOptions;
  readonly #topics = new Map<string, Subscribed>();
  /** Frames that arrived while the venue could not be read. */
  #held: string[] = [];
  #heldChars = 0;
  #session: Session | null = null;
  #isDropped = false;
  #failed = 0;
  readonly #allowance: Allowance;
  #heardAtMs: number;
  #missedPings = 0;
  /** Pings without an answer. */
  #pongsDue = 0;
  /** How many frames were written, and how many of them the client has confirmed. */
  #sent = 0;
  #confirmed = 0;
  /** Calls of `settled` that wait until the client has confirmed this many frames. */
  #waiting: { readonly frames: number; readonly resolve: () => void }[] = [];
  /** Frames that a fault delays. */
  readonly #delayed: Delayed[] = [];

  /** `raw`: the connection below the WebSocket. */
  constructor(ws: WebSocket, raw: Duplex, options: ConnectionOptions) {
    this.#ws = ws;
    this.#raw = raw;
    this.#options = options;
    this.#allowance = new Allowance(options.world);
    this.#heardAtMs = options.world.monotonicMs();
    ws.on('message', (data) => this.#take(String(data)));
    ws.on('ping', (data) => {
      if (this.#mayGoOn()) ws.pong(data);
    });
    ws.on('pong', (data) => this.#takePong(Number(data)));
    // ws closes the connection itself: a frame that is too large, or text that is not UTF-8.
    ws.on('error', () => {});
    ws.on('close', () => this.#close());
  }

  get path(): string {
    return this.#options.socket.path;
  }

  get topics(): number {
    return this.#topics.size;
  }

  // --- to the client --------------------------------------------------------------------------------------------------

  /** Sends a frame of a topic. */
  send(frame: Buffer): void {
    if (this.#isDropped) return;
    const { faults, socket } = this.#options;
    const fault = faults.count === 0 ? null : faults.takeFrame(socket.path);
    if (fault?.dropFrames === true) return;
    const latencyMs = fault?.streamLatencyMs ?? 0;
    const atMs = fault?.inVenueTime === true ? this.#options.engine.nowMs() + latencyMs : null;
    if (latencyMs > 0 || this.#delayed.length > 0) this.#delay({ frame, latencyMs, atMs });
    else this.#write(frame);
  }

  /** Sends an answer. Frames of topics that a fault delays go first, so that the client sees the order of events. */
  #answer(frame: Buffer): void {
    if (this.#delayed.length > 0) this.#delay({ frame, latencyMs: 0, atMs: null });
    else this.#write(frame);
  }

  #write(frame: Buffer): void {
    if (this.#isDropped || this.#ws.readyState !== this.#ws.OPEN) return;
    this.#sent += 1;
    const { outbox } = this.#options;
    // ws compresses nothing, so it writes its own frames at once, and the order stays.
    outbox.put(this.#raw, frame);
    if (this.#ws.bufferedAmount <= MOST_BUFFERED) return;
    outbox.flush();
    if (this.#ws.bufferedAmount > MOST_BUFFERED) this.drop('it reads too slowly');
  }

  /** Sends the frame after the delay, and behind all earlier ones. */
  #delay(delayed: Delayed): void {
    this.#delayed.push(delayed);
    if (this.#delayed.length > MOST_DELAYED) this.drop('too many frames are delayed');
    else if (this.#delayed.length === 1) this.#sendDelayed();
  }

  #sendDelayed(): void {
    const { faults, world, engine } = this.#options;
    let next = this.#delayed.at(0);
    while (next !== undefined && next.atMs !== null && next.atMs <= engine.nowMs()) {
      this.#delayed.shift();
      this.#write(next.frame);
      next = this.#delayed.at(0);
    }
    const first = next;
    const isHeld = first !== undefined && first.atMs !== null;
    if (this.#waiting.length > 0 && (first === undefined || isHeld)) this.#ping();
    if (first === undefined) return;
    const send = () => {
      // The connection was closed, or its frames were forgotten.
      if (this.#delayed.at(0) !== first) return;
      this.#delayed.shift();
      this.#write(first.frame);
      this.#sendDelayed();
    };
    if (first.atMs !== null) faults.waits.at(first.atMs, send);
    else world.timer(first.latencyMs, send).unref();
  }

  sendPrivate(frame: Buffer): void {
    if (!this.#dropsExpired()) this.send(frame);
  }

  skipsNumber(): boolean {
    const { faults, socket } = this.#options;
    return faults.count > 0 && faults.takeNumber(socket.path) !== null;
  }

  /** The API key that signed in. Null: none has. */
  get session(): Session | null {
    return this.#session;
  }

  /** True: the key has expired, and the client is dropped. */
  #dropsExpired(): boolean {
    if (this.#session === null || !this.#options.isPast(this.#session.expiresAtMs)) return false;
    this.drop('its API key has expired');
    return true;
  }

  /** Closes the connection for a fault of the client, or of its key. */
  drop(reason: string, code = 1008): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#forget();
    closeSoon(this.#ws, code, reason, this.#options.world);
  }

  /** Ends the connection without a word, as a broken network does. */
  cut(): void {
    this.#ws.terminate();
  }

  /** Resolves when the client has everything that was sent to it so far, or is gone. */
  settled(): Promise<void> {
    // A manual clock does not move meanwhile.
    const held = this.#delayed.findIndex(({ atMs }) => atMs !== null);
    const frames = this.#sent + (held < 0 ? this.#delayed.length : held);
    if (this.#isDropped || this.#topics.size === 0 || frames === this.#confirmed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ frames, resolve });
      if (frames === this.#sent) this.#ping();
    });
  }

  /** Asks the client to confirm the frames that were sent. Its library answers when it has read them. */
  #ping(): void {
    this.#pongsDue += 1;
    this.#ws.ping(String(this.#sent));
  }

  /** For the regular check: drops a client that is idle, or that has not answered two pings. */
  check(nowMs: number, { idleMs, ping }: { readonly idleMs: number; readonly ping: boolean }): void {
    if (this.#isDropped || this.#dropsExpired()) return;
    if (this.#topics.size === 0 && nowMs - this.#heardAtMs >= idleMs) this.drop('it is idle and has no topics', 1000);
    else if (ping && this.#missedPings >= 2) this.cut();
    else if (ping) {
      this.#missedPings += 1;
      this.#ping();
    }
  }

  /** A pong that answers no ping counts like any other frame. */
  #takePong(frames: number): void {
    if (this.#pongsDue > 0) this.#pongsDue -= 1;
    else if (!this.#mayGoOn()) return;
    this.#answered(frames);
  }

  /** The client has answered a ping that was sent behind so many frames. */
  #answered(frames: number): void {
    this.#missedPings = 0;
    this.#heardAtMs = this.#options.world.monotonicMs();
    if (frames > this.#confirmed && frames <= this.#sent) this.#confirmed = frames;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((each) => each.frames > this.#confirmed);
    for (const each of waiting) if (each.frames <= this.#confirmed) each.resolve();
  }

  // --- from the client ------------------------------------------------------------------------------------------------

  #take(text: string): void {
    if (!this.#mayGoOn()) return;
    if (this.#held.length > 0 || this.#options.engine.unreadable !== undefined) this.#hold(text);
    else this.#handleSafely(text);
  }

  #hold(text: string): void {
    this.#held.push(text);
    this.#heldChars += text.length;
    if (this.#heldChars > MOST_HELD) this.drop(ASKS_TOO_MUCH);
  }

  /** Listeners of the WebSocket call this. Whatever they throw would end the process. */
  #handleSafely(text: string): void {
    try {
      this.#handle(text);
    } catch (error) {
      this.#options.onBug(error, this.path);
      this.drop('a bug in the venue', 1011);
    }
  }

  /** The venue can be read again. */
  resume(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldChars = 0;
    for (const text of held) if (!this.#isDropped) this.#handleSafely(text);
  }

  /** Counts what the client asks for. False: it asks for too much, and is dropped. */
  #mayGoOn(things = 1): boolean {
    if (this.#isDropped) return false;
    this.#heardAtMs = this.#options.world.monotonicMs();
    if (this.#allowance.take(things)) return true;
    this.drop(ASKS_TOO_MUCH);
    return false;
  }

  #handle(text: string): void {
    const frame = readFrame(text);
    switch (frame.op) {
      case 'ping':
        this.#answer(pong());
        return;
      case 'subscribe':
        this.#subscribe(frame.topics);
        return;
      case 'unsubscribe':
        this.#unsubscribe(frame.topics);
        return;
      case 'login':
        this.#login(frame.login);
        return;
      case 'error':
        this.#fail([frame.error]);
        return;
      case 'nothing':
        return;
    }
  }

  #login(login: Login): void {
    if (!this.#mayGoOn(LOGIN - 1)) return;
    let session: Session;
    try {
      session = this.#options.login(login);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#answer(loggedIn(errorText(error, 'A')));
      this.#countFailure();
      return;
    }
    this.#session = session;
    this.#answer(loggedIn(null));
    for (const subscribed of this.#topics.values()) {
      if (subscribed.own === null) continue;
      subscribed.publication?.unsubscribe(subscribed.subscription);
      subscribed.publication = this.#publicationOf(subscribed.own);
      subscribed.publication?.subscribe(subscribed.subscription);
    }
  }

  /** Null: nobody has signed in. */
  #publicationOf({ topic, since }: OwnTopic): Publication | null {
    if (this.#session === null) return null;
    const { account } = this.#session;
    const live = this.#options.publishers.accounts.publication(account, topic);
    if (since === undefined) return live;
    const query = { seq: since, account, product: topic.product, topic: topic.name };
    return new Since(live, query, this.#options.since);
  }

  refuse(name: string, why: string): void {
    this.#topics.delete(name);
    this.#fail([{ arg: name, code: 1000, hint: why }]);
  }

  #subscribe(args: readonly string[]): void {
    const names = new Set(args);
    if (!this.#mayGoOn(names.size)) return;
    const { engine, socket, publishers } = this.#options;
    const errors: StreamError[] = [];
    const taken: { name: string; begin: () => void }[] = [];
    for (const name of names) {
      const refusal = this.#takeTopic(engine.venue, name, socket, publishers, taken);
      if (refusal !== null) errors.push({ arg: name, ...refusal });
    }
    this.#answer(
      acknowledged(
        'subscribe',
        taken.map(({ name }) => name),
      ),
    );
    for (const { begin } of taken) begin();
    if (errors.length > 0) this.#fail(errors);
  }

  /** Takes a topic, or says why not. Its first frame comes after the acknowledgement. */
  #takeTopic(
    venue: Venue,
    name: string,
    socket: Socket,
    publishers: Publishers,
    taken: { name: string; begin: () => void }[],
  ): Refusal | null {
    const known = this.#topics.get(name);
    if (known !== undefined) {
      taken.push({ name, begin: () => known.publication?.again(known.subscription) });
      return null;
    }
    const topic = topicOf(venue, socket, name, publishers);
    if (topic.kind === 'refused') return { code: topic.code, hint: topic.hint };
    if (this.#topics.size >= MOST_TOPICS) return { code: 1007 };
    const own = topic.kind === 'private' ? topic : null;
    const publication = topic.kind === 'published' ? topic.publication : own === null ? null : this.#publicationOf(own);
    const subscription = { receiver: this, name, topic: topic.kind === 'published' ? topic.topic : name };
    this.#topics.set(name, { subscription, publication, own });
    taken.push({ name, begin: () => publication?.subscribe(subscription) });
    return null;
  }

  #unsubscribe(names: readonly string[]): void {
    const ended: string[] = [];
    for (const name of names) {
      const known = this.#topics.get(name);
      if (known === undefined) continue;
      this.#topics.delete(name);
      known.publication?.unsubscribe(known.subscription);
      ended.push(name);
    }
    this.#answer(acknowledged('unsubscribe', ended));
  }

  #fail(errors: readonly StreamError[]): void {
    this.#answer(errorFrame(errors.slice(0, MOST_ERRORS)));
    this.#countFailure();
  }

  #countFailure(): void {
    this.#failed += 1;
    if (this.#failed < MOST_FAILED) return;
    this.#answer(errorFrame([{ arg: '', code: 1008 }]));
    this.drop('too many frames with an error');
  }

  #close(): void {
    this.#isDropped = true;
    this.#forget();
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    this.#options.onClosed();
  }

  #forget(): void {
    for (const { subscription, publication } of this.#topics.values()) publication?.unsubscribe(subscription);
    this.#topics.clear();
    this.#held = [];
    this.#delayed.length = 0;
  }
}
