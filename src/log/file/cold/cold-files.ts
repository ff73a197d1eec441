/**
 * The files of a log together with those of its segments that were moved to other folders. For readers only.
 *
 * Cost: a segment is decompressed when it is read. The last one is kept in memory.
 */
import { LogDamaged } from '../../contract/command-log.ts';
import { segmentName, segmentNumber } from '../../shared/segments.ts';
import type { LogFiles } from '../disk.ts';
import { readMoved } from '../moved.ts';
import { type ColdFolder, ColdFolderUnfit, type ColdSegment } from './cold-folder.ts';

export class ColdFiles implements LogFiles {
  readonly folder: string;
  readonly hasMoved = true;
  readonly #files: LogFiles;
  readonly #cold: readonly ColdFolder[];
  readonly #venueId: string | undefined;
  /** The last segment that was moved. 0: none was. */
  #last: number;
  #kept: { readonly segment: number; readonly bytes: Buffer } | undefined;

  /**
   * If two folders list a segment, the later one counts.
   * @throws {ColdFolderUnfit} the folders do not list what was moved last @throws {LogDamaged}
   */
  constructor(files: LogFiles, cold: readonly ColdFolder[]) {
    const moved = readMoved(files);
    this.folder = files.folder;
    this.#files = files;
    this.#cold = cold;
    this.#venueId = moved?.venueId;
    this.#last = moved?.segment ?? 0;
    if (moved === undefined || this.#listed(moved.segment)?.entry.hash === moved.hash) return;
    throw new ColdFolderUnfit(
      `${this.#where} does not list ${segmentName(moved.segment)}, which was moved to ${moved.to}`,
    );
  }

  names(): string[] {
    const here = this.#files.names().filter((name) => !this.#wasMoved(name));
    return [...here, ...Array.from({ length: this.#last }, (_, i) => segmentName(i + 1))];
  }

  read(name: string): Buffer | undefined {
    const here = this.#wasMoved(name) ? undefined : this.#files.read(name);
    return here ?? this.#moved(name);
  }

  readAt(name: string, position: number, bytes: number): Buffer | undefined {
    const here = this.#wasMoved(name) ? undefined : this.#files.readAt(name, position, bytes);
    return here ?? this.#moved(name)?.subarray(position, position + bytes);
  }

  size(name: string): number | undefined {
    if (!this.#wasMoved(name)) return this.#files.size(name);
    return this.#listed(segmentNumber(name) as number)?.entry.bytes;
  }

  #wasMoved(name: string): boolean {
    return (segmentNumber(name) ?? Number.POSITIVE_INFINITY) <= this.#last;
  }

  /** A segment that was moved. Undefined: it is another file, or is missing. */
  #moved(name: string): Buffer | undefined {
    const segment = segmentNumber(name);
    if (segment === undefined) return undefined;
    // A running venue may have moved it since the note was read.
    if (segment > this.#last) this.#last = readMoved(this.#files)?.segment ?? 0;
    return segment > this.#last ? undefined : this.#segment(segment);
  }

  #segment(segment: number): Buffer {
    if (this.#kept?.segment === segment) return this.#kept.bytes;
    const listed = this.#listed(segment);
    const bytes = listed?.folder.read(listed.entry);
    if (bytes === undefined) {
      throw new LogDamaged(`${segmentName(segment)}.zst`, `it is not in ${this.#where}, where it was moved to`, {
        what: 'the moved part of the log',
      });
    }
    this.#kept = { segment, bytes };
    return bytes;
  }

  #listed(segment: number): { readonly folder: ColdFolder; readonly entry: ColdSegment } | undefined {
    for (const folder of this.#cold.toReversed()) {
      const entry = folder.listed(segment, this.#venueId);
      if (entry !== undefined) return { folder, entry };
    }
    return undefined;
  }

  get #where(): string {
    return this.#cold.map(({ where }) => where).join(', ');
  }
}
