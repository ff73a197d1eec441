/**
 * All kinds of order, by the kind of their placement and by the name that an order stores.
 *
 * Invariant: a kind of placement without an algo does not compile, and an algo has the name of its kind.
 */

import type { Place } from '../contract/commands.ts';
import { registerBehaviours } from '../state/order-behaviour.ts';
import { attached } from './attached.ts';
import { conditional } from './conditional.ts';
import { limitOrder, marketOrder } from './limit-and-market.ts';
import { oco } from './oco.ts';
import { peg } from './peg.ts';
import { type Algo, NO_ALGO } from './shape.ts';
import { trailing } from './trailing.ts';
import { twap } from './twap.ts';

const BY_KIND: { readonly [K in Place['kind']]: Algo<Extract<Place, { kind: K }>> } = {
  limit: limitOrder,
  market: marketOrder,
  conditional,
  oco,
  trailing,
  peg,
  twap,
};

registerBehaviours({ ...BY_KIND, bracket: attached, none: NO_ALGO });

export function algoFor(place: Place): Algo<Place> {
  return BY_KIND[place.kind] as Algo<Place>;
}
