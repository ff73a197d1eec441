/**
 * How much the files of a data folder take on the disk, and what the newest snapshot is: for the metrics. It reads names
 * and sizes, never content.
 *
 * Invariant: a segment of the log has its full size from the moment it has its name (log/file/segment-files.ts), so its
 * size is read once.
 *
 * Cost: listing the names, for a year of log many thousands. A reading is therefore repeated for nine times as long as
 * it took. It runs in the archive's thread: the venue's thread only sends a message.
 */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVE_FILE } from '../../engine/identity/manifest.ts';

export interface FolderSizes {
  readonly logBytes: number;
  /** The database with its journal, and databases that were set aside. */
  readonly archiveBytes: number;
  /** All snapshots, damaged ones included. */
  readonly snapshotBytes: number;
  /** What the file system still has for the process. */
  readonly freeBytes: number;
  /** The newest snapshot. Null: there is no snapshot. */
  readonly snapshot: { readonly seq: number; readonly writtenAtMs: number } | null;
}

const SNAPSHOT = /^(\d{12,})\.snapshot$/;
const REST_PER_READING = 9;

export class FolderMeter {
  readonly #folder: string;
  readonly #nowMs: () => number;
  #segments = new Map<string, number>();
  #last: FolderSizes | undefined;
  #notBeforeMs = 0;

  /** `nowMs`: a time that never goes back. */
  constructor(folder: string, nowMs: () => number) {
    this.#folder = folder;
    this.#nowMs = nowMs;
  }

  /** Undefined: the folder cannot be read. */
  read(): FolderSizes | undefined {
    const begunMs = this.#nowMs();
    if (begunMs < this.#notBeforeMs) return this.#last;
    try {
      this.#last = this.#measure();
    } catch {
      // Another part of the venue reports a folder that fails. Here only figures are missing.
      this.#last = undefined;
    }
    const endedMs = this.#nowMs();
    this.#notBeforeMs = endedMs + REST_PER_READING * (endedMs - begunMs);
    return this.#last;
  }

  #measure(): FolderSizes {
    const segments = new Map<string, number>();
    let [logBytes, archiveBytes, snapshotBytes, newestSeq] = [0, 0, 0, -1];
    for (const name of readdirSync(this.#folder)) {
      if (name.endsWith('.log')) {
        const bytes = this.#segments.get(name) ?? this.#bytes(name);
        segments.set(name, bytes);
        logBytes += bytes;
      } else if (name.startsWith(ARCHIVE_FILE)) archiveBytes += this.#bytes(name);
      else if (name.includes('.snapshot')) {
        snapshotBytes += this.#bytes(name);
        newestSeq = Math.max(newestSeq, Number(SNAPSHOT.exec(name)?.[1] ?? -1));
      }
    }
    this.#segments = segments;
    const { bavail, bsize } = statfsSync(this.#folder);
    return { logBytes, archiveBytes, snapshotBytes, freeBytes: bavail * bsize, snapshot: this.#snapshot(newestSeq) };
  }

  /** 0 if the file has been removed since it was listed. */
  #bytes(name: string): number {
    return statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }

  #snapshot(seq: number): FolderSizes['snapshot'] {
    if (seq < 0) return null;
    const name = `${String(seq).padStart(12, '0')}.snapshot`;
    const file = statSync(join(this.#folder, name), { throwIfNoEntry: false });
    return file === undefined ? null : { seq, writtenAtMs: file.mtimeMs };
  }
}
