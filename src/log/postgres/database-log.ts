/**
 * The log in a database: one row for each frame, with the bytes and the position that the frame would have in a folder.
 *
 * Invariants:
 * - A frame is one statement, which does nothing if this process is not the writer any more (writer.ts).
 * - `append` resolves when the server has answered the commit. It never rejects because the connection is lost: it connects
 *   again, looks whether the frame is there, and writes it only if it is not and the old connection cannot write it any
 *   more. A frame's identity is its bytes, which hold the hash of the frame before it.
 * - If the last durable frame is missing after that, the cluster has lost what it acknowledged. The log fails.
 *
 * Cost of an `append`: one hash, and one statement with its commit. A partition costs two more statements every ten million
 * commands.
 */
import assert from 'node:assert/strict';
import {
  type Batch,
  type CommandLog,
  LogDamaged,
  LogFailed,
  LogUnavailable,
  type Poisoned,
  type RemoteListener,
  type RemoteLog,
  type SealedState,
} from '../contract/command-log.ts';
import type { LogWorld } from '../contract/log-world.ts';
import type { OpenOptions } from '../contract/storage.ts';
import type { ChainEnd, FramePosition } from '../shared/chain.ts';
import { encodeFrame, frameLength } from '../shared/frame.ts';
import { replayLog } from '../shared/replay-log.ts';
import { RESERVE_BYTES, segmentSize } from '../shared/segment-size.ts';
import { placeIn, segmentName } from '../shared/segments.ts';
import {
  Actions,
  type AnyFrame,
  batchFrame,
  type NewFrame,
  nextFrame,
  poisonFrame,
  sealFrame,
  startFrame,
} from '../shared/writing.ts';
import { asLogError, Lost } from './connection.ts';
import type { DatabaseSource } from './database-source.ts';
import { createPartition, PARTITION_SEQS } from './tables.ts';
import type { Row, Writer } from './writer.ts';

/** How long clients wait before they hear that the outcome of their commands is unknown. */
const UNKNOWN_MS = 2000;
const NO_ANSWER = `the database has not answered for ${UNKNOWN_MS / 1000} s`;
const LOOK_AT_IT = 'look at its servers, and at the network';
const NO_LEASE = 'the database does not answer';
const NO_STANDBY =
  'the database answers, but none of its standby servers confirms what it writes: start a standby server, or rebuild it';
/** The next partition exists this many commands before it is needed. */
const PARTITION_AHEAD = PARTITION_SEQS / 2;

export interface DatabaseLogOptions extends OpenOptions {
  /** The size of a new segment in bytes, 8 MiB by default. */
  readonly segmentBytes?: number;
  readonly world: LogWorld;
}

/** Joins the parts of a reason that are known. */
function because(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(': ');
}

export class DatabaseLog implements CommandLog {
  readonly #writer: Writer;
  readonly #world: LogWorld;
  readonly #rulesVersion: string;
  /** The size of new segments. */
  readonly #newSegmentBytes: number;
  /** The last frame. Undefined: there is none. */
  #last: FramePosition | undefined;
  /** Where the next frame will be. */
  #segment: number;
  #offset: number;
  #segmentBytes: number;
  #hash: string;
  #epoch: number;
  #lastSeq: number;
  #lastTimeMs: number;
  /** Every partition up to that of this seq exists. */
  #partitionedSeq = -1;
  /** The size of the frame that found no space. */
  #wantedBytes = 0;
  #listener: RemoteListener | undefined;
  /** Why the record in flight has no answer, as it was reported. */
  #reported: string | undefined;
  #isInserting = false;
  readonly #actions = new Actions();

  private constructor(writer: Writer, end: ChainEnd, { rulesVersion, segmentBytes, world }: DatabaseLogOptions) {
    this.#writer = writer;
    this.#world = world;
    this.#rulesVersion = rulesVersion;
    this.#newSegmentBytes = segmentSize(segmentBytes);
    this.#last = end.position;
    this.#segment = Math.max(end.segment, 1);
    this.#offset = end.offset;
    this.#segmentBytes = end.segmentBytes === 0 ? this.#newSegmentBytes : end.segmentBytes;
    this.#hash = end.hash;
    this.#epoch = end.epoch;
    this.#lastSeq = end.lastSeq;
    this.#lastTimeMs = end.timeMs;
  }

  /**
   * Verifies and replays the log, and starts the next epoch.
   * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} the log cannot be used as it is
   * @throws {LogFull} there is no space for the start record @throws {LogUnreachable}
   */
  static async open(source: DatabaseSource, writer: Writer, options: DatabaseLogOptions): Promise<DatabaseLog> {
    const end = (await replayLog(source.read(options.origin), options)) as ChainEnd;
    if (end.records === 0 && options.mustExist === true) {
      throw new LogDamaged(placeIn(segmentName(1), 0), 'the database was used before, but its log is missing or empty');
    }
    const log = new DatabaseLog(writer, end, options);
    const state = options.state?.();
    await log.#exclusively('start', () => log.#write(startFrame(log, log.#rulesVersion, state)));
    return log;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get lastTimeMs(): number {
    return this.#lastTimeMs;
  }

  get position(): FramePosition {
    assert.ok(this.#last !== undefined, 'an open log holds its start record');
    return this.#last;
  }

  readonly remote: RemoteLog = this.#asRemote();

  append(batch: Batch): Promise<void> {
    return this.#exclusively('append', () => this.#write(batchFrame(this, batch)));
  }

  /** Writes a frame of the refused size, and takes it back. */
  makeRoom(): Promise<void> {
    return this.#exclusively('makeRoom', async () => {
      const { connection } = this.#writer;
      const probe = 'INSERT INTO bourse.file VALUES ($1, 0, $2)';
      const back = new Error('taken back');
      try {
        await connection.transaction(async () => {
          await connection.query(probe, ['probe', Buffer.alloc(this.#wantedBytes)]);
          throw back;
        });
      } catch (error) {
        if (error !== back && !(error instanceof Lost)) throw asLogError(this.#writer.where, error, this.#wantedBytes);
      }
    });
  }

  poison(record: Poisoned): Promise<void> {
    return this.#exclusively('poison', () => this.#write(poisonFrame(this, record)));
  }

  seal(state?: SealedState): Promise<void> {
    return this.#exclusively('seal', async () => {
      await this.#write(sealFrame(this, state));
      this.#actions.sealed();
    });
  }

  async close(): Promise<void> {
    if (!this.#actions.close()) return;
    this.#listener = undefined;
    await this.#writer.release();
  }

  #asRemote(): RemoteLog {
    const log = this;
    return {
      get reliesOn() {
        return log.#writer.reliance;
      },
      get doubt() {
        const { isHeld, renewals, problem } = log.#writer.lease;
        if (isHeld) return log.#writer.unsafe;
        // Nobody can take over on that server either. But an old primary beside a promoted one looks the same.
        if (renewals === 'noStandby') return `${NO_STANDBY}. If one was promoted, another process may lead by now`;
        return because('the lease on the log was not renewed in time, so another process may have taken over', problem);
      },
      watch(listener) {
        log.#listener = listener;
        log.#writer.lease.watch({
          onReplaced: (error) => log.#listener?.onReplaced(error),
          onRenewals: () => log.#noteRenewals(),
        });
      },
      async announce(addresses) {
        try {
          await log.#writer.announce(addresses);
        } catch (error) {
          throw asLogError(log.#writer.where, error);
        }
      },
    };
  }

  /** Writes a frame, in a new segment if this one is full. */
  async #write(frame: NewFrame): Promise<void> {
    const bytes = frameLength(frame.payload) + RESERVE_BYTES[frame.kind];
    if (this.#offset > 0 && this.#offset + bytes > this.#segmentBytes) {
      await this.#writeFrame(nextFrame(this));
      this.#segment += 1;
      this.#offset = 0;
    }
    if (this.#offset === 0) this.#segmentBytes = Math.max(this.#newSegmentBytes, bytes);
    await this.#writeFrame(frame);
  }

  /** Writes a frame that fits into the segment. */
  async #writeFrame({ kind, lastSeq, timeMs, payload, effects }: AnyFrame): Promise<void> {
    // A start begins its epoch. If a segment must end first, that frame still belongs to the epoch before.
    const epoch = kind === 'start' ? this.#epoch + 1 : this.#epoch;
    const { bytes, hash } = encodeFrame(
      {
        kind,
        segmentBytes: this.#segmentBytes,
        epoch,
        firstSeq: this.#lastSeq + 1,
        lastSeq,
        timeMs,
        durableSeq: this.#lastSeq,
        prevHash: this.#hash,
        effects,
      },
      payload,
    );
    const [segment, offset] = [this.#segment, this.#offset];
    await this.#insert({ seq: lastSeq, segment, offset, bytes });
    this.#last = { segment, offset, hash, seq: lastSeq };
    this.#offset += bytes.length;
    this.#hash = hash;
    this.#epoch = epoch;
    this.#lastSeq = lastSeq;
    this.#lastTimeMs = timeMs;
  }

  /** Resolves when the row is durable, however often the connection is lost. */
  async #insert(row: Row): Promise<void> {
    this.#wantedBytes = row.bytes.length;
    this.#isInserting = true;
    const unknown = this.#world.timer(UNKNOWN_MS, () => this.#report(this.#unansweredText));
    let written = false;
    try {
      while (!written) {
        try {
          if (row.seq + PARTITION_AHEAD > this.#partitionedSeq) await this.#partition(row.seq);
          await this.#writer.append(row);
          written = true;
        } catch (error) {
          if (!(error instanceof Lost)) throw asLogError(this.#writer.where, error, row.bytes.length);
          written = await this.#find(row);
        }
      }
    } finally {
      unknown.clear();
      this.#isInserting = false;
      this.#report(undefined);
    }
  }

  /** After a lost connection: whether the row is in the log. Nothing else can write it any more. */
  async #find(row: Row): Promise<boolean> {
    for (;;) {
      try {
        await this.#writer.reconnect();
        const last = await this.#writer.lastFrame();
        if (!(await this.#writer.isWriter())) throw this.#writer.replaced();
        return this.#isLast(row, last);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  }

  /** @throws {LogFailed} the last durable frame is missing */
  #isLast(row: Row, last: Row | undefined): boolean {
    if (last !== undefined && last.segment === row.segment && last.offset === row.offset) {
      if (last.bytes.equals(row.bytes)) return true;
    }
    const before = this.#last;
    if (last?.segment === before?.segment && last?.offset === before?.offset && last?.seq === before?.seq) return false;
    throw new LogFailed(
      `the log in ${this.#writer.where} has lost acknowledged commands: it ends at seq ${last?.seq ?? 0}, and was durable ` +
        `up to seq ${this.#lastSeq}`,
    );
  }

  async #partition(seq: number): Promise<void> {
    const { connection } = this.#writer;
    const upTo = seq + PARTITION_SEQS;
    for (let at = seq; at <= upTo; at += PARTITION_SEQS) await createPartition(connection, at);
    this.#partitionedSeq = (Math.floor(upTo / PARTITION_SEQS) + 1) * PARTITION_SEQS - 1;
  }

  /** Why a record has no answer for so long. */
  get #unansweredText(): string {
    const { lease, unsafe, problem = lease.problem } = this.#writer;
    if (unsafe !== undefined) return unsafe;
    if (lease.renewals === 'noStandby') return NO_STANDBY;
    return because(NO_ANSWER, problem, LOOK_AT_IT);
  }

  /**
   * Reports how renewals go. If a record is in flight, this may also change the reason why it has no answer. A server that could
   * lose the record is a reason at once, and not only after 2 s: the record waits until the server is safe.
   */
  #noteRenewals(): void {
    const { lease, unsafe } = this.#writer;
    const noLease = because(NO_LEASE, lease.problem, LOOK_AT_IT);
    this.#listener?.onUnshown({ renewed: unsafe, noAnswer: noLease, noStandby: NO_STANDBY }[lease.renewals]);
    if (!this.#isInserting) return;
    if (unsafe !== undefined) this.#report(unsafe);
    else if (this.#reported !== undefined && lease.renewals !== 'renewed') this.#report(this.#unansweredText);
  }

  #report(problem: string | undefined): void {
    if (problem === this.#reported) return;
    this.#reported = problem;
    this.#listener?.onUnknown(problem);
  }

  #exclusively(what: string, act: () => Promise<void>): Promise<void> {
    return this.#actions.run(what, act, (error) => {
      const known = [LogUnavailable, LogFailed, assert.AssertionError].some((kind) => error instanceof kind);
      if (known) return error;
      const { message } = error as Error;
      return new LogFailed(`the log in ${this.#writer.where} failed: ${message}`, { cause: error });
    });
  }
}
