/** The replies of futures v3. Their makers: records.ts. positionDirection is null in ONE_WAY mode. */

import { TIMES_IN_FORCE } from '../../../venue/contract/commands.ts';
import { POSITION_FIELDS, POSITION_OF_ORDER, SIZES } from '../../orders/futures-replies.ts';
import { PRICE_TYPES } from '../../orders/order-records.ts';
import { TRAIL_TYPES } from '../../orders/order-requests.ts';
import * as reply from '../../orders/reply-fields.ts';
import { FUTURES_FILL } from '../../trades/trade-replies.ts';

const clOrderId = reply.text('Empty: none');
const timeInForce = reply.choice(TIMES_IN_FORCE);
const positionDirection = reply.orNull(reply.direction);

/** Fields that plain and algo replies share. */
const OUTCOME = {
  status: reply.statusCode,
  symbol: reply.symbol,
  postOnly: reply.flag(),
  reduceOnly: reply.flag(),
  orderSide: reply.side,
  orderId: reply.orderId,
  timestamp: reply.whole('Last change, epoch ms'),
  avgFilledPrice: reply.number('0: no fill'),
  message: reply.text('Why it ended; else empty'),
  ...SIZES,
  filledSize: reply.number('By this request'),
  timeInForce,
  ...POSITION_OF_ORDER,
  positionDirection,
};

export const PLACEMENT = reply.component('FuturesPlacement', {
  type: reply.whole('0'),
  clOrderID: clOrderId,
  price: reply.number('Limit price; of a MARKET the average of its fills'),
  ...OUTCOME,
});

/** Algo placements, amends, cancels and closes. */
export const ORDER = reply.component('FuturesOrder', {
  type: reply.whole('Of an amend or a cancel: 76 LIMIT, 77 MARKET, 80 PEG; of a placement 0'),
  clOrderId,
  orderPrice: reply.number('Limit price; of a MARKET the average of its fills'),
  orderSize: reply.number('Contracts'),
  triggerOrder: reply.flag(),
  triggerPrice: reply.number('0: no trigger'),
  ...OUTCOME,
});

export const OPEN_ORDER = reply.component('FuturesOpenOrder', {
  symbol: reply.symbol,
  orderId: reply.orderId,
  clOrderId,
  orderType: reply.typeCode,
  orderSide: reply.side,
  orderPrice: reply.number(),
  orderValue: reply.number('In settlement currency'),
  orderState: reply.choice(
    [
      'STATUS_ACTIVE',
      'TRIGGER_INSERTED',
      'ORDER_INSERTED',
      'ORDER_PARTIALLY_TRANSACTED',
      'ORDER_FULLY_TRANSACTED',
      'ORDER_CANCELLED',
      'ORDER_REJECTED',
    ],
    'STATUS_ACTIVE while it lives, else how it ended',
  ),
  timestamp: reply.whole('Creation, epoch ms'),
  timeInForce,
  ...SIZES,
  avgFilledPrice: reply.number('0: no fill'),
  postOnly: reply.flag(),
  reduceOnly: reply.flag(),
  triggerOrder: reply.flag(),
  triggered: reply.flag(),
  triggerPrice: reply.number('0: no trigger'),
  triggerOriginalPrice: reply.number(),
  triggerType: reply.orNull(reply.choice(PRICE_TYPES)),
  triggerUseLastPrice: reply.flag(),
  triggerOrderType: reply.whole(reply.triggerCode),
  triggerStopPrice: reply.number('Limit price after the trigger'),
  triggerTrailingStopDeviation: reply.number('A fraction'),
  trailValue: reply.number('0: no trailing stop'),
  trailValueType: reply.orNull(reply.choice(TRAIL_TYPES)),
  orderDetailType: reply.detailType,
  takeProfitOrder: reply.orNull(reply.ATTACHED),
  stopLossOrder: reply.orNull(reply.ATTACHED),
  closeOrder: reply.flag('It is attached to a position'),
  contractSize: reply.number(),
  ...POSITION_OF_ORDER,
  positionDirection,
});

export const ORDERS = reply.list(ORDER);
export const OPEN_ORDERS = reply.list(OPEN_ORDER);
export const TRADES = reply.list(FUTURES_FILL);
export const POSITIONS = reply.list(reply.component('Position', { ...POSITION_FIELDS, positionDirection }));
