/**
 * The commands that the present state comes from. A reset, or a return to a named snapshot, leaves a branch of the
 * history. That branch stays in the archive, but not in the venue.
 */

/** Ranges of seqs, both ends included, in order. Null: no end. */
export type Timeline = readonly (readonly [from: number, to: number | null])[];

export const WHOLE: Timeline = [[1, null]];

export function includes(timeline: Timeline, seq: number): boolean {
  return timeline.some(([from, to]) => seq >= from && (to === null || seq <= to));
}

/** The timeline when `seq` was the last command. */
export function upTo(timeline: Timeline, seq: number): Timeline {
  return timeline
    .filter(([from]) => from <= seq)
    .map(([from, to]) => [from, to === null || to > seq ? seq : to] as const);
}

/** The last command that two timelines have in common. 0: there is none. */
export function lastCommon(one: Timeline, other: Timeline): number {
  let common = 0;
  for (const [i, [from, to]] of one.entries()) {
    const [otherFrom, otherTo] = other[i] ?? [null, null];
    if (from !== otherFrom) break;
    common = Math.min(to ?? Number.POSITIVE_INFINITY, otherTo ?? Number.POSITIVE_INFINITY);
    if (to !== otherTo) break;
  }
  return common;
}

/** Continues from an earlier state with the command `seq`. */
export function extend(earlier: Timeline, seq: number): Timeline {
  return [...earlier, [seq, null]];
}
