/**
 * All steps between a complete request and its route: authentication, permission, parsing, and every check that all
 * routes share. The gateway calls it for requests from sockets (exchanges.ts). The simulation calls it without sockets.
 */
import type { Buffer } from 'node:buffer';
import { GATEWAY_DEFAULTS, type RefusedCommandsLimit } from '../../config/gateway.ts';
import type { RateLimits } from '../../config/rate-limits.ts';
import type { World } from '../../engine/contract/world.ts';
import type { Key } from '../../venue/venue.ts';
import { ApiError } from '../shared/errors.ts';
import { NO_FIELDS, parseBody } from '../shared/json.ts';
import { RefusedCommands } from '../shared/refused-commands.ts';
import type { ArchivePort, EnginePort, MarketDataPort } from '../shared/surface.ts';
import { Authenticator, type Login, type Signer } from './auth.ts';
import type { Keyring } from './keyring.ts';
import { type Limited, RateLimiter, rateKindOf } from './rate-limits.ts';
import { brokerOf, type RequestHeaders } from './request.ts';
import { type Endpoint, parseQuery } from './routing.ts';

export interface AdmissionOptions {
  readonly engine: EnginePort;
  readonly archive: ArchivePort;
  readonly marketData: MarketDataPort;
  readonly keyring: Keyring;
  readonly nonceWindowMs?: number;
  readonly refusedCommands?: RefusedCommandsLimit | 'off';
  /** Called for each command of a client that the venue or a limit refused. Must not throw. */
  readonly onCommandRefused?: (reason: string, seq: number | null) => void;
  readonly rateLimits?: RateLimits | 'off';
  /** Called for each request that a rate limit refused. Must not throw. */
  readonly onRateLimited?: (limited: Limited) => void;
  /** The machine's clock, and a monotonic clock. */
  readonly world: Pick<World, 'wallMs' | 'monotonicMs'>;
}

/** A complete request to an endpoint. */
export interface Inquiry {
  readonly endpoint: Endpoint;
  readonly headers: RequestHeaders;
  /** The raw request target, query included. */
  readonly target: string;
  /** The raw query, without '?'. */
  readonly query: string;
  readonly body: Buffer;
  /** The client's address (client-address.ts). Called only if the route needs credentials, or has a rate limit. */
  readonly address: () => string;
  /** Gets the number of the account that has signed the request. */
  readonly caller: { account: number };
  /** Header names and values, alternating. The route adds to them. */
  readonly replyHeaders: string[];
}

export class Admission {
  readonly #engine: EnginePort;
  readonly #archive: ArchivePort;
  readonly #marketData: MarketDataPort;
  readonly #authenticator: Authenticator;
  readonly #refused: RefusedCommands;
  readonly #limiter: RateLimiter | null;

  constructor(options: AdmissionOptions) {
    const { engine, world } = options;
    this.#engine = engine;
    this.#archive = options.archive;
    this.#marketData = options.marketData;
    const elapsedMs = () => world.monotonicMs();
    this.#refused = new RefusedCommands(options.refusedCommands ?? 'off', {
      elapsedMs,
      onRefused: options.onCommandRefused ?? (() => {}),
    });
    const { rateLimits = 'off', onRateLimited: onLimited = () => {} } = options;
    this.#limiter = rateLimits === 'off' ? null : new RateLimiter(rateLimits, { elapsedMs, onLimited });
    this.#authenticator = new Authenticator({
      keyring: options.keyring,
      nonceWindowMs: options.nonceWindowMs ?? GATEWAY_DEFAULTS.nonceWindowMs,
      wallMs: () => world.wallMs(),
      // A manual clock is unrelated to the time of a request.
      venueClock: engine.venue.genesis?.clock === 'real' ? engine : undefined,
      elapsedMs,
      usedNonces: engine.venue.nonces,
    });
  }

  /** By key, the highest nonce that was accepted, in this process or before it. */
  takenNonces(): ReadonlyMap<string, number> {
    return this.#authenticator.takenNonces();
  }

  /** The highest nonce of a key that was accepted, in this process or before it. Null: none is known. */
  lastNonceMs(key: string): number | null {
    return this.#authenticator.lastNonceMs(key);
  }

  /**
   * Returns the key that signs in to a stream (auth.ts). It counts as a query. @throws {ApiError} says why it is refused
   */
  login(login: Login, path: string, address: string): Key {
    const key = this.#authenticator.login(this.#engine.venue, login, path, address);
    this.#limiter?.countSigned('queries', key.key, key.account);
    return key;
  }

  /** The commands of another process, up to now, are this one's past (auth.ts). */
  startOver(): void {
    this.#authenticator.startOver(this.#engine.venue.nonces);
  }

  /** The time of an expiry has come. */
  isPast(expiresAtMs: number | null): boolean {
    return this.#authenticator.isPast(expiresAtMs);
  }

  /** Returns the body of the reply, or a promise of it. @throws {ApiError} and what the engine throws; the promise rejects with the same */
  call({ endpoint, headers, target, query, body, address, caller, replyHeaders }: Inquiry): unknown | Promise<unknown> {
    const engine = this.#engine;
    if (engine.unreadable !== undefined) throw engine.unreadable;
    const { venue } = engine;
    const { route, signedPath } = endpoint;
    const { method } = route;
    if (method !== 'GET' && engine.following !== undefined) throw engine.following;
    // Such a body would be signed but not read, so its content would be lost.
    if (body.length > 0 && route.body === undefined && method !== 'GET') throw new ApiError('bodyNotTaken', { method });
    let signer: Signer | null = null;
    if (route.permission !== null) {
      const parametersUnsigned = method === 'DELETE' && route.body === undefined;
      const request = { headers, method, target, signedPath, body, parametersUnsigned, address: address() };
      signer = this.#authenticator.check(venue, request, route.permission);
      caller.account = signer.account;
    }
    if (this.#limiter !== null) {
      const kind = rateKindOf(endpoint.surface, route);
      if (signer === null) this.#limiter.countPublic(kind, address());
      else this.#limiter.countSigned(kind, signer.signed.key, signer.account);
    }
    const takesBody = route.body !== undefined && (body.length > 0 || method === 'POST' || method === 'PUT');
    return route.handle({
      engine,
      archive: this.#archive,
      marketData: this.#marketData,
      venue,
      account: signer?.account ?? -1,
      signed: signer?.signed ?? null,
      refused: this.#refused,
      query: parseQuery(query),
      body: takesBody ? parseBody(body) : NO_FIELDS,
      replyHeaders,
      broker: brokerOf(headers),
    });
  }
}
