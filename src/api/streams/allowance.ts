/**
 * How much one client of a stream may ask for: ASKED_AT_ONCE things, and ASKED_PER_SECOND more each second. A frame counts
 * as one, and so does each topic in it.
 */
import type { World } from '../../engine/contract/world.ts';

export const ASKED_AT_ONCE = 500;
export const ASKED_PER_SECOND = 50;
/** The reason with which a client that asks for more is closed. */
export const ASKS_TOO_MUCH = 'it asks for too much';

export class Allowance {
  readonly #world: Pick<World, 'monotonicMs'>;
  #left = ASKED_AT_ONCE;
  #atMs: number;

  constructor(world: Pick<World, 'monotonicMs'>) {
    this.#world = world;
    this.#atMs = world.monotonicMs();
  }

  /** False: it asks for too much. */
  take(things: number): boolean {
    const nowMs = this.#world.monotonicMs();
    const more = ((nowMs - this.#atMs) / 1000) * ASKED_PER_SECOND;
    this.#left = Math.min(ASKED_AT_ONCE, this.#left + more) - things;
    this.#atMs = nowMs;
    return this.#left >= 0;
  }
}
