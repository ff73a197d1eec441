/**
 * Divides the engine's thread while a batch is applied. The engine applies commands for a few milliseconds, then
 * everything else gets a turn of the event loop. The next piece lasts as long as that turn took. So commands get half
 * of the thread, however busy the gateway is.
 *
 * Invariants:
 * - Between two turns of the event loop, commands are applied for SHORTEST_MS to LONGEST_MS.
 * - `msFor` estimates how long applying commands takes, from about the last hundred. The turns in between count. One
 *   stall of a second does not make a machine count as slow.
 *
 * Cost: reads the clock every LOOK_EVERY commands.
 */
import type { World } from '../contract/world.ts';

const SHORTEST_MS = 2;
const LONGEST_MS = 10;
const CHECK_EVERY = 4;
/** About how many commands the average covers. Older ones fade out. */
const REMEMBERED = 128;
/** The maximum weight of one measurement. */
const MOST_MEASURED_MS = 100;

export class Pace {
  readonly #world: Pick<World, 'monotonicMs' | 'nextTurn'>;
  #commandMs = 0;
  #measuredFromMs = 0;
  /** Commands applied since `#measuredFromMs`. */
  #commands = 0;
  #turnAtMs = 0;

  constructor(world: Pick<World, 'monotonicMs' | 'nextTurn'>) {
    this.#world = world;
  }

  /** How long applying this many commands takes, in milliseconds. 0 before the first was applied. */
  msFor(commands: number): number {
    return commands * this.#commandMs;
  }

  /** Call before the first command of a batch. */
  begin(): void {
    this.#commands = 0;
    this.#measuredFromMs = this.#world.monotonicMs();
    this.#turnAtMs = this.#measuredFromMs + SHORTEST_MS;
  }

  /** Call after each command. True: it is time for a turn of everything else. */
  applied(): boolean {
    this.#commands += 1;
    return this.#commands % CHECK_EVERY === 0 && this.#world.monotonicMs() >= this.#turnAtMs;
  }

  /** Lets everything else have a turn of the event loop, and resolves after it. */
  async turn(): Promise<void> {
    const leftAtMs = this.#world.monotonicMs();
    await this.#world.nextTurn();
    const nowMs = this.#world.monotonicMs();
    this.#measure(nowMs);
    this.#turnAtMs = nowMs + Math.min(Math.max(nowMs - leftAtMs, SHORTEST_MS), LONGEST_MS);
  }

  /** Call after the last command of a batch. */
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
