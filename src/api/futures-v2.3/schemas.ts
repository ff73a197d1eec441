/**
 * The requests of futures v2.3 (spec.md section 2.1). Unknown names are ignored and enum values taken in any case, for
 * that is what its clients send; a price-like field of 0 was not given (the published samples send zeros).
 */

import { choice, clientId, decimal, fields, flag, optional, text } from '../fields.ts';
import { FUTURES_TIMES, POSITION_MODES, TIMEOUT } from '../requests-common.ts';

export const TRIGGERS = ['markPrice', 'lastPrice'] as const;

const price = (description: string) => optional(decimal(description, { above: 0, zeroIsAbsent: true }));
const positionMode = optional(choice(POSITION_MODES, "ONE_WAY, HEDGE or ISOLATED; default: the account's mode"));
const symbol = text('Market symbol');
const reference = (description: string) =>
  optional(choice(TRIGGERS, `${description}: markPrice (default) or lastPrice`));

export const CREATE_BODY = fields({
  symbol,
  size: decimal('Order size in contracts'),
  side: choice(['BUY', 'SELL'], 'BUY or SELL'),
  type: choice(['LIMIT', 'MARKET', 'OCO'], 'LIMIT, MARKET or OCO'),
  price: price('Order price; required when type is LIMIT or OCO'),
  time_in_force: optional(choice(FUTURES_TIMES, 'How long the order is valid; default GTC')),
  txType: optional(choice(['LIMIT', 'STOP', 'TRIGGER'], 'LIMIT (default); STOP and TRIGGER require triggerPrice')),
  stopPrice: price('Limit price of the stop leg; required when type is OCO'),
  triggerPrice: price('Required for txType STOP, txType TRIGGER, and type OCO'),
  trailValue: optional(
    decimal('Trailing distance, with type MARKET; a negative one is a SELL of that distance', { zeroIsAbsent: true }),
  ),
  postOnly: optional(flag('Post-only order')),
  reduceOnly: optional(flag('Reduce-only order')),
  clOrderID: optional(clientId()),
  trigger: reference('Reference of the trigger'),
  takeProfitPrice: price('Take-profit trigger price'),
  takeProfitTrigger: reference('Reference of the take-profit trigger'),
  stopLossPrice: price('Stop-loss trigger price'),
  stopLossTrigger: reference('Reference of the stop-loss trigger'),
  positionMode,
});

export const PEG_BODY = fields({
  symbol,
  price: decimal('The highest price of a BUY, the lowest of a SELL', { above: 0 }),
  size: decimal('Order size in contracts'),
  side: choice(['BUY', 'SELL'], 'BUY or SELL'),
  clOrderID: optional(clientId()),
  deviation: optional(decimal('Percent away from the index; default 0', { min: -10, max: 10 })),
  stealth: optional(decimal('Percent of the order that is shown at a time; default 100', { min: 1, max: 100 })),
  positionMode,
});

const ids = {
  orderID: optional(text('Order identifier; wins over clOrderID')),
  clOrderID: optional(clientId()),
};
export const LOOKUP_QUERY = fields(ids);
export const CANCEL_QUERY = fields({ symbol, ...ids });
export const OPEN_ORDERS_QUERY = fields({ symbol: optional(symbol), ...ids });
export const AMEND_BODY = fields({
  symbol,
  ...ids,
  type: choice(['PRICE', 'SIZE', 'TRIGGERPRICE', 'ALL'], 'What is amended'),
  value: optional(decimal('The new price, size or trigger price; required unless type is ALL')),
  orderPrice: price('With type ALL: the new price'),
  orderSize: price('With type ALL: the new total size, filled part included'),
  triggerPrice: price('With type ALL: the new trigger price of a trigger that still waits'),
});
export const CANCEL_ALL_AFTER_BODY = fields({ timeout: TIMEOUT });
export const CLOSE_POSITION_BODY = fields({
  symbol,
  type: choice(['LIMIT', 'MARKET'], 'LIMIT or MARKET'),
  price: price('Required when type is LIMIT'),
  postOnly: optional(flag('Post-only order')),
  positionId: optional(text('Which position; required in HEDGE and ISOLATED')),
});
export const MARKET_QUERY = fields({ symbol });
export const MARKETS_QUERY = fields({ symbol: optional(symbol) });
export const WALLET_QUERY = fields({
  wallet: optional(text('CROSS@ (default), or ISOLATED@ and a market: ISOLATED@BTC-PERP-USDT')),
});
export const LEVERAGE_BODY = fields({
  symbol,
  leverage: decimal('Leverage; 0: the maximum, of cross margin', { min: 0, whole: true }),
  positionMode,
  positionId: optional(text('One position, in HEDGE and ISOLATED')),
  marginMode: optional(choice(['CROSS', 'ISOLATED'], 'Which leverage; default ISOLATED')),
});
export const POSITION_MODE_BODY = fields({
  symbol,
  positionMode: choice(POSITION_MODES, 'ONE_WAY, HEDGE or ISOLATED'),
});
export const RISK_LIMIT_BODY = fields({
  symbol,
  riskLimitLevel: decimal('Number of the risk tier, from 1', { min: 0, whole: true }),
  positionMode,
});
export const SETTLE_IN_BODY = fields({
  symbol,
  currency: text('The settlement currency'),
  positionId: optional(text('One position, in HEDGE and ISOLATED')),
});
export const BIND_BODY = fields({
  symbol,
  side: optional(choice(['BUY', 'SELL'], 'The side that closes the position; required in HEDGE')),
  takeProfitPrice: price('Take-profit trigger price'),
  takeProfitTrigger: reference('Reference of the take-profit trigger'),
  stopLossPrice: price('Stop-loss trigger price'),
  stopLossTrigger: reference('Reference of the stop-loss trigger'),
  positionMode,
  positionId: optional(text('Which position; required in ISOLATED')),
});
