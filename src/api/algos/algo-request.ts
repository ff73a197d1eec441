/** An algo at the edge: how spot v4 places it, and what is shown of it. Each file in this room exports one. */
import type { TObject } from 'typebox';
import type { Place } from '../../venue/contract/commands.ts';
import type { Placement } from '../orders/order-requests.ts';
import { begin, NAMES } from '../orders/spot-v4-requests.ts';
import { constant } from '../shared/fields.ts';
import type { Call } from '../shared/surface.ts';

export interface AlgoRequest {
  /** The kind of the command, and so of its orders. */
  readonly algo: Place['kind'];
  /** The value of `orderType`, and in lower case of `bourse order --type`. */
  readonly orderType: string;
  /** The variants of the body, for the documents. */
  readonly bodies: readonly TObject[];
  /** Converts a body to the command. It checks nothing that the venue checks. */
  readonly read: (call: Call) => Placement;
  /** The schema of `orderDetail`: fields of `AlgoView.progress`, by their names. Absent: nothing is shown. */
  readonly detail?: TObject;
}

export const algoType = <const T extends string>(type: T) => ({ orderType: constant(type, 'Kind of algo order') });

/** Like `begin`, for the algo route. */
export function beginAlgo(call: Call, request: Parameters<typeof begin>[2]) {
  return begin(call, 'spot v4 algo', request);
}

export const ALGO_NAMES = {
  ...NAMES,
  activation: 'activationTriggerPrice',
  maxChildSize: 'subTwapMaxOrderSize',
};
