/** What the control surface asks about the past of its venue: the time machine (src/time-machine) answers. */

export const SHOWN = ['book', 'orders', 'positions', 'balances', 'account'] as const;
/** A part of a state. */
export type Shown = (typeof SHOWN)[number];

export interface AtQuery {
  readonly seq: number;
  /** Null: only what the state is. */
  readonly show: Shown | null;
  /** Names as they were then. Null: all of them. */
  readonly account: string | null;
  readonly symbol: string | null;
  /** The most levels of each side of a book, and the most orders, positions or accounts. */
  readonly limit: number;
}

export interface CommandQuery {
  readonly seq: number;
  /** How many effects come before those that are wanted. */
  readonly first: number;
  readonly limit: number;
}

export interface CommandsQuery {
  /** The first one. */
  readonly from: number;
  readonly limit: number;
}

export interface SummaryQuery {
  /** Null: from the beginning of what is known, to its end. */
  readonly from: number | null;
  readonly to: number | null;
  readonly buckets: number;
  /** Whose fills are marked. Null: nobody's. */
  readonly account: string | null;
}

/** What is missing to show a part of a state. Null: nothing. */
export function missingFor({ show, account, symbol }: Pick<AtQuery, 'show' | 'account' | 'symbol'>) {
  if (show === 'book' && symbol === null) return 'symbol';
  return show === 'account' && account === null ? 'account' : null;
}

/** How a log was, from afar. */
export interface LogSummary {
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly time: number }[];
  readonly marks: readonly { readonly kind: string; readonly seq: number; readonly time: number }[];
  readonly left: readonly object[];
}

/** Who asks. A newer question about another seq replaces an older one of the same client. */
export interface Asker {
  readonly client: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

/**
 * The answers are plain JSON.
 * @throws {ApiError} there is no such seq, or its state cannot be computed; a newer question came; too many wait
 */
export interface Past {
  at(query: AtQuery, asker: Asker): Promise<object>;
  command(query: CommandQuery, asker: Asker): Promise<object>;
  commands(query: CommandsQuery, asker: Asker): Promise<object>;
  summary(query: SummaryQuery, asker: Asker): Promise<LogSummary>;
}
