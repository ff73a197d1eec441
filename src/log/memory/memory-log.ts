/** A log in memory, for a venue without a data folder. A batch is durable as soon as it is appended. */
import assert from 'node:assert/strict';
import { type Batch, type CommandLog, LogDamaged, type Poisoned, type SealedState } from '../contract/command-log.ts';
import type { LogPosition } from '../contract/log-source.ts';
import type { OpenOptions } from '../contract/storage.ts';
import { replayLog } from '../shared/replay-log.ts';
import type { MemoryRecord, MemoryRecords } from './records.ts';

interface MemoryLogOptions extends OpenOptions {
  /** Called when the log is closed, to release the lock. */
  onClose: () => void;
}

export class MemoryLog implements CommandLog {
  readonly epoch: number;
  readonly #records: MemoryRecords;
  readonly #onClose: () => void;
  #lastSeq: number;
  #lastTimeMs: number;
  /** Why nothing more can be written: the log is sealed or closed. */
  #ended: 'sealed' | 'closed' | undefined;

  private constructor(records: MemoryRecords, { rulesVersion, onClose, state }: MemoryLogOptions) {
    const { epoch, lastSeq, timeMs } = records.last ?? { epoch: 0, lastSeq: 0, timeMs: 0 };
    this.#records = records;
    this.#onClose = onClose;
    this.epoch = epoch + 1;
    this.#lastSeq = lastSeq;
    this.#lastTimeMs = timeMs;
    const { effects, ...began } = state?.() ?? { effects: undefined, anew: false };
    this.#add({ kind: 'start', rulesVersion, began, effects });
  }

  static async open(records: MemoryRecords, options: MemoryLogOptions): Promise<MemoryLog> {
    const end = await replayLog(records.read(options.origin), options);
    if (end.records === 0 && options.mustExist === true) {
      throw new LogDamaged(end.place, 'it was used before, but its log is empty');
    }
    return new MemoryLog(records, options);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get lastTimeMs(): number {
    return this.#lastTimeMs;
  }

  get position(): LogPosition {
    const { position } = this.#records;
    assert.ok(position !== undefined, 'an open log holds its start record');
    return position;
  }

  async append({ firstSeq, timeMs, commands, effects }: Batch): Promise<void> {
    this.#check('append');
    assert.equal(firstSeq, this.#lastSeq + 1, 'a batch must follow the last one');
    assert.ok(commands.count > 0, 'a batch holds at least one command');
    this.#lastSeq += commands.count;
    this.#lastTimeMs = timeMs;
    const lastSeq = this.#lastSeq;
    this.#records.add({ kind: 'batch', epoch: this.epoch, firstSeq, lastSeq, timeMs, commands, effects });
  }

  async makeRoom(): Promise<void> {
    this.#check('makeRoom');
  }

  async poison(poisoned: Poisoned): Promise<void> {
    this.#check('poison');
    this.#add({ kind: 'poisoned', poisoned });
  }

  async seal(state?: SealedState): Promise<void> {
    this.#check('seal');
    this.#add({ kind: 'seal', hash: state?.hash, effects: state?.effects });
    this.#ended = 'sealed';
  }

  async close(): Promise<void> {
    this.#ended = 'closed';
    this.#onClose();
  }

  /** Adds a record that takes no sequence number. */
  #add(record: Pick<MemoryRecord, 'kind' | 'rulesVersion' | 'began' | 'hash' | 'effects' | 'poisoned'>): void {
    const { epoch } = this;
    const lastSeq = this.#lastSeq;
    this.#records.add({ ...record, epoch, firstSeq: lastSeq + 1, lastSeq, timeMs: this.#lastTimeMs });
  }

  #check(what: string): void {
    assert.equal(this.#ended, undefined, `${what} on a log that is ${this.#ended}`);
  }
}
