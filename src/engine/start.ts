/**
 * Starts an engine: on a data folder (lock, what it remembers, log, recovery), or in memory.
 *
 * Invariant: nothing is served before every command of the log is applied again. Whatever is wrong with the folder, or
 * with the configuration given for it, refuses the start and changes nothing that was durable.
 * The order of a first start is: start record, `bourse.json`, genesis; so a folder that carries `bourse.json` has a log, and
 * a crash between any two of them is a first start again.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { type Configuration, ConfigurationError, readConfiguration, venueConfig } from '../config/config.ts';
import { type CommandLog, LogDamaged, type LogEntry, LogFull } from '../log/command-log.ts';
import { type Disk, isNoSpace, RealDisk } from '../log/file/disk.ts';
import type { FileLog } from '../log/file/file-log.ts';
import { lockFolder } from '../log/file/lock.ts';
import { ARCHIVE_FILE, snapshotName } from '../log/file/segments.ts';
import { MemoryLog } from '../log/memory/memory-log.ts';
import type { Command, Genesis } from '../venue/commands.ts';
import type { VenueEvent } from '../venue/events.ts';
import { RULES_VERSION, Venue } from '../venue/venue.ts';
import { additions, type Secrets } from './additions.ts';
import { applyCommand, CommandFailed } from './fold.ts';
import { Engine, type EngineParts } from './host.ts';
import type { OnNotice } from './notice.ts';
import { MemoryHistory, type Progress, rebuild, recover, type VenueMaker } from './recovery.ts';
import {
  type Given,
  REMEMBERED_FILE,
  type Remembered,
  readRemembered,
  reconcile,
  rememberedConfiguration,
  writeRemembered,
} from './remembered.ts';
import { snapshotFiles, writeSnapshot } from './snapshots.ts';
import { realWorld } from './world.ts';

/** 2026-01-01T00:00:00.000Z: where a manual clock begins. */
export const DEFAULT_START_TIME_MS = 1_767_225_600_000;
/** `bourse.json` is a few kilobytes; said when there is no room for it. */
const REMEMBERED_BYTES = 64 * 1024;
const RULES = String(RULES_VERSION);

export interface EngineOptions
  extends Given,
    Pick<EngineParts, 'world' | 'apply' | 'onFatal' | 'onNotice' | 'onBatch' | 'onApplied'> {
  /** The data folder; without one the log lasts as long as the process. */
  folder?: string;
  /** The size of a new log segment in bytes. */
  segmentBytes?: number;
  secrets: Secrets;
  /** By key, the highest nonce that was taken, by requests that are in no log, too: what a clean stop is to keep. */
  takenNonces?: () => ReadonlyMap<string, number>;
  /** Called at a clean stop when everything is applied, before the snapshot of the end. */
  beforeSeal?: () => Promise<void>;
  /** Every event of the venue from the start on; not those of commands that recovery applies again. Must not throw. */
  onEvent?: (event: VenueEvent) => void;
  /** Now and then during a long recovery. */
  onProgress?: (progress: Progress) => void;
}

/**
 * @throws {ConfigurationError} a value that does not fit the folder, or that the venue refuses
 * @throws {LogLocked} @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} @throws {LogFull}
 * @throws {CommandFailed} a command of the log makes the venue throw
 */
export function startEngine(options: EngineOptions): Promise<Engine> {
  return options.folder === undefined ? startInMemory(options) : startOnFolder(options.folder, options);
}

async function startInMemory(options: EngineOptions): Promise<Engine> {
  const log = new MemoryLog();
  const events = eventsOf(options);
  const history = new MemoryHistory(log, { make: events.make, apply: options.apply, world: options.world });
  const venue = events.make.fresh();
  await beginVenue(log, venue, options, firstRemembered(options));
  const engine: Engine = new Engine({
    ...options,
    log,
    venue,
    beforeSeal: async () => {
      await options.beforeSeal?.();
      return undefined;
    },
    memory: history,
    rebuild: (seq) => events.silently(() => history.rebuild(seq)),
    onApplied: (seq) => {
      options.onApplied?.(seq);
      history.shorten(engine.venue);
    },
  });
  events.live = true;
  return engine;
}

async function startOnFolder(folder: string, options: EngineOptions): Promise<Engine> {
  const lock = lockFolder(folder);
  let log: FileLog | undefined;
  try {
    const before = readRemembered(folder);
    if (before !== undefined) reconcile(folder, before, options);
    const disk = new RealDisk(folder);
    const leftOver = [...snapshotFiles(disk), ...disk.names().filter((name) => name === ARCHIVE_FILE)];
    if (before === undefined && leftOver.length > 0) throw notRemembered(leftOver[0]);
    const events = eventsOf(options);
    const made = { make: events.make, apply: options.apply, world: options.world };
    const recovered = await recover(disk, {
      ...made,
      rulesVersion: RULES,
      segmentBytes: options.segmentBytes,
      mustExist: before !== undefined,
      beforeWrite: () => lock.check(),
      onNotice: options.onNotice,
      onProgress: options.onProgress,
      onEntry: before === undefined ? refuseCommands : undefined,
    });
    log = recovered.log;
    const { venue } = recovered;
    if (log.lastSeq === 0) {
      const first = firstRemembered(options);
      await beginVenue(log, venue, options, first, () => remember(folder, first));
    } else if (before !== undefined) {
      await extendVenue(log, venue, options, before, () => remember(folder, reconcile(folder, before, options)));
    }
    events.live = true;
    const opened = log;
    const engine: Engine = new Engine({
      ...options,
      log,
      venue,
      rebuild: (seq) => events.silently(() => rebuild(disk, seq, made)),
      beforeSeal: async () => {
        await options.beforeSeal?.();
        let raised = false;
        for (const [key, nonceMs] of options.takenNonces?.() ?? []) {
          raised = engine.venue.useNonce({ key, nonceMs }) || raised;
        }
        return snapshotAtStop(disk, opened, engine.venue, raised, options.onNotice);
      },
      release: () => lock.release(),
    });
    return engine;
  } catch (error) {
    await log?.close();
    lock.release();
    throw error;
  }
}

/** Venues whose events go out while `live`; not those of commands that are applied again. */
function eventsOf(options: EngineOptions) {
  const emit = (event: VenueEvent): void => {
    if (events.live) options.onEvent?.(event);
  };
  const make: VenueMaker = { fresh: () => new Venue(emit), load: (text) => Venue.load(text, emit) };
  const events = {
    make,
    live: false,
    async silently<T>(act: () => Promise<T>): Promise<T> {
      events.live = false;
      const result = await act();
      events.live = true;
      return result;
    },
  };
  return events;
}

/**
 * What a start reads next time, so that it need not fold the log again, and finds the nonces that are not in it. Without
 * room for it, the log has to do. Gives the state hash where it was made for it.
 */
async function snapshotAtStop(
  disk: Disk,
  log: FileLog,
  venue: Venue,
  noncesRaised: boolean,
  onNotice: OnNotice = () => {},
): Promise<string | undefined> {
  const { position } = log;
  if (!noncesRaised && snapshotFiles(disk)[0] === snapshotName(position.seq)) return undefined;
  try {
    return (await writeSnapshot(disk, RULES, venue, position)).hash;
  } catch (error) {
    onNotice(`no snapshot at the stop, the next start reads more of the log: ${(error as Error).message}`, 'warn');
    return undefined;
  }
}

function refuseCommands(entry: LogEntry): void {
  if (entry.kind === 'batch') throw notRemembered('a log with commands');
}

/** `beside`: what shows that the folder was started before. */
function notRemembered(beside: string): LogDamaged {
  return new LogDamaged(REMEMBERED_FILE, 0, `it is missing beside ${beside}`);
}

function configurationOf(given: Given): Configuration {
  return given.configuration ?? readConfiguration({});
}

function firstRemembered(given: EngineOptions): Remembered {
  const { world = realWorld } = given;
  const clock = given.clock ?? 'real';
  return {
    seed: given.seed ?? world.randomInt(2 ** 47),
    clock,
    startTimeMs: clock === 'manual' ? (given.startTimeMs ?? DEFAULT_START_TIME_MS) : null,
    configuration: rememberedConfiguration(configurationOf(given)),
  };
}

function remember(folder: string, remembered: Remembered): void {
  try {
    writeRemembered(folder, remembered);
  } catch (error) {
    throw isNoSpace(error) ? new LogFull(folder, REMEMBERED_BYTES, { cause: error }) : error;
  }
}

/** Logs the first command. */
async function beginVenue(
  log: CommandLog,
  venue: Venue,
  options: EngineOptions,
  remembered: Remembered,
  beforeGenesis: () => void = () => {},
): Promise<void> {
  const { seed, clock, startTimeMs } = remembered;
  const config = venueConfig(configurationOf(options), (secret) => options.secrets.seal(secret));
  const genesis: Genesis = { v: 1, type: 'genesis', config, seed, clock, idKey: idKey(options) };
  const timeMs = startTimeMs ?? (options.world ?? realWorld).wallMs();
  refuseUnfit(genesis, timeMs);
  beforeGenesis();
  await logAndApply(log, venue, timeMs, [genesis]);
}

/** Logs what the configuration has that the venue has not: one batch, so that it is there whole or not at all. */
async function extendVenue(
  log: CommandLog,
  venue: Venue,
  options: EngineOptions,
  before: Remembered,
  beforeCommands: () => void,
): Promise<void> {
  const { configuration, secrets } = options;
  if (configuration === undefined) return;
  const commands = additions(venue, before, configuration, secrets);
  if (commands.length === 0) return;
  const config = venueConfig(configuration, (secret) => secrets.seal(secret));
  refuseUnfit({ ...(venue.genesis as Genesis), config }, venue.timeMs);
  beforeCommands();
  const timeMs =
    before.clock === 'manual' ? venue.timeMs : Math.max(venue.timeMs, (options.world ?? realWorld).wallMs());
  await logAndApply(log, venue, timeMs, commands);
}

/**
 * Tries a configuration on a venue that is thrown away, so that one that the venue refuses is never logged.
 * @throws {ConfigurationError}
 */
function refuseUnfit(genesis: Genesis, timeMs: number): void {
  try {
    applyCommand(new Venue(), 1, timeMs, genesis);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const message = `is refused by the venue: ${(error.cause as Error).message}`;
    throw new ConfigurationError('given', [{ path: '', message }], { cause: error });
  }
}

async function logAndApply(log: CommandLog, venue: Venue, timeMs: number, commands: readonly Command[]): Promise<void> {
  const firstSeq = log.lastSeq + 1;
  const texts = commands.map((command) => JSON.stringify(command));
  await log.append({ firstSeq, timeMs, commands: texts, effects: venue.effects });
  commands.forEach((command, i) => {
    const { refusal } = applyCommand(venue, firstSeq + i, timeMs, command);
    assert.equal(refusal, null, `the configuration's own command ${command.type} was refused`);
  });
}

/** Ids are not to be guessed, and equal in two venues that were given the same seed. */
function idKey({ seed, world = realWorld }: EngineOptions): string {
  if (seed === undefined) return world.randomBytes(16).toString('hex');
  return hash('sha256', `order ids of seed ${seed}`, 'hex').slice(0, 32);
}
