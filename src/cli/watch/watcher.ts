/**
 * Follows a market by the streams of `bourse/client`: its book, its trades, and own orders and positions. The client
 * replaces a lost connection. Then, and after a reset, own orders and positions are read anew.
 *
 * Own orders: the notifications are subscribed first and held, then the open orders are read, then the held ones
 * follow. Each says how its order is now, so none is lost and the last one counts.
 */
import type { OrderBook } from '../../client/book.ts';
import { type BookCause, BourseClient } from '../../client/client.ts';
import type { Credentials } from '../../client/request.ts';
import type { Subscription } from '../../client/streams.ts';
import type { OwnOrder, OwnPosition, Picture, Trade } from './picture.ts';

/** Something that the picture did not show before. */
export type Change =
  | { readonly kind: 'book' }
  | { readonly kind: 'trade'; readonly trade: Trade }
  | { readonly kind: 'order'; readonly order: OwnOrder }
  | { readonly kind: 'opened'; readonly position: OwnPosition }
  | { readonly kind: 'closed'; readonly id: string }
  /** The picture is whole: the book, the recent trades, own orders and positions. Again after each lost connection. */
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

/** Watches until `signal` is aborted, and not at all if it is already. @throws {StreamError} the book or the trades cannot be subscribed */
export async function watch(watching: Watching, signal: AbortSignal): Promise<void> {
  // A signal that is aborted already has no event to wait for.
  if (signal.aborted) return;
  using client = new BourseClient({ url: watching.url, ...watching.credentials });
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const onChange = (change: Change) => {
    if (!signal.aborted) watching.onChange(change);
  };
  const began = new Watcher(client, { ...watching, onChange }).begin();
  await Promise.race([aborted, began.then(() => aborted)]);
}

// biome-ignore lint/suspicious/noExplicitAny: frames are whatever the venue sends; docs/asyncapi.json has their fields
type Frame = any;

/** What a whole picture has. */
type Part = 'book' | 'trades' | 'own';

class Watcher {
  readonly #client: BourseClient;
  readonly #watching: Watching;
  readonly #missing = new Set<Part>(['book', 'trades', 'own']);
  #isLost = false;
  #trades: Subscription | null = null;
  /** How often own orders and positions were read. Only the last answer counts. */
  #reads = 0;
  /** Notifications that wait until the open orders have been read. Null: they have been. */
  #held: (() => void)[] | null = [];

  constructor(client: BourseClient, watching: Watching) {
    this.#client = client;
    this.#watching = watching;
  }

  /** Resolves when everything is subscribed. */
  async begin(): Promise<void> {
    await Promise.all([this.#followBook(), this.#followTrades(), this.#followOwn()]);
  }

  async #followBook(): Promise<void> {
    const { picture, onChange } = this.#watching;
    const { product, symbol } = picture.market;
    const take = (book: OrderBook) => {
      picture.book(book);
      onChange({ kind: 'book' });
      this.#has('book');
    };
    const { closed } = await this.#client.subscribeBook(product, symbol, take, {
      onLost: (reason) => this.#lost('book', reason),
      onSnapshot: (cause) => this.#begun(cause),
    });
    closed.catch((error) => this.#without('book', error));
  }

  #begun(cause: BookCause): void {
    if (cause === 'gap') this.#say('a frame of the book was missing: it was subscribed again');
    if (cause !== 'reset') return;
    this.#say('the venue was reset, or returned to a snapshot');
    this.#watching.picture.begin();
    this.#trades?.renew();
    if (this.#watching.credentials !== null) this.#readOwn();
  }

  async #followTrades(): Promise<void> {
    const { product, symbol } = this.#watching.picture.market;
    const topic = product === 'spot' ? 'tradeHistoryApi' : 'tradeHistoryApiV3';
    this.#trades = await this.#subscribe(
      'trades',
      `${topic}:${symbol}`,
      (records) => this.#traded(records),
      () => this.#expectTrades(),
    );
    await this.#expectTrades();
  }

  #traded(records: readonly Frame[]): void {
    const { picture, onChange } = this.#watching;
    for (const trade of picture.traded(records)) onChange({ kind: 'trade', trade });
    this.#has('trades');
  }

  /** The recent trades come first. There is no frame without any, so they are read too. */
  async #expectTrades(): Promise<void> {
    const { symbol } = this.#watching.picture.market;
    const trades = await this.#read('trades', { symbol, count: 1 });
    if (trades.length === 0) this.#has('trades');
  }

  async #followOwn(): Promise<void> {
    if (this.#watching.credentials === null) {
      this.#has('own');
      return;
    }
    const { product } = this.#watching.picture.market;
    const [first, ...others] = product === 'spot' ? ['notificationApiV3'] : ['notificationApiV4', 'allPositionV4'];
    const subscribe = (topic: string, onReconnect?: () => void) =>
      this.#subscribe('own', topic, (data) => this.#tookOwn(topic, data), onReconnect);
    try {
      await Promise.all([subscribe(first, () => this.#readOwn()), ...others.map((topic) => subscribe(topic))]);
    } catch (error) {
      this.#without('own', error as Error);
      return;
    }
    await this.#readOwn();
  }

  /** Reads own orders and positions, while notifications are held. */
  async #readOwn(): Promise<void> {
    const { symbol, product } = this.#watching.picture.market;
    this.#reads += 1;
    const read = this.#reads;
    this.#held = [];
    const [orders, positions] = await Promise.all([
      this.#read('user/open_orders', { symbol }),
      product === 'spot' ? [] : this.#read('user/positions', { symbol }),
    ]);
    if (read !== this.#reads) return;
    this.#positioned(positions);
    for (const record of orders) this.#ordered(record);
    const held = this.#held;
    this.#held = null;
    for (const take of held) take();
    this.#has('own');
  }

  /** Empty after a refusal, which is said. */
  async #read(path: string, query: Record<string, string | number>): Promise<Frame[]> {
    const surface = this.#watching.picture.market.product === 'spot' ? '/spot/api/v3.3' : '/futures/api/v2.3';
    try {
      return (await this.#client.send('GET', `${surface}/${path}`, { query })) as Frame[];
    } catch (error) {
      // Without a connection, it is read again when there is one.
      if (!this.#isLost) this.#say((error as Error).message);
      return [];
    }
  }

  #tookOwn(topic: string, data: Frame): void {
    if (this.#held === null) this.#own(topic, data);
    else this.#held.push(() => this.#own(topic, data));
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

  /** Subscribes a topic whose name is computed. The casts are there because its frames have no types. */
  async #subscribe(
    part: Part,
    topic: string,
    take: (data: Frame) => void,
    onReconnect?: () => void,
  ): Promise<Subscription> {
    const { product } = this.#watching.picture.market;
    const onLost = (reason: string) => this.#lost(part, reason);
    const options = { onLost, onReconnect };
    const subscription = await this.#client.subscribe(product as 'spot', topic as 'fills', take, options);
    subscription.closed.catch((error) => this.#without(part, error));
    return subscription;
  }

  /** The venue refuses a part for good. It is said once. */
  #without(part: Part, { message }: Error): void {
    if (this.#missing.has(part)) this.#say(part === 'own' ? `own orders are not shown: ${message}` : message);
    this.#has(part);
  }

  /** Both connections usually end together. Only the first end is said. */
  #lost(part: Part, reason: string): void {
    const { url, picture } = this.#watching;
    this.#missing.add(part);
    if (part === 'own') {
      this.#reads += 1;
      picture.lost();
    }
    if (this.#isLost) return;
    this.#isLost = true;
    this.#say(`the connection to ${url} ended (${reason}): trying again until it answers`);
  }

  #has(part: Part): void {
    if (!this.#missing.delete(part) || this.#missing.size > 0) return;
    this.#watching.onChange({ kind: 'ready' });
    if (this.#isLost) this.#say('connected again');
    this.#isLost = false;
  }

  #say(text: string): void {
    this.#watching.onChange({ kind: 'said', text });
  }
}
