/**
 * Links the frames of a log: each follows the one before it by hash, sequence number and epoch. Readers pass frame
 * after frame through a chain, from the beginning of a log or from a frame that a snapshot names.
 *
 * Invariant: `end` is the end of the log after the last frame that was taken. A frame that does not follow is refused.
 */
import { LogDamaged, type Poisoned } from '../contract/command-log.ts';
import type { LogEnd, LogEntry, LogOrigin, LogPosition } from '../contract/log-source.ts';
import { toEntry } from '../shared/entry.ts';
import { type Frame, NO_HASH } from '../shared/frame.ts';
import { placeIn, segmentName } from './segments.ts';

/** Names a frame by its place and hash, and so everything up to it. */
export interface FramePosition extends LogPosition {
  readonly segment: number;
  /** Where the frame begins. */
  readonly offset: number;
  /** The hash of the frame, in hex. */
  readonly hash: string;
}

/** The position as this kind of log makes it. @throws {LogDamaged} another kind of log made it, or it is no position */
export function framePosition({ position, name }: LogOrigin): FramePosition {
  const { segment, offset } = position as Partial<FramePosition>;
  if (Number.isSafeInteger(segment) && Number.isSafeInteger(offset)) return position as FramePosition;
  throw new LogDamaged(name, `it names a position that no log of segment files can have: ${JSON.stringify(position)}`);
}

/** The log does not hold the frame that an origin names. `bytes`: the size of its segment. */
export function originMissing({ name }: LogOrigin, { segment, offset, seq }: FramePosition, bytes: number): LogDamaged {
  const file = segmentName(segment);
  if (bytes === 0) return new LogDamaged(placeIn(file, 0), `it is missing or empty beside ${name}`);
  const missing = `the frame up to seq ${seq}, after which ${name} was taken, is missing`;
  return new LogDamaged(placeIn(file, offset), `${missing}: the log is behind its own snapshot, or is another log`);
}

/** The end of a segment: what the record after it must follow, and what readers know there. Plain JSON. */
export interface SegmentEnd extends FramePosition {
  readonly epoch: number;
  /** The time of the last batch, in epoch milliseconds. */
  readonly timeMs: number;
  /** True: the record before the end of the segment is a seal. */
  readonly sealed: boolean;
  /** Records from the beginning of the log, this one included. */
  readonly records: number;
  /** The first seq of the last batch, which later records may leave out in part. Null: there is no batch. */
  readonly batchSeq: number | null;
  /** The rules of the commands before it. */
  readonly rules: string;
  /** The id of the venue. Absent if the log has none. */
  readonly venueId?: string;
}

/** The end of the log, where it continues. */
export interface ChainEnd extends LogEnd {
  /** The number of the last segment. 0 if there is no frame. */
  segment: number;
  /** The size of that segment. */
  segmentBytes: number;
  offset: number;
  /** The last frame. Undefined if there is none. */
  position: FramePosition | undefined;
  /** The size of an unfinished frame at `offset`, in bytes. */
  tornBytes: number;
  /** The hash of the last frame, in hex. */
  hash: string;
  epoch: number;
  lastSeq: number;
  timeMs: number;
  sealed: boolean;
  /** The number of frames taken. */
  records: number;
  /** Where the next frame will be, in words. */
  readonly place: string;
  /** Segments after the end that are still empty. */
  unused: string[];
}

export class FrameChain {
  readonly end: ChainEnd = {
    segment: 0,
    segmentBytes: 0,
    offset: 0,
    position: undefined,
    tornBytes: 0,
    hash: NO_HASH,
    epoch: 0,
    lastSeq: 0,
    timeMs: 0,
    sealed: false,
    records: 0,
    unused: [],
    get place() {
      return placeIn(segmentName(Math.max(this.segment, 1)), this.offset);
    },
  };
  /** The first seq of the last batch. Later records may say that one of its commands is poisoned. */
  #batchSeq = Number.POSITIVE_INFINITY;
  /** What the last start record says. */
  #rules: string | undefined;
  #venueId: string | undefined;

  /** The end of a segment, if its last frame was taken. Undefined: it was not, or the chain began within an epoch. */
  get segmentEnd(): SegmentEnd | undefined {
    const { position, epoch, timeMs, sealed, records } = this.end;
    const [rules, venueId] = [this.#rules, this.#venueId];
    if (position === undefined || rules === undefined) return undefined;
    const batchSeq = Number.isFinite(this.#batchSeq) ? this.#batchSeq : null;
    const known = { ...position, epoch, timeMs, sealed, records, batchSeq, rules };
    return venueId === undefined ? known : { ...known, venueId };
  }

  /** Continues after the end of a segment that is not read. */
  resume(from: SegmentEnd): void {
    const { segment, offset, hash, seq, epoch, timeMs, sealed, records } = from;
    const position = { segment, offset, hash, seq };
    Object.assign(this.end, { segment, offset, position, hash, epoch, lastSeq: seq, timeMs, sealed, records });
    this.#batchSeq = from.batchSeq ?? Number.POSITIVE_INFINITY;
    this.#rules = from.rules;
    this.#venueId = from.venueId;
  }

  /** Continues from the frame that a position names. False if the frame there is another one. */
  begin(frame: Frame, position: FramePosition): boolean {
    if (frame.hash !== position.hash || frame.lastSeq !== position.seq) return false;
    this.#advance(frame, position);
    return true;
  }

  /** Takes the next frame and returns its entry. The end of a segment has none. @throws {LogDamaged} */
  take(frame: Frame, fileBytes: number, segment: number, offset: number): LogEntry | undefined {
    const place = placeIn(segmentName(segment), offset);
    this.#check(frame, fileBytes, place);
    const position = positionOf(frame, segment, offset);
    const entry = toEntry(frame, position, place);
    if (entry?.poisoned !== undefined) this.#checkPoisoned(entry.poisoned, place);
    if (frame.kind === 'batch') this.#batchSeq = frame.firstSeq;
    if (entry?.rulesVersion !== undefined) this.#rules = entry.rulesVersion;
    if (entry?.began?.venueId !== undefined) this.#venueId = entry.began.venueId;
    this.#advance(frame, position);
    return entry;
  }

  /** Checks what a frame cannot prove by itself: that it is the next one. */
  #check(frame: Frame, fileBytes: number, place: string): void {
    const { end } = this;
    const count = frame.lastSeq - frame.firstSeq + 1;
    const epoch = frame.kind === 'start' ? end.epoch + 1 : end.epoch;
    const refuse = (reason: string): never => {
      throw new LogDamaged(place, reason);
    };
    if (frame.segmentBytes !== fileBytes)
      refuse(`the file has ${fileBytes} bytes, but its frames say ${frame.segmentBytes}`);
    if (frame.prevHash !== end.hash) refuse('a frame that does not follow the one before it');
    if (end.records === 0 && frame.kind !== 'start') refuse('a log must begin with a start record');
    if (frame.firstSeq !== end.lastSeq + 1) refuse(`first seq ${frame.firstSeq} after seq ${end.lastSeq}`);
    if (frame.durableSeq !== end.lastSeq)
      refuse(`durable up to ${frame.durableSeq}, but seq ${end.lastSeq} came before`);
    if (frame.kind === 'batch' ? count < 1 : count !== 0) refuse(`a ${frame.kind} record of ${count} commands`);
    if (frame.epoch !== epoch) refuse(`epoch ${frame.epoch} in a ${frame.kind} record, expected ${epoch}`);
    if (end.sealed && frame.kind !== 'start' && frame.kind !== 'next') refuse(`a ${frame.kind} record after the seal`);
  }

  #checkPoisoned({ seq }: Poisoned, place: string): void {
    if (seq >= this.#batchSeq && seq <= this.end.lastSeq) return;
    throw new LogDamaged(place, `a poisoned record of seq ${seq}, which is not in the batch before it`);
  }

  #advance(frame: Frame, position: FramePosition): void {
    const { end } = this;
    end.segment = position.segment;
    end.segmentBytes = frame.segmentBytes;
    end.offset = position.offset + frame.length;
    end.position = position;
    end.hash = frame.hash;
    end.epoch = frame.epoch;
    end.lastSeq = frame.lastSeq;
    end.timeMs = frame.timeMs;
    end.records += 1;
    if (frame.kind === 'seal') end.sealed = true;
    if (frame.kind === 'start') end.sealed = false;
  }
}

function positionOf({ hash, lastSeq: seq }: Frame, segment: number, offset: number): FramePosition {
  return { segment, offset, hash, seq };
}
