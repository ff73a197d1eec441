/** Accounts, their keys and currencies, as code outside the venue sees them. */
import type { Freeze, KeySpec } from './commands.ts';
import type { FeeRates } from './market-spec.ts';

export interface AccountView {
  readonly index: number;
  readonly name: string;
}

/** What an operator has set for one account. */
export interface AccountTerms {
  /** What its client may still do. Null: everything. */
  readonly frozen: Freeze | null;
  /** Its own rates, by the symbol of the market. Elsewhere it pays those of the market. */
  readonly fees: Readonly<Record<string, FeeRates>>;
}

export interface Key extends KeySpec {
  /** The number of its account. */
  readonly account: number;
}

export interface Currency {
  readonly code: string;
  readonly decimals: number;
}
