/**
 * From a futures v2.3 create-order request to the venue's command (spec.md section 4.1). Which kind of order it is
 * follows from type, txType and trailValue; combinations that contradict themselves are malformed.
 */

import type { Bracket, Place, Reference } from '../../venue/commands.ts';
import type { Market } from '../../venue/market.ts';
import type { Decimal } from '../../venue/quantity.ts';
import { PARTS } from '../../venue/units.ts';
import { malformed } from '../errors.ts';
import { reader } from '../fields.ts';
import { finePrice, parts, priceTicks, sizeLots } from '../grids.ts';
import { findMarket } from '../markets.ts';
import { bracket, type Names, placeBase, refuse, refusePostOnly } from '../requests-common.ts';
import type { Call } from '../surface.ts';
import { CREATE_BODY, PEG_BODY, type TRIGGERS } from './schemas.ts';

const readCreate = reader(CREATE_BODY, { anyCase: true });
type Create = ReturnType<typeof readCreate>;

export const NAMES: Names = {
  trigger: 'triggerPrice',
  stopTrigger: 'triggerPrice',
  takeProfit: 'takeProfitPrice',
  stopLoss: 'stopLossPrice',
};

function referenceOf(trigger: (typeof TRIGGERS)[number] | undefined): Reference {
  return trigger === 'lastPrice' ? 'last' : 'mark';
}

export function placement(call: Call): Place {
  const request = readCreate(call.body);
  refusePostOnly(request.postOnly, request.time_in_force, 'time_in_force');
  const market = findMarket(call.venue, 'futures', request.symbol, true);
  const { side, clOrderID: clientId } = request;
  const common = {
    ...placeBase(call, market, 'futures v2.3 place', { side, clientId, request }),
    positionMode: request.positionMode ?? null,
    size: sizeLots(market, 'size', request.size),
    reduceOnly: request.reduceOnly ?? false,
  } as const;
  if (request.type === 'OCO') return { ...common, ...oco(market, request) };
  if (request.trailValue !== undefined) return { ...common, ...trailing(market, request, request.trailValue) };
  const brackets = attached(market, request);
  const { txType = 'LIMIT' } = request;
  if (txType !== 'LIMIT') return { ...common, ...conditional(market, request, txType), ...brackets };
  if (request.type === 'MARKET') {
    refuseMarketFields(request);
    return { ...common, kind: 'market', quote: null, ...brackets };
  }
  return {
    ...common,
    kind: 'limit',
    price: priceTicks(market, 'price', required(request.price, 'price', 'type LIMIT')),
    timeInForce: request.time_in_force ?? 'GTC',
    postOnly: request.postOnly ?? false,
    ...brackets,
  };
}

function required(value: Decimal | undefined, field: string, by: string): Decimal {
  if (value === undefined) throw malformed(field, 'is missing', `${by} requires ${field}, a number above 0`);
  return value;
}

/** A price or post-only contradicts a MARKET order: neither can be honoured. */
function refuseMarketFields(request: Create): void {
  refuse('price', request.price !== undefined, 'type MARKET');
  refuse('postOnly', request.postOnly === true, 'type MARKET');
}

type Attached = Pick<Create, 'takeProfitPrice' | 'takeProfitTrigger' | 'stopLossPrice' | 'stopLossTrigger'>;

/** The take-profit and stop-loss that a request carries. */
export function attached(market: Market, request: Attached): { takeProfit: Bracket | null; stopLoss: Bracket | null } {
  const { takeProfitPrice, takeProfitTrigger, stopLossPrice, stopLossTrigger } = request;
  return {
    takeProfit: bracket(market, 'takeProfitPrice', takeProfitPrice, referenceOf(takeProfitTrigger)),
    stopLoss: bracket(market, 'stopLossPrice', stopLossPrice, referenceOf(stopLossTrigger)),
  };
}

/** txType STOP or TRIGGER, released as a MARKET or LIMIT order. */
function conditional(market: Market, request: Create, txType: 'STOP' | 'TRIGGER') {
  const limit = request.type === 'LIMIT';
  const trigger = required(request.triggerPrice, 'triggerPrice', `txType ${txType}`);
  if (!limit) refuseMarketFields(request);
  return {
    kind: 'conditional',
    rule: txType === 'STOP' ? 'stop' : 'profit',
    trigger: priceTicks(market, 'triggerPrice', trigger),
    reference: referenceOf(request.trigger),
    price: limit ? priceTicks(market, 'price', required(request.price, 'price', 'type LIMIT')) : null,
    quote: null,
    timeInForce: (limit ? request.time_in_force : undefined) ?? 'GTC',
    postOnly: request.postOnly ?? false,
  } as const;
}

/** price is the limit leg; triggerPrice fires the stop leg, and stopPrice is the limit price that it then has. */
function oco(market: Market, request: Create) {
  if (request.txType === 'TRIGGER') throw malformed('txType', 'is TRIGGER with type OCO', 'use LIMIT or STOP');
  refuse('trailValue', request.trailValue !== undefined, 'type OCO');
  refuseAttached(request, 'type OCO');
  const by = 'type OCO';
  return {
    kind: 'oco',
    price: priceTicks(market, 'price', required(request.price, 'price', by)),
    stopTrigger: priceTicks(market, 'triggerPrice', required(request.triggerPrice, 'triggerPrice', by)),
    stopReference: referenceOf(request.trigger),
    stopPrice: priceTicks(market, 'stopPrice', required(request.stopPrice, 'stopPrice', by)),
    timeInForce: request.time_in_force ?? 'GTC',
    postOnly: request.postOnly ?? false,
  } as const;
}

function refuseAttached(request: Create, by: string): void {
  refuse('takeProfitPrice', request.takeProfitPrice !== undefined, by);
  refuse('stopLossPrice', request.stopLossPrice !== undefined, by);
}

/** A trailing stop: MARKET, a distance; older clients send a negative one with SELL. */
function trailing(market: Market, request: Create, value: Decimal) {
  if (request.type !== 'MARKET') throw malformed('trailValue', `is given with type ${request.type}`, 'use type MARKET');
  refuseMarketFields(request);
  refuseAttached(request, 'trailValue');
  const negative = value.coefficient < 0n;
  if (negative && request.side === 'BUY') {
    throw malformed('trailValue', 'is negative', 'give a distance above 0; only a SELL may have it negative');
  }
  const distance = negative ? { coefficient: -value.coefficient, scale: value.scale } : value;
  return {
    kind: 'trailing',
    distance: finePrice(market, 'trailValue', distance),
    percent: null,
    reference: referenceOf(request.trigger),
    quote: null,
    activation: null,
    activationReference: null,
  } as const;
}

const readPeg = reader(PEG_BODY, { anyCase: true });

/** POST /order/peg: a limit order that follows the index. */
export function pegPlacement(call: Call): Place {
  const request = readPeg(call.body);
  const market = findMarket(call.venue, 'futures', request.symbol, true);
  const { side, clOrderID: clientId } = request;
  return {
    ...placeBase(call, market, 'futures v2.3 peg', { side, clientId, request }),
    kind: 'peg',
    positionMode: request.positionMode ?? null,
    price: priceTicks(market, 'price', request.price),
    size: sizeLots(market, 'size', request.size),
    stealth: request.stealth === undefined ? 100 * PARTS : parts('stealth', request.stealth),
    deviation: request.deviation === undefined ? 0 : parts('deviation', request.deviation),
  };
}
