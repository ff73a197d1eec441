/**
 * What the file log needs from a disk. So the log's code runs unchanged on a real folder and on a
 * simulated one that fails.
 *
 * A disk is one folder. Nothing is durable before a sync: `sync` of a file for its bytes, `syncNames` of the folder for
 * the creation, renaming and removal of files.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { LogFailed } from '../contract/command-log.ts';
import { UNREADY } from '../shared/segments.ts';
import { type FolderLock, lockFolder } from './lock.ts';

export interface DiskFile {
  /** Writes at `position` and returns the number of bytes written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): number;
  /**
   * Makes the file's bytes durable. `mayBlock`: the calling thread may wait for the disk, instead of another thread.
   */
  sync(mayBlock?: boolean): Promise<void>;
  close(): void;
}

/** What readers of a log need. */
export interface LogFiles {
  /** The path of the folder, as errors show it. A simulated disk has a name instead. */
  readonly folder: string;
  /** True: the segments that were moved out of the folder (moved.ts) can be read here too. */
  readonly hasMoved?: boolean;
  names(): string[];
  /** The whole file. Undefined if there is none of that name. */
  read(name: string): Buffer | undefined;
  /**
   * At most `bytes` bytes from `position`, fewer at the end of the file. Undefined if there is no file of that name.
   */
  readAt(name: string, position: number, bytes: number): Buffer | undefined;
  /** The length of the file. Undefined if there is none of that name. */
  size(name: string): number | undefined;
}

export interface Disk extends LogFiles {
  /** Creates a file, or empties an existing one. */
  create(name: string): DiskFile;
  /** Opens an existing file for writing. Throws if there is none. */
  open(name: string): DiskFile;
  /** Replaces a file of the new name. */
  rename(from: string, to: string): void;
  /** Throws if there is none of that name. */
  remove(name: string): void;
  syncNames(): Promise<void>;
  /** Creates the folder if it does not exist, and takes its lock. @throws {LogLocked} another owner has it */
  lock(): FolderLock;
}

class RealFile implements DiskFile {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(bytes: Uint8Array, position: number): number {
    return fs.writeSync(this.#fd, bytes, 0, bytes.byteLength, position);
  }

  async sync(mayBlock = false): Promise<void> {
    if (mayBlock) {
      fs.fdatasyncSync(this.#fd);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      fs.fdatasync(this.#fd, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

/** A folder of this machine. */
export class RealDisk implements Disk {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  names(): string[] {
    return fs.readdirSync(this.folder);
  }

  read(name: string): Buffer | undefined {
    const path = join(this.folder, name);
    return namingFile(path, () => fs.readFileSync(path));
  }

  readAt(name: string, position: number, bytes: number): Buffer | undefined {
    const path = join(this.folder, name);
    return namingFile(path, () => {
      const fd = fs.openSync(path, 'r');
      try {
        const buffer = Buffer.allocUnsafe(bytes);
        return buffer.subarray(0, fs.readSync(fd, buffer, 0, bytes, position));
      } finally {
        fs.closeSync(fd);
      }
    });
  }

  size(name: string): number | undefined {
    return undefinedIfMissing(() => fs.statSync(join(this.folder, name)).size);
  }

  create(name: string): DiskFile {
    return new RealFile(fs.openSync(join(this.folder, name), 'w', 0o600));
  }

  open(name: string): DiskFile {
    return new RealFile(fs.openSync(join(this.folder, name), 'r+'));
  }

  rename(from: string, to: string): void {
    fs.renameSync(join(this.folder, from), join(this.folder, to));
  }

  remove(name: string): void {
    fs.rmSync(join(this.folder, name));
  }

  async syncNames(): Promise<void> {
    const handle = await fs.promises.open(this.folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  lock(): FolderLock {
    return lockFolder(this.folder);
  }
}

function undefinedIfMissing<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    // ENOTDIR: a part of the path is a file, so there is nothing below it.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Names the file in the error of a failed read. The system's own error does not, once the file is open. */
function namingFile<T>(path: string, act: () => T): T | undefined {
  try {
    return undefinedIfMissing(act);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || message.includes(path)) throw error;
    throw Object.assign(new Error(`${message}: ${path}`, { cause: error }), { code });
  }
}

/**
 * Writes a file under an unfinished name, syncs it, and then gives it its name, which may replace another file. If
 * writing or syncing fails, the unfinished file is removed. After a crash or a failed rename it may remain, and the next
 * start removes it.
 */
export async function createFile(disk: Disk, name: string, fill: (file: DiskFile) => void): Promise<void> {
  const unfinished = name + UNREADY;
  const file = disk.create(unfinished);
  try {
    fill(file);
    await file.sync();
  } catch (error) {
    file.close();
    disk.remove(unfinished);
    throw error;
  }
  file.close();
  disk.rename(unfinished, name);
  await disk.syncNames();
}

/** Writes all bytes, continuing after a short write. @throws {LogFailed} a write wrote nothing */
export function writeWhole(file: DiskFile, bytes: Uint8Array, position: number): void {
  let done = 0;
  while (done < bytes.length) {
    const written = file.write(bytes.subarray(done), position + done);
    if (written <= 0) throw new LogFailed(`a write of ${bytes.length - done} bytes wrote ${written}`);
    done += written;
  }
}
