/**
 * Faults that change nothing which anybody could see, each with the reason: such a one is planted in vain. Named as the run
 * prints them.
 */
export const EQUIVALENT: Readonly<Record<string, string>> = {};
