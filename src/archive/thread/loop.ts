/**
 * The archive's main loop. It follows the venue's log, keeps the archive and the snapshots up to date, answers look-ups,
 * and checks what the start did not read. It knows nothing of threads: worker.ts runs it in one.
 *
 * It works in rounds. A round reads more of the log, answers questions, reads the whole state on request, takes a
 * snapshot if one is due, does one step of the checks, and on request moves a segment of the log (log-mover.ts). Then it
 * rests, for longer while the venue is busy.
 *
 * - Every round has a step of the checks, so they also progress while the venue is busy.
 * - A damaged archive is rebuilt from the log. But an archive that is ahead of the log is left unchanged: it is the only
 *   proof that the log has lost something.
 * - A question that fails for another reason is a bug. It is refused alone: no question takes the archive out of service.
 * - After any other error it tries the archive again, after increasing waits. Meanwhile it refuses questions with the
 *   reason. Snapshots and readings of the whole state come from a replica (spare-replica.ts).
 * - The whole state is read only when everything that is applied is archived. So readings, however many are wanted,
 *   never put the archive further behind than one of them takes.
 */
import type { NoticeLevel } from '../../engine/contract/notice.ts';
import type { World } from '../../engine/contract/world.ts';
import { pruneSnapshots, type SnapshotWritten } from '../../engine/replay/snapshots.ts';
import { LogDamaged, LogUnreachable } from '../../log/contract/command-log.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { isNoDescriptor } from '../../log/shared/system-errors.ts';
import { RETENTION_ORDERS } from '../../venue/contract/order-view.ts';
import { type Checked, checkHistory } from '../follow/check.ts';
import { Follower, firstRules, type StateIdentity } from '../follow/follower.ts';
import type { Replica } from '../follow/replica.ts';
import { readAudit, readState } from '../follow/whole-state.ts';
import { ledgerPage, walletHistory } from '../read/account-ledger.ts';
import { clientOrderHistory, orderHistory } from '../read/history.ts';
import { marketAnswer } from '../read/market-history.ts';
import { orderStory } from '../read/story.ts';
import { findTrades } from '../read/trades.ts';
import { ArchiveAhead, ArchiveDamaged, ArchiveUnavailable } from '../store/errors.ts';
import { KEEP_ALL, type Kept } from '../store/forgetting.ts';
import type { ArchivePlace } from '../store/place.ts';
import type { ArchiveStore } from '../store/store.ts';
import { Backoff } from './backoff.ts';
import { FairTurns } from './fair-turns.ts';
import { LogMover, type OpenMover } from './log-mover.ts';
import { type AnyQuestion, elapsedMs, type Reply, type Request } from './messages.ts';
import { type NotTaken, SnapshotTaker } from './snapshot-taker.ts';
import { SpareReplica } from './spare-replica.ts';

const ROUND_MS = 20;
/**
 * After a round in which the venue made progress, the rest is this many times as long as the round. A command costs the
 * archive as much as the venue, and on a shared machine the venue comes first. A request ends the rest.
 */
const REST_PER_ROUND = 9;
/** A round in which a large snapshot was taken or loaded lasts minutes. Its rest does not. */
const LONGEST_REST_MS = 1000;
/**
 * If the archive is this many commands behind, it does not rest. The venue itself keeps twice as many ended orders, so
 * orders that the venue forgets are in the archive by then.
 */
const REST_IF_BEHIND_BELOW = RETENTION_ORDERS / 2;
/** How long input is gathered, so that a transaction holds more than one command. */
const GATHER_MS = 5;
/** The rest after a round while there is something to check. A step of a check takes about 5 ms. */
const CHECK_REST_MS = 10;
/** How long forgotten orders are removed in a round. A look-up waits that much longer. */
const FORGET_MS = 5;
/** The wait before the next attempt if the file cannot be written now. The archive stays open, so an attempt is cheap. */
const RETRY_MS = 1000;
/** How often progress is reported while the archive is behind. */
const PROGRESS_MS = 5000;

/**
 * An archive found damaged more often than this is not rebuilt at once, but after increasing waits: the cause is
 * probably not chance.
 */
const MOST_REBUILDS = 3;

/** Why the archive is out of service. */
interface Trouble {
  readonly problem: string;
  /** True: the disk is full. */
  readonly noRoom: boolean;
  /** The time of the next attempt, by `World.monotonicMs`. */
  readonly retryAtMs: number;
}

interface Opened {
  readonly store: ArchiveStore;
  readonly follower: Follower;
}

/** The progress of venue and archive, in memory that both share. */
export interface SharedProgress {
  /** The seq of the last command that is durable and applied to the venue. */
  readonly applied: number;
  /** Resolves when the venue has applied more commands than up to `applied`. Undefined: it already has. */
  changed(applied: number): Promise<unknown> | undefined;
  /** The seq of the last command in the archive. */
  archived: number;
  /** The seq of the first command whose effects are in the archive. */
  set knownFrom(seq: number);
}

export interface LoopOptions {
  readonly storage: LogStorage;
  readonly place: ArchivePlace;
  readonly progress: SharedProgress;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  /** Commands between two snapshots. */
  readonly snapshotEvery: number;
  readonly identity: StateIdentity;
  /** The key of the venue's order ids. */
  readonly idKey?: string;
  /** Which orders without fills are kept. All by default. */
  readonly keep?: Kept;
  /** Absent: the log cannot be moved. */
  readonly openMover?: OpenMover;
  /** Sends a reply or a message to the venue's thread. */
  readonly send: (reply: Reply) => void;
}

export class ArchiveLoop {
  readonly #place: ArchivePlace;
  readonly #storage: LogStorage;
  readonly #progress: SharedProgress;
  readonly #world: LoopOptions['world'];
  readonly #identity: StateIdentity;
  readonly #idKey: string | undefined;
  readonly #keep: Kept;
  readonly #send: (reply: Reply) => void;
  readonly #backoff = new Backoff();
  readonly #snapshots: SnapshotTaker;
  readonly #spare: SpareReplica;
  readonly #mover: LogMover;
  #opened: Opened | undefined;
  /** Set while an archive of an older layout is converted: how much is done, 0 to 1. */
  #migration: Generator<number> | undefined;
  #trouble: Trouble | undefined;
  #recoveryReported = false;
  #hasBegun = false;
  #rebuilds = 0;
  /**
   * Why an archive that is rebuilt from the log begins later than the log did. Undefined: it does not. These rules cannot
   * apply commands of others, and cannot read what was moved to another folder.
   */
  #beginsLate: string | undefined = 'the beginning of the log could not be read';
  #waiting: AnyQuestion[] = [];
  readonly #turns = new FairTurns();
  #closing = false;
  #wake: () => void = () => {};
  /** The checks that are left. */
  #checks: AsyncIterator<void> | undefined;
  /** Set while the archive is behind: since when, or when that was last reported. */
  #behind: { sinceMs: number; reported: boolean } | undefined;

  constructor({ storage, place, progress, world, snapshotEvery, identity, idKey, keep, openMover, send }: LoopOptions) {
    this.#storage = storage;
    this.#place = place;
    this.#progress = progress;
    this.#world = world;
    this.#identity = identity;
    this.#idKey = idKey;
    this.#keep = keep ?? KEEP_ALL;
    this.#send = send;
    this.#spare = new SpareReplica({ storage, identity, world, roundMs: ROUND_MS });
    this.#snapshots = new SnapshotTaker({
      storage,
      world,
      every: snapshotEvery,
      onProblem: (problem) => {
        if (problem !== undefined) this.#notice(problem, 'error');
        send({ type: 'snapshots', problem });
      },
    });
    this.#mover = new LogMover({ storage, identity, world, open: openMover });
    this.#checks = this.#allChecks();
  }

  /** Queues a request, and ends the present rest. */
  take(request: Request): void {
    if (request.type === 'close') this.#closing = true;
    else if (request.type === 'moveLog') this.#mover.take(request.id, request.to);
    else this.#waiting.push(request);
    this.#wake();
  }

  /** Works until `close` is requested and everything is done. Resolves when the archive is closed. */
  async run(): Promise<void> {
    this.#beginsLate = await this.#whyLate();
    await this.#snapshots.begin();
    let done = false;
    while (!done) done = await this.#round();
    this.#opened?.store.close();
  }

  async #whyLate(): Promise<string | undefined> {
    const { rules } = this.#identity;
    try {
      const moved = await this.#storage.source.moved();
      if (moved !== undefined) return `the log up to seq ${moved.seq} was moved to ${moved.where}`;
      const first = await firstRules(this.#storage, this.#applied, rules);
      return first === rules ? undefined : 'the beginning of the log was written under other rules';
    } catch (error) {
      // The check of the history reports damage.
      if (!(error instanceof LogDamaged)) {
        this.#notice(`the beginning of the log could not be read: ${(error as Error).message}`, 'warn');
      }
      return 'the beginning of the log could not be read';
    }
  }

  /** One round. True: a close was requested, and everything is done. */
  async #round(): Promise<boolean> {
    const applied = this.#applied;
    const begunMs = this.#world.monotonicMs();
    const reached = await this.#advance(applied);
    if (!this.#hasBegun) this.#send({ type: 'begun' });
    this.#hasBegun = true;
    this.#answer();
    const allRead = await this.#readStates(applied, reached);
    const noneDue = await this.#takeSnapshots(applied);
    await this.#checkStep();
    const forgets = this.#forget();
    await this.#moveStep();
    if (this.#applied !== applied && this.#mayRest(applied)) {
      const restMs = REST_PER_ROUND * (this.#world.monotonicMs() - begunMs);
      await this.#unlessAsked(this.#delay(Math.min(restMs, LONGEST_REST_MS)));
    }
    if (this.#closing && this.#migration !== undefined) {
      this.#endMigration();
      return true;
    }
    if (!reached || !allRead || !noneDue) await this.#delay(0);
    else if (this.#closing && this.#applied === applied) return this.#finish();
    else if (this.#checks !== undefined || forgets || this.#mover.isBusy) await this.#delay(CHECK_REST_MS);
    else await this.#untilMore(applied);
    return false;
  }

  #mayRest(applied: number): boolean {
    return this.#trouble !== undefined || applied - this.#archivedSeq < REST_IF_BEHIND_BELOW;
  }

  /**
   * Brings the archive nearer to `applied`, unless it waits for its next attempt. True: there is nothing more to do for
   * it now.
   */
  async #advance(applied: number): Promise<boolean> {
    if (this.#trouble !== undefined && this.#world.monotonicMs() < this.#trouble.retryAtMs) return true;
    try {
      if (this.#opened === undefined && !this.#migrate()) return false;
      const { follower } = await this.#open();
      const reached = await follower.advance(applied, ROUND_MS, this.#world);
      this.#progress.archived = follower.seq;
      this.#reportProgress(follower.seq, applied, reached);
      if (reached) this.#reportRecovered();
      return reached;
    } catch (error) {
      this.#mend(error);
      return this.#trouble !== undefined;
    }
  }

  /** Goes on with the migration of an older archive, if there is one. True: it is done, or there is none. */
  #migrate(): boolean {
    this.#migration ??= this.#place.migration(this.#idKey);
    if (this.#migration === undefined) return true;
    const until = this.#world.monotonicMs() + ROUND_MS;
    let share = 0;
    while (this.#world.monotonicMs() < until) {
      const step = this.#migration.next();
      if (step.done) {
        this.#migration = undefined;
        this.#behind = undefined;
        this.#notice('the archive has the layout of this version');
        return true;
      }
      share = step.value;
    }
    this.#reportLater(`the archive is brought into the layout of this version (${Math.floor(100 * share)}%)`);
    return false;
  }

  #endMigration(): void {
    this.#migration?.return(undefined);
    this.#migration = undefined;
  }

  /**
   * Makes the archive durable before it is closed. True: it is durable, or out of service. Then the next start continues
   * it. False: it was found damaged, and is being rebuilt.
   */
  #finish(): boolean {
    if (this.#trouble !== undefined) return true;
    try {
      this.#opened?.store.checkpoint();
      return true;
    } catch (error) {
      this.#mend(error);
      return this.#trouble !== undefined;
    }
  }

  get #archivedSeq(): number {
    return this.#progress.archived;
  }

  get #applied(): number {
    return this.#progress.applied;
  }

  /** Waits until the venue applies more, a request comes, or the next attempt is due. Then gathers input. */
  async #untilMore(applied: number): Promise<void> {
    const changed = this.#progress.changed(applied);
    if (changed !== undefined) await this.#unlessAsked(Promise.race([changed, ...this.#nextAttempt()]));
    await this.#unlessAsked(this.#delay(GATHER_MS));
  }

  /** The wait for the next attempt at the archive, or at a snapshot that is due. Empty: there is none. */
  #nextAttempt(): Promise<void>[] {
    const now = this.#world.monotonicMs();
    const times: number[] = [];
    if (this.#trouble !== undefined) times.push(this.#trouble.retryAtMs);
    const snapshotAtMs = this.#snapshots.retryAtMs(this.#applied);
    if (snapshotAtMs !== undefined) times.push(snapshotAtMs);
    return times.length === 0 ? [] : [this.#delay(Math.max(Math.min(...times) - now, 0))];
  }

  /** Waits for `what`, or for a request. */
  async #unlessAsked(what: Promise<unknown>): Promise<void> {
    if (this.#waiting.length > 0 || this.#closing) return;
    const asked = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([what, asked]);
  }

  /** Answers questions for about ROUND_MS. The others are answered in the next round. */
  #answer(): void {
    const until = this.#world.monotonicMs() + ROUND_MS;
    // `untilMs` was set in the venue's thread. `elapsedMs` is equal in all threads, `monotonicMs` is not.
    const nowMs = elapsedMs();
    this.#waiting = this.#waiting.filter(({ untilMs }) => untilMs > nowMs);
    // A question waits until the archive has reached its seq. In trouble there is no sense in waiting: all are refused.
    const seq = this.#trouble === undefined ? this.#archivedSeq : Number.POSITIVE_INFINITY;
    const isReady = (waiting: AnyQuestion) => isOfFile(waiting) && waiting.seq <= seq;
    while (this.#world.monotonicMs() <= until) {
      const request = this.#turns.next(this.#waiting, isReady);
      if (request === undefined) return;
      let reply: Reply | undefined;
      try {
        reply = this.#answerTo(request);
      } catch (error) {
        // A rebuilt archive answers.
        if (isOfTheFile(error)) this.#mend(error);
        else reply = this.#refusalOf(request, error);
      }
      if (reply === undefined) return;
      this.#reply(request.id, reply);
    }
  }

  /** Undefined: the archive is being rebuilt. */
  #answerTo(request: AnyQuestion): Reply | undefined {
    const { id } = request;
    if (this.#trouble !== undefined) return failed(id, this.#trouble.problem, this.#trouble.noRoom);
    if (this.#opened === undefined) return undefined;
    const { store, follower } = this.#opened;
    if (request.type === 'order') return { type: 'order', id, history: orderHistory(store, request.key) };
    if (request.type === 'orderStory') {
      return { type: 'orderStory', id, story: orderStory(store, follower.venue, request.of, request.range) };
    }
    if (request.type === 'clientOrder') {
      return { type: 'order', id, history: clientOrderHistory(store, request.query) };
    }
    if (request.type === 'trades') {
      return { type: 'trades', id, trades: findTrades(store, follower.orderIds, request.query) };
    }
    if (request.type === 'ledger') return { type: 'ledger', id, page: ledgerPage(store, request.query) };
    if (request.type === 'market') return { type: 'market', id, answer: marketAnswer(store, request.question) };
    if (request.type === 'wallet') return { type: 'wallet', id, records: walletHistory(store, request.query) };
    return undefined;
  }

  #refusalOf({ id, type }: AnyQuestion, error: unknown): Reply {
    const message = `the archive could not answer a question (${type}): ${(error as Error).message}`;
    this.#notice(message, 'error');
    return failed(id, message, false);
  }

  #reply(id: number, reply: Reply): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.id !== id);
    this.#send(reply);
  }

  /** Answers questions about the whole state at seqs up to `applied`. False: its source has not yet reached one of them. */
  async #readStates(applied: number, reached: boolean): Promise<boolean> {
    const asked = this.#waiting.filter(({ type, seq }) => (type === 'state' || type === 'audit') && seq <= applied);
    if (asked.length === 0) return true;
    if (!reached) return false;
    try {
      const source = await this.#stateSource(applied);
      if (source === undefined) return false;
      const { venue } = source;
      const ready = asked.filter(({ seq }) => seq <= venue.seq);
      for (const { id, ...question } of ready) {
        if (question.type === 'state') this.#reply(id, { type: 'state', id, reading: readState(venue) });
        else this.#reply(id, { type: 'audit', id, reading: readAudit(venue) });
      }
      return ready.length === asked.length;
    } catch (error) {
      const message = `the state could not be read: ${(error as Error).message}`;
      for (const { id } of asked) this.#reply(id, failed(id, message, false));
      return true;
    }
  }

  /** What has the whole state. Undefined: the archive is being rebuilt. Throws as `Replica.open`. */
  async #stateSource(applied: number): Promise<Follower | Replica | undefined> {
    return this.#trouble === undefined ? this.#opened?.follower : this.#spare.advanced(applied);
  }

  /** Takes the snapshot that is due or requested. False: its source has not yet reached the seq that is needed. */
  async #takeSnapshots(applied: number): Promise<boolean> {
    const asked = this.#waiting.filter(({ type }) => type === 'snapshot');
    const requestedSeq = asked.length > 0 ? Math.max(...asked.map(({ seq }) => seq)) : undefined;
    if (!this.#snapshots.isDue(applied, requestedSeq)) return true;
    let written: SnapshotWritten | NotTaken | undefined;
    if (this.#trouble?.noRoom) {
      // If the archive has no space, a snapshot has none either, and waits for the archive.
      if (asked.length === 0) return true;
      written = { message: this.#trouble.problem, noRoom: true };
    } else {
      written = await this.#snapshots.take(applied, requestedSeq, () => this.#stateSource(applied));
      if (written === undefined) return false;
    }
    for (const { id } of asked) {
      this.#reply(id, 'seq' in written ? { type: 'snapshot', id, written } : { type: 'failed', id, ...written });
    }
    return true;
  }

  /** The archive. Opens it if it is not open. */
  async #open(): Promise<Opened> {
    if (this.#opened !== undefined) return this.#opened;
    const store = this.#place.open();
    try {
      const follower = await Follower.open(this.#storage, store, this.#applied, this.#identity, this.#keep);
      this.#opened = { store, follower };
    } catch (error) {
      store.close();
      throw error;
    }
    this.#progress.knownFrom = this.#opened.follower.knownFromSeq;
    return this.#opened;
  }

  /** Decides what follows an error of the archive: it is rebuilt in the next round, or tried again later. */
  #mend(error: unknown): void {
    this.#endMigration();
    if (error instanceof ArchiveUnavailable) {
      this.#reportTrouble(
        `the archive is waiting, its file cannot be written: ${error.message}`,
        RETRY_MS,
        error.noRoom,
      );
      return;
    }
    if (isPassing(error)) {
      this.#reportTrouble(`the archive is waiting: ${(error as Error).message}`, RETRY_MS, false);
      return;
    }
    this.#opened?.store.close();
    this.#opened = undefined;
    let cause = error;
    if (error instanceof ArchiveDamaged && !(error instanceof ArchiveAhead)) {
      try {
        this.#remove(error);
        this.#rebuilds += 1;
        if (this.#rebuilds <= MOST_REBUILDS) return;
      } catch (failure) {
        cause = failure;
      }
    }
    const waitMs = this.#backoff.next(this.#world.monotonicMs());
    this.#reportTrouble(`the archive failed and will be retried: ${(cause as Error).message}`, waitMs, false);
  }

  /**
   * Removes the archive's file, so that the archive is rebuilt from the log. If the log cannot rebuild all of it, the
   * file is kept under another name.
   */
  #remove(error: ArchiveDamaged): void {
    this.#notice(`the archive is rebuilt from the log: ${error.message}`, 'warn');
    if (this.#beginsLate !== undefined) {
      const name = this.#place.setAside('replaced');
      this.#notice(`the old archive is kept as ${name}: ${this.#beginsLate}, so the new one begins later`, 'warn');
    }
    this.#place.remove();
  }

  #reportTrouble(problem: string, waitMs: number, noRoom: boolean): void {
    const isNews = this.#trouble?.problem !== problem;
    this.#trouble = { problem, noRoom, retryAtMs: this.#world.monotonicMs() + waitMs };
    if (!isNews) return;
    this.#notice(problem, 'error');
    this.#send({ type: 'archive', problem });
  }

  #reportRecovered(): void {
    if (this.#trouble === undefined && this.#recoveryReported) return;
    this.#trouble = undefined;
    this.#spare.drop();
    this.#recoveryReported = true;
    this.#send({ type: 'archive', problem: undefined });
  }

  /** One step of the checks. An archive that is found damaged is rebuilt. */
  async #checkStep(): Promise<void> {
    if (this.#closing || this.#checks === undefined) return;
    try {
      if ((await this.#checks.next()).done) this.#checks = undefined;
    } catch (error) {
      this.#checks = undefined;
      this.#mend(error);
    }
  }

  /**
   * Removes some of the orders that are no longer kept. A check counts rows, so they wait for its end. True: there may be
   * more.
   */
  #forget(): boolean {
    if (this.#closing || this.#checks !== undefined || this.#trouble !== undefined) return false;
    try {
      return this.#opened?.follower.forget(FORGET_MS, this.#world) ?? false;
    } catch (error) {
      this.#mend(error);
      return false;
    }
  }

  /** Moves a segment of the log, if that is requested. */
  async #moveStep(): Promise<void> {
    if (this.#closing || !this.#mover.isBusy) return;
    // An archive that waits for space stays open, and what it has written counts: moving the log makes room for it.
    if (this.#opened === undefined) {
      if (this.#trouble !== undefined) this.#send(failed(this.#mover.drop(), this.#trouble.problem, false));
      return;
    }
    const answer = await this.#mover.step(this.#opened.store.state.position);
    if (answer === undefined) return;
    const { moved } = answer;
    if (typeof moved === 'string') this.#notice(`the log was not moved: ${moved}`, 'error');
    else if (moved.moved > 0) this.#notice(`${moved.moved} segments of the log were moved, up to seq ${moved.seq}`);
    this.#beginsLate = await this.#whyLate();
    this.#send({ type: 'moved', ...answer });
  }

  /** All checks, in small steps: log and snapshots, then the archive. Old snapshots are removed if all are sound. */
  async *#allChecks(): AsyncGenerator<void> {
    const checked: Checked = { commands: 0, snapshots: 0 };
    try {
      for await (const said of checkHistory(this.#storage, this.#applied, checked, this.#identity, this.#world)) {
        if (said !== undefined) this.#notice(said, 'warn');
        yield;
      }
      await pruneSnapshots(this.#storage.snapshots);
      this.#send({ type: 'checked', history: { state: 'sound', ...checked } });
    } catch (error) {
      if (isPassing(error)) {
        const retryAtMs = this.#world.monotonicMs() + RETRY_MS;
        while (this.#world.monotonicMs() < retryAtMs) yield;
        return yield* this.#allChecks();
      }
      // A file that cannot be read counts as damaged: its content is as good as lost.
      this.#send({ type: 'checked', history: { state: 'damaged', problem: (error as Error).message } });
    }
    const opened = this.#opened;
    if (opened === undefined) return;
    for (const _ of opened.store.check()) {
      yield;
      if (this.#opened !== opened) return; // It is being rebuilt.
    }
  }

  #reportProgress(seq: number, applied: number, reached: boolean): void {
    if (reached) {
      if (this.#behind?.reported) this.#notice(`the archive has reached seq ${applied}`);
      this.#behind = undefined;
      return;
    }
    this.#reportLater(`the archive is at seq ${seq} of ${applied} (${Math.floor((100 * seq) / applied)}%)`);
  }

  /** Reports the progress, unless it was reported shortly before. */
  #reportLater(text: string): void {
    const nowMs = this.#world.monotonicMs();
    this.#behind ??= { sinceMs: nowMs, reported: false };
    if (nowMs - this.#behind.sinceMs < PROGRESS_MS) return;
    this.#behind = { sinceMs: nowMs, reported: true };
    this.#notice(text);
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => this.#world.timer(ms, resolve));
  }

  #notice(text: string, level: NoticeLevel = 'info'): void {
    this.#send({ type: 'notice', text, level });
  }
}

/** True: the archive's file has the answer. */
function isOfFile({ type }: AnyQuestion): boolean {
  return type !== 'snapshot' && type !== 'state' && type !== 'audit';
}

/** True: the log or the archive can be read later, and nothing is known to be wrong with them. */
function isPassing(error: unknown): boolean {
  return isNoDescriptor(error) || error instanceof LogUnreachable;
}

/** True: the archive's file or the system is at fault, and not the question. */
function isOfTheFile(error: unknown): boolean {
  return error instanceof ArchiveDamaged || error instanceof ArchiveUnavailable || isNoDescriptor(error);
}

function failed(id: number, message: string, noRoom: boolean): Reply {
  return { type: 'failed', id, message, noRoom };
}
