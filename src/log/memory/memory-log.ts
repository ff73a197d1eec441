/**
 * A log that lasts as long as the process: for a venue without a data folder. Durable as soon as it is appended. It keeps
 * what it was given, about the length of the commands' text, until it is told to forget it.
 */
import assert from 'node:assert/strict';
import type { Batch, CommandLog, LogEntry, Poisoned } from '../command-log.ts';

type Record = { batch: Batch } | { poisoned: Poisoned };

export class MemoryLog implements CommandLog {
  readonly epoch = 1;
  #records: Record[] = [];
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
    this.#records.push({ batch });
    this.#lastSeq += batch.commands.length;
    this.#lastTimeMs = batch.timeMs;
  }

  async makeRoom(): Promise<void> {}

  async poison(poisoned: Poisoned): Promise<void> {
    this.#records.push({ poisoned });
  }

  async seal(): Promise<void> {}

  async close(): Promise<void> {}

  /** The number of records kept. */
  get length(): number {
    return this.#records.length;
  }

  /** What is kept, but for the first `skip` records. */
  *entries(skip = 0): Generator<LogEntry> {
    let lastSeq = 0;
    let timeMs = 0;
    for (let i = skip; i < this.#records.length; i += 1) {
      const record = this.#records[i];
      const place = { epoch: this.epoch, file: 'memory', offset: i };
      if ('poisoned' in record) {
        const { poisoned } = record;
        yield { ...place, kind: 'poisoned', poisoned, firstSeq: lastSeq + 1, lastSeq, timeMs, commands: [] };
        continue;
      }
      const { firstSeq, effects, commands: texts } = record.batch;
      lastSeq = firstSeq + texts.length - 1;
      timeMs = record.batch.timeMs;
      yield {
        ...place,
        kind: 'batch',
        firstSeq,
        lastSeq,
        timeMs,
        effects,
        commands: texts.map((text) => JSON.parse(text)),
      };
    }
  }

  /** Lets go of all that is kept: a snapshot stands for it. */
  forget(): void {
    this.#records = [];
  }
}
