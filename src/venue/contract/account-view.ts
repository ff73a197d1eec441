/** Accounts, their keys and currencies, as code outside the venue sees them. */
import type { KeySpec } from './commands.ts';

export interface AccountView {
  readonly index: number;
  readonly name: string;
}

export interface Key extends KeySpec {
  /** The number of its account. */
  readonly account: number;
}

export interface Currency {
  readonly code: string;
  readonly decimals: number;
}
