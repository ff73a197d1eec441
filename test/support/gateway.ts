/** A gateway over a fake venue, for tests of the gateway alone: keys, a clock, and routes that echo. */
import { Type } from 'typebox';
import { Faults } from '../../src/api/gateway/faults.ts';
import { Gateway, type GatewayOptions } from '../../src/api/gateway/http.ts';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { JsonNumber } from '../../src/api/shared/json.ts';
import type { ArchivePort, Call, EnginePort, MarketDataPort, Route, Surface } from '../../src/api/shared/surface.ts';
import type { Permission } from '../../src/venue/contract/commands.ts';
import { OrderIds } from '../../src/venue/contract/order-id.ts';
import type { Key, Venue } from '../../src/venue/venue.ts';
import type { TestKey } from './signing.ts';

export interface StandIn {
  readonly url: string;
  readonly gateway: Gateway;
  readonly faults: Faults;
  readonly keys: Map<string, Key>;
  readonly bugs: unknown[];
  /** Calls that reached a handler. */
  readonly handled: Call[];
  addKey(spec?: Partial<Key>): TestKey;
  close(): Promise<unknown>;
}

const noArchive = () => Promise.reject(new Error('no archive behind this gateway'));
export const NO_ARCHIVE: ArchivePort = {
  trades: noArchive,
  order: noArchive,
  clientOrder: noArchive,
  wallet: noArchive,
  knownFromSeq: 1,
};

const none = () => Promise.reject(new Error('no market data behind this gateway'));
export const NO_MARKET_DATA: MarketDataPort = { trades: none, candles: none, day: none, rates: none };

let made = 0;

export async function standIn(
  options: Partial<GatewayOptions> & { handle?: (call: Call) => unknown; surfaces?: Surface[] } = {},
): Promise<StandIn> {
  const keyring = new Keyring();
  const faults = new Faults();
  const keys = new Map<string, Key>();
  const bugs: unknown[] = [];
  const handled: Call[] = [];
  const venue = {
    genesis: null,
    timeMs: 0,
    key: (name: string) => keys.get(name),
    account: () => undefined,
    nonces: new Map(),
    orderIds: new OrderIds('0'.repeat(32)),
  } as unknown as Venue;
  const engine: EnginePort = {
    venue,
    nowMs: () => Date.now(),
    jumpedAtMs: () => Number.NEGATIVE_INFINITY,
    queueMs: 0,
    submit: () => Promise.reject(new Error('no venue behind this gateway')),
  };
  const handle = (call: Call) => {
    handled.push(call);
    return options.handle?.(call) ?? { account: call.account, query: call.query, body: plain(call.body) };
  };
  const gateway = new Gateway({
    engine,
    archive: NO_ARCHIVE,
    marketData: NO_MARKET_DATA,
    keyring,
    faults,
    surfaces: echoSurfaces(handle),
    onBug: (error) => bugs.push(error),
    ...options,
  });
  const url = await gateway.listen(0, '127.0.0.1');
  return {
    url,
    gateway,
    faults,
    keys,
    bugs,
    handled,
    addKey(spec = {}) {
      made++;
      const { key = `key-${made}`, secret } = { key: spec.key, secret: `secret-${made}` };
      const permissions: Permission[] = ['read', 'trading', 'transfer', 'wallet'];
      keys.set(key, {
        account: 0,
        permissions,
        ipAllow: [],
        expiresAtMs: null,
        ...spec,
        key,
        sealed: keyring.seal(secret),
      });
      return { key, secret };
    },
    close: () => gateway.close(),
  };
}

/** Numbers as their text, so that an echo shows what was read. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return { number: value.text };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value).map(([name, inner]) => [name, plain(inner)]);
}

function echoSurfaces(handle: (call: Call) => unknown): Surface[] {
  const body = Type.Object({});
  const reply = Type.Unknown();
  const routes: Route[] = [
    { method: 'GET', path: '/order', permission: 'trading', summary: 'look up', reply, handle },
    { method: 'GET', path: '/wallet', permission: 'read', summary: 'read', reply, handle },
    { method: 'POST', path: '/order', permission: 'trading', summary: 'place', body, reply, handle },
    { method: 'DELETE', path: '/order', permission: 'trading', summary: 'cancel', reply, handle },
    { method: 'GET', path: '/time', permission: null, summary: 'time', reply, handle },
  ];
  return [
    { name: 'spot', envelope: 'B', basePath: '/spot/api/v4', unsignedPrefix: '/spot', routes },
    { name: 'futures', envelope: 'A', basePath: '/futures/api/v2.3', unsignedPrefix: '/futures', routes },
    { name: 'wallet', envelope: 'B', basePath: '/public-api/wallet/v1', unsignedPrefix: '', routes },
  ];
}
