/**
 * A reproducible order flow for benchmarks of the whole venue: 45 % cancels of an earlier order (two thirds of them
 * already filled, so refused) and 55 % limit orders around a random-walk mid, about 0.38 fills per operation. The same
 * n and seed always give the same operations. A correct price-time book makes 376,209 fills of flow(1_000_000).
 */

/**
 * One operation per row. A row with isCancel 1 has only `target`, the row of the order to cancel. Others have the rest.
 */
export interface Flow {
  readonly n: number;
  readonly isCancel: Uint8Array;
  /** 0 buy, 1 sell. */
  readonly side: Uint8Array;
  /** Ticks. */
  readonly price: Int32Array;
  /** Lots. */
  readonly size: Int32Array;
  readonly target: Int32Array;
}

export const FLOW_MESSAGES = 1_000_000;
export const FLOW_FILLS = 376_209;

/** `n` operations from a 32-bit `seed` that is not 0. */
export function flow(n: number, seed = 1): Flow {
  const random = xorshift32(seed);
  const isCancel = new Uint8Array(n);
  const side = new Uint8Array(n);
  const price = new Int32Array(n);
  const size = new Int32Array(n);
  const target = new Int32Array(n);
  const live: number[] = [];
  let mid = 100_000;
  for (let i = 0; i < n; i++) {
    const kind = random();
    mid += random() < 0.5 ? -1 : 1;
    side[i] = random() < 0.5 ? 0 : 1;
    if (kind < 0.45 && live.length > 100) {
      isCancel[i] = 1;
      const chosen = Math.floor(random() * live.length);
      target[i] = live[chosen];
      live[chosen] = live[live.length - 1];
      live.pop();
    } else {
      const distance = Math.floor(-Math.log(1 - random()) * 40) - 6;
      price[i] = side[i] === 0 ? mid - distance : mid + distance;
      size[i] = 1 + Math.floor(random() * 100);
      live.push(i);
    }
  }
  return { n, isCancel, side, price, size, target };
}

/** Marsaglia's xorshift with 32 bits of state, as numbers in [0, 1). */
function xorshift32(seed: number): () => number {
  let x = seed >>> 0;
  return () => {
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    x >>>= 0;
    return x / 4294967296;
  };
}
