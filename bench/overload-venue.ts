/**
 * The venue of the overload benchmark: the real engine, log and gateway, but each command takes COMMAND_US longer to
 * apply. So this machine can send several times what the venue can do. There is no archive.
 *
 * usage: node bench/overload-venue.ts FOLDER     sends its port, then its usage for each message
 */
import { Gateway } from '../src/api/gateway/http.ts';
import { Keyring } from '../src/api/gateway/keyring.ts';
import { readConfiguration } from '../src/config/config.ts';
import type { Apply } from '../src/engine/replay/log-replayer.ts';
import { startEngine } from '../src/engine/start.ts';
import { SURFACES } from '../src/start.ts';
import { NO_MARKET_DATA } from '../test/support/gateway.ts';
import { traders } from './http-traffic.ts';

export interface VenueUsage {
  readonly rssBytes: number;
  /** Processor time since the start. */
  readonly cpuSeconds: number;
}

const COMMAND_US = 100;
const MAX_QUEUE_MS = 50;

/** Keeps the processor busy, as an expensive command does. */
const slowly: Apply = (venue, seq, timeMs, command) => {
  const endsAtMs = performance.now() + COMMAND_US / 1000;
  const reply = venue.apply(seq, timeMs, command);
  while (performance.now() < endsAtMs);
  return reply;
};

const keyring = new Keyring();
const engine = await startEngine({
  folder: process.argv[2],
  configuration: readConfiguration({
    markets: [{ symbol: 'BTC-USDT', maxOpenOrders: 100_000 }],
    accounts: traders.map(({ name, key, secret }) => ({
      name,
      balances: { USDT: '100000000', BTC: '10000' },
      keys: [{ key, secret, permissions: ['trading'] as const }],
    })),
  }),
  seed: 1,
  apply: slowly,
  secrets: { seal: (secret) => keyring.seal(secret), open: (sealed) => keyring.open(sealed) },
  onFatal: (error) => {
    throw error;
  },
});
const noArchive = () => Promise.reject(new Error('the benchmark has no archive'));
const gateway = new Gateway({
  engine,
  archive: { trades: noArchive, order: noArchive, clientOrder: noArchive, wallet: noArchive, knownFromSeq: 1 },
  marketData: NO_MARKET_DATA,
  surfaces: SURFACES,
  keyring,
  maxQueueMs: MAX_QUEUE_MS,
});
const url = await gateway.listen(0, '127.0.0.1');
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const usage: VenueUsage = { rssBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
  process.send?.(usage);
});
process.send?.(Number(new URL(url).port));
