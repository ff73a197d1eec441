/**
 * The archive as the venue's thread sees it: told of every batch that was applied, asked for the history of an order or
 * for a snapshot. On a data folder a thread of its own does the work (thread.ts); telling it costs the venue a tenth of a
 * microsecond a batch. A venue in memory makes its archive, in memory too, when somebody asks (memory.ts).
 */
import { Worker } from 'node:worker_threads';
import type { SnapshotWritten } from '../engine/snapshots.ts';
import type { OrderHistory } from './history.ts';
import {
  type AnyQuestion,
  APPLIED,
  ARCHIVED,
  type HistoryCheck,
  type Reply,
  type Request,
  type ThreadData,
} from './messages.ts';
import type { Trade, TradeQuery } from './trades.ts';

export const SNAPSHOT_EVERY = 200_000;
/** How long a look-up waits for the archive to be where the venue is. */
const LOOKUP_MS = 5000;
const SNAPSHOT_MS = 120_000;
const CLOSE_MS = 10_000;
/** Questions that wait at the same time. */
const MOST_ASKED = 200;

/** The archive cannot do it now. */
export class ArchiveBusy extends Error {
  override readonly name = 'ArchiveBusy';
}

export interface Archive {
  /** By order key; undefined when there is no such order. @throws {ArchiveBusy} */
  order(key: number): Promise<OrderHistory | undefined>;
  /** Trades of everything that is applied now. @throws {ArchiveBusy} */
  trades(query: TradeQuery): Promise<readonly Trade[]>;
  /** How the check of what the start did not read stands; undefined where there is nothing to check. */
  readonly history: HistoryCheck | undefined;
  /** Why the archive is not kept any more. */
  readonly problem: string | undefined;
  /** From now on it does not keep the process alive. */
  unref(): void;
  /** Resolves when it holds everything that was applied, or after ten seconds. */
  close(): Promise<void>;
}

export interface FolderArchiveOptions {
  folder: string;
  /** The last command that is applied. */
  seq: number;
  /** Commands between two snapshots. */
  snapshotEvery?: number;
  onNotice: (text: string) => void;
}

/** A question, without what every one has. */
type What = AnyQuestion extends infer Q ? (Q extends AnyQuestion ? Omit<Q, 'id' | 'seq' | 'untilMs'> : never) : never;
type Asked = { resolve: (reply: Reply) => void; reject: (error: Error) => void; timer: NodeJS.Timeout };

export class FolderArchive implements Archive {
  readonly #worker: Worker;
  readonly #shared: BigInt64Array;
  readonly #onNotice: (text: string) => void;
  readonly #exited: Promise<void>;
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #history: HistoryCheck = { state: 'checking' };
  #problem: string | undefined;
  #ended = false;

  constructor({ folder, seq, snapshotEvery = SNAPSHOT_EVERY, onNotice }: FolderArchiveOptions) {
    const shared = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
    this.#shared = new BigInt64Array(shared);
    this.#onNotice = onNotice;
    this.applied(seq);
    const workerData: ThreadData = { folder, shared, snapshotEvery };
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
    this.#worker.on('message', (reply: Reply) => this.#take(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#ended = true;
        this.#rejectAll('the archive has been closed');
        resolve();
      });
    });
  }

  /** Everything up to `seq` is durable and applied. */
  applied(seq: number): void {
    Atomics.store(this.#shared, APPLIED, BigInt(seq));
    Atomics.notify(this.#shared, APPLIED);
  }

  /** The last command that it holds. */
  get seq(): number {
    return Number(Atomics.load(this.#shared, ARCHIVED));
  }

  get history(): HistoryCheck {
    return this.#history;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async order(key: number): Promise<OrderHistory | undefined> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'order', key });
    return reply.type === 'order' ? reply.history : undefined;
  }

  async trades(query: TradeQuery): Promise<readonly Trade[]> {
    const reply = await this.#ask(LOOKUP_MS, { type: 'trades', query });
    return reply.type === 'trades' ? reply.trades : [];
  }

  /** Writes a snapshot of a state that holds everything that is applied now. @throws {ArchiveBusy} */
  async snapshot(): Promise<SnapshotWritten> {
    const reply = await this.#ask(SNAPSHOT_MS, { type: 'snapshot' });
    if (reply.type === 'snapshot') return reply.written;
    throw new ArchiveBusy(reply.type === 'failed' ? reply.message : 'no snapshot was taken');
  }

  unref(): void {
    this.#worker.unref();
  }

  async close(): Promise<void> {
    if (!this.#ended) this.#worker.postMessage({ type: 'close' } satisfies Request);
    const timer = setTimeout(() => {
      this.#onNotice(`the archive is behind at the stop, at seq ${this.seq}: the next start goes on with it`);
      this.#worker.terminate();
    }, CLOSE_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #ask(withinMs: number, what: What): Promise<Reply> {
    if (this.#ended) return Promise.reject(new ArchiveBusy(this.#problem ?? 'the archive has been closed'));
    if (this.#asked.size >= MOST_ASKED) {
      return Promise.reject(new ArchiveBusy(`${MOST_ASKED} questions wait for the archive: ask again later`));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const seq = Number(Atomics.load(this.#shared, APPLIED));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#asked.delete(id);
        reject(new ArchiveBusy(`the archive is at seq ${this.seq} of ${seq}: ask again later`));
      }, withinMs);
      this.#asked.set(id, { resolve, reject, timer });
      this.#worker.postMessage({ ...what, id, seq, untilMs: Date.now() + withinMs } satisfies Request);
    });
  }

  #take(reply: Reply): void {
    if (reply.type === 'notice') this.#onNotice(reply.text);
    else if (reply.type === 'checked') this.#checked(reply.history);
    else this.#settle(reply.id, (asked) => asked.resolve(reply));
  }

  #checked(history: HistoryCheck): void {
    this.#history = history;
    if (history.state === 'damaged') this.#onNotice(`DAMAGE in what is behind: ${history.problem}`);
    if (history.state !== 'sound') return;
    const { commands, snapshots } = history;
    this.#onNotice(`the log before the start (${commands} commands) and ${snapshots} snapshots are sound`);
  }

  #fail(error: Error): void {
    this.#problem = `the archive failed, and is kept again from the next start on: ${error.message}`;
    this.#onNotice(this.#problem);
    this.#ended = true;
    this.#rejectAll(this.#problem);
  }

  #rejectAll(message: string): void {
    for (const id of [...this.#asked.keys()]) this.#settle(id, (asked) => asked.reject(new ArchiveBusy(message)));
  }

  #settle(id: number, act: (asked: Asked) => void): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    this.#asked.delete(id);
    clearTimeout(asked.timer);
    act(asked);
  }
}
