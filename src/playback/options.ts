/** What a start may choose about a recording. */

/** What happens to the market when the recording has ended. */
export const AT_END = ['halt', 'loop', 'traders'] as const;
export type AtEnd = (typeof AT_END)[number];

/** Sizes of a perpetual's recording are in base currency or in contracts. */
export const SIZE_UNITS = ['base', 'contracts'] as const;
export type SizeUnit = (typeof SIZE_UNITS)[number];

/** In a gap, the book is empty and prices become stale, or the gap is left out. */
export const GAP_RULES = ['stale', 'skip'] as const;
export type GapRule = (typeof GAP_RULES)[number];

/** Which funding rate a perpetual pays: that of the venue's own rules, or the recorded one. */
export const FUNDING_RULES = ['own', 'recorded'] as const;
export type FundingRule = (typeof FUNDING_RULES)[number];

/** The recording begins when the venue does, or, on a manual clock, venue time is recorded time. */
export const TIME_RULES = ['shift', 'keep'] as const;
export type TimeRule = (typeof TIME_RULES)[number];
