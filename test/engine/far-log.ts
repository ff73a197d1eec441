/** A log on another machine that answers only when the test lets it. */
import type {
  Batch,
  CommandLog,
  Poisoned,
  RemoteListener,
  RemoteLog,
  SealedState,
} from '../../src/log/contract/command-log.ts';

export class FarLog implements CommandLog {
  readonly #log: CommandLog;
  #gate: Promise<void> = Promise.resolve();
  open: () => void = () => {};
  doubt: string | undefined;
  listener: RemoteListener | undefined;

  constructor(log: CommandLog) {
    this.#log = log;
  }

  readonly remote: RemoteLog = this.#asRemote();

  #asRemote(): RemoteLog {
    const far = this;
    return {
      reliesOn: { kind: 'a test' },
      get doubt() {
        return far.doubt;
      },
      watch(listener) {
        far.listener = listener;
      },
      async announce() {},
    };
  }

  shut(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    this.open = resolve;
  }

  get epoch() {
    return this.#log.epoch;
  }

  get lastSeq() {
    return this.#log.lastSeq;
  }

  get lastTimeMs() {
    return this.#log.lastTimeMs;
  }

  get position() {
    return this.#log.position;
  }

  async append(batch: Batch): Promise<void> {
    await this.#gate;
    await this.#log.append(batch);
  }

  makeRoom(): Promise<void> {
    return this.#log.makeRoom();
  }

  poison(record: Poisoned): Promise<void> {
    return this.#log.poison(record);
  }

  seal(state?: SealedState): Promise<void> {
    return this.#log.seal(state);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}
