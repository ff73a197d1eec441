/**
 * The client of the control surface: the cookie of the page's session goes with each request, and no token is known here.
 * Each request can be shown as the `curl` that does the same, in which the token stays in its file.
 */

import { noteDone, now, session } from './store.js';
import { effect } from './ui.js';

/** @typedef {'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} Method */
/** @typedef {{ method: Method, path: string, body?: unknown }} Call `path` below /control/v1, or from the root */

/** What the venue refused: the reason, the field it is about, and the message for people. */
export class Refused extends Error {
  /** @param {number} status @param {{ reason?: string, field?: string, message?: string }} error */
  constructor(status, error) {
    super(error.message ?? `the venue answered ${status}`);
    this.name = 'Refused';
    this.status = status;
    this.reason = error.reason ?? 'unknown';
    this.field = error.field ?? null;
  }
}

/** The venue did not answer. */
export class Unreachable extends Error {
  /** @override */
  name = 'Unreachable';
}

/** @param {string} path */
const fullPath = (path) => (/^\/(?:session|livez|readyz)/.test(path) ? path : `/control/v1${path}`);

/**
 * Does something to the venue, and notes it as done from this page. `seq`: the last command of it. Null: it was none.
 * @param {Call} call
 * @returns {Promise<{ reply: any, seq: number | null }>} @throws {Refused | Unreachable}
 */
export async function act({ method, path, body }) {
  const { reply, headers } = await exchange(method, path, body);
  const seq = reply.seq ?? (Number(headers.get('bourse-seq')) || null);
  const { seq: seqNow = 0, timeMs = 0 } = now.value ?? {};
  noteDone({
    seq: seq ?? seqNow,
    timeMs: reply.time ?? timeMs,
    isCommand: seq !== null,
    method,
    path: fullPath(path),
    body,
  });
  return { reply, seq };
}

/**
 * The reply alone.
 * @param {Method} method @param {string} path @param {unknown} [body] @param {AbortSignal} [abort]
 * @returns {Promise<any>} @throws {Refused | Unreachable}
 */
export async function request(method, path, body, abort) {
  return (await exchange(method, path, body, abort)).reply;
}

/** The views are there before the session is open, and what they read waits for it. */
const sessionOpens = new Promise((resolve) => {
  effect(() => {
    if (session.value !== null) resolve(undefined);
  });
});

/** @param {Method} method @param {string} path @param {unknown} [body] @param {AbortSignal} [abort] */
async function exchange(method, path, body, abort) {
  if (path !== '/session') await sessionOpens;
  let response;
  try {
    response = await fetch(fullPath(path), {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      ...(abort && { signal: abort }),
    });
  } catch (error) {
    if (abort?.aborted) throw error;
    throw new Unreachable('the venue does not answer');
  }
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const reply = isJson ? JSON.parse(text) : text;
  // An unhealthy venue answers /health with 503 and its whole body.
  if (response.ok || (isJson && reply.error === undefined)) return { reply, headers: response.headers };
  throw new Refused(response.status, reply.error ?? {});
}

/** @param {string} path @param {AbortSignal} [abort] */
export const get = (path, abort) => request('GET', path, undefined, abort);
/** What is done so is noted. @param {string} path @param {unknown} [body] @returns {Promise<any>} the reply */
export const post = async (path, body) => (await act({ method: 'POST', path, body })).reply;

/** All rows of a list that comes in pages. @param {string} path @param {string} name of the rows @returns {Promise<any[]>} */
export async function listed(path, name) {
  const rows = [];
  for (let after = ''; ; ) {
    const page = await get(`${path}${path.includes('?') ? '&' : '?'}limit=1000${after}`);
    rows.push(...page[name]);
    if (page.next === undefined) return rows;
    after = `&after=${encodeURIComponent(page.next)}`;
  }
}

/** The shell command that makes a call. @param {Call} request */
export function curlOf({ method, path, body }) {
  const lines = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} '${location.origin}${fullPath(path)}'`,
    `  -H "Authorization: Bearer $(cat data/control-token)"`,
    ...(body === undefined ? [] : [`  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return lines.join(' \\\n');
}
