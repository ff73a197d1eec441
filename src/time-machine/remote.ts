/**
 * The time machine of a data folder, in a thread of low priority. The thread is started by the first question, and
 * ends when there was none for a while, with everything that it holds. So a venue whose past nobody looks at pays
 * nothing.
 */
import { Worker } from 'node:worker_threads';
import { ArchiveBusy } from '../archive/archive.ts';
import type { OnNotice } from '../engine/contract/notice.ts';
import { type Reply, type Request, receivedError, type ThreadData } from './messages.ts';
import { NotWanted, type Question } from './time-machine.ts';

const THREAD = new URL('./worker.ts', import.meta.url);
const NOBODY = 'nobody waits for this answer';
/** How long the thread stays without a question. */
const IDLE_MS = 5 * 60_000;
/** The heap of the thread. A state that needs more is refused, and the venue goes on. */
const MOST_MEGABYTES = 4096;

interface Pending {
  readonly resolve: (answer: object) => void;
  readonly reject: (error: Error) => void;
}

export interface RemoteOptions extends ThreadData {
  /** The module that the thread runs. A test gives one that fails. */
  readonly thread?: URL;
  readonly onNotice: OnNotice;
}

export class RemoteTimeMachine {
  readonly #options: RemoteOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** Rejects as `TimeMachine.ask`. @throws {ArchiveBusy} the thread failed, or the venue stops */
  async ask(question: Question, gone: AbortSignal): Promise<object> {
    if (this.#closed) throw new ArchiveBusy('the venue is stopping');
    if (gone.aborted) throw new NotWanted(NOBODY);
    const worker = this.#started();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    this.#pending.set(id, { resolve, reject });
    const drop = () => {
      worker.postMessage({ type: 'drop', id } satisfies Request);
      reject(new NotWanted(NOBODY));
    };
    gone.addEventListener('abort', drop, { once: true });
    worker.postMessage({ type: 'ask', id, question } satisfies Request);
    try {
      return await promise;
    } finally {
      gone.removeEventListener('abort', drop);
      this.#pending.delete(id);
      if (this.#pending.size === 0 && !this.#closed) this.#restSoon();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #started(): Worker {
    clearTimeout(this.#idle);
    if (this.#worker !== undefined) return this.#worker;
    const { folder, log, identity, thread = THREAD } = this.#options;
    const worker = new Worker(thread, {
      workerData: { folder, log, identity } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    worker.unref();
    let failure: NodeJS.ErrnoException | undefined;
    worker.on('message', (reply: Reply) => {
      const pending = this.#pending.get(reply.id);
      if ('answer' in reply) pending?.resolve(reply.answer);
      else pending?.reject(receivedError(reply.error));
    });
    worker.on('error', (error) => {
      failure = error;
    });
    worker.once('exit', () => this.#end(worker, failure));
    this.#worker = worker;
    return worker;
  }

  /** The last question is answered: unless another one comes, the thread ends. */
  #restSoon(): void {
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = undefined;
      worker?.terminate();
    }, IDLE_MS).unref();
  }

  /** The thread has ended. Unless that was wanted, its questions are refused. */
  #end(worker: Worker, failure: NodeJS.ErrnoException | undefined): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const problem =
      failure?.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? `the time machine needs more than ${MOST_MEGABYTES} MB for this state`
        : `the time machine's thread failed: ${failure?.message ?? 'it ended'}`;
    if (!this.#closed) this.#options.onNotice(problem, 'error');
    for (const { reject } of this.#pending.values()) reject(new ArchiveBusy(problem));
  }
}
