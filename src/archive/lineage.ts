/**
 * The commands that the present state comes from. A reset, or a return to a named snapshot, leaves a branch of the
 * history. That branch stays in the archive, but not in the venue.
 */

/** Ranges of seqs, both ends included, in order. Null: no end. */
export type Lineage = readonly (readonly [from: number, to: number | null])[];

export const WHOLE: Lineage = [[1, null]];

export function includes(lineage: Lineage, seq: number): boolean {
  return lineage.some(([from, to]) => seq >= from && (to === null || seq <= to));
}

/** The lineage when `seq` was the last command. */
export function upTo(lineage: Lineage, seq: number): Lineage {
  return lineage
    .filter(([from]) => from <= seq)
    .map(([from, to]) => [from, to === null || to > seq ? seq : to] as const);
}

/** Continues from an earlier state with the command `seq`. */
export function goOn(earlier: Lineage, seq: number): Lineage {
  return [...earlier, [seq, null]];
}
