/**
 * Who calls the control surface: a bearer token, or the cookie of a page. One function for requests and for handshakes of
 * the stream.
 *
 * A browser sends the cookie with every request that any page makes here, so a request with a cookie must come from this
 * venue's own page: its Host is an address of this machine (otherwise a foreign name that was pointed here could read
 * the answer), and its Origin and Sec-Fetch-Site are of the same origin. A bearer token has no such rules: no page knows
 * it.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { plainAddress } from '../../config/addresses.ts';
import { isOfOtherOrigin } from '../gateway/request.ts';
import { ApiError, shortened } from '../shared/errors.ts';
import type { PageSessions } from './page/sessions.ts';
import type { Caller, ControlTokens } from './tokens.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export interface CallersOptions {
  readonly tokens: Pick<ControlTokens, 'callerOf'>;
  readonly sessions: Pick<PageSessions, 'callerOf'>;
}

export class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** @throws {ApiError} nobody known, or a request of another page */
  of(request: IncomingMessage): Caller {
    const { tokens, sessions } = this.#options;
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      if (token === undefined) return unknown();
      const caller = tokens.callerOf(token);
      if (caller === null) throw unauthorized('the bearer token is not a token of this venue: send one that is');
      return caller;
    }
    const cookies = cookiesOf(request);
    if (cookies.length === 0) return unknown();
    refuseOtherPages(request);
    for (const cookie of cookies) {
      const caller = sessions.callerOf(cookie);
      if (caller !== null) return caller;
    }
    return unknown();
  }

  /** The same of a request that was accepted before. Null: its credential does not count any more. */
  stillOf(request: IncomingMessage): Caller | null {
    try {
      return this.of(request);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }
}

function unknown(): never {
  throw unauthorized();
}

/** No credential that counts came with the request. */
export function unauthorized(problem = 'send the control token: Authorization: Bearer <token>'): ApiError {
  return new ApiError('unauthorized', { problem });
}

/** Refuses what this venue's own page would not send. @throws {ApiError} */
export function refuseOtherPages(request: IncomingMessage): void {
  refuseForeignHost(request);
  const { origin, 'sec-fetch-site': site } = request.headers;
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  // Browsers name the origin of everything but plain reads. Some leave out Sec-Fetch-Site on other networks than loopback.
  const mustName = changes || request.headers.upgrade !== undefined;
  const isOther = (site !== undefined && site !== 'same-origin') || isOfOtherOrigin(request.headers);
  if (isOther || (mustName && origin === undefined)) {
    throw new ApiError('otherPage', { what: senderText(origin, site) });
  }
}

/** Where a request comes from, by what the browser says. */
function senderText(origin: string | undefined, site: string | string[] | undefined): string {
  const named = origin === undefined || origin === 'null' ? '' : ` (${shortened(origin)})`;
  const known = SITES[String(site)];
  if (known !== undefined) return `${known}${named}`;
  return named === '' ? 'a sender that does not name its page in the header Origin' : `another page${named}`;
}

/** By Sec-Fetch-Site. */
const SITES: Readonly<Record<string, string>> = {
  'cross-site': 'a page of another site',
  'same-site': 'a page of another port or name of this machine',
  none: 'the address bar or a bookmark',
};

/** @throws {ApiError} the Host is neither the address of this connection nor a name of loopback, with the port */
export function refuseForeignHost({ headers, socket }: IncomingMessage): void {
  const address = plainAddress(socket.localAddress ?? '');
  const names = [...LOOPBACK, isIPv6(address) ? `[${address}]` : address];
  const given = hostOf(headers.host);
  if (given !== undefined && names.some((name) => hostOf(`${name}:${socket.localPort}`) === given)) return;
  throw new ApiError('misdirected', { host: shortened(headers.host ?? '(none)') });
}

/** Without the port, if it is the standard one. Undefined: this is no host. */
function hostOf(text = ''): string | undefined {
  return URL.parse(`http://${text}`)?.host;
}

/** Ports share cookies, so the name has the port. */
export function cookieName({ socket }: IncomingMessage): string {
  return `bourse_${socket.localPort}`;
}

/**
 * The values of all cookies with the name of the page's cookie. A page on another port of this machine can set one, for a
 * longer path, and browsers then send it first.
 */
export function cookiesOf(request: IncomingMessage): string[] {
  const name = `${cookieName(request)}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map((part) => part.trim());
  return pairs.filter((pair) => pair.startsWith(name)).map((pair) => pair.slice(name.length));
}
