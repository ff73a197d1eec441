/** What a start may choose about a recording. */

/** What happens to the market when the recording has ended. */
export const AT_END = ['halt', 'loop'] as const;
export type AtEnd = (typeof AT_END)[number];

/** Sizes of a perpetual's recording are in base currency or in contracts. */
export const SIZE_UNITS = ['base', 'contracts'] as const;
export type SizeUnit = (typeof SIZE_UNITS)[number];
