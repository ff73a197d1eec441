/** What the tests of the engine share: configurations, commands, and an engine on a simulated disk. */

import { type ConfigurationInput, readConfiguration, venueConfig } from '../../src/config/config.ts';
import { LIMIT_MS } from '../../src/engine/clock/blocking-syncs.ts';
import { realWorld, type World } from '../../src/engine/contract/world.ts';
import { Engine, type EngineOptions } from '../../src/engine/host.ts';
import type { EngineStartOptions } from '../../src/engine/start.ts';
import type { CommandLog } from '../../src/log/contract/command-log.ts';
import type { Command, Genesis } from '../../src/venue/contract/commands.ts';
import { RULES_VERSION, type Venue } from '../../src/venue/venue.ts';
import type { SimDisk } from '../sim/sim-disk.ts';
import { rebuildOn, recoverOn } from '../support/storage.ts';

/** The rules that this version applies. */
export const RULES = String(RULES_VERSION);

export const START_MS = 1_767_225_600_000;
export const SEGMENT_BYTES = 16 * 1024;

/** Stands in for the sealing under a master key. */
export const secrets: EngineStartOptions['secrets'] = {
  seal: (secret) => `sealed:${secret}`,
  open: (sealed) => sealed.slice('sealed:'.length),
};

export const ALICE = {
  name: 'alice',
  balances: { USDT: 1_000_000, BTC: 10 },
  keys: [{ key: 'alice-key', secret: 'alice-secret', permissions: ['read' as const, 'trading' as const] }],
};

export function configuration(input: ConfigurationInput = {}) {
  return readConfiguration({ accounts: [ALICE], ...input });
}

export function genesis(clock: 'real' | 'manual'): Genesis {
  const config = {
    ...venueConfig(configuration({ accounts: [] }), secrets.seal),
    accounts: [{ ...ALICE, balances: { USDT: '1000000' }, fees: {}, keys: [] }],
  };
  return { v: 1, type: 'genesis', config, seed: 1, clock, idKey: '0'.repeat(32) };
}

/** The index of BTC-USDT, in thousandths of its tick of 0.1. */
export const PRICES: Command = { v: 1, type: 'setPrices', market: 0, index: 1_000_000_000, byHand: true };

export function buy(fields: { price?: number; timeInForce?: 'GTC' | 'HALFMIN'; clientId?: string } = {}): Command {
  return {
    v: 1,
    type: 'place',
    kind: 'limit',
    account: 0,
    market: 0,
    side: 0,
    price: 990_000,
    size: 1000,
    clientId: null,
    request: null,
    broker: null,
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
    ...fields,
  };
}

export interface Rig {
  engine: Engine;
  log: CommandLog;
  venue: Venue;
  fatal: Error[];
  notices: string[];
}

/** The real world, but for its time, which only `wallMs` moves. */
export function worldAt(wallMs: () => number): World {
  return { ...realWorld, wallMs, monotonicMs: wallMs, uptimeMs: () => null };
}

/** Each look at the clock takes twice as long as a sync may that the thread waits for, so to the engine every sync is slow. */
export function slowWorld(): World {
  let elapsedMs = 0;
  return {
    ...worldAt(() => START_MS),
    monotonicMs() {
      elapsedMs += 2 * LIMIT_MS;
      return elapsedMs;
    },
  };
}

/** An engine on what the disk holds; on an empty one the genesis of the given clock is the first command. */
export async function engineOn(
  disk: SimDisk,
  clock: 'real' | 'manual',
  parts: Partial<EngineOptions> = {},
): Promise<Rig> {
  const fatal: Error[] = [];
  const notices: string[] = [];
  const onNotice = (text: string): unknown => notices.push(text);
  const made = { rulesVersion: RULES, apply: parts.apply };
  const { log, venue } = await recoverOn(disk, { ...made, segmentBytes: SEGMENT_BYTES, onNotice });
  const engine = new Engine({
    log,
    venue,
    rebuild: (seq) => rebuildOn(disk, seq, made),
    world: worldAt(() => START_MS),
    onFatal: (error) => fatal.push(error),
    onNotice,
    ...parts,
  });
  if (log.lastSeq === 0) await engine.submit({ ...genesis(clock) });
  return { engine, log, venue, fatal, notices };
}
