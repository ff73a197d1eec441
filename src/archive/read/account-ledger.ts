/**
 * What moved the money of one account, from the archive: its fills and its movements, in order.
 *
 * - The ledger has an entry for each amount: both sides of a spot trade, each fee, each movement. Its entries add up to
 *   the account's balances. It is read in pages, oldest first, or from its end.
 * - The wallet history has what clients see as one record: a movement, or a futures trade with the result that it
 *   realised and its fee.
 *
 * Cost: 15 microseconds for each fill or movement of the account in the requested time, 3 for a spot trade, until enough
 * match. The history of the spot wallet passes over movements only.
 */
import type { ArchiveStore } from '../store/store.ts';
import { columnsOf, type Row, toObject, type Value } from '../store/tables.ts';
import { type LedgerEntry, moved, traded } from './ledger.ts';
import { MarketTerms } from './market-terms.ts';
import { type OwnQuery, ownRows } from './own-rows.ts';

export interface LedgerQuery {
  /** The account's name. */
  readonly account: string;
  /** The id of an entry: only later ones. Null: from the first. */
  readonly after: LedgerId | null;
  readonly limit: number;
  /** Epoch ms, both included. Absent: from the first, to the last. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** As it was after this command, in whatever branch. Absent: all of the present branch. */
  readonly toSeq?: number;
  /** The newest entries, newest first. They have no further page. */
  readonly newest?: boolean;
}

/** The number of a fill or a movement, and the place of an entry within it. */
export interface LedgerId {
  readonly n: number;
  readonly part: number;
}

/** An entry with its id as text, which a later query can continue after. */
export type NumberedEntry = LedgerEntry & { readonly id: string };

export interface LedgerPage {
  readonly entries: readonly NumberedEntry[];
  /** There are more. */
  readonly more: boolean;
}

export type WalletKind = 'SPOT' | 'CROSS' | 'ISOLATED';

export interface WalletQuery {
  /** The account's name. */
  readonly account: string;
  /** Epoch ms, both included. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly wallets: readonly WalletKind[];
  /** Only the isolated wallet of this market. Null: of all. */
  readonly market: string | null;
  readonly currency: string | null;
  readonly reasons: readonly WalletReason[] | null;
  readonly limit: number;
}

export type WalletReason =
  | 'deposit'
  | 'withdrawal'
  | 'transferIn'
  | 'transferOut'
  | 'realised'
  | 'liquidation'
  | 'autoDeleveraging'
  | 'funding'
  | 'insurance';

/** One record of a wallet's history. Amounts are exact decimals. */
export interface WalletRecord {
  /** The number of the fill or movement. */
  readonly n: number;
  readonly timeMs: number;
  readonly wallet: WalletKind;
  readonly currency: string;
  /** Signed: negative is taken from the wallet. Before the fee. */
  readonly amount: string;
  /** Negative: a rebate. */
  readonly fee: string;
  readonly reason: WalletReason;
  readonly market: string | null;
  readonly orderId: string | null;
}

type Values = Record<string, Value>;
type Role = 'maker' | 'taker';
type Own = { readonly n: number } & (
  | { readonly movement: Values }
  | { readonly fill: Values; readonly role: Role; readonly orderKey: number }
);

const [N, MARKET, ROLE, ORDER] = ['n', 'market', 'role', 'orderKey'].map((name) => columnsOf('trades').indexOf(name));
const MOVE_N = columnsOf('moves').indexOf('n');

/** These trades of the account (rows of `trades`) and its movements, merged by their numbers. */
function* own(store: ArchiveStore, query: OwnQuery, trades: Iterator<Row>): Generator<Own> {
  const moves = ownRows(store, 'moves', query);
  const [step, sign] = [(rows: Iterator<Row>) => rows.next().value as Row | undefined, query.oldestFirst ? 1 : -1];
  try {
    let [trade, move] = [step(trades), step(moves)];
    while (trade !== undefined || move !== undefined) {
      const tradeFirst =
        move === undefined || (trade !== undefined && sign * ((trade[N] as number) - (move[MOVE_N] as number)) < 0);
      if (tradeFirst) {
        const [n, role, orderKey] = [trade![N] as number, trade![ROLE] as Role, trade![ORDER] as number];
        yield { n, fill: toObject('fills', store.known('fills', n)), role, orderKey };
        trade = step(trades);
      } else {
        const n = move![MOVE_N] as number;
        yield { n, movement: toObject('movements', store.known('movements', n)) };
        move = step(moves);
      }
    }
  } finally {
    // A statement that is not read to its end would hold the file, and no checkpoint could be made.
    trades.return?.();
    moves.return(undefined);
  }
}

/** @throws {ArchiveDamaged} */
export function ledgerPage(store: ArchiveStore, asked: LedgerQuery): LedgerPage {
  const { account, after, limit, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, toSeq, newest = false } = asked;
  const query = { account, fromMs, toMs, fromN: after?.n ?? 0, toSeq, oldestFirst: !newest };
  const terms = new MarketTerms(store);
  const entries: NumberedEntry[] = [];
  for (const one of own(store, query, ownRows(store, 'trades', query))) {
    const amounts =
      'movement' in one ? [moved(one.movement)] : [...traded(one.fill, terms.atFill(one.fill.market, one.n), one.role)];
    const numbered = [...amounts.entries()];
    for (const [part, entry] of newest ? numbered.reverse() : numbered) {
      if (after !== null && one.n === after.n && part <= after.part) continue;
      if (entries.length === limit) return { entries, more: true };
      entries.push({ id: `${one.n}.${part}`, ...entry });
    }
  }
  return { entries, more: false };
}

/** Newest first. @throws {ArchiveDamaged} */
export function walletHistory(store: ArchiveStore, query: WalletQuery): WalletRecord[] {
  const terms = new MarketTerms(store);
  const found: WalletRecord[] = [];
  const asked = { ...query, oldestFirst: false };
  for (const one of own(store, asked, futuresTrades(store, asked, terms))) {
    if (found.length === query.limit) break;
    const record = 'movement' in one ? movementRecord(one.movement) : tradeRecord(store, one);
    if (record !== undefined && isAskedFor(record, query)) found.push(record);
  }
  return found;
}

/** Spot trades have no record, and the spot wallet has no trades: their fills are not read. */
function* futuresTrades(store: ArchiveStore, query: WalletQuery & OwnQuery, terms: MarketTerms): Generator<Row> {
  if (query.wallets.every((wallet) => wallet === 'SPOT')) return;
  for (const row of ownRows(store, 'trades', query)) {
    if (terms.atFill(row[MARKET], row[N]).kind !== 'spot') yield row;
  }
}

function isAskedFor(record: WalletRecord, { wallets, market, currency, reasons }: WalletQuery): boolean {
  if (!wallets.includes(record.wallet)) return false;
  if (market !== null && record.wallet === 'ISOLATED' && record.market !== market) return false;
  return (currency === null || record.currency === currency) && (reasons === null || reasons.includes(record.reason));
}

/** Undefined for what a trade realised, because the record of the trade has it. */
function movementRecord(movement: Values): WalletRecord | undefined {
  if (movement.reason === 'realised' || movement.reason === 'liquidation') return undefined;
  return { ...movement, fee: '0', orderId: null } as unknown as WalletRecord;
}

function tradeRecord(store: ArchiveStore, { n, fill, role, orderKey }: Extract<Own, { fill: Values }>): WalletRecord {
  const { positionMode } = toObject('orders', store.known('orders', orderKey));
  return {
    n,
    timeMs: fill.timeMs as number,
    wallet: positionMode === 'ISOLATED' ? 'ISOLATED' : 'CROSS',
    currency: fill[`${role}FeeCurrency`] as string,
    amount: fill[`${role}Realised`] as string,
    fee: fill[`${role}Fee`] as string,
    reason: role === 'taker' && fill.liquidation === 1 ? 'liquidation' : 'realised',
    market: fill.market as string,
    orderId: fill[`${role}Order`] as string,
  };
}
