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
  size: reply.number('Contracts'),
  liquidationPrice: reply.number('0: none'),
  isolatedLeverage: reply.number('0: cross'),
  adlScoreBucket: reply.whole('2 is closed first, 0 last'),
  liquidationInProgress: reply.flag(),
  timestamp: reply.whole('Time of the query, epoch ms'),
  takeProfitOrder: reply.orNull(reply.ATTACHED),
  stopLossOrder: reply.orNull(reply.ATTACHED),
  positionMode: reply.positionMode,
  positionId: reply.text(),
  currentLeverage: reply.number('Notional over equity'),
  contractSize: reply.number(),
  walletName: reply.text('CROSS@, or ISOLATED@ and a market'),
};

/** The position of an order, without positionDirection. */
export const POSITION_OF_ORDER = {
  positionMode: reply.positionMode,
  positionId: reply.text('Empty: it will open one'),
};

export const SIZES = {
  originalOrderSize: reply.number('Contracts'),
  currentOrderSize: reply.number('Contracts'),
  totalFilledSize: reply.number('Contracts'),
  remainingSize: reply.number('Contracts'),
};

const LEVERAGE = reply.component('Leverage', {
  symbol: reply.symbol,
  leverage: reply.number('0: the maximum'),
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
  riskLimitLevel: reply.whole('From 1'),
});

const MARGIN_SETTING = reply.component('MarginSetting', {
  symbol: reply.symbol,
  initialMarginPercentage: reply.number('A fraction'),
  maintenanceMarginPercentage: reply.number('A fraction'),
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
