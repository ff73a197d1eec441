/** Reply schemas that both futures surfaces share: positions and their settings. */
import * as reply from './reply-fields.ts';

/** All fields except positionDirection, which each surface declares itself. */
export const POSITION_FIELDS = {
  marginType: reply.whole('91 cross, 92 isolated'),
  entryPrice: reply.number(),
  markPrice: reply.number(),
  symbol: reply.symbol,
  side: reply.side,
  orderValue: reply.number('Notional at mark'),
  settleWithAsset: reply.text(),
  unrealizedProfitLoss: reply.number(),
  totalMaintenanceMargin: reply.number(),
  size: reply.number('Contracts, never negative; see side'),
  liquidationPrice: reply.number('0 if there is none'),
  isolatedLeverage: reply.number('0 for a cross position'),
  adlScoreBucket: reply.whole('Place in the auto-deleveraging queue, in thirds: 2 is closed first, 0 last'),
  liquidationInProgress: reply.flag(),
  timestamp: reply.whole('Time of the query, epoch ms'),
  takeProfitOrder: reply.orNull(reply.ATTACHED),
  stopLossOrder: reply.orNull(reply.ATTACHED),
  positionMode: reply.positionMode,
  positionId: reply.text(),
  currentLeverage: reply.number(
    'Notional of the position over total and unrealised result of its wallet, or of the isolated position',
  ),
  contractSize: reply.number(),
  walletName: reply.text('CROSS@, or ISOLATED@ and the market id: ISOLATED@BTC-PERP-USDT'),
};

/** The position of an order, without positionDirection. */
export const POSITION_OF_ORDER = {
  positionMode: reply.positionMode,
  positionId: reply.text('Empty if the order will open a new position'),
};

export const SIZES = {
  originalOrderSize: reply.number('Contracts, as placed'),
  currentOrderSize: reply.number('Contracts, after amends'),
  totalFilledSize: reply.number('Contracts filled so far'),
  remainingSize: reply.number('Contracts not filled yet'),
};

const LEVERAGE = reply.component('Leverage', {
  symbol: reply.symbol,
  leverage: reply.number('0 means the highest leverage of the tier'),
  marginMode: reply.choice(['CROSS', 'ISOLATED']),
  positionDirection: reply.orNull(reply.direction),
});

const POSITION_MODE = reply.component('MarketPositionMode', {
  symbol: reply.symbol,
  positionMode: reply.positionMode,
});

export const RISK_LIMIT = reply.component('RiskLimit', {
  symbol: reply.symbol,
  riskLimit: reply.number('Largest notional of the tier in use'),
  riskLimitLevel: reply.whole('Number of the tier; the first is 1'),
});

const MARGIN_SETTING = reply.component('MarginSetting', {
  symbol: reply.symbol,
  initialMarginPercentage: reply.number('As a fraction: 0.01 is 1 %'),
  maintenanceMarginPercentage: reply.number('As a fraction: 0.01 is 1 %'),
});

export const SETTING_CHANGED = reply.component('SettingChanged', {
  symbol: reply.symbol,
  timestamp: reply.timestampMs,
  status: reply.whole('20: done'),
  type: reply.whole('93 leverage, 94 risk limit, 129 position mode'),
  message: reply.text(),
});

export const LEVERAGES = reply.list(LEVERAGE);
export const POSITION_MODES = reply.list(POSITION_MODE);
export const MARGIN_SETTINGS = reply.list(MARGIN_SETTING);
