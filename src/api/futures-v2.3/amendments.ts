/** From a futures v2.3 amend to what it changes: one field by `value`, or several with type ALL. Sizes are new totals. */
import type { Decimal } from '../../venue/quantity.ts';
import { malformed } from '../errors.ts';
import type { Amendment, Changes } from '../requests-common.ts';
import type { Call } from '../surface.ts';
import { findMarket, priceTicks, reader, sizeLots } from '../values.ts';
import { NAMES } from './placements.ts';
import { AMEND_BODY } from './schemas.ts';

const readAmend = reader(AMEND_BODY, { anyCase: true });

/** type → the one change that `value` is. */
const CHANGE_OF = { PRICE: 'price', SIZE: 'size', TRIGGERPRICE: 'trigger' } as const;
const BY_VALUE = { ...NAMES, price: 'value', size: 'value', trigger: 'value' };
const BY_NAME = { ...NAMES, price: 'orderPrice', size: 'orderSize', trigger: 'triggerPrice' };

export function amendment(call: Call): Amendment {
  const request = readAmend(call.body);
  const { type, value, orderPrice, orderSize, triggerPrice } = request;
  const market = findMarket(call.venue, 'futures', request.symbol, true);
  const given: { readonly [K in keyof Changes]: Decimal | undefined } =
    type === 'ALL' ? { price: orderPrice, size: orderSize, trigger: triggerPrice } : { [CHANGE_OF[type]]: value };
  const fields = type === 'ALL' ? BY_NAME : BY_VALUE;
  const { price, size, trigger } = given;
  if (price === undefined && size === undefined && trigger === undefined) throw nothingGiven(type);
  const changes: Changes = {
    ...(price && { price: priceTicks(market, fields.price, price) }),
    ...(size && { size: sizeLots(market, fields.size, size) }),
    ...(trigger && { trigger: priceTicks(market, fields.trigger, trigger) }),
  };
  return { market, named: { id: request.orderID, clientId: request.clOrderID }, changes, totalSize: true, fields };
}

function nothingGiven(type: string) {
  if (type === 'ALL') {
    return malformed('orderPrice', 'is missing', 'type ALL requires orderPrice, orderSize or triggerPrice, above 0');
  }
  return malformed('value', 'is missing', `type ${type} requires value, a number above 0`);
}
