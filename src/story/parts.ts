/** What became of each part of a TWAP that was due. */
import type { StoryPart } from './order-facts.ts';
import type { Draft } from './repeats.ts';
import { sumOf } from './text.ts';

/** In order. What a left branch did is not among them. */
export function partsOf(drafts: readonly Draft[]): StoryPart[] {
  const parts = new Map<number, StoryPart>();
  for (const { part, row, size, why } of drafts) {
    if (part === undefined || row.leftBranch === true) continue;
    const filled = sumOf([parts.get(part)?.filled ?? '0', size ?? '0']);
    const state = filled !== '0' ? 'traded' : row.kind === 'paused' ? 'skipped' : 'rests';
    parts.set(part, { part, state, filled, ...(state === 'skipped' && why !== undefined && { why }) });
  }
  return [...parts.values()].sort((a, b) => a.part - b.part);
}
