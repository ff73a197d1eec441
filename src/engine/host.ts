/**
 * The engine gives commands their order and time, makes them durable, and then applies them to the venue.
 *
 * Invariants:
 * - A command is applied and answered only when its batch is durable. So look-ups in `venue` see durable commands only,
 *   also while the next batch is being synced.
 * - A command that waits when venue time jumps gets the time before the jump. So the venue still knows the client ids that
 *   it would have forgotten by the time after it.
 * - One batch is processed at a time. Commands that arrive meanwhile form the next one. The queue is limited: when it is
 *   full, a command is refused at once (`EngineBusy`). `queueMs` estimates the wait of a new command, so that the
 *   gateway can refuse it early.
 * - Callers make a command from the state that they see: numbers of markets, prices in ticks, amounts in smallest units. If
 *   that state was replaced meanwhile, the command is refused before it is logged (`StateReplaced`).
 * - A batch is applied a few milliseconds at a time (pace.ts), so it does not delay other answers for long.
 * - While the log has no space, the engine is read-only: it refuses commands (`EngineReadOnly`), and tries again every
 *   second. A log that fails ends the engine: `onFatal` is called, and the process must exit.
 * - A log on another machine may not answer. Then the callers of the batch in flight hear that its outcome is unknown
 *   (`OutcomeUnknown`), all others are refused, and the batch is applied if it turns out to be durable. While another
 *   process may have taken over such a log, `venue` must not be read (`unreadable`).
 * - On a standby another process leads: commands are refused (`EngineFollows`), and the venue gets those of the leader
 *   (`Follows`), until `lead`.
 * - A command that makes the venue throw is poisoned: the log records that it must not be applied, and the venue is
 *   rebuilt without it. Meanwhile commands are refused (`EngineRebuilding`), and `venue` must not be read
 *   (`unreadable`). Then the rest of the batch is applied.
 * - If a timer that is due at a command throws, only that timer is recorded and left out, and the command is applied
 *   again.
 *
 * Cost: one write and one sync of the log per batch. A first command waits for the next turn of the event loop, so that
 * requests which arrive together are synced together. On a fast disk the thread waits for the sync itself
 * (blocking-syncs.ts): the replies to a batch go out, more requests are read, and then the next batch is written. On a
 * slow disk the next batch is written as soon as one is applied, and the replies to that one go out meanwhile.
 */
import { type CommandLog, type EncodedCommands, LogUnavailable } from '../log/contract/command-log.ts';
import type { Addresses } from '../log/contract/leader.ts';
import type { LogStorage } from '../log/contract/storage.ts';
import { CommandEncoder } from '../log/shared/payload/encode.ts';
import type { Command } from '../venue/contract/commands.ts';
import type { Due } from '../venue/contract/due.ts';
import type { Reply, Venue } from '../venue/venue.ts';
import { BlockingSyncs } from './clock/blocking-syncs.ts';
import { Pace } from './clock/pace.ts';
import { TickTimer } from './clock/tick-timer.ts';
import { type ClockReading, VenueClock } from './clock/venue-clock.ts';
import {
  CommandRejected,
  EngineBusy,
  type EngineFollows,
  EngineReadOnly,
  EngineStopped,
  StateReplaced,
} from './contract/errors.ts';
import type { OnNotice } from './contract/notice.ts';
import { realWorld, type World } from './contract/world.ts';
import { LeavingOut } from './leaving-out.ts';
import { type EngineListener, Listeners } from './listeners.ts';
import { LogSpace } from './log-space.ts';
import { RemoteAnswers } from './remote-answers.ts';
import { type Apply, applyCommand, stateHash } from './replay/log-replayer.ts';

export const MAX_WAITING = 10_000;
/** A batch is closed when its commands take this many bytes. The largest frame (16 MiB) has room for a large one after it. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** The wait for a command per time of applying it: reading, syncing and answering it takes about as long again. */
const WAIT_PER_APPLYING = 2;
/** The commands that replace the venue's whole state. */
const REPLACING: readonly Command['type'][] = ['reset', 'restoreSnapshot'];
/** The commands that mean the same in every state. */
const INDEPENDENT: readonly Command['type'][] = [...REPLACING, 'saveSnapshot', 'tick'];
const TICK: Command = { v: 1, type: 'tick' };

export interface EngineOptions {
  log: CommandLog;
  /** The state after the last command of the log. */
  venue: Venue;
  /** Distinguishes this venue from all others. */
  venueId?: string;
  /** How a command is applied: `Venue.apply`, except in tests that plant a throw. */
  apply?: Apply;
  /** What follows the leader, and gives the venue its commands. Absent: this engine leads. */
  follows?: Follows;
  /**
   * Rebuilds the venue as it was after the command `seq`. Without it, a command that throws ends the engine. If it
   * throws `LogUnavailable`, the engine calls it again every second.
   */
  rebuild?: (seq: number) => Promise<Venue>;
  /** The log of a venue in memory. */
  memory?: LogStorage;
  /** Time, turns and timers. */
  world?: World;
  /** Called once, when the process must exit with a failure. */
  onFatal?: (error: Error) => void;
  /** Receives notices for the operator. */
  onNotice?: OnNotice;
  /** Called when a batch is durable, with its number of commands and the time of the write and sync. Must not throw. */
  onBatch?: (commands: number, syncSeconds: number) => void;
  /**
   * Called at a clean stop, when every accepted command is applied and before the log is sealed. Returns the state hash
   * if it has computed it, so that it is not computed twice.
   */
  beforeSeal?: () => Promise<string | undefined>;
}

/** What follows the log of a leader. */
export interface Follows {
  /** What commands are refused with. */
  readonly refusal: EngineFollows;
  /** Why the venue must not be read now. */
  readonly unreadable: Error | undefined;
  /** Why the venue may be older than it should be. */
  readonly problem: string | undefined;
  /** The leader's time now, as far as it is known. */
  nowMs(): number;
}

export interface Health {
  ready: boolean;
  /** The reasons why it is not ready. */
  reasons: string[];
}

interface Waiting {
  command: Command;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
  sinceMs: number;
  /** The jumps of venue time before it. */
  jumps: number;
  /** How many times the state had been replaced before it. */
  replacements: number;
}

/** A command that was applied. */
interface Applied {
  readonly resolve: (reply: Reply) => void;
  readonly reply: Reply;
}

export class Engine {
  /** The log of a venue in memory. */
  readonly memory: LogStorage | undefined;
  /** Distinguishes this venue from all others. Undefined: it has no id. */
  readonly venueId: string | undefined;
  readonly #log: CommandLog;
  #venue: Venue;
  readonly #apply: Apply | undefined;
  readonly #listeners: Listeners;
  readonly #world: World;
  #clock: VenueClock;
  readonly #onFatal: (error: Error) => void;
  readonly #onNotice: OnNotice;
  readonly #onBatch: (commands: number, syncSeconds: number) => void;
  readonly #beforeSeal: () => Promise<string | undefined>;
  readonly #pace: Pace;
  readonly #ticks: TickTimer;
  readonly #space: LogSpace;
  readonly #leavingOut: LeavingOut;
  readonly #encoder = new CommandEncoder();
  readonly #syncs = new BlockingSyncs();
  #queue: Waiting[] = [];
  /** The commands that are being made durable and applied. */
  #batch: readonly Waiting[] = [];
  /** How many of them are applied. */
  #applied = 0;
  /** The applied commands that have no reply yet. */
  #unreplied: Applied[] = [];
  /** The last seq of an applied batch whose end the listeners do not know yet. */
  #endedSeq: number | undefined;
  /** How many times the state was replaced. */
  #replacements = 0;
  /** The work on the log: batches until the queue is empty, or waiting for space. */
  #work: Promise<void> | undefined;
  /** Set while the log has no space. */
  #readOnly: EngineReadOnly | undefined;
  readonly #answers: RemoteAnswers;
  /** When the batch was given to the log that has not answered yet, in monotonic time. */
  #appendedAtMs: number | undefined;
  /** Set while another process leads. */
  #follows: Follows | undefined;
  #durableAtMs = 0;
  #stopped: EngineStopped | undefined;
  #failed = false;
  #stopping: Promise<void> | undefined;

  constructor(options: EngineOptions) {
    this.#log = options.log;
    this.#follows = options.follows;
    this.#venue = options.venue;
    this.memory = options.memory;
    this.venueId = options.venueId;
    this.#apply = options.apply;
    this.#onFatal = options.onFatal ?? (() => {});
    this.#onNotice = options.onNotice ?? (() => {});
    this.#listeners = new Listeners(options.venue, this.#onNotice);
    this.#world = options.world ?? realWorld;
    this.#pace = new Pace(this.#world);
    const notBeforeMs = options.venue.timeMs;
    this.#clock = new VenueClock({ world: this.#world, notBeforeMs, onNotice: this.#onNotice });
    this.#onBatch = options.onBatch ?? (() => {});
    this.#beforeSeal = options.beforeSeal ?? (async () => undefined);
    this.#space = new LogSpace(options.log, this.#world);
    this.#leavingOut = new LeavingOut({
      log: options.log,
      space: this.#space,
      rebuild: options.rebuild,
      onNotice: this.#onNotice,
      onRebuilt: (venue, { due, type }) => {
        this.#venue = venue;
        this.#listeners.rebuilt(venue);
        if (due === undefined && type === TICK.type) this.#ticks.rest();
      },
    });
    this.#answers = new RemoteAnswers({
      onNotice: this.#onNotice,
      onUnanswered: (refusal, unknown) => {
        for (const waiting of this.#queue.splice(0)) waiting.reject(refusal);
        for (const { reject } of this.#batch) reject(unknown);
      },
      onReplaced: (error) => this.#fail(error),
    });
    this.#ticks = new TickTimer({
      world: this.#world,
      speed: () => this.#clock.speed,
      venue: () => this.#venue,
      nowMs: () => this.nowMs(),
      // The leader's ticks are in its log.
      isWorking: () => this.#work !== undefined || this.#follows !== undefined,
      tick: () => this.#enqueue(TICK),
    });
    if (this.#follows === undefined) this.#answers.watch(this.#log.remote);
    this.#ticks.schedule();
  }

  /** The venue after the last applied command. Callers must not change it, nor keep it: a rebuild replaces it. */
  get venue(): Venue {
    return this.#venue;
  }

  /** When the batch that is applied, or was applied last, became durable, in monotonic time. 0: there was none. */
  get durableAtMs(): number {
    return this.#durableAtMs;
  }

  /**
   * Why `venue` must not be read now: a command failed half-way, and the venue is being rebuilt; or another process may
   * have taken over the log, so that what this one knows may be old.
   */
  get unreadable(): Error | undefined {
    if (this.#follows !== undefined) return this.#follows.unreadable;
    return this.#leavingOut.rebuilding ?? this.#answers.doubt;
  }

  /** Set while another process leads: what commands are refused with. */
  get following(): EngineFollows | undefined {
    return this.#follows?.refusal;
  }

  /** What a log on another machine relies on. Undefined: the log is here. */
  get reliesOn(): object | undefined {
    return this.#answers.remote?.reliesOn;
  }

  /** Set while the engine is read-only: no command is accepted, because the log has no space. */
  get readOnly(): EngineReadOnly | undefined {
    return this.#readOnly;
  }

  /** How many times the log has been opened, this time included. */
  get epoch(): number {
    return this.#log.epoch;
  }

  /** The number of commands that wait for the next batch. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** The venue's time now. A real clock never goes back. */
  nowMs(): number {
    const { genesis, timeMs } = this.#venue;
    return genesis?.clock === 'manual' ? timeMs : Math.max(timeMs, (this.#follows ?? this.#clock).nowMs());
  }

  /** The moment of the last jump of venue time, on the monotonic clock of the world. Minus infinity: there was none. */
  jumpedAtMs(): number {
    return this.#clock.jumpedAtMs;
  }

  /** The venue's real clock, and how it differs from the machine's. Null on a manual clock. */
  get clock(): ClockReading | null {
    return this.#venue.genesis?.clock === 'real' ? this.#clock.reading() : null;
  }

  /** Real clock: from now on venue time is elapsed time × speed (venue-clock.ts). @throws {EngineFollows} */
  setSpeed(speed: number): void {
    if (this.#follows !== undefined) throw this.#follows.refusal;
    this.#clock.setSpeed(speed);
    this.#ticks.schedule();
  }

  /** How many times the machine's clock was too far away to be followed. */
  get clockRefusals(): number {
    return this.#clock.refusals;
  }

  /**
   * Follows the machine's clock again, however far away it is (venue-clock.ts), and submits a tick, so that timers
   * which are due now fire.
   * @throws as `submit`, if the tick is refused; the clock is accepted even then
   */
  acceptWall(): Promise<Reply> {
    if (this.#follows !== undefined) return Promise.reject(this.#follows.refusal);
    this.#clock.acceptWall();
    return this.submit(TICK);
  }

  /**
   * The estimated time until a new command would be applied, in milliseconds. It is the larger of two figures: the age
   * of the oldest command that is not applied yet, and twice the time it takes to apply all such commands. 0 if every
   * command is applied.
   */
  get queueMs(): number {
    const oldest = this.#batch.at(this.#applied) ?? this.#queue.at(0);
    if (oldest === undefined) return 0;
    const before = this.#batch.length - this.#applied + this.#queue.length;
    return Math.max(this.#world.monotonicMs() - oldest.sinceMs, this.#pace.msFor(before) * WAIT_PER_APPLYING);
  }

  /**
   * What a new command is refused with if a log on another machine has had a batch for longer than `limitMs` without an
   * answer. Undefined: it has answered, or is not on another machine.
   */
  awaitsLog(limitMs: number): EngineReadOnly | undefined {
    if (this.#answers.remote === undefined || this.#appendedAtMs === undefined) return undefined;
    const waitedMs = this.#world.monotonicMs() - this.#appendedAtMs;
    if (waitedMs <= limitMs) return undefined;
    const limit = `, and commands wait for at most ${limitMs} ms (maxQueueMs)`;
    const slow = () => new EngineReadOnly(`the command log has not answered for ${Math.round(waitedMs)} ms${limit}`);
    return this.#answers.doubt ?? slow();
  }

  stateHash(): string {
    return stateHash(this.#venue);
  }

  /**
   * Resolves when the command is durable and applied.
   * @throws {EngineFollows} @throws {EngineBusy} @throws {EngineReadOnly} @throws {EngineRebuilding} @throws {StateReplaced}
   * @throws {CommandRejected} the command had no effect
   * @throws {EngineStopped} the engine is stopping, or has failed; if it failed while the command was waiting, the
   * command may be durable
   */
  submit(command: Command): Promise<Reply> {
    const refusal =
      this.#stopped ?? this.following ?? this.#readOnly ?? this.#leavingOut.rebuilding ?? this.#answers.unanswered;
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#queue.length >= MAX_WAITING) return Promise.reject(new EngineBusy(this.#queue.length));
    return this.#enqueue(command);
  }

  /**
   * Attaches a listener, which follows the venue from now on, also after a rebuild. Call it between commands, and not
   * from a listener. Returns what detaches it, which may be called at any time.
   */
  listen(listener: EngineListener): () => void {
    return this.#listeners.add(listener);
  }

  health(): Health {
    const reasons: string[] = [];
    if (this.#stopped !== undefined) reasons.push(this.#stopped.message);
    if (this.#follows?.problem !== undefined) reasons.push(this.#follows.problem);
    if (this.#readOnly !== undefined) reasons.push(this.#readOnly.message);
    const { rebuilding } = this.#leavingOut;
    if (rebuilding !== undefined) reasons.push(rebuilding.message);
    if (this.#answers.problem !== undefined) reasons.push(this.#answers.problem);
    if (this.#queue.length >= MAX_WAITING) reasons.push(`${this.#queue.length} commands are waiting`);
    return { ready: reasons.length === 0, reasons };
  }

  /** Applies commands of the leader's log to the venue: `apply` does, and calls `commandFolded` after each. */
  fold(apply: () => void): void {
    this.#durableAtMs = this.#world.monotonicMs();
    apply();
    this.#listeners.batchApplied(this.#venue.seq);
  }

  commandFolded(seq: number): void {
    this.#listeners.commandApplied(seq);
  }

  /** The venue of the leader's log was rebuilt, because a command was left out. */
  foldedAnew(venue: Venue): void {
    this.#venue = venue;
    this.#listeners.rebuilt(venue);
    this.#listeners.batchApplied(venue.seq);
  }

  /** This process leads from now on: the log can be written, and the venue has all of it. */
  lead(): void {
    const continuesAtMs = this.nowMs();
    this.#follows = undefined;
    this.#clock = new VenueClock({
      world: this.#world,
      notBeforeMs: this.#venue.timeMs,
      continuesAtMs,
      onNotice: this.#onNotice,
    });
    this.#answers.watch(this.#log.remote);
    this.#ticks.schedule();
  }

  /** Writes beside the log where this process serves, if others can read it. @throws {LogUnreachable} */
  async announce(addresses: Addresses): Promise<void> {
    await this.#answers.remote?.announce(addresses);
  }

  /** From now on, timers do not keep the process alive. */
  unref(): void {
    this.#ticks.unref();
    this.#space.unref();
  }

  /**
   * Finishes the accepted commands, then seals and closes the log. If the engine has failed, or fails meanwhile, the log
   * is closed without a seal.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#stopped ??= new EngineStopped('it is stopping');
    this.#ticks.stop();
    this.#space.stop();
    await this.#work;
    if (!this.#failed && this.#follows === undefined) {
      const hash = (await this.#beforeSeal()) ?? this.stateHash();
      await this.#log.seal({ effects: this.#venue.effects, hash });
    }
    await this.#log.close();
  }

  #enqueue(command: Command): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        command,
        resolve,
        reject,
        sinceMs: this.#world.monotonicMs(),
        jumps: this.#clock.jumpedFromMs.length,
        replacements: this.#replacements,
      });
      this.#work ??= this.#processQueue();
    });
  }

  /** Runs batch after batch until the queue is empty. */
  async #processQueue(): Promise<void> {
    try {
      await this.#world.nextTurn();
      while (this.#queue.length > 0) await this.#runBatch();
      this.#tell();
    } catch (error) {
      this.#tell();
      this.#fail(error as Error);
    } finally {
      this.#work = undefined;
    }
    this.#ticks.schedule();
  }

  async #runBatch(): Promise<void> {
    const mayBlock = this.#answers.remote === undefined && this.#syncs.mayBlock(this.#world.monotonicMs());
    // Those who get a reply now can have their next command in this batch. During the sync nothing is sent or read.
    if (mayBlock && this.#tell()) await this.#world.nextTurn();
    const { batch, commands } = this.#takeBatch();
    if (batch.length === 0) return;
    this.#batch = batch;
    this.#applied = 0;
    const venue = this.#venue;
    const firstSeq = this.#log.lastSeq + 1;
    const timeMs = this.#timeOf(batch);
    const startedAtMs = this.#world.monotonicMs();
    let durable: Promise<void> | undefined;
    try {
      this.#appendedAtMs = startedAtMs;
      durable = this.#log.append({ firstSeq, timeMs, commands, effects: venue.effects, mayBlock });
      // Those who get a reply read the venue before this batch changes it, also if the log is in memory.
      if (this.#tell()) await Promise.all([durable, this.#world.nextTurn()]);
      else await durable;
      this.#durableAtMs = this.#world.monotonicMs();
      const tookMs = this.#durableAtMs - startedAtMs;
      if (mayBlock) this.#syncs.ended(this.#durableAtMs, tookMs);
      this.#appendedAtMs = undefined;
      this.#onBatch(batch.length, tookMs / 1000);
    } catch (error) {
      // If something else has thrown, wait for the batch: the log must not be closed before it is written.
      await Promise.allSettled([durable]);
      this.#appendedAtMs = undefined;
      this.#batch = [];
      if (!(error instanceof LogUnavailable)) {
        this.#queue.unshift(...batch);
        throw error;
      }
      await this.#waitForSpace(error, batch);
      return;
    }
    await this.#applyBatch(batch, firstSeq, timeMs);
    this.#batch = [];
    this.#endedSeq = this.#log.lastSeq;
  }

  /** Gives the applied commands their replies, and ends their batch for the listeners. False: there was neither. */
  #tell(): boolean {
    const told = this.#reply();
    const endedSeq = this.#endedSeq;
    if (endedSeq === undefined) return told;
    this.#endedSeq = undefined;
    this.#listeners.batchApplied(endedSeq);
    return true;
  }

  #reply(): boolean {
    const applied = this.#unreplied;
    this.#unreplied = [];
    for (const { resolve, reply } of applied) resolve(reply);
    return applied.length > 0;
  }

  /** The time of a batch: now, or before the first jump that happened while it waited. */
  #timeOf([{ jumps }]: Waiting[]): number {
    const nowMs = this.nowMs();
    return Math.max(this.#venue.timeMs, this.#clock.jumpedFromMs.at(jumps) ?? nowMs);
  }

  async #applyBatch(batch: Waiting[], firstSeq: number, timeMs: number): Promise<void> {
    this.#pace.begin();
    for (let i = 0; i < batch.length; i += 1) {
      try {
        this.#carryOut(batch[i], firstSeq + i, timeMs);
      } catch (error) {
        this.#reply();
        try {
          await this.#applyAgain(batch[i], firstSeq + i, timeMs, error);
        } catch (fatal) {
          this.#queue.unshift(...batch.slice(i));
          throw fatal;
        }
      }
      this.#applied = i + 1;
      if (this.#pace.applied()) {
        this.#reply();
        await this.#pace.turn();
      }
    }
    this.#pace.end();
  }

  /** Applies the command. Its reply goes out later. @throws {CommandFailed} */
  #carryOut({ command, resolve }: Waiting, seq: number, timeMs: number, leftOut?: readonly Due[]): void {
    // Its caller reads it when the next commands of the batch are applied.
    const reply = applyCommand(this.#venue, seq, timeMs, command, { apply: this.#apply, leftOut }).whole();
    if (reply.refusal === null && REPLACING.includes(command.type)) this.#replaced(seq);
    this.#unreplied.push({ resolve, reply });
    this.#listeners.commandApplied(seq);
  }

  /** The state was replaced. On a manual clock, where tests do it all the time, there is no notice. */
  #replaced(seq: number): void {
    this.#replacements += 1;
    if (this.#venue.genesis?.clock !== 'real') return;
    this.#onNotice(
      `the venue was reset by command ${seq}: accounts, keys, money and orders are those of its configuration`,
      'warn',
    );
  }

  /**
   * After a failure: applies the command again, without the timers that throw. If the command itself throws, it is left
   * out, and its caller gets `CommandRejected`.
   */
  async #applyAgain(waiting: Waiting, seq: number, timeMs: number, thrown: unknown): Promise<void> {
    const leftOut: Due[] = [];
    for (let error = thrown; ; ) {
      const { due } = await this.#leavingOut.leaveOut(error);
      if (due === undefined) {
        waiting.reject(new CommandRejected(seq, { cause: error }));
        return;
      }
      leftOut.push(due);
      try {
        this.#carryOut(waiting, seq, timeMs, leftOut);
        return;
      } catch (again) {
        error = again;
      }
    }
  }

  /**
   * The next commands of the queue, and their encoded form. A command that was made from a state that is gone, or that
   * cannot be encoded, is refused.
   */
  #takeBatch(): { batch: Waiting[]; commands: EncodedCommands } {
    const batch: Waiting[] = [];
    let taken = 0;
    for (const waiting of this.#queue) {
      // A caller reads the state after its reply. So a command that replaces the state gets a separate batch.
      const alone = REPLACING.includes(waiting.command.type);
      if (batch.length > 0 && (alone || waiting.jumps !== batch[0].jumps)) break;
      taken += 1;
      if (this.#isOutdated(waiting)) waiting.reject(new StateReplaced());
      else if (this.#encoded(waiting)) batch.push(waiting);
      if (alone || this.#encoder.bytes >= MAX_BATCH_BYTES) break;
    }
    this.#queue.splice(0, taken);
    return { batch, commands: this.#encoder.take() };
  }

  #isOutdated({ command, replacements }: Waiting): boolean {
    return replacements !== this.#replacements && !INDEPENDENT.includes(command.type);
  }

  /** Adds the command to the batch that is being encoded. Refuses it if no log can hold it, which is a bug. */
  #encoded({ command, reject }: Waiting): boolean {
    try {
      this.#encoder.add(command);
      return true;
    } catch (error) {
      reject(error as Error);
      return false;
    }
  }

  /** Read-only: refuses waiting and new commands until the log has space for the batch that it refused. */
  async #waitForSpace(full: LogUnavailable, batch: Waiting[]): Promise<void> {
    this.#readOnly = new EngineReadOnly(full.message, { cause: full, clientMessage: full.need });
    this.#onNotice(this.#readOnly.message, 'error');
    for (const waiting of [...batch, ...this.#queue.splice(0)]) waiting.reject(this.#readOnly);
    while (!this.#space.isStopped && this.#readOnly !== undefined) {
      await this.#space.pause();
      if (await this.#space.hasSpace()) this.#readOnly = undefined;
    }
    if (this.#readOnly === undefined) this.#onNotice('the command log can be written again');
  }

  /** Ends the engine, also during a stop: refuses all commands and reports the error. */
  #fail(error: Error): void {
    this.#failed = true;
    this.#batch = [];
    this.#stopped = new EngineStopped('it failed', { cause: error });
    this.#ticks.stop();
    this.#space.stop();
    for (const waiting of this.#queue.splice(0)) waiting.reject(this.#stopped);
    this.#onFatal(error);
  }
}
