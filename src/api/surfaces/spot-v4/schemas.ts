/**
 * The requests of spot v4, one schema a variant: a field that a variant does not list is refused by name, so that a
 * stop sent as a plain order never sells at once. Enum values are exact; 0 is no price.
 */
import Type from 'typebox';
import { PRICE_TYPES } from '../../orders/order-records.ts';
import { TRAIL_TYPES } from '../../orders/order-requests.ts';
import { choice, clientId, constant, decimal, fields, flag, optional, text } from '../../shared/fields.ts';
import { TRADE_FIELDS } from '../../trades/trade-history.ts';

const SIDES = ['BUY', 'SELL'] as const;
const PLAIN_TYPES = ['LIMIT', 'MARKET'] as const;
const ALGO_TYPES = ['TWAP', 'PEG', 'OCO', 'TRAILING', 'CONDITIONAL'] as const;
const TRIGGER_ORDER_TYPES = ['STOP_LOSS', 'TAKE_PROFIT', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT'] as const;
const TIMES = ['GTC', 'IOC', 'FOK'] as const;

const price = (description: string) => decimal(description, { above: 0 });
const size = (description: string) => decimal(description);

const common = {
  symbol: text('Trading pair, BASE-QUOTE'),
  orderSide: choice(SIDES, 'BUY or SELL'),
  clOrderId: optional(clientId()),
};
/** What tells the variants apart, before the variant is known. */
export const PLAIN_KIND = fields({ orderType: choice(PLAIN_TYPES, 'LIMIT or MARKET') });
export const ALGO_KIND = fields({ orderType: choice(ALGO_TYPES, 'Kind of algo order') });
export const SIDE = fields({ orderSide: common.orderSide });
export const TRIGGER_KIND = fields({ triggerOrderType: choice(TRIGGER_ORDER_TYPES, 'Kind of trigger order') });

const plainType = <const T extends (typeof PLAIN_TYPES)[number]>(kind: T) => {
  return { orderType: constant(kind, 'Kind of order') };
};
const algoType = <const T extends (typeof ALGO_TYPES)[number]>(kind: T) => {
  return { orderType: constant(kind, 'Kind of algo order') };
};
const buy = { orderSide: constant('BUY', 'Market orders: a BUY is sized by what it spends') };
const sell = { orderSide: constant('SELL', 'Market orders: a SELL is sized in base currency') };

const baseSize = { orderSize: size('Base-currency quantity') };
const quoteSize = { quoteOrderSize: size('Quote-currency amount to spend') };
const timeInForce = optional(choice(TIMES, 'GTC (default), IOC or FOK'));
const priceKind = (description: string) => choice(PRICE_TYPES, description);

export const LIMIT = fields(
  {
    ...common,
    ...plainType('LIMIT'),
    ...baseSize,
    orderPrice: price('Limit price'),
    timeInForce,
    postOnly: optional(flag('Rejected when it would match at once')),
  },
  { title: 'SpotLimit' },
);
export const MARKET_BUY = fields(
  { ...common, ...buy, ...plainType('MARKET'), ...quoteSize },
  { title: 'SpotMarketBuy' },
);
export const MARKET_SELL = fields(
  { ...common, ...sell, ...plainType('MARKET'), ...baseSize },
  { title: 'SpotMarketSell' },
);

const conditional = <const T extends (typeof TRIGGER_ORDER_TYPES)[number]>(kinds: readonly T[]) => ({
  ...algoType('CONDITIONAL'),
  triggerPrice: price('Price that activates the order'),
  triggerOrderType: choice(kinds, 'Kind of trigger order'),
  triggerPriceType: priceKind('Price that the trigger watches'),
});
const byMarket = conditional(['STOP_LOSS', 'TAKE_PROFIT']);
export const CONDITIONAL_LIMIT = fields(
  {
    ...common,
    ...conditional(['STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT']),
    ...baseSize,
    orderPrice: price('Limit price of the released order'),
    timeInForce,
    postOnly: optional(flag('The released order is rejected when it would match at once')),
  },
  { title: 'SpotConditionalLimit' },
);
export const CONDITIONAL_MARKET_BUY = fields(
  { ...common, ...buy, ...byMarket, ...quoteSize },
  { title: 'SpotConditionalMarketBuy' },
);
export const CONDITIONAL_MARKET_SELL = fields(
  { ...common, ...sell, ...byMarket, ...baseSize },
  { title: 'SpotConditionalMarketSell' },
);

export const OCO = fields(
  {
    ...common,
    ...algoType('OCO'),
    ...baseSize,
    takeProfitOrderPrice: price('Limit price of the take-profit leg'),
    stopLossOrderPrice: price('Limit price used after the stop-loss trigger fires'),
    stopLossTriggerPrice: price('Price that activates the stop-loss leg'),
    stopLossTriggerPriceType: priceKind('Price that the stop-loss trigger watches'),
    timeInForce,
    postOnly: optional(flag('The take-profit leg is rejected when it would match at once')),
  },
  { title: 'SpotOco' },
);

export const PEG = fields(
  {
    ...common,
    ...algoType('PEG'),
    ...baseSize,
    orderPrice: price('Worst price of the pegged order'),
    stealth: decimal('Percent of the order that is shown at a time', { min: 1, max: 100 }),
    deviation: optional(decimal('Percent away from the index; default 0', { min: -10, max: 10 })),
  },
  { title: 'SpotPeg' },
);

const activation = {
  activationTriggerPrice: optional(price('The order waits until the market reaches this price')),
  activationTriggerPriceType: optional(priceKind('Price that the activation watches')),
};
const trail = {
  trailValue: decimal('Distance between the extreme price and the trigger', { above: 0 }),
  trailValueType: choice(TRAIL_TYPES, 'DISTANCE (absolute) or PERCENTAGE (below 100)'),
  triggerPriceType: optional(priceKind('Price that moves the trigger; default LAST_PRICE')),
};
export const TRAILING_BUY = fields(
  {
    ...common,
    ...buy,
    ...algoType('TRAILING'),
    ...trail,
    ...quoteSize,
    ...activation,
  },
  { title: 'SpotTrailingBuy' },
);
export const TRAILING_SELL = fields(
  {
    ...common,
    ...sell,
    ...algoType('TRAILING'),
    ...trail,
    ...baseSize,
    ...activation,
  },
  { title: 'SpotTrailingSell' },
);

export const TWAP = fields(
  {
    ...common,
    ...algoType('TWAP'),
    orderSize: size('Total base-currency quantity'),
    timePeriod: decimal('Execution window in seconds', { min: 60, max: 86_400, whole: true }),
    makerFirst: optional(flag('Children are first placed post-only, then fall back to taker')),
    randomizeSize: optional(flag('Child sizes are randomised')),
    subTwapMaxOrderSize: optional(size('Largest size of a child, base currency')),
    maxSpread: optional(decimal('Pauses while spread / mid is above this fraction', { min: 0, max: 1 })),
    maxDistanceThroughBook: optional(
      decimal('Fraction of the best opposite price that a child may go beyond; negative: off (default)', { max: 1 }),
    ),
    pausePrice: optional(price('Pauses while the last price is beyond it')),
    ...activation,
  },
  { title: 'SpotTwap' },
);

/** For the documents: what the two placement routes take. */
export const PLACE_BODY = Type.Union([LIMIT, MARKET_BUY, MARKET_SELL]);
export const ALGO_BODY = Type.Union([
  CONDITIONAL_LIMIT,
  CONDITIONAL_MARKET_BUY,
  CONDITIONAL_MARKET_SELL,
  OCO,
  PEG,
  TRAILING_BUY,
  TRAILING_SELL,
  TWAP,
]);

const ids = {
  orderId: optional(text('Server-assigned identifier; wins over clOrderId')),
  clOrderId: optional(clientId()),
};
export const LOOKUP_QUERY = fields(ids);
export const LIST_QUERY = fields({ symbol: optional(text('Trading pair, BASE-QUOTE')), ...ids });
export const FEES_QUERY = fields({ symbol: optional(text('Trading pair, BASE-QUOTE')) });
export const CANCEL_QUERY = fields({ symbol: text('Trading pair, BASE-QUOTE'), ...ids });
export const AMEND_BODY = fields(
  {
    symbol: text('Trading pair, BASE-QUOTE'),
    ...ids,
    orderPrice: optional(price('New limit price')),
    orderSize: optional(size('New size: unfilled, or the total with totalAmountMode')),
    triggerPrice: optional(price('New trigger price of a trigger that still waits')),
    totalAmountMode: optional(flag('orderSize is the total, filled part included; default false')),
  },
  { title: 'SpotAmend' },
);
export const CANCEL_ALL_QUERY = fields({ symbol: text('Trading pair, or ALL for every pair') });
export const TRADE_HISTORY_QUERY = fields({ symbol: text('Trading pair, BASE-QUOTE'), ...TRADE_FIELDS });
