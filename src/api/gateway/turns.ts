/**
 * Gives connections turns: they are served in the order in which they came, and one that has more to do waits again at
 * the end. In one turn of the event loop they are served for `turnMs`, and each at most once, so that everything else
 * goes on.
 */
import type { World } from '../../engine/contract/world.ts';

export interface Waiter {
  /** Does the work of one turn before it returns. */
  turn(): void;
}

export class Turns {
  readonly #turnMs: number;
  readonly #world: Pick<World, 'monotonicMs' | 'nextTurn'>;
  #waiting: Waiter[] = [];
  #begun = false;

  constructor(turnMs: number, world: Pick<World, 'monotonicMs' | 'nextTurn'>) {
    this.#turnMs = turnMs;
    this.#world = world;
  }

  /** The waiter must not be waiting already. */
  join(waiter: Waiter): void {
    this.#waiting.push(waiter);
    this.#begin();
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#world.nextTurn().then(() => this.#serve());
  }

  #serve(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const endsAtMs = this.#world.monotonicMs() + this.#turnMs;
    let served = 0;
    do {
      waiting[served].turn();
      served += 1;
    } while (served < waiting.length && this.#world.monotonicMs() < endsAtMs);
    this.#waiting = [...waiting.slice(served), ...this.#waiting];
    this.#begun = false;
    if (this.#waiting.length > 0) this.#begin();
  }
}
