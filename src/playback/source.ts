/** The groups of a recording, which a thread reads a little ahead of the venue. */
import { Worker } from 'node:worker_threads';
import type { GroupOptions } from './groups.ts';
import { type Group, groupsIn, type Piece } from './pieces.ts';

const THREAD = new URL('./thread.ts', import.meta.url);

/** A file turned out to be wrong while it was played. */
export class RecordingBroken extends Error {
  override readonly name = 'RecordingBroken';
}

export class GroupSource {
  readonly #worker: Worker;
  readonly #pieces: Piece[] = [];
  #groups: Iterator<Group, undefined> = [][Symbol.iterator]();
  #next: Group | undefined;
  #isLast = false;
  #isClosed = false;
  #failure: Error | undefined;
  #arrived = Promise.withResolvers<void>();

  constructor(options: GroupOptions) {
    this.#worker = new Worker(THREAD, { workerData: options });
    this.#worker.unref();
    this.#worker.on('message', (piece: Piece) => {
      this.#pieces.push(piece);
      this.#arrived.resolve();
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new RecordingBroken('the thread that reads the recording has ended')));
  }

  /** The next group, which stays the next one. Undefined: there are no more. @throws {RecordingBroken} */
  async peek(): Promise<Group | undefined> {
    for (;;) {
      const group = this.ready;
      if (group !== undefined || this.#isClosed || this.#isLast) return group;
      await this.#nextPiece();
    }
  }

  /** The next group, if it need not be waited for. */
  get ready(): Group | undefined {
    if (this.#isClosed) return undefined;
    this.#next ??= this.#groups.next().value;
    return this.#next;
  }

  /** The next group was played. */
  take(): void {
    this.#next = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#arrived.resolve();
    void this.#worker.terminate();
  }

  async #nextPiece(): Promise<void> {
    while (this.#pieces.length === 0) {
      if (this.#isClosed) return;
      if (this.#failure !== undefined) throw this.#failure;
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
    const piece = this.#pieces.shift() as Piece;
    if ('refused' in piece) throw new RecordingBroken(piece.refused);
    this.#groups = groupsIn(piece.numbers);
    this.#isLast = piece.isLast;
    if (!piece.isLast) this.#worker.postMessage('more');
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#arrived.resolve();
  }
}
