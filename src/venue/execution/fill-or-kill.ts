/**
 * The count before a fill-or-kill order: whether a sweep could fill all of it. It clips fills exactly as the sweep
 * would. Nothing here changes state.
 * Cost: each entry that the order would meet is visited once. On futures, the solvency of both sides of each fill is
 * checked.
 */

import { beyond, NONE, opposite } from '../contract/units.ts';
import { takerCost } from '../risk/funds.ts';
import { reducible } from '../risk/reduce-only.ts';
import { afterFillOf, filled, type MarginState, marginStateOf, mostSolvent } from '../risk/solvency.ts';
import type { Account } from '../state/ledger.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import {
  affordable,
  makerRateOf,
  mustCheckForeseeablePrices,
  paysWithMoneyAtRisk,
  selfTradeRule,
  takerMarginState,
} from './matching.ts';

/** Lots that a sweep would meet at a price. */
interface Ahead {
  readonly maker: Order;
  readonly price: number;
  readonly lots: number;
}

/**
 * What a sweep would meet within the limit, in order. Hidden slices come at their level, behind the shown lots. The
 * walk ends, with 0 lots, at the first order of the same account that would stop the sweep.
 */
function* ahead(venue: VenueState, taker: Order, limitTicks: number): Generator<Ahead> {
  const market = venue.market(taker);
  const { book } = market;
  const checksForeseeable = mustCheckForeseeablePrices(venue, market);
  if (checksForeseeable && paysWithMoneyAtRisk(venue, taker)) return;
  let hidden: Ahead[] = [];
  for (let entry = book.front(opposite(taker.side)); entry !== NONE; entry = book.next(entry)) {
    const price = book.price(entry);
    if (beyond(taker.side, price, limitTicks)) break;
    if (hidden.length > 0 && hidden[0].price !== price) {
      yield* inSlices(hidden);
      hidden = [];
    }
    const maker = venue.orders.slots[book.owner(entry)];
    if (maker.account === taker.account) {
      if (selfTradeRule(venue, taker, maker) === 'cancelResting') continue;
      yield { maker, price, lots: 0 };
      return;
    }
    if (checksForeseeable && paysWithMoneyAtRisk(venue, maker)) continue;
    const lots = book.size(entry);
    yield { maker, price, lots };
    if (behaviourOf(maker).nextSlice !== undefined && maker.remaining > lots) {
      hidden.push({ maker, price, lots: maker.remaining - lots });
    }
  }
  yield* inSlices(hidden);
}

/**
 * The hidden lots of the makers of a level, slice by slice. Each slice joins the back of the level when the previous
 * one is gone.
 */
function* inSlices(hidden: Ahead[]): Generator<Ahead> {
  for (let i = 0; i < hidden.length; i++) {
    const { maker, price, lots } = hidden[i];
    const slice = Math.min(behaviourOf(maker).nextSlice?.(maker) ?? lots, lots);
    yield { maker, price, lots: slice };
    if (lots > slice) hidden.push({ maker, price, lots: lots - slice });
  }
}

/**
 * Whether `lots` (for a quote-sized order: its money) can be filled at once within the limit. Reduce-only makers count
 * only what is left of their position at that point of the sweep. On futures only what is solvent for both sides
 * counts.
 */
export function canFill(venue: VenueState, taker: Order, limitTicks: number, lots: number): boolean {
  if (taker.quoteOriginal !== null) return canSpend(venue, taker, limitTicks);
  const count = new FillCount(venue, taker, lots);
  for (const { maker, price, lots: shown } of ahead(venue, taker, limitTicks)) {
    count.take(maker, price, shown);
    if (count.over) break;
  }
  return count.done;
}

/** Counts what a sweep would fill, fill by fill, and tracks the situation of each side. */
class FillCount {
  readonly #venue: VenueState;
  #left: number;
  /** The taker's margin allows no more. */
  #stopped = false;
  #taker: MarginState | null;
  /** What is left to reduce, by position. Orders that are not reduce-only take from it, too. */
  readonly #rooms = new Map<Position | undefined, number>();
  /** By the position that they fill. For an isolated one that is not open yet: by order. */
  readonly #makers = new Map<Position | Order, MarginState>();
  /**
   * The situation of each maker's account after its last fill. Its positions share one margin, or, if isolated, the
   * wallet.
   */
  readonly #last = new Map<Account, MarginState>();
  /** Makers that were clipped. */
  readonly #gone = new Set<Order>();

  constructor(venue: VenueState, taker: Order, lots: number) {
    this.#venue = venue;
    this.#left = lots;
    this.#taker = taker.product === 'futures' ? takerMarginState(venue, taker) : null;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  get over(): boolean {
    return this.done || this.#stopped;
  }

  take(maker: Order, price: number, size: number): void {
    if (this.over || size <= 0 || this.#gone.has(maker)) return;
    if (this.#taker === null) this.#left -= Math.min(this.#left, size);
    else this.#takeSolvent(this.#taker, maker, price, size);
  }

  #takeSolvent(taker: MarginState, maker: Order, price: number, size: number): void {
    const position = this.#venue.positionOf(maker);
    const room = this.#rooms.get(position) ?? reducible(this.#venue, maker);
    const shown = Math.min(this.#left, maker.reduceOnly ? Math.min(size, room) : size);
    if (shown === 0) return;
    const most = mostSolvent(taker, price, shown);
    this.#stopped = most === 0;
    if (this.#stopped) return;
    const account = this.#venue.account(maker);
    const owner = account.positionsIn(maker.market).positionOfOrder(maker) ?? maker;
    const known = this.#makers.get(owner) ?? marginStateOf(this.#venue, maker, makerRateOf(this.#venue, maker));
    const last = this.#last.get(account);
    const before = last === undefined ? known : afterFillOf(known, last);
    const lots = mostSolvent(before, price, most);
    if (lots < most) this.#gone.add(maker);
    if (lots === 0) return;
    this.#rooms.set(position, Math.max(0, room - lots));
    const after = filled(before, price, lots);
    this.#makers.set(owner, after);
    this.#last.set(account, after);
    this.#taker = filled(taker, price, lots);
    this.#left -= lots;
  }
}

/** Whether a quote-sized order would buy something and end with less left than one lot costs. */
function canSpend(venue: VenueState, taker: Order, limitTicks: number): boolean {
  const market = venue.market(taker);
  const account = venue.account(taker);
  let budget = taker.quoteRemaining;
  let lastPrice = 0;
  for (const { price, lots: shown } of ahead(venue, taker, limitTicks)) {
    const most = affordable(venue, taker, market, price, budget);
    if (most === 0) return lastPrice > 0;
    if (shown === 0) break;
    const lots = Math.min(shown, most);
    budget -= takerCost(venue, account, market, price, lots);
    lastPrice = price;
  }
  return lastPrice > 0 && budget < takerCost(venue, account, market, lastPrice, 1);
}
