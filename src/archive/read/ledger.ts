/**
 * The ledger: every change of an account's money, in order. Trades and their fees come from the fills, everything else
 * from movements (tables.ts).
 */
import type { ArchiveStore } from '../store/store.ts';
import { toObject, type Value } from '../store/tables.ts';
import { MarketTerms, type Terms } from './market-terms.ts';

export interface LedgerEntry {
  readonly seq: number;
  readonly timeMs: number;
  readonly account: string;
  readonly currency: string;
  /** Exact decimal. Negative: taken from the account. */
  readonly amount: string;
  readonly reason: string;
  readonly market: string | null;
  readonly orderId: string | null;
}

export const LEDGER_COLUMNS = [
  'seq',
  'timeMs',
  'account',
  'currency',
  'amount',
  'reason',
  'market',
  'orderId',
] as const;

type Values = Record<string, Value>;

/** @throws {ArchiveDamaged} */
export function* ledgerEntries(store: ArchiveStore): Generator<LedgerEntry> {
  const terms = new MarketTerms(store);
  const movements = store.rows('movements', 'true ORDER BY n');
  let movement = movements.next();
  for (const row of store.rows('fills', 'true ORDER BY n')) {
    const fill = toObject('fills', row);
    for (; !movement.done && Number(movement.value[0]) < Number(fill.n); movement = movements.next()) {
      yield moved(toObject('movements', movement.value));
    }
    const market = terms.atFill(fill.market, fill.n);
    for (const role of ['maker', 'taker'] as const) yield* traded(fill, market, role);
  }
  for (; !movement.done; movement = movements.next()) yield moved(toObject('movements', movement.value));
}

/** The entry of a row of `movements`. */
export function moved({ n: _, wallet: __, ...movement }: Values): LedgerEntry {
  return { ...movement, orderId: null } as unknown as LedgerEntry;
}

/** The entries of one side of a row of `fills`, under the terms that its market had. */
export function* traded(fill: Values, { kind, base, quote }: Terms, role: 'maker' | 'taker'): Generator<LedgerEntry> {
  const { seq, timeMs, market, size, value } = fill;
  const buys = (fill.takerSide === 'BUY') === (role === 'taker');
  const whose = { account: fill[`${role}Account`], market, orderId: fill[`${role}Order`] };
  const entry = (currency: Value, amount: string, reason: string): LedgerEntry => {
    return { seq, timeMs, ...whose, currency, amount, reason } as unknown as LedgerEntry;
  };
  if (kind === 'spot') {
    yield entry(quote, buys ? negated(value) : String(value), 'trade');
    yield entry(base, buys ? String(size) : negated(size), 'trade');
  }
  const fee = fill[`${role}Fee`];
  const reason = role === 'taker' && fill.liquidation === 1 ? 'liquidationFee' : 'fee';
  if (fee !== '0') yield entry(fill[`${role}FeeCurrency`], negated(fee), reason);
}

function negated(amount: Value): string {
  const text = String(amount);
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}
