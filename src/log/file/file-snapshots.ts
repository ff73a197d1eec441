/**
 * Snapshots as files in a folder.
 *
 *     one line of JSON (the head) · the text · a line with the SHA-256 of everything before it
 *
 * Invariant: a snapshot has its name only once it is complete and durable. The checksum covers every bit. A file of
 * that name that does not match is damaged.
 *
 * Cost: V8 limits a string, and so the text of a snapshot, to half a gigabyte.
 */
import { hash } from 'node:crypto';
import { LogFull, LogOutOfFiles, SnapshotDamaged } from '../contract/command-log.ts';
import type { SnapshotEntry, SnapshotStore, StoredSnapshot } from '../contract/snapshot-store.ts';
import { isNoDescriptor, isNoSpace } from '../shared/system-errors.ts';
import { createFile, type Disk, writeWhole } from './disk.ts';
import { DAMAGED, snapshotName, snapshotSeq } from './segments.ts';

const HASH_CHARS = 64;
const NEWLINE = 0x0a;

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
    const end = bytes.length - HASH_CHARS - 1;
    const checksum = bytes.subarray(Math.max(end, 0)).toString('latin1');
    if (end < 0 || checksum !== `${hash('sha256', bytes.subarray(0, end), 'hex')}\n`) {
      throw new SnapshotDamaged(name, `${bytes.length} bytes that do not match their checksum`);
    }
    const line = bytes.indexOf(NEWLINE);
    const head = JSON.parse(bytes.toString('utf8', 0, line)) as StoredSnapshot['head'];
    if (head.seq !== seq) throw new SnapshotDamaged(name, `it is the snapshot of seq ${head.seq}, renamed`);
    return { seq, name, head, text: bytes.subarray(line + 1, end - 1) };
  }

  async write(head: { readonly seq: number }, text: string): Promise<SnapshotEntry> {
    const name = snapshotName(head.seq);
    const content = Buffer.from(`${JSON.stringify(head)}\n${text}\n`);
    const checksum = Buffer.from(`${hash('sha256', content, 'hex')}\n`);
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
