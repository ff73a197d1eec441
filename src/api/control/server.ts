/**
 * The listener of the control surface: its own port, bearer tokens with scopes, JSON in and out, and the page. It is not
 * part of the interface for clients, and faults do not affect it. A reply is sent when everything that the request set
 * off has happened. Only the two probes (probes.ts), the documents of the interface and the files of the page need no
 * token.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Field, parseExactJson } from '../../config/field.ts';
import { KnownPaths } from '../../config/nearest-path.ts';
import { ClientAddresses } from '../gateway/client-address.ts';
import {
  boundConnections,
  CHECK_TIMEOUTS_MS,
  type ConnectionBounds,
  DEFAULT_PLAN,
  KEEP_ALIVE_MS,
  TIMEOUTS,
} from '../gateway/connections.ts';
import { controlError } from '../gateway/error-bodies.ts';
import { listenAt } from '../gateway/listen.ts';
import { replyRaw } from '../gateway/raw-reply.ts';
import {
  endAfterUpgrade,
  hasBody,
  isOfOtherOrigin,
  MAX_BODY_BYTES,
  parserError,
  unfitHead,
} from '../gateway/request.ts';
import { parseQuery } from '../gateway/routing.ts';
import { unrefServer } from '../gateway/unref.ts';
import { SEQ_HEADER, takeAtLeast } from '../shared/at-least-seq.ts';
import { engineError, isUnavailable } from '../shared/engine-errors.ts';
import { ApiError, BODY, malformed, shortened } from '../shared/errors.ts';
import { servedDocument } from '../shared/served-documents.ts';
import { Callers, unauthorized } from './callers.ts';
import { type ControlCall, type ControlContext, type ControlRoute, Html, Unready } from './context.ts';
import { Page, type PageAnswer } from './page/page.ts';
import { probe, type Readiness } from './probes.ts';
import { ROUTES, STREAM } from './routes.ts';
import type { ControlStream } from './stream/stream.ts';
import { type Caller, SCOPES } from './tokens.ts';

const PREFIX = '/control/v1';
const PATHS = new KnownPaths(new Set(ROUTES.map(({ path }) => PREFIX + path)));
/** Of bodies that are not those of the trading surfaces. */
const MOST_BODY_BYTES = 1_048_576;
/** How long a close waits for requests in progress. */
const CLOSE_MS = 5000;
const JSON_TYPE = 'application/json; charset=utf-8';
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const WORD_TYPE = 'text/plain; charset=utf-8';
/** No other site may show or read anything of this listener, and no browser guesses what a body is. */
const SITE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
/** Of a page with its own styles, and nothing else. */
const HTML_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};
/** Paths that are answered while the venue is being rebuilt. */
const ALWAYS = ['/health', '/metrics', '/faults', '/tokens', '/tokens/{name}'];

export interface ControlOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Called with a bug: a handler threw something other than a refusal. */
  readonly onBug: (error: unknown, where: string) => void;
  readonly connections?: ConnectionBounds;
  readonly trustedProxies?: readonly string[];
  /** Called for each connection that was closed at once because there were too many. Must not throw. */
  readonly onConnectionRefused?: () => void;
  /** Takes the connections of the stream. */
  readonly stream?: ControlStream;
}

export class ControlServer {
  readonly #context: ControlContext;
  readonly #options: ControlOptions;
  readonly #server: Server;
  readonly #callers: Callers;
  readonly #page: Page;
  /** The requests in progress of a connection. */
  readonly #inHand = new WeakMap<Duplex, number>();
  /** Sockets whose request was refused by its head. They get no other answer. */
  readonly #refused = new WeakSet<Duplex>();
  /** Where the venue was when a read began. */
  readonly #seqs = new WeakMap<IncomingMessage, number>();
  /** Ends with the last call of a route that is `inTurn`. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(context: ControlContext, options: ControlOptions) {
    this.#context = context;
    this.#options = options;
    this.#callers = new Callers(context);
    this.#page = new Page(context.sessions, this.#callers);
    const timeouts = {
      headersTimeout: TIMEOUTS.headersMs,
      requestTimeout: TIMEOUTS.requestMs,
      connectionsCheckingInterval: CHECK_TIMEOUTS_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false, // unfitHead checks it, and answers with a body.
      shouldUpgradeCallback: ({ url = '' }: IncomingMessage) => url.split('?', 1)[0] === PREFIX + STREAM.path,
    };
    this.#server = createServer(timeouts, (request, response) => this.#take(request, response));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.on('clientError', (error, socket) => this.#badClient(error, socket));
    const { connections = DEFAULT_PLAN.control, trustedProxies = [], onConnectionRefused = () => {} } = options;
    boundConnections(this.#server, connections, new ClientAddresses(trustedProxies), onConnectionRefused);
  }

  /** Resolves with the address once it listens: `http://127.0.0.1:8081`. */
  listen(): Promise<string> {
    return listenAt(this.#server, this.#options.port, this.#options.host);
  }

  /** From now on, neither the listener nor its connections keep the process alive. */
  unref(): void {
    unrefServer(this.#server);
  }

  /** Stops listening. Requests in progress are answered, idle connections are closed. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const streamClosed = this.#options.stream?.close();
    this.#server.closeIdleConnections();
    // A connection that has not sent a whole request has no request in progress.
    const laggards = setTimeout(() => this.#server.closeAllConnections(), CLOSE_MS);
    await streamClosed;
    await closed;
    clearTimeout(laggards);
  }

  /** Hands a handshake over to the stream, or refuses it. */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { stream } = this.#options;
    const isAllowed = () => {
      const caller = this.#callers.stillOf(request);
      return caller !== null && mayCall(caller, STREAM);
    };
    try {
      const unfit = unfitHead(request);
      if (unfit !== null) throw unfit;
      // Its body would be read as frames.
      if (hasBody(request.headers)) throw malformed('the handshake', 'has a body', 'send it without one');
      if (isOfOtherOrigin(request.headers)) {
        throw new ApiError('otherOrigin', { origin: request.headers.origin ?? '' });
      }
      refuseCaller(this.#callers.of(request), STREAM);
      if (stream === undefined || !this.#server.listening) throw new ApiError('notAvailable', { what: 'no stream' });
      stream.take(request, socket, head, isAllowed);
    } catch (error) {
      const { status, body } = this.#refusal(error, request);
      replyRaw(socket, status, JSON.stringify(body));
    }
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#inHand.set(socket, (this.#inHand.get(socket) ?? 0) + 1);
    response.once('close', () => this.#inHand.set(socket, (this.#inHand.get(socket) ?? 1) - 1));
    endAfterUpgrade(request, response);
    const unfit = unfitHead(request);
    if (unfit !== null) {
      // At once, because the parser may be about to fail on what follows.
      const { status, body } = controlError(unfit);
      this.#refused.add(request.socket);
      response.shouldKeepAlive = false;
      this.#reply(request, response, status, body);
      return;
    }
    const path = (request.url ?? '').split('?', 1)[0];
    const probed = probe(request.method, path, () => readinessOf(this.#context));
    if (probed !== undefined) {
      this.#reply(request, response, probed.status, `${probed.word}\n`, WORD_TYPE);
      return;
    }
    const document = request.method === 'GET' || request.method === 'HEAD' ? servedDocument(path) : undefined;
    if (document !== undefined) {
      this.#send(request, response, { status: 200, headers: { 'content-type': JSON_TYPE }, body: document });
      return;
    }
    this.#handle(request, response, path).catch((error: unknown) => {
      this.#options.onBug(error, `${request.method} ${request.url}`);
      response.destroy();
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const replyHeaders: string[] = [];
    let status = 200;
    let reply: object | string;
    try {
      const page = await this.#page.answer(request, path, () => readBody(request));
      if (page !== undefined) return this.#send(request, response, page);
      const answer = await this.#answer(request, { gone: goneOf(response), replyHeaders });
      if (answer instanceof Html) {
        return this.#send(request, response, { status, headers: HTML_HEADERS, body: answer.text });
      }
      if (this.#context.unreadable === undefined) replyHeaders.unshift(SEQ_HEADER, String(this.#seqOf(request)));
      if (answer instanceof Unready) status = 503;
      reply = answer instanceof Unready ? answer.body : answer;
    } catch (error) {
      const refused = this.#refusal(error, request);
      status = refused.status;
      reply = refused.body;
    }
    for (let i = 0; i < replyHeaders.length; i += 2) response.setHeader(replyHeaders[i], replyHeaders[i + 1]);
    this.#reply(request, response, status, reply);
  }

  #reply(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    reply: object | string,
    type = typeof reply === 'string' ? METRICS_TYPE : JSON_TYPE,
  ): void {
    const headers = {
      'content-type': type,
      'cache-control': 'no-store',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    };
    this.#send(request, response, { status, headers, body: typeof reply === 'string' ? reply : JSON.stringify(reply) });
  }

  #send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: PageAnswer): void {
    response.writeHead(status, {
      ...headers,
      ...(status !== 304 && { 'content-length': Buffer.byteLength(body) }),
      ...SITE_HEADERS,
      // After a refusal the rest of a body may still arrive, so the connection is not reused.
      ...(request.complete && response.shouldKeepAlive && this.#server.listening ? {} : { connection: 'close' }),
    });
    response.end(body);
  }

  /** What the reply includes: of a read, everything up to its beginning. */
  #seqOf(request: IncomingMessage): number {
    return this.#seqs.get(request) ?? this.#context.venue.seq;
  }

  async #answer(
    request: IncomingMessage,
    { gone, replyHeaders }: Pick<ControlCall, 'gone' | 'replyHeaders'>,
  ): Promise<object | string | Unready | Html> {
    const caller = this.#callers.of(request);
    const { route, params } = find(request.method ?? '', request.url ?? '', this.#context);
    const previews = isPreview(route, request);
    refuseCaller(caller, previews ? { ...route, scope: 'read' } : route);
    if (route.tokenOnly && request.headers.authorization === undefined) throw unauthorized();
    const changes = route.method !== 'GET' && !previews && !ALWAYS.includes(route.path);
    if (changes && this.#context.following !== undefined) throw this.#context.following;
    const { atLeast } = takeAtLeast(request.url?.split('?', 2)[1] ?? '');
    if (atLeast !== undefined) await this.#context.atLeastSeq.wait(atLeast);
    if (this.#context.unreadable !== undefined && !ALWAYS.includes(route.path)) throw this.#context.unreadable;
    if (route.method === 'GET') this.#seqs.set(request, this.#context.venue.seq);
    if (route.method === 'DELETE' && hasBody(request.headers)) throw new ApiError('bodyNotTaken', { method: 'DELETE' });
    const body = takesBody(route) ? await readBody(request, route) : queryOf(request);
    const context: ControlCall = Object.create(this.#context, {
      caller: { value: caller.name },
      gone: { value: gone },
      replyHeaders: { value: replyHeaders },
    });
    refuseFields(route, body);
    const call = () => {
      const { handle, preview } = route;
      const act = previews && preview !== undefined ? preview : handle;
      return act(context, new Field(body), ...params);
    };
    if (route.inTurn === undefined) return call();
    const answer = this.#turn.then(call);
    this.#turn = answer.catch(() => {});
    return answer;
  }

  /**
   * Answers what node:http could not parse, or did not receive in time. The answer must not be mistaken for the reply
   * to a request in progress.
   */
  #badClient(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (socket.writable && this.#refused.has(socket)) {
      (socket as Socket).destroySoon();
      return;
    }
    if (error.code === 'ECONNRESET' || !socket.writable || (this.#inHand.get(socket) ?? 0) > 0) {
      socket.destroy();
      return;
    }
    const { status, body } = controlError(parserError(error, this.#server.requestTimeout));
    replyRaw(socket, status, JSON.stringify(body));
  }

  #refusal(error: unknown, request: IncomingMessage): { status: number; body: object } {
    if (error instanceof ApiError) return controlError(error);
    if (!isUnavailable(error)) this.#options.onBug(error, `${request.method} ${request.url}`);
    const known = engineError(error, 'control');
    if (known !== null) return controlError(known);
    return { status: 500, body: { error: { reason: 'internal', message: 'internal error; it has been logged' } } };
  }
}

function readinessOf({ notReadyBecause, following }: ControlContext): Readiness {
  if (notReadyBecause().length > 0) return 'unready';
  return following === undefined ? 'ready' : 'standby';
}

function mayCall({ scope }: Caller, { scope: needed }: ControlRoute): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** Aborted when the connection ends before the answer was sent. */
function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** A path without a route is not found, whatever the token may do. */
function refuseCaller(caller: Caller, route: ControlRoute): void {
  if (mayCall(caller, route)) return;
  const { name, isSession, scope } = caller;
  const who = isSession ? 'this session of the page' : `the token ${name}`;
  throw new ApiError('scopeMissing', { what: `${route.method} ${route.path}`, needed: route.scope, who, scope });
}

function find(method: string, url: string, context: ControlContext): { route: ControlRoute; params: string[] } {
  const path = url.split('?', 1)[0];
  const segments = path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length + 1).split('/') : [];
  const methods: string[] = [];
  for (const route of ROUTES) {
    const params = matched(route.path.slice(1).split('/'), segments);
    if (params === null) continue;
    if (route.method === method) return { route, params };
    methods.push(route.method);
  }
  const { routing, streamPaths } = context;
  const isForClients = routing.find(path) !== undefined || streamPaths.includes(path);
  const unknown = isForClients ? ': it is on the port for clients (--port)' : PATHS.hint(path);
  const hint = methods.length === 0 ? unknown : `; this path takes ${methods.join(' and ')}`;
  throw new ApiError('notFound', { what: `${method} ${shortened(path)} on the control surface${hint}` });
}

/** The values of the pattern's {names}. Null if the path does not match. */
function matched(pattern: readonly string[], segments: readonly string[]): string[] | null {
  if (pattern.length !== segments.length) return null;
  const params: string[] = [];
  for (let i = 0; i < pattern.length; i++) {
    if (!pattern[i].startsWith('{')) {
      if (pattern[i] !== segments[i]) return null;
      continue;
    }
    try {
      params.push(decodeURIComponent(segments[i]));
    } catch {
      return null;
    }
  }
  return params;
}

/** What is meant as a preview must not be carried out, however it is spelled, and on any route. */
function isPreview(route: ControlRoute, request: IncomingMessage): boolean {
  const { method, path, preview } = route;
  const query = method === 'GET' ? {} : queryOf(request);
  const asked = query.preview;
  const other = takesBody(route) ? Object.keys(query).find((name) => name !== 'preview') : undefined;
  if (other !== undefined) {
    throw malformed(shortened(other), `is no parameter of ${method} ${path}`, 'give everything in the body');
  }
  if (asked === undefined) return false;
  if (preview === undefined) throw malformed('preview', `is not for ${method} ${path}`, 'only POST /prices has one');
  if (asked !== 'true') throw malformed('preview', `is ${shortened(asked)}`, 'give true, or leave it out');
  return true;
}

/** Monitoring systems add parameters as they like. */
const TAKE_ANYTHING = ['/health', '/metrics'];

/** A call that takes no fields: a field that would be ignored may have been meant for another call. @throws {ApiError} malformed */
function refuseFields(route: ControlRoute, body: unknown): void {
  const { method, path, takes, takesBytes } = route;
  const known = takesBody(route) ? (takes?.body ?? takesBytes) : takes?.query;
  if (known !== undefined || TAKE_ANYTHING.includes(path)) return;
  const field = new Field(body).object([]);
  if (field.problems.length === 0) return;
  const given = field.problems[0].path;
  const problem = given === '' ? 'is no object' : 'is not known';
  throw malformed(given === '' ? BODY : shortened(given), problem, `${method} ${path} takes no fields`);
}

function takesBody({ method }: ControlRoute): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

/** The parameters of a request without a body, as an object of texts. */
function queryOf({ url = '' }: IncomingMessage): Record<string, string> {
  const cut = url.indexOf('?');
  return cut < 0 ? {} : { ...parseQuery(takeAtLeast(url.slice(cut + 1)).query) };
}

async function readBody(
  request: IncomingMessage,
  { takesBytes }: Pick<ControlRoute, 'takesBytes'> = {},
): Promise<unknown> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new ApiError('bodyEncoded', { encoding });
  const maximum = takesBytes === true ? MAX_BODY_BYTES : MOST_BODY_BYTES;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    // A little too much is read to its end, so that its sender can read the answer.
    if (bytes > MOST_BODY_BYTES) break;
    if (bytes <= maximum) chunks.push(chunk as Buffer);
  }
  if (bytes > maximum) throw new ApiError('bodyTooLarge', { maximum });
  if (takesBytes === true) return Buffer.concat(chunks);
  if (bytes === 0) return {};
  try {
    return parseExactJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw malformed(BODY, 'is not JSON in UTF-8', 'send one JSON object');
  }
}
