/**
 * What the rest of the venue may call on a kind of order. An order stores the name of its kind (`Order.algo`). The
 * algos register their behaviours here (algos/registry.ts), so state, risk and execution never import an algo.
 */

import type { AlgoName } from '../contract/commands.ts';
import type { Figures } from '../contract/events.ts';
import type { Money } from '../contract/money.ts';
import type { AlgoView } from '../contract/order-view.ts';
import type { Account } from './ledger.ts';
import type { Market } from './market.ts';
import type { Order } from './order.ts';
import * as record from './order-record.ts';
import { numberIn } from './order-record.ts';
import type { Observation, VenueState } from './venue-state.ts';

const { ALGOS } = record;

export interface OrderBehaviour {
  /** The name that orders of this kind store. */
  readonly name: AlgoName;
  /**
   * What can be amended. `order`: everything. `sidedTrigger`: only the price of a waiting trigger. It must stay on its
   * side of the reference, because other orders of the group depend on it. Absent: nothing.
   */
  readonly amendable?: 'order' | 'sidedTrigger';
  /** Its trigger starts it after everything else that the same price reaches. */
  readonly startsLast?: boolean;
  /**
   * What its taker does when it meets an order of its own account. Absent: an order that protects a position continues.
   * Others follow the venue's option.
   */
  readonly selfTrade?: 'cancelResting';
  /** Its taker stops before an order of the same kind and account, whatever the venue's option is. */
  readonly stopsBeforeOwn?: boolean;

  /**
   * The observation `seen` reached the price that the order watches. Null: the condition was true when the order
   * entered.
   */
  readonly onTrigger?: (venue: VenueState, order: Order, seen: Observation | null) => void;
  /** The reference price that the order follows, before the triggers, is now `fine`. */
  readonly onPrice?: (venue: VenueState, order: Order, fine: number) => void;
  /**
   * The price that it follows, after the triggers, has changed. True: it has left the book, and `enters` is called
   * after all others have left.
   */
  readonly leaves?: (venue: VenueState, order: Order) => boolean;
  readonly enters?: (venue: VenueState, order: Order) => void;
  /** Its timer is due. The venue itself handles expiry. */
  readonly onTime?: (venue: VenueState, order: Order) => void;
  /** It was filled, as maker or taker. Called once the sweep is over. */
  readonly onFill?: (venue: VenueState, order: Order) => void;
  /** A resting reduce-only order was reduced to its position. */
  readonly onReduced?: (venue: VenueState, order: Order) => void;
  /** For a waiting reduce-only order: its position has `room` lots left for it. */
  readonly fit?: (venue: VenueState, order: Order, room: number) => void;
  /** It has ended, for any reason. */
  readonly onEnd?: (venue: VenueState, order: Order) => void;
  /**
   * It was loaded from saved state and is back in the book, trigger book and timers. Sets up anything else that the
   * kind needs.
   */
  readonly onLoad?: (venue: VenueState, order: Order) => void;
  /** An order of its own account removes it from the book. Absent: it ends. */
  readonly onSelfTrade?: (venue: VenueState, order: Order) => void;

  /**
   * The reserve of a spot order once `taken` more lots are filled, in smallest units of the currency that it pays with.
   * Absent: its remaining lots at its price.
   */
  readonly reserves?: (venue: VenueState, order: Order, account: Account, market: Market, taken: number) => Money;
  /**
   * What the other orders of its group reserve if margin ends it once `taken` more lots are filled. Absent: nothing.
   */
  readonly reservesAfterMargin?: (
    venue: VenueState,
    order: Order,
    account: Account,
    market: Market,
    taken: number,
  ) => Money;
  /**
   * Lots of the next slice after the shown one is gone. Absent: all remaining lots are in the book. A kind that can be
   * amended or is reduce-only must show all its lots, because a smaller size is taken off the shown lots.
   */
  readonly nextSlice?: (order: Order) => number;
  /** All orders that a cancel of this one ends, including itself. Absent: only itself. */
  readonly group?: (venue: VenueState, order: Order) => Order[];
  /**
   * Describes the order to code outside the venue. It builds new values, so that no later change reaches them. Absent:
   * nothing to add.
   */
  readonly describe?: (venue: VenueState, order: Order) => AlgoView;
  /** What listeners hear when it has ended, beyond the ending. Absent: nothing. */
  readonly figures?: (order: Order) => Figures;
}

export type Behaviours = { readonly [name in AlgoName]: OrderBehaviour };

let behaviours: Behaviours;
/** By the number that an order stores. */
const byNumber: OrderBehaviour[] = [];

/** Called once, when algos/registry.ts is loaded. */
export function registerBehaviours(all: Behaviours): void {
  behaviours = all;
  for (const behaviour of Object.values(all)) byNumber[numberIn(ALGOS, behaviour.name)] = behaviour;
}

export function behaviourOf(order: Order): OrderBehaviour {
  return byNumber[order.algoNumber];
}

/** @throws {Error} no kind of order has that name */
export function algoNamed(name: string): AlgoName {
  if (!Object.hasOwn(behaviours, name)) throw new Error(`a saved order names the unknown algo ${name}`);
  return name as AlgoName;
}
