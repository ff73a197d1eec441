/**
 * The archive as the venue's thread sees it. The venue reports every applied batch, and asks for the history of an
 * order or for a snapshot. With a data folder, a separate thread does the work (worker.ts). Reporting a batch costs the
 * venue a tenth of a microsecond. A venue in memory builds its archive, in memory too, on the first look-up
 * (memory.ts).
 */
import { Worker } from 'node:worker_threads';
import type { OnNotice } from '../engine/contract/notice.ts';
import type { SnapshotWritten } from '../engine/replay/snapshots.ts';
import type { AskHistory, MarketAnswers, MarketQuestion, QuestionOf } from '../market-data/history.ts';
import type { Left } from '../story/facts.ts';
import { RULES, type StateIdentity } from './follow/follower.ts';
import type { MovedLog } from './follow/movable.ts';
import type { AuditReading, StateReading } from './follow/whole-state.ts';
import type { LedgerPage, LedgerQuery, WalletQuery, WalletRecord } from './read/account-ledger.ts';
import type { AccountOrders, AccountOrdersQuery } from './read/account-orders.ts';
import type { EventRange, OrderHistory } from './read/history.ts';
import type { OrderStory } from './read/story.ts';
import type { Trade, TradeQuery } from './read/trades.ts';
import type { ClientQuery } from './store/client-ids.ts';
import { KEEP_ALL, type Kept } from './store/forgetting.ts';
import { Backoff } from './thread/backoff.ts';
import type { FolderSizes } from './thread/folder-sizes.ts';
import {
  type AnyQuestion,
  APPLIED,
  ARCHIVED,
  elapsedMs,
  type HistoryCheck,
  KNOWN_FROM,
  type LeadRequest,
  ownerOf,
  type Reply,
  type Request,
  SHARED,
  type SizesRequest,
  type ThreadData,
} from './thread/messages.ts';

export const SNAPSHOT_EVERY = 200_000;
/** How long a look-up waits for the archive to catch up with the venue. */
const LOOKUP_MS = 5000;
/** How long look-ups wait for a thread that is just starting. A large snapshot takes it some seconds. */
const BEGIN_MS = 60_000;
const SNAPSHOT_MS = 120_000;
/** How long a reading of the whole state may take, the wait for the archive included. */
const STATE_MS = 120_000;
/** Longer than a request moves segments (thread/log-mover.ts). */
const MOVE_MS = 120_000;
const CLOSE_MS = 10_000;
/** How long a reading of sizes may take. A scrape of the metrics waits for it. */
const SIZES_MS = 2000;
const WAITING = 'are waiting for the archive: try again later';
const CLOSED = 'the archive has been closed';
const THREAD = new URL('./thread/worker.ts', import.meta.url);
/** The prefix of a problem that the check of the history found. */
export const DAMAGE = 'DAMAGE in the history: ';
/** The maximum number of waiting look-ups, and of those of one account, which the others do not wait for. */
const MOST_ASKED = 200;
const MOST_OF_ONE = 20;

/** The archive cannot answer now. */
export class ArchiveBusy extends Error {
  override readonly name: string = 'ArchiveBusy';
}

/** The disk is full. */
export class ArchiveNoRoom extends ArchiveBusy {
  override readonly name = 'ArchiveNoRoom';
}

/** The log, or the rest of what was to be moved, is still in the data folder. */
export class LogNotMoved extends Error {
  override readonly name = 'LogNotMoved';
}

export interface Archive {
  /** By order key. Undefined if there is no such order. @throws {ArchiveBusy} */
  order(key: number): Promise<OrderHistory | undefined>;
  /** The same with a part of its events, and its story. By order key, or by client id. @throws {ArchiveBusy} */
  orderStory(of: number | ClientQuery, range: EventRange): Promise<OrderStory | undefined>;
  /** The keys of the newest orders whose id begins so, at most a few. @throws {ArchiveBusy} */
  ordersBeginning(beginning: string): Promise<readonly number[]>;
  /** A page of an account's orders, open and ended. @throws {ArchiveBusy} */
  accountOrders(query: AccountOrdersQuery): Promise<AccountOrders>;
  /** What left the branch of the command `seq`. Null: it leads to the present state. @throws {ArchiveBusy} */
  leftAt(seq: number): Promise<Left | null>;
  /** The newest order of an account and product with a client id. Undefined if there is none. @throws {ArchiveBusy} */
  clientOrder(query: ClientQuery): Promise<OrderHistory | undefined>;
  /** Trades of everything that is applied at this moment. @throws {ArchiveBusy} */
  trades(query: TradeQuery): Promise<readonly Trade[]>;
  /** A page of an account's ledger, up to everything that is applied at this moment. @throws {ArchiveBusy} */
  ledger(query: LedgerQuery): Promise<LedgerPage>;
  /** The history of an account's wallets. The same holds. @throws {ArchiveBusy} */
  wallet(query: WalletQuery): Promise<readonly WalletRecord[]>;
  /** Market data of everything up to `seq`, and perhaps of later commands. @throws {ArchiveBusy} */
  market: AskHistory;
  /** The first command whose effects it knows: 1, unless other rules made the earlier part and it was not kept. */
  readonly knownFromSeq: number;
  /** The state of the check of everything that the start did not read. Undefined if there is nothing to check. */
  readonly history: HistoryCheck | undefined;
  /** False: it is being opened. Look-ups wait until it is open. */
  readonly hasBegun: boolean;
  /** Why the archive is out of service. */
  readonly problem: string | undefined;
  /** Why the last snapshot failed. */
  readonly snapshotProblem: string | undefined;
  /** From now on it does not keep the process alive. */
  unref(): void;
  /** Resolves when it holds everything that was applied, or after ten seconds. */
  close(): Promise<void>;
}

export interface FolderArchiveOptions {
  folder: string;
  /** The address of the log, if it is not in the folder. */
  log?: string;
  /** The last applied command. */
  seq: number;
  /** Commands between two snapshots. */
  snapshotEvery?: number;
  /** The rules of this version by default. */
  rules?: string;
  venueId?: string;
  /** The key of the venue's order ids, for an archive of an older version. */
  idKey?: string;
  /** Which orders without fills are kept. All by default. */
  keep?: Kept;
  /** False: another process leads, and writes the snapshots, until `lead`. True by default. */
  leads?: boolean;
  /** The `ownerId` of the log's storage, if this process leads and another one could take over. */
  ownerId?: string;
  onNotice: OnNotice;
  /** The module that the thread runs. A test gives one that fails. */
  thread?: URL;
}

/** A question without the fields that all questions have. */
type What = AnyQuestion extends infer Q ? (Q extends AnyQuestion ? Omit<Q, 'id' | 'seq' | 'untilMs'> : never) : never;
interface PendingQuestion {
  readonly owner: string | undefined;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export class FolderArchive implements Archive {
  #worker: Worker | undefined;
  /** Set while the thread is down: the timer of its next start. */
  #restart: NodeJS.Timeout | undefined;
  #closing = false;
  #keepsAlive = true;
  /** Called when the thread has ended. */
  #onExit: () => void = () => {};
  readonly #shared: BigInt64Array;
  readonly #onNotice: OnNotice;
  readonly #thread: URL;
  readonly #snapshotEvery: number;
  readonly #identity: StateIdentity;
  readonly #folder: string;
  readonly #log: string | undefined;
  readonly #idKey: string | undefined;
  readonly #keep: Kept;
  /** Undefined: another process leads. */
  #lead: LeadRequest | undefined;
  readonly #backoff = new Backoff();
  readonly #pending = new Map<number, PendingQuestion>();
  #lastId = 0;
  /** The reading of sizes that is under way, and what ends it. */
  #sizing:
    | { readonly reply: Promise<FolderSizes | undefined>; readonly end: (sizes?: FolderSizes) => void }
    | undefined;
  #hasBegun = false;
  readonly #beginning = Promise.withResolvers<void>();
  /** Look-ups that wait for the beginning. */
  #early = 0;
  #history: HistoryCheck = { state: 'checking' };
  /** The last seq that was moved to a cold folder since the start. 0: none. */
  #movedSeq = 0;
  #problem: string | undefined;
  #snapshotProblem: string | undefined;

  constructor(options: FolderArchiveOptions) {
    const { folder, seq, snapshotEvery = SNAPSHOT_EVERY, rules = RULES, venueId, onNotice, thread = THREAD } = options;
    this.#shared = new BigInt64Array(new SharedArrayBuffer(SHARED * BigInt64Array.BYTES_PER_ELEMENT));
    this.#folder = folder;
    this.#log = options.log;
    this.#idKey = options.idKey;
    this.#keep = options.keep ?? KEEP_ALL;
    this.#snapshotEvery = snapshotEvery;
    this.#identity = { rules, ...(venueId !== undefined && { venueId }) };
    this.#onNotice = onNotice;
    this.#thread = thread;
    this.applied(seq);
    if (options.leads !== false) this.lead(options.ownerId);
    this.#begin();
  }

  #begin(): void {
    const shared = this.#shared.buffer as SharedArrayBuffer;
    const [folder, log, snapshotEvery, identity] = [this.#folder, this.#log, this.#snapshotEvery, this.#identity];
    const [idKey, keep, lead] = [this.#idKey, this.#keep, this.#lead];
    const workerData: ThreadData = { folder, log, shared, snapshotEvery, identity, idKey, keep, lead };
    const worker = new Worker(this.#thread, { workerData });
    if (!this.#keepsAlive) worker.unref();
    let failure: Error | undefined;
    worker.on('message', (reply: Reply) => this.#take(reply));
    worker.on('error', (error) => {
      failure = error;
    });
    worker.once('exit', () => this.#end(failure));
    this.#worker = worker;
  }

  /** From now on this process writes the snapshots. `ownerId`: that of the log's storage, if another process could take over. */
  lead(ownerId?: string): void {
    this.#lead = { type: 'lead', ownerId };
    this.#worker?.postMessage(this.#lead);
  }

  /** Everything up to `seq` is durable and applied. */
  applied(seq: number): void {
    Atomics.store(this.#shared, APPLIED, BigInt(seq));
    Atomics.notify(this.#shared, APPLIED);
  }

  /** The last command in the archive. */
  get seq(): number {
    return Number(Atomics.load(this.#shared, ARCHIVED));
  }

  get knownFromSeq(): number {
    return Math.max(1, Number(Atomics.load(this.#shared, KNOWN_FROM)));
  }

  get history(): HistoryCheck {
    const history = this.#history;
    return history.state === 'sound' && this.#movedSeq > 0 ? { ...history, movedSeq: this.#movedSeq } : history;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get snapshotProblem(): string | undefined {
    return this.#snapshotProblem;
  }

  async order(key: number): Promise<OrderHistory | undefined> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'order', key });
    return reply.type === 'order' ? reply.history : undefined;
  }

  async orderStory(of: number | ClientQuery, range: EventRange): Promise<OrderStory | undefined> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'orderStory', of, range });
    return reply.type === 'orderStory' ? reply.story : undefined;
  }

  async ordersBeginning(beginning: string): Promise<readonly number[]> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'ordersBeginning', beginning });
    return reply.type === 'ordersBeginning' ? reply.keys : [];
  }

  async accountOrders(query: AccountOrdersQuery): Promise<AccountOrders> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'accountOrders', query });
    return reply.type === 'accountOrders' ? reply.page : { orders: [], nextKey: null };
  }

  async leftAt(seq: number): Promise<Left | null> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'leftAt', of: seq });
    return reply.type === 'leftAt' ? reply.left : null;
  }

  async clientOrder(query: ClientQuery): Promise<OrderHistory | undefined> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'clientOrder', query });
    return reply.type === 'order' ? reply.history : undefined;
  }

  async trades(query: TradeQuery): Promise<readonly Trade[]> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'trades', query });
    return reply.type === 'trades' ? reply.trades : [];
  }

  async ledger(query: LedgerQuery): Promise<LedgerPage> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'ledger', query });
    return reply.type === 'ledger' ? reply.page : { entries: [], more: false };
  }

  async wallet(query: WalletQuery): Promise<readonly WalletRecord[]> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'wallet', query });
    return reply.type === 'wallet' ? reply.records : [];
  }

  async market<Type extends MarketQuestion['type']>(
    question: QuestionOf<Type>,
    seq: number,
  ): Promise<MarketAnswers[Type]> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'market', question }, seq);
    if (reply.type === 'market') return reply.answer as MarketAnswers[Type];
    throw new ArchiveBusy('there was no answer');
  }

  /** Writes a snapshot of a state that holds everything that is applied at this moment. @throws {ArchiveBusy} */
  async snapshot(): Promise<SnapshotWritten> {
    const reply = await this.#ask(SNAPSHOT_MS, { type: 'snapshot' });
    if (reply.type === 'snapshot') return reply.written;
    throw new ArchiveBusy('no snapshot was taken');
  }

  /** The state hash after the command `leastSeq` or a later one. @throws {ArchiveBusy} */
  async state(leastSeq: number): Promise<StateReading> {
    const reply = await this.#ask(STATE_MS, { type: 'state' }, leastSeq);
    if (reply.type === 'state') return reply.reading;
    throw new ArchiveBusy('there was no answer');
  }

  /** The audit after the command `leastSeq` or a later one. @throws {ArchiveBusy} */
  async audit(leastSeq: number): Promise<AuditReading> {
    const reply = await this.#ask(STATE_MS, { type: 'audit' }, leastSeq);
    if (reply.type === 'audit') return reply.reading;
    throw new ArchiveBusy('there was no answer');
  }

  /**
   * Moves segments of the log that nothing in the data folder needs to the folder `to`, for about 30 s.
   * @throws {LogNotMoved} with the reason; what was moved before it stays moved @throws {ArchiveBusy}
   */
  async moveLog(to: string): Promise<MovedLog> {
    const reply = await this.#ask(MOVE_MS, { type: 'moveLog', to });
    if (reply.type !== 'moved') throw new ArchiveBusy('there was no answer');
    if (typeof reply.moved === 'string') throw new LogNotMoved(reply.moved);
    this.#movedSeq = Math.max(this.#movedSeq, reply.moved.seq);
    return reply.moved;
  }

  /**
   * How much the files of the folder take. Undefined: the thread did not answer within two seconds, or is down. Calls
   * during a reading share its result.
   */
  sizes(): Promise<FolderSizes | undefined> {
    if (this.#worker === undefined || this.#closing) return Promise.resolve(undefined);
    if (this.#sizing === undefined) {
      const { promise, resolve } = Promise.withResolvers<FolderSizes | undefined>();
      const end = (sizes?: FolderSizes) => {
        clearTimeout(timer);
        this.#sizing = undefined;
        resolve(sizes);
      };
      const timer = setTimeout(end, SIZES_MS);
      this.#sizing = { reply: promise, end };
      this.#worker.postMessage({ type: 'sizes' } satisfies SizesRequest);
    }
    return this.#sizing.reply;
  }

  unref(): void {
    this.#keepsAlive = false;
    this.#worker?.unref();
    this.#restart?.unref();
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#beginning.resolve();
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.postMessage({ type: 'close' } satisfies Request);
    const exited = new Promise<void>((resolve) => {
      this.#onExit = resolve;
    });
    const timer = setTimeout(() => {
      this.#onNotice(`the archive is at seq ${this.seq} at the stop, behind the log: the next start continues it`);
      worker.terminate();
    }, CLOSE_MS);
    await exited;
    clearTimeout(timer);
  }

  /** Answered when it has everything that is applied, and the command `leastSeq`. */
  async #ask(withinMs: number, what: What, leastSeq = 0): Promise<Reply> {
    if (!this.#hasBegun) await this.#untilBegun();
    return this.#askThread(withinMs, what, leastSeq);
  }

  /** Resolves when the thread has opened the archive, or does not open it in time. */
  async #untilBegun(): Promise<void> {
    if (this.#early >= MOST_ASKED) throw new ArchiveBusy(`${MOST_ASKED} look-ups ${WAITING}`);
    this.#early += 1;
    const { promise, resolve } = this.#beginning;
    const timer = setTimeout(resolve, BEGIN_MS);
    await promise;
    clearTimeout(timer);
    this.#early -= 1;
  }

  #noteBegun(): void {
    this.#hasBegun = true;
    this.#beginning.resolve();
  }

  #askThread(withinMs: number, what: What, leastSeq: number): Promise<Reply> {
    const worker = this.#worker;
    if (worker === undefined || this.#closing) return Promise.reject(new ArchiveBusy(this.#problem ?? CLOSED));
    if (this.#pending.size >= MOST_ASKED) {
      return Promise.reject(new ArchiveBusy(`${MOST_ASKED} look-ups ${WAITING}`));
    }
    const owner = ownerOf(what);
    if (owner !== undefined && this.#pendingOf(owner) >= MOST_OF_ONE) {
      return Promise.reject(new ArchiveBusy(`${MOST_OF_ONE} look-ups of this account ${WAITING}`));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const seq = Math.max(Number(Atomics.load(this.#shared, APPLIED)), leastSeq);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new ArchiveBusy(`the archive is at seq ${this.seq} of ${seq}: try again later`));
      }, withinMs);
      this.#pending.set(id, { owner, resolve, reject, timer });
      worker.postMessage({ ...what, id, seq, untilMs: elapsedMs() + withinMs } satisfies Request);
    });
  }

  #pendingOf(account: string): number {
    let count = 0;
    for (const { owner } of this.#pending.values()) if (owner === account) count += 1;
    return count;
  }

  #take(reply: Reply): void {
    if (reply.type === 'notice') this.#onNotice(reply.text, reply.level);
    else if (reply.type === 'sizes') this.#sizing?.end(reply.sizes);
    else if (reply.type === 'checked') this.#checked(reply.history);
    else if (reply.type === 'begun') this.#noteBegun();
    else if (reply.type === 'archive') this.#kept(reply.problem);
    else if (reply.type === 'snapshots') this.#snapshotProblem = reply.problem;
    else if (reply.type === 'failed') this.#settle(reply.id, (question) => question.reject(refusal(reply)));
    else this.#settle(reply.id, (question) => question.resolve(reply));
  }

  #kept(problem: string | undefined): void {
    if (problem === undefined && this.#problem !== undefined) this.#onNotice('the archive is working again');
    this.#problem = problem;
  }

  #checked(history: HistoryCheck): void {
    this.#history = history;
    if (history.state === 'damaged') this.#onNotice(`${DAMAGE}${history.problem}`, 'error');
    if (history.state !== 'sound') return;
    const { commands, snapshots, movedSeq } = history;
    const which = movedSeq === undefined ? `${commands} commands` : `seq ${movedSeq + 1} to ${commands}`;
    this.#onNotice(`the log before the start (${which}) and ${snapshots} snapshots are sound`);
  }

  /** The thread has ended. Unless it was closed, it is started again. */
  #end(failure: Error | undefined): void {
    this.#worker = undefined;
    this.#sizing?.end();
    if (this.#closing) {
      this.#rejectAll(CLOSED);
      this.#onExit();
      return;
    }
    const waitMs = this.#backoff.next(performance.now());
    this.#noteBegun();
    this.#problem = `the archive's thread failed and is restarted: ${failure?.message ?? 'it ended'}`;
    this.#onNotice(this.#problem, 'error');
    this.#rejectAll(this.#problem);
    this.#restart = setTimeout(() => this.#begin(), waitMs);
    if (!this.#keepsAlive) this.#restart.unref();
  }

  #rejectAll(message: string): void {
    for (const id of [...this.#pending.keys()])
      this.#settle(id, (question) => question.reject(new ArchiveBusy(message)));
  }

  #settle(id: number, act: (question: PendingQuestion) => void): void {
    const question = this.#pending.get(id);
    if (question === undefined) return;
    this.#pending.delete(id);
    clearTimeout(question.timer);
    act(question);
  }
}

function refusal({ message, noRoom }: Extract<Reply, { type: 'failed' }>): ArchiveBusy {
  return noRoom ? new ArchiveNoRoom(message) : new ArchiveBusy(message);
}
