/**
 * Converts a spot v3.3 create-order request to the venue's command. The kind of order follows from type, txType and
 * trailValue, as on futures v2.3. Two things differ: `price` is what a MARKET BUY spends, and a plain MARKET BUY may be
 * sized in base instead.
 */
import type { Place, Reference } from '../../../venue/contract/commands.ts';
import type { MarketView } from '../../../venue/views.ts';
import {
  conditionalTerms,
  legacyLimitTerms,
  legacyOcoTerms,
  refuseMarketFields,
  required,
  trailingTerms,
} from '../../orders/legacy-requests.ts';
import { placeBase, refuse, refusePostOnly } from '../../orders/order-requests.ts';
import { malformed } from '../../shared/errors.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import type { Call } from '../../shared/surface.ts';
import { parts, priceTicks, quoteUnits, sizeLots } from '../../shared/tick-conversion.ts';
import { CREATE_BODY, KIND, PEG_BODY, TYPES } from './schemas.ts';

const ANY_CASE = { anyCase: true };
const readKind = reader(KIND, ANY_CASE);
const readCreate = reader(CREATE_BODY, ANY_CASE);
const readPeg = reader(PEG_BODY, ANY_CASE);
type Create = ReturnType<typeof readCreate>;

/** POST /order and /order/peg. They differ in the meaning of a request without a type. */
export function placement(call: Call, defaultType: 'PEG' | null): Place {
  const type = readKind(call.body).type ?? defaultType;
  if (type === null) throw malformed('type', 'is missing', `give one of ${TYPES.join(', ')}`);
  return type === 'PEG' ? pegPlacement(call) : otherPlacement(call);
}

function otherPlacement(call: Call): Place {
  const request = readCreate(call.body);
  refusePostOnly(request.postOnly, request.time_in_force, 'time_in_force');
  const market = findMarket(call.venue, 'spot', request.symbol);
  const { side, clOrderID: clientId, trailValue, txType = 'LIMIT' } = request;
  const common = {
    ...placeBase(call, market, 'spot v3.3 place', { side, clientId, request }),
    reduceOnly: false,
  } as const;
  const reference: Reference = request.triggerPriceType === 'LAST_PRICE' ? 'last' : 'index';
  if (request.type === 'OCO') {
    return { ...common, ...legacyOcoTerms(market, request, reference), size: lots(market, request, 'type OCO') };
  }
  if (request.type === 'LIMIT') {
    const size = lots(market, request, 'type LIMIT');
    if (trailValue !== undefined)
      return { ...common, ...trailingTerms(market, request, trailValue, reference), size, quote: null };
    if (txType === 'LIMIT') return { ...common, ...legacyLimitTerms(market, request), size };
    return { ...common, ...conditionalTerms(market, request, txType, reference), size, quote: null };
  }
  const plain = trailValue === undefined && txType === 'LIMIT';
  const sized = marketSize(call, market, request, plain);
  // `price` was the amount to spend. From here on it would be a limit price.
  const rest = side === 'BUY' ? { ...request, price: undefined } : request;
  if (trailValue !== undefined) return { ...common, ...trailingTerms(market, rest, trailValue, reference), ...sized };
  if (txType !== 'LIMIT') return { ...common, ...conditionalTerms(market, rest, txType, reference), ...sized };
  refuseMarketFields(rest);
  return { ...common, kind: 'market', ...sized, timeInForce: request.time_in_force ?? null };
}

function lots(market: MarketView, { size }: Create, by: string): number {
  return sizeLots(market, 'size', required(size, 'size', by));
}

/**
 * A SELL is sized in base. A BUY is sized by what it spends, but a `plain` one with a size and no price is sized in
 * base.
 */
function marketSize(call: Call, market: MarketView, request: Create, plain: boolean) {
  const { side, size, price } = request;
  if (side === 'SELL') return { size: lots(market, request, 'type MARKET'), quote: null };
  if (price === undefined && plain) {
    if (size !== undefined) return { size: sizeLots(market, 'size', size), quote: null };
    throw malformed('price', 'is missing', 'a MARKET BUY needs price, the total to spend, or size');
  }
  if (price === undefined) {
    throw malformed('price', 'is missing', 'a BUY with a trigger or a trail is sized by price, the total to spend');
  }
  refuse('size', size !== undefined, 'the price of a MARKET BUY, which is the total to spend');
  return { size: null, quote: quoteUnits(call, market, 'price', price) };
}

function pegPlacement(call: Call): Place {
  const request = readPeg(call.body);
  const market = findMarket(call.venue, 'spot', request.symbol);
  const { side, clOrderID: clientId } = request;
  return {
    ...placeBase(call, market, 'spot v3.3 peg', { side, clientId, request }),
    kind: 'peg',
    price: priceTicks(market, 'price', request.price),
    size: sizeLots(market, 'size', request.size),
    stealth: parts('stealth', request.stealth),
    deviation: request.deviation === undefined ? 0 : parts('deviation', request.deviation),
  };
}
