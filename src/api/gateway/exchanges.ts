/**
 * Requests in progress, from their endpoint and whole body to the reply: injected faults, the wait for a seq, the route, and
 * what it returns or throws. No exception leaves this file.
 */
import type { Buffer } from 'node:buffer';
import { type AtLeastSeq, takeAtLeast } from '../shared/at-least-seq.ts';
import type { EnginePort } from '../shared/surface.ts';
import type { Admission } from './admission.ts';
import { faultBody } from './error-bodies.ts';
import type { Fault, Faults } from './faults.ts';
import { type PendingRequest, type Replies, withRemedy } from './replies.ts';
import type { Endpoint } from './routing.ts';
import { type Placed, Unordered } from './unordered.ts';

export interface Exchange extends Placed {
  readonly pending: PendingRequest;
  readonly endpoint: Endpoint;
  /** The raw query, without '?'. */
  readonly query: string;
  /** Header names and values, alternating. The route adds to them. */
  readonly headers: string[];
}

export interface ExchangesOptions {
  readonly engine: EnginePort;
  readonly admission: Admission;
  readonly faults: Faults;
  readonly replies: Replies;
  /** The client's address. */
  readonly addressOf: (pending: PendingRequest) => string;
  /** Waits for a seq that a request names. Undefined: no request may name one. */
  readonly atLeastSeq: Pick<AtLeastSeq, 'wait'> | undefined;
}

export class Exchanges {
  readonly #engine: EnginePort;
  readonly #admission: Admission;
  readonly #faults: Faults;
  readonly #replies: Replies;
  readonly #addressOf: (pending: PendingRequest) => string;
  readonly #atLeastSeq: ExchangesOptions['atLeastSeq'];
  /** Requests that a route is handling. */
  readonly #inHand = new Unordered<Exchange>();
  /** Those of them that a fault delays in venue time. */
  readonly #held = new Set<Exchange>();

  constructor(options: ExchangesOptions) {
    this.#engine = options.engine;
    this.#admission = options.admission;
    this.#faults = options.faults;
    this.#replies = options.replies;
    this.#addressOf = options.addressOf;
    this.#atLeastSeq = options.atLeastSeq;
  }

  /** How many are being handled, without those that a fault delays in venue time. */
  get busy(): number {
    return this.#inHand.size - this.#held.size;
  }

  /** Cuts off those that a fault delays in venue time. */
  cutHeld(): void {
    for (const exchange of this.#held) {
      this.#inHand.delete(exchange);
      exchange.pending.client.destroy();
    }
    this.#held.clear();
  }

  /** Those whose clients wait for a reply, as `POST /path`. */
  waiting(): string[] {
    const waiting = [...this.#inHand].filter(({ pending }) => !pending.client.destroyed);
    return waiting.map(({ endpoint }) => `${endpoint.route.method} ${endpoint.path}`);
  }

  /** Handles a request. It is answered later, or at once. */
  perform(exchange: Exchange, body: Buffer): void {
    this.#inHand.add(exchange);
    const fault = this.#faults.take(exchange.endpoint.route.method, exchange.endpoint.path);
    if (fault === null) this.#run(exchange, body, false);
    else if (fault.latencyMs === undefined) this.#runFault(exchange, body, fault);
    else if (fault.inVenueTime === true) this.#hold(exchange, body, fault, fault.latencyMs);
    else setTimeout(() => this.#runFault(exchange, body, fault), fault.latencyMs).unref();
  }

  /** Handles the request when `latencyMs` of venue time has passed. */
  #hold(exchange: Exchange, body: Buffer, fault: Fault, latencyMs: number): void {
    this.#held.add(exchange);
    this.#faults.waits.at(this.#engine.nowMs() + latencyMs, () => {
      // Undefined: a close has cut the request off.
      return this.#held.delete(exchange) ? this.#runFault(exchange, body, fault) : undefined;
    });
  }

  /** Resolves when the request is answered. */
  #runFault(exchange: Exchange, body: Buffer, fault: Fault): Promise<void> | undefined {
    const drop = fault.dropReply === true;
    if (fault.status === undefined && fault.maintenance !== true) return this.#run(exchange, body, drop);
    this.#inHand.delete(exchange);
    const { pending, endpoint } = exchange;
    if (drop) {
      pending.client.destroy();
      return;
    }
    const { venue } = this.#engine;
    const reply = faultBody(fault, endpoint.surface.envelope, venue, this.#engine.nowMs());
    this.#replies.note(pending, endpoint.surface.envelope, reply.error);
    this.#replies.send(pending, reply.status, reply.body, withRemedy(reply.error, []), reply.contentType);
  }

  #run(exchange: Exchange, body: Buffer, drop: boolean): Promise<void> | undefined {
    try {
      const { query, atLeast } = takeAtLeast(exchange.query);
      const waiting = atLeast === undefined ? undefined : this.#atLeastSeq?.wait(atLeast);
      if (waiting === undefined) return this.#call(exchange, query, body, drop);
      return waiting
        .then(() => this.#call(exchange, query, body, drop))
        .catch((error) => this.#fail(exchange, error, drop));
    } catch (error) {
      this.#fail(exchange, error, drop);
    }
  }

  #call(exchange: Exchange, query: string, body: Buffer, drop: boolean): Promise<void> | undefined {
    try {
      const { pending, endpoint, headers } = exchange;
      const { requestHeaders } = pending;
      if (endpoint.route.method === 'GET') pending.seq = this.#engine.venue.seq;
      const result = this.#admission.call({
        endpoint,
        headers: requestHeaders,
        target: pending.target,
        query,
        body,
        address: () => this.#addressOf(pending),
        caller: pending,
        replyHeaders: headers,
      });
      if (result instanceof Promise) {
        return result.then(
          (value) => this.#reply(exchange, value, drop),
          (error) => this.#fail(exchange, error, drop),
        );
      }
      this.#reply(exchange, result, drop);
    } catch (error) {
      this.#fail(exchange, error, drop);
    }
  }

  #reply(exchange: Exchange, value: unknown, drop: boolean): void {
    const { pending, headers } = exchange;
    try {
      const json = JSON.stringify(value);
      this.#inHand.delete(exchange);
      if (drop) pending.client.destroy();
      else this.#replies.send(pending, 200, json, headers);
    } catch (error) {
      this.#fail(exchange, error, drop);
    }
  }

  #fail(exchange: Exchange, thrown: unknown, drop: boolean): void {
    const { pending, endpoint } = exchange;
    this.#inHand.delete(exchange);
    const error = this.#replies.known(thrown, `${endpoint.route.method} ${endpoint.path}`);
    if (drop) pending.client.destroy();
    else this.#replies.refuse(pending, endpoint.surface.envelope, error);
  }
}
