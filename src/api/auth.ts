/**
 * Who makes a request: the API key, its signature over the raw bytes, its nonce, and what the key may do.
 *
 * The order of the checks: the form of the headers; the nonce's window; the address's bad signatures; the signature, at
 * the same work for known and unknown keys; then what belongs to the key's owner: expiry, addresses, permission; last
 * the replay, so that only whoever holds the secret can use a nonce up.
 *
 * A restart forgets which requests were made, so afterwards every changing request older than the start is refused.
 */
import { Buffer } from 'node:buffer';
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Permission } from '../venue/commands.ts';
import type { Key, Venue } from '../venue/venue.ts';
import { AddressList, plainAddress } from './addresses.ts';
import { BadSignatures } from './bad-signatures.ts';
import { ApiError } from './errors.ts';
import type { Keyring } from './keyring.ts';
import { SeenRequests } from './seen-requests.ts';

const KEY_FORM = /^[!-+\--~]{1,128}$/;
const NONCE_FORM = /^[1-9][0-9]{12}$/;
const SIGNATURE_BYTES = 48;
const NO_BYTES = Buffer.alloc(0);

export const NONCE_WINDOW_MS = 60_000;

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** The raw request target, query included. */
  readonly target: string;
  /** What the client signs of it: no query, no /spot or /futures. */
  readonly signedPath: string;
  readonly body: Buffer;
  /** Of the socket; what headers claim about it is never read. */
  readonly address: string;
}

export interface AuthenticatorOptions {
  readonly keyring: Keyring;
  readonly nonceWindowMs: number;
  /** The machine's clock: nonces and expiry go by it, whatever clock the venue has. */
  readonly nowMs: () => number;
}

interface Credentials {
  readonly api: string;
  readonly nonce: string;
  readonly signature: Buffer;
}

export class Authenticator {
  readonly #keyring: Keyring;
  readonly #windowMs: number;
  readonly #nowMs: () => number;
  readonly #startedAtMs: number;
  readonly #seen: SeenRequests;
  readonly #badSignatures = new BadSignatures();
  /** Stands in for the secret of a key that does not exist. */
  readonly #nobody: KeyObject = createSecretKey(randomBytes(48));
  readonly #lists = new WeakMap<Key, AddressList>();

  constructor(options: AuthenticatorOptions) {
    this.#keyring = options.keyring;
    this.#windowMs = options.nonceWindowMs;
    this.#nowMs = options.nowMs;
    this.#startedAtMs = options.nowMs();
    this.#seen = new SeenRequests(options.nonceWindowMs);
  }

  /** The key that signed the request and may do what it asks, or the ApiError that says why not. */
  check(venue: Venue, request: SignedRequest, permission: Permission): Key {
    const { api, nonce, signature } = credentials(request.headers);
    const nowMs = this.#nowMs();
    const nonceMs = Number(nonce);
    const offMs = nonceMs - nowMs;
    if (Math.abs(offMs) > this.#windowMs) throw new ApiError('nonceOutsideWindow', { offMs, windowMs: this.#windowMs });
    const seconds = this.#badSignatures.blockedSeconds(request.address, nowMs);
    if (seconds > 0) throw new ApiError('tooManyBadSignatures', { seconds }, { retryAfterSeconds: seconds });

    const key = venue.keys.get(api);
    const hmac = createHmac('sha384', key === undefined ? this.#nobody : this.#keyring.signingKey(key.sealed));
    const expected = hmac
      .update(request.signedPath + nonce)
      .update(request.body)
      .digest();
    if (!timingSafeEqual(expected, signature) || key === undefined) {
      this.#badSignatures.count(request.address, nowMs);
      throw new ApiError('authenticationFailed');
    }

    if (key.expiresAtMs !== null && nowMs >= key.expiresAtMs) throw new ApiError('keyExpired');
    if (key.ipAllow.length > 0 && !this.#listOf(key).includes(request.address)) {
      throw new ApiError('addressNotAllowed', { address: plainAddress(request.address) });
    }
    if (!key.permissions.includes(permission)) throw new ApiError('permissionMissing', { permission });
    if (request.method !== 'GET') this.#once(nonceMs, nowMs, signature, request);
    return key;
  }

  /**
   * A changing request counts once, and only if it was signed since this process started. Queries are unsigned: of a
   * DELETE, which has its parameters there, they tell requests of one millisecond apart; of any other they say nothing.
   */
  #once(nonceMs: number, nowMs: number, signature: Buffer, { method, target }: SignedRequest): void {
    const beforeMs = this.#startedAtMs - nonceMs;
    if (beforeMs > 0) throw new ApiError('nonceBeforeStart', { beforeMs });
    if (this.#seen.full)
      throw new ApiError('busy', { problem: 'too many requests within the nonce window, send it again later' });
    const what = method === 'DELETE' ? target : target.split('?', 1)[0];
    if (!this.#seen.add(nonceMs, nowMs, signature, method, what)) {
      throw new ApiError('nonceReplayed', { offMs: nonceMs - nowMs });
    }
  }

  #listOf(key: Key): AddressList {
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = new AddressList(key.ipAllow);
      this.#lists.set(key, list);
    }
    return list;
  }
}

const EXPECTED_KEY = 'one API key, given once';
const EXPECTED_NONCE = 'epoch milliseconds, 13 digits, given once';
const EXPECTED_SIGN = '96 lower-case hex digits, given once';

/** The three headers, of one family, each in its form. Node joins repeated ones with a comma, which no form takes. */
function credentials(headers: IncomingHttpHeaders): Credentials {
  const api = headers['request-api'];
  const nonce = headers['request-nonce'];
  const sign = headers['request-sign'];
  const olderApi = headers['btse-api'];
  const olderNonce = headers['btse-nonce'];
  const olderSign = headers['btse-sign'];
  if ((olderApi ?? olderNonce ?? olderSign) === undefined) {
    return {
      api: formed('request-api', api, KEY_FORM, EXPECTED_KEY),
      nonce: formed('request-nonce', nonce, NONCE_FORM, EXPECTED_NONCE),
      signature: decoded('request-sign', sign),
    };
  }
  if ((api ?? nonce ?? sign) !== undefined) {
    throw new ApiError('credentialsAmbiguous', { problem: 'use request-… or btse-… headers, not both' });
  }
  return {
    api: formed('btse-api', olderApi, KEY_FORM, EXPECTED_KEY),
    nonce: formed('btse-nonce', olderNonce, NONCE_FORM, EXPECTED_NONCE),
    signature: decoded('btse-sign', olderSign),
  };
}

function formed(header: string, value: string | string[] | undefined, form: RegExp, expected: string): string {
  if (value === undefined || value === '') throw new ApiError('credentialMissing', { header });
  if (typeof value !== 'string' || !form.test(value)) throw new ApiError('credentialMalformed', { header, expected });
  return value;
}

/** The bytes of a signature. The decoder stops at what is no hex digit, so their number tells the form of the text. */
function decoded(header: string, value: string | string[] | undefined): Buffer {
  if (value === undefined || value === '') throw new ApiError('credentialMissing', { header });
  const fits = typeof value === 'string' && value.length === 2 * SIGNATURE_BYTES && value === value.toLowerCase();
  const bytes = fits ? Buffer.from(value, 'hex') : NO_BYTES;
  if (bytes.length < SIGNATURE_BYTES) throw new ApiError('credentialMalformed', { header, expected: EXPECTED_SIGN });
  return bytes;
}
