/**
 * One life of a venue: it starts on the content of the disk, answers clients, and ends by a kill, a power cut or a
 * stop.
 */
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { readConfiguration } from '../../src/config/config.ts';
import type { NoticeLevel } from '../../src/engine/contract/notice.ts';
import type { World } from '../../src/engine/contract/world.ts';
import type { Engine } from '../../src/engine/host.ts';
import type { Secrets } from '../../src/engine/identity/config-diff.ts';
import { type EngineStartOptions, startEngine } from '../../src/engine/start.ts';
import { type CommandLog, LogFull } from '../../src/log/contract/command-log.ts';
import { FileStorage } from '../../src/log/file/file-storage.ts';
import { SimArchive, type SimPlace } from './archive.ts';
import { Door } from './door.ts';
import type { Process } from './machine.ts';
import type { Life as Plan } from './plan.ts';
import { type Planted, Told, withLog, withSnapshots } from './planted.ts';
import type { SimDisk } from './sim-disk.ts';

export const SEGMENT_BYTES = 16 * 1024;
export const SNAPSHOT_EVERY = 20;

const key = (name: string) => ({
  key: `${name}-key`,
  secret: `${name}-secret`,
  permissions: ['read' as const, 'trading' as const],
});
const NAMES = ['ann', 'bob', 'cyd', 'dan'];
const WHOLE = readConfiguration({
  currencies: { USDT: { decimals: 8 }, BTC: { decimals: 8 } },
  accounts: NAMES.map((name) => ({ name, balances: { USDT: '1000000', BTC: '1000' }, keys: [key(name)] })),
});
const CONFIGURATION = { ...WHOLE, markets: WHOLE.markets.filter(({ symbol }) => symbol.startsWith('BTC-')) };

/** The origin of a venue: the options of its first start, its clients, and the key that seals their secrets. */
export interface Origin {
  readonly given: Pick<EngineStartOptions, 'configuration' | 'clock' | 'seed'>;
  readonly names: readonly string[];
  readonly keyring: Keyring;
  /** Seals and opens with the key. */
  readonly secrets: Secrets;
}

/** A key's secrets. Each is sealed or opened only once, because every start does so with the same few. */
export function secretsOf(keyring: Keyring): Secrets {
  return { seal: onceEach((secret) => keyring.seal(secret)), open: onceEach((sealed) => keyring.open(sealed)) };
}

function onceEach(make: (text: string) => string): (text: string) => string {
  const made = new Map<string, string>();
  return (text) => {
    const known = made.get(text) ?? make(text);
    made.set(text, known);
    return known;
  };
}

const KEYRING = new Keyring('0'.repeat(64));

export const NEW: Origin = {
  given: { configuration: CONFIGURATION, clock: 'real', seed: 1 },
  names: NAMES,
  keyring: KEYRING,
  secrets: secretsOf(KEYRING),
};

export interface Notice {
  readonly text: string;
  readonly level: NoticeLevel;
}

/** The plan for the archive's thread. */
export type ArchivePlan = Pick<Plan, 'idleArchive' | 'slowArchive'>;

export class Life {
  readonly notices: Notice[] = [];
  readonly disk: SimDisk;
  readonly world: Process;
  readonly place: SimPlace;
  readonly #planted: Planted;
  readonly #index: number;
  readonly rules: string;
  /** The log on the disk. */
  files: CommandLog | undefined;
  engine: Engine | undefined;
  door: Door | undefined;
  archive: SimArchive | undefined;
  /** True: there is no space for a snapshot. */
  noSnapshots = false;
  /** Why its process ended by itself. */
  fatal: Error | undefined;

  readonly #archive: ArchivePlan;
  readonly #origin: Origin;

  /** `rules`: those of its version. */
  constructor(
    disk: SimDisk,
    place: SimPlace,
    world: Process,
    index: number,
    rules: string,
    planted: Planted,
    origin: Origin,
    archive: ArchivePlan = {},
  ) {
    this.#origin = origin;
    this.#archive = archive;
    this.rules = rules;
    this.disk = disk;
    this.place = place;
    this.world = world;
    this.#index = index;
    this.#planted = planted;
  }

  /** Throws the refusal of the start. */
  async start(acceptLossFrom?: number): Promise<void> {
    const planted = this.#planted;
    const { given, keyring, secrets } = this.#origin;
    const world = planted.world?.(this.world) ?? this.world;
    const disk = planted.disk?.(this.disk) ?? this.disk;
    const files = new FileStorage(disk, { segmentBytes: SEGMENT_BYTES });
    const watched = withLog(files, (log) => {
      this.files = log;
      if (planted.archiveAhead !== true) return log;
      return new Told(log, (seq) => this.archive?.applied(seq));
    });
    const limited = withSnapshots(watched, (snapshots) => ({
      write: async (head, text) => {
        if (this.noSnapshots) throw new LogFull('', text.length, { what: 'a snapshot' });
        return snapshots.write(head, text);
      },
    }));
    const storage = planted.storage?.(limited, world) ?? limited;
    const onNotice = (text: string, level: NoticeLevel = 'info') => {
      if (planted.silent !== true) this.notices.push({ text, level });
    };
    const engine = await startEngine({
      storage,
      ...given,
      secrets,
      world,
      rules: this.rules,
      apply: planted.apply?.(this.#index),
      acceptLossFrom,
      onLossAccepted: () => this.place.setAside('lost'),
      ...(planted.asksNoWitness !== true && { witness: () => this.place.witness() }),
      takenNonces: () => this.door?.takenNonces() ?? new Map(),
      beforeSeal: async () => this.archive?.close(),
      onFatal: (error) => {
        this.fatal = error;
      },
      onNotice,
    });
    const { idleArchive, slowArchive } = this.#archive;
    if (!idleArchive) {
      this.archive = new SimArchive({
        storage: planted.archiveStorage?.(storage) ?? storage,
        place: this.place,
        world: slowArchive ? slow(this.world) : this.world,
        seq: engine.venue.seq,
        snapshotEvery: SNAPSHOT_EVERY,
        identity: { rules: this.rules, venueId: engine.venueId },
        onNotice,
      });
    }
    this.door = new Door(engine, keyring, world, planted.forgetsNonces);
    engine.listen({ batchApplied: (seq) => this.archive?.applied(seq) });
    this.engine = engine;
  }
}

/** How long the archive works between two readings of the clock. */
const WORK_MS = 7;

/**
 * Work takes no time in the simulation, so a turn that ends when its time is up would never end early. With this it
 * does.
 */
function slow(world: World): Pick<World, 'monotonicMs' | 'timer'> {
  let workedMs = 0;
  return {
    monotonicMs: () => {
      workedMs += WORK_MS;
      return world.monotonicMs() + workedMs;
    },
    timer: (ms, act) => world.timer(ms, act),
  };
}
