/**
 * Moves segments of a log to a cold folder, one after another from the oldest on. The caller knows which ones no start
 * needs any more.
 *
 * For each segment, in this order: every frame of it is verified; its compressed copy is made durable and read back; the
 * manifest lists it; the note beside the log names its end (shared/moved.ts); and only then, or together with the note, it
 * is removed. So after a crash between any two steps a venue starts, and the next run continues.
 *
 * Nothing here needs a rename between two folders: the log may be on another file system, or in a database.
 */
import { LogDamaged, LogUnsupported } from '../../contract/command-log.ts';
import type { LogPosition } from '../../contract/log-source.ts';
import { FrameChain, framePosition, type SegmentEnd } from '../../shared/chain.ts';
import { decodeFrame } from '../../shared/frame.ts';
import type { MovableLog, Moved } from '../../shared/moved.ts';
import { MOVED_FILE, placeIn, segmentName } from '../../shared/segments.ts';
import { classifyTail } from '../torn.ts';
import { type ColdFolder, ColdFolderUnfit } from './cold-folder.ts';

export interface MoveOptions {
  /** The id of the venue. Undefined: its log has none. */
  readonly venueId: string | undefined;
  /** Records that stay, with everything after them. */
  readonly needed: readonly LogPosition[];
}

export class SegmentMover {
  readonly #log: MovableLog;
  readonly #cold: ColdFolder;
  readonly #venueId: string | undefined;
  /** The first segment that stays. */
  readonly #stays: number;
  /** The end of the last segment that was moved. Undefined: none was. */
  #end: SegmentEnd | undefined;
  #hasRestoredNote = false;

  private constructor(
    log: MovableLog,
    cold: ColdFolder,
    { venueId, needed }: MoveOptions,
    end: SegmentEnd | undefined,
  ) {
    this.#log = log;
    this.#cold = cold;
    this.#venueId = venueId;
    const segments = needed.map((position) => framePosition({ position, rulesVersion: '', name: 'a record' }).segment);
    this.#stays = Math.min(...segments);
    this.#end = end;
  }

  /**
   * Checks the log and the folder, and finishes what an earlier run left undone.
   * @throws {ColdFolderUnfit} the cold folder is in use for something else, or does not continue what was moved
   * @throws {LogDamaged} @throws {LogUnsupported} @throws {LogFull}
   */
  static async open(log: MovableLog, cold: ColdFolder, options: MoveOptions): Promise<SegmentMover> {
    cold.refuseForeign();
    const note = await log.note();
    const mover = new SegmentMover(log, cold, options, note);
    if (note === undefined) await mover.#restoreNote();
    else await mover.#removeLeft(note);
    return mover;
  }

  /** How many segments are left to move. */
  get left(): number {
    return Math.max(0, this.#stays - this.#next);
  }

  /** Whether the note of what was moved was lost, and was written again. */
  get hasRestoredNote(): boolean {
    return this.#hasRestoredNote;
  }

  /** The last seq that was moved. 0: none was. */
  get seq(): number {
    return this.#end?.seq ?? 0;
  }

  get #next(): number {
    return (this.#end?.segment ?? 0) + 1;
  }

  /**
   * Moves one segment, of which there must be one left.
   * @throws {LogDamaged} the segment is not in its place in the log
   * @throws {ColdFolderUnfit} the cold folder has another history of it
   * @throws {LogFull} there is no space: the segment stays, and the next run continues
   */
  async step(): Promise<void> {
    const segment = this.#next;
    const name = segmentName(segment);
    const bytes = await this.#log.read(segment);
    if (bytes === undefined) throw new LogDamaged(placeIn(name, 0), 'this segment is missing');
    const end = endOf(bytes, segment, this.#end);
    const listed = this.#cold.listed(segment, this.#venueId);
    if (listed !== undefined && listed.hash !== end.hash) {
      throw new ColdFolderUnfit(
        `${this.#cold.where} has another ${name}: it ends at seq ${listed.seq} in a history that this folder does not ` +
          'have, as when the folder was restored from a backup. Choose another folder',
      );
    }
    const stored = await this.#cold.store(segment, bytes, listed);
    // Also if it is listed already: the run that listed it may have failed to make that durable.
    await this.#cold.list({ ...end, ...stored });
    await this.#pass(end, [segment]);
    this.#end = end;
  }

  #pass(end: SegmentEnd, segments: readonly number[]): Promise<void> {
    return this.#log.pass({ ...end, to: this.#cold.where }, segments);
  }

  /** The cold folder must have what was moved last. Removes segments that a crash has left after they were moved. */
  async #removeLeft({ to, ...end }: Moved): Promise<void> {
    if (this.#cold.listed(end.segment, this.#venueId)?.hash !== end.hash) {
      throw new ColdFolderUnfit(
        `${this.#cold.where} does not list ${segmentName(end.segment)}, which was moved to ${to}: ` +
          'is that folder there, and is its disk mounted?',
      );
    }
    const left = (await this.#log.segments()).filter((segment) => segment <= end.segment);
    if (left.length === 0) return;
    for (const segment of left) {
      const listed = this.#cold.listed(segment, this.#venueId);
      const kept = listed && this.#cold.read(listed);
      if (kept === undefined) {
        throw new ColdFolderUnfit(`${this.#cold.where} does not have ${segmentName(segment)}, which was left here`);
      }
    }
    await this.#pass(end, left);
  }

  /** If the first segments are gone without a note, the manifest says what the note said. */
  async #restoreNote(): Promise<void> {
    const first = Math.min(...(await this.#log.segments()));
    if (first === 1 || first === Number.POSITIVE_INFINITY) return;
    const end = this.#cold.listed(first - 1, this.#venueId);
    const found = decodeFrame((await this.#log.read(first)) ?? Buffer.alloc(0), 0);
    if (end === undefined || found === undefined || !('frame' in found) || found.frame.prevHash !== end.hash) {
      throw new LogDamaged(
        placeIn(segmentName(1), 0),
        `it is missing without a ${MOVED_FILE}, and ${this.#cold.where} does not have what comes before ${segmentName(first)}`,
      );
    }
    const { bytes: _, storedBytes: __, sha256: ___, ...note } = end;
    await this.#pass(note, []);
    this.#end = note;
    this.#hasRestoredNote = true;
  }
}

/** Verifies every frame of a segment that is not the last one. Returns its end. @throws {LogDamaged} */
function endOf(bytes: Buffer, segment: number, before: SegmentEnd | undefined): SegmentEnd {
  const chain = new FrameChain();
  if (before !== undefined) chain.resume(before);
  for (let offset = 0; ; ) {
    const decoded = decodeFrame(bytes, offset);
    const place = placeIn(segmentName(segment), offset);
    if (decoded === undefined) throw new LogDamaged(place, 'no complete frame here');
    if ('unsupported' in decoded) throw new LogUnsupported(place, decoded.unsupported);
    const { frame } = decoded;
    chain.take(frame, bytes.length, segment, offset);
    offset += frame.length;
    if (frame.kind !== 'next') continue;
    if (classifyTail(bytes, offset).kind === 'clean') return chain.segmentEnd as SegmentEnd;
    throw new LogDamaged(placeIn(segmentName(segment), offset), 'data after the end of the segment');
  }
}
