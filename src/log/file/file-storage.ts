/** A folder, real or simulated, as the storage of a venue. */
import type { CommandLog } from '../contract/command-log.ts';
import type { LogOwner, LogStorage, OpenOptions } from '../contract/storage.ts';
import type { Disk, LogFiles } from './disk.ts';
import { FileDocuments } from './file-documents.ts';
import { FileLog } from './file-log.ts';
import { FileSnapshots } from './file-snapshots.ts';
import { FileSource } from './file-source.ts';

export interface FileStorageOptions {
  /** The size of a new segment in bytes; default 8 MiB. */
  segmentBytes?: number;
  /** What readers of the log see, if that is more than the folder has. */
  files?: LogFiles;
}

export class FileStorage implements LogStorage {
  readonly where: string;
  readonly source: FileSource;
  readonly snapshots: FileSnapshots;
  readonly documents: FileDocuments;
  readonly #disk: Disk;
  readonly #options: FileStorageOptions;

  constructor(disk: Disk, options: FileStorageOptions = {}) {
    this.where = disk.folder;
    this.source = new FileSource(options.files ?? disk);
    this.snapshots = new FileSnapshots(disk);
    this.documents = new FileDocuments(disk);
    this.#disk = disk;
    this.#options = options;
  }

  async own(): Promise<LogOwner> {
    const disk = this.#disk;
    const { segmentBytes } = this.#options;
    const lock = disk.lock();
    const [beforeWrite, onClose] = [() => lock.check(), () => lock.release()];
    return {
      storage: this,
      open: (options: OpenOptions): Promise<CommandLog> =>
        FileLog.open(disk, { ...options, segmentBytes, beforeWrite, onClose }),
      release: onClose,
    };
  }
}
