/**
 * What a client of the gateway gets back: replies and refusals, in the envelope of their surface, over node:http or over a
 * plain connection. Each one is reported to the metrics, and each refusal to the list of refused requests.
 */
import { Buffer } from 'node:buffer';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SEQ_HEADER } from '../shared/at-least-seq.ts';
import { engineError, isUnavailable } from '../shared/engine-errors.ts';
import { ApiError, type Envelope } from '../shared/errors.ts';
import type { RefusedRequest } from '../shared/refused-requests.ts';
import type { EnginePort } from '../shared/surface.ts';
import { errorBody } from './error-bodies.ts';
import { intakeOf } from './intake.ts';
import { replyRaw } from './raw-reply.ts';
import { parserError, pathOf, type RequestHeaders } from './request.ts';

/** How much of a refused body is still read, so that its sender sees the refusal. */
const MAX_DRAINED_BYTES = 1_048_576;

/** A request that waits for its reply: from node:http, or a plain one. */
export interface PendingRequest {
  /** When it came, by `performance.now()`. */
  readonly sinceMs: number;
  /** The number of the account that signed it. -1: none did. */
  account: number;
  /** The venue's seq when a read began. Undefined: the reply names the seq at which it is sent. */
  seq: number | undefined;
  readonly method: string;
  readonly target: string;
  readonly requestHeaders: RequestHeaders;
  readonly client: Socket;
  /** `headers`: names and values, alternating. `type`: of the body; JSON by default. */
  send(status: number, body: string | Buffer, headers: string[], type?: string): void;
}

/** Measures how long its request has been waiting. */
export class TimedResponse<R extends IncomingMessage = IncomingMessage>
  extends ServerResponse<R>
  implements PendingRequest
{
  readonly sinceMs = performance.now();
  account = -1;
  seq: number | undefined;

  get method(): string {
    return this.req.method ?? '';
  }

  get target(): string {
    return this.req.url ?? '';
  }

  get requestHeaders(): RequestHeaders {
    return this.req.headers;
  }

  get client(): Socket {
    return this.req.socket;
  }

  send(status: number, body: string | Buffer, headers: string[], type?: string): void {
    this.writeHead(status, headersOf(body, headers, type));
    this.end(body);
    intakeOf(this.req.socket).answered(this);
  }
}

export interface RepliesOptions {
  readonly engine: EnginePort;
  readonly envelopeOf: (target: string) => Envelope;
  /** Called with a bug: a handler threw something other than an ApiError. */
  readonly onBug: (error: unknown, where: string) => void;
  /** Called after each reply with the request's target, its status and the time that it took. Must not throw. */
  readonly onReply: (target: string, status: number, seconds: number) => void;
  /** Called for each request that was answered with an error. Must not throw. */
  readonly onRefused: (request: RefusedRequest) => void;
}

export class Replies {
  /** True: replies close their connections. */
  closing = false;
  /** When the last reply was sent, by `performance.now()`. */
  lastMs = 0;
  readonly #engine: EnginePort;
  readonly #options: RepliesOptions;
  /** Sockets that got their refusal while they were still sending. */
  readonly #refused = new WeakSet<Duplex>();

  constructor(options: RepliesOptions) {
    this.#engine = options.engine;
    this.#options = options;
  }

  send(pending: PendingRequest, status: number, body: string | Buffer, headers: string[], type?: string): void {
    // A plain connection closes itself.
    if (this.closing && pending instanceof TimedResponse) headers.push('Connection', 'close');
    if (this.#engine.unreadable === undefined) headers.push(SEQ_HEADER, String(pending.seq ?? this.#engine.venue.seq));
    pending.send(status, body, headers, type);
    this.#sent(pending, status);
  }

  /** The reply to OPTIONS: the methods of the path. */
  sendMethods(response: TimedResponse, allowed: string): void {
    response.writeHead(204, ['Allow', allowed]).end();
    intakeOf(response.client).answered(response);
    this.#sent(response, 204);
  }

  refuse(pending: PendingRequest, envelope: Envelope, error: ApiError, headers: string[] = []): void {
    this.note(pending, envelope, error);
    this.send(pending, error.status, this.#errorJson(error, envelope), withRemedy(error, headers));
  }

  /** Refuses a head that the parser may be about to fail on too: the connection gets only this answer, and closes. */
  refuseAndClose(response: TimedResponse, envelope: Envelope, error: ApiError): void {
    this.#refused.add(response.client);
    this.refuse(response, envelope, error, ['Connection', 'close']);
  }

  /** Refuses a body that is still arriving: sends the reply at once, then reads and drops the rest of the body. */
  refuseWhileSending(request: IncomingMessage, response: TimedResponse, envelope: Envelope, error: ApiError): void {
    this.#refused.add(request.socket);
    this.note(response, envelope, error);
    const json = this.#errorJson(error, envelope);
    response.writeHead(error.status, headersOf(json, ['Connection', 'close']));
    response.write(json);
    intakeOf(request.socket).answered(response);
    this.#sent(response, error.status);
    let drained = 0;
    request.on('data', (chunk: Buffer) => {
      drained += chunk.length;
      if (drained > MAX_DRAINED_BYTES) request.socket.destroy();
    });
    request.on('end', () => response.end());
  }

  /** Refuses what has no response of node:http: a handshake, CONNECT, or what is no request. Closes the connection. */
  refuseSocket(socket: Duplex, error: ApiError, target = ''): void {
    replyRaw(socket, error.status, this.#errorJson(error, this.#options.envelopeOf(target)));
  }

  /** Answers what node:http could not parse, or did not receive within `timeoutMs`. */
  refuseUnread(socket: Duplex, error: NodeJS.ErrnoException, timeoutMs: number): void {
    const gone = error.code === 'ECONNRESET' || !socket.writable;
    if (!gone && this.#refused.has(socket)) {
      (socket as Socket).destroySoon();
      return;
    }
    if (gone || intakeOf(socket).repliesDue > 0) {
      socket.destroy();
      return;
    }
    this.refuseSocket(socket, parserError(error, timeoutMs));
  }

  /** Turns anything that was thrown into an error that a client may see. */
  known(thrown: unknown, where: string): ApiError {
    if (thrown instanceof ApiError) return thrown;
    if (!isUnavailable(thrown)) this.#options.onBug(thrown, where);
    return engineError(thrown) ?? new ApiError('internal');
  }

  /** Puts a refusal on the list of refused requests. */
  note({ method, target, account }: PendingRequest, envelope: Envelope, error: ApiError): void {
    const { venue } = this.#engine;
    this.#options.onRefused({
      timeMs: this.#engine.nowMs(),
      account: account < 0 ? null : (venue.account(account)?.name ?? null),
      method,
      path: pathOf(target),
      error,
      envelope,
    });
  }

  #sent(pending: PendingRequest, status: number): void {
    this.lastMs = performance.now();
    this.#options.onReply(pending.target, status, (this.lastMs - pending.sinceMs) / 1000);
  }

  #errorJson(error: ApiError, envelope: Envelope): string {
    const engine = this.#engine;
    return JSON.stringify(errorBody(error, envelope, engine.venue, engine.nowMs()));
  }
}

/** Adds the headers that say when to try again, and what to change. */
export function withRemedy(error: ApiError, headers: string[]): string[] {
  const seconds = error.retryAfterSeconds ?? (error.status === 503 ? 1 : null);
  return [
    ...headers,
    ...(seconds === null ? [] : ['Retry-After', String(seconds)]),
    ...(error.hint === undefined ? [] : ['Bourse-Hint', error.hint]),
  ];
}

function headersOf(body: string | Buffer, more: string[], type = 'application/json'): string[] {
  return ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(body)), ...more];
}
