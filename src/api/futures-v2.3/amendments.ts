/** From a futures v2.3 amend to what it changes: one field by `value`, or several with type ALL. Sizes are new totals. */
import { malformed } from '../errors.ts';
import { reader } from '../fields.ts';
import { findMarket } from '../markets.ts';
import { type Amendment, changesOf, type Given, givesNothing } from '../requests-common.ts';
import type { Call } from '../surface.ts';
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
  const given: Given =
    type === 'ALL' ? { price: orderPrice, size: orderSize, trigger: triggerPrice } : { [CHANGE_OF[type]]: value };
  if (givesNothing(given)) throw nothingGiven(type);
  const fields = type === 'ALL' ? BY_NAME : BY_VALUE;
  const changes = changesOf(market, given, fields);
  return { market, named: { id: request.orderID, clientId: request.clOrderID }, changes, totalSize: true, fields };
}

function nothingGiven(type: string) {
  if (type === 'ALL') {
    return malformed('orderPrice', 'is missing', 'type ALL requires orderPrice, orderSize or triggerPrice, above 0');
  }
  return malformed('value', 'is missing', `type ${type} requires value, a number above 0`);
}
