/**
 * The report of a running venue, for its control surface. A log on a disk or in a database is read by a thread, a log in
 * memory by the venue's own, a little at a time.
 *
 * - Questions that come while a report is being made get that one.
 * - Nothing is kept: the next question reads the log again.
 */
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { LogStorage } from '../log/contract/storage.ts';
import { type Report, reportOfLog } from './report.ts';
import type { ReportThreadData } from './thread.ts';

const THREAD = new URL('./thread.ts', import.meta.url);

export class ReportOfVenue {
  readonly #log: string | LogStorage;
  #making: Promise<Report> | undefined;
  #worker: Worker | undefined;

  /** The address of the log, or the log in memory. */
  constructor(log: string | LogStorage) {
    this.#log = log;
  }

  /** @throws {Error} the log does not reach back to its beginning, or a part of it was written under other rules */
  read(): Promise<Report> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #make(): Promise<Report> {
    if (typeof this.#log !== 'string') return reportOfLog(this.#log.source, () => setImmediate());
    const { promise, resolve, reject } = Promise.withResolvers<Report>();
    const worker = new Worker(THREAD, { workerData: { address: this.#log } satisfies ReportThreadData });
    worker.unref();
    this.#worker = worker;
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the venue stopped while the report was being made')));
    return promise;
  }
}
