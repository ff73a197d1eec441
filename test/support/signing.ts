/** Signs requests as clients do: HMAC-SHA384 over path (without /spot or /futures), nonce and raw body. */
import { createHmac } from 'node:crypto';

export interface TestKey {
  readonly key: string;
  readonly secret: string;
}

export function signature(
  secret: string,
  signedPath: string,
  nonce: string | number,
  body: string | Buffer = '',
): string {
  return createHmac('sha384', secret).update(`${signedPath}${nonce}`).update(body).digest('hex');
}

/** The part of a target that is signed: no query, no /spot or /futures. */
export function signedPath(target: string): string {
  return target.replace(/\?.*$/s, '').replace(/^\/(?:spot|futures)(?=\/)/, '');
}

export interface Signing {
  readonly nonce?: string | number;
  /** Signed instead of the target's own path. */
  readonly path?: string;
  readonly family?: 'request' | 'btse';
}

export function credentialHeaders(
  { key, secret }: TestKey,
  target: string,
  body: string | Buffer = '',
  { nonce = nextNonce(), path = signedPath(target), family = 'request' }: Signing = {},
): Record<string, string> {
  return {
    [`${family}-api`]: key,
    [`${family}-nonce`]: String(nonce),
    [`${family}-sign`]: signature(secret, path, nonce, body),
  };
}

let lastNonce = 0;

/** The machine's clock, never the same twice: two equal requests in one millisecond are a replay. */
export function nextNonce(): number {
  lastNonce = Math.max(lastNonce + 1, Date.now());
  return lastNonce;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly body: any;
}

/** One signed call over HTTP; `body` objects are sent as JSON, text as it is. */
export async function call(
  url: string,
  key: TestKey | null,
  method: string,
  target: string,
  body?: object | string,
  signing?: Signing,
): Promise<Answer> {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const credentials = key === null ? {} : credentialHeaders(key, target, text, signing);
  const response = await fetch(url + target, {
    method,
    headers: { 'content-type': 'application/json', ...credentials },
    ...(text !== '' && { body: text }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
