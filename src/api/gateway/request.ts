/**
 * Checks a request before authentication: refuses what the head alone rules out, and collects the body.
 *
 * Two readers of one request must never disagree about where it ends or which host it is for: an attacker could smuggle
 * a request past a proxy. So a request has one Host and no transfer coding but `chunked`, and an unreadable request
 * closes the connection.
 */
import { Buffer } from 'node:buffer';
import { type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from 'node:http';
import { ApiError, malformed } from '../shared/errors.ts';
import { ownText } from '../shared/own-text.ts';

export const MAX_BODY_BYTES = 65_536;
const MAX_BROKER = 64;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** The headers that routes and the checks before them read. */
export type RequestHeaders = Partial<
  Pick<
    IncomingHttpHeaders,
    | 'content-length'
    | 'content-type'
    | 'content-encoding'
    | 'transfer-encoding'
    | 'request-api'
    | 'request-nonce'
    | 'request-sign'
    | 'btse-api'
    | 'btse-nonce'
    | 'btse-sign'
    | 'broker-id'
    | 'x-forwarded-for'
  >
>;

/** Why a request is refused on its head alone. Null: it is not. */
export function unfitHead(request: IncomingMessage): ApiError | null {
  const encoding = request.headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return new ApiError('transferEncodingUnknown', { encoding });
  }
  const hosts = hostsOf(request);
  const isOld = request.httpVersionMajor === 1 && request.httpVersionMinor === 0;
  return hosts === 1 || (hosts === 0 && isOld) ? null : new ApiError('hostNotOnce', { count: hosts });
}

/** `headers` has only the first of repeated Host headers. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') count++;
  }
  return count;
}

/**
 * The parser stops after a request for an upgrade, because the following bytes would belong to another protocol. This
 * server never upgrades, so the connection ends with the reply, and no client waits for replies that cannot come.
 */
export function endAfterUpgrade({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.upgrade !== undefined) response.shouldKeepAlive = false;
}

/**
 * Whether a web page of another origin opens a WebSocket: a browser names the origin of the page, and lets any page open
 * one. Clients that are no browsers name none, or that of the venue.
 */
export function isOfOtherOrigin({ origin, host = '' }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return false;
  const page = URL.parse(origin);
  return page === null || page.host !== URL.parse(`${page.protocol}//${host}`)?.host;
}

/** The error for what node:http could not parse, or did not receive in time. */
export function parserError(error: NodeJS.ErrnoException & { reason?: string }, requestTimeoutMs: number): ApiError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('requestTimeout', { seconds: requestTimeoutMs / 1000 });
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headersTooLarge');
    case 'HPE_INVALID_TRANSFER_ENCODING':
      // The parser reports the same if both a length and a coding are given.
      if (error.reason?.includes('Content-Length')) return new ApiError('notHttp');
      return new ApiError('transferEncodingUnknown', { encoding: '(not chunked)' });
    default:
      return new ApiError('notHttp');
  }
}

export function hasBody(headers: RequestHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/** Why a body is not read. Null: it is read. */
export function unfitBody(headers: RequestHeaders): ApiError | null {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return new ApiError('bodyEncoded', { encoding });
  const contentType = headers['content-type'] ?? '(none)';
  if (!JSON_TYPE.test(contentType)) return new ApiError('bodyNotJson', { contentType });
  return Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES ? bodyTooLarge() : null;
}

/** What waits for the body of a request. */
interface BodyTaker {
  readonly onWhole: (body: Buffer) => void;
  readonly onTooLarge: () => void;
  readonly parts: Buffer[];
  bytes: number;
}

/**
 * A request that passes on its body as a whole. As a stream, a body of one part would cost as much as the parsing of
 * its request: two listeners, three turns of the task queue, and two events.
 *
 * The parser of node:http calls `push` with each part of the body, and with null at its end.
 */
export class WholeRequest extends IncomingMessage {
  #taker: BodyTaker | undefined;

  /**
   * Passes on the whole body, or reports once that it is too large. Then the rest is still to come, as a stream. Call it
   * when the head has been parsed, before any of the body is.
   */
  collect(onWhole: (body: Buffer) => void, onTooLarge: () => void): void {
    this.#taker = { onWhole, onTooLarge, parts: [], bytes: 0 };
    // Someone reads it, so node:http does not drain it after the reply.
    this.read(0);
  }

  override push(part: Buffer | null, encoding?: BufferEncoding): boolean {
    const taker = this.#taker;
    if (taker === undefined) return super.push(part, encoding);
    if (part === null) {
      this.#taker = undefined;
      const { parts } = taker;
      taker.onWhole(parts.length === 1 ? parts[0] : Buffer.concat(parts));
      return false;
    }
    taker.bytes += part.length;
    if (taker.bytes <= MAX_BODY_BYTES) taker.parts.push(part);
    else {
      this.#taker = undefined;
      taker.onTooLarge();
    }
    return true;
  }
}

export function bodyTooLarge(): ApiError {
  return new ApiError('bodyTooLarge', { maximum: MAX_BODY_BYTES });
}

/** The BROKER-ID header. Null if there is none. Orders keep it, so it is copied out of the head. */
export function brokerOf(headers: RequestHeaders): string | null {
  const broker = headers['broker-id'];
  if (broker === undefined || broker === '') return null;
  if (typeof broker !== 'string' || broker.length > MAX_BROKER) {
    throw malformed('BROKER-ID', 'is too long', `give at most ${MAX_BROKER} characters`);
  }
  return ownText(broker);
}

/** The path of a target, without its query. */
export function pathOf(target: string): string {
  const cut = target.indexOf('?');
  return cut < 0 ? target : target.slice(0, cut);
}

/** The query of a target, without '?'. Empty: there is none. */
export function queryOf(target: string): string {
  const cut = target.indexOf('?');
  return cut < 0 ? '' : target.slice(cut + 1);
}
