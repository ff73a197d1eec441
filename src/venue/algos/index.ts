/**
 * Which code an order belongs to: by the kind of its placement, or by the name that a saved order has.
 *
 * Invariant: a kind of placement without an algo does not compile. A name is part of saved state: one that was given is
 * neither changed nor given again. Cost: one look-up a placement; an order then carries its algo.
 */
import type { Place } from '../commands.ts';
import { bracket } from './bracket.ts';
import { conditional } from './conditional.ts';
import { oco } from './oco.ts';
import { peg } from './peg.ts';
import { limitOrder, marketOrder } from './plain.ts';
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

const BY_NAME = new Map([...Object.values(BY_KIND), bracket, NO_ALGO].map((algo) => [algo.name, algo]));

export function algoFor(place: Place): Algo<Place> {
  return BY_KIND[place.kind] as Algo<Place>;
}

/** The algo that a saved order names. */
export function algoNamed(name: string): Algo {
  const algo = BY_NAME.get(name);
  if (algo === undefined) throw new Error(`a saved order names the unknown algo ${name}`);
  return algo;
}
