/**
 * Reads a log that another thread or process is writing, in small pieces: every frame from a given one up to a seq that
 * is known to be durable. Each frame is verified and must follow the one before it. Nothing after that is verified.
 *
 * Cost: reads at most 256 KiB per step, not a whole segment.
 */

import { LogDamaged, LogUnsupported } from '../contract/command-log.ts';
import type { LogEntry, LogFollower, LogOrigin, LogPosition } from '../contract/log-source.ts';
import { FrameChain, framePosition, originMissing } from '../shared/chain.ts';
import { decodeFrame, type Frame, isFrameLength } from '../shared/frame.ts';
import { placeIn, segmentName } from '../shared/segments.ts';
import type { LogFiles } from './disk.ts';
import { afterMoved, refuseMovedMeanwhile } from './moved.ts';

const WINDOW_BYTES = 256 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

export class FileFollower implements LogFollower {
  readonly #files: LogFiles;
  readonly #chain = new FrameChain();
  #segment = 1;
  #offset = 0;
  /** Part of the segment, beginning at `#windowAt`. */
  #window: Buffer = EMPTY;
  #windowAt = 0;
  #fileBytes = 0;

  /**
   * Begins at the origin, or at the beginning.
   * @throws {LogDamaged} the origin is not in the log @throws {LogMoved}
   */
  constructor(files: LogFiles, origin?: LogOrigin) {
    this.#files = files;
    const moved = afterMoved(files, origin);
    if (moved !== undefined) {
      this.#chain.resume(moved);
      this.#segment = moved.segment + 1;
      return;
    }
    if (origin === undefined) return;
    const position = framePosition(origin);
    this.#segment = position.segment;
    this.#offset = position.offset;
    const frame = this.#frame();
    if (frame === undefined || !this.#chain.begin(frame, position)) {
      throw originMissing(origin, position, this.#fileBytes);
    }
    this.#pass(frame);
  }

  /** The last frame that was taken. Undefined before the first. */
  get position(): LogPosition | undefined {
    return this.#chain.end.position;
  }

  /** Takes the next frames up to the durable `seq`. @throws {LogDamaged} */
  async *take(seq: number): AsyncGenerator<LogEntry, void, void> {
    yield* this.available(seq);
    if (this.#chain.end.lastSeq < seq) {
      const reason = `no complete frame here, but the log is durable up to seq ${seq}`;
      throw new LogDamaged(this.#place, reason);
    }
  }

  /** Takes the complete frames that are present, up to `seq`. @throws {LogDamaged} */
  async *available(seq = Number.POSITIVE_INFINITY): AsyncGenerator<LogEntry, void, void> {
    for (;;) {
      const frame = this.#frame();
      if (frame === undefined || frame.lastSeq > seq) break;
      const entry = this.#chain.take(frame, this.#fileBytes, this.#segment, this.#offset);
      this.#pass(frame);
      if (entry !== undefined) yield entry;
    }
  }

  #pass(frame: Frame): void {
    if (frame.kind === 'next') {
      this.#segment += 1;
      this.#offset = 0;
      this.#window = EMPTY;
      this.#windowAt = 0;
    } else {
      this.#offset += frame.length;
    }
  }

  #frame(): Frame | undefined {
    const frame = this.#decode() ?? this.#read(WINDOW_BYTES);
    if (frame !== undefined || this.#window.length < WINDOW_BYTES) return frame;
    const bytes = this.#window.readUInt32LE(4);
    return isFrameLength(bytes) && bytes > WINDOW_BYTES ? this.#read(bytes) : undefined;
  }

  get #place(): string {
    return placeIn(segmentName(this.#segment), this.#offset);
  }

  /** Reads from where the next frame should be. */
  #read(bytes: number): Frame | undefined {
    const file = segmentName(this.#segment);
    const window = this.#files.readAt(file, this.#offset, bytes);
    if (window === undefined) refuseMovedMeanwhile(this.#files, this.#segment);
    this.#window = window ?? EMPTY;
    this.#windowAt = this.#offset;
    this.#fileBytes = this.#files.size(file) ?? 0;
    return this.#decode();
  }

  #decode(): Frame | undefined {
    const decoded = decodeFrame(this.#window, this.#offset - this.#windowAt);
    if (decoded === undefined) return undefined;
    if ('unsupported' in decoded) {
      throw new LogUnsupported(this.#place, decoded.unsupported);
    }
    return decoded.frame;
  }
}
