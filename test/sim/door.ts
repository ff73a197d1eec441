/** The gateway of a life, without sockets: its authentication, its routes and its refusals. */
import { Authenticator, type Signer } from '../../src/api/auth.ts';
import { engineError } from '../../src/api/engine-errors.ts';
import { ApiError } from '../../src/api/errors.ts';
import { NO_FIELDS, parseBody } from '../../src/api/json.ts';
import type { Keyring } from '../../src/api/keyring.ts';
import { RefusedCommands } from '../../src/api/refused-commands.ts';
import { parseQuery, Routing } from '../../src/api/routing.ts';
import { GATEWAY_DEFAULTS } from '../../src/config/gateway.ts';
import type { Engine } from '../../src/engine/host.ts';
import type { World } from '../../src/engine/world.ts';
import { SURFACES } from '../../src/start.ts';

export interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  /** Of a refusal. */
  readonly reason?: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies have every shape
  readonly body: any;
}

const ROUTING = new Routing(SURFACES);

export class Door {
  readonly #engine: Engine;
  readonly #authenticator: Authenticator;
  readonly #refused: RefusedCommands;

  /** `forgets`: what it has to know of the requests before its start is kept from it. */
  constructor(engine: Engine, keyring: Keyring, world: World, forgets = false) {
    let startedMs = forgets ? -1_000_000 : 0;
    const elapsedMs = () => world.monotonicMs() + startedMs;
    this.#engine = engine;
    this.#refused = new RefusedCommands('off', { elapsedMs, onRefused: () => {} });
    this.#authenticator = new Authenticator({
      keyring,
      nonceWindowMs: GATEWAY_DEFAULTS.nonceWindowMs,
      wallMs: () => world.wallMs(),
      venueMs: () => engine.nowMs(),
      elapsedMs,
      usedNonces: forgets ? new Map() : engine.venue.nonces,
    });
    startedMs = 0;
  }

  takenNonces(): ReadonlyMap<string, number> {
    return this.#authenticator.takenNonces();
  }

  async take(asked: Asked): Promise<Answer> {
    try {
      return { status: 200, body: await this.#handle(asked) };
    } catch (thrown) {
      const error = thrown instanceof ApiError ? thrown : engineError(thrown);
      if (error === null) throw thrown;
      return { status: error.status, reason: error.reason, body: error.message };
    }
  }

  #handle({ method, target, headers, body }: Asked): unknown {
    const engine = this.#engine;
    if (engine.unreadable !== undefined) throw engine.unreadable;
    const [path, query = ''] = target.split('?');
    const endpoint = ROUTING.find(path as string)?.methods.get(method);
    if (endpoint === undefined) throw new ApiError('pathNotFound', { path: path as string });
    const { route, signedPath } = endpoint;
    const bytes = Buffer.from(body);
    const byQuery = method === 'DELETE' && route.body === undefined;
    const request = { headers, method, target, signedPath, body: bytes, byQuery, address: '127.0.0.1' };
    const signer: Signer = this.#authenticator.check(engine.venue, request, route.permission ?? 'trading');
    return route.handle({
      engine,
      archive: { trades: async () => [], knownFromSeq: 1 },
      venue: engine.venue,
      account: signer.account,
      signed: signer.signed,
      replyHeaders: [],
      refused: this.#refused,
      query: parseQuery(query),
      body: route.body !== undefined && bytes.length > 0 ? parseBody(bytes) : NO_FIELDS,
      broker: null,
    });
  }
}
