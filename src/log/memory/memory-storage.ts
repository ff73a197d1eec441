/** A storage in memory, which ends with the process. */
import { type CommandLog, LogLocked } from '../contract/command-log.ts';
import type { LogPosition } from '../contract/log-source.ts';
import type { SnapshotEntry, SnapshotStore, StoredSnapshot } from '../contract/snapshot-store.ts';
import type { DocumentStore, LogOwner, LogStorage, OpenOptions } from '../contract/storage.ts';
import { MemoryLog } from './memory-log.ts';
import { MemoryRecords } from './records.ts';

export class MemoryStorage implements LogStorage {
  readonly where = 'memory';
  readonly source = new MemoryRecords();
  readonly snapshots = new MemorySnapshots();
  readonly documents = new MemoryDocuments();
  #owned = false;

  async own(): Promise<LogOwner> {
    if (this.#owned) throw new LogLocked(this.where, 'this process');
    this.#owned = true;
    let held = true;
    const release = (): void => {
      if (held) this.#owned = false;
      held = false;
    };
    return {
      storage: this,
      open: (options: OpenOptions): Promise<CommandLog> =>
        MemoryLog.open(this.source, { ...options, onClose: release }),
      release,
    };
  }

  /** Drops the log up to a position that a snapshot covers. */
  forget(position: LogPosition): void {
    this.source.forget(position);
  }
}

class MemorySnapshots implements SnapshotStore {
  /** By seq, with the head as JSON. */
  readonly #kept = new Map<number, { head: string; text: string }>();

  async list(): Promise<SnapshotEntry[]> {
    const seqs = [...this.#kept.keys()].sort((a, b) => b - a);
    return seqs.map((seq) => ({ seq, name: nameOf(seq) }));
  }

  async read(seq: number): Promise<StoredSnapshot | undefined> {
    const found = this.#kept.get(seq);
    return found && { seq, name: nameOf(seq), head: JSON.parse(found.head), text: Buffer.from(found.text) };
  }

  async write(head: { readonly seq: number }, text: string): Promise<SnapshotEntry> {
    this.#kept.set(head.seq, { head: JSON.stringify(head), text });
    return { seq: head.seq, name: nameOf(head.seq) };
  }

  async setAside(seq: number): Promise<string> {
    await this.remove([seq]);
    return nameOf(seq);
  }

  async remove(seqs: readonly number[]): Promise<void> {
    for (const seq of seqs) this.#kept.delete(seq);
  }
}

function nameOf(seq: number): string {
  return `the snapshot at seq ${seq}`;
}

class MemoryDocuments implements DocumentStore {
  readonly #texts = new Map<string, string>();

  async has(name: string): Promise<boolean> {
    return this.#texts.has(name);
  }

  async read(name: string): Promise<string | undefined> {
    return this.#texts.get(name);
  }

  async write(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
  }
}
