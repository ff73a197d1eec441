/**
 * What the control listener answers to a browser outside `/control/v1`: the page's files, and `/session`, where the code
 * of a link becomes a cookie, and a token gets a link. The files hold no data and need no session.
 */
import type { IncomingMessage } from 'node:http';
import { Field } from '../../../config/field.ts';
import { ApiError } from '../../shared/errors.ts';
import { type Callers, cookieName, cookiesOf, refuseForeignHost, refuseOtherPages, unauthorized } from '../callers.ts';
import { refuseProblems } from '../problems.ts';
import type { Caller } from '../tokens.ts';
import { pageFile } from './files.ts';
import { CODE_MS, type PageSessions } from './sessions.ts';

/** A whole answer. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
const HTML_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
const NO_PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Not found · bourse</title>' +
  '<h1>There is no such page</h1><p>Go to <a href="/">the market</a>.</p></html>\n';
/** 24 bytes as base64url. */
const CODE = /^[\w-]{32}$/;

export class Page {
  readonly #sessions: PageSessions;
  readonly #callers: Callers;

  constructor(sessions: PageSessions, callers: Callers) {
    this.#sessions = sessions;
    this.#callers = callers;
  }

  /** Undefined: the page has nothing at this path. @throws {ApiError} */
  async answer(request: IncomingMessage, path: string, body: () => Promise<unknown>): Promise<PageAnswer | undefined> {
    if (path === '/session') return this.#session(request, body);
    if (path === '/session/links' && request.method === 'POST') return this.#link(request, body);
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const file = pageFile(path);
    if (file === undefined) return this.#noPage(request, path);
    refuseForeignHost(request);
    const { type, etag, cache, policy } = file;
    const headers = {
      etag,
      'cache-control': cache,
      ...(policy !== undefined && { 'content-security-policy': policy }),
    };
    if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: '' };
    return { status: 200, headers: { ...headers, 'content-type': type }, body: file.body };
  }

  /** For an address that somebody has typed into a browser. Programs get the error of the surface. */
  #noPage({ headers }: IncomingMessage, path: string): PageAnswer | undefined {
    if (path.startsWith('/control/') || headers.accept?.includes('text/html') !== true) return undefined;
    return { status: 404, headers: HTML_HEADERS, body: NO_PAGE };
  }

  /** A link for somebody with a token: `bourse page`. */
  async #link(request: IncomingMessage, body: () => Promise<unknown>): Promise<PageAnswer> {
    if (request.headers.authorization === undefined) throw unauthorized();
    const token = this.#callers.of(request);
    const given = new Field(await body());
    given.object(['readOnly']);
    const readOnly = given.at('readOnly').flag();
    refuseProblems(given);
    const { code, scope } = this.#sessions.newCode(token, readOnly);
    const link = { path: pathOfLink(code), scope, validMs: CODE_MS };
    return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(link) };
  }

  async #session(request: IncomingMessage, body: () => Promise<unknown>): Promise<PageAnswer> {
    switch (request.method) {
      case 'GET':
        return { status: 200, headers: JSON_HEADERS, body: shown(this.#callers.of(request)) };
      case 'POST': {
        refuseOtherPages(request);
        const cookie = this.#sessions.open(codeIn(await body()));
        if (cookie === null) throw new ApiError('linkSpent');
        return withCookie(request, cookie, shown(this.#sessions.callerOf(cookie)));
      }
      case 'DELETE': {
        refuseOtherPages(request);
        for (const cookie of cookiesOf(request)) this.#sessions.end(cookie);
        return withCookie(request, '; Max-Age=0', '{}');
      }
      default:
        throw new ApiError('notFound', { what: `${request.method} /session; this path takes GET, POST and DELETE` });
    }
  }
}

/** The code is in the fragment, which a browser sends to nobody: it is in no log and no Referer. */
export function pathOfLink(code: string): string {
  return `/#t=${code}`;
}

/** Without the digest that a token is kept as. */
function shown(caller: Caller | null): string {
  return JSON.stringify({ name: caller?.name, scope: caller?.scope });
}

function withCookie(request: IncomingMessage, value: string, body: string): PageAnswer {
  const cookie = `${cookieName(request)}=${value}; HttpOnly; SameSite=Strict; Path=/`;
  return { status: 200, headers: { ...JSON_HEADERS, 'set-cookie': cookie }, body };
}

function codeIn(given: unknown): string {
  const body = new Field(given);
  body.object(['code']);
  const code = body.at('code').text(64);
  refuseProblems(body);
  return CODE.test(code) ? code : '';
}
