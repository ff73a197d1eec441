/** Terms of placements that spot v4 and futures v3 name alike. */
import type { Reference, TimeInForce } from '../../venue/contract/commands.ts';
import type { Decimal } from '../../venue/contract/decimal.ts';
import type { MarketView } from '../../venue/views.ts';
import { priceTicks } from '../shared/tick-conversion.ts';
import { type Names, refusePostOnly } from './order-requests.ts';

export const OCO_NAMES: Names = {
  size: 'orderSize',
  price: 'takeProfitOrderPrice',
  stopPrice: 'stopLossOrderPrice',
  stopTrigger: 'stopLossTriggerPrice',
};

interface Resting {
  readonly timeInForce?: TimeInForce;
  readonly postOnly?: boolean;
}

/** The time in force and post-only of an order with its own limit price. */
export function restingTerms({ timeInForce = 'GTC', postOnly = false }: Resting) {
  refusePostOnly(postOnly, timeInForce, 'timeInForce');
  return { timeInForce, postOnly } as const;
}

export function v4LimitTerms(market: MarketView, request: Resting & { readonly orderPrice: Decimal }) {
  return {
    kind: 'limit',
    price: priceTicks(market, 'orderPrice', request.orderPrice),
    ...restingTerms(request),
  } as const;
}

interface Oco extends Resting {
  readonly takeProfitOrderPrice: Decimal;
  readonly stopLossTriggerPrice: Decimal;
  readonly stopLossOrderPrice: Decimal;
}

export function v4OcoTerms(market: MarketView, request: Oco, stopReference: Reference) {
  return {
    kind: 'oco',
    price: priceTicks(market, 'takeProfitOrderPrice', request.takeProfitOrderPrice),
    stopTrigger: priceTicks(market, 'stopLossTriggerPrice', request.stopLossTriggerPrice),
    stopReference,
    stopPrice: priceTicks(market, 'stopLossOrderPrice', request.stopLossOrderPrice),
    ...restingTerms(request),
  } as const;
}
