/**
 * The one shape of every kind of order, plain or algorithmic. The venue calls; an algo knows nothing of HTTP, of the log,
 * or of another algo. An order carries its algo and what the algo keeps of it (`Order.own`), so that the rest of the venue
 * knows no algo by name: a sixth is one file, one line in index.ts, and its placement in commands.ts. Only attached orders are
 * known by name, for any futures order may have them.
 */
import type { Place } from '../commands.ts';
import type { Desk, Observation } from '../desk.ts';
import type { Account } from '../ledger.ts';
import type { Market } from '../market.ts';
import type { Order } from '../orders.ts';
import type { Refusal } from '../reasons.ts';

export interface Algo<P extends Place = never> {
  /** What a saved order names it by. */
  readonly name: string;
  /** Orders that a placement makes; absent: one. */
  readonly legs?: number;
  /**
   * What can be amended: everything, or (it belongs to a group, whose orders depend on each other) the price of a waiting
   * trigger alone, which stays on its side of the reference; absent: nothing.
   */
  readonly amendable?: 'order' | 'sidedTrigger';
  /**
   * When it learns a price: before the triggers that the same price reaches (`onPrice`), or after them, all of a market as a
   * group (`leaves`, `enters`).
   */
  readonly follows?: 'beforeTriggers' | 'afterTriggers';
  /** Its trigger starts it, which comes last of all that a price reaches. */
  readonly startsLast?: boolean;
  /** Where its taker meets an order of its own account; absent: what protects goes on, the rest as the venue is configured. */
  readonly selfTrade?: 'cancelResting';
  /** Its taker stops before an order of the same algo and account, whatever the venue's configuration. */
  readonly stopsBeforeOwn?: boolean;

  /** Judges the placement; refused: nothing has changed. Accepted: the orders made, in the order of the reply. */
  readonly accept: (desk: Desk, place: P, account: Account, market: Market) => Refusal | Order[];
  /** The price that the order watches was reached; `seen` is the observation that reached it (null: it held at entry). */
  readonly onTrigger?: (desk: Desk, order: Order, seen: Observation | null) => void;
  /** A reference price that the order follows was seen at `fine`. */
  readonly onPrice?: (desk: Desk, order: Order, fine: number) => void;
  /** A price that it follows after the triggers moves it: it leaves the book, and enters once all have left; false: it stays. */
  readonly leaves?: (desk: Desk, order: Order) => boolean;
  readonly enters?: (desk: Desk, order: Order) => void;
  /** Its timer is due (expiry is the venue's). */
  readonly onTime?: (desk: Desk, order: Order) => void;
  /** It was filled, as maker or taker; called once the sweep is over. */
  readonly onFill?: (desk: Desk, order: Order) => void;
  /** It rests, only reduces, and was brought down to what its position allows. */
  readonly onReduced?: (desk: Desk, order: Order) => void;
  /** It waits, only reduces, and its position has `room` lots left for it. */
  readonly fit?: (desk: Desk, order: Order, room: number) => void;
  /** It has ended, for whatever reason. */
  readonly onEnd?: (desk: Desk, order: Order) => void;
  /** It was loaded from saved state, with its places in book, trigger book and timers: what else it had is set up here. */
  readonly onLoad?: (desk: Desk, order: Order) => void;
  /** An order of its own account takes it off the book; absent: that ends it. */
  readonly onSelfTrade?: (desk: Desk, order: Order) => void;

  /** What a spot order reserves now, smallest units of what it pays with; absent: what is left of it at its price. */
  readonly reserves?: (desk: Desk, order: Order, account: Account, market: Market) => bigint;
  /**
   * Lots that it shows next, once what it shows in the book is gone; absent: all that is left of it is in the book. What can be
   * amended, or only reduces, shows all: a smaller size is taken off what is shown.
   */
  readonly nextSlice?: (order: Order) => number;
  /** All that a cancel of it ends, itself included; absent: itself. */
  readonly group?: (desk: Desk, order: Order) => Order[];
}

const NOTHING_OF_ITS_OWN: { readonly [field in keyof Required<Algo>]: undefined } = {
  name: undefined,
  legs: undefined,
  amendable: undefined,
  follows: undefined,
  startsLast: undefined,
  selfTrade: undefined,
  stopsBeforeOwn: undefined,
  accept: undefined,
  onTrigger: undefined,
  onPrice: undefined,
  leaves: undefined,
  enters: undefined,
  onTime: undefined,
  onFill: undefined,
  onReduced: undefined,
  fit: undefined,
  onEnd: undefined,
  onLoad: undefined,
  onSelfTrade: undefined,
  reserves: undefined,
  nextSlice: undefined,
  group: undefined,
};

/** The algo with every field there: all algos are alike to the engine that runs them, and a fill asks one for several. */
export function shaped<P extends Place>(algo: Algo<P>): Algo<P> {
  return { ...NOTHING_OF_ITS_OWN, ...algo };
}

/** Of orders that the venue makes itself, and of an order that nobody has filled in yet. */
export const NO_ALGO: Algo = shaped({
  name: 'none',
  accept() {
    throw new Error('nobody places an order of no algo');
  },
});
