/**
 * Small documents as files in a folder. Each is written under another name, synced and renamed. Then the folder is
 * synced.
 */
import { LogFull } from '../contract/command-log.ts';
import type { DocumentStore } from '../contract/storage.ts';
import { isNoSpace } from '../shared/system-errors.ts';
import { createFile, type Disk, writeWhole } from './disk.ts';

export class FileDocuments implements DocumentStore {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  async has(name: string): Promise<boolean> {
    return this.#disk.size(name) !== undefined;
  }

  async read(name: string): Promise<string | undefined> {
    return this.#disk.read(name)?.toString('utf8');
  }

  async write(name: string, text: string): Promise<void> {
    await writeDocument(this.#disk, name, Buffer.from(text));
  }
}

/** Makes a document durable, in the place of one of that name. @throws {LogFull} */
export async function writeDocument(disk: Disk, name: string, bytes: Buffer): Promise<void> {
  try {
    await createFile(disk, name, (file) => writeWhole(file, bytes, 0));
  } catch (error) {
    throw isNoSpace(error) ? new LogFull(disk.folder, bytes.length, { what: name, cause: error }) : error;
  }
}
