/**
 * Turns over connections: those that wait are served in the order in which they came, and one that still has something
 * waits again at the end. In one turn of the event loop at most `perTurn` are served, so that everything else goes on.
 */
import type { World } from '../engine/world.ts';

export interface Waiter {
  /** Serves one request. */
  turn(): void;
}

export class Turns {
  readonly #perTurn: number;
  readonly #world: Pick<World, 'nextTurn'>;
  #waiting: Waiter[] = [];
  #begun = false;

  constructor(perTurn: number, world: Pick<World, 'nextTurn'>) {
    this.#perTurn = perTurn;
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
    this.#begun = false;
    const served = this.#waiting.splice(0, this.#perTurn);
    if (this.#waiting.length > 0) this.#begin();
    for (const waiter of served) waiter.turn();
  }
}
