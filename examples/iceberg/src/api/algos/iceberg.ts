/** ICEBERG on spot v4: a limit order that shows a part of itself at a time. */
import * as reply from '../orders/reply-fields.ts';
import { BASE_SIZE, COMMON, NAMES, price, size } from '../orders/spot-v4-requests.ts';
import { fields, reader } from '../shared/fields.ts';
import { priceTicks, sizeLots } from '../shared/tick-conversion.ts';
import { type AlgoRequest, algoType, beginAlgo } from './algo-request.ts';

const BODY = fields(
  {
    ...COMMON,
    ...algoType('ICEBERG'),
    ...BASE_SIZE,
    orderPrice: price('Limit price'),
    displaySize: size('Base-currency quantity that is shown at a time'),
  },
  { title: 'SpotIceberg' },
);
const readBody = reader(BODY, { only: 'orderType ICEBERG' });

export const iceberg: AlgoRequest = {
  algo: 'iceberg',
  orderType: 'ICEBERG',
  bodies: [BODY],
  detail: reply.component('IcebergDetail', { displayedSize: reply.number('What is in the book now') }),

  read(call) {
    const request = readBody(call.body);
    const { market, common } = beginAlgo(call, request);
    const command = {
      ...common,
      kind: 'iceberg',
      price: priceTicks(market, 'orderPrice', request.orderPrice),
      size: sizeLots(market, 'orderSize', request.orderSize),
      displaySize: sizeLots(market, 'displaySize', request.displaySize),
    } as const;
    return { command, names: NAMES };
  },
};
