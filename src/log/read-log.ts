/**
 * Reads a log from its beginning and verifies every byte of it: what recovery, replay and verify stand on.
 *
 * Invariant: what is yielded is, frame by frame, what was made durable, in order and without a gap; the first thing that
 * is not stops the reading with `LogDamaged`. Only the remains of one unfinished last frame are passed over (`torn.ts`).
 * It only reads, and takes no lock: a venue may be writing the same log. So before anything is called damaged it is
 * read a second time, and bytes that changed meanwhile are read on.
 *
 * Cost: one segment in memory at a time; hash and JSON parse of every frame.
 */

import { LogDamaged, type LogEntry, LogUnsupported, RulesMismatch } from './command-log.ts';
import { type Disk, RealDisk } from './disk.ts';
import { decodeFrame, type Frame, NO_HASH } from './frame.ts';
import { SEAL_FILE, sealText, segmentName, segmentNumber } from './segments.ts';
import { judgeTail } from './torn.ts';

/** Where the log ends, which is where it goes on. */
export interface LogEnd {
  /** The number of the segment that the log ends in; 0 when there is no frame at all. */
  segment: number;
  /** The size of that segment, and where in it the next frame belongs. */
  segmentBytes: number;
  offset: number;
  /** The remains of an unfinished frame at `offset`, in bytes. */
  tornBytes: number;
  /** The hash of the last frame. */
  hash: Buffer;
  epoch: number;
  lastSeq: number;
  timeMs: number;
  sealed: boolean;
  frames: number;
  /** Segments behind the end that hold nothing yet. */
  unused: string[];
}

/** Reads the log in `folder`. @throws {LogDamaged} @throws {LogUnsupported} */
export function readLog(folder: string): Generator<LogEntry, LogEnd> {
  return readEntries(new RealDisk(folder));
}

export function* readEntries(disk: Disk): Generator<LogEntry, LogEnd> {
  const reader = new LogReader(disk);
  yield* reader.entries();
  return reader.end;
}

/**
 * Reads the whole log and hands its entries on. Under other rules nothing is handed on, only how the log ends is found out.
 * @throws {RulesMismatch} @throws {LogDamaged} @throws {LogUnsupported}
 */
export function replayLog(disk: Disk, rulesVersion: string, onEntry: (entry: LogEntry) => void = () => {}): LogEnd {
  let otherRules: string | undefined;
  const entries = readEntries(disk);
  let step = entries.next();
  for (; !step.done; step = entries.next()) {
    const entry = step.value;
    if (entry.kind === 'start' && entry.rulesVersion !== rulesVersion) otherRules = entry.rulesVersion;
    if (otherRules === undefined) onEntry(entry);
  }
  if (otherRules !== undefined) throw new RulesMismatch(otherRules, rulesVersion, step.value.sealed);
  return step.value;
}

class LogReader {
  readonly #disk: Disk;
  readonly end: LogEnd = {
    segment: 0,
    segmentBytes: 0,
    offset: 0,
    tornBytes: 0,
    hash: NO_HASH,
    epoch: 0,
    lastSeq: 0,
    timeMs: 0,
    sealed: false,
    frames: 0,
    unused: [],
  };
  /** What the last clean stop wrote beside the log; read before the log, which may be started while it is read. */
  readonly #seal: string | undefined;
  #sealFound = false;

  constructor(disk: Disk) {
    this.#disk = disk;
    this.#seal = disk.read(SEAL_FILE)?.toString('latin1');
  }

  *entries(): Generator<LogEntry> {
    let number = 1;
    while (yield* this.#segmentEntries(number)) number += 1;
    if (this.#seal !== undefined && !this.#sealFound) {
      const { epoch, lastSeq } = this.end;
      throw new LogDamaged(
        segmentName(Math.max(this.end.segment, 1)),
        this.end.offset,
        `the log ends here, in epoch ${epoch} at seq ${lastSeq}, without the seal that ${SEAL_FILE} records: ${this.#seal.trim()}`,
      );
    }
  }

  /** Yields what the segment holds; true when the log goes on in the following one. */
  *#segmentEntries(number: number): Generator<LogEntry, boolean> {
    const file = segmentName(number);
    let bytes = this.#disk.read(file);
    if (bytes === undefined) {
      this.#refuseContentFrom(number + 1, file, 0, 'this segment is missing');
      if (number === 1) return false;
      throw new LogDamaged(file, 0, 'this segment is missing');
    }
    let offset = 0;
    for (;;) {
      try {
        const step = this.#step(bytes, number, offset);
        if (step === undefined) return false;
        if (step.entry !== undefined) yield step.entry;
        if (step.frame.kind === 'next') return true;
        offset += step.frame.length;
      } catch (error) {
        const again: Buffer | undefined = error instanceof LogDamaged ? this.#disk.read(file) : undefined;
        if (again === undefined || again.subarray(offset).equals(bytes.subarray(offset))) throw error;
        bytes = again;
      }
    }
  }

  /** Verifies and takes in the frame at `offset`; undefined at the end of the log. */
  #step(bytes: Buffer, number: number, offset: number): { frame: Frame; entry: LogEntry | undefined } | undefined {
    const file = segmentName(number);
    const frame = this.#frameAt(bytes, file, offset);
    if (frame === undefined) {
      this.#endAt(bytes, number, offset);
      return undefined;
    }
    this.#chain(frame, bytes.length, file, offset);
    const next = offset + frame.length;
    if (frame.kind === 'next' && judgeTail(bytes, next).kind !== 'clean') {
      throw new LogDamaged(file, next, 'something behind the end of the segment');
    }
    const entry = toEntry(frame, file, offset);
    this.#advance(frame, number, next);
    return { frame, entry };
  }

  #frameAt(bytes: Buffer, file: string, offset: number): Frame | undefined {
    const decoded = decodeFrame(bytes, offset);
    if (decoded === undefined) return undefined;
    if ('unsupported' in decoded) throw new LogUnsupported(file, offset, decoded.unsupported);
    return decoded.frame;
  }

  /** What no frame holds against itself: that it is the one that has to come next. */
  #chain(frame: Frame, fileBytes: number, file: string, offset: number): void {
    const { end } = this;
    const count = frame.lastSeq - frame.firstSeq + 1;
    const epoch = frame.kind === 'start' ? end.epoch + 1 : end.epoch;
    const refuse = (reason: string): never => {
      throw new LogDamaged(file, offset, reason);
    };
    if (frame.segmentBytes !== fileBytes)
      refuse(`the file has ${fileBytes} bytes, its frames say ${frame.segmentBytes}`);
    if (!frame.prevHash.equals(end.hash)) refuse('a frame that does not follow the one before it');
    if (end.frames === 0 && frame.kind !== 'start') refuse('a log has to begin with a start record');
    if (frame.firstSeq !== end.lastSeq + 1) refuse(`first seq ${frame.firstSeq} after seq ${end.lastSeq}`);
    if (frame.durableSeq !== end.lastSeq)
      refuse(`durable up to ${frame.durableSeq}, though seq ${end.lastSeq} came before`);
    if (frame.kind === 'batch' ? count < 1 : count !== 0) refuse(`a ${frame.kind} record of ${count} commands`);
    if (frame.epoch !== epoch) refuse(`epoch ${frame.epoch} in a ${frame.kind} record, expected is ${epoch}`);
    if (end.sealed && (frame.kind === 'batch' || frame.kind === 'seal'))
      refuse(`a ${frame.kind} record after the seal`);
  }

  #advance(frame: Frame, segment: number, offset: number): void {
    const { end } = this;
    end.segment = segment;
    end.segmentBytes = frame.segmentBytes;
    end.offset = offset;
    end.hash = frame.hash;
    end.epoch = frame.epoch;
    end.lastSeq = frame.lastSeq;
    end.timeMs = frame.timeMs;
    end.frames += 1;
    if (frame.kind === 'start') end.sealed = false;
    if (frame.kind !== 'seal') return;
    end.sealed = true;
    if (this.#seal === sealText(frame.epoch, frame.lastSeq, frame.hash)) this.#sealFound = true;
  }

  /** No whole frame at `offset`: the log has to end here, behind at most one unfinished frame. */
  #endAt(bytes: Buffer, number: number, offset: number): void {
    const file = segmentName(number);
    if (bytes.length === 0) throw new LogDamaged(file, 0, 'the file is empty');
    const tail = judgeTail(bytes, offset);
    if (tail.kind === 'damaged') throw new LogDamaged(file, tail.offset, tail.reason);
    this.#refuseContentFrom(number + 1, file, offset, 'no whole frame here');
    this.end.tornBytes = tail.kind === 'torn' ? tail.bytes : 0;
    if (this.end.segment !== number) {
      // A fresh segment, made and synced before the first frame goes into it.
      this.end.segment = number;
      this.end.segmentBytes = bytes.length;
      this.end.offset = 0;
    }
  }

  /** A segment is used only when the one before it is full, so content in a later one proves that this is not the end. */
  #refuseContentFrom(number: number, file: string, offset: number, reason: string): void {
    const unused: string[] = [];
    for (const name of this.#disk.names().sort()) {
      const other = segmentNumber(name);
      if (other === undefined || other < number) continue;
      const bytes = this.#disk.read(name);
      if (bytes !== undefined && judgeTail(bytes, 0).kind !== 'clean') {
        throw new LogDamaged(file, offset, `${reason}, though ${name} holds more of the log`);
      }
      unused.push(name);
    }
    this.end.unused = unused;
  }
}

function toEntry(frame: Frame, file: string, offset: number): LogEntry | undefined {
  const { kind, epoch, firstSeq, lastSeq, timeMs } = frame;
  if (kind === 'next') return undefined;
  const elements = parsePayload(frame, file, offset);
  const entry = { epoch, firstSeq, lastSeq, timeMs, file, offset };
  if (kind === 'batch') {
    if (elements.length !== lastSeq - firstSeq + 1) {
      throw new LogDamaged(file, offset, `${elements.length} commands for the seqs ${firstSeq} to ${lastSeq}`);
    }
    return { ...entry, kind, commands: elements };
  }
  if (kind === 'seal') return { ...entry, kind, commands: [] };
  const rulesVersion = (elements[0] as { rules?: unknown } | undefined)?.rules;
  if (typeof rulesVersion !== 'string') throw new LogDamaged(file, offset, 'a start record without its rules version');
  return { ...entry, kind: 'start', rulesVersion, commands: [] };
}

function parsePayload(frame: Frame, file: string, offset: number): unknown[] {
  try {
    const elements: unknown = JSON.parse(frame.payload.toString('utf8'));
    if (Array.isArray(elements)) return elements;
  } catch (cause) {
    throw new LogDamaged(file, offset, 'a payload that is not JSON', { cause });
  }
  throw new LogDamaged(file, offset, 'a payload that is not a JSON array');
}
