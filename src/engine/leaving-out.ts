/**
 * What follows a command or a timer that made the venue throw: the log records that it must not be applied, and the venue
 * is rebuilt without it.
 */
import { type CommandLog, LogUnavailable } from '../log/contract/command-log.ts';
import type { Venue } from '../venue/venue.ts';
import { EngineRebuilding } from './contract/errors.ts';
import type { OnNotice } from './contract/notice.ts';
import type { LogSpace } from './log-space.ts';
import { CommandFailed } from './replay/log-replayer.ts';

export interface LeavingOutOptions {
  readonly log: Pick<CommandLog, 'poison'>;
  readonly space: LogSpace;
  /** The venue as it was after the command `seq`. Undefined: nothing can be left out. */
  readonly rebuild: ((seq: number) => Promise<Venue>) | undefined;
  readonly onNotice: OnNotice;
  /** Takes the rebuilt venue. */
  readonly onRebuilt: (venue: Venue, without: CommandFailed) => void;
}

export class LeavingOut {
  readonly #options: LeavingOutOptions;
  #rebuilding: EngineRebuilding | undefined;

  constructor(options: LeavingOutOptions) {
    this.#options = options;
  }

  /** Set while the venue is being rebuilt. */
  get rebuilding(): EngineRebuilding | undefined {
    return this.#rebuilding;
  }

  /** Records what made the venue throw, and rebuilds the venue without it. @throws the error, if it is another one */
  async leaveOut(error: unknown): Promise<CommandFailed> {
    const { rebuild, onNotice, onRebuilt } = this.#options;
    if (!(error instanceof CommandFailed) || rebuild === undefined) throw error;
    const status = `the venue is being rebuilt without ${error.leftOutText}`;
    this.#rebuilding = new EngineRebuilding(status);
    onNotice(`${error.message}; ${error.outcomeText}`, 'error');
    await this.#record(error);
    // A rebuild skips a poisoned command, which keeps its seq. A command whose timer failed is applied again by the
    // caller, so the rebuild ends before it.
    const lastSeq = error.due === undefined ? error.seq : error.seq - 1;
    onRebuilt(await this.#rebuilt(rebuild, lastSeq, status), error);
    onNotice(`the venue was rebuilt without ${error.leftOutText}`, 'warn');
    this.#rebuilding = undefined;
    return error;
  }

  /**
   * Rebuilds the venue. While no file can be opened, it tries again every second.
   * @throws {LogUnavailable} a stop ended the wait. The engine then fails and does not seal the log, because its venue is
   * half-way through a command. The next start leaves that command out.
   */
  async #rebuilt(rebuild: (seq: number) => Promise<Venue>, seq: number, status: string): Promise<Venue> {
    const { space, onNotice } = this.#options;
    for (let waits = false; ; waits = true) {
      try {
        return await rebuild(seq);
      } catch (error) {
        if (!(error instanceof LogUnavailable) || space.isStopped) throw error;
        const clientMessage = `${status}: ${error.need}`;
        this.#rebuilding = new EngineRebuilding(`${status}: ${error.message}`, { clientMessage });
        if (!waits) onNotice(this.#rebuilding.message, 'error');
        await space.pause();
      }
    }
  }

  /**
   * Records in the log what is left out. While there is no space, it tries again every second, and a last time when the
   * engine stops.
   * @throws {LogUnavailable} that last attempt failed. The engine then fails, as after `#rebuilt`; the next start finds the
   * command that throws, and records it.
   */
  async #record({ record }: CommandFailed): Promise<void> {
    const { log, space, onNotice } = this.#options;
    for (;;) {
      try {
        return await log.poison(record);
      } catch (error) {
        if (!(error instanceof LogUnavailable) || space.isStopped) throw error;
        onNotice(`read-only, ${error.message}`, 'error');
        do await space.pause();
        while (!space.isStopped && !(await space.hasSpace()));
      }
    }
  }
}
