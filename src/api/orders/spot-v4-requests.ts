/**
 * The shared parts of spot v4 placements, plain and algo: fields, names for refusals, and the beginning of a command.
 */
import type { Decimal } from '../../venue/contract/decimal.ts';
import type { MarketView } from '../../venue/views.ts';
import { choice, clientId, constant, decimal, fields, optional, reader, text } from '../shared/fields.ts';
import { findMarket } from '../shared/markets.ts';
import type { Call } from '../shared/surface.ts';
import { priceTicks, quoteUnits, sizeLots } from '../shared/tick-conversion.ts';
import { PRICE_TYPES, type PriceType, referenceOf } from './order-records.ts';
import { type Names, placeBase } from './order-requests.ts';

const SIDES = ['BUY', 'SELL'] as const;
const TIMES = ['GTC', 'IOC', 'FOK'] as const;

export const price = (description: string) => decimal(description, { above: 0 });
export const size = (description: string) => decimal(description);
export const priceKind = (description: string) => choice(PRICE_TYPES, description);

export const COMMON = {
  symbol: text('Trading pair, BASE-QUOTE'),
  orderSide: choice(SIDES, 'BUY or SELL'),
  clOrderId: optional(clientId()),
};
export const BUY = { orderSide: constant('BUY', 'Market orders: a BUY is sized by what it spends') };
export const SELL = { orderSide: constant('SELL', 'Market orders: a SELL is sized in base currency') };
export const BASE_SIZE = { orderSize: size('Base-currency quantity') };
export const QUOTE_SIZE = { quoteOrderSize: size('Quote-currency amount to spend') };
export const TIME_IN_FORCE = optional(choice(TIMES, 'GTC (default), IOC or FOK'));
export const ACTIVATION = {
  activationTriggerPrice: optional(price('The order waits until the market reaches this price')),
  activationTriggerPriceType: optional(priceKind('Price that the activation watches')),
};

/** Maps the venue's field names to those of this surface. */
export const NAMES: Names = {
  size: 'orderSize',
  quote: 'quoteOrderSize',
  price: 'orderPrice',
  trigger: 'triggerPrice',
};

/** The side, if it decides the variant of a request. */
export const readSide = reader(fields({ orderSide: COMMON.orderSide }));

interface CommonFields {
  readonly symbol: string;
  readonly orderSide: 'BUY' | 'SELL';
  readonly clOrderId?: string | null;
}

/** The market and the common fields of a command. `operation` is part of what makes two requests identical. */
export function begin(call: Call, operation: string, request: CommonFields) {
  const market = findMarket(call.venue, 'spot', request.symbol);
  const { orderSide: side, clOrderId } = request;
  return { market, common: placeBase(call, market, operation, { side, clientId: clOrderId, request }) };
}

/** The size of an order: a market BUY by what it spends, everything else in base. */
export function sized(call: Call, market: MarketView, request: { orderSize: Decimal } | { quoteOrderSize: Decimal }) {
  if ('orderSize' in request) return { size: sizeLots(market, 'orderSize', request.orderSize), quote: null };
  return { size: null, quote: quoteUnits(call, market, 'quoteOrderSize', request.quoteOrderSize) };
}

/** The activation price and the reference that it watches. Null without a price, whatever the type is. */
export function activationOf(
  market: MarketView,
  request: { activationTriggerPrice?: Decimal; activationTriggerPriceType?: PriceType },
  defaultType: PriceType,
) {
  if (request.activationTriggerPrice === undefined) return { activation: null, activationReference: null };
  return {
    activation: priceTicks(market, 'activationTriggerPrice', request.activationTriggerPrice),
    activationReference: referenceOf(request.activationTriggerPriceType ?? defaultType),
  };
}
