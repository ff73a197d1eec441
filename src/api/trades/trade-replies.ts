/**
 * The schemas of a row in the account's trade history, for each surface. A row is one fill. trade-history.ts builds the
 * rows, and tests check each reply against these schemas.
 */
import * as reply from '../orders/reply-fields.ts';

const COMMON = {
  tradeId: reply.text('The same for both sides of a trade'),
  orderId: reply.orderId,
  symbol: reply.symbol,
  base: reply.text(),
  quote: reply.text(),
  price: reply.number('Price of this trade'),
  size: reply.number('Size of the whole order, or its amount of money if it was placed so'),
  filledPrice: reply.number('The same as price'),
  filledSize: reply.number('Size of this trade'),
  avgFilledPrice: reply.number('The same as price'),
  triggerPrice: reply.number('0: no trigger'),
  maker: reply.flag('true: this order was waiting in the book; false: it came in and matched'),
  feeCurrency: reply.text(),
  feeAmount: reply.number('Negative: a rebate, which the account received'),
  serialId: reply.whole('Number of the trade in its market'),
  timestamp: reply.timestampMs,
  wallet: reply.text('SPOT@, CROSS@, or ISOLATED@ and a market'),
  realizedPnl: reply.number('0 on spot'),
  total: reply.number('Realised result less fee; 0 on spot'),
};

/** Spot v3.3 and futures v2.3. */
const LEGACY = { ...COMMON, username: reply.text('Name of the account'), side: reply.side, orderType: reply.typeCode };
/** Spot v4 and futures v3. */
const NEWER = { ...COMMON, orderSide: reply.side };

const spotTrigger = reply.whole(reply.triggerCode);
const futuresTrigger = reply.orNull(reply.whole('1001 stop, 1002 profit, null no trigger'));
const spotClientId = reply.orNull(reply.text());
const futuresClientId = reply.text('Empty: none');

const FUTURES = {
  orderDetailType: reply.detailType,
  contractSize: reply.number(),
  positionId: reply.text(),
  triggerType: futuresTrigger,
};

export const SPOT_FILL_V33 = reply.component('SpotFillV33', {
  ...LEGACY,
  clOrderID: spotClientId,
  triggerType: spotTrigger,
});
export const FUTURES_FILL_V23 = reply.component('FuturesFillV23', {
  ...LEGACY,
  ...FUTURES,
  clOrderID: futuresClientId,
});
export const SPOT_FILL = reply.component('SpotFill', {
  ...NEWER,
  clOrderId: spotClientId,
  orderType: reply.typeCode,
  triggerType: spotTrigger,
});
export const FUTURES_FILL = reply.component('FuturesFill', {
  ...NEWER,
  ...FUTURES,
  clOrderId: futuresClientId,
  type: reply.typeCode,
});
