/** PEG on spot v4: a limit order that follows the index and shows a part of itself at a time. */
import * as reply from '../orders/reply-fields.ts';
import { BASE_SIZE, COMMON, NAMES, price } from '../orders/spot-v4-requests.ts';
import { decimal, fields, optional, reader } from '../shared/fields.ts';
import { parts, priceTicks, sizeLots } from '../shared/tick-conversion.ts';
import { type AlgoRequest, algoType, beginAlgo } from './algo-request.ts';

const BODY = fields(
  {
    ...COMMON,
    ...algoType('PEG'),
    ...BASE_SIZE,
    orderPrice: price('Worst price of the pegged order'),
    stealth: decimal('Percent of the order that is shown at a time', { min: 1, max: 100 }),
    deviation: optional(decimal('Percent away from the index; default 0', { min: -10, max: 10 })),
  },
  { title: 'SpotPeg' },
);
const readBody = reader(BODY, { only: 'orderType PEG' });

export const peg: AlgoRequest = {
  algo: 'peg',
  orderType: 'PEG',
  bodies: [BODY],
  detail: reply.component('PegDetail', {
    displayedSize: reply.number(),
    waitingFor: reply.orNull(reply.choice(['index'])),
  }),

  read(call) {
    const request = readBody(call.body);
    const { market, common } = beginAlgo(call, request);
    const command = {
      ...common,
      kind: 'peg',
      price: priceTicks(market, 'orderPrice', request.orderPrice),
      size: sizeLots(market, 'orderSize', request.orderSize),
      stealth: parts('stealth', request.stealth),
      deviation: request.deviation === undefined ? 0 : parts('deviation', request.deviation),
    } as const;
    return { command, names: NAMES };
  },
};
