/** Seeded random choices: the same seed, the same stream, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 0x9e3779b9) >>> 0;
    for (let i = 0; i < 4; i++) this.#next();
  }

  /** mulberry32 */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A whole number in [from, to]. */
  int(from: number, to: number): number {
    return from + (this.#next() % (to - from + 1));
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.int(1, times) === 1;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length - 1)];
  }

  /** A key of the table, as often as its weight says. */
  weighted<K extends string>(table: Readonly<Partial<Record<K, number>>>): K {
    const entries = Object.entries(table) as [K, number][];
    let at = this.int(
      1,
      entries.reduce((sum, [, weight]) => sum + weight, 0),
    );
    for (const [key, weight] of entries) {
      at -= weight;
      if (at <= 0) return key;
    }
    return entries[0][0];
  }
}
