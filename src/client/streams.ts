/**
 * One connection to a socket of the streams, shared by all subscriptions of its topics.
 *
 * - It opens with the first subscription and closes with the last.
 * - A connection that is lost, or silent for 20 to 40 seconds, is replaced, for as long as there are subscriptions. It
 *   subscribes them: books begin with a snapshot, and what private topics sent in between is lost.
 * - A login that is refused for its time or its rate is tried again, as long as there are private topics that were accepted
 *   before. Right after a restart, the venue refuses a client whose clock is behind its own.
 * - It keeps the process alive, also while it is being replaced. The exception is own-venues.ts.
 * - Handlers run in the order of the frames, before a ping behind them is answered. So on a manual clock they have run
 *   when a call of the control surface returns.
 */
import { createHmac } from 'node:crypto';
import { attemptLater } from './own-venues.ts';
import { type Credentials, nextNonce } from './request.ts';

/** A subscription that the venue refused, or a connection that it does not accept. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  /** The code of the streams: 1000 no such market, 1005 no such topic, 1007 too many topics. Null: none was given. */
  readonly code: number | null;

  constructor(topic: string, message: string, code: number | null = null) {
    super(`${topic}: ${message}`);
    this.code = code;
  }
}

export interface SubscribeOptions {
  /** The connection was lost, for this reason, and is being opened again. Once for each loss, however many attempts fail. */
  readonly onLost?: (reason: string) => void;
  /** The connection was lost and is there again. Read again what may have changed in between. */
  readonly onReconnect?: () => void;
}

export interface Subscription {
  readonly topic: string;
  /** Resolves after `close`. Rejects with a StreamError if the venue does not accept the subscription any more. */
  readonly closed: Promise<void>;
  /** Asks for the first frame again: the snapshot of a book, or recent trades. */
  renew(): void;
  close(): void;
  [Symbol.dispose](): void;
}

interface Entry {
  readonly topic: string;
  readonly handler: (data: never) => void;
  readonly options: SubscribeOptions;
  /** The first acknowledgement. */
  readonly accepted: PromiseWithResolvers<void>;
  readonly closed: PromiseWithResolvers<void>;
  /** It was acknowledged, on this connection or an earlier one. */
  isAccepted: boolean;
  /** It was acknowledged on this connection. */
  isLive: boolean;
}

interface Frame {
  readonly topic?: string;
  readonly data?: unknown;
  readonly event?: 'subscribe' | 'unsubscribe' | 'login';
  readonly channel?: readonly string[];
  readonly success?: boolean;
  readonly message?: string;
  readonly errors?: readonly { arg: string; error: { code: number; message: string; hint?: string } }[];
}

const HEARTBEAT_MS = 20_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** What the venue says to a login that it may accept later. */
const REFUSED_FOR_NOW = /^(?:Invalid nonce|Rate limit exceeded): /;

export class StreamConnection {
  readonly #url: string;
  readonly #path: string;
  readonly #credentials: Credentials | null;
  readonly #entries = new Map<string, Entry>();
  #socket: WebSocket | null = null;
  /** The socket is open, and the login was answered. */
  #isReady = false;
  /** Why the venue did not accept the login. */
  #loginRefusal: string | null = null;
  /** A refused login will be tried again. */
  #signsInAgain = false;
  #retries = 0;
  #retry: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  /** Something has arrived since the last beat. */
  #isAlive = false;

  /** `url`: the address of the venue's HTTP port. `credentials`: for a login; null without one. */
  constructor(url: string, path: string, credentials: Credentials | null) {
    this.#url = `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`;
    this.#path = path;
    this.#credentials = credentials;
  }

  /** Resolves when the venue has accepted the topic. Rejects with a StreamError. */
  async subscribe<T>(topic: string, handler: (data: T) => void, options: SubscribeOptions = {}): Promise<Subscription> {
    if (this.#entries.has(topic)) throw new StreamError(topic, 'is subscribed already: close that subscription first');
    const entry: Entry = {
      topic,
      handler,
      options,
      accepted: Promise.withResolvers(),
      closed: Promise.withResolvers(),
      isAccepted: false,
      isLive: false,
    };
    entry.closed.promise.catch(() => {});
    this.#entries.set(topic, entry);
    if (this.#isReady) this.#request([entry]);
    else if (this.#socket === null && this.#retry === undefined) this.#open();
    await entry.accepted.promise;
    const close = () => this.#end(entry);
    const renew = () => {
      if (entry.isLive) this.#send('subscribe', [topic]);
    };
    return { topic, closed: entry.closed.promise, renew, close, [Symbol.dispose]: close };
  }

  /** Closes all subscriptions. */
  close(): void {
    for (const entry of [...this.#entries.values()]) this.#end(entry);
  }

  #open(): void {
    this.#retry = undefined;
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    const current = (act: (event: MessageEvent) => void) => (event: Event) => {
      if (socket === this.#socket) act(event as MessageEvent);
    };
    socket.addEventListener(
      'open',
      current(() => this.#opened()),
    );
    socket.addEventListener(
      'message',
      current(({ data }) => this.#take(String(data))),
    );
    socket.addEventListener(
      'close',
      current((event) => {
        const { code, reason } = event as unknown as CloseEvent;
        this.#lost(`${code} ${reason}`.trim());
      }),
    );
    // A close follows.
    socket.addEventListener('error', () => {});
  }

  #opened(): void {
    this.#isAlive = true;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
    this.#loginRefusal = null;
    if (this.#credentials === null) this.#ready();
    else this.#signIn(this.#credentials);
  }

  #signIn({ key, secret }: Credentials): void {
    this.#retry = undefined;
    const nonce = nextNonce();
    const signature = createHmac('sha384', secret).update(`${this.#path}${nonce}`).digest('hex');
    this.#send('authKeyExpires', [key, nonce, signature]);
  }

  #signedIn(refusal: string | null): void {
    this.#loginRefusal = refusal === null ? null : `the login was refused: ${refusal}`;
    this.#signsInAgain =
      REFUSED_FOR_NOW.test(refusal ?? '') && [...this.#entries.values()].some((entry) => this.#waitsForLogin(entry));
    if (!this.#signsInAgain) {
      this.#ready();
      return;
    }
    this.#isReady = true;
    this.#retry = setTimeout(() => this.#signIn(this.#credentials as Credentials), this.#nextDelayMs());
    this.#requestMissing();
  }

  #waitsForLogin({ topic, isAccepted }: Entry): boolean {
    return isAccepted && isPrivate(topic);
  }

  #ready(): void {
    this.#isReady = true;
    this.#retries = 0;
    this.#requestMissing();
  }

  #requestMissing(): void {
    this.#request([...this.#entries.values()].filter(({ isLive }) => !isLive));
  }

  #request(entries: readonly Entry[]): void {
    const topics: string[] = [];
    for (const entry of entries) {
      const refusal = isPrivate(entry.topic) ? this.#refusal() : null;
      if (refusal === null) topics.push(entry.topic);
      else if (!this.#signsInAgain || !this.#waitsForLogin(entry))
        this.#end(entry, new StreamError(entry.topic, refusal));
    }
    if (topics.length > 0) this.#send('subscribe', topics);
  }

  /** Why a private topic cannot be subscribed. */
  #refusal(): string | null {
    return this.#credentials === null ? 'is private: give the client a key and its secret' : this.#loginRefusal;
  }

  #take(text: string): void {
    this.#isAlive = true;
    if (text === 'pong') return;
    const frame = JSON.parse(text) as Frame;
    if (frame.topic !== undefined) {
      for (const { handler } of this.#subscribers(frame.topic)) handler(frame.data as never);
    } else if (frame.event === 'login') {
      this.#signedIn(frame.success === true ? null : String(frame.message));
    } else if (frame.event === 'subscribe') {
      for (const topic of frame.channel ?? []) this.#accepted(this.#entries.get(topic));
    } else {
      for (const { arg, error } of frame.errors ?? []) {
        const entry = this.#entries.get(arg);
        const message = error.hint === undefined ? error.message : `${error.message} (${error.hint})`;
        if (entry !== undefined) this.#end(entry, new StreamError(arg, message, error.code));
      }
    }
  }

  /** Frames of some older topics do not have the market in their topic: `tradeHistoryApiV2`. */
  #subscribers(topic: string): Entry[] {
    const entry = this.#entries.get(topic);
    if (entry !== undefined) return [entry];
    return [...this.#entries.values()].filter((other) => other.topic.startsWith(`${topic}:`));
  }

  #accepted(entry: Entry | undefined): void {
    if (entry === undefined || entry.isLive) return;
    entry.isLive = true;
    if (entry.isAccepted) entry.options.onReconnect?.();
    entry.isAccepted = true;
    entry.accepted.resolve();
  }

  #beat(): void {
    if (!this.#isAlive) {
      this.#lost(`nothing came for ${HEARTBEAT_MS / 1000} s`);
      return;
    }
    this.#isAlive = false;
    this.#socket?.send('ping');
  }

  /** Subscriptions that were never accepted fail. The others wait for a new connection. */
  #lost(reason: string): void {
    this.#drop();
    for (const entry of [...this.#entries.values()]) {
      const wasLive = entry.isLive;
      entry.isLive = false;
      if (wasLive) entry.options.onLost?.(reason);
      else if (!entry.isAccepted) {
        this.#end(entry, new StreamError(entry.topic, `no connection to ${this.#url}: ${reason}`));
      }
    }
    if (this.#entries.size === 0) return;
    this.#retry = attemptLater(this.#url, () => this.#open(), this.#nextDelayMs());
  }

  #nextDelayMs(): number {
    this.#retries += 1;
    return Math.min(FIRST_RETRY_MS * 2 ** (this.#retries - 1), LAST_RETRY_MS);
  }

  #end(entry: Entry, error?: StreamError): void {
    if (this.#entries.get(entry.topic) !== entry) return;
    this.#entries.delete(entry.topic);
    if (error === undefined) entry.closed.resolve();
    else entry.closed.reject(error);
    // It has no effect on one that was accepted.
    entry.accepted.reject(error ?? new StreamError(entry.topic, 'was closed'));
    if (entry.isLive && this.#isReady) this.#send('unsubscribe', [entry.topic]);
    if (this.#entries.size === 0) this.#drop();
  }

  /** Closes the socket and stops the timers. */
  #drop(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#isReady = false;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #send(op: string, args: readonly string[]): void {
    this.#socket?.send(JSON.stringify({ op, args }));
  }
}

/** Topics of the account name no market. */
function isPrivate(topic: string): boolean {
  return !topic.includes(':');
}
