/**
 * The embedded log: append-only segment files of hash-chained frames (`frame.ts`) in one folder.
 *
 * Invariants:
 * - A segment is created whole before its first frame: filled with zeros, synced, given its name, and the folder synced.
 * - The last two sectors of a segment are reserved: for a seal, and for the frame that ends the segment. So a log without
 *   space can still be sealed.
 * - A frame is written in one piece after the last durable one. `append` resolves after one `fdatasync`.
 * - The next segment is created and opened when the current one is half full, so that switching to it needs nothing
 *   more.
 * - A start writes and syncs the last frame and the zeros after it again. If a sync failed before the restart, they may
 *   be in the kernel's cache but not on the disk.
 * - If a frame finds no space, its bytes are zeroed and synced, and the log can continue once there is space. The same
 *   holds if no descriptor is free for a new segment. A segment is never shortened: after a crash during that, a start
 *   could refuse it.
 * - Any other failed write, and any failed sync, end the log. A failed sync is never retried: the kernel may have dropped
 *   the bytes, and would report success.
 *
 * Cost of an `append`: one hash, one write, one sync. A new segment costs two more syncs and a write of its size.
 */
import assert from 'node:assert/strict';
import {
  type Batch,
  type CommandLog,
  LogDamaged,
  LogFailed,
  LogFull,
  type Poisoned,
  type SealedState,
  type StartState,
} from '../contract/command-log.ts';
import type { OpenOptions } from '../contract/storage.ts';
import type { ChainEnd, FramePosition } from '../shared/chain.ts';
import { encodeFrame, frameLength, MAX_FRAME_BYTES, SECTOR_BYTES } from '../shared/frame.ts';
import { replayLog } from '../shared/replay-log.ts';
import { NEXT_BYTES, RESERVE_BYTES, segmentSize } from '../shared/segment-size.ts';
import { placeIn, SEAL_FILE, sealText, segmentName } from '../shared/segments.ts';
import { isNoSpace } from '../shared/system-errors.ts';
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
import { createFile, type Disk, type DiskFile, writeWhole } from './disk.ts';
import { asLogError } from './log-errors.ts';
import { readEntries } from './read-log.ts';
import { createSegment, type Segment, tidy, writeZeros } from './segment-files.ts';

/** More than a start record needs. After a seal, only a start record can be unfinished. */
const MAX_START_BYTES = 8 * SECTOR_BYTES;

export interface FileLogOptions extends OpenOptions {
  /** The size of a new segment in bytes, 8 MiB by default. A larger batch gets a segment of its own size. */
  segmentBytes?: number;
  /** Called before anything is written. If it throws, the log fails without writing. */
  beforeWrite?: () => void;
  /** Called when the log is closed, to release the lock. */
  onClose?: () => void;
}

export class FileLog implements CommandLog {
  readonly #disk: Disk;
  readonly #rulesVersion: string;
  readonly #segmentBytes: number;
  readonly #beforeWrite: () => void;
  readonly #onClose: () => void;
  #segment: Segment;
  /** The next segment, once it exists. */
  #spare: Segment | undefined;
  /** The offset at which the next segment is created. */
  #aheadAt: number;
  /** Where the next frame will be in the segment. */
  #offset: number;
  /** The hash of the last frame, in hex. */
  #hash: string;
  /** Where the last frame begins. It may be in the previous segment. */
  #last: { segment: number; offset: number } | undefined;
  #epoch: number;
  #lastSeq: number;
  #lastTimeMs: number;
  /**
   * How many bytes after the end of the log may belong to a frame that found no space. They are zeroed before the next
   * write. After a crash, a start removes them as an unfinished frame.
   */
  #remains = 0;
  /** The space that the last refused frame needs. Undefined: none was refused since the last success. */
  #wanted: { bytes: number; reserve: number } | undefined;
  readonly #actions = new Actions();

  private constructor(disk: Disk, options: FileLogOptions, segment: Segment, end: ChainEnd) {
    this.#disk = disk;
    this.#rulesVersion = options.rulesVersion;
    this.#segmentBytes = segmentSize(options.segmentBytes);
    this.#beforeWrite = options.beforeWrite ?? (() => {});
    this.#onClose = options.onClose ?? (() => {});
    this.#segment = segment;
    this.#offset = end.offset;
    this.#aheadAt = segment.bytes / 2;
    this.#hash = end.hash;
    this.#last = end.position;
    this.#epoch = end.epoch;
    this.#lastSeq = end.lastSeq;
    this.#lastTimeMs = end.timeMs;
  }

  /**
   * Verifies and replays the log on `disk`, removes the remains of an unfinished batch, and starts the next epoch.
   * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} the log cannot be used as it is
   * @throws {LogFull} there is no space for the start record
   */
  static async open(disk: Disk, options: FileLogOptions): Promise<FileLog> {
    const segmentBytes = segmentSize(options.segmentBytes);
    const end = await replayLog(readEntries(disk, options.origin), options);
    if (end.records === 0 && options.mustExist === true) {
      throw new LogDamaged(placeIn(segmentName(1), 0), 'the folder was used before, but its log is missing or empty');
    }
    try {
      await tidy(disk, end);
      const segment =
        end.segment === 0
          ? await createSegment(disk, 1, segmentBytes)
          : { number: end.segment, bytes: end.segmentBytes, file: disk.open(segmentName(end.segment)) };
      const log = new FileLog(disk, options, segment, end);
      try {
        // It may refuse the start by throwing, so it is called before the first frame is written.
        const state = options.state?.();
        if (end.segment > 0) await log.#rewriteEnd(end, options.onNotice);
        await log.#start(state);
      } catch (error) {
        log.#closeFiles();
        throw error;
      }
      return log;
    } catch (error) {
      throw asLogError(disk, error, segmentBytes);
    }
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
    const { segment, offset } = this.#last;
    return { segment, offset, hash: this.#hash, seq: this.#lastSeq };
  }

  append(batch: Batch): Promise<void> {
    return this.#exclusively('append', async () => {
      await this.#write(batchFrame(this, batch), batch.mayBlock);
      await this.#openAhead();
    });
  }

  makeRoom(): Promise<void> {
    return this.#exclusively('makeRoom', async () => {
      // `#wanted` stays set until the whole space is reserved, also if only the switch to a new segment succeeds.
      if (this.#wanted === undefined) return;
      const { bytes, reserve } = this.#wanted;
      await this.#ensureFits(bytes, reserve);
      await this.#takeBack();
      try {
        writeZeros(this.#segment.file, this.#offset, bytes);
      } catch (error) {
        await this.#refuse(error, bytes);
      }
      await this.#sync(this.#segment.file);
      this.#wanted = undefined;
    });
  }

  poison(record: Poisoned): Promise<void> {
    return this.#exclusively('poison', () => this.#write(poisonFrame(this, record)));
  }

  seal(state?: SealedState): Promise<void> {
    return this.#exclusively('seal', async () => {
      await this.#write(sealFrame(this, state));
      this.#actions.sealed();
      await this.#writeSealFile();
    });
  }

  async close(): Promise<void> {
    if (!this.#actions.close()) return;
    this.#closeFiles();
    this.#onClose();
  }

  /**
   * Makes the end of the log durable again: the last frame, and zeros as far as an unfinished frame may have reached.
   * If a sync failed before the restart, the kernel may keep both in its cache and never write them to the disk. This
   * process has read them from the cache, and is about to append after them.
   */
  async #rewriteEnd(
    { position: last, tornBytes, sealed }: ChainEnd,
    onNotice: FileLogOptions['onNotice'],
  ): Promise<void> {
    const { number, bytes, file } = this.#segment;
    if (last !== undefined && last.segment === number) {
      this.#rewrite(file, last, this.#offset - last.offset);
    } else if (last !== undefined) {
      const before = this.#disk.open(segmentName(last.segment));
      try {
        this.#rewrite(before, last, NEXT_BYTES); // A segment that is not the last one ends in this frame.
        await this.#sync(before);
      } finally {
        before.close();
      }
    }
    if (tornBytes > 0) {
      const where = placeIn(segmentName(number), this.#offset);
      onNotice?.(`removed ${tornBytes} bytes of an unfinished last batch that was never acknowledged: ${where}`);
    }
    const reach = Math.max(tornBytes, sealed ? MAX_START_BYTES : MAX_FRAME_BYTES);
    this.#remains = Math.min(reach, bytes - this.#offset);
    await (this.#remains > 0 ? this.#takeBack() : this.#sync(file));
  }

  #rewrite(file: DiskFile, { segment, offset }: FramePosition, length: number): void {
    writeWhole(file, this.#disk.readAt(segmentName(segment), offset, length) as Buffer, offset);
  }

  async #start(state: StartState | undefined): Promise<void> {
    await this.#write(startFrame(this, this.#rulesVersion, state));
    if (this.#disk.read(SEAL_FILE) === undefined) return;
    this.#disk.remove(SEAL_FILE);
    await this.#syncNames();
  }

  /** Writes a frame, in a new segment if this one is full. If there is no space, `#wanted` says how much it needs. */
  async #write(frame: NewFrame, mayBlock?: boolean): Promise<void> {
    const wanted = { bytes: frameLength(frame.payload), reserve: RESERVE_BYTES[frame.kind] };
    this.#wanted = wanted;
    if (!this.#fits(wanted.bytes, wanted.reserve)) await this.#ensureFits(wanted.bytes, wanted.reserve);
    await this.#writeFrame(frame, mayBlock);
    this.#wanted = undefined;
  }

  /** Writes a frame that fits into the segment. */
  async #writeFrame({ kind, lastSeq, timeMs, payload, effects }: AnyFrame, mayBlock?: boolean): Promise<void> {
    const length = frameLength(payload);
    assert.ok(this.#offset + length <= this.#segment.bytes, 'a frame must fit into its segment');
    if (this.#remains > 0) await this.#takeBack();
    // A start begins its epoch. If a segment must end first, that frame still belongs to the epoch before.
    const epoch = kind === 'start' ? this.#epoch + 1 : this.#epoch;
    const { bytes, hash } = encodeFrame(
      {
        kind,
        segmentBytes: this.#segment.bytes,
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
    try {
      writeWhole(this.#segment.file, bytes, this.#offset);
    } catch (error) {
      await this.#refuse(error, length);
    }
    await this.#sync(this.#segment.file, mayBlock);
    this.#last = { segment: this.#segment.number, offset: this.#offset };
    this.#offset += length;
    this.#hash = hash;
    this.#epoch = epoch;
    this.#lastSeq = lastSeq;
    this.#lastTimeMs = timeMs;
  }

  #fits(bytes: number, reserve: number): boolean {
    return this.#offset + bytes + reserve <= this.#segment.bytes;
  }

  /** Switches to a new segment if the current one has less than `bytes` and the reserve left. */
  async #ensureFits(bytes: number, reserve: number): Promise<void> {
    // Twice at most: the spare segment may have been created for a smaller batch.
    while (!this.#fits(bytes, reserve)) {
      const size = Math.max(this.#segmentBytes, bytes + reserve);
      const number = this.#segment.number + 1;
      this.#spare ??= await createSegment(this.#disk, number, size);
      await this.#writeFrame(nextFrame(this));
      this.#segment.file.close();
      this.#segment = this.#spare;
      this.#spare = undefined;
      this.#offset = 0;
      this.#aheadAt = this.#segment.bytes / 2;
    }
  }

  /**
   * Creates the next segment while this one still has space, so that switching cannot fail for lack of space or of a
   * descriptor. If it fails, it is tried again when half of the remaining space is used.
   */
  async #openAhead(): Promise<void> {
    if (this.#spare !== undefined || this.#offset < this.#aheadAt) return;
    try {
      this.#spare = await createSegment(this.#disk, this.#segment.number + 1, this.#segmentBytes);
    } catch (error) {
      if (!(error instanceof LogFull)) throw error;
      this.#aheadAt = (this.#offset + this.#segment.bytes) / 2;
    }
  }

  /** A write of `bytes` bytes at the end failed. If there was no space, what it wrote is taken back. */
  async #refuse(error: unknown, bytes: number): Promise<never> {
    if (!isNoSpace(error)) throw error;
    this.#remains = bytes;
    await this.#takeBack();
    throw new LogFull(this.#disk.folder, bytes, { cause: error });
  }

  /**
   * Zeros the bytes of a frame that found no space, before anything else is written there. The head is zeroed last:
   * without it, the rest would not look like an unfinished frame.
   * @throws {LogFull} on this disk even overwriting needs space; the next call tries again
   */
  async #takeBack(): Promise<void> {
    if (this.#remains === 0) return;
    const { file } = this.#segment;
    const head = Math.min(this.#remains, SECTOR_BYTES);
    try {
      writeZeros(file, this.#offset + head, this.#remains - head);
      writeZeros(file, this.#offset, head);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      throw new LogFull(this.#disk.folder, this.#remains, { cause: error });
    }
    await this.#sync(file);
    this.#remains = 0;
  }

  async #sync(file: DiskFile, mayBlock = false): Promise<void> {
    try {
      await file.sync(mayBlock);
    } catch (cause) {
      throw new LogFailed('a sync of the command log failed', { cause });
    }
  }

  async #syncNames(): Promise<void> {
    try {
      await this.#disk.syncNames();
    } catch (cause) {
      throw new LogFailed('a sync of the folder of the command log failed', { cause });
    }
  }

  /**
   * Writes the seal file. If the log is later found without this seal, a start knows that its end was lost. If there is
   * no space for the file, the seal in the log must do.
   */
  async #writeSealFile(): Promise<void> {
    const text = Buffer.from(sealText(this.#epoch, this.#lastSeq, this.#hash));
    try {
      await createFile(this.#disk, SEAL_FILE, (file) => writeWhole(file, text, 0));
    } catch (error) {
      if (!isNoSpace(error)) throw error;
    }
  }

  #exclusively(what: string, act: () => Promise<void>): Promise<void> {
    const checked = async () => {
      this.#beforeWrite();
      await act();
    };
    return this.#actions.run(what, checked, (error) => asLogError(this.#disk, error, this.#segmentBytes));
  }

  #closeFiles(): void {
    this.#segment.file.close();
    this.#spare?.file.close();
    this.#spare = undefined;
  }
}
