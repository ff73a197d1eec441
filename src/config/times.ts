/**
 * Points in time and durations as people write them: `2026-03-01T09:30:00Z`, `1h30m`. Both are returned in
 * milliseconds.
 *
 * A time needs a zone. Otherwise its meaning would depend on the machine. A date alone is midnight UTC.
 */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/;
const DURATION = /^(?:\d{1,15}(?:ms|[smhdw]))+$/;
const PART = /(\d+)(ms|[smhdw])/g;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

export const ISO_WORDS = 'ISO 8601 text with a time zone, such as 2030-01-01T00:00:00Z';
export const TIME_WORDS = `${ISO_WORDS}, or epoch milliseconds`;
export const DURATION_WORDS = "milliseconds, or text such as '90s', '1h30m' or '2d'";

/** Epoch milliseconds. Null if the text is not such a time. */
export function parseTime(text: string): number | null {
  const [, year, month, day] = ISO.exec(text) ?? [];
  if (year === undefined || Number(day) > daysIn(Number(year), Number(month))) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms < 0 ? null : ms;
}

/** The same without dates alone: they leave open which end of the day is meant. */
export function parseMoment(text: string): number | null {
  return text.includes('T') ? parseTime(text) : null;
}

/** Date.parse takes the 30th of February for the 2nd of March. */
function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Milliseconds. Null if the text is not a duration, or too large. */
export function parseDuration(text: string): number | null {
  if (!DURATION.test(text)) return null;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(PART)) ms += Number(count) * UNIT_MS[unit];
  return Number.isSafeInteger(ms) ? ms : null;
}
