/** The location of the archive's database, which is opened, set aside and removed as one. */
import { join } from 'node:path';
import { ARCHIVE_FILE } from '../../engine/identity/manifest.ts';
import { setAside } from './aside.ts';
import { isOlder, migrate, removeDatabase } from './older.ts';
import { convertPrevious, isPrevious } from './previous.ts';
import { ArchiveStore } from './store.ts';

export interface ArchivePlace {
  /** Opens the existing archive, or creates one. @throws as `ArchiveStore` */
  open(): ArchiveStore;
  /**
   * Converts an archive of an older layout to the present one, in small steps (older.ts, previous.ts). Undefined: there is
   * none. `idKey`: of the venue's order ids. `canRebuild`: the log can give everything that the archive has.
   * @throws {ArchiveUnavailable} @throws {ArchiveDamaged} it has to be rebuilt
   */
  migration(idKey: string | undefined, canRebuild: boolean): Generator<number> | undefined;
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

  migration(idKey: string | undefined, canRebuild: boolean): Generator<number> | undefined {
    if (isPrevious(this.#file)) return convertPrevious(this.#file, canRebuild);
    return isOlder(this.#file) ? migrate(this.#file, idKey) : undefined;
  }

  remove(): void {
    removeDatabase(this.#file);
  }

  setAside(why: string): string {
    return setAside(this.#folder, why);
  }
}
