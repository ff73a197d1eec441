/** A small signed HTTP client for tests. It does what a trader's program does, and uses none of the venue's code. */
import assert from 'node:assert/strict';
import { assertDocumented } from './documented.ts';
import { credentialHeaders, nextNonce, type TestKey } from './signing.ts';

/** A JSON value that tests read freely. */
// biome-ignore lint/suspicious/noExplicitAny: replies are what the tests judge; typing them would assume the outcome
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly body: Json;
  /** The body as sent, for what JSON.parse would lose. */
  readonly text: string;
  readonly headers: Headers;
}

export interface Extra {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Client {
  readonly url: string;
  readonly #key: TestKey;
  readonly #nonce: () => number;

  constructor(url: string, key: TestKey, nonce: () => number = nextNonce) {
    this.url = url;
    this.#key = key;
    this.#nonce = nonce;
  }

  async call(method: string, path: string, extra: Extra = {}): Promise<Reply> {
    const body = extra.body === undefined ? '' : bodyText(extra.body);
    const query = extra.query === undefined ? '' : `?${new URLSearchParams(extra.query)}`;
    const response = await fetch(`${this.url}${path}${query}`, {
      method,
      headers: {
        ...credentialHeaders(this.#key, path, body, { nonce: this.#nonce() }),
        'content-type': 'application/json',
        ...extra.headers,
      },
      ...(body !== '' && { body }),
    });
    const text = await response.text();
    const read = text === '' ? undefined : JSON.parse(text);
    assertDocumented(method, path, response.status, read);
    return { status: response.status, body: read, text, headers: response.headers };
  }

  // --- spot v4 ---

  /** POST /trade/orders, or …/algo for kinds of order that belong there. */
  spot(body: Json, headers?: Record<string, string>): Promise<Reply> {
    const plain = body.orderType === 'LIMIT' || body.orderType === 'MARKET';
    return this.call('POST', plain ? SPOT_ORDERS : SPOT_ALGO, { body, ...(headers && { headers }) });
  }

  /** A plain text is an order id. */
  lookup(id: string | Record<string, string>): Promise<Reply> {
    return this.call('GET', SPOT_ORDER, { query: typeof id === 'string' ? { orderId: id } : id });
  }

  spotOrders(query: Record<string, string> = {}): Promise<Reply> {
    return this.call('GET', SPOT_ORDERS, { query });
  }

  cancelSpot(id: string | Record<string, string>, symbol = 'BTC-USDT'): Promise<Reply> {
    return this.call('DELETE', SPOT_ORDERS, { query: { symbol, ...(typeof id === 'string' ? { orderId: id } : id) } });
  }

  /** PUT of an order by id. */
  amendSpot(orderId: string, changes: Json, symbol = 'BTC-USDT'): Promise<Reply> {
    return this.call('PUT', SPOT_ORDERS, { body: { symbol, orderId, ...changes } });
  }

  // --- futures v2.3 ---

  future(body: Json): Promise<Reply> {
    return this.call('POST', FUTURE_ORDER, { body });
  }

  futureOrder(id: string | Record<string, string>): Promise<Reply> {
    return this.call('GET', FUTURE_ORDER, { query: typeof id === 'string' ? { orderID: id } : id });
  }

  cancelFuture(query: Record<string, string> = {}): Promise<Reply> {
    return this.call('DELETE', FUTURE_ORDER, { query: { symbol: 'BTC-PERP', ...query } });
  }

  /** PUT of an order by id: `{type, value}`, or type ALL with its fields. */
  amendFuture(orderID: string, changes: Json): Promise<Reply> {
    return this.call('PUT', FUTURE_ORDER, { body: { symbol: 'BTC-PERP', orderID, ...changes } });
  }

  positions(query: Record<string, string> = {}): Promise<Reply> {
    return this.call('GET', '/futures/api/v2.3/user/positions', { query });
  }

  wallet(): Promise<Reply> {
    return this.call('GET', '/futures/api/v2.3/user/wallet', { query: { wallet: 'CROSS@' } });
  }

  // --- futures v3 ---

  v3(body: Json): Promise<Reply> {
    const plain = body.orderType === 'LIMIT' || body.orderType === 'MARKET';
    return this.call('POST', plain ? V3_ORDERS : `${V3_ORDERS}/algo`, { body });
  }

  v3Orders(query: Record<string, string> = {}): Promise<Reply> {
    return this.call('GET', V3_ORDERS, { query });
  }

  amendV3(orderId: string, changes: Json): Promise<Reply> {
    return this.call('PUT', V3_ORDERS, { body: { symbol: 'BTC-PERP', orderId, ...changes } });
  }

  cancelV3(body: Record<string, string>): Promise<Reply> {
    return this.call('DELETE', V3_ORDERS, { body: { symbol: 'BTC-PERP', ...body } });
  }
}

const SPOT_ORDERS = '/spot/api/v4/trade/orders';
const SPOT_ALGO = '/spot/api/v4/trade/orders/algo';
const SPOT_ORDER = '/spot/api/v4/trade/order';
const FUTURE_ORDER = '/futures/api/v2.3/order';
const V3_ORDERS = '/futures/api/v3/trade/orders';

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** The body of a 200. */
export async function ok(reply: Promise<Reply>): Promise<Json> {
  const { status, body, text } = await reply;
  assert.equal(status, 200, text);
  return body;
}

/** The only record of a 200 that is an array. */
export async function one(reply: Promise<Reply>): Promise<Json> {
  const body = await ok(reply);
  assert.equal(Array.isArray(body), true, 'an array is expected');
  assert.equal(body.length, 1, JSON.stringify(body));
  return body[0];
}

/** Asserts a refusal in the surface's envelope: its code, and what its text mentions. Returns the whole body. */
export async function refused(
  reply: Promise<Reply>,
  code: number,
  mention: string | RegExp = '',
  status = 400,
): Promise<Json> {
  const { status: given, body, text } = await reply;
  assert.equal(given, status, text);
  const legacy = 'errorCode' in body;
  assert.equal(legacy ? body.errorCode : body.code, code, text);
  if (legacy) assert.deepEqual(Object.keys(body), ['status', 'errorCode', 'message', 'extraData']);
  else assert.deepEqual(Object.keys(body), ['code', 'msg', 'time', 'data', 'success']);
  const words: string = legacy ? body.message : body.msg;
  if (typeof mention === 'string') assert.ok(words.includes(mention), `${JSON.stringify(words)} lacks ${mention}`);
  else assert.match(words, mention);
  return body;
}
