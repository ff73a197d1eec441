/** What the story of an order is made of, and what it is. */
import type { Happening, Left, Markets } from './facts.ts';

/** An order as the archive has it. Members that do not apply are null. Numbers are exact decimals. */
export interface OrderFacts {
  readonly orderId: string;
  readonly seq: number;
  readonly account: string;
  readonly market: string;
  readonly side: string;
  readonly kind: string;
  readonly state: string;
  readonly size: string | null;
  readonly currentSize: string | null;
  readonly filledSize: string;
  readonly remainingSize: string | null;
  readonly averagePrice: string | null;
  readonly createdMs: number;
  /** What left its branch. Absent: it is in the present one. */
  readonly left?: Left;
  readonly [member: string]: unknown;
}

/** An event of the order, with the command that it belongs to. */
export interface OrderHappening extends Happening {
  readonly seq: number;
}

/** What a live order is doing at this moment. */
export interface Present {
  /** Venue time, epoch ms. */
  readonly time: number;
  /** Null: there is none. */
  readonly last: string | null;
  readonly index: string | null;
  readonly mark: string | null;
  /** When it expires or its next step is due, epoch ms. Null: never. */
  readonly nextDueMs: number | null;
  /** What its kind reports (`AlgoView.progress`), as text. */
  readonly progress: Readonly<Record<string, unknown>>;
}

export interface StoryInput {
  readonly order: OrderFacts;
  /** All of them, oldest first. */
  readonly events: readonly OrderHappening[];
  readonly markets?: Markets;
  /** Null: the order has ended. */
  readonly present?: Present | null;
}

export type RowKind =
  | 'taken'
  | 'rests'
  | 'trade'
  | 'fired'
  | 'moved'
  | 'changed'
  | 'paused'
  | 'started'
  | 'done'
  | 'ended'
  | 'next';

export interface StoryRow {
  /** Null for what is yet to come. */
  readonly seq: number | null;
  readonly n: number;
  /** Venue time, epoch ms. */
  readonly time: number;
  readonly kind: RowKind;
  readonly sentence: string;
  readonly detail?: string;
  /** The last price then: of a trade its own. Null: there was none, or it is not known. */
  readonly price: string | null;
  /** Filled and unfilled size after it. Null: not known. */
  readonly filled: string | null;
  readonly left: string | null;
  /** The rows that this one sums up. */
  readonly each?: readonly StoryRow[];
  /** It happened in a branch that a reset or a return to a snapshot has left. */
  readonly leftBranch?: true;
}

/** A part of a TWAP that was due. */
export interface StoryPart {
  /** From 1. */
  readonly part: number;
  /** `rests`: it is in the book, and nothing of it has traded. */
  readonly state: 'traded' | 'rests' | 'skipped';
  readonly filled: string;
  /** Of a skipped one: "the spread of 0.31 % is wider than its maxSpread of 0.2 %". */
  readonly why?: string;
}

export interface Totals {
  readonly filled: string;
  readonly average: string | null;
  /** Fees by currency. Negative: a rebate. */
  readonly fees: Readonly<Record<string, string>>;
  /** The result of what its fills closed, in the settlement currency. Null: they closed nothing. */
  readonly realised: string | null;
}

export interface Story {
  /** "TWAP, buy 0.02 BTC". */
  readonly title: string;
  /** "paused, 53 % filled". */
  readonly status: string;
  readonly sentence: string;
  readonly rows: readonly StoryRow[];
  /** Of a TWAP, in order. */
  readonly parts?: readonly StoryPart[];
  readonly totals: Totals;
}
