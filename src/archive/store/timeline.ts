/**
 * The commands that the present state comes from. A reset, or a return to a named snapshot, leaves a branch of the
 * history. That branch stays in the archive and in the log, but not in the venue.
 */

import type { Left } from '../../story/facts.ts';

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

/** A branch that was left: the timeline until then. */
export interface Branch extends Left {
  readonly timeline: Timeline;
}

/** Where the history went. */
export interface Course {
  /** Of the present state. Named as it is stored. */
  readonly lineage: Timeline;
  /** The newest ones that were left, oldest first. Absent in archives of versions that did not keep them. */
  readonly branches?: readonly Branch[];
}

const MOST_BRANCHES = 500;

/** The course after a command that returns to a state with the timeline `earlier`. */
export function turned({ lineage, branches = [] }: Course, by: Left['by'], at: number, earlier: Timeline): Course {
  const left = { at, by, timeline: upTo(lineage, at - 1) };
  return { lineage: [...earlier, [at, null]], branches: [...branches, left].slice(-MOST_BRANCHES) };
}

/** What left a command last. Null: it leads to the present state. */
export function leftAt({ lineage, branches = [] }: Course, seq: number): Left | null {
  if (includes(lineage, seq)) return null;
  const branch = branches.findLast(({ timeline }) => includes(timeline, seq));
  if (branch !== undefined) return { at: branch.at, by: branch.by };
  // Not kept any more: the present timeline shows where it went on instead. Only a reset returns to the first command.
  const next = lineage.findIndex(([from]) => from > seq);
  const [at] = lineage[next];
  return { at, by: next > 0 && lineage[next - 1][1] === 1 ? 'reset' : 'restore' };
}

/** The timeline when `seq` was the last command, in whatever branch. Empty: that is not kept any more. */
export function timelineAt({ lineage, branches = [] }: Course, seq: number): Timeline {
  if (includes(lineage, seq)) return upTo(lineage, seq);
  return upTo(branches.findLast(({ timeline }) => includes(timeline, seq))?.timeline ?? [], seq);
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
