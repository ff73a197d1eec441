/**
 * The requests of futures v2.3 (spec.md section 2.1). Unknown names are ignored and enum values are accepted in any
 * case, because its clients send such requests. A price-like field of 0 counts as absent, because the published samples
 * send zeros.
 */

import { POSITION_MODES } from '../../../venue/contract/commands.ts';
import { CREATE_FIELDS, legacyPrice, PEG_FIELDS, STEALTH, SYMBOL } from '../../orders/legacy-requests.ts';
import { choice, decimal, fields, flag, optional, text } from '../../shared/fields.ts';
import { TRADE_FIELDS } from '../../trades/trade-history.ts';
import { HISTORY_COUNT, HISTORY_FIELDS } from '../../wallets/wallet-history.ts';

export const TRIGGERS = ['markPrice', 'lastPrice'] as const;

const price = legacyPrice;
const positionMode = optional(choice(POSITION_MODES, "ONE_WAY, HEDGE or ISOLATED; default: the account's mode"));
const symbol = SYMBOL;
const reference = (description: string) =>
  optional(choice(TRIGGERS, `${description}: markPrice (default) or lastPrice`));

export const CREATE_BODY = fields(
  {
    ...CREATE_FIELDS,
    size: decimal('Order size in contracts'),
    type: choice(['LIMIT', 'MARKET', 'OCO'], 'LIMIT, MARKET or OCO'),
    price: price('Order price; required when type is LIMIT or OCO'),
    reduceOnly: optional(flag('Reduce-only order')),
    trigger: reference('Reference of the trigger'),
    takeProfitPrice: price('Take-profit trigger price'),
    takeProfitTrigger: reference('Reference of the take-profit trigger'),
    stopLossPrice: price('Stop-loss trigger price'),
    stopLossTrigger: reference('Reference of the stop-loss trigger'),
    positionMode,
  },
  { title: 'FuturesCreateV23' },
);

export const PEG_BODY = fields({ ...PEG_FIELDS, stealth: optional(STEALTH), positionMode }, { title: 'FuturesPegV23' });

export const CLOSE_POSITION_BODY = fields(
  {
    symbol,
    type: choice(['LIMIT', 'MARKET'], 'LIMIT or MARKET'),
    price: price('Required when type is LIMIT'),
    postOnly: optional(flag('Post-only order')),
    positionId: optional(text('Which position; required in HEDGE and ISOLATED')),
  },
  { title: 'FuturesCloseV23' },
);
export const MARKET_QUERY = fields({ symbol });
export const TRADE_HISTORY_QUERY = fields({ symbol: optional(symbol), ...TRADE_FIELDS });
export const MARKETS_QUERY = fields({ symbol: optional(symbol) });
export const WALLET_QUERY = fields({
  wallet: optional(text('CROSS@ (default), or ISOLATED@ and a market: ISOLATED@BTC-PERP-USDT')),
});
export const WALLET_HISTORY_QUERY = fields({
  wallet: optional(text('CROSS@, or ISOLATED@ and a market; default: all')),
  ...HISTORY_FIELDS,
  count: HISTORY_COUNT,
});
export const UNIFIED_MARGIN_QUERY = fields({
  symbol: optional(symbol),
  positionId: optional(text('The market of this position')),
});
export const LEVERAGE_BODY = fields(
  {
    symbol,
    leverage: decimal('Leverage; 0: the maximum, of cross margin', { min: 0, whole: true }),
    positionMode,
    positionId: optional(text('One position, in HEDGE and ISOLATED')),
    marginMode: optional(choice(['CROSS', 'ISOLATED'], 'Which leverage; default ISOLATED')),
  },
  { title: 'SetLeverageV23' },
);
export const POSITION_MODE_BODY = fields(
  {
    symbol,
    positionMode: choice(POSITION_MODES, 'ONE_WAY, HEDGE or ISOLATED'),
  },
  { title: 'SetPositionModeV23' },
);
export const RISK_LIMIT_BODY = fields(
  {
    symbol,
    riskLimitLevel: decimal('Number of the risk tier, from 1', { min: 0, whole: true }),
    positionMode,
  },
  { title: 'SetRiskLimitV23' },
);
export const SETTLE_IN_BODY = fields(
  {
    symbol,
    currency: text('The settlement currency'),
    positionId: optional(text('One position, in HEDGE and ISOLATED')),
  },
  { title: 'SettleInV23' },
);
export const BIND_BODY = fields(
  {
    symbol,
    side: optional(choice(['BUY', 'SELL'], 'The side that closes the position; required in HEDGE')),
    takeProfitPrice: price('Take-profit trigger price'),
    takeProfitTrigger: reference('Reference of the take-profit trigger'),
    stopLossPrice: price('Stop-loss trigger price'),
    stopLossTrigger: reference('Reference of the stop-loss trigger'),
    positionMode,
    positionId: optional(text('Which position; required in ISOLATED')),
  },
  { title: 'BindTpslV23' },
);
