/**
 * Reports of an archive that is behind its log: how far it is, after five seconds and then after waits that double, and when
 * it has reached it. Under a load that keeps it behind for hours, that is one report every five minutes.
 */
import type { World } from '../../engine/contract/world.ts';

const FIRST_MS = 5000;
const LONGEST_MS = 300_000;

export interface BehindReportOptions {
  readonly world: Pick<World, 'monotonicMs'>;
  readonly notice: (text: string) => void;
}

export class BehindReport {
  readonly #options: BehindReportOptions;
  /** Set while the archive is behind: when the next report is due, and how many there were. */
  #behind: { readonly dueMs: number; readonly reports: number } | undefined;

  constructor(options: BehindReportOptions) {
    this.#options = options;
  }

  /** The archive is at `seq` of `applied`. */
  at(seq: number, applied: number, reached: boolean): void {
    if (!reached) {
      this.later(`the archive is at seq ${seq} of ${applied} (${Math.floor((100 * seq) / applied)}%)`);
      return;
    }
    if (this.#behind !== undefined && this.#behind.reports > 0)
      this.#options.notice(`the archive has reached seq ${applied}`);
    this.#behind = undefined;
  }

  /** Reports the progress if a report is due. */
  later(text: string): void {
    const { world, notice } = this.#options;
    const nowMs = world.monotonicMs();
    this.#behind ??= { dueMs: nowMs + FIRST_MS, reports: 0 };
    if (nowMs < this.#behind.dueMs) return;
    const reports = this.#behind.reports + 1;
    this.#behind = { dueMs: nowMs + Math.min(FIRST_MS * 2 ** reports, LONGEST_MS), reports };
    notice(text);
  }

  /** What was behind has ended. */
  forget(): void {
    this.#behind = undefined;
  }
}
