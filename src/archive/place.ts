/** Where the archive's database is kept: opened, set aside and removed as one. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVE_FILE } from '../engine/identity/manifest.ts';
import { setAside } from './aside.ts';
import { ArchiveStore } from './store.ts';

export interface ArchivePlace {
  /** Opens what is there, or makes a new one. @throws as `ArchiveStore` */
  open(): ArchiveStore;
  remove(): void;
  /** Keeps it under another name, which says why. Gives the name. */
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
