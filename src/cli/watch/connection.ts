/**
 * The two streams of a watched market: its book on one socket, and its trades and what is the client's own on the
 * other. Both live and end together. After an end they are opened again, and everything is subscribed and read anew.
 *
 * Own orders: the notifications are subscribed first and held, then the open orders are read, then the held ones
 * follow. Each says how its order is now, so none is lost and the last one counts.
 */
import { setTimeout as setTimeoutOf } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Credentials, nextNonce, request, sign, VenueError } from '../../client/request.ts';
import type { OwnOrder, OwnPosition, Picture, Trade } from './picture.ts';

/** Something that the picture did not show before. */
export type Change =
  | { readonly kind: 'book' }
  | { readonly kind: 'trade'; readonly trade: Trade }
  | { readonly kind: 'order'; readonly order: OwnOrder }
  | { readonly kind: 'opened'; readonly position: OwnPosition }
  | { readonly kind: 'closed'; readonly id: string }
  /** The picture is whole: the book, the recent trades, own orders and positions. Once for each connection. */
  | { readonly kind: 'ready' }
  /** A sentence about the connection. */
  | { readonly kind: 'said'; readonly text: string };

export interface Watching {
  readonly url: string;
  /** Null: only what everyone may see. */
  readonly credentials: Credentials | null;
  readonly picture: Picture;
  readonly onChange: (change: Change) => void;
}

/** The venue pings every 30 s. Without anything for so long, the connection is dead. */
const SILENCE_MS = 75_000;
/** The waits before the next attempts; the last one again and again. */
const RETRY_MS = [500, 1000, 2000, 5000] as const;

/** Watches until `signal` is aborted. */
export async function watch(watching: Watching, signal: AbortSignal): Promise<void> {
  const { url, picture } = watching;
  /** Attempts since the picture was whole. */
  let failed = 0;
  const onChange = (change: Change): void => {
    watching.onChange(change);
    if (change.kind !== 'ready') return;
    if (failed > 0) watching.onChange({ kind: 'said', text: 'connected again' });
    failed = 0;
  };
  while (!signal.aborted) {
    const why = await new Connection({ ...watching, onChange }, signal).ended;
    if (signal.aborted) return;
    picture.lost();
    // Only the first of several failures is news.
    if (failed === 0) {
      onChange({ kind: 'said', text: `the connection to ${url} ended (${why}): trying again until it answers` });
    }
    const waitMs = RETRY_MS[Math.min(failed, RETRY_MS.length - 1)];
    failed += 1;
    await pause(waitMs, signal);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: frames are whatever the venue sends; docs/asyncapi.json has their fields
type Frame = any;

/** What a whole picture has. */
type Part = 'book' | 'trades' | 'own';

class Connection {
  /** Resolves with the reason. */
  readonly ended: Promise<string>;
  readonly #watching: Watching;
  readonly #books: WebSocket;
  readonly #events: WebSocket;
  readonly #path: string;
  readonly #missing = new Set<Part>(['book', 'trades', 'own']);
  /** Notifications that wait until the open orders have been read. Null: they have been. */
  #held: (() => void)[] | null = null;
  #isOver = false;

  constructor(watching: Watching, signal: AbortSignal) {
    this.#watching = watching;
    const { product } = watching.picture.market;
    this.#path = `/ws/${product}`;
    const base = watching.url.replace(/^http/, 'ws').replace(/\/+$/, '');
    this.#books = new WebSocket(`${base}/ws/oss/${product}`);
    this.#events = new WebSocket(`${base}${this.#path}`);
    const sockets = [this.#books, this.#events];
    const close = () => this.#close();
    signal.addEventListener('abort', close, { once: true });
    this.ended = Promise.race(sockets.map(endOf)).then((why) => {
      signal.removeEventListener('abort', close);
      close();
      return why;
    });
    const open = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))));
    open.then(() => this.#begin());
    this.#books.on('message', (data) => this.#take(String(data)));
    this.#events.on('message', (data) => this.#take(String(data)));
  }

  /** What still arrives, or is still read, no longer counts. */
  #close(): void {
    this.#isOver = true;
    this.#books.terminate();
    this.#events.terminate();
  }

  #begin(): void {
    this.#subscribeBook();
    this.#subscribeTrades();
    const { credentials } = this.#watching;
    if (credentials === null) {
      this.#has('own');
      return;
    }
    const nonce = nextNonce();
    const { key, secret } = credentials;
    send(this.#events, 'authKeyExpires', [key, nonce, sign(secret, this.#path, nonce, '')]);
  }

  #subscribeBook(): void {
    send(this.#books, 'subscribe', [`update:${this.#watching.picture.market.symbol}_0`]);
  }

  /** The recent trades come first. There is no frame without any, so they are read too. */
  #subscribeTrades(): void {
    const { symbol, product } = this.#watching.picture.market;
    const topic = product === 'spot' ? 'tradeHistoryApi' : 'tradeHistoryApiV3';
    send(this.#events, 'subscribe', [`${topic}:${symbol}`]);
    this.#read('trades', { symbol, count: 1 }).then((trades) => {
      if (trades.length === 0) this.#has('trades');
    }, this.#failed);
  }

  /** Subscribes and reads what is the client's own. */
  async #readOwn(): Promise<void> {
    const { symbol, product } = this.#watching.picture.market;
    this.#held = [];
    const isSpot = product === 'spot';
    send(this.#events, 'subscribe', isSpot ? ['notificationApiV3'] : ['notificationApiV4', 'allPositionV4']);
    const [orders, positions] = await Promise.all([
      this.#read('user/open_orders', { symbol }),
      isSpot ? [] : this.#read('user/positions', { symbol }),
    ]);
    if (this.#isOver) return;
    this.#positioned(positions);
    for (const record of orders) this.#ordered(record);
    const held = this.#held;
    this.#held = null;
    for (const take of held) take();
    this.#has('own');
  }

  async #read(path: string, query: Record<string, string | number>): Promise<Frame[]> {
    const { url, credentials, picture } = this.#watching;
    const surface = picture.market.product === 'spot' ? '/spot/api/v3.3' : '/futures/api/v2.3';
    return (await request(url, 'GET', `${surface}/${path}`, { query, credentials })) as Frame[];
  }

  readonly #failed = (error: unknown): void => {
    if (this.#isOver) return;
    // If it is no reply, the venue has gone.
    if (!(error instanceof VenueError)) {
      this.#close();
      return;
    }
    this.#say(error.message);
    for (const part of [...this.#missing]) if (part !== 'book') this.#has(part);
  };

  #take(text: string): void {
    if (this.#isOver) return;
    const { topic, event, errors, success, message, data }: Frame = JSON.parse(text);
    if (event === 'login') {
      if (success) this.#readOwn().catch(this.#failed);
      else this.#withoutOwn(message);
    }
    for (const { arg, error } of errors ?? []) this.#say(`${arg}: ${error.message}`);
    if (topic === undefined) return;
    if (topic.startsWith('update')) this.#book(data);
    else if (topic.startsWith('tradeHistory')) this.#traded(data);
    else if (this.#held !== null) this.#held.push(() => this.#own(topic, data));
    else this.#own(topic, data);
  }

  #withoutOwn(message: string): void {
    this.#say(`own orders are not shown, because the key was refused: ${message}`);
    this.#has('own');
  }

  #book(data: Frame): void {
    const { picture, onChange } = this.#watching;
    const begunAnew = data.type === 'snapshot' && picture.hasBook;
    if (!picture.book(data)) {
      this.#say('a frame of the book was missing: it is subscribed again');
      this.#subscribeBook();
      return;
    }
    onChange({ kind: 'book' });
    this.#has('book');
    if (!begunAnew) return;
    this.#say('the venue was reset, or returned to a snapshot');
    picture.begin();
    this.#subscribeTrades();
    if (this.#watching.credentials !== null) this.#readOwn().catch(this.#failed);
  }

  #traded(records: readonly Frame[]): void {
    const { picture, onChange } = this.#watching;
    for (const trade of picture.traded(records)) onChange({ kind: 'trade', trade });
    this.#has('trades');
  }

  #own(topic: string, data: Frame): void {
    if (topic.startsWith('allPosition')) this.#positioned(data);
    else for (const record of Array.isArray(data) ? data : [data]) this.#ordered(record);
  }

  #ordered(record: Frame): void {
    const order = this.#watching.picture.ordered(record);
    if (order !== undefined) this.#watching.onChange({ kind: 'order', order });
  }

  #positioned(records: readonly Frame[]): void {
    const { picture, onChange } = this.#watching;
    const { opened, closed } = picture.positioned(records);
    for (const position of opened) onChange({ kind: 'opened', position });
    for (const id of closed) onChange({ kind: 'closed', id });
  }

  #has(part: Part): void {
    if (!this.#isOver && this.#missing.delete(part) && this.#missing.size === 0)
      this.#watching.onChange({ kind: 'ready' });
  }

  #say(text: string): void {
    this.#watching.onChange({ kind: 'said', text });
  }
}

function send(socket: WebSocket, op: string, args: readonly string[]): void {
  socket.send(JSON.stringify({ op, args }));
}

/** Resolves with the reason when a socket has ended, or been silent for too long. */
function endOf(socket: WebSocket): Promise<string> {
  let why: string | undefined;
  const silence = setTimeout(() => {
    why = `nothing came for ${SILENCE_MS / 1000} s`;
    socket.terminate();
  }, SILENCE_MS);
  for (const event of ['message', 'ping']) socket.on(event, () => silence.refresh());
  socket.on('error', ({ message }) => {
    why ??= message;
  });
  return new Promise((resolve) =>
    socket.once('close', (code, reason) => {
      clearTimeout(silence);
      resolve(why ?? [code, String(reason)].join(' ').trim());
    }),
  );
}

function pause(ms: number, signal: AbortSignal): Promise<unknown> {
  return setTimeoutOf(ms, undefined, { signal }).catch(() => {});
}
