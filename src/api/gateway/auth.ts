/**
 * Authenticates a request: the API key, its signature over the raw bytes, its nonce, and the permissions of the key.
 *
 * The order of the checks: the form of the headers; the window of the nonce; the signature, with the same work for
 * known and unknown keys; then checks that only the owner of the key may learn about: expiry, addresses, reuse of the
 * signature, permission. So only the holder of the secret can use up a nonce.
 *
 * Invariants:
 * - A signature is valid for one method and path, and only once if the request changes something. After its time it is
 *   never valid again, whatever the clocks do (seen-requests.ts).
 * - A nonce is compared with two clocks, the machine's and the venue's, and one match is enough. So a machine whose
 *   clock was set wrong, or corrected, still serves its clients.
 * - A restart begins with the nonces in the log. It does not know those of requests that reached no log, so it refuses
 *   every changing request that is older than the start.
 */
import { Buffer } from 'node:buffer';
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AddressList, plainAddress } from '../../config/addresses.ts';
import type { Permission, Signed } from '../../venue/contract/commands.ts';
import type { Key, Venue } from '../../venue/venue.ts';
import { ApiError } from '../shared/errors.ts';
import { BadSignatures } from './bad-signatures.ts';
import type { Keyring } from './keyring.ts';
import { SeenRequests } from './seen-requests.ts';

const KEY_FORM = /^[!-+\--~]{1,128}$/;
const NONCE_FORM = /^[1-9][0-9]{12}$/;
const SIGNATURE_BYTES = 48;
const NO_BYTES = Buffer.alloc(0);

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** The raw request target, query included. */
  readonly target: string;
  /** The part that the client signs: no query, no /spot or /futures. A GET may also be signed with its query behind it. */
  readonly signedPath: string;
  readonly body: Buffer;
  /**
   * True: its parameters are in the query, which is not signed. Two requests that differ only in the query are two
   * requests.
   */
  readonly byQuery: boolean;
  /** The client's address (client-address.ts). */
  readonly address: string;
}

export interface AuthenticatorOptions {
  readonly keyring: Keyring;
  readonly nonceWindowMs: number;
  /** The machine's clock. */
  readonly wallMs: () => number;
  /** The venue's clock, if it is a real one. Absent: nonces and expiry depend on the machine's alone. */
  readonly venueMs?: () => number;
  /** Time that never goes back. Replays and bad signatures are remembered by it. */
  readonly elapsedMs: () => number;
  /** By key, the highest nonce that was used before this process. */
  readonly usedNonces?: ReadonlyMap<string, number>;
}

/** The signer of a request. */
export interface Signer {
  readonly account: number;
  readonly signed: Signed;
}

interface Credentials {
  readonly api: string;
  readonly nonce: string;
  readonly signature: Buffer;
}

export class Authenticator {
  readonly #keyring: Keyring;
  readonly #windowMs: number;
  readonly #wallMs: () => number;
  readonly #venueMs: () => number;
  readonly #elapsedMs: () => number;
  /** The time of the start, in elapsed time. */
  readonly #startedAtMs: number;
  readonly #seen: SeenRequests;
  readonly #badSignatures = new BadSignatures();
  /** Used instead of the secret of a key that does not exist. */
  readonly #nobody: KeyObject = createSecretKey(randomBytes(48));
  readonly #lists = new WeakMap<Key, AddressList>();

  constructor(options: AuthenticatorOptions) {
    this.#keyring = options.keyring;
    this.#windowMs = options.nonceWindowMs;
    this.#wallMs = options.wallMs;
    this.#venueMs = options.venueMs ?? options.wallMs;
    this.#elapsedMs = options.elapsedMs;
    this.#startedAtMs = options.elapsedMs();
    // A nonce may be a window ahead, and then stays inside the window for another one.
    this.#seen = new SeenRequests(2 * options.nonceWindowMs, options.usedNonces);
  }

  /** Returns the key that signed the request and has the permission. @throws {ApiError} says why not */
  check(venue: Venue, request: SignedRequest, permission: Permission): Signer {
    const { method, target } = request;
    const { api, nonce, signature } = credentials(request.headers);
    const query = queryOf(target);
    const [wallMs, venueMs] = [this.#wallMs(), this.#venueMs()];
    const nonceMs = Number(nonce);
    const offMs = offClocks(nonceMs - wallMs, nonceMs - venueMs, this.#windowMs);
    if (Math.abs(offMs) > this.#windowMs) throw new ApiError('nonceOutsideWindow', { offMs, windowMs: this.#windowMs });

    const key = venue.key(api);
    const secret = key === undefined ? this.#nobody : this.#keyring.signingKey(key.sealed);
    const signs = (path: string) =>
      timingSafeEqual(
        createHmac('sha384', secret)
          .update(path + nonce)
          .update(request.body)
          .digest(),
        signature,
      );
    const signed = signs(request.signedPath) || (query !== '' && method === 'GET' && signs(request.signedPath + query));
    if (!signed || key === undefined) {
      const seconds = this.#badSignatures.blockedSeconds(request.address, this.#elapsedMs());
      if (seconds > 0) throw new ApiError('tooManyBadSignatures', { seconds }, { retryAfterSeconds: seconds });
      this.#badSignatures.count(request.address, this.#elapsedMs());
      throw new ApiError('authenticationFailed');
    }

    if (key.expiresAtMs !== null && Math.max(wallMs, venueMs) >= key.expiresAtMs) throw new ApiError('keyExpired');
    if (key.ipAllow.length > 0 && !this.#listOf(key).includes(request.address)) {
      throw new ApiError('addressNotAllowed', { address: plainAddress(request.address) });
    }
    this.#take(api, nonceMs, offMs, signature, request);
    if (!key.permissions.includes(permission)) throw new ApiError('permissionMissing', { permission });
    return { account: key.account, signed: { key: api, nonceMs } };
  }

  /** By key, the highest nonce that was accepted. */
  takenNonces(): Map<string, number> {
    return this.#seen.highest();
  }

  #take(key: string, nonceMs: number, offMs: number, signature: Buffer, request: SignedRequest): void {
    const { method, target, byQuery } = request;
    // On the clock that the nonce matches. If that clock was set since the start, the start has moved with it.
    const elapsedMs = this.#elapsedMs();
    const beforeMs = -offMs - Math.ceil(elapsedMs - this.#startedAtMs);
    if (beforeMs > 0 && method !== 'GET') throw new ApiError('nonceBeforeStart', { beforeMs });
    const written = queryOf(target);
    const path = target.slice(0, target.length - written.length);
    const query = byQuery ? written : null;
    const taking = this.#seen.take({ key, nonceMs, signature, method, path, query }, elapsedMs);
    switch (taking) {
      case 'taken':
        return;
      case 'replayed':
        throw new ApiError('nonceReplayed', { offMs });
      case 'otherUse':
        throw new ApiError('signatureReused', { method, path });
      case 'spent':
        throw new ApiError('nonceSpent', { nonce: nonceMs, floor: this.#seen.floorOf(key) });
      case 'full':
        throw new ApiError('busy', { problem: 'too many requests within the nonce window, try again later' });
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

/** The query of a target with its '?', as the client wrote it. Empty: there is none. */
function queryOf(target: string): string {
  const cut = target.indexOf('?');
  return cut < 0 ? '' : target.slice(cut);
}

/**
 * The difference between a nonce and the clocks. Within the window of both clocks, the larger value counts, which makes
 * the nonce younger. Within one window, that value counts. Otherwise the value nearer to zero counts.
 */
function offClocks(oneMs: number, otherMs: number, windowMs: number): number {
  const later = Math.max(oneMs, otherMs);
  const earlier = Math.min(oneMs, otherMs);
  if (Math.abs(later) <= windowMs) return later;
  return Math.abs(earlier) < Math.abs(later) ? earlier : later;
}

const EXPECTED_KEY = 'one API key, given once';
const EXPECTED_NONCE = 'epoch milliseconds, 13 digits, given once';
const EXPECTED_SIGN = '96 lower-case hex digits, given once';

/**
 * The three headers, of one family, each well-formed. Node joins repeated headers with a comma, which no form allows.
 */
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

/**
 * The bytes of a signature. The decoder stops at the first character that is not a hex digit, so their number proves
 * the form.
 */
function decoded(header: string, value: string | string[] | undefined): Buffer {
  if (value === undefined || value === '') throw new ApiError('credentialMissing', { header });
  const fits = typeof value === 'string' && value.length === 2 * SIGNATURE_BYTES && value === value.toLowerCase();
  const bytes = fits ? Buffer.from(value, 'hex') : NO_BYTES;
  if (bytes.length < SIGNATURE_BYTES) throw new ApiError('credentialMalformed', { header, expected: EXPECTED_SIGN });
  return bytes;
}
