/** The gateway of a life, without sockets: its admission, routes and refusals. */
import { Admission } from '../../src/api/gateway/admission.ts';
import type { Keyring } from '../../src/api/gateway/keyring.ts';
import { Routing } from '../../src/api/gateway/routing.ts';
import { engineError } from '../../src/api/shared/engine-errors.ts';
import { ApiError } from '../../src/api/shared/errors.ts';
import type { EnginePort } from '../../src/api/shared/surface.ts';
import type { World } from '../../src/engine/contract/world.ts';
import type { Engine } from '../../src/engine/host.ts';
import { SURFACES } from '../../src/start.ts';
import { NO_MARKET_DATA } from '../support/gateway.ts';

export interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  /** Refusals only. */
  readonly reason?: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies have every shape
  readonly body: any;
}

const ROUTING = new Routing(SURFACES);
/** How long before its start the gateway believes that it has started. */
const FORGOTTEN_MS = 1_000_000;

export class Door {
  readonly #admission: Admission;

  /** `forgets`: the gateway does not get what it should know about requests before its start. */
  constructor(engine: Engine, keyring: Keyring, world: World, forgets = false) {
    let starting = forgets;
    const door: EnginePort = {
      get venue() {
        const { venue } = engine;
        return starting ? ({ genesis: venue.genesis, nonces: new Map() } as unknown as typeof venue) : venue;
      },
      get unreadable() {
        return engine.unreadable;
      },
      get queueMs() {
        return engine.queueMs;
      },
      nowMs: () => engine.nowMs(),
      jumpedAtMs: () => engine.jumpedAtMs(),
      submit: (command) => engine.submit(command),
    };
    this.#admission = new Admission({
      engine: door,
      archive: {
        trades: async () => [],
        order: async () => undefined,
        clientOrder: async () => undefined,
        wallet: async () => [],
        knownFromSeq: 1,
      },
      marketData: NO_MARKET_DATA,
      keyring,
      world: {
        wallMs: () => world.wallMs(),
        monotonicMs: () => world.monotonicMs() - (starting ? FORGOTTEN_MS : 0),
      },
    });
    starting = false;
  }

  /** The process leads from now on, and another one did before. */
  startOver(): void {
    this.#admission.startOver();
  }

  takenNonces(): ReadonlyMap<string, number> {
    return this.#admission.takenNonces();
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
    const [path, query = ''] = target.split('?');
    const endpoint = ROUTING.find(path as string)?.methods.get(method);
    if (endpoint === undefined) throw new ApiError('pathNotFound', { path: path as string });
    const address = () => '127.0.0.1';
    return this.#admission.call({
      endpoint,
      headers,
      target,
      query,
      body: Buffer.from(body),
      address,
      caller: { account: -1 },
      replyHeaders: [],
    });
  }
}
