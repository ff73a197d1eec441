/** Waits for a log that has no space, or cannot open its files: tries again every second, until the engine stops. */
import { type CommandLog, LogUnavailable } from '../log/contract/command-log.ts';
import type { World } from './contract/world.ts';

/** How often the log is tried again while it has no space or no file can be opened. */
const SPACE_RETRY_MS = 1000;

export class LogSpace {
  readonly #log: Pick<CommandLog, 'makeRoom'>;
  readonly #world: Pick<World, 'timer'>;
  #keepsAlive = true;
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(log: Pick<CommandLog, 'makeRoom'>, world: Pick<World, 'timer'>) {
    this.#log = log;
    this.#world = world;
  }

  /** There are no further attempts. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Waits until the next attempt, or until the engine stops. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#world.timer(SPACE_RETRY_MS, resolve);
      if (!this.#keepsAlive) timer.unref();
      this.#wake = () => {
        timer.clear();
        resolve();
      };
    });
  }

  /** Lets the log try to reserve the space that it needs. */
  async hasSpace(): Promise<boolean> {
    try {
      await this.#log.makeRoom();
      return true;
    } catch (error) {
      if (error instanceof LogUnavailable) return false;
      throw error;
    }
  }

  /** From now on a wait does not keep the process alive. */
  unref(): void {
    this.#keepsAlive = false;
  }

  /** Ends the wait. */
  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
  }
}
