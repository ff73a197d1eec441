import { type DiskFile, RealDisk } from '../src/log/file/disk.ts';

/** A disk that syncs nothing, to write a long log in a short time. */
export class UnsyncedDisk extends RealDisk {
  override create(name: string): DiskFile {
    return unsynced(super.create(name));
  }

  override open(name: string): DiskFile {
    return unsynced(super.open(name));
  }
}

function unsynced(file: DiskFile): DiskFile {
  return {
    write: (bytes, position) => file.write(bytes, position),
    sync: async () => {},
    close: () => file.close(),
  };
}
