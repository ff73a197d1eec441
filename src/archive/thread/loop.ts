/**
 * The archive's main loop. It follows the venue's log, keeps the archive and the snapshots up to date, answers look-ups,
 * and checks what the start did not read. It knows nothing of threads: worker.ts runs it in one.
 *
 * It works in rounds. A round reads more of the log, answers questions, reads the whole state on request, takes a
 * snapshot if one is due, does one step of the checks, and on request moves a segment of the log (log-mover.ts). Then it
 * rests, for longer while the venue is busy.
 *
 * - Every round has a step of the checks, so they also progress while the venue is busy.
 * - An error of the archive is mended (kept-archive.ts). While that takes, questions are refused with the reason, and
 *   snapshots and readings of the whole state come from a replica (spare-replica.ts).
 * - A question that fails for another reason is a bug. It is refused alone: no question takes the archive out of service.
 * - The whole state is read only when everything that is applied is archived. So readings, however many are wanted,
 *   never put the archive further behind than one of them takes.
 */
import type { NoticeLevel } from '../../engine/contract/notice.ts';
import type { World } from '../../engine/contract/world.ts';
import type { SnapshotWritten } from '../../engine/replay/snapshots.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { isNoDescriptor } from '../../log/shared/system-errors.ts';
import { RETENTION_ORDERS } from '../../venue/contract/order-view.ts';
import type { Follower, StateIdentity } from '../follow/follower.ts';
import type { Replica } from '../follow/replica.ts';
import { readAudit, readState } from '../follow/whole-state.ts';
import { ArchiveDamaged, ArchiveUnavailable } from '../store/errors.ts';
import { KEEP_ALL, type Kept } from '../store/forgetting.ts';
import type { ArchivePlace } from '../store/place.ts';
import { allChecks } from './all-checks.ts';
import { answerOf, failed, isOfFile } from './answers.ts';
import { FairTurns } from './fair-turns.ts';
import { KeptArchive } from './kept-archive.ts';
import { LogMover, type OpenMover } from './log-mover.ts';
import { type AnyQuestion, elapsedMs, type Reply, type Request, type SharedProgress } from './messages.ts';
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
  readonly #archive: KeptArchive;
  readonly #progress: SharedProgress;
  readonly #world: LoopOptions['world'];
  readonly #send: (reply: Reply) => void;
  readonly #snapshots: SnapshotTaker;
  readonly #spare: SpareReplica;
  readonly #mover: LogMover;
  #hasBegun = false;
  #waiting: AnyQuestion[] = [];
  readonly #turns = new FairTurns();
  #closing = false;
  #wake: () => void = () => {};
  /** The checks that are left. */
  #checks: AsyncIterator<void> | undefined;

  constructor({ storage, place, progress, world, snapshotEvery, identity, idKey, keep, openMover, send }: LoopOptions) {
    this.#progress = progress;
    this.#world = world;
    this.#send = send;
    const notice = (text: string, level?: NoticeLevel) => this.#notice(text, level);
    const onRecovered = () => this.#spare.drop();
    const common = { storage, identity, progress, world, send, notice };
    this.#archive = new KeptArchive({
      ...common,
      place,
      idKey,
      keep: keep ?? KEEP_ALL,
      roundMs: ROUND_MS,
      onRecovered,
    });
    this.#spare = new SpareReplica({ storage, identity, world, roundMs: ROUND_MS });
    this.#snapshots = new SnapshotTaker({
      storage,
      world,
      every: snapshotEvery,
      onProblem: (problem) => {
        if (problem !== undefined) notice(problem, 'error');
        send({ type: 'snapshots', problem });
      },
    });
    this.#mover = new LogMover({ storage, identity, world, open: openMover });
    this.#checks = allChecks({ ...common, archive: this.#archive });
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
    await this.#archive.lookAtBeginning();
    await this.#snapshots.begin();
    let done = false;
    while (!done) done = await this.#round();
    this.#archive.close();
  }

  /** One round. True: a close was requested, and everything is done. */
  async #round(): Promise<boolean> {
    const applied = this.#applied;
    const begunMs = this.#world.monotonicMs();
    const reached = await this.#archive.advance(applied);
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
    if (this.#closing && this.#archive.isMigrating) {
      this.#archive.endMigration();
      return true;
    }
    if (!reached || !allRead || !noneDue) await this.#delay(0);
    else if (this.#closing && this.#applied === applied) return this.#archive.finish();
    else if (this.#checks !== undefined || forgets || this.#mover.isBusy) await this.#delay(CHECK_REST_MS);
    else await this.#untilMore(applied);
    return false;
  }

  #mayRest(applied: number): boolean {
    return this.#archive.trouble !== undefined || applied - this.#archivedSeq < REST_IF_BEHIND_BELOW;
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
    const { trouble } = this.#archive;
    if (trouble !== undefined) times.push(trouble.retryAtMs);
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
    const seq = this.#archive.trouble === undefined ? this.#archivedSeq : Number.POSITIVE_INFINITY;
    const isReady = (waiting: AnyQuestion) => isOfFile(waiting) && waiting.seq <= seq;
    while (this.#world.monotonicMs() <= until) {
      const request = this.#turns.next(this.#waiting, isReady);
      if (request === undefined) return;
      let reply: Reply | undefined;
      try {
        reply = this.#answerTo(request);
      } catch (error) {
        // A rebuilt archive answers.
        if (isArchiveFault(error)) this.#archive.mend(error);
        else reply = this.#refusalOf(request, error);
      }
      if (reply === undefined) return;
      this.#reply(request.id, reply);
    }
  }

  /** Undefined: the archive is being rebuilt. */
  #answerTo(question: AnyQuestion): Reply | undefined {
    const { trouble, opened } = this.#archive;
    if (trouble !== undefined) return failed(question.id, trouble.problem, trouble.noRoom);
    return opened === undefined || !isOfFile(question) ? undefined : answerOf(question, opened);
  }

  #refusalOf({ id, type }: AnyQuestion, error: unknown): Reply {
    const message = `the archive could not answer a question (${type}): ${(error as Error).message}`;
    this.#notice(message, 'error');
    return failed(id, message);
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
      for (const { id } of asked) this.#reply(id, failed(id, message));
      return true;
    }
  }

  /** What has the whole state. Undefined: the archive is being rebuilt. Throws as `Replica.open`. */
  async #stateSource(applied: number): Promise<Follower | Replica | undefined> {
    const { trouble, opened } = this.#archive;
    return trouble === undefined ? opened?.follower : this.#spare.advanced(applied);
  }

  /** Takes the snapshot that is due or requested. False: its source has not yet reached the seq that is needed. */
  async #takeSnapshots(applied: number): Promise<boolean> {
    if (!this.#progress.leads) return true;
    const asked = this.#waiting.filter(({ type }) => type === 'snapshot');
    const requestedSeq = asked.length > 0 ? Math.max(...asked.map(({ seq }) => seq)) : undefined;
    if (!this.#snapshots.isDue(applied, requestedSeq)) return true;
    let written: SnapshotWritten | NotTaken | undefined;
    const { trouble } = this.#archive;
    if (trouble?.noRoom) {
      // If the archive has no space, a snapshot has none either, and waits for the archive.
      if (asked.length === 0) return true;
      written = { message: trouble.problem, noRoom: true };
    } else {
      written = await this.#snapshots.take(applied, requestedSeq, () => this.#stateSource(applied));
      if (written === undefined) return false;
    }
    for (const { id } of asked) {
      this.#reply(id, 'seq' in written ? { type: 'snapshot', id, written } : { type: 'failed', id, ...written });
    }
    return true;
  }

  /** One step of the checks. An archive that is found damaged is rebuilt. */
  async #checkStep(): Promise<void> {
    if (this.#closing || this.#checks === undefined) return;
    try {
      if ((await this.#checks.next()).done) this.#checks = undefined;
    } catch (error) {
      this.#checks = undefined;
      this.#archive.mend(error);
    }
  }

  /**
   * Removes some of the orders that are no longer kept. A check counts rows, so they wait for its end. True: there may be
   * more.
   */
  #forget(): boolean {
    if (this.#closing || this.#checks !== undefined || this.#archive.trouble !== undefined) return false;
    try {
      return this.#archive.opened?.follower.forget(FORGET_MS, this.#world) ?? false;
    } catch (error) {
      this.#archive.mend(error);
      return false;
    }
  }

  /** Moves a segment of the log, if that is requested. */
  async #moveStep(): Promise<void> {
    if (this.#closing || !this.#mover.isBusy) return;
    // An archive that waits for space stays open, and what it has written counts: moving the log makes room for it.
    const { trouble, opened } = this.#archive;
    if (opened === undefined) {
      if (trouble !== undefined) this.#send(failed(this.#mover.drop(), trouble.problem));
      return;
    }
    const answer = await this.#mover.step(opened.store.state.position);
    if (answer === undefined) return;
    const { moved } = answer;
    if (typeof moved === 'string') this.#notice(`the log was not moved: ${moved}`, 'error');
    else if (moved.moved > 0) this.#notice(`${moved.moved} segments of the log were moved, up to seq ${moved.seq}`);
    await this.#archive.lookAtBeginning();
    this.#send({ type: 'moved', ...answer });
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => this.#world.timer(ms, resolve));
  }

  #notice(text: string, level: NoticeLevel = 'info'): void {
    this.#send({ type: 'notice', text, level });
  }
}

/** True: the archive's file or the system is at fault, and not the question. */
function isArchiveFault(error: unknown): boolean {
  return error instanceof ArchiveDamaged || error instanceof ArchiveUnavailable || isNoDescriptor(error);
}
