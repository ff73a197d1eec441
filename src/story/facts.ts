/**
 * What stories are made of: what happened, by name and as exact decimals. These are the members of the archive's
 * events (`GET /control/v1/orders/{orderId}`) and of the effects of a command. A member that does not apply is absent.
 */

/** How many decimals the prices and sizes of a market have, and what they are counted in. */
export interface MarketFacts {
  readonly kind: 'spot' | 'perpetual';
  readonly base: string;
  readonly quote: string;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
}
/** By symbol. Without a market, numbers are shown as they are. */
export type Markets = Readonly<Record<string, MarketFacts | undefined>>;

/** Members by name, as text and numbers: what was compared, or a row of the archive. */
export type Figures = Readonly<Record<string, unknown>>;

/** The reset, or the return to a named snapshot, that left a branch of the history. `at`: its seq. */
export interface Left {
  readonly at: number;
  readonly by: 'reset' | 'restore';
}

/** Something that happened. The archive's events of an order have no `order`, `account` and `market`: the order has them. */
export interface Happening {
  readonly type: string;
  /** Venue time, epoch ms. */
  readonly time: number;
  readonly [member: string]: unknown;
}

/** A command of the log. */
export interface CommandFacts {
  readonly type: string;
  readonly seq: number;
  /** Venue time at its end, epoch ms. */
  readonly time: number;
  /** Why it was refused. Absent: it was not. */
  readonly refusal?: string;
  /** Of a change of terms. */
  readonly changes?: readonly TermChange[];
  readonly [member: string]: unknown;
}

/** A term that a command changes, by its path: `fees.taker`, `riskTiers[0].initial`. `from`: absent if it is not known. */
export interface TermChange {
  readonly term: string;
  readonly from?: string | number | null;
  readonly to: string | number | null;
}
