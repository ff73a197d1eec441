/**
 * What accounts own and reserve: for each currency a column with two amounts for each account, side by side.
 *
 *   currency   [ total | reserved ][ total | reserved ] …     by the row of the account
 *
 * Rows are only added. Cost: 16 bytes for each account and currency. Columns double when they are full.
 */

import {
  addTo,
  highWord,
  isLeft,
  type Money,
  type MoneyColumn,
  minus,
  moneyColumn,
  readMoney,
} from '../contract/money.ts';

const LEAST_ROWS = 16;
const TOTAL = 0;
const RESERVED = 1;

export class Wallets {
  readonly #columns: MoneyColumn[] = [];
  #room = LEAST_ROWS;
  #rows = 0;

  addCurrency(): void {
    this.#columns.push(moneyColumn(new BigInt64Array(this.#room * 2)));
  }

  /** Returns the row of a new account, which has nothing. */
  addRow(): number {
    if (this.#rows === this.#room) {
      this.#room *= 2;
      this.#columns.forEach(({ amounts }, currency) => {
        const larger = new BigInt64Array(this.#room * 2);
        larger.set(amounts);
        this.#columns[currency] = moneyColumn(larger);
      });
    }
    return this.#rows++;
  }

  total(row: number, currency: number): bigint {
    return this.#columns[currency].amounts[row * 2 + TOTAL];
  }

  reserved(row: number, currency: number): bigint {
    return this.#columns[currency].amounts[row * 2 + RESERVED];
  }

  isFree(row: number, currency: number, needed: Money): boolean {
    return isLeft(this.#columns[currency], row * 2 + TOTAL, row * 2 + RESERVED, needed);
  }

  isReserveNegative(row: number, currency: number): boolean {
    return highWord(this.#columns[currency], row * 2 + RESERVED) < 0;
  }

  unreserved(row: number, currency: number): Money {
    const column = this.#columns[currency];
    return minus(readMoney(column, row * 2 + TOTAL), readMoney(column, row * 2 + RESERVED));
  }

  /** @throws {MoneyOverflow} the total would not fit into signed 64 bits */
  addToTotal(row: number, currency: number, amount: Money): void {
    addTo(this.#columns[currency], row * 2 + TOTAL, amount);
  }

  /** @throws {MoneyOverflow} the sum would not fit into signed 64 bits */
  addToReserved(row: number, currency: number, amount: Money): void {
    addTo(this.#columns[currency], row * 2 + RESERVED, amount);
  }
}
