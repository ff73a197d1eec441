/**
 * The algos that clients place on spot. Spot v4 reads placements with this list, and both spot surfaces show
 * `orderDetail` with it. The documents and the command line list the types in this order.
 */
import Type, { type TObject } from 'typebox';
import type { Placement } from '../orders/order-requests.ts';
import { choice, fields, reader } from '../shared/fields.ts';
import type { Call } from '../shared/surface.ts';
import type { AlgoRequest } from './algo-request.ts';
import { conditional } from './conditional.ts';
import { oco } from './oco.ts';
import { peg } from './peg.ts';
import { trailing } from './trailing.ts';
import { twap } from './twap.ts';

export const ALGOS: readonly AlgoRequest[] = [twap, peg, oco, trailing, conditional];

/** The values of `orderType` on the algo route. */
export const ALGO_TYPES: readonly string[] = ALGOS.map(({ orderType }) => orderType);

const PLAIN_ROUTE = 'it is placed at POST /spot/api/v4/trade/orders';
const readType = reader(fields({ orderType: choice(ALGO_TYPES, 'Kind of algo order') }), {
  elsewhere: { LIMIT: PLAIN_ROUTE, MARKET: PLAIN_ROUTE },
});
const BY_TYPE = new Map(ALGOS.map((algo) => [algo.orderType, algo]));

/** A placement of the algo route, by its orderType. */
export function algoPlacement(call: Call): Placement {
  // `readType` accepts only types of this list, so the map has an entry.
  return (BY_TYPE.get(readType(call.body).orderType) as AlgoRequest).read(call);
}

const titleOf = (schema: TObject) => (schema as { title?: string }).title ?? '';

/** The bodies of the algo route, sorted by title, for the documents. */
export const ALGO_BODY = Type.Union(
  ALGOS.flatMap(({ bodies }) => bodies).sort((a, b) => titleOf(a).localeCompare(titleOf(b), 'en')),
);

/** The forms of `orderDetail`, for the documents. */
export const ALGO_DETAIL = Type.Union([
  ...ALGOS.flatMap(({ detail }) => (detail === undefined ? [] : [detail])),
  Type.Null(),
]);
