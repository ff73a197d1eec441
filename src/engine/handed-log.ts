/** The log of an engine that follows another one's at first. */
import type { CommandLog, RemoteLog, SealedState } from '../log/contract/command-log.ts';
import type { LogPosition } from '../log/contract/log-source.ts';

/** What follows the log. */
interface Followed {
  readonly venue: { readonly seq: number; readonly timeMs: number };
  readonly epoch: number;
  readonly position: LogPosition;
  stop(): Promise<void>;
}

/** Until the log is handed over (`led`), it says what the standby has, and writes nothing. */
export class HandedLog implements CommandLog {
  led: CommandLog | undefined;
  readonly #standby: Followed;

  constructor(standby: Followed) {
    this.#standby = standby;
  }

  get epoch(): number {
    return this.led?.epoch ?? this.#standby.epoch;
  }

  get lastSeq(): number {
    return this.led?.lastSeq ?? this.#standby.venue.seq;
  }

  get lastTimeMs(): number {
    return this.led?.lastTimeMs ?? this.#standby.venue.timeMs;
  }

  get position(): LogPosition {
    return this.led?.position ?? this.#standby.position;
  }

  get remote(): RemoteLog | undefined {
    return this.led?.remote;
  }

  append(batch: Parameters<CommandLog['append']>[0]): Promise<void> {
    return this.#writable.append(batch);
  }

  makeRoom(): Promise<void> {
    return this.#writable.makeRoom();
  }

  poison(record: Parameters<CommandLog['poison']>[0]): Promise<void> {
    return this.#writable.poison(record);
  }

  seal(state?: SealedState): Promise<void> {
    return this.#writable.seal(state);
  }

  async close(): Promise<void> {
    if (this.led === undefined) await this.#standby.stop();
    else await this.led.close();
  }

  get #writable(): CommandLog {
    if (this.led === undefined) throw new Error('a standby writes nothing');
    return this.led;
  }
}
