/**
 * The archive's thread: follows the log of the venue in the same process, keeps the archive and the snapshots, answers
 * look-ups, and checks in its spare time what the start did not read.
 *
 * It works in turns: go on in the log, answer questions, take a snapshot when one is due, check a little while something
 * is left to check; then rest. While the venue is busy the rests are long, and where the system has priorities for threads,
 * this one's is below the venue's.
 *
 * It knows of no thread: worker.ts is the one that it works in.
 *
 * - Every turn has its step of the check, so that a venue that is always busy is checked, too.
 * - An archive that is damaged is rebuilt from the log. One that is ahead of the log is left alone: it alone tells of the loss.
 * - After any other error the archive is tried again, after longer and longer waits. Meanwhile its questions are refused
 *   with the reason, and snapshots are made without it (replica.ts).
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
 * After a turn in which the venue went on, the rest is so many times as long as the turn: a command costs the archive as
 * much as the venue, and where they share a machine, the venue comes first. Not while somebody waits for an answer.
 */
const RESTS = 9;
/** Behind by so many commands it rests no more: the venue itself holds twice as many ended orders. */
const MOST_BEHIND = RETENTION_ORDERS / 2;
/** What comes in is gathered for so long, so that a transaction holds more than one command. */
const GATHER_MS = 5;
/** The rest after a step of a check, which takes as long at most. */
const CHECK_REST_MS = 10;
/** Where the archive's file cannot be written, it is tried again so often: nothing has to be read again for that. */
const RETRY_MS = 1000;
const PROGRESS_MS = 5000;

/** What is damaged so often is damaged by something else than chance. */
const MOST_REMADE = 3;

/** Why the archive is not kept now. */
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

/** How far venue and archive are, for both to see. */
export interface Marks {
  /** The last command that is durable and applied. */
  readonly applied: number;
  /** Resolves when the venue goes on from `applied`; undefined: it has done so already. */
  changed(applied: number): Promise<unknown> | undefined;
  /** The last command that is in the archive. */
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
  /** What snapshots are made from while there is trouble. */
  #replica: Replica | undefined;
  #remade = 0;
  /** Other rules made the beginning of the log, or nobody knows: an archive that is made from it does not reach back so far. */
  #beginsLate = true;
  #waiting: AnyQuestion[] = [];
  #closing = false;
  #wake: () => void = () => {};
  #snapshotDueSeq = 0;
  /** Before then none is tried that nobody asks for. */
  #snapshotAtMs = 0;
  readonly #snapshotBackoff = new Backoff();
  #snapshotProblem: string | undefined;
  #checks: AsyncIterator<void> | undefined;
  /** Since when it is behind, or when that was last told. */
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

  /** Works until it is told to close, and has everything by then. */
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
      // The check of the history tells of damage.
      if (!(error instanceof LogDamaged)) {
        this.#notice(`the beginning of the log could not be read: ${(error as Error).message}`, 'warn');
      }
      return true;
    }
  }

  /** True when everything is done. */
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

  /** A turn of the archive, if it is time for one; true when there is nothing more to do for it now. */
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

  /** True when the archive holds everything, and is durable. */
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

  /** Waits for the venue to go on, for a request, or for the next attempt at the archive. */
  async #untilMore(applied: number): Promise<void> {
    const changed = this.#marks.changed(applied);
    if (changed !== undefined) await this.#unlessAsked(Promise.race([changed, ...this.#nextAttempt()]));
    await this.#unlessAsked(this.#delay(GATHER_MS));
  }

  /** When it is time to try the archive, or a snapshot that is due, once more. */
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

  /** Answers questions for about a turn; what is left is answered in the next one. */
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
        this.#mend(error); // The answer comes from the archive that is rebuilt.
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

  /** Takes the snapshot that is due or asked for; false while there is one that its source has not reached yet. */
  async #takeSnapshots(applied: number): Promise<boolean> {
    const asked = this.#waiting.filter(({ type }) => type === 'snapshot');
    const dueSeq = asked.length > 0 ? Math.max(...asked.map(({ seq }) => seq)) : this.#snapshotDueSeq;
    if (applied < dueSeq) return true;
    if (asked.length === 0 && this.#world.monotonicMs() < this.#snapshotAtMs) return true;
    let written: SnapshotWritten | Failed;
    if (this.#trouble?.noRoom) {
      // Where the archive has no room, a snapshot has none: it waits for the archive.
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

  /** The archive's follower; a replica of its own while there is trouble. */
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

  /** What passes is waited out. Otherwise the next start reads more of the log: a state may be beyond what a string holds. */
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

  /** The archive, opened when it is needed. */
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

  /** Removes the file, so that the archive is rebuilt from the log; what the log does not give again is kept aside. */
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

  /** A step of the checks. What it finds in the archive is mended. */
  async #checkSome(): Promise<void> {
    if (this.#closing || this.#checks === undefined) return;
    try {
      if ((await this.#checks.next()).done) this.#checks = undefined;
    } catch (error) {
      this.#checks = undefined;
      this.#mend(error);
    }
  }

  /** In small steps. Old snapshots go when all are known to be sound. */
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
      // Also a file that cannot be read: what it holds is as good as lost.
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
