/**
 * What ties the frames of a log together: each follows the one before it by hash, sequence number and epoch. Whoever reads
 * a log, from its beginning or from a frame that a snapshot names, takes frame after frame through a chain.
 *
 * Invariant: `end` is where the log stands behind the last frame that was taken; a frame that does not follow is refused.
 */
import { LogDamaged, type LogEntry, type Poisoned } from '../command-log.ts';
import { type Frame, NO_HASH } from './frame.ts';
import { segmentName } from './segments.ts';

/** A frame by its place and its hash, and so everything of the log up to it. */
export interface LogPosition {
  readonly segment: number;
  /** Where the frame begins. */
  readonly offset: number;
  /** The frame's own hash, in hex. */
  readonly hash: string;
  /** The last seq up to it. */
  readonly seq: number;
}

/** Where to begin in a log: behind a frame that a snapshot names. */
export interface LogOrigin {
  readonly position: LogPosition;
  /** The rules under which the state there was made. */
  readonly rulesVersion: string;
  /** The snapshot's file. */
  readonly file: string;
}

/** The frame that an origin names is not in the log, of whose segment there are so many bytes. */
export function originMissing({ position, file: snapshot }: LogOrigin, bytes: number): LogDamaged {
  const file = segmentName(position.segment);
  if (bytes === 0) return new LogDamaged(file, 0, `it is missing or empty beside ${snapshot}`);
  const missing = `the frame up to seq ${position.seq}, behind which ${snapshot} was taken, is not here`;
  return new LogDamaged(file, position.offset, `${missing}: the log is behind its own snapshot, or is another one`);
}

/** Where the log ends, which is where it goes on. */
export interface LogEnd {
  /** The number of the segment that the log ends in; 0 when there is no frame at all. */
  segment: number;
  /** The size of that segment, and where in it the next frame belongs. */
  segmentBytes: number;
  offset: number;
  /** The last frame; undefined when there is none. */
  last: LogPosition | undefined;
  /** The remains of an unfinished frame at `offset`, in bytes. */
  tornBytes: number;
  /** The hash of the last frame. */
  hash: Buffer;
  epoch: number;
  lastSeq: number;
  timeMs: number;
  sealed: boolean;
  /** Frames taken. */
  frames: number;
  /** Segments behind the end that hold nothing yet. */
  unused: string[];
}

export class FrameChain {
  readonly end: LogEnd = {
    segment: 0,
    segmentBytes: 0,
    offset: 0,
    last: undefined,
    tornBytes: 0,
    hash: NO_HASH,
    epoch: 0,
    lastSeq: 0,
    timeMs: 0,
    sealed: false,
    frames: 0,
    unused: [],
  };
  /** The first seq of the last batch that was taken: records behind it may say that a command of it is poisoned. */
  #batchSeq = Number.POSITIVE_INFINITY;

  /** Takes the frame that a position names as the one to go on from; false when it is another one. */
  begin(frame: Frame, position: LogPosition): boolean {
    if (frame.hash.toString('hex') !== position.hash || frame.lastSeq !== position.seq) return false;
    this.#advance(frame, position.segment, position.offset);
    return true;
  }

  /** Takes the frame that comes next; gives what it says, but for the end of a segment. @throws {LogDamaged} */
  take(frame: Frame, fileBytes: number, segment: number, offset: number): LogEntry | undefined {
    const file = segmentName(segment);
    this.#check(frame, fileBytes, file, offset);
    const entry = toEntry(frame, file, offset);
    if (entry?.poisoned !== undefined) this.#checkPoisoned(entry.poisoned, file, offset);
    if (frame.kind === 'batch') this.#batchSeq = frame.firstSeq;
    this.#advance(frame, segment, offset);
    return entry;
  }

  /** What no frame holds against itself: that it is the one that has to come next. */
  #check(frame: Frame, fileBytes: number, file: string, offset: number): void {
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
    if (end.sealed && frame.kind !== 'start' && frame.kind !== 'next') refuse(`a ${frame.kind} record after the seal`);
  }

  #checkPoisoned({ seq }: Poisoned, file: string, offset: number): void {
    if (seq >= this.#batchSeq && seq <= this.end.lastSeq) return;
    throw new LogDamaged(file, offset, `a poisoned record of seq ${seq}, which is not in the batch before it`);
  }

  #advance(frame: Frame, segment: number, offset: number): void {
    const { end } = this;
    end.segment = segment;
    end.segmentBytes = frame.segmentBytes;
    end.offset = offset + frame.length;
    end.last = { segment, offset, hash: frame.hash.toString('hex'), seq: frame.lastSeq };
    end.hash = frame.hash;
    end.epoch = frame.epoch;
    end.lastSeq = frame.lastSeq;
    end.timeMs = frame.timeMs;
    end.frames += 1;
    if (frame.kind === 'seal') end.sealed = true;
    if (frame.kind === 'start') end.sealed = false;
  }
}

function toEntry(frame: Frame, file: string, offset: number): LogEntry | undefined {
  const { kind, epoch, firstSeq, lastSeq, timeMs } = frame;
  if (kind === 'next') return undefined;
  const elements = parsePayload(frame, file, offset);
  const effects = frame.effects === undefined ? undefined : { effects: frame.effects };
  const entry = { epoch, firstSeq, lastSeq, timeMs, ...effects, file, offset };
  if (kind === 'batch') {
    if (elements.length !== lastSeq - firstSeq + 1) {
      throw new LogDamaged(file, offset, `${elements.length} commands for the seqs ${firstSeq} to ${lastSeq}`);
    }
    return { ...entry, kind, commands: elements };
  }
  if (kind === 'seal') return { ...entry, ...sealedState(elements[0], file, offset), kind, commands: [] };
  if (kind === 'poisoned' || kind === 'leftOut') {
    return { ...entry, kind: 'poisoned', poisoned: toPoisoned(elements[0], kind, file, offset), commands: [] };
  }
  return { ...entry, ...startState(elements[0], file, offset), kind, commands: [] };
}

/** Seals of frame format 1 say nothing. */
function sealedState(element: unknown, file: string, offset: number): Pick<LogEntry, 'hash'> {
  if (element === undefined) return {};
  const { hash } = (element ?? {}) as { hash?: unknown };
  if (typeof hash !== 'string') throw new LogDamaged(file, offset, 'a seal without the state hash');
  return { hash };
}

function startState(element: unknown, file: string, offset: number): Pick<LogEntry, 'rulesVersion' | 'began'> {
  const { rules, snapshot, effects } = (element ?? {}) as { rules?: unknown; snapshot?: unknown; effects?: unknown };
  if (typeof rules !== 'string') throw new LogDamaged(file, offset, 'a start record without its rules version');
  const anew = effects === 'anew';
  if (snapshot === undefined) return { rulesVersion: rules, began: { anew } };
  const { seq, hash } = (snapshot ?? {}) as { seq?: unknown; hash?: unknown };
  if (typeof seq !== 'number' || typeof hash !== 'string') {
    throw new LogDamaged(file, offset, 'a start record that does not say which snapshot it began from');
  }
  return { rulesVersion: rules, began: { anew, snapshot: { seq, hash } } };
}

function toPoisoned(element: unknown, kind: 'poisoned' | 'leftOut', file: string, offset: number): Poisoned {
  const { seq, type, error, due } = (element ?? {}) as Partial<Poisoned>;
  if (typeof seq !== 'number' || typeof type !== 'string' || typeof error !== 'string') {
    throw new LogDamaged(file, offset, `a ${kind} record that does not say which command`);
  }
  if (kind === 'poisoned') return { seq, type, error };
  if (typeof due?.kind !== 'string' || typeof due.dueMs !== 'number' || typeof due.key !== 'number') {
    throw new LogDamaged(file, offset, 'a leftOut record that does not say what was due');
  }
  return { seq, type, error, due };
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
