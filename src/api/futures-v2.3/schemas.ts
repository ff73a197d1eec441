/**
 * The requests of futures v2.3 (spec.md section 2.1). Unknown names are ignored and enum values taken in any case, for
 * that is what its clients send; a price-like field of 0 was not given (the published samples send zeros).
 */
import { choice, clientId, decimal, fields, flag, optional, text } from '../values.ts';

export const TIMES = [
  'GTC',
  'IOC',
  'FOK',
  'HALFSEC',
  'HALFMIN',
  'FIVEMIN',
  'HOUR',
  'TWELVEHOUR',
  'DAY',
  'WEEK',
  'MONTH',
] as const;
export const TRIGGERS = ['markPrice', 'lastPrice'] as const;
export const POSITION_MODES = ['ONE_WAY', 'HEDGE', 'ISOLATED'] as const;

const price = (description: string) => optional(decimal(description, { above: 0, zeroIsAbsent: true }));
const reference = (description: string) =>
  optional(choice(TRIGGERS, `${description}: markPrice (default) or lastPrice`));

export const CREATE_BODY = fields({
  symbol: text('Market symbol'),
  size: decimal('Order size in contracts'),
  side: choice(['BUY', 'SELL'], 'BUY or SELL'),
  type: choice(['LIMIT', 'MARKET', 'OCO'], 'LIMIT, MARKET or OCO'),
  price: price('Order price; required when type is LIMIT or OCO'),
  time_in_force: optional(choice(TIMES, 'How long the order is valid; default GTC')),
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
  positionMode: optional(choice(POSITION_MODES, "ONE_WAY, HEDGE or ISOLATED; default: the account's mode")),
});

const ids = {
  orderID: optional(text('Order identifier; wins over clOrderID')),
  clOrderID: optional(clientId()),
};
export const LOOKUP_QUERY = fields(ids);
export const CANCEL_QUERY = fields({ symbol: text('Market symbol'), ...ids });
export const WALLET_QUERY = fields({ wallet: optional(text('CROSS@ (default)')) });
