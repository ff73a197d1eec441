/**
 * The client of a venue: every route through `request`, with the types of its parameters and its reply; methods for
 * what bots do most; and the streams. A refusal throws a VenueError, of the streams a StreamError.
 */
import { BookFolder, type OrderBook } from './book.ts';
import { type Credentials, checkAddress, type RequestOptions, request } from './request.ts';
import { StreamConnection, StreamError, type SubscribeOptions, type Subscription } from './streams.ts';
import type { Routes, Topics } from './types.ts';

export interface ClientOptions extends Partial<Credentials> {
  /** Example: http://127.0.0.1:8080. */
  readonly url: string;
  /** The time limit of a request, 30 s by default. */
  readonly timeoutMs?: number;
}

export type Method = keyof Routes;
/** The paths of a method. */
export type Path<M extends Method> = keyof Routes[M] & string;
/** What a route takes: `query`, `body`, or nothing. */
export type Parameters<M extends Method, P extends Path<M>> = Omit<Routes[M][P], 'reply'>;
export type Reply<M extends Method, P extends Path<M>> = Routes[M][P] extends { reply: infer R } ? R : never;

export type Product = keyof Topics;
/** The topics of a product: 'fills', 'update:BTC-USDT_0'. */
export type Topic<P extends Product> = keyof Topics[P] & string;
/** The content of a topic's frames. */
export type Content<P extends Product, T extends Topic<P>> = Topics[P][T] extends { data: infer D } ? D : never;

/** Names one order. orderId takes precedence over clOrderId. */
export interface OrderReference {
  orderId?: string;
  clOrderId?: string;
}

export type SpotOrderRequest = Routes['POST']['/spot/api/v4/trade/orders']['body'];
export type AlgoOrderRequest = Routes['POST']['/spot/api/v4/trade/orders/algo']['body'];
export type FuturesOrderRequest = Routes['POST']['/futures/api/v2.3/order']['body'];

/**
 * Why a book begins anew: it was subscribed or renewed; a lost connection is there again; a frame was missing; the venue was
 * reset, or returned to a named snapshot.
 */
export type BookCause = 'subscribed' | 'reconnected' | 'gap' | 'reset';

export interface BookOptions extends SubscribeOptions {
  /**
   * The next book does not continue the one before. After a reset of the venue, or a return to a snapshot, other things are
   * different too.
   */
  readonly onSnapshot?: (cause: BookCause) => void;
  /** The grouping, 0 to 8. Default: 0, every price. */
  readonly group?: number;
}

/** How many values may wait in a loop over a stream. */
const MAX_WAITING = 10_000;

export class BourseClient {
  readonly #options: ClientOptions;
  readonly #credentials: Credentials | null;
  /** By path. */
  readonly #connections = new Map<string, StreamConnection>();

  /** Without key and secret it has public routes and topics only. */
  constructor(options: ClientOptions) {
    const { url, key, secret } = options;
    checkAddress(url);
    this.#options = options;
    this.#credentials = key === undefined || secret === undefined ? null : { key, secret };
  }

  /** Any route: `request('GET', '/spot/api/v4/trade/orders', { query: { symbol: 'BTC-USDT' } })`. */
  async request<M extends Method, P extends Path<M>>(
    method: M,
    path: P,
    ...[parameters]: object extends Parameters<M, P> ? [Parameters<M, P>?] : [Parameters<M, P>]
  ): Promise<Reply<M, P>> {
    return (await this.send(method, path, parameters)) as Reply<M, P>;
  }

  /** A request without types, for paths that are computed. */
  async send(method: string, path: string, options: Omit<RequestOptions, 'credentials'> = {}): Promise<unknown> {
    const { url, timeoutMs } = this.#options;
    return request(url, method, path, { timeoutMs, ...options, credentials: this.#credentials });
  }

  // --- spot ----------------------------------------------------------------------------------------------------------

  /** Places a LIMIT or MARKET order. */
  placeSpotOrder(body: SpotOrderRequest) {
    return this.request('POST', '/spot/api/v4/trade/orders', { body });
  }

  /** Places a spot algo order: one record, two for an OCO (take-profit leg first). */
  placeAlgoOrder(body: AlgoOrderRequest) {
    return this.request('POST', '/spot/api/v4/trade/orders/algo', { body });
  }

  /** Amends price, size or trigger price of a live order. */
  amendSpotOrder(body: Routes['PUT']['/spot/api/v4/trade/orders']['body']) {
    return this.request('PUT', '/spot/api/v4/trade/orders', { body });
  }

  cancelSpotOrder(symbol: string, { orderId, clOrderId }: OrderReference) {
    return this.request('DELETE', '/spot/api/v4/trade/orders', { query: { symbol, orderId, clOrderId } });
  }

  cancelAllSpotOrders(symbol: string) {
    return this.request('DELETE', '/spot/api/v4/trade/orders/all', { query: { symbol } });
  }

  /** Looks up a live spot order. An order that ended answers 404, with its final state in the error's body. */
  spotOrder({ orderId, clOrderId }: OrderReference) {
    return this.request('GET', '/spot/api/v4/trade/order', { query: { orderId, clOrderId } });
  }

  openSpotOrders(symbol?: string) {
    return this.request('GET', '/spot/api/v4/trade/orders', { query: { symbol } });
  }

  /** The account's own trades, newest first. */
  async spotTrades(symbol: string, query: Partial<Routes['GET']['/spot/api/v4/trade/trade_history']['query']> = {}) {
    return (await this.request('GET', '/spot/api/v4/trade/trade_history', { query: { ...query, symbol } })).data;
  }

  // --- futures -------------------------------------------------------------------------------------------------------

  /** Places a futures order: one record, two for an OCO (stop leg first). */
  placeFuturesOrder(body: FuturesOrderRequest) {
    return this.request('POST', '/futures/api/v2.3/order', { body });
  }

  /** Amends price, size or trigger price of a live order. */
  amendFuturesOrder(body: Routes['PUT']['/futures/api/v2.3/order']['body']) {
    return this.request('PUT', '/futures/api/v2.3/order', { body });
  }

  /** Cancels one futures order, every order of a client id, or (with neither) all orders of the market. */
  cancelFuturesOrder(symbol: string, { orderId, clOrderId }: OrderReference = {}) {
    const query = { symbol, orderID: orderId, clOrderID: clOrderId };
    return this.request('DELETE', '/futures/api/v2.3/order', { query });
  }

  /** Looks up a futures order, live or recently ended. */
  futuresOrder({ orderId, clOrderId }: OrderReference) {
    return this.request('GET', '/futures/api/v2.3/order', { query: { orderID: orderId, clOrderID: clOrderId } });
  }

  openFuturesOrders(symbol?: string) {
    return this.request('GET', '/futures/api/v2.3/user/open_orders', { query: { symbol } });
  }

  /** The account's own trades, newest first. */
  futuresTrades(query: Routes['GET']['/futures/api/v2.3/user/trade_history']['query'] = {}) {
    return this.request('GET', '/futures/api/v2.3/user/trade_history', { query });
  }

  positions(symbol?: string) {
    return this.request('GET', '/futures/api/v2.3/user/positions', { query: { symbol } });
  }

  /** Closes a position with a MARKET or LIMIT order. */
  closePosition(body: Routes['POST']['/futures/api/v2.3/order/close_position']['body']) {
    return this.request('POST', '/futures/api/v2.3/order/close_position', { body });
  }

  setLeverage(body: Routes['POST']['/futures/api/v2.3/leverage']['body']) {
    return this.request('POST', '/futures/api/v2.3/leverage', { body });
  }

  // --- account and markets -------------------------------------------------------------------------------------------

  async balances() {
    return (await this.request('GET', '/public-api/wallet/v1/user/assets')).data;
  }

  async markets() {
    return (await this.request('GET', '/public-api/market/v1/markets')).data.symbols;
  }

  /** The book as it is now, best prices first. */
  async orderBook(symbol: string, depth?: number) {
    return (await this.request('GET', '/public-api/market/v1/orderbook', { query: { symbol, depth } })).data;
  }

  /** Candles, newest first: epoch seconds, open, high, low, close, volume in the quote currency. */
  async candles(query: Routes['GET']['/public-api/market/v1/klines']['query']) {
    return (await this.request('GET', '/public-api/market/v1/klines', { query })).data;
  }

  // --- streams -------------------------------------------------------------------------------------------------------

  /**
   * Subscribes a topic: `subscribe('futures', 'fillsV2', (fills) => …)`. Resolves when the venue has accepted it. The
   * handler gets the `data` of each frame. The subscription survives a lost connection.
   */
  subscribe<P extends Product, T extends Topic<P>>(
    product: P,
    topic: T,
    handler: (content: Content<P, T>) => void,
    options?: SubscribeOptions,
  ): Promise<Subscription> {
    return this.#connection(product, topic).subscribe(topic, handler, options);
  }

  /**
   * Follows a book. Resolves when the first snapshot is there. The handler gets the whole book after each change. After a
   * gap in its sequence the book is subscribed again.
   */
  async subscribeBook(
    product: Product,
    symbol: string,
    handler: (book: OrderBook) => void,
    { group = 0, onSnapshot, ...options }: BookOptions = {},
  ): Promise<Subscription> {
    const topic = `update:${symbol}_${group}` as const;
    const folder = new BookFolder();
    const first = Promise.withResolvers<void>();
    let cause: BookCause = 'subscribed';
    const take = (data: Content<Product, typeof topic>) => {
      const book = folder.fold(data);
      if (book === null) return;
      if (book === 'gap') {
        renew('gap');
        return;
      }
      if (data.type === 'snapshot') {
        onSnapshot?.(cause);
        cause = 'reset';
      }
      first.resolve();
      handler(book);
    };
    const onReconnect = () => {
      cause = 'reconnected';
      options.onReconnect?.();
    };
    const subscribed = this.subscribe(product, topic, take, { ...options, onReconnect });
    const renew = (why: BookCause) => {
      cause = why;
      // A frame may come before `subscribed` has resolved.
      subscribed.then((book) => book.renew());
    };
    const subscription = await subscribed;
    const ended = subscription.closed.then(() => {
      throw new StreamError(topic, 'was closed');
    });
    await Promise.race([first.promise, ended]);
    return { ...subscription, renew: () => renew('subscribed') };
  }

  /** The same as a loop: `for await (const fills of client.stream('futures', 'fillsV2'))`. */
  stream<P extends Product, T extends Topic<P>>(product: P, topic: T): AsyncGenerator<Content<P, T>, void> {
    return valuesOf((handler) => this.subscribe(product, topic, handler));
  }

  /** A book as a loop. */
  streamBook(product: Product, symbol: string, options?: BookOptions): AsyncGenerator<OrderBook, void> {
    return valuesOf((handler) => this.subscribeBook(product, symbol, handler, options));
  }

  /** Closes all subscriptions. */
  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Books have a separate socket, which has no login. */
  #connection(product: Product, topic: string): StreamConnection {
    const isBook = /^(?:update|snapshot|snapshotL1):/.test(topic);
    const path = isBook ? `/ws/oss/${product}` : `/ws/${product}`;
    let connection = this.#connections.get(path);
    if (connection === undefined) {
      connection = new StreamConnection(this.#options.url, path, isBook ? null : this.#credentials);
      this.#connections.set(path, connection);
    }
    return connection;
  }
}

/** Subscribes, and yields what the handler gets. Leaving the loop closes the subscription. */
async function* valuesOf<T>(
  subscribe: (handler: (value: T) => void) => Promise<Subscription>,
): AsyncGenerator<T, void> {
  const waiting: T[] = [];
  let isOverrun = false;
  let isClosed = false;
  let wake = () => {};
  const subscription = await subscribe((value) => {
    if (waiting.length < MAX_WAITING) waiting.push(value);
    else isOverrun = true;
    wake();
  });
  const closed = subscription.closed.finally(() => {
    isClosed = true;
    wake();
  });
  closed.catch(() => {});
  try {
    while (true) {
      while (waiting.length > 0) yield waiting.shift() as T;
      if (isOverrun) throw new StreamError(subscription.topic, `more than ${MAX_WAITING} frames waited for the loop`);
      if (isClosed) return await closed;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    subscription.close();
  }
}
