/**
 * A typed client for orders, for TypeScript users, tests and the command line. It has no state except its address and
 * key: every method is one request. A refusal by the venue throws a VenueError.
 */
import { type Credentials, type RequestOptions, request } from './request.ts';
import type {
  AlgoOrderRequest,
  FuturesOrderRecord,
  FuturesOrderRequest,
  OrderReference,
  SpotOrderDetails,
  SpotOrderRecord,
  SpotOrderRequest,
} from './types.ts';

export interface ClientOptions extends Credentials {
  /** Example: http://127.0.0.1:8080. */
  readonly url: string;
  readonly timeoutMs?: number;
}

export class BourseClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Any signed request, for routes without a method here. */
  async request(method: string, path: string, options: Omit<RequestOptions, 'credentials'> = {}): Promise<unknown> {
    const { url, key, secret, timeoutMs } = this.#options;
    return request(url, method, path, { timeoutMs, ...options, credentials: { key, secret } });
  }

  /** Places a futures order: one record, two for an OCO (stop leg first). */
  async placeFuturesOrder(order: FuturesOrderRequest): Promise<FuturesOrderRecord[]> {
    return (await this.request('POST', '/futures/api/v2.3/order', { body: order })) as FuturesOrderRecord[];
  }

  /** Looks up a futures order, live or recently ended. */
  async futuresOrder(order: OrderReference): Promise<Record<string, unknown>> {
    const query = { orderID: order.orderId, clOrderID: order.clOrderId };
    return (await this.request('GET', '/futures/api/v2.3/order', { query })) as Record<string, unknown>;
  }

  /** Cancels one futures order, every order of a client id, or (with neither) all orders of the market. */
  async cancelFuturesOrder(symbol: string, order: OrderReference = {}): Promise<FuturesOrderRecord[]> {
    const query = { symbol, orderID: order.orderId, clOrderID: order.clOrderId };
    return (await this.request('DELETE', '/futures/api/v2.3/order', { query })) as FuturesOrderRecord[];
  }

  /** Places a plain spot order. */
  async placeSpotOrder(order: SpotOrderRequest): Promise<SpotOrderRecord[]> {
    return (await this.request('POST', '/spot/api/v4/trade/orders', { body: order })) as SpotOrderRecord[];
  }

  /** Places a spot algo order: one record, two for an OCO (take-profit leg first). */
  async placeAlgoOrder(order: AlgoOrderRequest): Promise<SpotOrderRecord[]> {
    return (await this.request('POST', '/spot/api/v4/trade/orders/algo', { body: order })) as SpotOrderRecord[];
  }

  /** Looks up a live spot order. An order that ended answers 404, with its final state in the error's body. */
  async spotOrder(order: OrderReference): Promise<SpotOrderDetails> {
    const query = { orderId: order.orderId, clOrderId: order.clOrderId };
    return (await this.request('GET', '/spot/api/v4/trade/order', { query })) as SpotOrderDetails;
  }

  async openSpotOrders(symbol: string): Promise<SpotOrderDetails[]> {
    return (await this.request('GET', '/spot/api/v4/trade/orders', { query: { symbol } })) as SpotOrderDetails[];
  }

  async cancelSpotOrder(symbol: string, order: OrderReference): Promise<SpotOrderRecord[]> {
    const query = { symbol, orderId: order.orderId, clOrderId: order.clOrderId };
    return (await this.request('DELETE', '/spot/api/v4/trade/orders', { query })) as SpotOrderRecord[];
  }
}
