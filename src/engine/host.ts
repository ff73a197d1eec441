/**
 * The engine gives commands their order and time, makes them durable, and then applies them to the venue.
 *
 * Invariants:
 * - A command is applied and answered only once its batch is durable. Look-ups read `venue`, which holds durable
 *   commands only, also while the next batch is being made durable.
 * - One batch is in flight. Commands that arrive meanwhile form the next one. The queue is limited: beyond it,
 *   `EngineBusy` at once. `queueMs` is the estimated wait of a new command. The gateway uses it to refuse early.
 * - A batch is applied a few milliseconds at a time (pace.ts), so no batch delays other answers for long.
 * - If the log has no space, no command is accepted (`EngineReadOnly`) until there is. The engine tries every second. A
 *   log that fails ends the engine: `onFatal` is called, and the process must exit.
 * - A command that makes the venue throw is recorded in the log as poisoned, and the venue is rebuilt without it.
 *   Meanwhile no command is accepted, and `venue` must not be read (`unreadable`). Then the rest of its batch is applied.
 *   If a timer that is due at a command throws, only that timer is recorded and left out, and the command is applied
 *   again.
 *
 * Cost: one write and one sync of the log per batch. A batch begins one turn of the event loop after the one before, so
 * that requests which arrive together are synced together.
 */
import { type CommandLog, LogFull } from '../log/contract/command-log.ts';
import type { LogStorage } from '../log/contract/storage.ts';
import type { Command } from '../venue/contract/commands.ts';
import type { Due } from '../venue/contract/due.ts';
import type { EventHandlers } from '../venue/contract/events.ts';
import type { Reply, Venue } from '../venue/venue.ts';
import { Pace } from './clock/pace.ts';
import { type ClockReading, VenueClock } from './clock/venue-clock.ts';
import { CommandRejected, EngineBusy, EngineReadOnly, EngineStopped } from './contract/errors.ts';
import type { OnNotice } from './contract/notice.ts';
import { realWorld, type Timer, type World } from './contract/world.ts';
import { type Apply, applyCommand, CommandFailed, stateHash } from './replay/log-replayer.ts';

export const MAX_WAITING = 10_000;
/** In UTF-16 units of at most three bytes: far below the size of a frame. */
const MAX_BATCH_CHARS = 4 * 1024 * 1024;
/** A command is also read, made durable and answered, which takes about as long as applying it. */
const WAIT_TO_APPLYING = 2;
const RETRY_MS = 1000;
/** A timer that fails will fail again. The wait keeps the venue from being rebuilt all the time. */
const FAILED_TICK_MS = 60_000;
/** How often a real clock is read, because a timer of the process does not count the machine's sleep. */
const LOOK_MS = 1000;
const REPLACING: readonly Command['type'][] = ['reset', 'restoreSnapshot'];
const TICK: Command = { v: 1, type: 'tick' };

export interface EngineParts {
  log: CommandLog;
  /** The state after the last command of the log. */
  venue: Venue;
  /** Distinguishes this venue from all others. */
  venueId?: string;
  /** How a command is applied: `Venue.apply`, except in tests that plant a throw. */
  apply?: Apply;
  /**
   * Rebuilds the venue as it is after the commands up to `seq`. Without it, a command that throws ends the engine.
   * `LogFull` is waited out.
   */
  rebuild?: (seq: number) => Promise<Venue>;
  /**
   * Receives every event from here on. After a rebuild, `stateReplaced` comes first, because events of the command that
   * failed half-way may have been received.
   */
  listener?: EventHandlers;
  /** The log of a venue in memory. */
  memory?: LogStorage;
  /** Time, turns and timers. */
  world?: World;
  /** Called once, when the process must exit with a failure. */
  onFatal?: (error: Error) => void;
  /** Receives notices for the operator. */
  onNotice?: OnNotice;
  /** Called after each batch became durable, with the number of commands and the time it took. Must not throw. */
  onBatch?: (commands: number, syncSeconds: number) => void;
  /** Called after each batch: everything up to `seq` is durable and applied. Must not throw. */
  onApplied?: (seq: number) => void;
  /**
   * Called when no command is accepted any more and everything is applied, before the log is sealed. Returns the state
   * hash if it is already known, so that it is not computed twice.
   */
  beforeSeal?: () => Promise<string | undefined>;
}

export interface Health {
  ready: boolean;
  /** The reasons why it is not ready. */
  reasons: string[];
}

interface Waiting {
  command: Command;
  text: string;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
  sinceMs: number;
}

export class Engine {
  /** The log of a venue in memory. */
  readonly memory: LogStorage | undefined;
  /** Distinguishes this venue from all others. Undefined: it has no id. */
  readonly venueId: string | undefined;
  readonly #log: CommandLog;
  #venue: Venue;
  readonly #apply: Apply | undefined;
  readonly #rebuild: EngineParts['rebuild'];
  readonly #listener: EventHandlers;
  readonly #world: World;
  readonly #clock: VenueClock;
  readonly #onFatal: (error: Error) => void;
  readonly #onNotice: OnNotice;
  readonly #onBatch: (commands: number, syncSeconds: number) => void;
  readonly #onApplied: (seq: number) => void;
  readonly #beforeSeal: () => Promise<string | undefined>;
  readonly #pace: Pace;
  #queue: Waiting[] = [];
  /** The commands that are being made durable and applied. */
  #batch: readonly Waiting[] = [];
  /** How many of them are applied. */
  #applied = 0;
  /** The work on the log: batches until the queue is empty, or waiting for space. */
  #work: Promise<void> | undefined;
  #readOnly: EngineReadOnly | undefined;
  #rebuilding: EngineReadOnly | undefined;
  #noTickBeforeMs = 0;
  #stopped: EngineStopped | undefined;
  #failed = false;
  #stopping: Promise<void> | undefined;
  #dueTimer: Timer | undefined;
  #keepsAlive = true;
  #wakeRetry: (() => void) | undefined;

  constructor(parts: EngineParts) {
    this.#log = parts.log;
    this.#venue = parts.venue;
    this.memory = parts.memory;
    this.venueId = parts.venueId;
    this.#apply = parts.apply;
    this.#rebuild = parts.rebuild;
    this.#listener = parts.listener ?? {};
    this.#venue.listen(this.#listener);
    this.#onFatal = parts.onFatal ?? (() => {});
    this.#onNotice = parts.onNotice ?? (() => {});
    this.#world = parts.world ?? realWorld;
    this.#pace = new Pace(this.#world);
    const notBeforeMs = parts.venue.timeMs;
    this.#clock = new VenueClock({ world: this.#world, notBeforeMs, onNotice: this.#onNotice });
    this.#onBatch = parts.onBatch ?? (() => {});
    this.#onApplied = parts.onApplied ?? (() => {});
    this.#beforeSeal = parts.beforeSeal ?? (async () => undefined);
    this.#watchDue();
  }

  /** The state of the last durable batch. Read it only, and do not keep it. */
  get venue(): Venue {
    return this.#venue;
  }

  /** Why `venue` must not be read now: a command failed half-way, and the venue is being rebuilt. */
  get unreadable(): Error | undefined {
    return this.#rebuilding;
  }

  /** Set while no command is accepted because the log has no space. */
  get withoutRoom(): EngineReadOnly | undefined {
    return this.#readOnly;
  }

  /** The number of starts of the log. */
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
    return genesis?.clock === 'manual' ? timeMs : Math.max(timeMs, this.#clock.nowMs());
  }

  /** The real clock compared with the machine's. Null on a manual clock. */
  get clock(): ClockReading | null {
    return this.#venue.genesis?.clock === 'real' ? this.#clock.reading() : null;
  }

  /** How often the machine's clock was refused. */
  get clockRefusals(): number {
    return this.#clock.refusals;
  }

  /**
   * Accepts the machine's clock as it is now. Timers that are due by then fire. @throws as `submit`; the clock is
   * accepted anyway
   */
  acceptWall(): Promise<Reply> {
    this.#clock.acceptWall();
    return this.submit(TICK);
  }

  /**
   * The estimated wait of a new command until it is applied: the age of the oldest command that is not applied yet, or
   * twice the time that applying all of these takes, if that is longer. 0: there are none.
   */
  get queueMs(): number {
    const oldest = this.#batch.at(this.#applied) ?? this.#queue.at(0);
    if (oldest === undefined) return 0;
    const before = this.#batch.length - this.#applied + this.#queue.length;
    return Math.max(this.#world.monotonicMs() - oldest.sinceMs, this.#pace.msFor(before) * WAIT_TO_APPLYING);
  }

  stateHash(): string {
    return stateHash(this.#venue);
  }

  /**
   * Resolves when the command is durable and applied.
   * @throws {EngineBusy} @throws {EngineReadOnly} @throws {CommandRejected} the command had no effect
   * @throws {EngineStopped} the engine stops; the command had no effect, unless the engine failed just then
   */
  submit(command: Command): Promise<Reply> {
    const refusal = this.#stopped ?? this.#readOnly ?? this.#rebuilding;
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#queue.length >= MAX_WAITING) return Promise.reject(new EngineBusy(this.#queue.length));
    return this.#enqueue(command);
  }

  health(): Health {
    const reasons: string[] = [];
    if (this.#stopped !== undefined) reasons.push(this.#stopped.message);
    if (this.#readOnly !== undefined) reasons.push(this.#readOnly.message);
    if (this.#rebuilding !== undefined) reasons.push(this.#rebuilding.message);
    if (this.#queue.length >= MAX_WAITING) reasons.push(`${this.#queue.length} commands are waiting`);
    return { ready: reasons.length === 0, reasons };
  }

  /** From now on, timers do not keep the process alive. */
  unref(): void {
    this.#keepsAlive = false;
    this.#dueTimer?.unref();
  }

  /** Finishes the accepted commands, seals and closes the log. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#stopped ??= new EngineStopped('it is stopping');
    this.#dueTimer?.clear();
    this.#wakeRetry?.();
    await this.#work;
    if (!this.#failed) {
      const hash = (await this.#beforeSeal()) ?? this.stateHash();
      await this.#log.seal({ effects: this.#venue.effects, hash });
    }
    await this.#log.close();
  }

  #enqueue(command: Command): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ command, text: JSON.stringify(command), resolve, reject, sinceMs: this.#world.monotonicMs() });
      this.#work ??= this.#workOff();
    });
  }

  /** Runs batch after batch until the queue is empty. */
  async #workOff(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        await this.#world.nextTurn();
        await this.#runBatch();
      }
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#work = undefined;
    }
    this.#watchDue();
  }

  async #runBatch(): Promise<void> {
    const batch = this.#takeBatch();
    this.#batch = batch;
    this.#applied = 0;
    const venue = this.#venue;
    const firstSeq = this.#log.lastSeq + 1;
    const timeMs = this.nowMs();
    const startedAt = this.#world.monotonicMs();
    try {
      const commands = batch.map((waiting) => waiting.text);
      await this.#log.append({ firstSeq, timeMs, commands, effects: venue.effects });
      this.#onBatch(batch.length, (this.#world.monotonicMs() - startedAt) / 1000);
    } catch (error) {
      this.#batch = [];
      if (!(error instanceof LogFull)) {
        this.#queue.unshift(...batch);
        throw error;
      }
      await this.#waitForRoom(error, batch);
      return;
    }
    await this.#applyBatch(batch, firstSeq, timeMs);
    this.#batch = [];
    this.#onApplied(this.#log.lastSeq);
  }

  async #applyBatch(batch: Waiting[], firstSeq: number, timeMs: number): Promise<void> {
    this.#pace.begin();
    for (let i = 0; i < batch.length; i += 1) {
      try {
        batch[i].resolve(applyCommand(this.#venue, firstSeq + i, timeMs, batch[i].command, { apply: this.#apply }));
      } catch (error) {
        try {
          await this.#applyAgain(batch[i], firstSeq + i, timeMs, error);
        } catch (fatal) {
          this.#queue.unshift(...batch.slice(i));
          throw fatal;
        }
      }
      this.#applied = i + 1;
      if (this.#pace.applied()) await this.#pace.turn();
    }
    this.#pace.end();
  }

  /**
   * Applies a command again after a failure, without each timer that throws. If the command itself throws, it is
   * rejected.
   */
  async #applyAgain(
    { command, resolve, reject }: Waiting,
    seq: number,
    timeMs: number,
    thrown: unknown,
  ): Promise<void> {
    const leftOut: Due[] = [];
    for (let error = thrown; ; ) {
      const { due } = await this.#leaveOut(error);
      if (due === undefined) {
        reject(new CommandRejected(seq, { cause: error }));
        return;
      }
      leftOut.push(due);
      try {
        resolve(applyCommand(this.#venue, seq, timeMs, command, { apply: this.#apply, leftOut }));
        return;
      } catch (again) {
        error = again;
      }
    }
  }

  /** Records the command or timer that made the venue throw, and rebuilds the venue without it. */
  async #leaveOut(error: unknown): Promise<CommandFailed> {
    if (!(error instanceof CommandFailed) || this.#rebuild === undefined) throw error;
    const making = `the venue is being rebuilt without ${error.left}`;
    this.#rebuilding = new EngineReadOnly(making);
    this.#onNotice(`${error.message}; ${error.fate}`, 'error');
    await this.#record(error);
    this.#venue = await this.#rebuilt(this.#rebuild, error.due === undefined ? error.seq : error.seq - 1, making);
    this.#venue.listen(this.#listener);
    this.#listener.stateReplaced?.({ type: 'stateReplaced' });
    if (error.due === undefined && error.type === TICK.type) this.#noTickBeforeMs = this.nowMs() + FAILED_TICK_MS;
    this.#onNotice(`the venue was rebuilt without ${error.left}`, 'warn');
    this.#rebuilding = undefined;
    return error;
  }

  /** Waits while no file can be opened. A stop meanwhile leaves the work to the next start. */
  async #rebuilt(rebuild: (seq: number) => Promise<Venue>, seq: number, making: string): Promise<Venue> {
    for (let waits = false; ; waits = true) {
      try {
        return await rebuild(seq);
      } catch (error) {
        if (!(error instanceof LogFull) || this.#stopped !== undefined) throw error;
        this.#rebuilding = new EngineReadOnly(`${making}: ${error.message}`, { told: `${making}: ${error.need}` });
        if (!waits) this.#onNotice(this.#rebuilding.message, 'error');
        await this.#pause();
      }
    }
  }

  /** Waits while there is no space. A stop meanwhile leaves it to the next start, which finds the failing command. */
  async #record({ record }: CommandFailed): Promise<void> {
    for (;;) {
      try {
        return await this.#log.poison(record);
      } catch (error) {
        if (!(error instanceof LogFull) || this.#stopped !== undefined) throw error;
        this.#onNotice(`read-only, ${error.message}`, 'error');
        do await this.#pause();
        while (this.#stopped === undefined && !(await this.#makesRoom()));
      }
    }
  }

  #takeBatch(): Waiting[] {
    let chars = 0;
    let count = 0;
    while (count < this.#queue.length && chars < MAX_BATCH_CHARS) {
      // A caller reads the state after its reply. So a command that replaces the state gets a separate batch.
      const alone = REPLACING.includes(this.#queue[count].command.type);
      if (alone && count > 0) break;
      chars += this.#queue[count].text.length;
      count += 1;
      if (alone) break;
    }
    return this.#queue.splice(0, count);
  }

  /** Refuses waiting and new commands until there is space again. */
  async #waitForRoom(full: LogFull, batch: Waiting[]): Promise<void> {
    this.#readOnly = new EngineReadOnly(full.message, { cause: full, told: full.need });
    this.#onNotice(this.#readOnly.message, 'error');
    for (const waiting of [...batch, ...this.#queue.splice(0)]) waiting.reject(this.#readOnly);
    while (this.#stopped === undefined && this.#readOnly !== undefined) {
      await this.#pause();
      if (await this.#makesRoom()) this.#readOnly = undefined;
    }
    if (this.#readOnly === undefined) this.#onNotice('the command log can be written again');
  }

  /** Waits until the next attempt, or until the engine stops. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#timer(resolve, RETRY_MS);
      this.#wakeRetry = () => {
        timer.clear();
        resolve();
      };
    });
  }

  async #makesRoom(): Promise<boolean> {
    try {
      await this.#log.makeRoom();
      return true;
    } catch (error) {
      if (error instanceof LogFull) return false;
      throw error;
    }
  }

  /** On a real clock: checks again when a timer is due, or after a second. */
  #watchDue(): void {
    this.#dueTimer?.clear();
    if (this.#stopped !== undefined || this.#venue.genesis?.clock !== 'real') return;
    // While a batch is being processed, the venue may be half-way through a command.
    const dueMs = this.#work === undefined ? this.#nextTickMs() : Number.POSITIVE_INFINITY;
    const waitMs = Math.max(dueMs - this.nowMs(), 0);
    this.#dueTimer = this.#timer(() => this.#look(), Math.min(waitMs, LOOK_MS));
    if (dueMs === Number.POSITIVE_INFINITY) this.#dueTimer.unref();
  }

  /** When the next timer is due that no command has triggered. */
  #nextTickMs(): number {
    return Math.max(this.#venue.nextDueMs(), this.#noTickBeforeMs);
  }

  #timer(act: () => void, ms: number): Timer {
    const timer = this.#world.timer(ms, act);
    if (!this.#keepsAlive) timer.unref();
    return timer;
  }

  /** Submits a tick when a timer is due. A batch in progress fires it anyway. */
  #look(): void {
    const isDue = this.#work === undefined && this.#nextTickMs() <= this.nowMs();
    if (isDue)
      this.#enqueue(TICK).catch(() => {}); // If it is refused, it stays due.
    else this.#watchDue();
  }

  #fail(error: Error): void {
    this.#failed = true;
    this.#batch = [];
    this.#stopped = new EngineStopped('it failed', { cause: error });
    this.#dueTimer?.clear();
    for (const waiting of this.#queue.splice(0)) waiting.reject(this.#stopped);
    this.#onFatal(error);
  }
}
