/**
 * The segments that were moved to some folders. If two of them list a segment, the later one counts.
 *
 * Cost: a segment is decompressed when it is read. The last one is kept in memory.
 */
import { LogDamaged } from '../../contract/command-log.ts';
import type { Moved, MovedSegments } from '../../shared/moved.ts';
import { segmentName } from '../../shared/segments.ts';
import { type ColdFolder, ColdFolderUnfit, type ColdSegment } from './cold-folder.ts';

export class ColdSegments implements MovedSegments {
  readonly #folders: readonly ColdFolder[];
  readonly #venueId: string | undefined;
  #kept: { readonly segment: number; readonly bytes: Buffer } | undefined;

  /** @throws {ColdFolderUnfit} the folders do not list what was moved last @throws {LogDamaged} */
  constructor(folders: readonly ColdFolder[], moved: Moved | undefined) {
    this.#folders = folders;
    this.#venueId = moved?.venueId;
    if (moved === undefined || this.#listed(moved.segment)?.entry.hash === moved.hash) return;
    throw new ColdFolderUnfit(
      `${this.#where} does not list ${segmentName(moved.segment)}, which was moved to ${moved.to}`,
    );
  }

  segment(segment: number): Buffer {
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

  /** The size of a segment. Undefined: no folder lists it. */
  bytes(segment: number): number | undefined {
    return this.#listed(segment)?.entry.bytes;
  }

  #listed(segment: number): { readonly folder: ColdFolder; readonly entry: ColdSegment } | undefined {
    for (const folder of this.#folders.toReversed()) {
      const entry = folder.listed(segment, this.#venueId);
      if (entry !== undefined) return { folder, entry };
    }
    return undefined;
  }

  get #where(): string {
    return this.#folders.map(({ where }) => where).join(', ');
  }
}
