/**
 * Rows of accounts that wait for a transaction: trades from both sides, movements of money, and the numbers of both for
 * each account.
 *
 * Invariant: the trades and movements of an account are numbered without a gap, from 1 on.
 */
import { decimalText } from '../../venue/contract/decimal.ts';
import type { EventOf } from '../../venue/contract/events.ts';
import { HOUSE, sideText } from '../../venue/contract/units.ts';
import type { Venue } from '../../venue/venue.ts';
import type { ArchiveState } from '../store/state.ts';
import type { ArchiveStore, Numbers } from '../store/store.ts';
import { columnsOf, type Row, type Value } from '../store/tables.ts';
import { accountName, type OrderEvent, priceText, sizeText } from './records.ts';

type Traded = EventOf<'traded'>;
type BalanceChanged = EventOf<'balanceChanged'>;
type Transferred = EventOf<'transferred'>;
type Moved = Pick<BalanceChanged, 'account' | 'currency' | 'amount'>;

/** What a trade says of one of its sides. */
interface TradeSide {
  readonly fee: bigint;
  readonly currency: number;
}

/** What a trade did to one of its orders. */
export interface OrderTrade {
  readonly key: number;
  readonly event: OrderEvent;
}

export interface AccountRowsOptions {
  readonly store: ArchiveStore;
  /** As of the last command. Rows that are added count here. */
  readonly state: ArchiveState;
  /** The replica whose events are taken. */
  readonly replica: () => Venue;
}

export class AccountRows {
  readonly #state: ArchiveState;
  readonly #replica: () => Venue;
  /** Accounts that were written, and those that were not. */
  readonly #known: ReadonlyMap<string, Numbers>;
  #accounts = new Map<string, Numbers>();
  #rows = emptyRows();
  /** What the accounts of the next trade realised, and the rows that say so. Those events come before the trade. */
  #realised = new Map<number, bigint>();
  #realisedRows: Row[] = [];

  constructor({ store, state, replica }: AccountRowsOptions) {
    this.#state = state;
    this.#replica = replica;
    this.#known = store.accounts;
  }

  /** The number of movements that wait. */
  get pending(): number {
    return this.#rows.movements.length;
  }

  /** What waits for the transaction. */
  get rows() {
    const accounts = [...this.#accounts].map(([name, { account, trades, moves }]) => [account, name, trades, moves]);
    return { ...this.#rows, accounts };
  }

  written(): void {
    this.#accounts = new Map();
    this.#rows = emptyRows();
  }

  /** The numbers of an account, which it gets when it first appears. */
  of(name: string): Numbers {
    const known = this.#accounts.get(name) ?? this.#known.get(name);
    if (known !== undefined) return known;
    this.#state.accounts += 1;
    const numbers = { account: this.#state.accounts, trades: 0, moves: 0 };
    this.#accounts.set(name, numbers);
    return numbers;
  }

  moved(event: BalanceChanged): void {
    const { account, amount, reason, market } = event;
    if (amount === 0n) return;
    const venue = this.#replica();
    const symbol = market < 0 ? null : venue.markets[market].symbol;
    const row = this.#movement(event, reason, symbol, walletOf(venue, event));
    if (reason !== 'realised') return;
    this.#realised.set(account, (this.#realised.get(account) ?? 0n) + amount);
    this.#realisedRows.push(row);
  }

  transferred(event: Transferred): void {
    const { amount, from, to } = event;
    this.#movement({ ...event, amount: -amount }, 'transferOut', null, from.toUpperCase());
    this.#movement(event, 'transferIn', null, to.toUpperCase());
  }

  #movement({ account, currency, amount }: Moved, reason: string, market: string | null, wallet: string): Row {
    const venue = this.#replica();
    const { code, decimals } = venue.currencies[currency];
    const name = accountName(venue, account);
    const [n, when] = [this.#nextN(), [venue.seq, venue.timeMs]];
    const row = [n, ...when, name, code, decimalText(amount, decimals), reason, market, wallet];
    this.#rows.movements.push(row);
    this.#state.movements += 1;
    this.#rows.moves.push([...this.#next('moves', name), n, ...when]);
    this.#state.moves += 1;
    return row;
  }

  /** Positions were closed without a trade. */
  deleveraged(): void {
    for (const row of this.#realisedRows) row[REASON] = 'autoDeleveraging';
    this.#realisedWasTraded();
  }

  /** What was realised belongs to the trade that has come. */
  #realisedWasTraded(): void {
    this.#realised.clear();
    this.#realisedRows = [];
  }

  #nextN(): number {
    this.#state.lastN += 1;
    return this.#state.lastN;
  }

  /** The number of a trade that a recorded market made with itself, which is no account's. */
  printed(): number {
    return this.#nextN();
  }

  /** `n`: the number of the trade. `orders`: those of accounts, which the recorded market's are not. */
  traded(event: Traded): { readonly n: number; readonly orders: readonly OrderTrade[] } {
    const venue = this.#replica();
    const market = venue.markets[event.market];
    const value = market.notional(event.priceTicks, event.sizeLots);
    const [price, size] = [priceText(market, event.priceTicks), sizeText(market, event.sizeLots)];
    const n = this.#nextN();
    const side = (role: 'maker' | 'taker', key: number, account: number, of: TradeSide) => {
      const { code, decimals } = venue.currencies[of.currency];
      const fee = decimalText(of.fee, decimals);
      const { tradeId } = event;
      const realised = market.product === 'spot' ? null : market.quoteText(this.#realised.get(account) ?? 0n);
      const happened = { type: 'traded', time: venue.timeMs, tradeId, role, price, size, fee, feeCurrency: code };
      const name = accountName(venue, account);
      const columns: Value[] = [name, venue.orderIds.encode(key), fee, code, realised];
      if (account === HOUSE) return { key, columns, event: null };
      const trade = [n, venue.seq, venue.timeMs, market.symbol, tradeId, role, key];
      this.#rows.trades.push([...this.#next('trades', name), ...trade]);
      this.#state.trades += 1;
      return { key, columns, event: realised === null || realised === '0' ? happened : { ...happened, realised } };
    };
    const maker = side('maker', event.makerKey, event.makerAccount, {
      fee: BigInt(event.makerFee),
      currency: event.makerFeeCurrency,
    });
    const taker = side('taker', event.takerKey, event.takerAccount, {
      fee: BigInt(event.takerFee),
      currency: event.takerFeeCurrency,
    });
    const place = [n, venue.seq, venue.timeMs, event.tradeId, market.symbol];
    const trade = [price, size, market.quoteText(value), sideText(event.takerSide)];
    this.#rows.fills.push([...place, ...trade, ...maker.columns, ...taker.columns, Number(event.liquidation)]);
    this.#state.fills += 1;
    if (event.liquidation) {
      const liquidated = accountName(venue, event.takerAccount);
      for (const row of this.#realisedRows) if (row[ACCOUNT] === liquidated) row[REASON] = 'liquidation';
    }
    this.#realisedWasTraded();
    const orders = [maker, taker].flatMap(({ key, event: happened }) => (happened ? [{ key, event: happened }] : []));
    return { n, orders };
  }

  /** The account's number, and the number of its next trade or movement. */
  #next(what: 'trades' | 'moves', name: string): [account: number, number: number] {
    const { account, trades, moves } = this.of(name);
    const next = { account, trades, moves, [what]: { trades, moves }[what] + 1 };
    this.#accounts.set(name, next);
    return [account, next[what]];
  }
}

/** The wallet of a movement, by the mode of its position. Deposits and withdrawals are of the spot wallet. */
function walletOf(venue: Venue, { account, market, reason }: BalanceChanged): string {
  if (reason === 'deposit' || reason === 'withdrawal') return 'SPOT';
  if (market < 0) return 'CROSS';
  return venue.settings(account, venue.markets[market]).mode === 'ISOLATED' ? 'ISOLATED' : 'CROSS';
}

function emptyRows(): { [name in 'fills' | 'movements' | 'moves' | 'trades']: Row[] } {
  return { fills: [], movements: [], moves: [], trades: [] };
}

const [ACCOUNT, REASON] = ['account', 'reason'].map((name) => columnsOf('movements').indexOf(name));
