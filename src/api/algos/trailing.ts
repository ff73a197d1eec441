/** TRAILING on spot v4: a stop that follows the price at a distance, and fires a market order. */
import { referenceOf } from '../orders/order-records.ts';
import { TRAIL_TYPES, trail } from '../orders/order-requests.ts';
import * as reply from '../orders/reply-fields.ts';
import {
  ACTIVATION,
  activationOf,
  BASE_SIZE,
  BUY,
  COMMON,
  priceKind,
  QUOTE_SIZE,
  readSide,
  SELL,
  sized,
} from '../orders/spot-v4-requests.ts';
import { choice, decimal, fields, optional, reader } from '../shared/fields.ts';
import { ALGO_NAMES, type AlgoRequest, algoType, beginAlgo } from './algo-request.ts';

const TRAIL = {
  trailValue: decimal('Distance between the extreme price and the trigger', { above: 0 }),
  trailValueType: choice(TRAIL_TYPES, 'DISTANCE (absolute) or PERCENTAGE (below 100)'),
  triggerPriceType: optional(priceKind('Price that moves the trigger; default LAST_PRICE')),
};
const BUY_BODY = fields(
  { ...COMMON, ...BUY, ...algoType('TRAILING'), ...TRAIL, ...QUOTE_SIZE, ...ACTIVATION },
  { title: 'SpotTrailingBuy' },
);
const SELL_BODY = fields(
  { ...COMMON, ...SELL, ...algoType('TRAILING'), ...TRAIL, ...BASE_SIZE, ...ACTIVATION },
  { title: 'SpotTrailingSell' },
);
const readBuy = reader(BUY_BODY, { only: 'orderType TRAILING, orderSide BUY' });
const readSell = reader(SELL_BODY, { only: 'orderType TRAILING, orderSide SELL' });

export const trailing: AlgoRequest = {
  algo: 'trailing',
  orderType: 'TRAILING',
  bodies: [BUY_BODY, SELL_BODY],
  detail: reply.component('TrailingDetail', {
    armed: reply.flag(),
    extreme: reply.orNull(reply.number('The best price since it was armed')),
  }),

  read(call) {
    const { body } = call;
    const request = readSide(body).orderSide === 'BUY' ? readBuy(body) : readSell(body);
    const { market, common } = beginAlgo(call, request);
    const { triggerPriceType = 'LAST_PRICE' } = request;
    const command = {
      ...common,
      kind: 'trailing',
      ...trail(market, request.trailValue, request.trailValueType),
      reference: referenceOf(triggerPriceType),
      ...sized(call, market, request),
      ...activationOf(market, request, triggerPriceType),
      reduceOnly: false,
    } as const;
    return { command, names: ALGO_NAMES };
  },
};
