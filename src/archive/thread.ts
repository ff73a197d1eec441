/**
 * The archive's thread: follows the log of the venue in the same process, keeps the archive and the snapshots, answers
 * look-ups, and checks in its spare time what the start did not read.
 *
 * It works in turns: go on in the log, answer who waits, take a snapshot when one is due; then wait for the venue, or,
 * while there is something left to check, check a little. A busy venue is given way by long rests between the turns, and
 * where the system can, by a priority below that of the venue's thread. An archive that is damaged, or ahead of the log, is
 * made again from the log.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { pruneSnapshots, snapshotFiles } from '../engine/snapshots.ts';
import { LogDamaged } from '../log/command-log.ts';
import { RealDisk } from '../log/file/disk.ts';
import { ARCHIVE_FILE, snapshotSeq } from '../log/file/segments.ts';
import { RETENTION_ORDERS } from '../venue/order-table.ts';
import { checkHistory } from './check.ts';
import { Follower } from './follower.ts';
import { orderHistory } from './history.ts';
import { type AnyQuestion, APPLIED, ARCHIVED, type Reply, type Request, type ThreadData } from './messages.ts';
import { ArchiveAhead, ArchiveDamaged, ArchiveStore, ArchiveUnavailable } from './store.ts';
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
const RETRY_MS = 1000;
const PROGRESS_MS = 5000;
/** On Linux threads have priorities of their own: this one's is a little below the others'. */
const NICE = 5;

/** Behind the name of an archive that was ahead of the log. */
const AHEAD = '.ahead';

/** What is damaged so often is damaged by something else than chance. */
const MOST_REMADE = 3;

interface Opened {
  readonly store: ArchiveStore;
  readonly follower: Follower;
}

class ArchiveThread {
  readonly #folder: string;
  readonly #disk: RealDisk;
  readonly #shared: BigInt64Array;
  readonly #snapshotEvery: number;
  readonly #say: (reply: Reply) => void;
  #opened: Opened | undefined;
  #remade = 0;
  #waiting: AnyQuestion[] = [];
  #closing = false;
  #wake: () => void = () => {};
  #snapshotDueSeq: number;
  #checks: AsyncIterator<void> | undefined;
  /** Since when it is behind, or when that was last told. */
  #behind: { since: number; told: boolean } | undefined;

  constructor({ folder, shared, snapshotEvery }: ThreadData, say: (reply: Reply) => void) {
    this.#folder = folder;
    this.#disk = new RealDisk(folder);
    this.#shared = new BigInt64Array(shared);
    this.#snapshotEvery = snapshotEvery;
    this.#say = say;
    const [newest] = snapshotFiles(this.#disk);
    this.#snapshotDueSeq = (newest === undefined ? 0 : (snapshotSeq(newest) ?? 0)) + snapshotEvery;
    this.#checks = this.#allChecks();
  }

  take(request: Request): void {
    if (request.type === 'close') this.#closing = true;
    else this.#waiting.push(request);
    this.#wake();
  }

  /** Works until it is told to close, and has everything by then. */
  async run(): Promise<void> {
    let done = false;
    while (!done) {
      try {
        done = await this.#turn();
      } catch (error) {
        await this.#mend(error);
        done = this.#closing;
      }
    }
    this.#opened?.store.checkpoint();
    this.#opened?.store.close();
  }

  /** True when everything is done. */
  async #turn(): Promise<boolean> {
    const opened = this.#open();
    const { follower } = opened;
    const applied = this.#applied;
    const begunMs = performance.now();
    const reached = follower.advance(applied, TURN_MS);
    Atomics.store(this.#shared, ARCHIVED, BigInt(follower.seq));
    this.#tellProgress(follower.seq, applied, reached);
    await this.#answer(opened);
    if (follower.seq >= this.#snapshotDueSeq) await this.#snapshot(follower);
    const busy = this.#applied !== applied && applied - follower.seq < MOST_BEHIND;
    if (busy) await this.#unlessAsked(delay(RESTS * (performance.now() - begunMs)));
    if (!reached) await delay(0);
    else if (this.#closing) return this.#applied === applied;
    else if (this.#checks === undefined) await this.#untilMore(applied);
    else await this.#checkSome(this.#checks);
    return false;
  }

  get #applied(): number {
    return Number(Atomics.load(this.#shared, APPLIED));
  }

  /** Waits for the venue to go on, or for a request. */
  async #untilMore(applied: number): Promise<void> {
    const { async, value } = Atomics.waitAsync(this.#shared, APPLIED, BigInt(applied));
    if (async) await this.#unlessAsked(value);
    await this.#unlessAsked(delay(GATHER_MS));
  }

  /** Waits for `what`, or for a request. */
  async #unlessAsked(what: Promise<unknown>): Promise<void> {
    if (this.#waiting.length > 0 || this.#closing) return;
    const asked = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([what, asked]);
  }

  /** For about a turn; who still waits then is answered in the next one. */
  async #answer({ store, follower }: Opened): Promise<void> {
    const { seq } = follower;
    const until = performance.now() + TURN_MS;
    this.#waiting = this.#waiting.filter(({ untilMs }) => untilMs > Date.now());
    for (const request of this.#waiting.filter((waiting) => waiting.seq <= seq)) {
      if (performance.now() > until) return;
      const { id } = request;
      let reply: Reply;
      if (request.type === 'order') {
        reply = { type: 'order', id, history: orderHistory(store, request.key) };
      } else if (request.type === 'trades') {
        reply = { type: 'trades', id, trades: findTrades(store, follower.orderIds, request.query) };
      } else {
        const written = await this.#snapshot(follower);
        if (typeof written === 'string') reply = { type: 'failed', id, message: written };
        else reply = { type: 'snapshot', id, written };
      }
      // Only now: when the archive turns out to be damaged, the answer comes from the one that is made again.
      this.#waiting = this.#waiting.filter((waiting) => waiting !== request);
      this.#say(reply);
    }
  }

  /** What was written, or why nothing was. */
  async #snapshot(follower: Follower) {
    const { seq } = follower;
    this.#snapshotDueSeq = seq + this.#snapshotEvery;
    try {
      return await follower.snapshot();
    } catch (error) {
      if (error instanceof LogDamaged) throw error;
      // No room, or a state beyond what one string can hold: the next start reads more of the log.
      const { message } = error as Error;
      this.#notice(`no snapshot at seq ${seq}: ${message}`);
      return message;
    }
  }

  /** The archive, opened when it is needed. */
  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    const store = new ArchiveStore(join(this.#folder, ARCHIVE_FILE));
    try {
      this.#opened = { store, follower: new Follower(this.#disk, store, this.#applied) };
    } catch (error) {
      store.close();
      throw error;
    }
    return this.#opened;
  }

  /** What the archive comes back from in the next turn; anything else ends the thread. */
  async #mend(error: unknown): Promise<void> {
    if (error instanceof ArchiveUnavailable) {
      this.#notice(`the archive waits, its file cannot be written: ${error.message}`);
      if (!this.#closing) await delay(RETRY_MS);
      return;
    }
    if (!(error instanceof ArchiveDamaged) || this.#remade >= MOST_REMADE) throw error;
    this.#remade += 1;
    this.#notice(`the archive is made again from the log: ${error.message}`);
    this.#opened?.store.close();
    this.#opened = undefined;
    const file = join(this.#folder, ARCHIVE_FILE);
    // It alone tells of what the log has lost.
    if (error instanceof ArchiveAhead && !existsSync(file + AHEAD)) {
      renameSync(file, file + AHEAD);
      this.#notice(`the archive that is ahead of the log is kept as ${ARCHIVE_FILE}${AHEAD}`);
    }
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  }

  /** A step of the checks, and a rest. */
  async #checkSome(checks: AsyncIterator<void>): Promise<void> {
    if ((await checks.next()).done) this.#checks = undefined;
    await delay(CHECK_REST_MS);
  }

  /** In small steps. Old snapshots go when all are known to be sound. */
  async *#allChecks(): AsyncGenerator<void> {
    const checked = { commands: 0, snapshots: 0 };
    try {
      yield* checkHistory(this.#disk, this.#applied, checked);
      await pruneSnapshots(this.#disk);
      this.#say({ type: 'checked', history: { state: 'sound', ...checked } });
    } catch (error) {
      if (!(error instanceof LogDamaged)) throw error;
      this.#say({ type: 'checked', history: { state: 'damaged', problem: error.message } });
    }
    const opened = this.#open();
    for (const _ of opened.store.check()) {
      yield;
      if (this.#opened !== opened) return; // It is being made again.
    }
  }

  #tellProgress(seq: number, applied: number, reached: boolean): void {
    const now = performance.now();
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

  #notice(text: string): void {
    this.#say({ type: 'notice', text });
  }
}

if (process.platform === 'linux') setPriority(0, NICE);
const port = parentPort;
if (port === null) throw new Error('this module is a thread of its own');
const say = (reply: Reply): void => port.postMessage(reply);
const thread = new ArchiveThread(workerData as ThreadData, say);
port.on('message', (request: Request) => thread.take(request));
await thread.run();
port.close();
