/**
 * The count before a fill-or-kill order: whether a sweep could fill all of it. It clips fills exactly as the sweep
 * would. Nothing here changes state.
 * Cost: each entry that the order would meet is visited once. On futures, the solvency of both sides of each fill is
 * checked. On spot, the money of both sides is followed while a price is foreseeable (counted-reserves.ts).
 */

import * as units from '../contract/units.ts';
import { beyond, opposite } from '../contract/units.ts';
import { takerCost } from '../risk/funds.ts';
import { afterFillOf, filled, type MarginState, marginStateOf } from '../risk/margin-state.ts';
import { reducible } from '../risk/reduce-only.ts';
import { mostSolvent } from '../risk/solvency.ts';
import type { Account } from '../state/ledger.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { CountedReserves } from './counted-reserves.ts';
import { affordable, takerMarginState } from './fill-checks.ts';
import { selfTradeRule } from './matching.ts';
import { makerRateOf } from './settlement.ts';

const { HOUSE, NONE } = units;

/** Lots that a sweep would meet at a price. */
interface Ahead {
  /** Null: the house, which can always fill. */
  readonly maker: Order | null;
  readonly price: number;
  readonly lots: number;
}

/** Lots of a maker that it does not show yet. */
interface Hidden extends Ahead {
  readonly maker: Order;
}

/**
 * What a sweep would meet within the limit, in order. Hidden slices come at their level, behind the shown lots. The
 * walk ends, with 0 lots, at the first order of the same account that would stop the sweep.
 */
function* ahead(venue: VenueState, taker: Order, limitTicks: number): Generator<Ahead> {
  const { book } = venue.market(taker);
  let hidden: Hidden[] = [];
  for (let entry = book.front(opposite(taker.side)); entry !== NONE; entry = book.next(entry)) {
    const price = book.price(entry);
    if (beyond(taker.side, price, limitTicks)) break;
    if (hidden.length > 0 && hidden[0].price !== price) {
      yield* inSlices(hidden);
      hidden = [];
    }
    const owner = book.owner(entry);
    if (owner === HOUSE) {
      yield { maker: null, price, lots: book.size(entry) };
      continue;
    }
    const maker = venue.orders.bySlot(owner);
    if (maker.account === taker.account) {
      if (selfTradeRule(venue, taker, maker) === 'cancelResting') continue;
      yield { maker, price, lots: 0 };
      return;
    }
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
function* inSlices(hidden: Hidden[]): Generator<Ahead> {
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
  const fills = taker.product === 'spot' ? new SpotFills(venue, taker) : new FuturesFills(venue, taker);
  let left = lots;
  for (const { maker, price, lots: shown } of ahead(venue, taker, limitTicks)) {
    // If the taker's margin allows only a part of an entry, the sweep tries the rest again: each fill rounds anew, and a
    // close frees margin.
    for (let untaken = shown; untaken > 0 && left > 0; ) {
      const taken = fills.next(maker, price, Math.min(left, untaken));
      if (taken === 0) break;
      untaken -= taken;
      left -= taken;
    }
    if (left === 0 || fills.takerStopped) break;
  }
  return left === 0;
}

/** What a sweep would fill, fill by fill. Tracks the situation of each side. */
interface Fills {
  /** The taker may fill no more. */
  readonly takerStopped: boolean;
  /** Counts the next fill: at most `lots` (above 0). Returns its lots; 0: the taker stopped, or the sweep goes past the maker. */
  next(maker: Order | null, price: number, lots: number): number;
}

class SpotFills implements Fills {
  takerStopped = false;
  readonly #reserves: CountedReserves;

  constructor(venue: VenueState, taker: Order) {
    this.#reserves = new CountedReserves(venue, taker);
  }

  next(maker: Order | null, price: number, lots: number): number {
    const reserves = this.#reserves;
    if (maker !== null && reserves.hasEnded(maker)) return 0;
    this.takerStopped = reserves.stopsTaker();
    if (this.takerStopped || (maker !== null && reserves.endsMaker(maker))) return 0;
    reserves.fill(maker, price, lots);
    return lots;
  }
}

class FuturesFills implements Fills {
  takerStopped = false;
  readonly #venue: VenueState;
  /** The taker's situation after what was counted so far. */
  #takerState: MarginState;
  /** Lots that reduce-only makers can still take off a position. Fills of its other makers count, too. */
  readonly #reducibleLots = new Map<Position | undefined, number>();
  /** The makers' situation, by the position that they fill. For an isolated one that is not open yet: by the order's key. */
  readonly #makerStates = new Map<Position | number, MarginState>();
  /**
   * The situation of each maker's account after its last fill. The positions of an account share its margin or, if
   * they are isolated, its wallet.
   */
  readonly #lastStates = new Map<Account, MarginState>();
  /** Keys of the makers that were clipped. The sweep would end them, so nothing more of them counts. */
  readonly #clippedMakers = new Set<number>();

  constructor(venue: VenueState, taker: Order) {
    this.#venue = venue;
    this.#takerState = takerMarginState(venue, taker);
  }

  next(maker: Order | null, price: number, lots: number): number {
    const wanted = maker === null ? lots : this.#fillable(maker, lots);
    if (wanted === 0) return 0;
    const most = mostSolvent(this.#takerState, price, wanted);
    this.takerStopped = most === 0;
    if (this.takerStopped) return 0;
    const taken = maker === null ? most : this.#fillMaker(maker, price, most);
    if (taken > 0) this.#takerState = filled(this.#takerState, price, taken);
    return taken;
  }

  /** How many of the lots the maker can fill, margins aside. */
  #fillable(maker: Order, lots: number): number {
    if (this.#clippedMakers.has(maker.key)) return 0;
    return maker.reduceOnly ? Math.min(lots, this.#mayReduce(maker)) : lots;
  }

  /** The maker's side of a fill of at most `most` lots. */
  #fillMaker(maker: Order, price: number, most: number): number {
    const account = this.#venue.account(maker);
    const owner = account.positionsIn(maker.market).positionOfOrder(maker) ?? maker.key;
    const known = this.#makerStates.get(owner) ?? marginStateOf(this.#venue, maker, makerRateOf(this.#venue, maker));
    const last = this.#lastStates.get(account);
    const before = last === undefined ? known : afterFillOf(known, last);
    const lots = mostSolvent(before, price, most);
    if (lots < most) this.#clippedMakers.add(maker.key);
    if (lots === 0) return 0;
    this.#reducibleLots.set(this.#venue.positionOf(maker), Math.max(0, this.#mayReduce(maker) - lots));
    const after = filled(before, price, lots);
    this.#makerStates.set(owner, after);
    this.#lastStates.set(account, after);
    return lots;
  }

  #mayReduce(maker: Order): number {
    return this.#reducibleLots.get(this.#venue.positionOf(maker)) ?? reducible(this.#venue, maker);
  }
}

/** Whether a quote-sized order would buy something and end with less left than one lot costs. */
function canSpend(venue: VenueState, taker: Order, limitTicks: number): boolean {
  const market = venue.market(taker);
  const account = venue.account(taker);
  const reserves = new CountedReserves(venue, taker);
  let budget = taker.quoteRemaining;
  let lastPrice = 0;
  for (const { maker, price, lots: shown } of ahead(venue, taker, limitTicks)) {
    if (maker !== null && reserves.hasEnded(maker)) continue;
    const most = affordable(venue, taker, market, price, budget);
    if (most === 0) return lastPrice > 0;
    if (shown === 0 || reserves.stopsTaker()) break;
    if (maker !== null && reserves.endsMaker(maker)) continue;
    const lots = Math.min(shown, most);
    reserves.fill(maker, price, lots);
    budget -= BigInt(takerCost(venue, account, market, price, lots));
    lastPrice = price;
  }
  return lastPrice > 0 && budget < takerCost(venue, account, market, lastPrice, 1);
}
