/**
 * Converts a futures v3 placement to the venue's command. A CONDITIONAL of v3 is neither stop nor profit: it fires when
 * the reference reaches the trigger, from the side that it is on at acceptance.
 */
import type { AttachedTerms, Place } from '../../../venue/contract/commands.ts';
import type { Decimal } from '../../../venue/contract/decimal.ts';
import type { MarketView } from '../../../venue/views.ts';
import { type PriceType, referenceOf } from '../../orders/order-records.ts';
import {
  attachedTerms,
  type Names,
  type Placement,
  placeBase,
  refuse,
  refuseAttachedToReduce,
  trail,
} from '../../orders/order-requests.ts';
import { OCO_NAMES, restingTerms, v4LimitTerms, v4OcoTerms } from '../../orders/v3-v4-requests.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import type { Call } from '../../shared/surface.ts';
import { priceTicks, sizeLots } from '../../shared/tick-conversion.ts';
import * as schemas from './schemas.ts';

export const NAMES: Names = {
  size: 'orderSize',
  price: 'orderPrice',
  trigger: 'triggerPrice',
  takeProfit: 'takeProfitTriggerPrice',
  stopLoss: 'stopLossTriggerPrice',
};

const ALGO_ROUTE = 'it is placed at POST /futures/api/v3/trade/orders/algo';
const PLAIN_ROUTE = 'it is placed at POST /futures/api/v3/trade/orders';
const NOT_HERE = {
  TWAP: 'TWAP is for spot',
  PEG: 'on futures a PEG is placed at POST /futures/api/v2.3/order/peg',
};
const readPlainKind = reader(schemas.PLAIN_KIND, {
  elsewhere: { ...NOT_HERE, CONDITIONAL: ALGO_ROUTE, OCO: ALGO_ROUTE, TRAILING: ALGO_ROUTE },
});
const readAlgoKind = reader(schemas.ALGO_KIND, {
  elsewhere: { ...NOT_HERE, LIMIT: PLAIN_ROUTE, MARKET: PLAIN_ROUTE },
});

const readLimit = reader(schemas.LIMIT, { only: 'orderType LIMIT' });
const readMarket = reader(schemas.MARKET, { only: 'orderType MARKET' });
const readConditional = reader(schemas.CONDITIONAL, { only: 'orderType CONDITIONAL' });
const readOco = reader(schemas.OCO, { only: 'orderType OCO' });
const readTrailing = reader(schemas.TRAILING, { only: 'orderType TRAILING' });

interface CommonFields {
  readonly symbol: string;
  readonly orderSide: 'BUY' | 'SELL';
  readonly orderSize: Decimal;
  readonly clOrderId?: string | null;
  readonly reduceOnly?: boolean;
  readonly positionMode?: 'ONE_WAY' | 'HEDGE' | 'ISOLATED';
}

function base(call: Call, operation: string, request: CommonFields) {
  const market = findMarket(call.venue, 'futures', request.symbol);
  const { orderSide: side, clOrderId: clientId } = request;
  const common = {
    ...placeBase(call, market, operation, { side, clientId, request }),
    positionMode: request.positionMode ?? null,
    size: sizeLots(market, 'orderSize', request.orderSize),
    reduceOnly: request.reduceOnly ?? false,
  } as const;
  return { market, common };
}

interface AttachedFields {
  readonly reduceOnly?: boolean;
  readonly takeProfitTriggerPrice?: Decimal;
  readonly takeProfitTriggerType?: PriceType;
  readonly stopLossTriggerPrice?: Decimal;
  readonly stopLossTriggerType?: PriceType;
}

/** The attached take-profit and stop-loss of the order. */
export function attached(
  market: MarketView,
  request: AttachedFields,
): { takeProfit: AttachedTerms | null; stopLoss: AttachedTerms | null } {
  const { takeProfitTriggerPrice, takeProfitTriggerType = 'MARK_PRICE' } = request;
  const { stopLossTriggerPrice, stopLossTriggerType = 'MARK_PRICE' } = request;
  const pair = {
    takeProfit: attachedTerms(
      market,
      'takeProfitTriggerPrice',
      takeProfitTriggerPrice,
      referenceOf(takeProfitTriggerType),
    ),
    stopLoss: attachedTerms(market, 'stopLossTriggerPrice', stopLossTriggerPrice, referenceOf(stopLossTriggerType)),
  };
  refuseAttachedToReduce(pair, request.reduceOnly, ['takeProfitTriggerPrice', 'stopLossTriggerPrice']);
  return pair;
}

const PLACE = 'futures v3 place';
const ALGO = 'futures v3 algo';

/** POST /trade/orders: LIMIT and MARKET. */
export function plainPlacement(call: Call): Placement {
  const { body } = call;
  if (readPlainKind(body).orderType === 'LIMIT') {
    const request = readLimit(body);
    const { market, common } = base(call, PLACE, request);
    return { command: { ...common, ...v4LimitTerms(market, request), ...attached(market, request) }, names: NAMES };
  }
  const request = readMarket(body);
  refuse('orderPrice', request.orderPrice !== undefined, 'orderType MARKET');
  const { market, common } = base(call, PLACE, request);
  return { command: { ...common, kind: 'market', quote: null, ...attached(market, request) }, names: NAMES };
}

/** POST /trade/orders/algo, by orderType. */
export function algoPlacement(call: Call): Placement {
  switch (readAlgoKind(call.body).orderType) {
    case 'CONDITIONAL':
      return conditional(call);
    case 'OCO':
      return oco(call);
    case 'TRAILING':
      return trailing(call);
  }
}

function conditional(call: Call): Placement {
  const request = readConditional(call.body);
  const { orderPrice } = request;
  if (orderPrice === undefined) {
    refuse('timeInForce', request.timeInForce !== undefined, 'a CONDITIONAL without orderPrice');
    refuse('postOnly', request.postOnly !== undefined, 'a CONDITIONAL without orderPrice');
  }
  const { market, common } = base(call, ALGO, request);
  const command: Place = {
    ...common,
    kind: 'conditional',
    rule: 'reach',
    trigger: priceTicks(market, 'triggerPrice', request.triggerPrice),
    reference: referenceOf(request.triggerType ?? 'MARK_PRICE'),
    price: orderPrice === undefined ? null : priceTicks(market, 'orderPrice', orderPrice),
    quote: null,
    ...restingTerms(request),
    ...attached(market, request),
  };
  return { command, names: NAMES };
}

function oco(call: Call): Placement {
  const request = readOco(call.body);
  const { market, common } = base(call, ALGO, request);
  const terms = v4OcoTerms(market, request, referenceOf(request.stopLossTriggerType ?? 'MARK_PRICE'));
  return { command: { ...common, ...terms }, names: OCO_NAMES };
}

function trailing(call: Call): Placement {
  const request = readTrailing(call.body);
  const { market, common } = base(call, ALGO, request);
  const command: Place = {
    ...common,
    kind: 'trailing',
    ...trail(market, request.trailValue, request.trailValueType),
    reference: referenceOf(request.trailTriggerPriceType ?? 'MARK_PRICE'),
    quote: null,
    activation: null,
    activationReference: null,
  };
  return { command, names: NAMES };
}
