/** OCO on spot v4: a take-profit that rests and a stop that waits. */
import { referenceOf } from '../orders/order-records.ts';
import { BASE_SIZE, COMMON, price, priceKind, TIME_IN_FORCE } from '../orders/spot-v4-requests.ts';
import { OCO_NAMES, v4OcoTerms } from '../orders/v3-v4-requests.ts';
import { fields, flag, optional, reader } from '../shared/fields.ts';
import { sizeLots } from '../shared/tick-conversion.ts';
import { type AlgoRequest, algoType, beginAlgo } from './algo-request.ts';

const BODY = fields(
  {
    ...COMMON,
    ...algoType('OCO'),
    ...BASE_SIZE,
    takeProfitOrderPrice: price('Limit price of the take-profit leg'),
    stopLossOrderPrice: price('Limit price used after the stop-loss trigger fires'),
    stopLossTriggerPrice: price('Price that activates the stop-loss leg'),
    stopLossTriggerPriceType: priceKind('Price that the stop-loss trigger watches'),
    timeInForce: TIME_IN_FORCE,
    postOnly: optional(flag('The take-profit leg is rejected when it would match at once')),
  },
  { title: 'SpotOco' },
);
const readBody = reader(BODY, { only: 'orderType OCO' });

export const oco: AlgoRequest = {
  algo: 'oco',
  orderType: 'OCO',
  bodies: [BODY],

  read(call) {
    const request = readBody(call.body);
    const { market, common } = beginAlgo(call, request);
    const size = sizeLots(market, 'orderSize', request.orderSize);
    const terms = v4OcoTerms(market, request, referenceOf(request.stopLossTriggerPriceType));
    return { command: { ...common, ...terms, size, reduceOnly: false }, names: OCO_NAMES };
  },
};
