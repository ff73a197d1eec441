/** What one algo is at the edge: how spot v4 places it, and what is shown of it. Each file of this room has one. */
import type { TObject } from 'typebox';
import type { Place } from '../../venue/contract/commands.ts';
import type { Placement } from '../orders/order-requests.ts';
import { begin, NAMES } from '../orders/spot-v4-requests.ts';
import { constant } from '../shared/fields.ts';
import type { Call } from '../shared/surface.ts';

export interface AlgoRequest {
  /** The kind of the command that a request becomes, and so of the orders that it makes. */
  readonly algo: Place['kind'];
  /** What `orderType` says, and `bourse order --type` in small letters. */
  readonly orderType: string;
  /** The variants of the body, for the documents. */
  readonly bodies: readonly TObject[];
  /** From a body to the command. It converts; what the venue checks is not checked here. */
  readonly read: (call: Call) => Placement;
  /** What `orderDetail` shows: fields of `AlgoView.progress`, by their names. Absent: nothing. */
  readonly detail?: TObject;
}

export const algoType = <const T extends string>(type: T) => ({ orderType: constant(type, 'Kind of algo order') });

/** As `begin`, for the algo route. */
export function beginAlgo(call: Call, request: Parameters<typeof begin>[2]) {
  return begin(call, 'spot v4 algo', request);
}

export const ALGO_NAMES = {
  ...NAMES,
  activation: 'activationTriggerPrice',
  maxChildSize: 'subTwapMaxOrderSize',
};
