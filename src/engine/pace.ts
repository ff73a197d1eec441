/**
 * How the engine shares its thread while it applies a batch. It applies commands for a while, then everything else gets a
 * turn of the event loop, then it goes on for as long as that took: however busy the gateway is, half of the thread is left
 * for commands.
 *
 * Invariants:
 * - Between two turns of the event loop commands are applied for SHORTEST_MS to LONGEST_MS.
 * - `msFor` tells how long commands take to be applied at the pace of the last some hundred, the turns in between included.
 *   A machine that stands still once for a second does not count as slow.
 *
 * Cost: a look at the clock every LOOK_EVERY commands.
 */
import type { World } from './world.ts';

const SHORTEST_MS = 2;
const LONGEST_MS = 10;
const LOOK_EVERY = 4;
/** How many commands make up the pace: older ones fade out. */
const REMEMBERED = 128;
/** What one measurement counts for at most. */
const MOST_MEASURED_MS = 100;

export class Pace {
  readonly #world: Pick<World, 'monotonicMs' | 'nextTurn'>;
  #commandMs = 0;
  #measuredFromMs = 0;
  /** Commands since then. */
  #commands = 0;
  #turnAtMs = 0;

  constructor(world: Pick<World, 'monotonicMs' | 'nextTurn'>) {
    this.#world = world;
  }

  /** How long so many commands take to be applied; 0 before any was. */
  msFor(commands: number): number {
    return commands * this.#commandMs;
  }

  /** A batch begins to be applied. */
  begin(): void {
    this.#commands = 0;
    this.#measuredFromMs = this.#world.monotonicMs();
    this.#turnAtMs = this.#measuredFromMs + SHORTEST_MS;
  }

  /** A command was applied. True: it is everything else's turn. */
  applied(): boolean {
    this.#commands += 1;
    return this.#commands % LOOK_EVERY === 0 && this.#world.monotonicMs() >= this.#turnAtMs;
  }

  /** Resolves when everything else has had its turn. */
  async turn(): Promise<void> {
    const leftAtMs = this.#world.monotonicMs();
    await this.#world.nextTurn();
    const nowMs = this.#world.monotonicMs();
    this.#measure(nowMs);
    this.#turnAtMs = nowMs + Math.min(Math.max(nowMs - leftAtMs, SHORTEST_MS), LONGEST_MS);
  }

  /** The batch is applied. */
  end(): void {
    this.#measure(this.#world.monotonicMs());
  }

  #measure(nowMs: number): void {
    if (this.#commands === 0) return;
    const commandMs = Math.min(nowMs - this.#measuredFromMs, MOST_MEASURED_MS) / this.#commands;
    this.#commandMs += (commandMs - this.#commandMs) * Math.min(1, this.#commands / REMEMBERED);
    this.#commands = 0;
    this.#measuredFromMs = nowMs;
  }
}
