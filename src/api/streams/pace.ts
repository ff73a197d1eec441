/**
 * Bounds the time that public topics cost: anyone may subscribe them, any number of times. After frames that took a while
 * the next ones wait REST times as long, so they use a fifth of the thread at most. The rest is for commands. Then books
 * come less often, and trades several in a frame. Nothing is lost.
 *
 * Only on a real clock. On a manual clock every command sends its frames.
 */
import type { World } from '../../engine/contract/world.ts';

const REST = 4;

export class Pace {
  readonly #world: Pick<World, 'monotonicMs'>;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(world: Pick<World, 'monotonicMs'>) {
    this.#world = world;
  }

  /** When the next frames may be made, in monotonic time. */
  get restsUntilMs(): number {
    return this.#restsUntilMs;
  }

  /** Makes frames, and then rests. */
  run(work: () => void): void {
    const beganAtMs = this.#world.monotonicMs();
    work();
    const endedAtMs = this.#world.monotonicMs();
    this.#restsUntilMs = endedAtMs + REST * (endedAtMs - beganAtMs);
  }
}
