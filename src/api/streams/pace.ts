/**
 * Bounds the time that public topics cost: anyone may subscribe them, any number of times. After frames that took a while
 * the next ones wait REST times as long, so they use a fifth of the thread at most. The rest is for commands. Then books
 * come less often, and trades several in a frame. Nothing is lost. Those that wait take turns, so that none waits for ever.
 *
 * Only on a real clock. On a manual clock every command sends its frames.
 */
import type { Timer, World } from '../../engine/contract/world.ts';

const REST = 4;

export class Pace {
  readonly #world: Pick<World, 'monotonicMs' | 'timer'>;
  /** In the order in which they came. */
  readonly #waiting: (() => void)[] = [];
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;
  #isRunning = false;

  constructor(world: Pick<World, 'monotonicMs' | 'timer'>) {
    this.#world = world;
  }

  /** Makes and writes frames: now, or when it is their turn. */
  run(work: () => void): void {
    this.#waiting.push(work);
    if (this.#timer === null && !this.#isRunning) this.#runDue();
  }

  #runDue(): void {
    this.#isRunning = true;
    try {
      for (let work = this.#waiting.at(0); work !== undefined; work = this.#waiting.at(0)) {
        const beganAtMs = this.#world.monotonicMs();
        if (beganAtMs < this.#restsUntilMs) {
          this.#wait(this.#restsUntilMs - beganAtMs);
          return;
        }
        this.#waiting.shift();
        work();
        const endedAtMs = this.#world.monotonicMs();
        this.#restsUntilMs = endedAtMs + REST * (endedAtMs - beganAtMs);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  #wait(ms: number): void {
    this.#timer = this.#world.timer(ms, () => {
      this.#timer = null;
      this.#runDue();
    });
    this.#timer.unref();
  }
}
