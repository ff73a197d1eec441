/**
 * The time machine of a data folder, in a thread of its low priority. The thread is started by the first question, and
 * ends when there was none for a while, with everything that it holds. So a venue whose past nobody looks at pays
 * nothing.
 */
import { Worker } from 'node:worker_threads';
import { ArchiveBusy } from '../archive/archive.ts';
import type { OnNotice } from '../engine/contract/notice.ts';
import { type Reply, type Request, receivedError, type ThreadData } from './messages.ts';
import { NotWanted, type Question } from './time-machine.ts';

const THREAD = new URL('./worker.ts', import.meta.url);
/** How long the thread stays without a question. */
const IDLE_MS = 5 * 60_000;
/** The heap of the thread. A state that needs more is refused, and the venue goes on. */
const MOST_MEGABYTES = 4096;

interface Pending {
  readonly resolve: (answer: object) => void;
  readonly reject: (error: Error) => void;
}

export interface RemoteOptions extends ThreadData {
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
  ask(question: Question, gone: AbortSignal): Promise<object> {
    if (this.#closed) return Promise.reject(new ArchiveBusy('the venue is stopping'));
    const worker = this.#started();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const drop = () => {
        if (!this.#settle(id)) return;
        worker.postMessage({ type: 'drop', id } satisfies Request);
        reject(new NotWanted('nobody waits for this answer'));
      };
      gone.addEventListener('abort', drop, { once: true });
      const end = () => gone.removeEventListener('abort', drop);
      this.#pending.set(id, {
        resolve: (answer) => {
          end();
          resolve(answer);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      worker.postMessage({ type: 'ask', id, question } satisfies Request);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #started(): Worker {
    clearTimeout(this.#idle);
    if (this.#worker !== undefined) return this.#worker;
    const { folder, identity } = this.#options;
    const worker = new Worker(THREAD, {
      workerData: { folder, identity } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    worker.unref();
    let failure: NodeJS.ErrnoException | undefined;
    worker.on('message', (reply: Reply) => {
      const pending = this.#settle(reply.id);
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

  /** Takes a question out. When it was the last one, the thread has nothing to do. */
  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0 && !this.#closed) {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => this.#worker?.terminate(), IDLE_MS).unref();
    }
    return pending;
  }

  #end(worker: Worker, failure: NodeJS.ErrnoException | undefined): void {
    if (this.#worker === worker) this.#worker = undefined;
    if (failure === undefined && this.#pending.size === 0) return;
    const problem =
      failure?.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? `the time machine needs more than ${MOST_MEGABYTES} MB for this state`
        : `the time machine's thread failed: ${failure?.message ?? 'it ended'}`;
    if (!this.#closed) this.#options.onNotice(problem, 'error');
    for (const { reject } of this.#pending.values()) reject(new ArchiveBusy(problem));
    this.#pending.clear();
  }
}
