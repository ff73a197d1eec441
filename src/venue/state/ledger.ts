/**
 * Balances: what each account owns, what its spot orders reserve, and the venue's fees, insurance fund and flows from outside.
 *
 * An account's money is a signed 64-bit number of the currency's smallest units: a deposit beyond it is refused, and a fill
 * that would go beyond it throws. The venue's own sums (all deposits, all fees) are exact and unbounded.
 * Invariant, exact after every command and checked by `audit` (views.ts): for each currency, the sum of all totals and
 * isolated margins, less what open positions cost to enter, plus fees and insurance, equals deposits less withdrawals. (Entry costs net to the
 * realised results that one side has taken and the other still carries.)
 */

import type { Currency } from '../contract/account-view.ts';
import { addMoney } from '../contract/decimal.ts';
import { frozen } from '../contract/frozen.ts';
import type { FeeRates } from '../contract/market-spec.ts';
import { NONE } from '../contract/units.ts';
import type { Effects } from './effects-digest.ts';
import type { Market } from './market.ts';
import { MarketPositions } from './market-positions.ts';

export class Account {
  readonly index: number;
  readonly name: string;
  /** By currency. Another array after `grow`: not to be kept. */
  totals: BigInt64Array;
  reserved: BigInt64Array;
  /** By market; undefined: the market's own rates. */
  readonly feeRates: (FeeRates | undefined)[] = [];
  /** By market; undefined: it never had an order or a position there. */
  readonly positionsByMarket: (MarketPositions | undefined)[] = [];
  /** Live orders, by market. */
  readonly openOrders: number[] = [];
  /** All live orders, oldest first, linked through the orders: slots. */
  oldestLive = NONE;
  newestLive = NONE;

  constructor(index: number, name: string, currencies: number) {
    this.index = index;
    this.name = name;
    this.totals = new BigInt64Array(currencies);
    this.reserved = new BigInt64Array(currencies);
  }

  /** The venue has more currencies now. */
  grow(currencies: number): void {
    const { totals, reserved } = this;
    this.totals = new BigInt64Array(currencies);
    this.totals.set(totals);
    this.reserved = new BigInt64Array(currencies);
    this.reserved.set(reserved);
  }

  rates(market: Market): FeeRates {
    return this.feeRates[market.index] ?? market.fees;
  }

  positionsIn(market: number): MarketPositions {
    let found = this.positionsByMarket[market];
    if (found === undefined) {
      found = new MarketPositions();
      this.positionsByMarket[market] = found;
    }
    return found;
  }
}

/** Who is told that a wallet is about to change. */
interface Watcher {
  wallet(account: Account, currency: number): void;
}

export class Ledger {
  readonly #currencies: Currency[] = [];
  readonly fees: bigint[] = [];
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

  /** Accounts have to grow with it. */
  add(currency: Currency): void {
    this.#currencies.push(frozen(currency));
    for (const sums of [this.fees, this.insurance, this.deposits, this.withdrawals]) sums.push(0n);
  }

  credit(account: Account, currency: number, amount: bigint): void {
    this.#watcher.wallet(account, currency);
    account.totals[currency] = addMoney(account.totals[currency], amount);
    this.#effects.money(account.index, currency, amount);
  }

  /** Gives an isolated position money of its own (negative: takes it). */
  creditOwn(account: Account, currency: number, own: { margin: bigint }, amount: bigint): void {
    own.margin += amount;
    this.#effects.money(account.index, currency, amount);
  }

  /** From the account's total into the money of its isolated position (negative: back). No money is made or lost. */
  moveToOwn(account: Account, currency: number, own: { margin: bigint }, amount: bigint): void {
    this.creditOwn(account, currency, own, amount);
    this.credit(account, currency, -amount);
  }

  /** Takes `fee` (negative: a rebate) from the account, or from an isolated position's own money, to the venue. */
  charge(account: Account, currency: number, fee: bigint, own: { margin: bigint } | null = null): void {
    if (own === null) this.credit(account, currency, -fee);
    else this.creditOwn(account, currency, own, -fee);
    this.fees[currency] += fee;
  }

  /** From the account, or from an isolated position's own money, to the insurance fund (negative: from the fund). */
  insure(account: Account, currency: number, amount: bigint, own: { margin: bigint } | null = null): void {
    if (own === null) this.credit(account, currency, -amount);
    else this.creditOwn(account, currency, own, -amount);
    this.fund(currency, amount);
  }

  /** Gives the insurance fund money (negative: takes it). */
  fund(currency: number, amount: bigint): void {
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
