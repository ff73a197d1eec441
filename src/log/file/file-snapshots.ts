/**
 * Snapshots as files in a folder (shared/snapshot-bytes.ts says what is in one).
 *
 * Invariant: a snapshot has its name only once it is complete and durable. The checksum covers every bit. A file of
 * that name that does not match is damaged.
 */
import { LogFull, LogOutOfFiles } from '../contract/command-log.ts';
import type { SnapshotEntry, SnapshotStore, StoredSnapshot } from '../contract/snapshot-store.ts';
import { DAMAGED, snapshotName, snapshotSeq } from '../shared/segments.ts';
import { readSnapshotBytes, snapshotBytes } from '../shared/snapshot-bytes.ts';
import { isNoDescriptor, isNoSpace } from '../shared/system-errors.ts';
import { createFile, type Disk, writeWhole } from './disk.ts';

export class FileSnapshots implements SnapshotStore {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  async list(): Promise<SnapshotEntry[]> {
    const found: SnapshotEntry[] = [];
    for (const name of this.#disk.names()) {
      const seq = snapshotSeq(name);
      if (seq !== undefined) found.push({ seq, name });
    }
    return found.sort((a, b) => b.seq - a.seq);
  }

  async read(seq: number): Promise<StoredSnapshot | undefined> {
    const name = snapshotName(seq);
    const bytes = this.#disk.read(name);
    if (bytes === undefined) return undefined;
    return readSnapshotBytes(name, seq, bytes);
  }

  async write(head: { readonly seq: number }, text: string): Promise<SnapshotEntry> {
    const name = snapshotName(head.seq);
    const { content, checksum } = snapshotBytes(head, text);
    try {
      await createFile(this.#disk, name, (to) => {
        writeWhole(to, content, 0);
        writeWhole(to, checksum, content.length);
      });
    } catch (error) {
      if (isNoDescriptor(error)) throw new LogOutOfFiles(this.#disk.folder, { what: 'a snapshot', cause: error });
      if (!isNoSpace(error)) throw error;
      const bytes = content.length + checksum.length;
      throw new LogFull(this.#disk.folder, bytes, { what: 'a snapshot', cause: error });
    }
    return { seq: head.seq, name };
  }

  /** Replaces an older file of the new name. */
  async setAside(seq: number): Promise<string> {
    const name = snapshotName(seq);
    this.#disk.rename(name, name + DAMAGED);
    await this.#disk.syncNames();
    return name + DAMAGED;
  }

  async remove(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return;
    for (const seq of seqs) this.#disk.remove(snapshotName(seq));
    await this.#disk.syncNames();
  }
}
