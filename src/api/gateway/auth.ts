/**
 * Authenticates a request: the API key, its signature over the raw bytes, its nonce, and the permissions of the key. A
 * nonce is the client's time in epoch milliseconds. It may differ from the clock by at most `nonceWindowMs`.
 *
 * The order of the checks: the form of the headers; the window of the nonce; the signature, with the same work for
 * known and unknown keys, also for the hint that a wrong one gets (signature-hint.ts); then checks that only the owner
 * of the key may learn about: expiry, addresses, a time before the start, reuse of the signature, permission. So only
 * the holder of the secret can use up a nonce.
 *
 * Invariants:
 * - A signature is valid for one method and path, and only once if the request changes something. After its time it is
 *   never valid again, whatever the clocks do (seen-requests.ts).
 * - A nonce is compared with two clocks, the machine's and the venue's, and one match is enough. So a machine whose
 *   clock was set wrong, or corrected, still serves its clients.
 * - A restart knows only the nonces in the log. Reads and refused requests are not there, so it refuses every changing
 *   request that was signed before the start. So does a standby that has taken over (`startOver`).
 * - A jump of the venue's clock counts as a start. The venue remembers client ids by its own time. After a jump it has
 *   forgotten them, and a late copy of a request would place a second order.
 */
import { Buffer } from 'node:buffer';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { AddressList, plainAddress } from '../../config/addresses.ts';
import type { Permission, Signed } from '../../venue/contract/commands.ts';
import type { Key, Venue } from '../../venue/venue.ts';
import { ApiError } from '../shared/errors.ts';
import type { EnginePort } from '../shared/surface.ts';
import { BadSignatures } from './bad-signatures.ts';
import { type Keyring, SealBroken } from './keyring.ts';
import type { RequestHeaders } from './request.ts';
import { SeenRequests } from './seen-requests.ts';
import { signatureHint } from './signature-hint.ts';
import { SigningKey } from './signing-key.ts';

/** Printable ASCII without space and comma. */
const KEY_FORM = /^[!-+\--~]{1,128}$/;
const NONCE_FORM = /^[1-9][0-9]{12}$/;
const SIGNATURE_BYTES = 48;
const NO_BYTES = Buffer.alloc(0);

export interface SignedRequest {
  readonly headers: RequestHeaders;
  readonly method: string;
  /** The raw request target, query included. */
  readonly target: string;
  /** The part that the client signs: no query, no /spot or /futures. A GET may also be signed with its query behind it. */
  readonly signedPath: string;
  readonly body: Buffer;
  /**
   * True for a DELETE whose parameters are in its query. The query is not signed, so two such requests may have the same
   * signature and still be different requests.
   */
  readonly parametersUnsigned: boolean;
  /** The client's address (client-address.ts). */
  readonly address: string;
}

export interface AuthenticatorOptions {
  readonly keyring: Keyring;
  readonly nonceWindowMs: number;
  /** The machine's clock. */
  readonly wallMs: () => number;
  /** The venue's clock, if it is a real one. Absent: nonces and expiry depend on the machine's alone. */
  readonly venueClock?: Pick<EnginePort, 'nowMs' | 'jumpedAtMs'>;
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

/** The arguments of a login to a stream, as they arrived. */
export interface Login {
  readonly key: string;
  readonly nonce: string;
  readonly signature: string;
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
  readonly #venueClock: Pick<EnginePort, 'nowMs' | 'jumpedAtMs'>;
  readonly #elapsedMs: () => number;
  /** The time of the start, or when this process began to lead, in elapsed time. */
  #startedAtMs: number;
  /** Venue time when this process took over. Minus infinity: it has led since its start. */
  #tookOverMs = Number.NEGATIVE_INFINITY;
  readonly #seen: SeenRequests;
  readonly #badSignatures = new BadSignatures();
  /** Used instead of a secret that is not known. */
  readonly #dummySecret = new SigningKey(randomBytes(48));
  readonly #lists = new WeakMap<Key, AddressList>();

  constructor(options: AuthenticatorOptions) {
    this.#keyring = options.keyring;
    this.#windowMs = options.nonceWindowMs;
    this.#wallMs = options.wallMs;
    this.#venueClock = options.venueClock ?? {
      nowMs: options.wallMs,
      jumpedAtMs: () => Number.NEGATIVE_INFINITY,
    };
    this.#elapsedMs = options.elapsedMs;
    this.#startedAtMs = options.elapsedMs();
    // A nonce may be one window in the future. It is accepted until it is one window in the past.
    this.#seen = new SeenRequests(2 * options.nonceWindowMs, options.usedNonces);
  }

  /**
   * Returns the signer of the request, and uses up the nonce, even if the permission is missing.
   * @throws {ApiError} says why the request is not accepted
   */
  check(venue: Venue, request: SignedRequest, permission: Permission): Signer {
    const given = credentials(request.headers);
    const { account, key } = this.#verify(venue, given, request, permission);
    return { account, signed: { key, nonceMs: Number(given.nonce) } };
  }

  /**
   * Returns the key that signs in to a stream. It signs the path of its socket and the nonce, once, and needs the
   * permission to read. @throws {ApiError} says why not
   */
  login(venue: Venue, { key, nonce, signature }: Login, path: string, address: string): Key {
    const given = {
      api: readCredential('the key', key, KEY_FORM, EXPECTED_KEY),
      nonce: readCredential('the nonce', nonce, NONCE_FORM, EXPECTED_NONCE),
      signature: readSignature('the signature', signature),
    };
    const request = {
      method: 'LOGIN',
      target: path,
      signedPath: path,
      body: NO_BYTES,
      parametersUnsigned: false,
      address,
    };
    return this.#verify(venue, given, request, 'read');
  }

  /** The time of an expiry has come. */
  isPast(expiresAtMs: number | null): boolean {
    return expiresAtMs !== null && Math.max(this.#wallMs(), this.#venueClock.nowMs()) >= expiresAtMs;
  }

  #verify(venue: Venue, given: Credentials, request: Omit<SignedRequest, 'headers'>, permission: Permission): Key {
    const { method, target } = request;
    const { api, nonce, signature } = given;
    const query = queryOf(target);
    const [wallMs, venueMs] = [this.#wallMs(), this.#venueClock.nowMs()];
    const nonceMs = Number(nonce);
    const offMs = differenceToClocks(nonceMs - wallMs, nonceMs - venueMs, this.#windowMs);
    if (Math.abs(offMs) > this.#windowMs) throw new ApiError('nonceOutsideWindow', { offMs, windowMs: this.#windowMs });

    const key = venue.key(api);
    const secret = this.#secretOf(key);
    const signatureFits = (path: string, body = request.body) =>
      timingSafeEqual(secret.hmac(path + nonce, body), signature);
    const verified =
      signatureFits(request.signedPath) ||
      (query !== '' && method === 'GET' && signatureFits(request.signedPath + query));
    if (!verified || key === undefined) {
      const seconds = this.#badSignatures.blockedSeconds(request.address, this.#elapsedMs());
      if (seconds > 0) throw new ApiError('tooManyBadSignatures', { seconds }, { retryAfterSeconds: seconds });
      this.#badSignatures.count(request.address, this.#elapsedMs());
      throw new ApiError('authenticationFailed', {}, { hint: signatureHint(request, signatureFits) });
    }

    if (this.isPast(key.expiresAtMs)) throw new ApiError('keyExpired');
    if (key.ipAllow.length > 0 && !this.#listOf(key).includes(request.address)) {
      throw new ApiError('addressNotAllowed', { address: plainAddress(request.address) });
    }
    const beforeMs = this.#beforeStartMs(nonceMs, venueMs, offMs);
    if (beforeMs > 0 && method !== 'GET') throw new ApiError('nonceBeforeStart', { beforeMs });
    // Not `api`: it is a part of the request's head, and would keep the whole head in memory.
    this.#take(key.key, nonceMs, offMs, signature, request);
    if (!key.permissions.includes(permission)) throw new ApiError('permissionMissing', { permission });
    return key;
  }

  /**
   * From now on this process takes the requests that another one took. It does not know the nonces of those that were
   * refused there. So, as after a start, it accepts nothing that was signed before, by the clock of this machine or by
   * that of the venue. The venue's clock continues from one machine to the other.
   */
  startOver(usedNonces: ReadonlyMap<string, number>): void {
    this.#startedAtMs = this.#elapsedMs();
    this.#tookOverMs = this.#venueClock.nowMs();
    this.#seen.raiseFloors(usedNonces);
  }

  /** By key, the highest nonce that was accepted. */
  takenNonces(): Map<string, number> {
    return this.#seen.highest();
  }

  /** The highest nonce of a key that was accepted. Null: none is known. */
  lastNonceMs(key: string): number | null {
    return this.#seen.highestOf(key) || null;
  }

  /** The secret is unknown if the key is, or if no master key opens its seal: then nobody can sign. */
  #secretOf(key: Key | undefined): SigningKey {
    try {
      return key === undefined ? this.#dummySecret : this.#keyring.signingKey(key.sealed);
    } catch (error) {
      if (error instanceof SealBroken) return this.#dummySecret;
      throw error;
    }
  }

  /**
   * How long a request was signed before the start, the last take-over or the last jump, in milliseconds. Zero or less:
   * it was not. `offMs`: how far its nonce is from the clock that it matches.
   */
  #beforeStartMs(nonceMs: number, venueMs: number, offMs: number): number {
    // The age of the nonce, less the time since the start. If its clock has been set since, the start counts at the
    // corrected time.
    const startedAtMs = Math.max(this.#startedAtMs, this.#venueClock.jumpedAtMs());
    const beforeMs = -offMs - Math.ceil(this.#elapsedMs() - startedAtMs);
    // If this machine's clock is behind that of the former leader, a request that was refused there would pass as new here.
    const fitsVenueTime = Math.abs(nonceMs - venueMs) <= this.#windowMs;
    return fitsVenueTime ? Math.max(beforeMs, this.#tookOverMs - nonceMs) : beforeMs;
  }

  #take(key: string, nonceMs: number, offMs: number, signature: Buffer, request: Omit<SignedRequest, 'headers'>): void {
    const { method, target, parametersUnsigned } = request;
    const rawQuery = queryOf(target);
    const path = target.slice(0, target.length - rawQuery.length);
    const query = parametersUnsigned ? rawQuery : null;
    const taking = this.#seen.take({ key, nonceMs, signature, method, path, query }, this.#elapsedMs());
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
 * How far a nonce is from the clocks. Positive: it is in the future. If both clocks accept it, the larger difference
 * counts, so the nonce counts as younger. If one accepts it, that clock's counts. If none does, the nearer one's counts.
 */
function differenceToClocks(oneMs: number, otherMs: number, windowMs: number): number {
  const later = Math.max(oneMs, otherMs);
  const earlier = Math.min(oneMs, otherMs);
  if (Math.abs(later) <= windowMs) return later;
  return Math.abs(earlier) < Math.abs(later) ? earlier : later;
}

const EXPECTED_KEY = 'one API key, given once';
const EXPECTED_NONCE = 'epoch milliseconds, 13 digits, given once';
const EXPECTED_SIGN = '96 lower-case hex digits, given once';

/**
 * Reads the three headers: all `request-…`, or all `btse-…`. Node joins a repeated header with a comma, which none of the
 * patterns allows.
 */
function credentials(headers: RequestHeaders): Credentials {
  const api = headers['request-api'];
  const nonce = headers['request-nonce'];
  const sign = headers['request-sign'];
  const olderApi = headers['btse-api'];
  const olderNonce = headers['btse-nonce'];
  const olderSign = headers['btse-sign'];
  if ((olderApi ?? olderNonce ?? olderSign) === undefined) {
    return {
      api: readCredential('the header request-api', api, KEY_FORM, EXPECTED_KEY),
      nonce: readCredential('the header request-nonce', nonce, NONCE_FORM, EXPECTED_NONCE),
      signature: readSignature('the header request-sign', sign),
    };
  }
  if ((api ?? nonce ?? sign) !== undefined) {
    throw new ApiError('credentialsAmbiguous', { problem: 'use request-… or btse-… headers, not both' });
  }
  return {
    api: readCredential('the header btse-api', olderApi, KEY_FORM, EXPECTED_KEY),
    nonce: readCredential('the header btse-nonce', olderNonce, NONCE_FORM, EXPECTED_NONCE),
    signature: readSignature('the header btse-sign', olderSign),
  };
}

function readCredential(
  credential: string,
  value: string | string[] | undefined,
  form: RegExp,
  expected: string,
): string {
  if (value === undefined || value === '') throw new ApiError('credentialMissing', { credential });
  if (typeof value !== 'string' || !form.test(value))
    throw new ApiError('credentialMalformed', { credential, expected });
  return value;
}

/**
 * The bytes of a signature. The decoder stops at the first character that is not a hex digit, so 48 bytes mean that all
 * characters were hex digits.
 */
function readSignature(credential: string, value: string | string[] | undefined): Buffer {
  if (value === undefined || value === '') throw new ApiError('credentialMissing', { credential });
  const fits = typeof value === 'string' && value.length === 2 * SIGNATURE_BYTES && value === value.toLowerCase();
  const bytes = fits ? Buffer.from(value, 'hex') : NO_BYTES;
  if (bytes.length < SIGNATURE_BYTES)
    throw new ApiError('credentialMalformed', { credential, expected: EXPECTED_SIGN });
  return bytes;
}
