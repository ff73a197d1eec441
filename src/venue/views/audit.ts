/** The audit: whether money, reserves and positions add up, and whether what rules 5.49 to 5.53 say holds. */
import type { Currency } from '../contract/account-view.ts';
import {
  crossMarginAccount,
  equityOf,
  isolatedMarginAccount,
  type MarginAccount,
  totalMaintenance,
} from '../risk/margin-account.ts';
import type { VenueState } from '../state/venue-state.ts';
import type { MarketView } from './market-view.ts';

export interface AuditLine {
  /** All wallets and isolated margins, less the entry costs of open positions. */
  readonly accounts: bigint;
  readonly reserved: bigint;
  readonly fees: bigint;
  /** The insurance fund. If it is negative, `deficit` is its absolute value. */
  readonly insurance: bigint;
  readonly deficit: bigint;
  readonly deposits: bigint;
  readonly withdrawals: bigint;
  readonly difference: bigint;
}

/**
 * The accounts, checked by rules 5.49 to 5.52. Each list names the accounts that break one.
 */
export interface AccountsAudit {
  readonly checked: number;
  /** The total is below what spot orders reserve. */
  readonly belowReserved: readonly string[];
  /** The equity is negative, and no open position of the account waits to be liquidated. */
  readonly belowZero: readonly string[];
  /** Accounts with a position in a halted market, or whose liquidation found no orders in the book. This is not an error. */
  readonly waitingLiquidation: readonly string[];
  /** Accounts that liquidation does not judge, because they count as safe (margin-watch.ts), and that are not safe. */
  readonly watchedUnsafe: readonly string[];
}

/** Contracts of one perpetual. Both sides must have the same size, which is the market's open interest. */
export interface PositionsAudit {
  readonly market: MarketView;
  readonly long: number;
  readonly short: number;
}

export interface Audit {
  readonly ok: boolean;
  readonly currencies: readonly { currency: Currency; line: AuditLine }[];
  readonly orders: { readonly checked: number; readonly bad: readonly string[] };
  readonly accounts: AccountsAudit;
  readonly positions: readonly PositionsAudit[];
}

export function auditOf(venue: VenueState, markets: readonly MarketView[]): Audit {
  const findings: string[] = [];
  let checked = 0;
  for (const account of venue.accounts.values()) {
    const needed = venue.ledger.currencies.map(() => 0n);
    for (const order of venue.liveOrders(account)) {
      checked++;
      needed[venue.payCurrency(order)] += BigInt(order.reserved);
      // An order in quote currency has no size in lots that it could exceed.
      if (order.filled > order.quantity && order.quoteOriginal === null)
        findings.push(`order ${order.key}: filled over size`);
      if (order.reserved < 0) findings.push(`order ${order.key}: reserves ${order.reserved}`);
    }
    needed.forEach((sum, currency) => {
      const { code } = venue.ledger.currencies[currency];
      if (sum !== account.reserved(currency))
        findings.push(`${account.name}: ${code} reserved ${account.reserved(currency)}, orders reserve ${sum}`);
    });
  }
  const currencies = venue.ledger.currencies.map((currency, i) => ({ currency, line: auditLine(venue, i) }));
  const accounts = auditAccounts(venue);
  const positions = markets.filter(({ product }) => product === 'futures').map((market) => auditMarket(venue, market));
  const ok =
    findings.length === 0 &&
    currencies.every(({ line }) => line.difference === 0n) &&
    accounts.belowReserved.length === 0 &&
    accounts.belowZero.length === 0 &&
    accounts.watchedUnsafe.length === 0 &&
    positions.every(({ market, long, short }) => long === short && long === market.openInterest);
  return { ok, currencies, orders: { checked, bad: findings }, accounts, positions };
}

function auditAccounts(venue: VenueState): AccountsAudit {
  const belowReserved: string[] = [];
  const belowZero: string[] = [];
  const waiting: string[] = [];
  const watchedUnsafe: string[] = [];
  for (const account of venue.accounts.values()) {
    // Rule 5.50 is about an account: one position that waits excuses all of them.
    const waits = venue.markets.some(({ distressed, halted }, i) => {
      const open = account.positionsByMarket[i]?.flat === false;
      return open && (halted || distressed.has(account.index));
    });
    if (waits) waiting.push(account.name);
    venue.ledger.currencies.forEach(({ code }, currency) => {
      const name = `${account.name}: ${code}`;
      const reserved = account.reserved(currency);
      if (reserved > 0n && account.total(currency) < reserved) belowReserved.push(name);
      const cross = crossMarginAccount(account, currency);
      const equity = equityOf(cross);
      // A wallet without cross positions waits for no liquidation.
      if (equity < 0n && (cross.positions.length === 0 || !waits)) belowZero.push(name);
      if (isWatchedUnsafe(venue, cross)) watchedUnsafe.push(name);
    });
    account.positionsByMarket.forEach((marketPositions, i) => {
      if (marketPositions?.mode !== 'ISOLATED') return;
      for (const position of marketPositions.isolated) {
        const marginAccount = isolatedMarginAccount(account, venue.markets[i], position);
        const name = `${account.name}: ${venue.markets[i].symbol} ${position.id}`;
        if (equityOf(marginAccount) < 0n && !waits) belowZero.push(name);
        if (isWatchedUnsafe(venue, marginAccount)) watchedUnsafe.push(name);
      }
    });
  }
  return { checked: venue.accounts.size, belowReserved, belowZero, waitingLiquidation: waiting, watchedUnsafe };
}

/** Whether the account is watched in each market of a margin account, and one of the watched positions is not safe. */
function isWatchedUnsafe(venue: VenueState, marginAccount: MarginAccount): boolean {
  const { account, positions } = marginAccount;
  const watched = positions.every(({ market }) => {
    return venue.margins.watch(market).holds(account.positionsIn(market.index), market.valuationMark);
  });
  if (!watched || positions.length === 0) return false;
  return (
    equityOf(marginAccount) < totalMaintenance(marginAccount) ||
    positions.some(({ position }) => position.liquidationStepLots > 0)
  );
}

function auditMarket(venue: VenueState, market: MarketView): PositionsAudit {
  const house = venue.house.position(market.index)?.size ?? 0;
  let long = Math.max(0, house);
  let short = Math.max(0, -house);
  for (const account of venue.accounts.values()) {
    for (const { size } of account.positionsByMarket[market.index]?.positions() ?? []) {
      if (size > 0) long += size;
      else short -= size;
    }
  }
  return { market, long, short };
}

function auditLine(venue: VenueState, currency: number): AuditLine {
  let accounts = venue.house.total(currency);
  let reserved = 0n;
  for (const { index, quote } of venue.markets) {
    if (quote === currency) accounts -= venue.house.position(index)?.cost ?? 0n;
  }
  for (const account of venue.accounts.values()) {
    accounts += account.total(currency);
    reserved += account.reserved(currency);
    account.positionsByMarket.forEach((marketPositions, market) => {
      if (!marketPositions || venue.markets[market].quote !== currency) return;
      // Entry costs cancel out between the two sides of a market (ledger.ts).
      for (const position of marketPositions.positions()) accounts += position.collateral - position.cost;
    });
  }
  const { fees, insurance, deposits, withdrawals } = venue.ledger;
  const difference =
    accounts + BigInt(fees[currency]) + insurance[currency] - deposits[currency] + withdrawals[currency];
  return {
    accounts,
    reserved,
    fees: BigInt(fees[currency]),
    insurance: insurance[currency],
    deficit: insurance[currency] < 0n ? -insurance[currency] : 0n,
    deposits: deposits[currency],
    withdrawals: withdrawals[currency],
    difference,
  };
}
