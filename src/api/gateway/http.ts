/**
 * The gateway: one HTTP listener for all surfaces. It authenticates requests over their raw bytes, passes them to their
 * routes, and puts replies and errors into the surface's envelope. It has no trading rules.
 *
 * Plain requests come from PlainConnection, all others from node:http. Routes are found in a table of exact paths, without
 * a framework: signatures over raw bytes, targets that are never normalised, bodies on GET, and envelopes for every
 * refusal leave a framework nothing to do, and it would cost a fifth of the bare server's throughput (measured). Buffer
 * is imported because the global of that name is a getter.
 *
 * Limits: headers of 16 KB within 10 s, the whole request within 15 s, a body of 64 KB, connections (connections.ts),
 * requests in progress and turns over connections (intake.ts). While commands wait longer than `maxQueueMs`, a request
 * that would add one is refused on its head alone. Its body and signature are not checked, and its nonce is not used
 * up. A request that was let through is judged again when its body has arrived, because others were let through
 * meanwhile.
 * Every client gets an answer with a body, or a closed connection. No exception leaves this file. exchanges.ts handles a
 * request once its whole body is there, and replies.ts sends the answer.
 */
import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GATEWAY_DEFAULTS } from '../../config/gateway.ts';
import { realWorld, type World } from '../../engine/contract/world.ts';
import type { AtLeastSeq } from '../shared/at-least-seq.ts';
import { engineError } from '../shared/engine-errors.ts';
import { ApiError, malformed } from '../shared/errors.ts';
import type { RefusedRequest } from '../shared/refused-requests.ts';
import { servedDocument } from '../shared/served-documents.ts';
import type { EnginePort, Route, Surface } from '../shared/surface.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import { ClientAddresses } from './client-address.ts';
import {
  boundConnections,
  CHECK_TIMEOUTS_MS,
  type ConnectionBounds,
  DEFAULT_PLAN,
  HeldByAddress,
  KEEP_ALIVE_MS,
  TIMEOUTS,
} from './connections.ts';
import { type Exchange, Exchanges } from './exchanges.ts';
import { Faults } from './faults.ts';
import { Intakes, intakeOf } from './intake.ts';
import { listenAt } from './listen.ts';
import { PlainConnections, type PlainRequest } from './plain-connection.ts';
import type { PlainHead } from './plain-request.ts';
import { Replies, TimedResponse } from './replies.ts';
import {
  bodyTooLarge,
  endAfterUpgrade,
  hasBody,
  isOfOtherOrigin,
  pathOf,
  queryOf,
  type RequestHeaders,
  unfitBody,
  unfitHead,
  WholeRequest,
} from './request.ts';
import { type Endpoint, type PathEntry, Routing } from './routing.ts';
import { unrefServer } from './unref.ts';
import type { UpgradeTaker } from './upgrades.ts';

/** How long a close waits for requests in progress. */
const CLOSE_MS = 5000;
const NO_BODY = Buffer.alloc(0);
const ON_ITS_OWN = 'send it on a connection of its own';

export interface GatewayOptions extends Omit<AdmissionOptions, 'world' | 'onCommandRefused'> {
  readonly surfaces: readonly Surface[];
  readonly faults?: Faults;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  readonly connections?: ConnectionBounds;
  /** While commands wait longer than this, only cancels, closes and look-ups are accepted. */
  readonly maxQueueMs?: number | 'off';
  /** The machine's clock, a monotonic clock, and turns of the event loop. */
  readonly world?: Pick<World, 'wallMs' | 'monotonicMs' | 'nextTurn'>;
  /** Requests in progress over all connections. */
  readonly mostInHand?: number;
  /** The time limits for the headers and for the whole request. */
  readonly timeouts?: { readonly headersMs: number; readonly requestMs: number };
  /** False: node:http reads all requests, as a test compares both ways. Default: true. */
  readonly plainRequests?: boolean;
  /** Waits for a seq that a request names. Absent: no request may name one. */
  readonly atLeastSeq?: Pick<AtLeastSeq, 'wait'>;
  /** Called with a bug: a handler threw something other than an ApiError. */
  readonly onBug?: (error: unknown, where: string) => void;
  /** Called after each reply with the request's target, its status and the time that it took. Must not throw. */
  readonly onReply?: (target: string, status: number, seconds: number) => void;
  /** Called for each command of a client that was refused: by the venue, by a limit, or because commands wait. Must not throw. */
  readonly onCommandRefused?: (reason: string, seq: number | null) => void;
  /** Called for each request that was answered with an error. Must not throw. */
  readonly onRefused?: (request: RefusedRequest) => void;
  /** Called for each connection that was closed at once because there were too many. Must not throw. */
  readonly onConnectionRefused?: () => void;
}

export interface Activity {
  /** Requests that are being handled, without those that a fault delays in venue time. */
  readonly busy: number;
  /** Requests and handshakes since the start. */
  readonly requests: number;
  /** When the last one came or was answered: `performance.now()`. */
  readonly lastMs: number;
}

export class Gateway {
  readonly server: Server<typeof WholeRequest, typeof TimedResponse>;
  readonly #engine: EnginePort;
  readonly #admission: Admission;
  readonly #routing: Routing;
  readonly #clients: ClientAddresses;
  readonly #intakes: Intakes;
  /** Null: node:http reads all connections. */
  readonly #plain: PlainConnections | null;
  /** Infinity: there is no limit. */
  readonly #maxQueueMs: number;
  readonly #onCommandRefused: (reason: string, seq: number | null) => void;
  readonly #faults: Faults;
  readonly #onBug: (error: unknown, where: string) => void;
  readonly #replies: Replies;
  readonly #exchanges: Exchanges;
  #requests = 0;
  /** When the last request came, by `performance.now()`. */
  #cameMs = 0;
  /** Null: an address may have any number of streams. */
  readonly #streams: HeldByAddress | null;
  #upgrades: UpgradeTaker | undefined;

  constructor(options: GatewayOptions) {
    this.#faults = options.faults ?? new Faults();
    this.#onBug = options.onBug ?? ((error, where) => console.error(`bug at ${where}:`, error));
    const { engine, world = realWorld } = options;
    this.#engine = engine;
    this.#admission = new Admission({ ...options, world });
    this.#routing = new Routing(options.surfaces);
    this.#onCommandRefused = options.onCommandRefused ?? (() => {});
    const { maxQueueMs = 'off' } = options;
    this.#maxQueueMs = maxQueueMs === 'off' ? Number.POSITIVE_INFINITY : maxQueueMs;
    this.#intakes = new Intakes(world, options.mostInHand);
    this.#clients = new ClientAddresses(options.trustedProxies ?? GATEWAY_DEFAULTS.trustedProxies);
    this.#replies = new Replies({
      engine,
      envelopeOf: (target) => this.#routing.envelopeOf(target),
      onBug: this.#onBug,
      onReply: options.onReply ?? (() => {}),
      onRefused: options.onRefused ?? (() => {}),
    });
    this.#exchanges = new Exchanges({
      engine,
      admission: this.#admission,
      faults: this.#faults,
      replies: this.#replies,
      addressOf: ({ client, requestHeaders }) => this.#addressOf(client, requestHeaders),
      atLeastSeq: options.atLeastSeq,
    });
    const { rateLimits = 'off' } = options;
    this.#streams = rateLimits === 'off' ? null : new HeldByAddress(rateLimits.streamsPerAddress);
    const { headersMs, requestMs } = options.timeouts ?? TIMEOUTS;
    this.server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        connectionsCheckingInterval: CHECK_TIMEOUTS_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requireHostHeader: false, // unfitHead checks it, and answers with a body.
        optimizeEmptyRequests: true,
        // Node before 24.9 hands over every request for an upgrade. #upgrade refuses the others there.
        // A reply that is due would go into the stream: #take refuses the handshake behind it.
        shouldUpgradeCallback: ({ url, socket }) => intakeOf(socket).repliesDue === 0 && this.#takesPath(url ?? ''),
        IncomingMessage: WholeRequest,
        ServerResponse: TimedResponse,
      },
      (request, response) => this.#take(request, response),
    );
    const { plainRequests = true } = options;
    const taker = {
      endpointOf: (head: PlainHead) => this.#plainEndpoint(head),
      take: (request: PlainRequest, endpoint: Endpoint, body: Buffer) => this.#takePlain(request, endpoint, body),
      // Under overload a head is refused at once, without its body.
      mayWait: () => this.#engine.queueMs <= this.#maxQueueMs,
      badClient: (error: NodeJS.ErrnoException, socket: Socket) => this.#refuseUnread(socket, error),
    };
    this.#plain = plainRequests ? new PlainConnections(taker, headersMs) : null;
    this.#intakes.watch(this.server, this.#plain);
    const { connections = DEFAULT_PLAN.gateway, onConnectionRefused = () => {} } = options;
    boundConnections(this.server, connections, this.#clients, onConnectionRefused);
    // A client may close its half after the request and still wait for the reply.
    (this.server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    this.server.on('checkContinue', (request, response) => this.#take(request, response));
    this.server.on('checkExpectation', (request, response) => {
      const expect = request.headers.expect ?? '';
      intakeOf(request.socket).received(request);
      endAfterUpgrade(request, response);
      const envelope = this.#routing.envelopeOf(request.url ?? '');
      this.#replies.refuse(response, envelope, new ApiError('expectationUnknown', { expect }));
    });
    this.server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.server.on('connect', (request, socket) => {
      intakeOf(socket).leave();
      this.#replies.refuseSocket(
        socket,
        new ApiError('methodNotAllowed', { method: 'CONNECT', allowed: 'GET or POST' }),
        request.url,
      );
    });
    this.server.on('clientError', (error, socket) => this.#refuseUnread(socket, error));
  }

  /** For the streams: a nonce counts once, wherever it is used, and a login counts as a request. */
  get logins(): Pick<Admission, 'login' | 'isPast'> {
    return this.#admission;
  }

  /** Requests for an upgrade at its paths go to `upgrades` from now on. */
  serveUpgrades(upgrades: UpgradeTaker): void {
    this.#upgrades = upgrades;
  }

  /** Listens, and resolves with the address: 'http://127.0.0.1:8080'. Port 0 picks a free one. */
  listen(port: number, host: string): Promise<string> {
    return listenAt(this.server, port, host);
  }

  /** This process leads from now on, and another one did before (admission.ts). */
  startOver(): void {
    this.#admission.startOver();
  }

  /** By key, the highest nonce that was accepted, in this process or before it. */
  takenNonces(): ReadonlyMap<string, number> {
    return this.#admission.takenNonces();
  }

  /** The highest nonce of a key that was accepted, in this process or before it. Null: none is known. */
  lastNonceMs(key: string): number | null {
    return this.#admission.lastNonceMs(key);
  }

  /** What clients do now. */
  get activity(): Activity {
    const lastMs = Math.max(this.#cameMs, this.#replies.lastMs);
    return { busy: this.#exchanges.busy, requests: this.#requests, lastMs };
  }

  /** From now on, neither the listener nor its connections keep the process alive. */
  unref(): void {
    unrefServer(this.server);
  }

  /**
   * Stops listening, answers the requests in progress, and closes every connection. Resolves with the requests, as
   * `POST /path`, that had no answer in time and were cut off.
   */
  async close(withinMs = CLOSE_MS): Promise<readonly string[]> {
    this.#replies.closing = true;
    if (!this.server.listening) return [];
    let cutOff: string[] = [];
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.#plain?.close();
    const upgradesClosed = this.#upgrades?.close();
    // Nobody moves the clock any more, so these would never be answered.
    this.#exchanges.cutHeld();
    const laggards = setTimeout(() => {
      cutOff = this.#exchanges.waiting();
      this.server.closeAllConnections();
      this.#plain?.destroy();
    }, withinMs);
    await upgradesClosed;
    await closed;
    clearTimeout(laggards);
    return cutOff;
  }

  /** Whether a handshake at the target is for a stream. */
  #takesPath(target: string): boolean {
    return !this.#replies.closing && this.#upgrades?.takes(pathOf(target)) === true;
  }

  /** Answers what node:http could not parse, or did not receive in time. */
  #refuseUnread(socket: Duplex, error: NodeJS.ErrnoException): void {
    this.#replies.refuseUnread(socket, error, this.server.requestTimeout);
  }

  #came(): void {
    this.#requests += 1;
    this.#cameMs = performance.now();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#came();
    if (intakeOf(socket).repliesDue > 0) {
      // Only Node before 24.9. A refusal would come before the reply that is due.
      intakeOf(socket).leave();
      socket.destroy();
      return;
    }
    const refusal = this.#unfitUpgrade(request, socket);
    if (refusal !== null) {
      intakeOf(socket).leave();
      this.#replies.refuseSocket(socket, refusal, request.url);
      return;
    }
    intakeOf(socket).handOver();
    try {
      (this.#upgrades as UpgradeTaker).take(request, socket, head, this.#addressOf(request.socket, request.headers));
    } catch (error) {
      this.#onBug(error, `an upgrade at ${request.url}`);
      socket.destroy();
    }
  }

  /** Why the connection is not handed over. Null: it is, and counts for its address from now on. */
  #unfitUpgrade(request: IncomingMessage, socket: Duplex): ApiError | null {
    const unfit = unfitHead(request);
    if (unfit !== null) return unfit;
    const target = request.url ?? '';
    if (!this.#takesPath(target)) return new ApiError('pathNotFound', { path: pathOf(target) });
    // Its body would be read as frames.
    if (hasBody(request.headers)) return malformed('the handshake', 'has a body', 'send it without one');
    if (isOfOtherOrigin(request.headers)) {
      return new ApiError('otherOrigin', { origin: request.headers.origin ?? '' });
    }
    const fault = this.#faults.takeHandshake(pathOf(target));
    if (fault !== null)
      return new ApiError(fault.maintenance === true ? 'maintenance' : 'faultInjected', {}, { status: 503 });
    try {
      const address = this.#addressOf(request.socket, request.headers);
      if (this.#streams === null || this.#streams.take(address, socket)) return null;
      return new ApiError('tooManyStreams', { most: this.#streams.most });
    } catch (error) {
      return this.#replies.known(error, target);
    }
  }

  #addressOf(socket: Socket, headers: RequestHeaders): string {
    return this.#clients.of(socket.remoteAddress ?? '', headers['x-forwarded-for']);
  }

  /** The endpoint of a plain request. Null: node:http has to read it. */
  #plainEndpoint({ method, target, headers, bodyBytes }: PlainHead): Endpoint | null {
    const endpoint = this.#routing.find(pathOf(target))?.methods.get(method);
    if (endpoint === undefined || (bodyBytes > 0 && unfitBody(headers) !== null)) return null;
    return endpoint;
  }

  #takePlain(request: PlainRequest, endpoint: Endpoint, body: Buffer): void {
    const exchange = { pending: request, endpoint, query: queryOf(request.target), headers: [], place: -1 };
    if (this.#refusesForWait(exchange)) intakeOf(request.client).refused();
    else this.#perform(exchange, body);
  }

  #perform(exchange: Exchange, body: Buffer): void {
    this.#came();
    this.#exchanges.perform(exchange, body);
  }

  /** Handles a request from its request line to its endpoint and, if it has one, its whole body. */
  #take(request: WholeRequest, response: TimedResponse): void {
    const target = request.url ?? '';
    intakeOf(request.socket).received(request);
    endAfterUpgrade(request, response);
    const unfit = unfitHead(request);
    if (unfit !== null) {
      this.#replies.refuseAndClose(response, this.#routing.envelopeOf(target), unfit);
      return;
    }
    if (request.headers.upgrade !== undefined && this.#takesPath(target) && intakeOf(request.socket).repliesDue > 0) {
      const refusal = malformed('the handshake', 'came before the reply to another request', ON_ITS_OWN);
      this.#replies.refuse(response, this.#routing.envelopeOf(target), refusal);
      return;
    }
    const path = pathOf(target);
    const method = request.method ?? '';
    const entry = this.#routing.find(path);
    if (entry === undefined) {
      const document = method === 'GET' || method === 'HEAD' ? servedDocument(path) : undefined;
      if (document !== undefined) this.#replies.send(response, 200, document, []);
      else if (this.#takesPath(target)) this.#refuseStream(method, response, target);
      else this.#replies.refuse(response, this.#routing.envelopeOf(target), this.#routing.missing(path));
      return;
    }
    const endpoint = entry.methods.get(method);
    if (endpoint === undefined) {
      this.#offerMethods(request, response, path, entry);
      return;
    }
    const exchange = { pending: response, endpoint, query: queryOf(target), headers: [], place: -1 };
    if (this.#refusesForWait(exchange)) {
      intakeOf(request.socket).refused();
      return;
    }
    if (hasBody(request.headers)) this.#collect(exchange, request, response);
    else this.#perform(exchange, NO_BODY);
  }

  /** True: the request would add a command while commands wait too long, and was refused. */
  #refusesForWait({ pending, endpoint }: Exchange): boolean {
    if (this.#maxQueueMs === Number.POSITIVE_INFINITY || !addsCommands(endpoint.route)) return false;
    const waitMs = intakeOf(pending.client).waitedMs + this.#engine.queueMs;
    if (waitMs <= this.#maxQueueMs) return false;
    const unanswered = this.#engine.awaitsLog?.(this.#maxQueueMs);
    this.#onCommandRefused(unanswered === undefined ? 'queueTooOld' : 'logUnanswered', null);
    const refusal = engineError(unanswered) ?? queueTooOld(waitMs, this.#maxQueueMs);
    this.#replies.refuse(pending, endpoint.surface.envelope, refusal);
    return true;
  }

  /** At the path of a stream: a request that is no handshake. */
  #refuseStream(method: string, response: TimedResponse, target: string): void {
    const envelope = this.#routing.envelopeOf(target);
    if (method === 'GET') {
      // node:http keeps a connection open if the header does not say close.
      const headers = ['Upgrade', 'websocket', 'Connection', response.shouldKeepAlive ? 'Upgrade' : 'Upgrade, close'];
      this.#replies.refuse(response, envelope, new ApiError('upgradeRequired'), headers);
    } else {
      const error = new ApiError('methodNotAllowed', { method, allowed: 'GET' });
      this.#replies.refuse(response, envelope, error, ['Allow', 'GET']);
    }
  }

  #offerMethods(request: IncomingMessage, response: TimedResponse, path: string, entry: PathEntry): void {
    if (request.method === 'OPTIONS') {
      this.#replies.sendMethods(response, entry.allowed);
      return;
    }
    const method = request.method ?? '';
    const sibling = this.#routing.siblingWith(method, path);
    const allowed = sibling === undefined ? entry.allowed : `${entry.allowed}, or ${method} ${sibling}`;
    const error = new ApiError('methodNotAllowed', { method, allowed });
    this.#replies.refuse(response, entry.envelope, error, ['Allow', entry.allowed]);
  }

  #collect(exchange: Exchange, request: WholeRequest, response: TimedResponse): void {
    const { envelope } = exchange.endpoint.surface;
    const unfit = unfitBody(request.headers);
    if (unfit !== null) {
      if (unfit.reason === 'bodyTooLarge') this.#replies.refuseWhileSending(request, response, envelope, unfit);
      else this.#replies.refuse(response, envelope, unfit);
      return;
    }
    if (request.headers.expect !== undefined) response.writeContinue();
    request.collect(
      (body) => this.#handle(exchange, body),
      () => this.#replies.refuseWhileSending(request, response, envelope, bodyTooLarge()),
    );
  }

  #handle(exchange: Exchange, body: Buffer): void {
    // Judged by their heads alone, any number could be let through at once, because none of them is waiting yet.
    if (!this.#refusesForWait(exchange)) this.#perform(exchange, body);
  }
}

function addsCommands({ method, isExit }: Route): boolean {
  return method !== 'GET' && isExit !== true;
}

function queueTooOld(queueMs: number, maxQueueMs: number): ApiError {
  const limit = `the ${maxQueueMs} ms of maxQueueMs (--max-queue-ms)`;
  const problem = `commands wait ${Math.round(queueMs)} ms, more than ${limit}: try again later`;
  return new ApiError('busy', { problem });
}
