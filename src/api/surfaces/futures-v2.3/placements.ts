/**
 * Converts a futures v2.3 create-order request to the venue's command (spec.md section 4.1). The kind of order follows
 * from type, txType and trailValue. Contradictory combinations are malformed.
 */

import type { AttachedTerms, Place, Reference } from '../../../venue/contract/commands.ts';
import { PARTS } from '../../../venue/contract/units.ts';
import type { MarketView } from '../../../venue/views.ts';
import {
  conditionalTerms,
  legacyLimitTerms,
  legacyOcoTerms,
  refuseMarketFields,
  trailingTerms,
} from '../../orders/legacy-requests.ts';
import {
  attachedTerms,
  placeBase,
  refuse,
  refuseAttachedToReduce,
  refusePostOnly,
} from '../../orders/order-requests.ts';
import { malformed } from '../../shared/errors.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import type { Call } from '../../shared/surface.ts';
import { parts, priceTicks, sizeLots } from '../../shared/tick-conversion.ts';
import { CREATE_BODY, PEG_BODY, type TRIGGERS } from './schemas.ts';

const readCreate = reader(CREATE_BODY, {
  anyCase: true,
  elsewhere: {
    TWAP: 'TWAP is for spot',
    PEG: 'on futures a PEG is placed at POST /futures/api/v2.3/order/peg',
    TRAILING: 'on futures it is type MARKET with trailValue',
    CONDITIONAL: 'on futures it is txType STOP or TRIGGER with triggerPrice',
  },
});
type Create = ReturnType<typeof readCreate>;

function referenceOf(trigger: (typeof TRIGGERS)[number] | undefined): Reference {
  return trigger === 'lastPrice' ? 'last' : 'mark';
}

export function placement(call: Call): Place {
  const request = readCreate(call.body);
  refusePostOnly(request.postOnly, request.time_in_force, 'time_in_force');
  refuseLoneTrigger(request);
  const market = findMarket(call.venue, 'futures', request.symbol, { legacyNames: true });
  const { side, clOrderID: clientId } = request;
  const common = {
    ...placeBase(call, market, 'futures v2.3 place', { side, clientId, request }),
    positionMode: request.positionMode ?? null,
    size: sizeLots(market, 'size', request.size),
    reduceOnly: request.reduceOnly ?? false,
  } as const;
  const reference = referenceOf(request.trigger);
  if (request.type === 'OCO') {
    refuseAttached(request, 'type OCO');
    return { ...common, ...legacyOcoTerms(market, request, reference) };
  }
  if (request.trailValue !== undefined) {
    refuseAttached(request, 'trailValue');
    return { ...common, ...trailingTerms(market, request, request.trailValue, reference), quote: null };
  }
  const pair = attached(market, request);
  refuseAttachedToReduce(pair, request.reduceOnly, ['takeProfitPrice', 'stopLossPrice']);
  const { txType = 'LIMIT' } = request;
  if (txType !== 'LIMIT') {
    return { ...common, ...conditionalTerms(market, request, txType, reference), quote: null, ...pair };
  }
  if (request.type === 'MARKET') {
    refuseMarketFields(request);
    return { ...common, kind: 'market', quote: null, timeInForce: request.time_in_force ?? null, ...pair };
  }
  return { ...common, ...legacyLimitTerms(market, request), ...pair };
}

type AttachedFields = Pick<Create, 'takeProfitPrice' | 'takeProfitTrigger' | 'stopLossPrice' | 'stopLossTrigger'>;

/** The attached take-profit and stop-loss of a request. */
export function attached(
  market: MarketView,
  request: AttachedFields,
): { takeProfit: AttachedTerms | null; stopLoss: AttachedTerms | null } {
  const { takeProfitPrice, takeProfitTrigger, stopLossPrice, stopLossTrigger } = request;
  return {
    takeProfit: attachedTerms(market, 'takeProfitPrice', takeProfitPrice, referenceOf(takeProfitTrigger)),
    stopLoss: attachedTerms(market, 'stopLossPrice', stopLossPrice, referenceOf(stopLossTrigger)),
  };
}

/** A trigger price means that the order should wait. Without a txType that waits, it would trade at once. */
function refuseLoneTrigger({ triggerPrice, txType, type }: Create): void {
  const waits = txType === 'STOP' || txType === 'TRIGGER' || type === 'OCO';
  if (triggerPrice === undefined || waits) return;
  const problem = txType === undefined ? 'is missing with a triggerPrice' : `is ${txType} with a triggerPrice`;
  throw malformed('txType', problem, 'give STOP or TRIGGER, or omit triggerPrice');
}

function refuseAttached(request: Create, by: string): void {
  refuse('takeProfitPrice', request.takeProfitPrice !== undefined, by);
  refuse('stopLossPrice', request.stopLossPrice !== undefined, by);
}

const readPeg = reader(PEG_BODY, { anyCase: true });

/** POST /order/peg: a limit order that follows the index. */
export function pegPlacement(call: Call): Place {
  const request = readPeg(call.body);
  const market = findMarket(call.venue, 'futures', request.symbol, { legacyNames: true });
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
