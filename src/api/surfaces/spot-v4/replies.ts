/** The replies of spot v4. Their makers: records.ts. */
import { TIMES_IN_FORCE } from '../../../venue/contract/commands.ts';
import { ALGO_DETAIL } from '../../algos/registry.ts';
import { PRICE_TYPES } from '../../orders/order-records.ts';
import { TRAIL_TYPES } from '../../orders/order-requests.ts';
import * as reply from '../../orders/reply-fields.ts';
import { SIZES } from '../../orders/spot-replies.ts';
import { SPOT_FILL } from '../../trades/trade-replies.ts';

const price = reply.orNull(reply.number());
const timeInForce = reply.orNull(reply.choice(TIMES_IN_FORCE));

/** Placements, amends and cancels. */
export const ORDER = reply.component('SpotOrder', {
  orderId: reply.orderId,
  clOrderId: reply.text('Empty: none'),
  status: reply.statusCode,
  market: reply.symbol,
  type: reply.typeCode,
  orderSide: reply.side,
  orderPrice: reply.number('0: a market order'),
  postOnly: reply.flag(),
  timestamp: reply.whole('Last change, epoch ms'),
  orderDetailType: reply.detailType,
  message: reply.orNull(reply.text('Why it ended')),
  userQuoteCurrency: reply.text(),
  ...SIZES,
  filledBaseSize: reply.number('Of the last fill'),
  totalFilledBaseSize: reply.number(),
  avgFilledPrice: reply.number('0: no fill'),
  time_in_force: timeInForce,
});

/** The look-up and the open orders. */
export const OPEN_ORDER = reply.component('SpotOpenOrder', {
  requestId: reply.whole(),
  orderId: reply.orderId,
  clOrderId: reply.orNull(reply.text()),
  symbol: reply.symbol,
  quote: reply.text(),
  orderState: reply.choice(['STATUS_ACTIVE', 'TRIGGER_INSERTED', 'ORDER_INSERTED', 'ORDER_PARTIALLY_TRANSACTED']),
  orderType: reply.typeCode,
  orderSide: reply.side,
  orderPrice: reply.number(),
  orderValue: reply.number('In quote currency'),
  timestamp: reply.whole('Creation, epoch ms'),
  timeInForce,
  ...SIZES,
  totalFilledBaseSize: reply.number(),
  avgFilledPrice: reply.number('0: no fill'),
  orderDetailType: reply.detailType,
  orderDetail: ALGO_DETAIL,
  triggerOrder: reply.flag(),
  triggered: reply.flag(),
  triggerUseLastPrice: reply.flag(),
  triggerPrice: price,
  triggerOriginalPrice: price,
  triggerOrderType: reply.whole(reply.triggerCode),
  triggerStopPrice: reply.orNull(reply.number('Limit price after the trigger')),
  triggerTrailingStopDeviation: reply.orNull(reply.number('A fraction')),
  trailValue: reply.orNull(reply.number()),
  trailValueType: reply.orNull(reply.choice(TRAIL_TYPES)),
  pegPriceMin: price,
  pegPriceMax: price,
  pegPriceDeviation: reply.orNull(reply.number('A fraction')),
  currentPegPrice: price,
  wrapperOrder: reply.flag('A leg of an OCO'),
  activationPrice: price,
  activationPriceType: reply.orNull(reply.choice(PRICE_TYPES)),
});

export const ORDERS = reply.list(ORDER);
export const OPEN_ORDERS = reply.list(OPEN_ORDER);
export const TRADES = reply.enveloped(reply.list(SPOT_FILL));
export const FEES = reply.list(reply.FEE);
