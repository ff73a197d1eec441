/**
 * The requests of spot v4, one schema per variant. A field that a variant does not list is refused by name, so a stop
 * that is sent as a plain order never sells at once. Enum values are exact. 0 is not a valid price.
 */
import Type from 'typebox';
import { BASE_SIZE, BUY, COMMON, price, QUOTE_SIZE, SELL, size, TIME_IN_FORCE } from '../../orders/spot-v4-requests.ts';
import { choice, clientId, constant, fields, flag, optional, text } from '../../shared/fields.ts';
import { TRADE_FIELDS } from '../../trades/trade-history.ts';

const PLAIN_TYPES = ['LIMIT', 'MARKET'] as const;
/** Distinguishes the variants. */
export const PLAIN_KIND = fields({ orderType: choice(PLAIN_TYPES, 'LIMIT or MARKET') });

const plainType = <const T extends (typeof PLAIN_TYPES)[number]>(kind: T) => {
  return { orderType: constant(kind, 'Kind of order') };
};

export const LIMIT = fields(
  {
    ...COMMON,
    ...plainType('LIMIT'),
    ...BASE_SIZE,
    orderPrice: price('Limit price'),
    timeInForce: TIME_IN_FORCE,
    postOnly: optional(flag('Rejected when it would match at once')),
  },
  { title: 'SpotLimit' },
);
export const MARKET_BUY = fields(
  { ...COMMON, ...BUY, ...plainType('MARKET'), ...QUOTE_SIZE },
  { title: 'SpotMarketBuy' },
);
export const MARKET_SELL = fields(
  { ...COMMON, ...SELL, ...plainType('MARKET'), ...BASE_SIZE },
  { title: 'SpotMarketSell' },
);

/** For the documents: the body of the route for plain orders. algos/registry.ts has the algos. */
export const PLACE_BODY = Type.Union([LIMIT, MARKET_BUY, MARKET_SELL]);

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
