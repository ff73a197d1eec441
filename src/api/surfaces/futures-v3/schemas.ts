/**
 * The requests of futures v3, one schema per variant. A field that a variant does not list is refused by name. Enum
 * values are exact. A price-like field of 0 counts as absent.
 */
import Type from 'typebox';
import { POSITION_MODES, TIMES_IN_FORCE } from '../../../venue/contract/commands.ts';
import { PRICE_TYPES } from '../../orders/order-records.ts';
import { TIMEOUT, TRAIL_TYPES } from '../../orders/order-requests.ts';
import { choice, clientId, constant, decimal, fields, flag, optional, text } from '../../shared/fields.ts';
import { TRADE_FIELDS } from '../../trades/trade-history.ts';

const price = (description: string) => decimal(description, { above: 0 });
const optionalPrice = (description: string) => optional(decimal(description, { above: 0, zeroIsAbsent: true }));
const priceKind = (description: string) => optional(choice(PRICE_TYPES, `${description}; default MARK_PRICE`));

const common = {
  symbol: text('Market symbol such as BTC-PERP'),
  orderSide: choice(['BUY', 'SELL'], 'BUY or SELL'),
  orderSize: decimal('Order size in contracts'),
  clOrderId: optional(clientId()),
  reduceOnly: optional(flag('Reduce-only order')),
  positionMode: optional(choice(POSITION_MODES, "ONE_WAY, HEDGE or ISOLATED; default: the account's mode")),
};
/** Distinguishes the variants. */
export const PLAIN_KIND = fields({ orderType: choice(['LIMIT', 'MARKET'], 'LIMIT or MARKET') });
export const ALGO_KIND = fields({ orderType: choice(['CONDITIONAL', 'OCO', 'TRAILING'], 'Kind of algo order') });
const kind = <const T extends string>(of: T) => ({ orderType: constant(of, 'Kind of order') });

const attached = {
  takeProfitTriggerPrice: optionalPrice('Trigger price of the attached take-profit'),
  takeProfitTriggerType: priceKind('Price that the take-profit watches'),
  stopLossTriggerPrice: optionalPrice('Trigger price of the attached stop-loss'),
  stopLossTriggerType: priceKind('Price that the stop-loss watches'),
};
const resting = {
  timeInForce: optional(choice(TIMES_IN_FORCE, 'How long the order is valid; default GTC')),
  postOnly: optional(flag('Rejected when it would match at once')),
};

export const LIMIT = fields(
  { ...common, ...kind('LIMIT'), orderPrice: price('Limit price'), ...resting, ...attached },
  { title: 'FuturesLimit' },
);
/** orderPrice is listed because clients send 0 there. */
export const MARKET = fields(
  { ...common, ...kind('MARKET'), orderPrice: optionalPrice('0 or absent'), ...attached },
  { title: 'FuturesMarket' },
);

export const CONDITIONAL = fields(
  {
    ...common,
    ...kind('CONDITIONAL'),
    triggerPrice: price('Price that activates the order'),
    triggerType: priceKind('Price that the trigger watches'),
    orderPrice: optionalPrice('Limit price of the released order; absent: a market order'),
    ...resting,
    ...attached,
  },
  { title: 'FuturesConditional' },
);
export const OCO = fields(
  {
    ...common,
    ...kind('OCO'),
    takeProfitOrderPrice: price('Limit price of the take-profit leg'),
    stopLossOrderPrice: price('Limit price used after the stop-loss trigger fires'),
    stopLossTriggerPrice: price('Price that activates the stop-loss leg'),
    stopLossTriggerType: priceKind('Price that the stop-loss trigger watches'),
    ...resting,
  },
  { title: 'FuturesOco' },
);
export const TRAILING = fields(
  {
    ...common,
    ...kind('TRAILING'),
    trailValue: decimal('Distance between the extreme price and the trigger', { above: 0 }),
    trailValueType: choice(TRAIL_TYPES, 'DISTANCE (absolute) or PERCENTAGE (below 100)'),
    trailTriggerPriceType: priceKind('Price that moves the trigger'),
  },
  { title: 'FuturesTrailing' },
);

/** For the documents: the bodies of the two placement routes. */
export const PLACE_BODY = Type.Union([LIMIT, MARKET]);
export const ALGO_BODY = Type.Union([CONDITIONAL, OCO, TRAILING]);

const ids = {
  orderId: optional(text('Order identifier; wins over clOrderId')),
  clOrderId: optional(clientId()),
};
export const LIST_QUERY = fields({
  symbol: optional(text('Market symbol')),
  ...ids,
  includeCancelled: optional(flag('With an id: also an order that has ended')),
});
export const CANCEL_BODY = fields({ symbol: text('Market symbol'), ...ids }, { title: 'FuturesCancel' });

const named = { symbol: text('Market symbol'), ...ids };
export const AMEND_KIND = fields({
  amendType: choice(['PRICE', 'SIZE', 'ALL', 'TRIGGER_PRICE'], 'What is amended'),
});
const amends = <const T extends string>(what: T) => ({ amendType: constant(what, 'What is amended') });
const newSize = 'New total size, filled part included';
const newTrigger = 'New trigger price of a trigger that still waits';
export const AMEND_PRICE = fields(
  { ...named, ...amends('PRICE'), orderPrice: price('New price') },
  { title: 'FuturesAmendPrice' },
);
export const AMEND_SIZE = fields(
  { ...named, ...amends('SIZE'), orderSize: decimal(newSize) },
  { title: 'FuturesAmendSize' },
);
export const AMEND_TRIGGER = fields(
  { ...named, ...amends('TRIGGER_PRICE'), triggerPrice: price(newTrigger) },
  { title: 'FuturesAmendTrigger' },
);
export const AMEND_ALL = fields(
  {
    ...named,
    ...amends('ALL'),
    orderPrice: optionalPrice('New price'),
    orderSize: optionalPrice(newSize),
    triggerPrice: optionalPrice(newTrigger),
  },
  { title: 'FuturesAmendAll' },
);
/** For the documents: the body of an amend. */
export const AMEND_BODY = Type.Union([AMEND_PRICE, AMEND_SIZE, AMEND_TRIGGER, AMEND_ALL]);
export const CANCEL_ALL_AFTER_BODY = fields({ timeoutMs: TIMEOUT }, { title: 'FuturesCancelAllAfter' });

const which = { positionId: optional(text('Which position; required in HEDGE and ISOLATED')) };
export const CLOSE_LIMIT = fields(
  {
    symbol: text('Market symbol'),
    ...kind('LIMIT'),
    orderPrice: price('Limit price'),
    postOnly: optional(flag('Rejected when it would match at once')),
    ...which,
  },
  { title: 'FuturesCloseLimit' },
);
export const CLOSE_MARKET = fields(
  {
    symbol: text('Market symbol'),
    ...kind('MARKET'),
    orderPrice: optionalPrice('0 or absent'),
    ...which,
  },
  { title: 'FuturesCloseMarket' },
);
export const CLOSE_BODY = Type.Union([CLOSE_LIMIT, CLOSE_MARKET]);
export const MARKET_QUERY = fields({ symbol: text('Market symbol') });
export const TRADE_HISTORY_QUERY = fields({ symbol: optional(text('Market symbol; default: all')), ...TRADE_FIELDS });
export const MARKETS_QUERY = fields({ symbol: optional(text('Market symbol')) });
export const LEVERAGE_BODY = fields(
  {
    symbol: text('Market symbol'),
    leverage: decimal('Leverage; 0: the maximum, of cross margin', { min: 0, whole: true }),
    marginMode: optional(choice(['CROSS', 'ISOLATED'], 'Which leverage; default ISOLATED')),
    positionMode: optional(choice(POSITION_MODES, "The account's position mode")),
    positionId: optional(text('One position, in HEDGE and ISOLATED')),
    positionDirection: optional(choice(['LONG', 'SHORT'], 'One position, in HEDGE')),
  },
  { title: 'SetLeverage' },
);
export const RISK_LIMIT_BODY = fields(
  {
    symbol: text('Market symbol'),
    riskLimitLevel: decimal('Number of the risk tier, from 1', { min: 0, whole: true }),
    positionMode: optional(choice(POSITION_MODES, "The account's position mode")),
  },
  { title: 'SetRiskLimit' },
);
export const SETTLE_IN_BODY = fields(
  {
    symbol: text('Market symbol'),
    currency: text('The settlement currency'),
    positionId: optional(text('One position, in HEDGE and ISOLATED')),
  },
  { title: 'SettleIn' },
);
export const TPSL_BODY = fields(
  {
    symbol: text('Market symbol'),
    orderSide: optional(choice(['BUY', 'SELL'], 'The side that closes the position; required in HEDGE')),
    ...attached,
    positionMode: optional(choice(POSITION_MODES, "The account's position mode")),
    positionId: optional(text('Which position; required in ISOLATED')),
  },
  { title: 'PositionTpsl' },
);
export const POSITION_MODE_BODY = fields(
  {
    symbol: text('Market symbol'),
    positionMode: choice(POSITION_MODES, 'ONE_WAY, HEDGE or ISOLATED'),
  },
  { title: 'SetPositionMode' },
);
