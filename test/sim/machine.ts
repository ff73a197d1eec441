/**
 * A machine under one seed: one heap of events orders all that happens on it and around it, by time, and by chance where
 * the time is the same. A process of it is a `World`; when it dies, nothing of it happens any more.
 *
 * Invariants:
 * - Nothing happens outside of an event but what the event set off: between two events all promises have come to rest.
 * - Equal seeds and equal calls give equal orders. Each source of chance has a stream of its own.
 *
 * Cost: an event is a push and a pop of a heap, and a turn of the event loop, some microseconds.
 */
import type { Timer, World } from '../../src/engine/contract/world.ts';
import { seeded } from './seeded.ts';

/** The machine has slept so long before its first process. */
const BEFORE_MS = 300_000;
/** A turn of a process's event loop takes so long at most. */
const TURN_MS = 0.05;

interface Event {
  atMs: number;
  readonly tie: number;
  readonly act: () => void;
  /** Whose it is; without one, it happens outside of the machine. */
  readonly process: Process | undefined;
  off: boolean;
}

export class Machine {
  readonly #heap: Event[] = [];
  readonly #ties: () => number;
  readonly #startMs: number;
  #nowMs = 0;
  #sleptMs = 0;
  #wallLeadMs: number;
  /** Of each millisecond, so much is gained by the machine's clock. */
  #drift = 0;
  #driftFromMs = 0;

  /** `wallMs`: what the machine's clock says at first. */
  constructor(seed: number, wallMs: number) {
    this.#ties = seeded(seed);
    this.#wallLeadMs = wallMs;
    this.#startMs = wallMs;
  }

  /** True time since the beginning, sleep included. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Without the sleep. */
  get awakeMs(): number {
    return this.#nowMs - this.#sleptMs;
  }

  get uptimeMs(): number {
    return Math.floor((this.#nowMs + BEFORE_MS) / 10) * 10;
  }

  get wallMs(): number {
    return Math.floor(this.#nowMs + this.#wallLeadMs + (this.#nowMs - this.#driftFromMs) * this.#drift);
  }

  /** Somebody sets the machine's clock. */
  setWall(byMs: number): void {
    this.#wallLeadMs += byMs;
  }

  /** The machine's clock is right again, and runs so. */
  setWallRight(): void {
    this.drift(0);
    this.#wallLeadMs = this.#startMs;
  }

  /** From now on the machine's clock gains so many parts in a million. */
  drift(ppm: number): void {
    this.#wallLeadMs += (this.#nowMs - this.#driftFromMs) * this.#drift;
    this.#driftFromMs = this.#nowMs;
    this.#drift = ppm / 1e6;
  }

  /** The machine sleeps: what its processes wait for comes later, what comes from around it waits until it wakes. */
  sleep(ms: number): void {
    this.#nowMs += ms;
    this.#sleptMs += ms;
    const events = this.#heap.splice(0);
    for (const event of events) {
      if (event.process !== undefined) event.atMs += ms;
      this.#push(event);
    }
  }

  process(seed: number): Process {
    return new Process(this, seed);
  }

  /** Calls `act` in `ms`. */
  in(ms: number, act: () => void, process?: Process): { off: boolean } {
    const event: Event = { atMs: this.#nowMs + ms, tie: this.#ties(), act, process, off: false };
    this.#push(event);
    return event;
  }

  /** Resolves in `ms`. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.in(ms, resolve));
  }

  /** Event after event, until `done` says so, or nothing is left, or it is `untilMs`. */
  async run(done: () => boolean, untilMs: number): Promise<void> {
    await rest();
    while (!done()) {
      const event = this.#heap[0];
      if (event === undefined || event.atMs > untilMs) {
        this.#nowMs = Math.max(this.#nowMs, Math.min(untilMs, event?.atMs ?? untilMs));
        return;
      }
      this.#pop();
      if (event.off || event.process?.dead === true) continue;
      this.#nowMs = Math.max(this.#nowMs, event.atMs);
      event.act();
      await rest();
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!before(event, heap[above])) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && before(heap[below + 1], heap[below])) below += 1;
      if (!before(heap[below], last)) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = last;
  }
}

function before(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.tie < other.tie);
}

/** All promises come to rest: Node takes the next tick when none of them can go on. A turn of the event loop would cost more. */
function rest(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** What a process on the machine sees of the world. */
export class Process implements World {
  dead = false;
  readonly #machine: Machine;
  readonly #random: () => number;
  readonly #turns: () => number;

  constructor(machine: Machine, seed: number) {
    this.#machine = machine;
    this.#random = seeded(seed);
    this.#turns = seeded(seed + 1);
  }

  monotonicMs(): number {
    return this.#machine.awakeMs;
  }

  uptimeMs(): number {
    return this.#machine.uptimeMs;
  }

  wallMs(): number {
    return this.#machine.wallMs;
  }

  nextTurn(): Promise<void> {
    return this.wait(this.#turns() * TURN_MS);
  }

  /** Resolves in `ms`, unless the process is dead by then. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#machine.in(ms, resolve, this));
  }

  timer(ms: number, act: () => void): Timer {
    const event = this.#machine.in(Math.max(ms, 1), act, this);
    return {
      clear: () => {
        event.off = true;
      },
      unref: () => {},
    };
  }

  randomBytes(count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count);
    for (let i = 0; i < count; i += 1) bytes[i] = this.randomInt(256);
    return bytes;
  }

  randomInt(below: number): number {
    return Math.floor(this.#random() * below);
  }
}
