/** The files of a log together with those of its segments that were moved to other folders. For readers only. */
import { segmentName, segmentNumber } from '../../shared/segments.ts';
import type { LogFiles } from '../disk.ts';
import { readMoved } from '../moved.ts';
import type { ColdFolder } from './cold-folder.ts';
import { ColdSegments } from './cold-segments.ts';

export class ColdFiles implements LogFiles {
  readonly folder: string;
  readonly hasMoved = true;
  readonly #files: LogFiles;
  readonly #cold: ColdSegments;
  /** The last segment that was moved. 0: none was. */
  #last: number;

  /** @throws {ColdFolderUnfit} the folders do not list what was moved last @throws {LogDamaged} */
  constructor(files: LogFiles, cold: readonly ColdFolder[]) {
    const moved = readMoved(files);
    this.folder = files.folder;
    this.#files = files;
    this.#cold = new ColdSegments(cold, moved);
    this.#last = moved?.segment ?? 0;
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
    return this.#cold.bytes(segmentNumber(name) as number);
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
    return segment > this.#last ? undefined : this.#cold.segment(segment);
  }
}
