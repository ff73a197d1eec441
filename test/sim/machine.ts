/**
 * A machine under one seed. One heap of events orders everything on it and around it, by time, and by chance at equal
 * times. A process of the machine is a `World`. When it dies, none of its events happen any more. While it is stopped, they
 * wait, and then happen in their order.
 *
 * Invariants:
 * - Everything happens in an event, or is set off by one: between two events all promises have settled.
 * - Equal seeds and equal calls give equal orders. Each source of chance has a separate stream.
 *
 * Cost: an event is a push and a pop of a heap, and a turn of the event loop, some microseconds.
 */
import type { Timer, World } from '../../src/engine/contract/world.ts';
import { seeded } from './seeded.ts';

/** How long the machine has slept before its first process. */
const BEFORE_MS = 300_000;
/** The longest turn of a process's event loop. */
const TURN_MS = 0.05;

interface Event {
  atMs: number;
  readonly tie: number;
  readonly act: () => void;
  /** The process of the event. Absent: it happens outside the machine. */
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
  /** How much the machine's clock gains per millisecond. */
  #drift = 0;
  #driftFromMs = 0;

  /** `wallMs`: the machine's clock at the beginning. */
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

  /** Sets the machine's clock right, and stops its drift. */
  setWallRight(): void {
    this.drift(0);
    this.#wallLeadMs = this.#startMs;
  }

  /** From now on the machine's clock gains `ppm` parts per million. */
  drift(ppm: number): void {
    this.#wallLeadMs += (this.#nowMs - this.#driftFromMs) * this.#drift;
    this.#driftFromMs = this.#nowMs;
    this.#drift = ppm / 1e6;
  }

  /** The machine sleeps: timers of its processes come later, and events from outside wait until it wakes. */
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

  /** Runs event after event, until `done`, or nothing is left, or it is `untilMs`. */
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
      if (event.process?.delays(event) === true) {
        this.#push(event);
        continue;
      }
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

/**
 * Lets all promises settle: Node takes the next tick when none of them can continue. A turn of the event loop would
 * cost more.
 */
function rest(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** The world as a process on the machine sees it. */
export class Process implements World {
  dead = false;
  /** What its events wait for. */
  #stoppedUntilMs = 0;
  #waited = 0;
  readonly #machine: Machine;
  readonly #random: () => number;
  readonly #turns: () => number;

  constructor(machine: Machine, seed: number) {
    this.#machine = machine;
    this.#random = seeded(seed);
    this.#turns = seeded(seed + 1);
  }

  /** The process gets no time. */
  stop(forMs: number): void {
    this.#stoppedUntilMs = Math.max(this.#stoppedUntilMs, this.#machine.nowMs + forMs);
  }

  /** True: the process is stopped, and the event comes later, each a little later than the one before it. */
  delays(event: { atMs: number }): boolean {
    if (event.atMs >= this.#stoppedUntilMs) return false;
    this.#waited += 1;
    event.atMs = this.#stoppedUntilMs + this.#waited * 1e-7;
    return true;
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
