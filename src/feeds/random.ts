/**
 * Seeded random numbers for synthetic traders. A stream depends only on the venue's seed and a sequence number. So the
 * same commands are followed by the same trades, and a restart needs no saved state. 32-bit integer arithmetic only.
 * Not for secrets.
 */
export class RandomStream {
  #state: number;

  constructor(seed: number, sequence: number) {
    // Seeds and sequence numbers may exceed 32 bits, so both halves are mixed in.
    const parts = [seed, Math.floor(seed / 2 ** 32), sequence, Math.floor(sequence / 2 ** 32)];
    this.#state = parts.reduce((state, part) => mix(state ^ (part | 0)), 0x9e3779b9);
  }

  /** A whole number from `low` to `high`, both included. `high − low` is below 2^32. */
  between(low: number, high: number): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    const drawn = mix(this.#state) >>> 0;
    return low + Math.floor((drawn / 2 ** 32) * (high - low + 1));
  }

  /** True in `percent` of a hundred draws. */
  chance(percent: number): boolean {
    return this.between(1, 100) <= percent;
  }
}

/** A bijection of 32-bit integers whose every output bit depends on every input bit. */
function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
}
