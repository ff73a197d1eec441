/**
 * The money that the orders of a spot sweep pay with, while the sweep is only counted (fill-or-kill.ts). Nothing here
 * changes state.
 *
 * While a price is foreseeable, an order fills nothing if its account needs the money that the order pays with
 * (`reserveIsAtRisk`). Each step of a sweep may change that:
 * - A maker that fills nothing is cancelled, and its reserve backs the positions of its account. So the next order of the
 *   same account may fill.
 * - A fill takes its cost off the total, and off the reserve what the order no longer needs. A BUY that reserves more
 *   than it pays leaves money free. Fees that are rounded up at each fill may take a unit more than the reserve had.
 *
 * Cost: while no price is foreseeable, nothing. Otherwise the perpetual markets of each account are visited once.
 */

import { feesInQuote } from '../contract/market-spec.ts';
import * as units from '../contract/units.ts';
import { feeOn } from '../risk/fees.ts';
import { feeRoundedDown, reserveFor } from '../risk/funds.ts';
import { crossMarginAccount, equityOf } from '../risk/margin-account.ts';
import { foreseeableSlack } from '../risk/margin-state.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';
import { mustCheckForeseeablePrices } from './fill-checks.ts';

const { BUY } = units;

/** An account in the currency that its order pays with, smallest units. */
interface Backing {
  /** Equity less maintenance at the worst foreseeable prices. */
  slack: bigint;
  /** What a fee may take: the lesser of the free money and the equity at the marks. */
  spare: bigint;
}

/** What the count has done to an order so far. */
interface Counted {
  /** Lots that it has filled. */
  readonly lots: number;
  /** What it still reserves, smallest units. */
  readonly reserved: bigint;
}

export class CountedReserves {
  readonly #venue: VenueState;
  readonly #market: Market;
  readonly #taker: Order;
  readonly #checks: boolean;
  /** Null: no foreseeable price moves a cross position of the account in that currency. */
  readonly #backings = new Map<number, Backing | null>();
  readonly #counted = new Map<number, Counted>();
  /** Keys of the makers that the sweep would have cancelled. */
  readonly #ended = new Set<number>();

  constructor(venue: VenueState, taker: Order) {
    this.#venue = venue;
    this.#market = venue.market(taker);
    this.#taker = taker;
    this.#checks = mustCheckForeseeablePrices(venue, this.#market);
  }

  /** Whether the sweep would stop because the taker may not pay. */
  stopsTaker(): boolean {
    return this.#checks && this.#isAtRisk(this.#taker);
  }

  hasEnded(maker: Order): boolean {
    return this.#ended.has(maker.key);
  }

  /** Whether the sweep would cancel the maker, because it may not pay. If so, its reserve is released. */
  endsMaker(maker: Order): boolean {
    if (!this.#checks || !this.#isAtRisk(maker)) return false;
    const { lots, reserved } = this.#of(maker);
    const account = this.#venue.account(maker);
    const kept = behaviourOf(maker).reservesAfterMargin?.(this.#venue, maker, account, this.#market, lots) ?? 0;
    this.#ended.add(maker.key);
    this.#gain(this.#backing(account, maker), reserved - BigInt(kept));
    return true;
  }

  /** Counts a fill. Null: the house is the maker. */
  fill(maker: Order | null, price: number, lots: number): void {
    if (!this.#checks) return;
    if (maker !== null) this.#pay(maker, 'maker', price, lots);
    this.#pay(this.#taker, 'taker', price, lots);
  }

  /** A quote-sized order reserves what is left of its money, so nothing else of its account changes. */
  #pay(order: Order, role: 'maker' | 'taker', price: number, lots: number): void {
    const [venue, market] = [this.#venue, this.#market];
    const account = venue.account(order);
    const backing = this.#backing(account, order);
    if (backing === null || order.quoteOriginal !== null) return;
    const before = this.#of(order);
    const filled = before.lots + lots;
    const reserved = BigInt(reserveFor(venue, order, account, market, filled));
    this.#counted.set(order.key, { lots: filled, reserved });
    const notional = market.worth(price, lots);
    this.#gain(backing, before.reserved - reserved - BigInt(order.side === BUY ? notional : market.baseOf(lots)));
    if (order.side !== BUY || !feesInQuote(market.product, BUY, venue.genesis.config.feeFrom)) return;
    const { makerParts, takerParts } = account.rates(market);
    const rate = role === 'maker' ? makerParts : takerParts;
    const fee = feeOn(notional, rate);
    this.#gain(backing, -BigInt(fee <= 0 || fee <= backing.spare ? fee : feeRoundedDown(notional, rate)));
  }

  #isAtRisk(order: Order): boolean {
    const backing = this.#backing(this.#venue.account(order), order);
    return backing !== null && backing.slack < 0n;
  }

  #of(order: Order): Counted {
    return this.#counted.get(order.key) ?? { lots: 0, reserved: BigInt(order.reserved) };
  }

  #backing(account: Account, order: Order): Backing | null {
    const known = this.#backings.get(account.index);
    if (known !== undefined) return known;
    const currency = this.#venue.payCurrency(order);
    const slack = foreseeableSlack(account, currency);
    let backing: Backing | null = null;
    if (slack !== null) {
      const free = BigInt(account.unreserved(currency));
      const equity = equityOf(crossMarginAccount(account, currency));
      backing = { slack, spare: free < equity ? free : equity };
    }
    this.#backings.set(account.index, backing);
    return backing;
  }

  #gain(backing: Backing | null, amount: bigint): void {
    if (backing === null) return;
    backing.slack += amount;
    backing.spare += amount;
  }
}
