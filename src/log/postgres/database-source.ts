/**
 * Reads the log of a database, behind the contract `LogSource`. Each frame is verified and must follow the one before it,
 * as in a folder. What a transaction has not committed is not there. What was moved to a folder (moved-rows.ts) is read there,
 * if the folder is given.
 */
import { LogDamaged, LogUnsupported } from '../contract/command-log.ts';
import type { LogEntry, LogFollower, LogOrigin, LogPosition, LogSource, MovedPart } from '../contract/log-source.ts';
import { type ChainEnd, FrameChain, framePosition, originMissing } from '../shared/chain.ts';
import { decodeFrame, type Frame, type PlacedFrame } from '../shared/frame.ts';
import { afterNote, type Moved, type MovedSegments, partOf, refuseIfMoved } from '../shared/moved.ts';
import { DEFAULT_SEGMENT_BYTES } from '../shared/segment-size.ts';
import { placeIn, segmentName } from '../shared/segments.ts';
import { isMissing } from './connection.ts';
import type { DatabaseFiles } from './database-files.ts';
import { noteIn } from './moved-rows.ts';
import type { Reader } from './reader.ts';

/** About how much is read at a time, and at most how many rows. */
const PAGE_BYTES = 2 * 1024 * 1024;
const PAGE_ROWS = 1000;
/** Before the size of a row is known. A row has at most 16 MiB. */
const FIRST_ROWS = 16;

const PAGE = `SELECT frame FROM bourse.frame
  WHERE seq >= $1 AND (seq, segment, at) > ($1, $2, $3) AND seq <= $4 ORDER BY seq, segment, at LIMIT $5`;
const ONE = 'SELECT frame FROM bourse.frame WHERE seq = $1 AND segment = $2 AND at = $3';
const END = `SELECT segment, at, octet_length(frame) AS bytes FROM bourse.frame
  ORDER BY seq DESC, segment DESC, at DESC LIMIT 1`;

/** Opens the segments that a note names, in the folders that were given. @throws {ColdFolderUnfit} they do not have them */
export type OpenMoved = (moved: Moved) => MovedSegments;

/** Where frames are read. */
interface Rows {
  readonly reader: Reader;
  readonly files: DatabaseFiles;
  /** Undefined: what was moved cannot be read. */
  readonly openMoved: OpenMoved | undefined;
}

export class DatabaseSource implements LogSource {
  readonly #rows: Rows;

  constructor(reader: Reader, files: DatabaseFiles, openMoved?: OpenMoved) {
    this.#rows = { reader, files, openMoved };
  }

  async *read(origin?: LogOrigin): AsyncGenerator<LogEntry, ChainEnd, void> {
    const follower = await DatabaseFollower.open(this.#rows, origin);
    yield* follower.available();
    return follower.end;
  }

  /** Every frame from the origin, or from the beginning, with its place. @throws as `read` */
  async *frames(origin?: LogOrigin): AsyncGenerator<PlacedFrame, void, void> {
    yield* (await DatabaseFollower.open(this.#rows, origin)).frames();
  }

  follow(origin?: LogOrigin): Promise<LogFollower> {
    return DatabaseFollower.open(this.#rows, origin);
  }

  async moved(): Promise<MovedPart | undefined> {
    const moved = this.#rows.openMoved === undefined ? await noteIn(this.#rows.files) : undefined;
    return moved && partOf(moved);
  }

  async size(position?: LogPosition): Promise<number> {
    if (position !== undefined) {
      const { segment, offset } = framePosition({ position, name: 'a position', rulesVersion: '' });
      return sizeUpTo(segment, offset);
    }
    const found = this.#rows.reader.use(async (connection) => (await connection.query(END)).rows);
    const [last] = await orNothing(found, []);
    return last === undefined ? 0 : sizeUpTo(last.segment, last.at + last.bytes);
  }
}

class DatabaseFollower implements LogFollower {
  readonly #from: Rows;
  /** The last segment that was moved, and can be read. 0: none can. */
  #lastMoved = 0;
  #moved: MovedSegments | undefined;
  readonly #chain = new FrameChain();
  /** Where the next frame is. */
  #segment = 1;
  #offset = 0;
  /** The size of the segment. Undefined before its first frame. */
  #segmentBytes: number | undefined;
  /** Rows that were read and not taken. */
  #page: Buffer[] = [];
  #rows = FIRST_ROWS;

  private constructor(from: Rows) {
    this.#from = from;
  }

  /** @throws {LogDamaged} the origin is not in the log @throws {LogMoved} the log before that was moved away */
  static async open(from: Rows, origin?: LogOrigin): Promise<DatabaseFollower> {
    const follower = new DatabaseFollower(from);
    const note = await noteIn(from.files);
    follower.#openMoved(note);
    const after = from.openMoved === undefined ? afterNote(note, origin) : undefined;
    if (after !== undefined) follower.#resume(after);
    else if (origin !== undefined) await follower.#begin(origin);
    return follower;
  }

  #openMoved(note: Moved | undefined): void {
    if (note === undefined || this.#from.openMoved === undefined) return;
    this.#moved = this.#from.openMoved(note);
    this.#lastMoved = note.segment;
  }

  #resume(after: Moved): void {
    this.#chain.resume(after);
    this.#segment = after.segment + 1;
  }

  get position(): LogPosition | undefined {
    return this.#chain.end.position;
  }

  /** The end of the log, as far as it was taken. */
  get end(): ChainEnd {
    const { end } = this.#chain;
    if (end.segment !== 0 && end.segment !== this.#segment) {
      Object.assign(end, { segment: this.#segment, offset: 0, segmentBytes: 0 });
    }
    return end;
  }

  async *take(seq: number): AsyncGenerator<LogEntry, void, void> {
    yield* this.available(seq);
    if (this.#chain.end.lastSeq >= seq) return;
    throw new LogDamaged(this.#place, `no frame here, but the log is durable up to seq ${seq}`);
  }

  async *available(seq = Number.POSITIVE_INFINITY): AsyncGenerator<LogEntry, void, void> {
    for await (const { entry } of this.#taken(seq)) if (entry !== undefined) yield entry;
  }

  async *frames(): AsyncGenerator<PlacedFrame, void, void> {
    for await (const { entry: _, ...frame } of this.#taken(Number.POSITIVE_INFINITY)) yield frame;
  }

  async *#taken(seq: number): AsyncGenerator<PlacedFrame & { readonly entry: LogEntry | undefined }, void, void> {
    for (;;) {
      if (this.#page.length === 0) await this.#readPage(seq);
      if (this.#page.length === 0) return;
      const bytes = this.#page[0];
      const frame = this.#decode(bytes);
      if (frame.lastSeq > seq) return;
      if (frame.prevHash !== this.#chain.end.hash && (await this.#movedMeanwhile())) continue;
      const [segment, offset] = [this.#segment, this.#offset];
      const segmentBytes = this.#segmentBytes ?? frame.segmentBytes;
      if (offset + frame.length > segmentBytes) {
        throw new LogDamaged(this.#place, `a frame of ${frame.length} bytes does not fit into its segment`);
      }
      const entry = this.#chain.take(frame, segmentBytes, segment, offset);
      this.#page.shift();
      this.#pass(frame);
      yield { segment, offset, frame, bytes, entry };
    }
  }

  async #begin(origin: LogOrigin): Promise<void> {
    const position = framePosition(origin);
    const { seq, segment, offset } = position;
    this.#segment = segment;
    this.#offset = offset;
    const rows = segment <= this.#lastMoved ? this.#movedFrames() : await this.#bytes(ONE, [seq, segment, offset]);
    const frame = rows.length === 0 ? undefined : this.#decode(rows[0]);
    if (frame === undefined || !this.#chain.begin(frame, position)) {
      throw originMissing(origin, position, frame?.segmentBytes ?? DEFAULT_SEGMENT_BYTES);
    }
    this.#segmentBytes = frame.segmentBytes;
    this.#pass(frame);
  }

  #pass(frame: Frame): void {
    if (frame.kind === 'next') {
      this.#segment += 1;
      this.#offset = 0;
      this.#segmentBytes = undefined;
    } else {
      this.#segmentBytes = frame.segmentBytes;
      this.#offset += frame.length;
    }
  }

  async #readPage(seq: number): Promise<void> {
    if (this.#segment <= this.#lastMoved) {
      this.#page = this.#movedFrames();
      return;
    }
    const after = this.#chain.end.position ?? { seq: 0, segment: 0, offset: 0 };
    const upTo = Math.min(seq, Number.MAX_SAFE_INTEGER);
    const page = await this.#bytes(PAGE, [after.seq, after.segment, after.offset, upTo, this.#rows]);
    if (page.length === 0) return;
    const bytes = page.reduce((sum, row) => sum + row.length, 0);
    this.#rows = Math.max(1, Math.min(PAGE_ROWS, Math.floor((PAGE_BYTES * page.length) / bytes)));
    this.#page = page;
  }

  /** The frames of a segment that was moved, from the next one on. @throws {LogDamaged} it does not end */
  #movedFrames(): Buffer[] {
    const bytes = (this.#moved as MovedSegments).segment(this.#segment);
    const frames: Buffer[] = [];
    for (let at = this.#offset; ; ) {
      const decoded = decodeFrame(bytes, at);
      const place = placeIn(segmentName(this.#segment), at);
      if (decoded === undefined) throw new LogDamaged(place, 'no complete frame here');
      if ('unsupported' in decoded) throw new LogUnsupported(place, decoded.unsupported);
      frames.push(bytes.subarray(at, at + decoded.frame.length));
      if (decoded.frame.kind === 'next') return frames;
      at += decoded.frame.length;
    }
  }

  /** Rows are missing here. True: they were moved since, and are read where they are now. @throws {LogMoved} they cannot be */
  async #movedMeanwhile(): Promise<boolean> {
    const note = await noteIn(this.#from.files);
    if (this.#from.openMoved === undefined) refuseIfMoved(note, this.#segment);
    if (note === undefined || note.segment <= this.#lastMoved || note.segment < this.#segment) return false;
    this.#openMoved(note);
    this.#page = [];
    return true;
  }

  /** A log that does not exist yet has no rows. */
  #bytes(text: string, values: readonly unknown[]): Promise<Buffer[]> {
    return orNothing<Buffer[]>(
      this.#from.reader.use((connection) => connection.bytes(text, values)),
      [],
    );
  }

  #decode(bytes: Buffer): Frame {
    const decoded = decodeFrame(bytes, 0);
    if (decoded === undefined) throw new LogDamaged(this.#place, 'a row that is no complete frame');
    if ('unsupported' in decoded) throw new LogUnsupported(this.#place, decoded.unsupported);
    if (decoded.frame.length !== bytes.length) throw new LogDamaged(this.#place, 'a row with more than a frame');
    return decoded.frame;
  }

  get #place(): string {
    return placeIn(segmentName(this.#segment), this.#offset);
  }
}

/** An estimate: segments have about the same size. */
function sizeUpTo(segment: number, offset: number): number {
  return (segment - 1) * DEFAULT_SEGMENT_BYTES + offset;
}

async function orNothing<T>(found: Promise<T>, nothing: T): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return nothing;
    throw error;
  }
}
