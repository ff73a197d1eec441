/** TWAP on spot v4: a total that trades in parts over a period. */
import * as reply from '../orders/reply-fields.ts';
import { ACTIVATION, activationOf, COMMON, price, size } from '../orders/spot-v4-requests.ts';
import { decimal, fields, flag, optional, reader } from '../shared/fields.ts';
import { parts, priceTicks, sizeLots } from '../shared/tick-conversion.ts';
import { ALGO_NAMES, type AlgoRequest, algoType, beginAlgo } from './algo-request.ts';

const BODY = fields(
  {
    ...COMMON,
    ...algoType('TWAP'),
    orderSize: size('Total base-currency quantity'),
    timePeriod: decimal('Execution window in seconds', { min: 60, max: 86_400, whole: true }),
    makerFirst: optional(flag('Children are first placed post-only, then fall back to taker')),
    randomizeSize: optional(flag('Child sizes are randomised')),
    subTwapMaxOrderSize: optional(size('Largest size of a child, base currency')),
    maxSpread: optional(decimal('Pauses while spread / mid is above this fraction', { min: 0, max: 1 })),
    maxDistanceThroughBook: optional(
      decimal('Fraction of the best opposite price that a child may go beyond; negative: off (default)', { max: 1 }),
    ),
    pausePrice: optional(price('Pauses while the last price is beyond it')),
    ...ACTIVATION,
  },
  { title: 'SpotTwap' },
);
const readBody = reader(BODY, { only: 'orderType TWAP' });

export const twap: AlgoRequest = {
  algo: 'twap',
  orderType: 'TWAP',
  bodies: [BODY],
  detail: reply.component('TwapDetail', {
    children: reply.whole('How many there will be'),
    childrenDone: reply.whole(),
    nextChildAt: reply.orNull(reply.whole('Epoch ms')),
    pausedBy: reply.orNull(reply.text('Why the last child was skipped')),
  }),

  read(call) {
    const request = readBody(call.body);
    const { market, common } = beginAlgo(call, request);
    const { subTwapMaxOrderSize, maxSpread, maxDistanceThroughBook, pausePrice } = request;
    const throughBook = maxDistanceThroughBook !== undefined && maxDistanceThroughBook.coefficient >= 0n;
    const command = {
      ...common,
      kind: 'twap',
      size: sizeLots(market, 'orderSize', request.orderSize),
      periodMs: Number(request.timePeriod.coefficient) * 1000,
      makerFirst: request.makerFirst ?? false,
      randomizeSize: request.randomizeSize ?? false,
      maxChildSize:
        subTwapMaxOrderSize === undefined ? null : sizeLots(market, 'subTwapMaxOrderSize', subTwapMaxOrderSize),
      maxSpread: maxSpread === undefined ? null : parts('maxSpread', maxSpread),
      maxThroughBook: throughBook ? parts('maxDistanceThroughBook', maxDistanceThroughBook) : null,
      pausePrice: pausePrice === undefined ? null : priceTicks(market, 'pausePrice', pausePrice),
      ...activationOf(market, request, 'LAST_PRICE'),
    } as const;
    return { command, names: ALGO_NAMES };
  },
};
