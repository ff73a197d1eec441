/**
 * Reads a log, from its beginning or from a frame that a snapshot names, and verifies every byte. Recovery, replay and
 * verify are built on it.
 *
 * Invariant: it yields, frame by frame, what was made durable, in order and without gaps. The first mismatch stops the
 * reading with `LogDamaged`. Only the remains of one unfinished last frame are skipped (`torn.ts`).
 * It only reads, and takes no lock, so a venue may be writing the same log. Before it reports damage, it reads again,
 * and continues with bytes that have changed.
 *
 * Cost: one segment in memory at a time; hash and decoding of every frame.
 */

import { LogDamaged, LogUnsupported } from '../contract/command-log.ts';
import type { LogEntry, LogOrigin } from '../contract/log-source.ts';
import { type ChainEnd, FrameChain, framePosition, originMissing } from '../shared/chain.ts';
import { decodeFrame, type Frame, MAGIC } from '../shared/frame.ts';
import type { Moved } from '../shared/moved.ts';
import { MOVED_FILE, placeIn, SEAL_FILE, sealText, segmentName, segmentNumber } from '../shared/segments.ts';
import type { LogFiles } from './disk.ts';
import { afterMoved, readMoved, refuseMovedMeanwhile } from './moved.ts';
import { classifyTail } from './torn.ts';

/**
 * Reads the whole log, or the part after the origin.
 * @throws {LogDamaged} @throws {LogUnsupported} @throws {LogMoved}
 */
export function* readEntries(files: LogFiles, origin?: LogOrigin): Generator<LogEntry, ChainEnd> {
  const reader = new LogReader(files);
  yield* reader.entries(origin);
  return reader.end;
}

/** Where reading continues, and the content of the segment if it was already read. */
interface ReadingPoint {
  number: number;
  offset: number;
  bytes?: Buffer;
}

/** A folder without the note of what was moved looks like one that has lost its first segments. */
const MAYBE_MOVED =
  `. If the first segments are in a cold folder, ${MOVED_FILE} is lost: run \`bourse log archive\` again with the same ` +
  'cold folder, and it writes the file again';

class LogReader {
  readonly #files: LogFiles;
  readonly #chain = new FrameChain();
  /** What the last clean stop wrote beside the log. Read before the log, which may be started meanwhile. */
  readonly #seal: string | undefined;
  #sealFound = false;

  constructor(files: LogFiles) {
    this.#files = files;
    this.#seal = files.read(SEAL_FILE)?.toString('latin1');
  }

  get end(): ChainEnd {
    return this.#chain.end;
  }

  *entries(origin?: LogOrigin): Generator<LogEntry> {
    let { number, offset, bytes }: ReadingPoint = this.#begin(origin);
    // Only a reader from the beginning knows everything that the note says.
    const moved = origin === undefined ? readMoved(this.#files) : undefined;
    while (yield* this.#segmentEntries(number, offset, bytes)) {
      if (number === moved?.segment) this.#compare(moved);
      number += 1;
      offset = 0;
      bytes = undefined;
    }
    if (this.#seal !== undefined && !this.#sealFound) {
      const { epoch, lastSeq } = this.end;
      throw new LogDamaged(
        this.end.place,
        `the log ends here, in epoch ${epoch} at seq ${lastSeq}, without the seal that ${SEAL_FILE} records: ${this.#seal.trim()}`,
      );
    }
  }

  /** Finds the frame that the origin names. Returns the place after it. */
  #begin(origin: LogOrigin | undefined): ReadingPoint {
    const moved = afterMoved(this.#files, origin);
    if (moved !== undefined) {
      this.#chain.resume(moved);
      return { number: moved.segment + 1, offset: 0 };
    }
    if (origin === undefined) return { number: 1, offset: 0 };
    const position = framePosition(origin);
    const { segment, offset } = position;
    const file = segmentName(segment);
    const bytes = this.#files.read(file) ?? Buffer.alloc(0);
    const frame = this.#frameAt(bytes, file, offset);
    if (frame === undefined || frame.segmentBytes !== bytes.length || !this.#chain.begin(frame, position)) {
      throw originMissing(origin, position, bytes.length);
    }
    if (frame.kind !== 'next') return { number: segment, offset: offset + frame.length, bytes };
    return { number: segment + 1, offset: 0 };
  }

  /** Everything that was moved has been read, up to the record that the note names. */
  #compare(moved: Moved): void {
    const { to: _, ...said } = moved;
    const found = this.#chain.segmentEnd;
    for (const [name, value] of Object.entries(found ?? {})) {
      const other = said[name as keyof typeof said];
      if (other === value) continue;
      const reason = `it says that ${name} is ${other} at the end of ${segmentName(moved.segment)}, but it is ${value}`;
      throw new LogDamaged(MOVED_FILE, reason);
    }
  }

  /** Yields the entries of the segment from `offset` on. True: the log continues in the next segment. */
  *#segmentEntries(number: number, begin: number, read?: Buffer): Generator<LogEntry, boolean> {
    const file = segmentName(number);
    let bytes = read ?? this.#files.read(file);
    if (bytes === undefined) {
      refuseMovedMeanwhile(this.#files, number);
      const isFirst = number === 1 && this.end.records === 0;
      this.#refuseContentFrom(number + 1, file, 0, 'this segment is missing', isFirst ? MAYBE_MOVED : '');
      if (isFirst) return false;
      throw new LogDamaged(placeIn(file, 0), 'this segment is missing');
    }
    let offset = begin;
    for (;;) {
      try {
        const step = this.#step(bytes, number, offset);
        if (step === undefined) return false;
        if (step.entry !== undefined) yield step.entry;
        if (step.frame.kind === 'next') return true;
        offset += step.frame.length;
      } catch (error) {
        const again: Buffer | undefined = error instanceof LogDamaged ? this.#files.read(file) : undefined;
        if (again === undefined || again.subarray(offset).equals(bytes.subarray(offset))) throw error;
        bytes = again;
      }
    }
  }

  /** Verifies and takes the frame at `offset`. Undefined at the end of the log. */
  #step(bytes: Buffer, number: number, offset: number): { frame: Frame; entry: LogEntry | undefined } | undefined {
    const file = segmentName(number);
    const frame = this.#frameAt(bytes, file, offset);
    if (frame === undefined) {
      this.#endAt(bytes, number, offset);
      return undefined;
    }
    const next = offset + frame.length;
    if (frame.kind === 'next' && classifyTail(bytes, next).kind !== 'clean') {
      throw new LogDamaged(placeIn(file, next), 'data after the end of the segment');
    }
    const entry = this.#chain.take(frame, bytes.length, number, offset);
    this.#noteSeal(frame);
    return { frame, entry };
  }

  #frameAt(bytes: Buffer, file: string, offset: number): Frame | undefined {
    const decoded = decodeFrame(bytes, offset);
    if (decoded === undefined) return undefined;
    if ('unsupported' in decoded) throw new LogUnsupported(placeIn(file, offset), decoded.unsupported);
    return decoded.frame;
  }

  #noteSeal({ kind, epoch, lastSeq, hash }: Frame): void {
    if (kind === 'seal' && this.#seal === sealText(epoch, lastSeq, hash)) this.#sealFound = true;
  }

  /** There is no complete frame at `offset`, so the log must end here, after at most one unfinished frame. */
  #endAt(bytes: Buffer, number: number, offset: number): void {
    const file = segmentName(number);
    if (bytes.length === 0) throw new LogDamaged(placeIn(file, 0), 'the file is empty');
    const tail = classifyTail(bytes, offset);
    if (tail.kind === 'damaged') throw new LogDamaged(placeIn(file, tail.offset), tail.reason);
    this.#refuseContentFrom(number + 1, file, offset, 'no complete frame here');
    this.end.tornBytes = tail.kind === 'torn' ? tail.bytes : 0;
    if (this.end.segment !== number) {
      // A new segment, created and synced before its first frame.
      this.end.segment = number;
      this.end.segmentBytes = bytes.length;
      this.end.offset = 0;
    }
  }

  /**
   * A segment is used only when the one before it is full. So a frame in a later segment, or part of one, proves that
   * the log does not end here. Anything else there is damage in that place. `advice` follows the message.
   */
  #refuseContentFrom(number: number, file: string, offset: number, reason: string, advice = ''): void {
    const unused: string[] = [];
    for (const name of this.#files.names().sort()) {
      const other = segmentNumber(name);
      if (other === undefined || other < number) continue;
      const bytes = this.#files.read(name);
      const content = bytes === undefined ? undefined : classifyTail(bytes, 0);
      if (content?.kind === 'damaged' && !bytes?.includes(MAGIC)) {
        throw new LogDamaged(placeIn(name, content.offset), content.reason);
      }
      if (content !== undefined && content.kind !== 'clean') {
        throw new LogDamaged(placeIn(file, offset), `${reason}, but ${name} holds more of the log${advice}`);
      }
      unused.push(name);
    }
    this.end.unused = unused;
  }
}
