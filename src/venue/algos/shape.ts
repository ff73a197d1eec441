/**
 * The one shape of every kind of order, plain or algorithmic. The venue calls; an algo knows nothing of HTTP, of the log,
 * or of another algo. An order names its algo and carries what the algo keeps of it (`Order.own`), so that the rest of the venue
 * knows no algo by name: a sixth is one file, one line in the registry, and its placement in commands.ts. Only attached orders are
 * known by name, for any futures order may have them.
 */

import type { Place } from '../contract/commands.ts';
import type { Refusal } from '../contract/reasons.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { OrderBehaviour } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';

export interface Algo<P extends Place = never> extends OrderBehaviour {
  /** Orders that a placement makes; absent: one. */
  readonly legs?: number;
  /** Judges the placement; refused: nothing has changed. Accepted: the orders made, in the order of the reply. */
  readonly accept: (venue: VenueState, place: P, account: Account, market: Market) => Refusal | Order[];
}

const NOTHING_OF_ITS_OWN: { readonly [field in keyof Required<Algo>]: undefined } = {
  name: undefined,
  legs: undefined,
  amendable: undefined,
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
