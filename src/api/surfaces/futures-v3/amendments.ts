/** Converts a futures v3 amend to its changes, by amendType. Sizes are new totals. */
import type { Decimal } from '../../../venue/contract/decimal.ts';
import { type Amendment, changesOf, givesNothing } from '../../orders/order-requests.ts';
import { malformed } from '../../shared/errors.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import type { Call } from '../../shared/surface.ts';
import { NAMES } from './placements.ts';
import * as schemas from './schemas.ts';

const readType = reader(schemas.AMEND_KIND);
const readPrice = reader(schemas.AMEND_PRICE, { only: 'amendType PRICE' });
const readSize = reader(schemas.AMEND_SIZE, { only: 'amendType SIZE' });
const readTrigger = reader(schemas.AMEND_TRIGGER, { only: 'amendType TRIGGER_PRICE' });
const readAll = reader(schemas.AMEND_ALL, { only: 'amendType ALL' });

interface Request {
  readonly symbol: string;
  readonly orderId?: string;
  readonly clOrderId?: string | null;
  readonly orderPrice?: Decimal;
  readonly orderSize?: Decimal;
  readonly triggerPrice?: Decimal;
}

function read(call: Call): Request {
  const { body } = call;
  switch (readType(body).amendType) {
    case 'PRICE':
      return readPrice(body);
    case 'SIZE':
      return readSize(body);
    case 'TRIGGER_PRICE':
      return readTrigger(body);
    case 'ALL':
      return readAll(body);
  }
}

export function amendment(call: Call): Amendment {
  const request = read(call);
  const given = { price: request.orderPrice, size: request.orderSize, trigger: request.triggerPrice };
  if (givesNothing(given)) {
    throw malformed('orderPrice', 'is missing', 'give orderPrice, orderSize or triggerPrice, above 0');
  }
  const market = findMarket(call.venue, 'futures', request.symbol);
  const changes = changesOf(market, given, NAMES);
  const named = { id: request.orderId, clientId: request.clOrderId };
  return { market, named, changes, totalSize: true, fields: NAMES };
}
