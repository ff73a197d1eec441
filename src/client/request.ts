/**
 * One signed or plain HTTP request to a venue, and its JSON reply. The signature is HMAC-SHA384 over path + nonce +
 * body with the key's secret. The path is signed without the query and without the leading `/spot` or `/futures`.
 */
import { createHmac } from 'node:crypto';

export interface Credentials {
  readonly key: string;
  readonly secret: string;
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Signs the request. */
  readonly credentials?: Credentials | null;
  /** The time limit, 30 s by default. */
  readonly timeoutMs?: number;
}

/** A reply without success. `body` is the venue's answer: the surface's error envelope. */
export class VenueError extends Error {
  override readonly name = 'VenueError';
  readonly status: number;
  readonly body: unknown;
  /** The surface's own code, if it has one. */
  readonly code: number | null;

  constructor(method: string, path: string, status: number, body: unknown) {
    super(`${method} ${path} answered ${status}: ${messageOf(body)}`);
    this.status = status;
    this.body = body;
    this.code = codeOf(body);
  }
}

/** An address in the form that `fetch` takes. */
export function isAddress(text: string): boolean {
  return /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
}

/** An address to suggest for a text that is not one. */
export function addressLike(text: string): string {
  const whole = `http://${text}`;
  return text !== '' && !text.includes('//') && URL.canParse(whole) ? whole : 'http://127.0.0.1:8080';
}

/** Throws a TypeError unless the `url` that a client was given is an address. */
export function checkAddress(url: unknown): void {
  if (typeof url === 'string' && isAddress(url)) return;
  throw new TypeError(`url is ${JSON.stringify(url)}: give an address such as ${addressLike(String(url ?? ''))}`);
}

/** The signature of a request: 96 lower-case hex digits. `path` is the whole path, `body` the text that is sent. */
export function sign(secret: string, path: string, nonce: string, body: string): string {
  const signedPath = path.replace(/^\/(spot|futures)(?=\/)/, '');
  return createHmac('sha384', secret).update(`${signedPath}${nonce}${body}`).digest('hex');
}

let lastNonceMs = 0;

/** The time, but never the same twice. The second of two equal requests in one millisecond would be a replay. */
export function nextNonce(): string {
  lastNonceMs = Math.max(lastNonceMs + 1, Date.now());
  return String(lastNonceMs);
}

/**
 * Resolves with the parsed JSON of a 2xx. Throws VenueError for other replies, and fetch's error if there is no answer.
 */
export async function request(base: string, method: string, path: string, options: RequestOptions = {}) {
  const body = options.body === undefined ? '' : JSON.stringify(options.body);
  const headers: Record<string, string> = { ...options.headers };
  if (body !== '') headers['content-type'] = 'application/json';
  if (options.credentials) {
    const nonce = nextNonce();
    headers['request-api'] = options.credentials.key;
    headers['request-nonce'] = nonce;
    headers['request-sign'] = sign(options.credentials.secret, path, nonce, body);
  }
  const response = await fetch(`${base.replace(/\/+$/, '')}${path}${queryText(options.query)}`, {
    method,
    headers,
    body: body === '' ? undefined : body,
    signal: AbortSignal.timeout(options.timeoutMs ?? 30_000),
  });
  const text = await response.text();
  const reply = parsed(text);
  if (!response.ok) throw new VenueError(method, path, response.status, reply);
  return reply;
}

function queryText(query: RequestOptions['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}

/** Prometheus text and the like are not JSON, and are returned unchanged. */
function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function messageOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body ?? 'an empty body');
  const { message, msg, error } = body as { message?: unknown; msg?: unknown; error?: { message?: unknown } };
  return String(message ?? msg ?? error?.message ?? JSON.stringify(body));
}

function codeOf(body: unknown): number | null {
  if (typeof body !== 'object' || body === null) return null;
  const { errorCode, code } = body as { errorCode?: unknown; code?: unknown };
  const found = errorCode ?? code;
  return typeof found === 'number' ? found : null;
}
