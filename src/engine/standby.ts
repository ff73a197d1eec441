/**
 * Follows the log that another process writes, and applies it to a venue that can be read here meanwhile. From that state this
 * process takes over: it reads only the records that are left.
 *
 * Invariants:
 * - A command is applied once it is known to be durable. That it can be read is not enough. Commands may be
 *   taken back only by a record that leaves one out: then the venue is rebuilt, and must not be read until that is done.
 * - A batch is applied when no further record is there. The leader appends nothing that leaves a command out unless the
 *   command throws, and then it usually throws here too.
 * - A command that throws here makes the venue unreadable. It is rebuilt at once, which helps if the cause has passed. Else
 *   the record that leaves the command out is waited for. If the leader goes on without one, it has applied what this process
 *   cannot apply, and the process must exit.
 * - A record without commands may be read before it is durable, and be lost. Then the venue is rebuilt from what is there. If
 *   a command that is applied here is not in the log any more, the log has lost what was durable, and the process must exit.
 * - If this process cannot continue from its own state, it recovers from the log, as a start does.
 *
 * Cost: two reads of the log for each batch, or for as many as come while one is applied.
 */
import { type CommandLog, LogDamaged, LogUnreachable, type StartState } from '../log/contract/command-log.ts';
import type { Leader } from '../log/contract/leader.ts';
import type { LogEntry, LogFollower, LogOrigin, LogPosition } from '../log/contract/log-source.ts';
import type { LogOwner, LogStorage } from '../log/contract/storage.ts';
import type { Venue } from '../venue/venue.ts';
import { EngineFollows, EngineRebuilding } from './contract/errors.ts';
import type { OnNotice } from './contract/notice.ts';
import type { World } from './contract/world.ts';
import { HandedLog } from './handed-log.ts';
import type { Engine, Follows } from './host.ts';
import { LossRefused } from './identity/loss.ts';
import { CommandFailed, endsBatch, LogReplayer } from './replay/log-replayer.ts';
import { type RebuildOptions, rebuild, replayerFrom, startState } from './replay/recovery.ts';
import { newestSnapshot, originOf, type Snapshot } from './replay/snapshots.ts';

/** How long commands are applied before everything else gets a turn. */
const SLICE_MS = 5;
/** The wait until a log that cannot be reached is read again. */
const RETRY_MS = 200;

/** The leader applies other rules. This process can continue its log only after a seal. */
export class OtherRules extends Error {
  override readonly name = 'OtherRules';

  constructor(rules: string, ownRules: string) {
    super(
      `the leader applies rules ${rules}, and this version rules ${ownRules}: it takes over once the leader was stopped ` +
        'cleanly, and serves nothing before that',
    );
  }
}

/** A record has left out a command that was applied here, or a record that was taken is not in the log any more. */
class TakenBack extends Error {}

export interface StandbyOptions extends RebuildOptions {
  readonly storage: LogStorage;
  readonly world: World;
  readonly leader: Leader;
  readonly onNotice: OnNotice;
  /** The log cannot be applied here: the process must exit. */
  readonly onFatal: (error: Error) => void;
}

/** How far a standby is behind. */
export interface Lag {
  /** Commands of the log that it has heard of, and not applied. */
  readonly commands: number;
  /** How old what it shows may be. 0: it has everything that it has heard of, and hears well. */
  readonly ms: number;
}

export class Standby implements Follows {
  readonly log: CommandLog;
  readonly #options: StandbyOptions;
  readonly #handed: HandedLog;
  readonly #snapshot: Snapshot | undefined;
  #follower: LogFollower;
  readonly #watch: { close(): void };
  #replayer: LogReplayer;
  /** Undefined: what is read is applied, and no listener hears of it. */
  #engine: Engine | undefined;
  #leader: Leader;
  #refusal: EngineFollows;
  /** The rules of the commands that follow. */
  #rules: string;
  #venueId: string | undefined;
  #epoch = 0;
  /** The last record that was taken, and the last command up to there. */
  #position: LogPosition | undefined;
  #takenSeq = 0;
  /** The last record with commands that was taken. */
  #batch: LogPosition | undefined;
  /** No later record can leave out a command up to here. */
  #settledSeq = 0;
  /** The last batch that was taken is not applied yet. */
  #holds = false;
  /** Why the venue must be rebuilt. */
  #broken: Error | undefined;
  /** There may be more to read. */
  #grown = false;
  #work: Promise<void> | undefined;
  #isStopped = false;
  /** The furthest command that it has heard of. The log is durable up to there. */
  #heardSeq = 0;
  /** Everything that was durable before this moment is applied. */
  #currentAtMs: number;
  #cutOff: string | undefined;
  /**
   * Venue time at a moment of monotonic time. It is the machine's time, as at a start, until this process has read a batch
   * that the leader wrote. From then on it is the leader's (`isLeaders`).
   */
  #clock: { readonly timeMs: number; readonly atMs: number; readonly isLeaders: boolean };
  /** The leader's time as it was shown last. */
  #shownMs = 0;
  #batchTimeMs: number | undefined;
  #wake: () => void = () => {};

  private constructor(options: StandbyOptions, snapshot: Snapshot | undefined, follower: LogFollower) {
    const { storage, world, leader, rulesVersion } = options;
    if (storage.watch === undefined) throw new Error(`${storage.where} cannot be followed`);
    this.#options = options;
    this.#snapshot = snapshot;
    this.#follower = follower;
    this.#rules = snapshot?.head.rules ?? rulesVersion;
    this.#venueId = snapshot?.head.venueId;
    this.#position = snapshot?.head.position;
    this.#takenSeq = snapshot?.seq ?? 0;
    this.#batch = snapshot?.head.position;
    this.#settledSeq = this.#takenSeq;
    this.#replayer = replayerFrom(snapshot, { ...options, apply: this.#apply });
    this.#leader = leader;
    this.#refusal = new EngineFollows(leader);
    this.#currentAtMs = world.monotonicMs();
    this.#clock = { timeMs: world.wallMs(), atMs: world.monotonicMs(), isLeaders: false };
    this.#handed = new HandedLog(this);
    this.log = this.#handed;
    this.#watch = storage.watch({
      onGrown: (seq) => this.#onGrown(seq),
      onHeard: (sinceMs) => this.#onHeard(sinceMs),
      onCutOff: (problem) => {
        this.#noteCutOff(problem);
        this.#wake();
      },
    });
  }

  /**
   * Resolves when it has applied the log as it is now, which has at least its first command.
   * @throws {OtherRules} @throws {LogDamaged} @throws {LogUnsupported} @throws {EffectsDiffer} @throws {LogUnreachable}
   * @throws {CommandFailed} this process cannot apply what the leader has applied
   */
  static async open(options: StandbyOptions): Promise<Standby> {
    const { storage, rulesVersion } = options;
    const snapshot = await newestSnapshot(storage.snapshots);
    if (snapshot !== undefined && snapshot.head.rules !== rulesVersion) {
      throw new OtherRules(snapshot.head.rules, rulesVersion);
    }
    const follower = await storage.source.follow(snapshot && originOf(snapshot));
    const standby = new Standby(options, snapshot, follower);
    try {
      do {
        await standby.#untilGrown();
        await standby.#drain();
      } while (standby.venue.seq === 0);
      return standby;
    } catch (error) {
      standby.#watch.close();
      throw error;
    }
  }

  /** @throws {LogUnreachable} nothing is heard of the log */
  async #untilGrown(): Promise<void> {
    while (!this.#grown) {
      if (this.#cutOff !== undefined) throw new LogUnreachable(this.#options.storage.where, this.#cutOff);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#grown = false;
  }

  get venue(): Venue {
    return this.#replayer.venue;
  }

  get venueId(): string | undefined {
    return this.#venueId;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** The last record that is applied. */
  get position(): LogPosition {
    if (this.#position === undefined) throw new Error('a log that is followed has records');
    return this.#position;
  }

  get refusal(): EngineFollows {
    return this.#refusal;
  }

  get leader(): Leader {
    return this.#leader;
  }

  set leader(leader: Leader) {
    this.#leader = leader;
    this.#refusal = new EngineFollows(leader);
  }

  get unreadable(): Error | undefined {
    return this.#broken && new EngineRebuilding(`the venue is being rebuilt: ${this.#broken.message}`);
  }

  get problem(): string | undefined {
    if (this.#broken !== undefined) return this.#broken.message;
    return this.#cutOff === undefined ? undefined : cutOffText(this.#cutOff);
  }

  get lag(): Lag {
    const commands = Math.max(0, this.#heardSeq - this.venue.seq);
    const isCurrent = commands === 0 && !this.#grown && this.problem === undefined;
    return { commands, ms: isCurrent ? 0 : Math.round(this.#options.world.monotonicMs() - this.#currentAtMs) };
  }

  /** The leader's time now, by the last batch and the time since it came. Once that is known, it never goes back. */
  nowMs(): number {
    const { timeMs, atMs, isLeaders } = this.#clock;
    const nowMs = Math.max(Math.floor(timeMs + this.#options.world.monotonicMs() - atMs), this.venue.timeMs);
    if (!isLeaders) return nowMs;
    this.#shownMs = Math.max(this.#shownMs, nowMs);
    return this.#shownMs;
  }

  /** From now on the engine, whose venue is this one, hears what is applied. */
  follow(engine: Engine): void {
    this.#engine = engine;
    this.#begin();
  }

  /** Follows no longer. Resolves when everything that was taken is applied. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watch.close();
    await this.#work;
  }

  /**
   * Takes over from the owner of the log: applies the records that are left, and writes the start of the next epoch. It
   * follows no longer.
   * @throws {TakenBack} @throws {CommandFailed} @throws {LogDamaged} it cannot continue from here: nothing was written
   */
  async continue(owner: LogOwner): Promise<void> {
    const { rulesVersion, onNotice } = this.#options;
    const refuse = () => {
      if (this.#broken !== undefined) throw this.#broken;
    };
    await this.stop();
    refuse();
    const log = await owner.open({
      rulesVersion,
      mustExist: true,
      onNotice,
      origin: this.#originAt(this.position),
      replay: (entry) => {
        this.#take(entry);
        refuse();
      },
      state: () => {
        this.#finish();
        refuse();
        return this.#startState();
      },
    });
    this.#handed.led = log;
  }

  /** The log was opened by a recovery, which `continue` has made necessary. */
  recovered(log: CommandLog): void {
    this.#handed.led = log;
  }

  #startState(): StartState {
    const { rulesVersion } = this.#options;
    return {
      ...startState(this.venue, this.#snapshot, false, rulesVersion),
      ...(this.#venueId !== undefined && { venueId: this.#venueId }),
    };
  }

  readonly #apply = (venue: Venue, seq: number, timeMs: number, command: Parameters<Venue['apply']>[2]): void => {
    const { apply } = this.#options;
    if (apply === undefined) venue.applySilently(seq, timeMs, command);
    else apply(venue, seq, timeMs, command);
    this.#engine?.commandFolded(seq);
  };

  #noteCutOff(problem: string): void {
    if (this.#cutOff === undefined) this.#options.onNotice(cutOffText(problem), 'warn');
    this.#cutOff = problem;
  }

  #noteFollowed(): void {
    if (this.#cutOff !== undefined) this.#options.onNotice('the log of the leader is followed again');
    this.#cutOff = undefined;
  }

  #onGrown(seq: number): void {
    this.#noteFollowed();
    this.#heardSeq = Math.max(this.#heardSeq, seq);
    this.#grown = true;
    this.#wake();
    this.#begin();
  }

  #onHeard(sinceMs: number): void {
    this.#noteFollowed();
    if (!this.#grown && this.#work === undefined) this.#currentAtMs = Math.max(this.#currentAtMs, sinceMs);
  }

  #begin(): void {
    if (this.#engine !== undefined && this.#grown && !this.#isStopped) this.#work ??= this.#read();
  }

  async #read(): Promise<void> {
    const { world, onFatal } = this.#options;
    try {
      while (this.#grown && !this.#isStopped) {
        this.#grown = false;
        const sinceMs = world.monotonicMs();
        await this.#drain();
        this.#currentAtMs = sinceMs;
      }
    } catch (error) {
      this.#grown = true;
      if (!(error instanceof LogUnreachable)) {
        this.#isStopped = true;
        onFatal(error as Error);
      } else {
        this.#noteCutOff(error.message);
        world.timer(RETRY_MS, () => this.#begin()).unref();
      }
    } finally {
      this.#work = undefined;
    }
  }

  /** Takes and applies everything that is durable. */
  async #drain(): Promise<void> {
    try {
      await this.#takeAll();
    } catch (error) {
      if (!(error instanceof LogDamaged)) throw error;
      await this.#goBack(error);
    }
    // True news is of what is in the log. Any user of a database can send false news.
    if (!this.#grown && !this.#isStopped) this.#heardSeq = Math.min(this.#heardSeq, this.#takenSeq);
  }

  /**
   * What comes next does not follow what was taken.
   * @throws {LossRefused} a command that is applied here is not in the log any more
   * @throws the error, if everything that was taken is there
   */
  async #goBack(error: LogDamaged): Promise<void> {
    const { storage } = this.#options;
    if (await this.#isInLog(this.#position)) throw error;
    if (!(await this.#isInLog(this.#batch))) {
      throw new LossRefused(
        `the log in ${storage.where} has lost commands that were durable: this standby has applied those up to seq ` +
          `${this.venue.seq}, and the last of them are not in the log any more, or others are in their place`,
      );
    }
    this.#broken ??= new TakenBack('a record of the leader without commands was lost with a server of the database');
    const { seq = 0 } = this.#snapshot ?? {};
    this.#position = this.#snapshot?.head.position;
    this.#batch = this.#position;
    this.#takenSeq = seq;
    this.#settledSeq = seq;
    this.#holds = false;
    this.#follower = await storage.source.follow(this.#snapshot && originOf(this.#snapshot));
    await this.#takeAll();
  }

  async #isInLog(position: LogPosition | undefined): Promise<boolean> {
    try {
      await this.#options.storage.source.follow(this.#originAt(position));
      return true;
    } catch (error) {
      if (error instanceof LogDamaged) return false;
      throw error;
    }
  }

  #originAt(position: LogPosition | undefined): LogOrigin | undefined {
    return position && { position, rulesVersion: this.#options.rulesVersion, name: 'the state of this standby' };
  }

  async #takeAll(): Promise<void> {
    const { world } = this.#options;
    let until = world.monotonicMs() + SLICE_MS;
    for await (const entry of this.#follower.available(this.#heardSeq)) {
      this.#take(entry);
      if (this.#isStopped) break;
      if (world.monotonicMs() < until) continue;
      await world.nextTurn();
      until = world.monotonicMs() + SLICE_MS;
    }
    this.#finish();
    if (this.#broken !== undefined) await this.#rebuild();
    if (this.#batchTimeMs !== undefined) {
      this.#clock = { timeMs: this.#batchTimeMs, atMs: world.monotonicMs(), isLeaders: true };
    }
    this.#batchTimeMs = undefined;
  }

  #take(entry: LogEntry): void {
    if (entry.kind === 'start') {
      this.#rules = entry.rulesVersion ?? this.#rules;
      this.#epoch = entry.epoch;
      this.#venueId = entry.began?.venueId ?? this.#venueId;
    }
    if (entry.kind === 'batch') {
      if (this.#rules !== this.#options.rulesVersion) throw new OtherRules(this.#rules, this.#options.rulesVersion);
      if (this.#engine !== undefined) this.#batchTimeMs = entry.timeMs;
    }
    if (entry.poisoned !== undefined && !this.#holds) {
      this.#broken ??= new TakenBack(`the command at seq ${entry.poisoned.seq} was left out`);
    }
    this.#fold(() => this.#replayer.take(entry));
    if (endsBatch(entry)) {
      this.#holds = entry.kind === 'batch';
      this.#settledSeq = entry.firstSeq - 1;
    }
    if (entry.kind === 'batch') this.#batch = entry.position;
    this.#position = entry.position;
    this.#takenSeq = entry.lastSeq;
  }

  /** Applies the batch that is held back. */
  #finish(): void {
    if (this.#holds) this.#fold(() => this.#replayer.finish());
    this.#holds = false;
  }

  /** A command that throws usually does so in the leader too, which will record that. */
  #fold(act: () => void): void {
    if (this.#broken !== undefined) return;
    try {
      if (this.#engine === undefined) act();
      else this.#engine.fold(act);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      this.#broken = error;
    }
  }

  /**
   * Rebuilds the venue as the log says. A command that throws and is not left out yet leaves it broken.
   * @throws {CommandFailed} no later record can leave the command out
   */
  async #rebuild(): Promise<void> {
    const { storage, onNotice } = this.#options;
    try {
      const venue = await rebuild(storage, this.#takenSeq, this.#options);
      this.#replayer = new LogReplayer(venue, { apply: this.#apply });
      onNotice(`the venue was rebuilt: ${this.#broken?.message}`, 'warn');
      this.#broken = undefined;
      this.#engine?.foldedAnew(venue);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      if (error.seq <= this.#settledSeq) {
        onNotice(`the leader has applied ${error.leftOutText}, and this process cannot`, 'error');
        throw error;
      }
      onNotice(`the venue cannot be read: ${error.message}`, 'error');
      this.#broken = error;
    }
  }
}

function cutOffText(problem: string): string {
  return `the log of the leader cannot be followed: ${problem}`;
}

/** True: this process cannot continue from its own state, but perhaps from the log. */
export function needsRecovery(error: unknown): boolean {
  return error instanceof TakenBack || error instanceof CommandFailed || error instanceof LogDamaged;
}
