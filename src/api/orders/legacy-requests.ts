/**
 * Requests of the legacy surfaces, spot v3.3 and futures v2.3, which name and combine the fields of an order alike: the
 * terms of triggers, OCO and trailing stops, amends and cancels. Unknown names are ignored, enum values are accepted in
 * any case, and a price-like field of 0 counts as absent, because the published samples send zeros.
 */
import type { Product, Reference } from '../../venue/contract/commands.ts';
import { TIMES_IN_FORCE } from '../../venue/contract/commands.ts';
import type { Decimal } from '../../venue/contract/decimal.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Reply } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { malformed } from '../shared/errors.ts';
import { choice, clientId, decimal, fields, flag, optional, reader, text } from '../shared/fields.ts';
import { findMarket } from '../shared/markets.ts';
import { submit } from '../shared/submit.ts';
import type { Call } from '../shared/surface.ts';
import { finePrice, priceTicks } from '../shared/tick-conversion.ts';
import {
  type Amendment,
  cancelNamed,
  changesOf,
  givesNothing,
  type IdNames,
  misnamedId,
  type Names,
  openOrders,
  type RequestedChanges,
  refuse,
} from './order-requests.ts';

export const LEGACY_IDS: IdNames = { id: 'orderID', clientId: 'clOrderID' };

/**
 * How the query of a GET is read: clients of these surfaces send names without a value, which count as absent. A DELETE reads an empty id as malformed,
 * because without an id it cancels the whole market.
 */
export const LEGACY_GET = { query: true, emptyIsAbsent: true } as const;

export const SYMBOL = text('Market symbol');
const SIDE = choice(['BUY', 'SELL'], 'BUY or SELL');

/** An optional price. 0 counts as absent. */
export const legacyPrice = (description: string) => optional(decimal(description, { above: 0, zeroIsAbsent: true }));

/** Fields that the create-order requests of both share, without types, sizes and references. */
export const CREATE_FIELDS = {
  symbol: SYMBOL,
  side: SIDE,
  time_in_force: optional(choice(TIMES_IN_FORCE, 'How long the order is valid; default GTC')),
  txType: optional(choice(['LIMIT', 'STOP', 'TRIGGER'], 'LIMIT (default); STOP and TRIGGER require triggerPrice')),
  stopPrice: legacyPrice('Limit price of the stop leg; required when type is OCO'),
  triggerPrice: legacyPrice('Required for txType STOP, txType TRIGGER, and type OCO'),
  trailValue: optional(
    decimal('Trailing distance, with type MARKET; a negative one is a SELL of that distance', { zeroIsAbsent: true }),
  ),
  postOnly: optional(flag('Post-only order')),
  clOrderID: optional(clientId()),
};

/** Fields that the PEG requests of both share. */
export const PEG_FIELDS = {
  symbol: SYMBOL,
  price: decimal('The highest price of a BUY, the lowest of a SELL', { above: 0 }),
  size: decimal('Order size'),
  side: SIDE,
  clOrderID: optional(clientId()),
  deviation: optional(decimal('Percent away from the index; default 0', { min: -10, max: 10 })),
};
export const STEALTH = decimal('Percent of the order that is shown at a time: 100 shows all', { min: 1, max: 100 });

export const LOOKUP_FIELDS = {
  orderID: optional(text('Order identifier; wins over clOrderID')),
  clOrderID: optional(clientId()),
};
export const LOOKUP_QUERY = fields({
  ...LOOKUP_FIELDS,
  includeOld: optional(flag('true: also an order that ended long ago')),
});
export const OPEN_ORDERS_QUERY = fields({ symbol: optional(SYMBOL), ...LOOKUP_FIELDS });
export const CANCEL_QUERY = fields({ symbol: SYMBOL, ...LOOKUP_FIELDS });
export const AMEND_BODY = fields(
  {
    symbol: SYMBOL,
    ...LOOKUP_FIELDS,
    type: choice(['PRICE', 'SIZE', 'TRIGGERPRICE', 'ALL'], 'What is amended'),
    value: optional(decimal('The new price, size or trigger price; required unless type is ALL')),
    orderPrice: legacyPrice('With type ALL: the new price'),
    orderSize: legacyPrice('With type ALL: the new total size, filled part included'),
    triggerPrice: legacyPrice('With type ALL: the new trigger price of a trigger that still waits'),
  },
  { title: 'OlderAmend' },
);

/**
 * Maps the venue's field names to those of these surfaces, if they differ. The quote size of a spot BUY is its `price`.
 */
export const LEGACY_NAMES: Names = {
  trigger: 'triggerPrice',
  stopTrigger: 'triggerPrice',
  takeProfit: 'takeProfitPrice',
  stopLoss: 'stopLossPrice',
  quote: 'price',
};

// ---- create-order requests ----

/** The part of a create-order request that the functions below need. */
export interface LegacyRequest {
  readonly side: 'BUY' | 'SELL';
  readonly type: string;
  readonly txType?: 'LIMIT' | 'STOP' | 'TRIGGER';
  readonly price?: Decimal;
  readonly stopPrice?: Decimal;
  readonly triggerPrice?: Decimal;
  readonly trailValue?: Decimal;
  readonly time_in_force?: (typeof TIMES_IN_FORCE)[number];
  readonly postOnly?: boolean;
}

export function required(value: Decimal | undefined, field: string, by: string): Decimal {
  if (value === undefined) throw malformed(field, 'is missing', `${by} requires ${field}, a number above 0`);
  return value;
}

/** A price or post-only contradicts a MARKET order, which cannot honour either. */
export function refuseMarketFields(request: LegacyRequest): void {
  refuse('price', request.price !== undefined, 'type MARKET');
  refuse('postOnly', request.postOnly === true, 'type MARKET');
}

export function legacyLimitTerms(market: MarketView, request: LegacyRequest) {
  return {
    kind: 'limit',
    price: priceTicks(market, 'price', required(request.price, 'price', 'type LIMIT')),
    timeInForce: request.time_in_force ?? 'GTC',
    postOnly: request.postOnly ?? false,
  } as const;
}

/** txType STOP or TRIGGER, released as a MARKET or LIMIT order. */
export function conditionalTerms(
  market: MarketView,
  request: LegacyRequest,
  txType: 'STOP' | 'TRIGGER',
  reference: Reference,
) {
  const limit = request.type === 'LIMIT';
  const trigger = required(request.triggerPrice, 'triggerPrice', `txType ${txType}`);
  if (!limit) refuseMarketFields(request);
  return {
    kind: 'conditional',
    rule: txType === 'STOP' ? 'stop' : 'profit',
    trigger: priceTicks(market, 'triggerPrice', trigger),
    reference,
    price: limit ? priceTicks(market, 'price', required(request.price, 'price', 'type LIMIT')) : null,
    timeInForce: request.time_in_force ?? 'GTC',
    postOnly: request.postOnly ?? false,
  } as const;
}

/** `price` is the limit leg. `triggerPrice` fires the stop leg, and `stopPrice` is its limit price then. */
export function legacyOcoTerms(market: MarketView, request: LegacyRequest, reference: Reference) {
  const by = 'type OCO';
  if (request.txType === 'TRIGGER') throw malformed('txType', 'is TRIGGER with type OCO', 'use LIMIT or STOP');
  refuse('trailValue', request.trailValue !== undefined, by);
  return {
    kind: 'oco',
    price: priceTicks(market, 'price', required(request.price, 'price', by)),
    stopTrigger: priceTicks(market, 'triggerPrice', required(request.triggerPrice, 'triggerPrice', by)),
    stopReference: reference,
    stopPrice: priceTicks(market, 'stopPrice', required(request.stopPrice, 'stopPrice', by)),
    timeInForce: request.time_in_force ?? 'GTC',
    postOnly: request.postOnly ?? false,
  } as const;
}

/** A trailing stop: MARKET with a distance. Some clients send a negative one with SELL. */
export function trailingTerms(market: MarketView, request: LegacyRequest, value: Decimal, reference: Reference) {
  if (request.type !== 'MARKET')
    throw malformed('trailValue', `is not allowed with type ${request.type}`, 'use type MARKET');
  refuseMarketFields(request);
  const negative = value.coefficient < 0n;
  if (negative && request.side === 'BUY') {
    throw malformed('trailValue', 'is negative', 'give a distance above 0; only a SELL may have it negative');
  }
  const distance = negative ? { coefficient: -value.coefficient, scale: value.scale } : value;
  return {
    kind: 'trailing',
    distance: finePrice(market, 'trailValue', distance),
    percent: null,
    reference,
    activation: null,
    activationReference: null,
    timeInForce: request.time_in_force ?? null,
  } as const;
}

// ---- open orders, cancelling and amending ----

const readOpenOrders = reader(OPEN_ORDERS_QUERY, LEGACY_GET);

/** The open orders that a query asks for. */
export function openLegacyOrders(call: Call, product: Product): OrderView[] {
  const { symbol, orderID, clOrderID } = readOpenOrders(call.query);
  const market =
    symbol === undefined ? null : findMarket(call.venue, product, symbol, { legacyNames: product === 'futures' }).index;
  return openOrders(call, product, market, { id: orderID, clientId: clOrderID });
}

const readCancel = reader(CANCEL_QUERY);

/**
 * Cancels one order, every live order of a client id, or (without either) all of the market. It is no error if there is
 * none.
 */
export async function cancelLegacyOrders(call: Call, product: Product): Promise<Reply> {
  const query = readCancel(call.query);
  const market = findMarket(call.venue, product, query.symbol, { legacyNames: product === 'futures' }).index;
  const named = { id: query.orderID, clientId: query.clOrderID };
  // An empty client id may be an unset variable, which must not cancel everything.
  if (named.id === undefined && named.clientId === null) {
    throw malformed('clOrderID', 'is empty', 'give an id, or omit it to cancel all orders of the market');
  }
  if (named.id === undefined && named.clientId === undefined) {
    // The same holds for an id under a name that is ignored.
    const other = misnamedId(call, LEGACY_IDS);
    if (other !== undefined) throw malformed(other, 'is not a parameter here', 'give orderID or clOrderID');
    return submit(call, { v: 1, type: 'cancelAll', account: call.account, product, market });
  }
  return cancelNamed(call, product, market, named, LEGACY_IDS);
}

const readAmend = reader(AMEND_BODY, { anyCase: true });

/** Maps `type` to the change that `value` gives. */
const CHANGE_OF = { PRICE: 'price', SIZE: 'size', TRIGGERPRICE: 'trigger' } as const;
const BY_VALUE = { ...LEGACY_NAMES, price: 'value', size: 'value', trigger: 'value' };
const BY_NAME = { ...LEGACY_NAMES, price: 'orderPrice', size: 'orderSize', trigger: 'triggerPrice' };

/** Changes one field by `value`, or several with type ALL. Sizes are new totals. */
export function legacyAmendment(call: Call, product: Product): Amendment {
  const request = readAmend(call.body);
  const { type, value, orderPrice, orderSize, triggerPrice } = request;
  const market = findMarket(call.venue, product, request.symbol, { legacyNames: product === 'futures' });
  const given: RequestedChanges =
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
