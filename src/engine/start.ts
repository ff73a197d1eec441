/**
 * Starts an engine on a data folder (lock, `bourse.json`, log, recovery), or in memory.
 *
 * Invariants:
 * - Nothing is served before every command of the log is applied again.
 * - Any problem with the folder, or with the master key or the configuration given for it, refuses the start before its
 *   record is written. So a log that was sealed is still sealed.
 * - If something fails after the record, such as a write of `bourse.json` without space, the log is sealed again.
 *
 * A first start writes the start record, then `bourse.json`, then the genesis. So a folder with `bourse.json` has a
 * log, and after a crash between any two of them the next start is a first start again.
 */
import { ConfigurationError } from '../config/config.ts';
import { type AcceptedLoss, type CommandLog, type LogDamaged, LogUnreachable } from '../log/contract/command-log.ts';
import type { Leader } from '../log/contract/leader.ts';
import type { LogEntry } from '../log/contract/log-source.ts';
import type { LogOwner, LogStorage } from '../log/contract/storage.ts';
import { folderStorage, type MemoryStorage, memoryStorage } from '../log/open.ts';
import { RULES_VERSION, type Venue } from '../venue/venue.ts';
import type { OnNotice } from './contract/notice.ts';
import { realWorld, type World } from './contract/world.ts';
import { Engine, type EngineOptions } from './host.ts';
import { checkLoss, type Witness } from './identity/loss.ts';
import {
  ARCHIVE_FILE,
  MANIFEST_FILE,
  type Manifest,
  manifestDamaged,
  readManifest,
  reconcile,
  writeManifest,
} from './identity/manifest.ts';
import { checkKeys, checkMasterKey, OtherMasterKey, writeMasterKey } from './identity/master-key.ts';
import { logPart, refuseOthers } from './identity/venue-id.ts';
import { firstCommands, logAndApply, newCommands, type OwnCommands, type OwnCommandsOptions } from './own-commands.ts';
import { closeUnused, type Progress, type Recovered, rebuild, recover } from './replay/recovery.ts';
import { writeSnapshot } from './replay/snapshots.ts';
import { needsRecovery, Standby } from './standby.ts';

/** How many commands of a log in memory are kept. A snapshot in memory replaces the rest. */
const KEPT_IN_MEMORY = 200_000;
/** While the log cannot be reached, a new leader tries again after this time. */
const REACH_AGAIN_MS = 200;
const RULES = String(RULES_VERSION);
const OTHER_CONFIGURATION =
  'the configuration of this standby is not that of the log; restart it with the one that the leader has';
const LEADS_WITHOUT =
  'this process leads without its configuration, which is not that of the log; restart it with the right one';

export interface EngineStartOptions
  extends OwnCommandsOptions,
    Pick<EngineOptions, 'apply' | 'onFatal' | 'onNotice' | 'onBatch'> {
  /** The data folder. Without one the log is in memory. */
  folder?: string;
  /** The storage of the log, instead of a folder. */
  storage?: LogStorage;
  /** Its owner, if it is owned already. */
  owner?: LogOwner;
  /** The size of a new log segment in bytes. */
  segmentBytes?: number;
  /** The rules that the venue applies: those of this version, except in tests of a change of rules. */
  rules?: string;
  /** The id for a venue that has none yet. Random by default. */
  venueId?: string;
  /** Returns what knows how far the log once reached. Called once the storage is owned. */
  witness?: () => Witness | undefined;
  /** The first lost seq that this start accepts. */
  acceptLossFrom?: number;
  /** Called when the log records that the loss was accepted. The witness must be moved out of the way. */
  onLossAccepted?: (loss: AcceptedLoss) => void;
  /** By key, the highest nonce that was accepted, also of requests that are in no log. A clean stop saves it. */
  takenNonces?: () => ReadonlyMap<string, number>;
  /** Called at a clean stop when everything is applied, before the snapshot of the end. */
  beforeSeal?: () => Promise<void>;
  /** Called at intervals during a long recovery. */
  onProgress?: (progress: Progress) => void;
}

/**
 * @throws {ConfigurationError} a value does not match the folder, or the venue refuses it
 * @throws {LogLocked} @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} @throws {LogFull}
 * @throws {CommandFailed} a command of the log makes the venue throw
 * @throws {OtherVenue} @throws {LossRefused} a part of the storage does not match the others
 * @throws {OtherMasterKey} the log is shared, and another master key seals its secrets
 */
export function startEngine(options: EngineStartOptions): Promise<Engine> {
  const { folder, storage, segmentBytes } = options;
  if (storage !== undefined) return startOn(storage, options);
  if (folder !== undefined) return startOn(folderStorage(folder, { segmentBytes }), options);
  return startInMemory(options);
}

async function startInMemory(options: EngineStartOptions): Promise<Engine> {
  const storage = memoryStorage();
  const owner = await storage.own();
  const rulesVersion = options.rules ?? RULES;
  const made = { rulesVersion, apply: options.apply, world: options.world };
  const newVenueId = () => newIdOf(options);
  const first = firstCommands(options);
  const { log, venue, venueId } = await recover(owner, { ...made, newVenueId });
  await logAndApply(log, venue, first);
  const shorten = shortening(storage, log, rulesVersion);
  const engine = new Engine({
    ...options,
    log,
    venue,
    venueId,
    beforeSeal: async () => {
      await options.beforeSeal?.();
      return undefined;
    },
    memory: storage,
    rebuild: (seq) => rebuild(storage, seq, made),
  });
  // At the end of a batch that is being applied, the venue holds every command of the log. Later the next one may be in it.
  engine.listen({
    commandApplied: (seq) => {
      if (seq === log.lastSeq) shorten(engine.venue);
    },
  });
  return engine;
}

/** Keeps a log in memory short. Call it when the venue holds every command of the log. */
function shortening(storage: MemoryStorage, log: CommandLog, rules: string): (venue: Venue) => void {
  let snapshotSeq = 0;
  return (venue) => {
    if (venue.seq - snapshotSeq < KEPT_IN_MEMORY) return;
    const before = snapshotSeq;
    snapshotSeq = venue.seq;
    const { position } = log;
    writeSnapshot(storage.snapshots, rules, venue, position).then(() => {
      storage.forget(position);
      storage.snapshots.remove([before]);
    });
  };
}

/** An engine that follows the log of a leader, until it takes over. */
export interface StandbyEngine {
  readonly engine: Engine;
  readonly standby: Standby;
  /** Why the configuration of this process is not that of the log. It may take over, and adds nothing of it then. */
  readonly configurationProblem: string | undefined;

  /**
   * Another process leads now. Checks the master key, without which this one could not take over and must exit (`onFatal`), and
   * the configuration (`configurationProblem`). Never rejects.
   */
  leaderChanged(): Promise<void>;

  /**
   * The engine leads from now on. Adds what is new in the configuration, if that fits the log. While the log cannot be reached,
   * it tries again, because the database may have been lost together with the former leader.
   * @throws as `startEngine`: the process must exit
   */
  lead(owner: LogOwner, options: LeadOptions): Promise<void>;
}

export interface LeadOptions {
  /** Called when the venue has the whole log, and before the engine takes the first command. */
  readonly beforeCommands: () => void;
  /** True: it is no longer to lead, so it stops trying. */
  readonly hasGivenUp: () => boolean;
}

/**
 * Starts an engine on a log that `leader` writes.
 * @throws {OtherRules} the leader applies other rules @throws {ConfigurationError} a value does not match the log
 * @throws {LossRefused} the log lacks commands that the witness knows @throws {OtherMasterKey} @throws {OtherVenue}
 * @throws {LogDamaged} @throws {LogUnsupported} @throws {EffectsDiffer} @throws {LogUnreachable}
 */
export async function startStandby(
  storage: LogStorage,
  leader: Leader,
  options: EngineStartOptions,
): Promise<StandbyEngine> {
  const { world = realWorld, onNotice = () => {}, onFatal = () => {} } = options;
  const { where, documents } = storage;
  const rulesVersion = options.rules ?? RULES;
  const made = { rulesVersion, apply: options.apply, world };
  const standby = await Standby.open({ ...made, storage, leader, onNotice, onFatal });
  const checkSecrets = async () => {
    await checkMasterKey(storage, options.secrets);
    checkKeys(where, standby.venue, options.secrets);
  };
  let configurationProblem: string | undefined;
  /** @throws {ConfigurationError} the configuration does not fit that of the log */
  const checkConfiguration = (found: Manifest): void => {
    newCommands(standby.venue, found, reconcile(where, found, options), options);
  };
  /** Notes a ConfigurationError, once for each text, and throws any other error again. `what`: how the text begins. */
  const noteConfiguration = (error: unknown, what: string): void => {
    if (!(error instanceof ConfigurationError)) throw error;
    const problem = `${what}: ${error.message}`;
    if (problem !== configurationProblem) onNotice(problem, 'error');
    configurationProblem = problem;
  };
  try {
    await checkSecrets();
    const found = await readManifest(documents);
    if (found === undefined) throw manifestMissing('a log with commands');
    const witness = options.witness?.();
    const beside = [{ name: MANIFEST_FILE, venueId: found.venueId }, ...(witness ? [witness] : [])];
    refuseOthers([logPart(standby.venueId), ...beside]);
    checkLoss(standby.venue.seq, witness, options.acceptLossFrom);
    checkConfiguration(found);
  } catch (error) {
    await standby.stop();
    throw error;
  }
  const engine: Engine = new Engine({
    ...options,
    log: standby.log,
    follows: standby,
    venue: standby.venue,
    venueId: standby.venueId,
    rebuild: (seq) => rebuild(storage, seq, made),
    beforeSeal: () => sealed(storage, standby.log, engine, options),
  });
  standby.follow(engine);
  return {
    engine,
    standby,
    get configurationProblem() {
      return configurationProblem;
    },
    async leaderChanged() {
      try {
        await checkSecrets();
        const found = await readManifest(documents);
        if (found !== undefined) checkConfiguration(found);
        configurationProblem = undefined;
      } catch (error) {
        if (error instanceof OtherMasterKey) onFatal(error);
        else if (error instanceof ConfigurationError) noteConfiguration(error, OTHER_CONFIGURATION);
        // The database may be lost with the former leader. `lead` looks again.
        else if (!(error instanceof LogUnreachable))
          onNotice(`what the new leader has written cannot be compared: ${(error as Error).message}`, 'error');
      }
    },
    async lead(owner, { beforeCommands, hasGivenUp }) {
      const whenReached = <T>(act: () => Promise<T>) => untilReached(world, hasGivenUp, act);
      await whenReached(checkSecrets);
      try {
        await standby.continue(owner);
      } catch (error) {
        // Records that were read before the log was lost may be half applied.
        if (!needsRecovery(error) && !(error instanceof LogUnreachable)) throw error;
        onNotice(`the venue is recovered from the log: ${(error as Error).message}`, 'warn');
        const recovered = await whenReached(async () => recoverOn(owner, await readManifest(documents), options));
        standby.recovered(recovered.log);
        engine.foldedAnew(recovered.venue);
      }
      beforeCommands();
      engine.lead();
      await writeMasterKey(documents, options.secrets).catch((error: Error) =>
        onNotice(`standbys cannot compare their master key: ${error.message}`, 'warn'),
      );
      const before = await whenReached(() => readManifest(documents));
      if (before === undefined) throw manifestMissing('a log with commands');
      try {
        const now = reconcile(where, before, options);
        const { manifest, commands } = newCommands(engine.venue, before, now, options);
        if (manifest !== undefined) {
          await whenReached(() => writeManifest(documents, { ...manifest, venueId: standby.venueId }));
        }
        await Promise.all(commands.map((command) => engine.submit(command)));
        configurationProblem = undefined;
      } catch (error) {
        noteConfiguration(error, LEADS_WITHOUT);
      }
    },
  };
}

/** Repeats `act` while the log cannot be reached. @throws what `act` throws otherwise, and LogUnreachable once `hasGivenUp` */
async function untilReached<T>(world: World, hasGivenUp: () => boolean, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof LogUnreachable) || hasGivenUp()) throw error;
    }
    await new Promise<void>((resolve) => world.timer(REACH_AGAIN_MS, resolve));
  }
}

function recoverOn(
  owner: LogOwner,
  before: Manifest | undefined,
  options: EngineStartOptions,
  judge?: (venue: Venue) => void,
): Promise<Recovered> {
  const witness = options.witness?.();
  return recover(owner, {
    rulesVersion: options.rules ?? RULES,
    apply: options.apply,
    world: options.world,
    beside: [{ name: MANIFEST_FILE, venueId: before?.venueId }, ...(witness ? [witness] : [])],
    newVenueId: () => newIdOf(options),
    checkEnd: (lastSeq) => checkLoss(lastSeq, witness, options.acceptLossFrom),
    judge,
    mustExist: before !== undefined,
    onNotice: options.onNotice,
    onProgress: options.onProgress,
    onEntry: before === undefined ? refuseCommands : undefined,
  });
}

/** What is done at a clean stop, before the seal. Returns the state hash if it was computed. */
async function sealed(
  storage: LogStorage,
  log: CommandLog,
  engine: Engine,
  options: EngineStartOptions,
): Promise<string | undefined> {
  await options.beforeSeal?.();
  let raised = false;
  for (const [key, nonceMs] of options.takenNonces?.() ?? []) {
    raised = engine.venue.useNonce({ key, nonceMs }) || raised;
  }
  return snapshotAtStop(storage, log, engine, raised, options.rules ?? RULES, options.onNotice);
}

async function startOn(storage: LogStorage, options: EngineStartOptions): Promise<Engine> {
  const owner = options.owner ?? (await storage.own());
  const { where, documents } = storage;
  const isShared = storage.watch !== undefined;
  let recovered: Recovered | undefined;
  try {
    if (isShared) await checkMasterKey(storage, options.secrets);
    const before = await readManifest(documents);
    const now = before && reconcile(where, before, options);
    if (before === undefined) await refuseLeftOver(storage);
    const rulesVersion = options.rules ?? RULES;
    const made = { rulesVersion, apply: options.apply, world: options.world };
    const judged: { own?: OwnCommands } = {};
    recovered = await recoverOn(owner, before, options, (venue) => {
      if (venue.seq > 0) checkKeys(where, venue, options.secrets);
      const isFirst = before === undefined || now === undefined || venue.seq === 0;
      judged.own = isFirst ? firstCommands(options) : newCommands(venue, before, now, options);
    });
    tellHow(recovered, rulesVersion, options.onNotice);
    const { log, venue, venueId, lost } = recovered;
    const own = judged.own as OwnCommands;
    if (lost !== undefined) options.onLossAccepted?.(lost);
    const moved = before !== undefined && before.venueId !== venueId ? before : undefined;
    const manifest = own.manifest ?? moved;
    if (manifest !== undefined) await writeManifest(documents, { ...manifest, venueId });
    if (isShared) await writeMasterKey(documents, options.secrets);
    await logAndApply(log, venue, own);
    const engine: Engine = new Engine({
      ...options,
      log,
      venue,
      venueId,
      rebuild: (seq) => rebuild(storage, seq, made),
      beforeSeal: () => sealed(storage, log, engine, options),
    });
    return engine;
  } catch (error) {
    if (recovered !== undefined) await closeUnused(recovered);
    owner.release();
    throw error;
  }
}

/** Says what an operator should know about the log that was found. */
function tellHow({ venue, endedCleanly, otherRules }: Recovered, rules: string, onNotice: OnNotice = () => {}): void {
  if (!endedCleanly) {
    onNotice(`the last run was not stopped cleanly: the venue is recovered from the log up to seq ${venue.seq}`);
  }
  if (otherRules !== undefined) {
    onNotice(
      `rules ${rules} continue the log that rules ${otherRules} made up to seq ${venue.seq}: until the first command after ` +
        `that seq, the version of rules ${otherRules} can still be started instead`,
    );
  }
}

/**
 * Writes the snapshot for the next start, so that it need not replay the log, and finds nonces that are not in the log.
 * Without space for it, the log must be enough. Returns the state hash if it was computed.
 */
async function snapshotAtStop(
  { snapshots }: LogStorage,
  log: CommandLog,
  { venue, venueId }: Engine,
  noncesRaised: boolean,
  rules: string,
  onNotice: OnNotice = () => {},
): Promise<string | undefined> {
  const { position } = log;
  const [newest] = await snapshots.list();
  if (!noncesRaised && newest?.seq === position.seq) return undefined;
  try {
    return (await writeSnapshot(snapshots, rules, venue, position, venueId)).hash;
  } catch (error) {
    onNotice(
      `no snapshot was written at the stop, so the next start reads more of the log: ${(error as Error).message}`,
      'warn',
    );
    return undefined;
  }
}

/** Without `bourse.json` there must be nothing else either. */
async function refuseLeftOver({ snapshots, documents }: LogStorage): Promise<void> {
  const [newest] = await snapshots.list();
  if (newest !== undefined) throw manifestMissing(newest.name);
  if (await documents.has(ARCHIVE_FILE)) throw manifestMissing(ARCHIVE_FILE);
}

function refuseCommands(entry: LogEntry): void {
  if (entry.kind === 'batch') throw manifestMissing('a log with commands');
}

/** `beside`: what shows that the folder was started before. */
function manifestMissing(beside: string): LogDamaged {
  return manifestDamaged(`it is missing beside ${beside}`);
}

function newIdOf({ venueId, world = realWorld }: EngineStartOptions): string {
  return venueId ?? world.randomBytes(16).toString('hex');
}
