/** Reports of an archive that is behind its log: how far it is, every few seconds, and when it has reached it. */
import type { World } from '../../engine/contract/world.ts';

const PROGRESS_MS = 5000;

export interface BehindReportOptions {
  readonly world: Pick<World, 'monotonicMs'>;
  readonly notice: (text: string) => void;
}

export class BehindReport {
  readonly #options: BehindReportOptions;
  /** Set while the archive is behind: since when, or when that was last reported. */
  #behind: { readonly sinceMs: number; readonly reported: boolean } | undefined;

  constructor(options: BehindReportOptions) {
    this.#options = options;
  }

  /** The archive is at `seq` of `applied`. */
  at(seq: number, applied: number, reached: boolean): void {
    if (!reached) {
      this.later(`the archive is at seq ${seq} of ${applied} (${Math.floor((100 * seq) / applied)}%)`);
      return;
    }
    if (this.#behind?.reported) this.#options.notice(`the archive has reached seq ${applied}`);
    this.#behind = undefined;
  }

  /** Reports the progress, unless it was reported shortly before. */
  later(text: string): void {
    const { world, notice } = this.#options;
    const nowMs = world.monotonicMs();
    this.#behind ??= { sinceMs: nowMs, reported: false };
    if (nowMs - this.#behind.sinceMs < PROGRESS_MS) return;
    this.#behind = { sinceMs: nowMs, reported: true };
    notice(text);
  }

  /** What was behind has ended. */
  forget(): void {
    this.#behind = undefined;
  }
}
