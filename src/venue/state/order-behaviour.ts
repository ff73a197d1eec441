/**
 * What the rest of the venue asks of the kind of an order. An order names its kind as data (`Order.algo`). The algos put their
 * behaviours into the table (algos/registry.ts), so that no room below them knows one by name.
 */

import type { AlgoName } from '../contract/commands.ts';
import type { Account } from './ledger.ts';
import type { Market } from './market.ts';
import type { Order } from './order.ts';
import type { Observation, VenueState } from './venue-state.ts';

export interface OrderBehaviour {
  /** What an order names it by. */
  readonly name: AlgoName;
  /**
   * What can be amended: everything, or (it belongs to a group, whose orders depend on each other) the price of a waiting
   * trigger alone, which stays on its side of the reference; absent: nothing.
   */
  readonly amendable?: 'order' | 'sidedTrigger';
  /** Its trigger starts it, which comes last of all that a price reaches. */
  readonly startsLast?: boolean;
  /** Where its taker meets an order of its own account; absent: what protects goes on, the rest as the venue is configured. */
  readonly selfTrade?: 'cancelResting';
  /** Its taker stops before an order of the same algo and account, whatever the venue's configuration. */
  readonly stopsBeforeOwn?: boolean;

  /** The price that the order watches was reached; `seen` is the observation that reached it (null: it held at entry). */
  readonly onTrigger?: (venue: VenueState, order: Order, seen: Observation | null) => void;
  /** A reference price that the order follows ahead of the triggers was seen at `fine`. */
  readonly onPrice?: (venue: VenueState, order: Order, fine: number) => void;
  /** A price that it follows after the triggers moves it: it leaves the book, and enters once all have left; false: it stays. */
  readonly leaves?: (venue: VenueState, order: Order) => boolean;
  readonly enters?: (venue: VenueState, order: Order) => void;
  /** Its timer is due (expiry is the venue's). */
  readonly onTime?: (venue: VenueState, order: Order) => void;
  /** It was filled, as maker or taker; called once the sweep is over. */
  readonly onFill?: (venue: VenueState, order: Order) => void;
  /** It rests, only reduces, and was brought down to what its position allows. */
  readonly onReduced?: (venue: VenueState, order: Order) => void;
  /** It waits, only reduces, and its position has `room` lots left for it. */
  readonly fit?: (venue: VenueState, order: Order, room: number) => void;
  /** It has ended, for whatever reason. */
  readonly onEnd?: (venue: VenueState, order: Order) => void;
  /** It was loaded from saved state, with its places in book, trigger book and timers: what else it had is set up here. */
  readonly onLoad?: (venue: VenueState, order: Order) => void;
  /** An order of its own account takes it off the book; absent: that ends it. */
  readonly onSelfTrade?: (venue: VenueState, order: Order) => void;

  /** What a spot order reserves now, smallest units of what it pays with; absent: what is left of it at its price. */
  readonly reserves?: (venue: VenueState, order: Order, account: Account, market: Market) => bigint;
  /**
   * Lots that it shows next, once what it shows in the book is gone; absent: all that is left of it is in the book. What can be
   * amended, or only reduces, shows all: a smaller size is taken off what is shown.
   */
  readonly nextSlice?: (order: Order) => number;
  /** All that a cancel of it ends, itself included; absent: itself. */
  readonly group?: (venue: VenueState, order: Order) => Order[];
}

export type Behaviours = { readonly [name in AlgoName]: OrderBehaviour };

let behaviours: Behaviours;

/** Called once, by the registry of the algos as it is loaded. */
export function registerBehaviours(all: Behaviours): void {
  behaviours = all;
}

export function behaviourOf(order: Order): OrderBehaviour {
  return behaviours[order.algo];
}

/** @throws for a name that no kind of order has */
export function algoNamed(name: string): AlgoName {
  if (!Object.hasOwn(behaviours, name)) throw new Error(`a saved order names the unknown algo ${name}`);
  return name as AlgoName;
}
