/** What the golden logs and their tests share: the master key, and how a state is written down. */
import { auditView } from '../../src/api/control/views.ts';
import { readAudit } from '../../src/archive/follow/whole-state.ts';
import { stateHash } from '../../src/engine/replay/log-replayer.ts';
import type { StartOptions } from '../../src/start.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { STARTED_BY_TEST } from '../support/started.ts';

/** Seals the secrets of the keys in the golden logs. It protects nothing: those secrets are in scenario.ts. */
export const MASTER_KEY = '601d'.repeat(16);

/** `expected.json` has the state hash of every so many commands, and so many digits of it. */
export const HASH_EVERY = 5;
export const HASH_DIGITS = 16;

/** How a golden log ends: with a clean stop, with a kill, or with one while a snapshot was being written. */
export type Kind = 'sealed' | 'killed' | 'mid-snapshot';

/** What the venue holds of each currency, and where. */
export type Money = Readonly<Record<string, { accounts: string; fees: string; insurance: string }>>;

export interface State {
  readonly seq: number;
  readonly time: number;
  readonly hash: string;
  readonly orders: number;
  readonly money: Money;
}

/** The state at the end, and the hashes on the way there (rules 1 has none). */
export interface Expected extends State {
  readonly hashes?: Readonly<Record<string, string>>;
}

export function stateOf(venue: Venue): State {
  const { seq, timeMs: time } = venue;
  const { orders } = venue.counts();
  return { seq, time, hash: stateHash(venue), orders, money: moneyOf(auditView(readAudit(venue).audit)) };
}

/** From what `GET /audit` says; currencies without deposits are left out. */
function moneyOf(audit: object): Money {
  const lines = Object.entries((audit as { currencies: Record<string, Record<string, string>> }).currencies);
  return Object.fromEntries(
    lines
      .filter(([, { deposits }]) => deposits !== '0')
      .map(([code, { accounts, fees, insurance }]) => [code, { accounts, fees, insurance }]),
  );
}

/** How the tests start a venue on a golden log. */
export const STARTED_ON_GOLDEN = { ...STARTED_BY_TEST, masterKeys: [MASTER_KEY] } satisfies Partial<StartOptions>;
