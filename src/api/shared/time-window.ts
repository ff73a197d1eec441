/** The times of a request for the caller's own history: which past it asks for, and how long a window may be. */
import type { Decimal } from '../../venue/contract/decimal.ts';
import { malformed } from './errors.ts';
import { decimal, optional } from './fields.ts';
import type { Call } from './surface.ts';

export const LATEST_MS = 9_999_999_999_999;
/** A polling client asks from one millisecond after its newest row, and its clock may be ahead. */
const AHEAD_MS = 60_000;
/** Epoch milliseconds below this are before March 1973. Epoch seconds reach it in the year 5138. */
export const SECONDS_BELOW = 100_000_000_000;

/** A header of replies that may lack rows: the first seq whose history is known. */
const KNOWN_FROM_HEADER = 'Bourse-Known-From-Seq';

export const instant = (description: string) => optional(decimal(description, { min: 0, max: LATEST_MS, whole: true }));

export interface WindowRequest {
  readonly startTime?: Decimal;
  readonly endTime?: Decimal;
}

/**
 * The window of a request, both ends inclusive. A longer one is cut to its last `longestMs`. Throws malformed for a
 * window that cannot hold anything.
 */
export function windowOf(
  { startTime, endTime }: WindowRequest,
  nowMs: number,
  longestMs: number,
): { fromMs: number; toMs: number } {
  const startMs = instantOf('startTime', startTime, nowMs);
  const endMs = instantOf('endTime', endTime, nowMs);
  const toMs = endMs ?? nowMs;
  if (startMs !== null && startMs > (endMs ?? nowMs + AHEAD_MS)) {
    const end = endMs === null ? `the venue's clock, ${nowMs}` : `endTime ${endMs}`;
    throw malformed('startTime', `${startMs} is after ${end}`, 'give an earlier startTime');
  }
  return { fromMs: Math.max(startMs ?? 0, toMs - longestMs), toMs };
}

/** A time of a request. Null: absent. A time in seconds would mean a window in 1970, and find nothing. */
function instantOf(field: string, value: Decimal | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const ms = Number(value.coefficient);
  if (ms > 0 && ms < SECONDS_BELOW && nowMs >= SECONDS_BELOW) {
    throw malformed(field, `${ms} looks like seconds`, `give milliseconds: ${ms * 1000}`);
  }
  return ms;
}

/** Adds the header, if earlier history is lost. */
export function noteKnownFrom({ archive, replyHeaders }: Call): void {
  if (archive.knownFromSeq > 1) replyHeaders.push(KNOWN_FROM_HEADER, String(archive.knownFromSeq));
}
