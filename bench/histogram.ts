/** A histogram of Prometheus, read from the text of the metrics: quantiles of what was observed between two readings. */

/** By the value of the label `kind`: how many observations were at most each bound, in the order of the bounds. */
export type Reading = ReadonlyMap<string, readonly (readonly [bound: number, count: number])[]>;

export function readHistogram(metrics: string, name: string): Reading {
  const kinds = new Map<string, [number, number][]>();
  const lines = metrics.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)",kind="(\\w+)"\\} (\\d+)$`, 'gm'));
  for (const [, bound, kind, count] of lines) {
    const buckets = kinds.get(kind) ?? [];
    buckets.push([bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), Number(count)]);
    kinds.set(kind, buckets);
  }
  return kinds;
}

/** The quantile (0 to 1) of a kind, as far into its bucket as its rank is. Null: nothing was observed. */
export function quantile(before: Reading, after: Reading, kind: string, share: number): number | null {
  const counted = after.get(kind) ?? [];
  const earlier = new Map(before.get(kind));
  const counts = counted.map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)] as const);
  const rank = (counts.at(-1)?.[1] ?? 0) * share;
  if (rank === 0) return null;
  let [from, below] = [0, 0];
  for (const [bound, count] of counts) {
    if (count >= rank)
      return bound === Number.POSITIVE_INFINITY ? from : from + (bound - from) * ((rank - below) / (count - below));
    [from, below] = [bound, count];
  }
  return from;
}
