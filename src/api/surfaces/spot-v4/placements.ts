/**
 * From a spot v4 placement to the venue's command: which variant it is, its fields read and put on the market's grids.
 * No rule about funds, bands or books is here; those are the venue's.
 */
import type { Place } from '../../../venue/contract/commands.ts';
import type { Decimal } from '../../../venue/contract/decimal.ts';
import type { Market } from '../../../venue/state/market.ts';
import { type PriceType, referenceOf } from '../../orders/order-records.ts';
import { type Names, type Placement, placeBase, trail } from '../../orders/order-requests.ts';
import { OCO_NAMES, restingTerms, v4LimitTerms, v4OcoTerms } from '../../orders/v3-v4-requests.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import type { Call } from '../../shared/surface.ts';
import { parts, priceTicks, quoteUnits, sizeLots } from '../../shared/tick-conversion.ts';
import * as schemas from './schemas.ts';

export const NAMES: Names = {
  size: 'orderSize',
  quote: 'quoteOrderSize',
  price: 'orderPrice',
  trigger: 'triggerPrice',
};
const ALGO_NAMES: Names = {
  ...NAMES,
  activation: 'activationTriggerPrice',
  maxChildSize: 'subTwapMaxOrderSize',
};

const readPlainKind = reader(schemas.PLAIN_KIND);
const readAlgoKind = reader(schemas.ALGO_KIND);
const readSide = reader(schemas.SIDE);
const readTriggerKind = reader(schemas.TRIGGER_KIND);

const readLimit = reader(schemas.LIMIT, { only: 'orderType LIMIT' });
const readMarketBuy = reader(schemas.MARKET_BUY, { only: 'orderType MARKET, orderSide BUY' });
const readMarketSell = reader(schemas.MARKET_SELL, { only: 'orderType MARKET, orderSide SELL' });
const readConditionalLimit = reader(schemas.CONDITIONAL_LIMIT, { only: 'a CONDITIONAL limit order' });
const readConditionalBuy = reader(schemas.CONDITIONAL_MARKET_BUY, {
  only: 'a CONDITIONAL market order, orderSide BUY',
});
const readConditionalSell = reader(schemas.CONDITIONAL_MARKET_SELL, {
  only: 'a CONDITIONAL market order, orderSide SELL',
});
const readOco = reader(schemas.OCO, { only: 'orderType OCO' });
const readPeg = reader(schemas.PEG, { only: 'orderType PEG' });
const readTrailingBuy = reader(schemas.TRAILING_BUY, { only: 'orderType TRAILING, orderSide BUY' });
const readTrailingSell = reader(schemas.TRAILING_SELL, { only: 'orderType TRAILING, orderSide SELL' });
const readTwap = reader(schemas.TWAP, { only: 'orderType TWAP' });

interface Common {
  readonly symbol: string;
  readonly orderSide: 'BUY' | 'SELL';
  readonly clOrderId?: string | null;
}

function base(call: Call, operation: string, request: Common) {
  const market = findMarket(call.venue, 'spot', request.symbol);
  const { orderSide: side, clOrderId: clientId } = request;
  return { market, common: placeBase(call, market, operation, { side, clientId, request }) };
}

/** How an order is sized: a market BUY by what it spends, everything else in base. */
function sized(call: Call, market: Market, request: { orderSize: Decimal } | { quoteOrderSize: Decimal }) {
  if ('orderSize' in request) return { size: sizeLots(market, 'orderSize', request.orderSize), quote: null };
  return { size: null, quote: quoteUnits(call, market, 'quoteOrderSize', request.quoteOrderSize) };
}

const PLACE = 'spot v4 place';
const ALGO = 'spot v4 algo';

/** POST /trade/orders: LIMIT and MARKET. */
export function plainPlacement(call: Call): Placement {
  const { body } = call;
  if (readPlainKind(body).orderType === 'LIMIT') {
    const request = readLimit(body);
    const { market, common } = base(call, PLACE, request);
    const size = sizeLots(market, 'orderSize', request.orderSize);
    return { command: { ...common, ...v4LimitTerms(market, request), size, reduceOnly: false }, names: NAMES };
  }
  const request = readSide(body).orderSide === 'BUY' ? readMarketBuy(body) : readMarketSell(body);
  const { market, common } = base(call, PLACE, request);
  return { command: { ...common, kind: 'market', ...sized(call, market, request), reduceOnly: false }, names: NAMES };
}

/** POST /trade/orders/algo, by orderType. */
export function algoPlacement(call: Call): Placement {
  switch (readAlgoKind(call.body).orderType) {
    case 'CONDITIONAL':
      return conditional(call);
    case 'OCO':
      return oco(call);
    case 'PEG':
      return peg(call);
    case 'TRAILING':
      return trailing(call);
    case 'TWAP':
      return twap(call);
  }
}

function conditional(call: Call): Placement {
  const { body } = call;
  const kind = readTriggerKind(body).triggerOrderType;
  const rule = kind.startsWith('STOP_LOSS') ? 'stop' : 'profit';
  if (kind.endsWith('_LIMIT')) {
    const request = readConditionalLimit(body);
    const { market, common } = base(call, ALGO, request);
    const command: Place = {
      ...common,
      kind: 'conditional',
      rule,
      trigger: priceTicks(market, 'triggerPrice', request.triggerPrice),
      reference: referenceOf(request.triggerPriceType),
      price: priceTicks(market, 'orderPrice', request.orderPrice),
      size: sizeLots(market, 'orderSize', request.orderSize),
      quote: null,
      ...restingTerms(request),
      reduceOnly: false,
    };
    return { command, names: NAMES };
  }
  const request = readSide(body).orderSide === 'BUY' ? readConditionalBuy(body) : readConditionalSell(body);
  const { market, common } = base(call, ALGO, request);
  const command: Place = {
    ...common,
    kind: 'conditional',
    rule,
    trigger: priceTicks(market, 'triggerPrice', request.triggerPrice),
    reference: referenceOf(request.triggerPriceType),
    price: null,
    ...sized(call, market, request),
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
  };
  return { command, names: NAMES };
}

function oco(call: Call): Placement {
  const request = readOco(call.body);
  const { market, common } = base(call, ALGO, request);
  const size = sizeLots(market, 'orderSize', request.orderSize);
  const terms = v4OcoTerms(market, request, referenceOf(request.stopLossTriggerPriceType));
  return { command: { ...common, ...terms, size, reduceOnly: false }, names: OCO_NAMES };
}

function peg(call: Call): Placement {
  const request = readPeg(call.body);
  const { market, common } = base(call, ALGO, request);
  const command: Place = {
    ...common,
    kind: 'peg',
    price: priceTicks(market, 'orderPrice', request.orderPrice),
    size: sizeLots(market, 'orderSize', request.orderSize),
    stealth: parts('stealth', request.stealth),
    deviation: request.deviation === undefined ? 0 : parts('deviation', request.deviation),
  };
  return { command, names: NAMES };
}

/** The activation price and the reference that it watches; null without a price, whatever the type says. */
function activationOf(
  market: Market,
  request: { activationTriggerPrice?: Decimal; activationTriggerPriceType?: PriceType },
  defaultType: PriceType,
) {
  if (request.activationTriggerPrice === undefined) return { activation: null, activationReference: null };
  return {
    activation: priceTicks(market, 'activationTriggerPrice', request.activationTriggerPrice),
    activationReference: referenceOf(request.activationTriggerPriceType ?? defaultType),
  };
}

function trailing(call: Call): Placement {
  const { body } = call;
  const request = readSide(body).orderSide === 'BUY' ? readTrailingBuy(body) : readTrailingSell(body);
  const { market, common } = base(call, ALGO, request);
  const { triggerPriceType = 'LAST_PRICE' } = request;
  const command: Place = {
    ...common,
    kind: 'trailing',
    ...trail(market, request.trailValue, request.trailValueType),
    reference: referenceOf(triggerPriceType),
    ...sized(call, market, request),
    ...activationOf(market, request, triggerPriceType),
    reduceOnly: false,
  };
  return { command, names: ALGO_NAMES };
}

function twap(call: Call): Placement {
  const request = readTwap(call.body);
  const { market, common } = base(call, ALGO, request);
  const { subTwapMaxOrderSize, maxSpread, maxDistanceThroughBook, pausePrice } = request;
  const throughBook = maxDistanceThroughBook !== undefined && maxDistanceThroughBook.coefficient >= 0n;
  const command: Place = {
    ...common,
    kind: 'twap',
    size: sizeLots(market, 'orderSize', request.orderSize),
    periodMs: Number(request.timePeriod.coefficient) * 1000,
    makerFirst: request.makerFirst ?? false,
    randomizeSize: request.randomizeSize ?? false,
    maxChildSize:
      subTwapMaxOrderSize === undefined ? null : sizeLots(market, 'subTwapMaxOrderSize', subTwapMaxOrderSize),
    maxSpread: maxSpread === undefined ? null : parts('maxSpread', maxSpread),
    maxThroughBook: throughBook ? parts('maxDistanceThroughBook', maxDistanceThroughBook) : null,
    pausePrice: pausePrice === undefined ? null : priceTicks(market, 'pausePrice', pausePrice),
    ...activationOf(market, request, 'LAST_PRICE'),
  };
  return { command, names: ALGO_NAMES };
}
