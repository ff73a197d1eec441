/**
 * Balances: what each account owns, what its spot orders reserve, and the venue's fees, insurance fund, deposits and
 * withdrawals.
 *
 * An account's money is a signed 64-bit number of the currency's smallest units. A deposit that would exceed it is
 * refused, and a fill that would exceed it throws. The venue's sums (all deposits, all fees) are exact and unbounded.
 * Invariant, exact after every command and checked by `audit` (views.ts): for each currency, all totals and
 * collateral, minus the entry costs of open positions, plus fees and insurance, equal deposits minus withdrawals. (Entry
 * costs net to the results that one side has realised and the other has not yet.)
 */

import type { Currency } from '../contract/account-view.ts';
import type { Freeze } from '../contract/commands.ts';
import { frozen } from '../contract/frozen.ts';
import type { FeeRates } from '../contract/market-spec.ts';
import { type Money, negated, plus } from '../contract/money.ts';
import * as units from '../contract/units.ts';
import type { Effects } from './effects-digest.ts';
import type { Market } from './market.ts';
import { MarketPositions } from './market-positions.ts';
import type { Position } from './position.ts';
import { Wallets } from './wallets.ts';

const { NONE } = units;

export class Account {
  declare readonly index: number;
  declare readonly name: string;
  readonly #wallets: Wallets;
  readonly #row: number;
  /** By market. Undefined: the market's rates. */
  readonly feeRates: (FeeRates | undefined)[] = [];
  /** By market. Undefined: it never had an order or a position there. */
  readonly positionsByMarket: (MarketPositions | undefined)[] = [];
  /** Numbers of the markets in `positionsByMarket`, ascending. */
  readonly tradedMarkets: number[] = [];
  /** The perpetual markets where it has a position now, ascending. Not saved. */
  readonly openMarkets: Market[] = [];
  /** What its client may not do. Null: it is not frozen. */
  frozen: Freeze | null = null;
  /** Numbers of live orders, by market. */
  readonly openOrders: number[] = [];
  /** All live orders, oldest first: the slots of the first and the last. The orders are linked. */
  oldestLive = NONE;
  newestLive = NONE;

  constructor(index: number, name: string, wallets: Wallets) {
    this.index = index;
    this.name = name;
    this.#wallets = wallets;
    this.#row = wallets.addRow();
  }

  /** What it owns of a currency, in smallest units, without the collateral of isolated positions. */
  total(currency: number): bigint {
    return this.#wallets.total(this.#row, currency);
  }

  /** What its spot orders reserve. */
  reserved(currency: number): bigint {
    return this.#wallets.reserved(this.#row, currency);
  }

  /** Whether its spot orders leave at least `needed`. */
  hasUnreserved(currency: number, needed: Money): boolean {
    return this.#wallets.isFree(this.#row, currency, needed);
  }

  /** Never true, unless the venue has a bug. */
  reservesLessThanNothing(currency: number): boolean {
    return this.#wallets.isReserveNegative(this.#row, currency);
  }

  /** What its spot orders leave: total − reserved. */
  unreserved(currency: number): Money {
    return this.#wallets.unreserved(this.#row, currency);
  }

  /** @throws {MoneyOverflow} the sum would not fit into signed 64 bits */
  addToTotal(currency: number, amount: Money): void {
    this.#wallets.addToTotal(this.#row, currency, amount);
  }

  addToReserved(currency: number, amount: Money): void {
    this.#wallets.addToReserved(this.#row, currency, amount);
  }

  rates(market: Market): FeeRates {
    return this.feeRates[market.index] ?? market.fees;
  }

  /** Notes that it has opened its first position in the market, or closed the last one. */
  setOpen(market: Market, isOpen: boolean): void {
    const { openMarkets } = this;
    const at = openMarkets.findIndex(({ index }) => index >= market.index);
    const place = at < 0 ? openMarkets.length : at;
    if (isOpen) openMarkets.splice(place, 0, market);
    else openMarkets.splice(place, 1);
  }

  positionsIn(market: number): MarketPositions {
    let found = this.positionsByMarket[market];
    if (found === undefined) {
      found = new MarketPositions();
      this.positionsByMarket[market] = found;
      this.tradedMarkets.push(market);
      this.tradedMarkets.sort((a, b) => a - b);
    }
    return found;
  }
}

/** An isolated position. It pays and receives with its collateral, which is kept apart from the wallet. */
type Isolated = Pick<Position, 'collateral'>;

/** Called before a wallet changes. */
interface Watcher {
  wallet(account: Account, currency: number): void;
}

export class Ledger {
  readonly wallets = new Wallets();
  readonly #currencies: Currency[] = [];
  readonly fees: Money[] = [];
  readonly insurance: bigint[] = [];
  readonly deposits: bigint[] = [];
  readonly withdrawals: bigint[] = [];

  readonly #effects: Effects;
  readonly #watcher: Watcher;

  constructor(currencies: readonly Currency[], effects: Effects, watcher: Watcher) {
    this.#effects = effects;
    this.#watcher = watcher;
    for (const currency of currencies) this.add(currency);
  }

  get currencies(): readonly Currency[] {
    return this.#currencies;
  }

  add(currency: Currency): void {
    this.#currencies.push(frozen(currency));
    this.wallets.addCurrency();
    this.fees.push(0);
    for (const sums of [this.insurance, this.deposits, this.withdrawals]) sums.push(0n);
  }

  credit(account: Account, currency: number, amount: Money): void {
    this.#watcher.wallet(account, currency);
    account.addToTotal(currency, amount);
    this.#effects.money(account.index, currency, amount);
  }

  /** Adds to the collateral of an isolated position (negative: takes from it). */
  creditCollateral(account: Account, currency: number, isolated: Isolated, amount: bigint): void {
    isolated.collateral += amount;
    this.#effects.money(account.index, currency, amount);
  }

  /**
   * Moves money from the account's total into the collateral of its isolated position (negative: back). The sum stays
   * the same.
   */
  moveToCollateral(account: Account, currency: number, isolated: Isolated, amount: bigint): void {
    this.creditCollateral(account, currency, isolated, amount);
    this.credit(account, currency, -amount);
  }

  /**
   * The account pays `fee` to the venue (negative: it receives a rebate). `isolated`: the position whose collateral
   * pays. Null: the wallet pays.
   */
  charge(account: Account, currency: number, fee: Money, isolated: Isolated | null = null): void {
    if (isolated === null) this.credit(account, currency, negated(fee));
    else this.creditCollateral(account, currency, isolated, -BigInt(fee));
    this.fees[currency] = plus(this.fees[currency], fee);
  }

  /**
   * The account pays `amount` to the insurance fund (negative: the fund pays the account). `isolated`: the position
   * whose collateral pays. Null: the wallet pays.
   */
  payToInsurance(account: Account, currency: number, amount: bigint, isolated: Isolated | null = null): void {
    if (isolated === null) this.credit(account, currency, -amount);
    else this.creditCollateral(account, currency, isolated, -amount);
    this.addToInsurance(currency, amount);
  }

  /** Adds to the insurance fund alone (negative: takes from it). The caller books the other side. */
  addToInsurance(currency: number, amount: bigint): void {
    this.insurance[currency] += amount;
    this.#effects.insurance(currency, amount);
  }

  /** Money from outside (negative: to outside). The caller has checked that a withdrawal is covered. */
  deposit(account: Account, currency: number, amount: bigint): void {
    this.credit(account, currency, amount);
    if (amount >= 0n) this.deposits[currency] += amount;
    else this.withdrawals[currency] -= amount;
  }
}
