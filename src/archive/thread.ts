/**
 * The archive's work: follows the log of the venue in the same process, maintains the archive and the snapshots,
 * answers look-ups, and checks in its spare time what the start did not read.
 *
 * It works in turns: continue in the log, answer questions, take a snapshot when one is due, check a little, then rest.
 * While the venue is busy the rests are long, and if the system has priorities for threads, this one's is below the
 * venue's.
 *
 * It does not depend on threads: worker.ts runs it in one.
 *
 * - Every turn has a step of the check, so the check also makes progress on a busy venue.
 * - A damaged archive is rebuilt from the log. An archive that is ahead of the log is left alone, because only it shows
 *   the loss.
 * - After any other error the archive is tried again, after increasing waits. Meanwhile its questions are refused with
 *   the reason, and snapshots are made without it (replica.ts).
 */
import type { NoticeLevel } from '../engine/contract/notice.ts';
import type { World } from '../engine/contract/world.ts';
import { pruneSnapshots, type SnapshotWritten } from '../engine/replay/snapshots.ts';
import { LogDamaged, LogFull, LogOutOfFiles } from '../log/contract/command-log.ts';
import type { LogStorage } from '../log/contract/storage.ts';
import { isNoDescriptor } from '../log/shared/system-errors.ts';
import { RETENTION_ORDERS } from '../venue/contract/order-view.ts';
import { Backoff } from './backoff.ts';
import { checkHistory } from './check.ts';
import { Follower, firstRules, type Keeper } from './follower.ts';
import { orderHistory } from './history.ts';
import { type AnyQuestion, elapsedMs, type Reply, type Request } from './messages.ts';
import type { ArchivePlace } from './place.ts';
import { Replica } from './replica.ts';
import { ArchiveAhead, ArchiveDamaged, type ArchiveStore, ArchiveUnavailable } from './store.ts';
import { findTrades } from './trades.ts';

const TURN_MS = 20;
/**
 * After a turn in which the venue made progress, the rest is this many times as long as the turn. A command costs the
 * archive as much as the venue, and on a shared machine the venue comes first. It does not rest while somebody waits
 * for an answer.
 */
const RESTS = 9;
/** If it is behind by this many commands, it stops resting. The venue itself keeps twice as many ended orders. */
const MOST_BEHIND = RETENTION_ORDERS / 2;
/** How long input is gathered, so that a transaction holds more than one command. */
const GATHER_MS = 5;
/** The rest after a step of a check, at least as long as the step. */
const CHECK_REST_MS = 10;
/** How often a file that cannot be written is tried again. Nothing needs to be read again for that. */
const RETRY_MS = 1000;
const PROGRESS_MS = 5000;

/** An archive that is damaged this often is not damaged by chance. */
const MOST_REMADE = 3;

/** Why the archive is out of service. */
interface Trouble {
  readonly problem: string;
  readonly noRoom: boolean;
  readonly retryAtMs: number;
}

/** Why there is no snapshot. */
interface Failed {
  readonly message: string;
  readonly noRoom: boolean;
}

interface Opened {
  readonly store: ArchiveStore;
  readonly follower: Follower;
}

/** The progress of venue and archive, visible to both. */
export interface Marks {
  /** The last durable and applied command. */
  readonly applied: number;
  /** Resolves when the venue moves on from `applied`. Undefined: it already has. */
  changed(applied: number): Promise<unknown> | undefined;
  /** The last command in the archive. */
  archived: number;
  /** The first one. */
  set knownFrom(seq: number);
}

export interface ThreadParts {
  readonly storage: LogStorage;
  readonly place: ArchivePlace;
  readonly marks: Marks;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  /** Commands between two snapshots. */
  readonly snapshotEvery: number;
  readonly keeper: Keeper;
  readonly say: (reply: Reply) => void;
}

export class ArchiveThread {
  readonly #place: ArchivePlace;
  readonly #storage: LogStorage;
  readonly #marks: Marks;
  readonly #world: ThreadParts['world'];
  readonly #snapshotEvery: number;
  readonly #keeper: Keeper;
  readonly #say: (reply: Reply) => void;
  readonly #backoff = new Backoff();
  #opened: Opened | undefined;
  #trouble: Trouble | undefined;
  #saidWell = false;
  /** The source of snapshots while there is trouble. */
  #replica: Replica | undefined;
  #remade = 0;
  /**
   * True: other rules made the beginning of the log, or nobody knows. An archive built from it does not reach back that
   * far.
   */
  #beginsLate = true;
  #waiting: AnyQuestion[] = [];
  #closing = false;
  #wake: () => void = () => {};
  #snapshotDueSeq = 0;
  /** Before this time, snapshots are taken only on request. */
  #snapshotAtMs = 0;
  readonly #snapshotBackoff = new Backoff();
  #snapshotProblem: string | undefined;
  #checks: AsyncIterator<void> | undefined;
  /** Since when it is behind, or when that was last reported. */
  #behind: { since: number; told: boolean } | undefined;

  constructor({ storage, place, marks, world, snapshotEvery, keeper, say }: ThreadParts) {
    this.#storage = storage;
    this.#place = place;
    this.#marks = marks;
    this.#world = world;
    this.#snapshotEvery = snapshotEvery;
    this.#keeper = keeper;
    this.#say = say;
    this.#checks = this.#allChecks();
  }

  take(request: Request): void {
    if (request.type === 'close') this.#closing = true;
    else this.#waiting.push(request);
    this.#wake();
  }

  /** Works until it is closed, and finishes everything first. */
  async run(): Promise<void> {
    this.#beginsLate = await this.#otherRulesBegan();
    const [newest] = await this.#storage.snapshots.list();
    this.#snapshotDueSeq = (newest?.seq ?? 0) + this.#snapshotEvery;
    let done = false;
    while (!done) done = await this.#turn();
    this.#opened?.store.close();
  }

  async #otherRulesBegan(): Promise<boolean> {
    try {
      return (await firstRules(this.#storage, this.#applied, this.#keeper.rules)) !== this.#keeper.rules;
    } catch (error) {
      // The check of the history reports damage.
      if (!(error instanceof LogDamaged)) {
        this.#notice(`the beginning of the log could not be read: ${(error as Error).message}`, 'warn');
      }
      return true;
    }
  }

  /** True: everything is done. */
  async #turn(): Promise<boolean> {
    const applied = this.#applied;
    const begunMs = this.#world.monotonicMs();
    const reached = await this.#advance(applied);
    this.#answer();
    const noneDue = await this.#takeSnapshots(applied);
    await this.#checkSome();
    if (this.#applied !== applied && this.#mayRest(applied)) {
      await this.#unlessAsked(this.#delay(RESTS * (this.#world.monotonicMs() - begunMs)));
    }
    if (!reached || !noneDue) await this.#delay(0);
    else if (this.#closing && this.#applied === applied) return this.#closed();
    else if (this.#checks !== undefined) await this.#delay(CHECK_REST_MS);
    else await this.#untilMore(applied);
    return false;
  }

  #mayRest(applied: number): boolean {
    return this.#trouble !== undefined || applied - this.#archivedSeq < MOST_BEHIND;
  }

  /** One turn of the archive, if it is time. True: there is nothing more to do for it now. */
  async #advance(applied: number): Promise<boolean> {
    if (this.#trouble !== undefined && this.#world.monotonicMs() < this.#trouble.retryAtMs) return true;
    try {
      const { follower } = await this.#open();
      const reached = await follower.advance(applied, TURN_MS, this.#world);
      this.#marks.archived = follower.seq;
      this.#tellProgress(follower.seq, applied, reached);
      if (reached) this.#isWell();
      return reached;
    } catch (error) {
      this.#mend(error);
      return this.#trouble !== undefined;
    }
  }

  /** True: the archive holds everything, and is durable. */
  #closed(): boolean {
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
    return this.#marks.archived;
  }

  get #applied(): number {
    return this.#marks.applied;
  }

  /** Waits for the venue to move on, for a request, or for the next attempt at the archive. */
  async #untilMore(applied: number): Promise<void> {
    const changed = this.#marks.changed(applied);
    if (changed !== undefined) await this.#unlessAsked(Promise.race([changed, ...this.#nextAttempt()]));
    await this.#unlessAsked(this.#delay(GATHER_MS));
  }

  /** The times of the next attempts at the archive, or at a snapshot that is due. */
  #nextAttempt(): Promise<void>[] {
    const now = this.#world.monotonicMs();
    const times: number[] = [];
    if (this.#trouble !== undefined) times.push(this.#trouble.retryAtMs);
    if (this.#applied >= this.#snapshotDueSeq && this.#snapshotAtMs > now) times.push(this.#snapshotAtMs);
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

  /** Answers questions for about a turn. The rest are answered in the next one. */
  #answer(): void {
    const until = this.#world.monotonicMs() + TURN_MS;
    const nowMs = elapsedMs();
    this.#waiting = this.#waiting.filter(({ untilMs }) => untilMs > nowMs);
    const seq = this.#trouble === undefined ? this.#archivedSeq : Number.POSITIVE_INFINITY;
    for (const request of this.#waiting.filter((waiting) => waiting.type !== 'snapshot' && waiting.seq <= seq)) {
      if (this.#world.monotonicMs() > until) return;
      let reply: Reply | undefined;
      try {
        reply = this.#answerTo(request);
      } catch (error) {
        this.#mend(error); // The rebuilt archive answers.
      }
      if (reply === undefined) return;
      this.#reply(request, reply);
    }
  }

  #answerTo(request: AnyQuestion): Reply | undefined {
    const { id } = request;
    if (this.#trouble !== undefined) return failed(id, this.#trouble.problem, this.#trouble.noRoom);
    if (this.#opened === undefined) return undefined;
    const { store, follower } = this.#opened;
    if (request.type === 'order') return { type: 'order', id, history: orderHistory(store, request.key) };
    if (request.type === 'trades') {
      return { type: 'trades', id, trades: findTrades(store, follower.orderIds, request.query) };
    }
    return undefined;
  }

  #reply(request: AnyQuestion, reply: Reply): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== request);
    this.#say(reply);
  }

  /** Takes the snapshot that is due or requested. False while its source has not reached one. */
  async #takeSnapshots(applied: number): Promise<boolean> {
    const asked = this.#waiting.filter(({ type }) => type === 'snapshot');
    const dueSeq = asked.length > 0 ? Math.max(...asked.map(({ seq }) => seq)) : this.#snapshotDueSeq;
    if (applied < dueSeq) return true;
    if (asked.length === 0 && this.#world.monotonicMs() < this.#snapshotAtMs) return true;
    let written: SnapshotWritten | Failed;
    if (this.#trouble?.noRoom) {
      // If the archive has no space, a snapshot has none either, and waits for the archive.
      if (asked.length === 0) return true;
      written = { message: this.#trouble.problem, noRoom: true };
    } else {
      const source = await this.#snapshotSource(applied);
      if (source instanceof Error) written = this.#notTaken(applied, source);
      else if (source === undefined || source.seq < dueSeq) return false;
      else written = await this.#snapshot(source);
    }
    for (const request of asked) {
      const { id } = request;
      const reply: Reply = 'seq' in written ? { type: 'snapshot', id, written } : { type: 'failed', id, ...written };
      this.#reply(request, reply);
    }
    return true;
  }

  /** The archive's follower, or a separate replica while there is trouble. */
  async #snapshotSource(applied: number): Promise<Follower | Replica | Error | undefined> {
    if (this.#trouble === undefined) return this.#opened?.follower;
    try {
      this.#replica ??= await Replica.open(this.#storage, applied, this.#keeper);
      await this.#replica.advance(applied, TURN_MS, this.#world);
      return this.#replica;
    } catch (error) {
      this.#replica = undefined;
      return error as Error;
    }
  }

  /** What was written, or why nothing was. */
  async #snapshot(source: Follower | Replica): Promise<SnapshotWritten | Failed> {
    const { seq } = source;
    try {
      const written = await source.snapshot();
      this.#snapshotDueSeq = seq + this.#snapshotEvery;
      this.#snapshotProblem = undefined;
      this.#say({ type: 'snapshots', problem: undefined });
      return written;
    } catch (error) {
      return this.#notTaken(seq, error as Error);
    }
  }

  /**
   * Temporary problems are waited out. Otherwise the next start reads more of the log: a state may be too large for a
   * string.
   */
  #notTaken(seq: number, error: Error): Failed {
    const { message } = error;
    if (error instanceof LogFull || error instanceof ArchiveUnavailable || isNoDescriptor(error)) {
      this.#snapshotAtMs = this.#world.monotonicMs() + this.#snapshotBackoff.next(this.#world.monotonicMs());
    } else {
      this.#snapshotDueSeq = seq + this.#snapshotEvery;
    }
    if (this.#snapshotProblem !== message) {
      const problem = `no snapshot at seq ${seq}: ${message}`;
      this.#notice(problem, 'error');
      this.#say({ type: 'snapshots', problem });
    }
    this.#snapshotProblem = message;
    const noLogRoom = error instanceof LogFull && !(error instanceof LogOutOfFiles);
    return { message, noRoom: noLogRoom || (error instanceof ArchiveUnavailable && error.noRoom) };
  }

  /** The archive, opened when needed. */
  async #open(): Promise<Opened> {
    if (this.#opened !== undefined) return this.#opened;
    const store = this.#place.open();
    try {
      this.#opened = { store, follower: await Follower.open(this.#storage, store, this.#applied, this.#keeper) };
    } catch (error) {
      store.close();
      throw error;
    }
    this.#marks.knownFrom = this.#opened.follower.knownFromSeq;
    return this.#opened;
  }

  /** After an error of the archive: it is rebuilt in the next turn, or tried again later. */
  #mend(error: unknown): void {
    if (error instanceof ArchiveUnavailable) {
      this.#isIll(`the archive is waiting, its file cannot be written: ${error.message}`, RETRY_MS, error.noRoom);
      return;
    }
    if (isNoDescriptor(error)) {
      this.#isIll(`the archive is waiting: ${(error as Error).message}`, RETRY_MS, false);
      return;
    }
    this.#opened?.store.close();
    this.#opened = undefined;
    let cause = error;
    if (error instanceof ArchiveDamaged && !(error instanceof ArchiveAhead)) {
      try {
        this.#remove(error);
        this.#remade += 1;
        if (this.#remade <= MOST_REMADE) return;
      } catch (failure) {
        cause = failure;
      }
    }
    const waitMs = this.#backoff.next(this.#world.monotonicMs());
    this.#isIll(`the archive failed and will be retried: ${(cause as Error).message}`, waitMs, false);
  }

  /**
   * Removes the file, so that the archive is rebuilt from the log. If the log cannot rebuild all of it, the file is set
   * aside.
   */
  #remove(error: ArchiveDamaged): void {
    this.#notice(`the archive is rebuilt from the log: ${error.message}`, 'warn');
    if (this.#beginsLate) {
      const name = this.#place.setAside('replaced');
      const why = 'other rules made the beginning of the log, and the new archive does not reach back that far';
      this.#notice(`the old archive is kept as ${name}: ${why}`, 'warn');
    }
    this.#place.remove();
  }

  #isIll(problem: string, waitMs: number, noRoom: boolean): void {
    const isNews = this.#trouble?.problem !== problem;
    this.#trouble = { problem, noRoom, retryAtMs: this.#world.monotonicMs() + waitMs };
    if (!isNews) return;
    this.#notice(problem, 'error');
    this.#say({ type: 'archive', problem });
  }

  #isWell(): void {
    if (this.#trouble === undefined && this.#saidWell) return;
    this.#trouble = undefined;
    this.#replica = undefined;
    this.#saidWell = true;
    this.#say({ type: 'archive', problem: undefined });
  }

  /** One step of the checks. Damage in the archive is repaired. */
  async #checkSome(): Promise<void> {
    if (this.#closing || this.#checks === undefined) return;
    try {
      if ((await this.#checks.next()).done) this.#checks = undefined;
    } catch (error) {
      this.#checks = undefined;
      this.#mend(error);
    }
  }

  /** Works in small steps. Old snapshots are removed when all are known to be sound. */
  async *#allChecks(): AsyncGenerator<void> {
    const checked = { commands: 0, snapshots: 0 };
    try {
      for await (const said of checkHistory(this.#storage, this.#applied, checked, this.#keeper, this.#world)) {
        if (said !== undefined) this.#notice(said, 'warn');
        yield;
      }
      await pruneSnapshots(this.#storage.snapshots);
      this.#say({ type: 'checked', history: { state: 'sound', ...checked } });
    } catch (error) {
      if (isNoDescriptor(error)) {
        const retryAtMs = this.#world.monotonicMs() + RETRY_MS;
        while (this.#world.monotonicMs() < retryAtMs) yield;
        return yield* this.#allChecks();
      }
      // This includes a file that cannot be read: its content is as good as lost.
      this.#say({ type: 'checked', history: { state: 'damaged', problem: (error as Error).message } });
    }
    const opened = this.#opened;
    if (opened === undefined) return;
    for (const _ of opened.store.check()) {
      yield;
      if (this.#opened !== opened) return; // It is being rebuilt.
    }
  }

  #tellProgress(seq: number, applied: number, reached: boolean): void {
    const now = this.#world.monotonicMs();
    if (reached) {
      if (this.#behind?.told) this.#notice(`the archive has reached seq ${applied}`);
      this.#behind = undefined;
      return;
    }
    this.#behind ??= { since: now, told: false };
    if (now - this.#behind.since < PROGRESS_MS) return;
    this.#behind = { since: now, told: true };
    this.#notice(`the archive is at seq ${seq} of ${applied} (${Math.floor((100 * seq) / applied)} %)`);
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => this.#world.timer(ms, resolve));
  }

  #notice(text: string, level: NoticeLevel = 'info'): void {
    this.#say({ type: 'notice', text, level });
  }
}

function failed(id: number, message: string, noRoom: boolean): Reply {
  return { type: 'failed', id, message, noRoom };
}
