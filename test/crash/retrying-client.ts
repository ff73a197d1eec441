/**
 * Clients that place and cancel orders as bots do on a bad connection: client ids, short time-outs, blind retries. They
 * record what they know about every order. `check` compares that with a venue.
 *
 * An order is acknowledged (an id came back), refused (the venue said that its only attempt had no effect), or in
 * doubt. An acknowledged order exists once. A refused one does not exist. One in doubt exists once or not at all.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { BourseClient, type ClientOptions } from '../../src/client/client.ts';
import { type Credentials, type RequestOptions, request, sign, VenueError } from '../../src/client/request.ts';
import type { SpotLimit, SpotOpenOrder } from '../../src/client/types.ts';
import type { VenueProcess } from './venue-process.ts';

const WORKERS = 4;
/** How long a worker waits between two orders. A check takes two look-ups per order, and there are many rounds. */
const PACE_MS = 8;
const TIMEOUT_MS = 150;
/** How long a client waits after a 503. */
const BACK_OFF_MS = 40;
/** One order in this many is cancelled. */
const CANCELLED = 4;
const BTC = 'BTC-USDT';
const ETH = 'ETH-USDT';
const ETH_SIZE = 0.01;
const ETH_PRICE = 5000;
/** The code of `duplicateClientId`. */
const DUPLICATE = 15;
/** The code of an unknown order. */
const UNKNOWN = 16;

interface Sent {
  readonly request: SpotLimit;
  /** The id in the venue's acknowledgement. */
  orderId?: string;
  /** An attempt had no answer. */
  inDoubt: boolean;
  /** The last answer was a 503 that says that the request had no effect. */
  refused: boolean;
  cancel: 'none' | 'inDoubt' | 'acknowledged';
}

/** Totals of all rounds. */
export interface Tally {
  acknowledged: number;
  cancelled: number;
  timedOut: number;
  retried: number;
  refused: number;
  traded: number;
}

export function emptyTally(): Tally {
  return { acknowledged: 0, cancelled: 0, timedOut: 0, retried: 0, refused: 0, traded: 0 };
}

/**
 * How far the clients' clocks are ahead of the venue's: more than the largest step and slew in a round, so that no
 * request looks as if it were signed before the start.
 */
const CLIENTS_AHEAD_MS = 20_000;
/** How far the venue's clock is ahead of this machine's. */
let venueAheadMs = 0;
let lastNonceMs = 0;

/** A client whose clock follows the venue's, and is ahead of it. */
class AheadClient extends BourseClient {
  readonly #terms: ClientOptions & Credentials;
  readonly #process: ChildProcess;

  constructor(terms: ClientOptions & Credentials, process: ChildProcess) {
    super(terms);
    this.#terms = terms;
    this.#process = process;
  }

  override async send(
    method: string,
    path: string,
    options: Omit<RequestOptions, 'credentials'> = {},
  ): Promise<unknown> {
    const { url, key, secret, timeoutMs } = this.#terms;
    lastNonceMs = Math.max(lastNonceMs + 1, Date.now() + venueAheadMs + CLIENTS_AHEAD_MS);
    const nonce = String(lastNonceMs);
    const body = options.body === undefined ? '' : JSON.stringify(options.body);
    const headers = {
      'request-api': key,
      'request-nonce': nonce,
      'request-sign': sign(secret, path, nonce, body),
    };
    try {
      return await request(url, method, path, { timeoutMs, ...options, headers });
    } catch (error) {
      if (error instanceof VenueError || (error as Error).name === 'TimeoutError') throw error;
      // A connection that went stale on a slow machine does not mean that the venue is gone.
      await delay(BACK_OFF_MS);
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) throw error;
      throw new DOMException('the connection broke', 'TimeoutError');
    }
  }
}

/** The result of one attempt. */
type Answer<T> = { done: T } | { failure: 'refused' | 'duplicate' | 'unknown' | 'inDoubt' | 'gone' };

async function attempt<T>(act: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { done: await act() };
  } catch (error) {
    if (error instanceof VenueError) {
      // "Stopped" itself says that the order may have been carried out.
      if (error.status === 503) return { failure: /look the order up/.test(error.message) ? 'inDoubt' : 'refused' };
      // An attempt that timed out while connecting leaves an unused connection behind. The venue answers 408 on it
      // after a while, and a request that was just put on it takes that for its own answer.
      if (error.status === 408) return { failure: 'inDoubt' };
      if (error.code === DUPLICATE) return { failure: 'duplicate' };
      if (error.code === UNKNOWN || error.status === 404) return { failure: 'unknown' };
      throw error;
    }
    if (error instanceof assert.AssertionError) throw error;
    return { failure: (error as Error).name === 'TimeoutError' ? 'inDoubt' : 'gone' };
  }
}

/** The clients of one or several lives of a venue between two checks. */
export class RetryingClients {
  readonly #round: number;
  readonly #tally: Tally;
  readonly #orders: Sent[] = [];
  /** Sells of ETH that may have been carried out, and the filled size that the venue reported. */
  #ethSent = 0;
  #ethFilled = 0;

  constructor(round: number, tally: Tally) {
    this.#round = round;
    this.#tally = tally;
  }

  /** Runs until the venue is gone. Calls `begun` once an order, a cancel and a trade were acknowledged. */
  async run(venue: VenueProcess, begun: () => void = () => {}): Promise<void> {
    await setClocks(venue);
    const alice = clientOf(venue, 'alice', TIMEOUT_MS);
    const bob = clientOf(venue, 'bob', TIMEOUT_MS);
    const progress = () => {
      const isCancelled = this.#orders.some(({ cancel }) => cancel === 'acknowledged');
      if (isCancelled && this.#ethFilled > 0) begun();
    };
    const placing = Array.from({ length: WORKERS }, () => this.#place(alice, progress));
    await Promise.all([...placing, this.#trade(alice, bob)]);
  }

  async #place(client: BourseClient, progress: () => void): Promise<void> {
    for (;;) {
      const order = this.#nextOrder();
      if (!(await this.#untilAcknowledged(client, order))) return;
      progress();
      await delay(PACE_MS);
      if (this.#orders.length % CANCELLED === 0 && !(await this.#untilCancelled(client, order))) return;
    }
  }

  /** A resting BUY with a unique price and client id, far below the index of 100,000. */
  #nextOrder(): Sent {
    const n = this.#orders.length;
    const request: SpotLimit = {
      symbol: BTC,
      orderSide: 'BUY',
      orderType: 'LIMIT',
      orderPrice: (950_000 + (n % 997)) / 10,
      orderSize: 0.001,
      clOrderId: `round-${this.#round}-${n}`,
      timeInForce: 'GTC',
    };
    const order: Sent = { request, inDoubt: false, refused: false, cancel: 'none' };
    this.#orders.push(order);
    return order;
  }

  /** Sends the same request again and again. False if the venue is gone. */
  async #untilAcknowledged(client: BourseClient, order: Sent): Promise<boolean> {
    for (;;) {
      const answer = await attempt(() => client.placeSpotOrder(order.request));
      order.refused = 'failure' in answer && answer.failure === 'refused' && !order.inDoubt;
      if ('done' in answer) {
        this.#acknowledge(order, answer.done[0].orderId);
        return true;
      }
      if (answer.failure === 'refused') {
        this.#tally.refused += 1;
        await delay(BACK_OFF_MS);
      } else if (answer.failure === 'duplicate') {
        assert.ok(order.inDoubt, `${order.request.clOrderId} is a duplicate at its first attempt`);
        const found = await attempt(() => client.spotOrder({ clOrderId: order.request.clOrderId }));
        if ('done' in found) {
          this.#acknowledge(order, found.done.orderId);
          return true;
        }
        assert.notEqual(found.failure, 'unknown', `${order.request.clOrderId} is live, and is not found`);
        if (found.failure === 'gone') return false;
      } else {
        order.inDoubt = true;
        if (answer.failure === 'gone') return false;
        this.#tally.timedOut += 1;
      }
    }
  }

  #acknowledge(order: Sent, orderId: string): void {
    order.orderId = orderId;
    this.#tally.acknowledged += 1;
    if (order.inDoubt) this.#tally.retried += 1;
  }

  async #untilCancelled(client: BourseClient, order: Sent): Promise<boolean> {
    for (;;) {
      const answer = await attempt(() => client.cancelSpotOrder(BTC, { orderId: order.orderId }));
      if ('done' in answer || answer.failure === 'unknown') {
        assert.ok('done' in answer || order.cancel === 'inDoubt', `${order.orderId} is gone before its cancel`);
        order.cancel = 'acknowledged';
        this.#tally.cancelled += 1;
        return true;
      }
      if (answer.failure === 'refused') await delay(BACK_OFF_MS);
      else order.cancel = 'inDoubt';
      if (answer.failure === 'gone') return false;
    }
  }

  /** Trades between the two accounts, so that a crash hits fills and fees as well. Nothing is retried. */
  async #trade(alice: BourseClient, bob: BourseClient): Promise<void> {
    const order = { symbol: ETH, orderType: 'LIMIT', orderPrice: ETH_PRICE, orderSize: ETH_SIZE } as const;
    for (;;) {
      for (const [client, orderSide] of [
        [alice, 'BUY'],
        [bob, 'SELL'],
      ] as const) {
        const answer = await attempt(() => client.placeSpotOrder({ ...order, orderSide }));
        if ('done' in answer) this.#ethFilled += answer.done[0].totalFilledBaseSize;
        if (!('failure' in answer && answer.failure === 'refused')) this.#ethSent += orderSide === 'SELL' ? 1 : 0;
        if ('done' in answer) await delay(PACE_MS);
        else if (answer.failure === 'gone') return;
        else await delay(BACK_OFF_MS);
      }
    }
  }

  /**
   * Checks that everything the clients know is true, exactly once. `ethBefore`: bob's balance before. Leaves empty
   * books.
   */
  async check(venue: VenueProcess, ethBefore: number): Promise<void> {
    await setClocks(venue);
    const alice = clientOf(venue, 'alice');
    const open = await alice.openSpotOrders(BTC);
    const byClientId = new Map<string, SpotOpenOrder[]>();
    for (const order of open)
      byClientId.set(String(order.clOrderId), [...(byClientId.get(String(order.clOrderId)) ?? []), order]);
    await allOf(this.#orders, async (order) => {
      const { clOrderId } = order.request;
      const found = byClientId.get(clOrderId as string) ?? [];
      assert.ok(found.length <= 1, `${clOrderId} is there ${found.length} times`);
      if (order.refused) assert.equal(found.length, 0, `${clOrderId} was refused with 503, and is there`);
      if (order.cancel === 'acknowledged') assert.equal(found.length, 0, `${clOrderId} was cancelled, and is open`);
      if (order.orderId === undefined) await retried(alice, order);
      else if (order.cancel === 'none') assert.equal(found[0]?.orderId, order.orderId, `${clOrderId} is lost`);
      if (order.cancel === 'inDoubt') await cancelled(alice, order, found.length === 1);
      if (order.cancel === 'none') await foundByBothIds(alice, order);
    });
    const live = this.#orders.filter(({ cancel }) => cancel === 'none');
    const ids = (orders: readonly { orderId?: string }[]) => orders.map(({ orderId }) => orderId).sort();
    assert.deepEqual(ids(await alice.openSpotOrders(BTC)), ids(live), 'each order is open, once');
    await this.#checkMoney(venue, live, ethBefore);
    await emptyBooks(venue);
  }

  async #checkMoney(venue: VenueProcess, live: readonly Sent[], ethBefore: number): Promise<void> {
    const ethOpen = (await clientOf(venue, 'alice').openSpotOrders(ETH)).length;
    // Price × 10 times size × 1,000 is USDT × 10,000: sums of whole numbers are exact.
    const reserved =
      live.reduce((sum, { request }) => sum + Math.round(Number(request.orderPrice) * 10), 0) +
      ethOpen * ETH_PRICE * ETH_SIZE * 10_000;
    assert.equal(Math.round((await balanceOf(venue, 'alice', 'USDT')).reserved * 10_000), reserved, 'reserved');
    const sold = ethBefore - (await balanceOf(venue, 'bob', 'ETH')).total;
    const [least, most] = [this.#ethFilled, this.#ethSent * ETH_SIZE];
    assert.ok(sold >= least - 1e-9 && sold <= most + 1e-9, `${sold} ETH sold, ${least} acknowledged, ${most} sent`);
    this.#tally.traded += sold;
    const audit = await venue.control.audit();
    assert.equal(audit.ok, true, JSON.stringify(audit));
  }
}

export async function balanceOf(venue: VenueProcess, account: string, currency: string) {
  const { balances } = (await venue.control.account(account)) as {
    balances: Record<string, { total: string; reserved: string }>;
  };
  return { total: Number(balances[currency].total), reserved: Number(balances[currency].reserved) };
}

/** Uses the venue's time, as a client does whose machine and venue disagree. */
async function setClocks({ ready: { http } }: VenueProcess): Promise<void> {
  const answer = await attempt(() => request(http, 'GET', '/spot/api/v3.3/time'));
  if ('done' in answer) venueAheadMs = (answer.done as { epoch: number }).epoch * 1000 - Date.now();
}

function clientOf({ ready: { http }, child }: VenueProcess, name: 'alice' | 'bob', timeoutMs?: number): BourseClient {
  return new AheadClient({ url: http, key: `${name}-key`, secret: `${name}-secret`, timeoutMs }, child);
}

async function allOf(orders: readonly Sent[], check: (order: Sent) => Promise<void>): Promise<void> {
  const waiting = [...orders];
  const worker = async (): Promise<void> => {
    for (let order = waiting.pop(); order !== undefined; order = waiting.pop()) await check(order);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** A blind retry: refused if the first one was carried out, and carried out if not. */
async function retried(alice: BourseClient, order: Sent): Promise<void> {
  const { clOrderId } = order.request;
  const answer = await attempt(() => alice.placeSpotOrder(order.request));
  if ('done' in answer) order.orderId = answer.done[0].orderId;
  else {
    assert.equal(answer.failure, 'duplicate', `${clOrderId} sent again`);
    assert.ok(order.inDoubt, `${clOrderId} was refused, and is there`);
    order.orderId = (await alice.spotOrder({ clOrderId })).orderId;
  }
}

/** A cancel sent again: carried out while the order is open, refused if the first one was carried out. */
async function cancelled(alice: BourseClient, order: Sent, isOpen: boolean): Promise<void> {
  const answer = await attempt(() => alice.cancelSpotOrder(BTC, { orderId: order.orderId }));
  assert.equal('done' in answer, isOpen, `the cancel of ${order.request.clOrderId} sent again`);
  order.cancel = 'acknowledged';
}

async function foundByBothIds(alice: BourseClient, { request, orderId }: Sent): Promise<void> {
  const byId = await alice.spotOrder({ orderId });
  const byClientId = await alice.spotOrder({ clOrderId: request.clOrderId });
  assert.deepEqual([byId.orderId, byId.clOrderId], [orderId, request.clOrderId]);
  assert.deepEqual([byClientId.orderId, byClientId.orderPrice], [orderId, request.orderPrice]);
}

async function emptyBooks(venue: VenueProcess): Promise<void> {
  for (const client of [clientOf(venue, 'alice'), clientOf(venue, 'bob')]) {
    for (const symbol of [BTC, ETH]) {
      await client.request('DELETE', '/spot/api/v4/trade/orders/all', { query: { symbol } });
    }
  }
  assert.equal((await balanceOf(venue, 'alice', 'USDT')).reserved, 0);
}
