/** The replies of spot v3.3. Their makers: records.ts. */
import { ALGO_DETAIL } from '../../algos/registry.ts';
import { ACTION_FIELDS, LOOKUP_FIELDS, OPEN_FIELDS } from '../../orders/legacy-replies.ts';
import * as reply from '../../orders/reply-fields.ts';
import { SIZES } from '../../orders/spot-replies.ts';
import { SPOT_FILL_V33 } from '../../trades/trade-replies.ts';

const NAME_AND_SIZE = {
  clOrderID: reply.orNull(reply.text()),
  ...SIZES,
  totalFilledBaseSize: reply.number(),
};

export const ORDER = reply.component('SpotOrderV33', {
  ...ACTION_FIELDS,
  ...NAME_AND_SIZE,
  stopPrice: reply.orNull(reply.number('Limit price after the trigger')),
  filledBaseSize: reply.number('Of the last fill'),
});

const LOOKUP = { ...LOOKUP_FIELDS, ...NAME_AND_SIZE, quote: reply.text() };
export const LOOKED_UP = reply.component('SpotLookupV33', LOOKUP);
export const OPEN_ORDER = reply.component('SpotOpenOrderV33', {
  ...LOOKUP,
  ...OPEN_FIELDS,
  requestId: reply.whole(),
  orderDetail: ALGO_DETAIL,
});

export const ORDERS = reply.list(ORDER);
export const OPEN_ORDERS = reply.list(OPEN_ORDER);
export const TRADES = reply.list(SPOT_FILL_V33);
export const FEES = reply.list(reply.FEE);
export const WALLET = reply.list(
  reply.component('SpotWallet', {
    currency: reply.text(),
    total: reply.number(),
    available: reply.number('Less what orders and positions hold'),
  }),
);
export const TIME = reply.component('Time', {
  iso: reply.text('ISO 8601'),
  epoch: reply.whole('Seconds'),
});
