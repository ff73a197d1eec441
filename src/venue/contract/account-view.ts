/** What the outside sees of accounts, their keys and currencies. */
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
