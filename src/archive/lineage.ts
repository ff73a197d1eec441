/**
 * Which commands the present state comes from. A reset, or a return to a named snapshot, leaves a branch of the history:
 * what happened there stays in the archive, but the venue knows nothing of it any more.
 */

/** Seqs from … to, both included; null: without an end. In order. */
export type Lineage = readonly (readonly [from: number, to: number | null])[];

export const WHOLE: Lineage = [[1, null]];

export function includes(lineage: Lineage, seq: number): boolean {
  return lineage.some(([from, to]) => seq >= from && (to === null || seq <= to));
}

/** The lineage as it was when `seq` was the last command. */
export function upTo(lineage: Lineage, seq: number): Lineage {
  return lineage
    .filter(([from]) => from <= seq)
    .map(([from, to]) => [from, to === null || to > seq ? seq : to] as const);
}

/** Goes on from an earlier state by the command `seq`. */
export function goOn(earlier: Lineage, seq: number): Lineage {
  return [...earlier, [seq, null]];
}
