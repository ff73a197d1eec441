/** The location of the archive's database, which is opened, set aside and removed as one. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVE_FILE } from '../../engine/identity/manifest.ts';
import { setAside } from './aside.ts';
import { ArchiveStore } from './store.ts';

export interface ArchivePlace {
  /** Opens the existing archive, or creates one. @throws as `ArchiveStore` */
  open(): ArchiveStore;
  remove(): void;
  /** Keeps it under another name, which says why. Returns the name. */
  setAside(why: string): string;
}

/** A file in the data folder. */
export class ArchiveFile implements ArchivePlace {
  readonly #folder: string;
  readonly #file: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, ARCHIVE_FILE);
  }

  open(): ArchiveStore {
    return new ArchiveStore(this.#file);
  }

  remove(): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#file + suffix, { force: true });
  }

  setAside(why: string): string {
    return setAside(this.#folder, why);
  }
}
