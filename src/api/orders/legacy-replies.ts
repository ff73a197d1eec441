/** Reply schemas that spot v3.3 and futures v2.3 share. legacy-records.ts creates the records. */

import { TIMES_IN_FORCE } from '../../venue/contract/commands.ts';
import * as reply from './reply-fields.ts';

/** Fields of placements, amends and cancels. */
export const ACTION_FIELDS = {
  symbol: reply.symbol,
  orderID: reply.orderId,
  side: reply.side,
  price: reply.number('Limit price; of a futures MARKET the average of its fills'),
  orderType: reply.typeCode,
  status: reply.statusCode,
  time_in_force: reply.choice(TIMES_IN_FORCE),
  timestamp: reply.whole('Last change, epoch ms'),
  trigger: reply.flag(),
  triggerPrice: reply.number('0: no trigger'),
  avgFilledPrice: reply.number('0: no fill'),
  message: reply.text('Why it ended; else empty'),
  stealth: reply.sometimes(reply.number('PEG only: percent shown')),
  deviation: reply.sometimes(reply.number('PEG only: percent away from the index')),
  postOnly: reply.flag(),
  orderDetailType: reply.detailType,
};

/** Fields of look-ups and of open orders. */
export const LOOKUP_FIELDS = {
  symbol: reply.symbol,
  orderID: reply.orderId,
  side: reply.side,
  price: reply.number(),
  orderType: reply.typeCode,
  orderValue: reply.number('In quote currency'),
  pegPriceMin: reply.number('0: none'),
  pegPriceMax: reply.number('0: none'),
  pegPriceDeviation: reply.number('A fraction'),
  stealth: reply.sometimes(reply.number('PEG only: fraction shown')),
  timestamp: reply.whole('Creation, epoch ms'),
  triggerOrder: reply.flag(),
  triggered: reply.flag(),
  triggerPrice: reply.number('0: no trigger'),
  triggerOriginalPrice: reply.number(),
  triggerOrderType: reply.whole(reply.triggerCode),
  triggerTrailingStopDeviation: reply.number('A fraction'),
  triggerStopPrice: reply.number('Limit price after the trigger'),
  triggerUseLastPrice: reply.flag(),
  trailValue: reply.number('0: no trailing stop'),
  postOnly: reply.flag(),
  status: reply.statusCode,
  avgFilledPrice: reply.number('0: no fill'),
  timeInForce: reply.choice(TIMES_IN_FORCE),
};

/** Additional fields of open orders. */
export const OPEN_FIELDS = {
  vendorName: reply.orNull(reply.text()),
  botID: reply.orNull(reply.text()),
  orderState: reply.choice(['STATUS_ACTIVE']),
  cancelDuration: reply.whole('Validity in ms; 0: GTC, -1: IOC and FOK'),
  orderDetailType: reply.detailType,
};
