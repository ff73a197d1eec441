/** A log that lasts as long as the process: for a venue without a data folder. Durable as soon as it is appended. */
import assert from 'node:assert/strict';
import type { Batch, CommandLog } from './command-log.ts';

export class MemoryLog implements CommandLog {
  readonly epoch = 1;
  #lastSeq = 0;
  #lastTimeMs = 0;

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get lastTimeMs(): number {
    return this.#lastTimeMs;
  }

  async append(batch: Batch): Promise<void> {
    assert.equal(batch.firstSeq, this.#lastSeq + 1, 'a batch has to follow the last one');
    this.#lastSeq += batch.commands.length;
    this.#lastTimeMs = batch.timeMs;
  }

  async makeRoom(): Promise<void> {}

  async seal(): Promise<void> {}

  async close(): Promise<void> {}
}
