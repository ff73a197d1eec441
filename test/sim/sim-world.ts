/**
 * A world whose time a test moves. Timers fire as it moves, each at its own time. Turns are those of the process.
 * Random numbers come from a seed.
 */
import type { Timer, World } from '../../src/engine/contract/world.ts';
import { seeded } from './seeded.ts';

export interface SimWorldOptions {
  /** The machine's clock at the beginning, epoch milliseconds. */
  wallMs: number;
  seed?: number;
  /** True: a machine that does not report its uptime. */
  withoutUptime?: boolean;
}

interface Waiting {
  readonly atMs: number;
  readonly act: () => void;
}

/** Turns of the event loop until everything that a timer set off has settled. */
const SETTLING_TURNS = 20;

export class SimWorld implements World {
  /** How often uptime was read. */
  uptimeReads = 0;
  readonly #random: () => number;
  readonly #withoutUptime: boolean;
  readonly #waiting = new Set<Waiting>();
  #monotonicMs = 5_000;
  #sleptMs = 300_000;
  #wallLeadMs: number;

  constructor({ wallMs, seed = 1, withoutUptime = false }: SimWorldOptions) {
    this.#random = seeded(seed);
    this.#withoutUptime = withoutUptime;
    this.#wallLeadMs = wallMs - this.#monotonicMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** In hundredths of a second, as Linux reports it. */
  uptimeMs(): number | null {
    this.uptimeReads += 1;
    return this.#withoutUptime ? null : Math.floor((this.#monotonicMs + this.#sleptMs) / 10) * 10;
  }

  wallMs(): number {
    return Math.floor(this.#monotonicMs + this.#wallLeadMs);
  }

  nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  timer(ms: number, act: () => void): Timer {
    const waiting = { atMs: this.#monotonicMs + Math.max(ms, 1), act };
    this.#waiting.add(waiting);
    return { clear: () => this.#waiting.delete(waiting), unref: () => {} };
  }

  randomBytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.randomInt(256)));
  }

  randomInt(below: number): number {
    return Math.floor(this.#random() * below);
  }

  /** Somebody sets the machine's clock. */
  setWall(byMs: number): void {
    this.#wallLeadMs += byMs;
  }

  /** The machine sleeps: its clock and its uptime go on, the monotonic clock and the timers stand still. */
  sleep(ms: number): void {
    this.#sleptMs += ms;
    this.#wallLeadMs += ms;
  }

  /** Lets time pass without any timers. */
  pass(ms: number): void {
    this.#monotonicMs += ms;
  }

  /** Lets time pass. Resolves when everything that is due on the way has happened. */
  async run(ms: number): Promise<void> {
    const untilMs = this.#monotonicMs + ms;
    await this.settle();
    for (;;) {
      const next = [...this.#waiting].sort((one, other) => one.atMs - other.atMs)[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#waiting.delete(next);
      this.#monotonicMs = Math.max(this.#monotonicMs, next.atMs);
      next.act();
      await this.settle();
    }
    this.#monotonicMs = untilMs;
  }

  /** Lets everything settle, without time passing. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await this.nextTurn();
  }
}
