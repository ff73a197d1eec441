/**
 * The settings of an account in a perpetual market, as the futures surfaces read and answer them: leverage, position
 * mode, risk limit, settlement currency. The reply to a change is one record with status 20.
 */

import type { PositionMode, SetLeverage } from '../../venue/contract/commands.ts';
import type { Decimal } from '../../venue/contract/decimal.ts';
import { LONG, SHORT } from '../../venue/contract/units.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { moneyNumber, positionText } from '../orders/order-records.ts';
import { ApiError } from '../shared/errors.ts';
import { marketId } from '../shared/markets.ts';
import { submit } from '../shared/submit.ts';
import type { Call } from '../shared/surface.ts';
import { checkMode, openPosition } from './position-records.ts';

/** The kind of the changed setting, in its reply. */
const TYPE_LEVERAGE = 93;
const TYPE_RISK_LIMIT = 94;
const TYPE_MODE_CHANGE = 129;

/** The reply to a change. Status 20 means success. */
function changed({ engine }: Call, market: MarketView, type: number): object {
  return { symbol: market.symbol, timestamp: engine.nowMs(), status: 20, type, message: '' };
}

/** One CROSS row in ONE_WAY, otherwise a LONG and a SHORT row. 0: the maximum. */
export function leverageRows({ venue, account }: Call, market: MarketView): object[] {
  const { mode, longLeverage, shortLeverage } = venue.settings(account, market);
  const marginMode = mode === 'ISOLATED' ? 'ISOLATED' : 'CROSS';
  const row = (leverage: number, positionDirection: string | null) => ({
    symbol: market.symbol,
    leverage,
    marginMode,
    positionDirection,
  });
  return mode === 'ONE_WAY' ? [row(longLeverage, null)] : [row(longLeverage, 'LONG'), row(shortLeverage, 'SHORT')];
}

export interface LeverageChange {
  readonly leverage: number;
  readonly marginMode?: 'CROSS' | 'ISOLATED' | undefined;
  readonly positionMode?: PositionMode | undefined;
  readonly positionId?: string | undefined;
  readonly positionDirection?: 'LONG' | 'SHORT' | undefined;
}

/**
 * Leverage without marginMode is for future isolated positions, as on BTSE. Exceptions are 0, which only cross has, and
 * a named position, which has its own leverage.
 */
export async function changeLeverage(call: Call, market: MarketView, change: LeverageChange): Promise<object> {
  const { leverage, marginMode, positionMode } = change;
  const current = checkMode(call, market, positionMode);
  const position = namedPosition(call, market, current, change);
  const own = current === 'ISOLATED' ? 'ISOLATED' : 'CROSS';
  const margin = marginMode ?? (position !== null ? own : leverage === 0 ? 'CROSS' : 'ISOLATED');
  const command: SetLeverage = {
    v: 1,
    type: 'setLeverage',
    account: call.account,
    market: market.index,
    margin,
    leverage,
    position,
  };
  await submit(call, command);
  return changed(call, market, TYPE_LEVERAGE);
}

/** The number of the position that a setting is for. Null: all of the market's. A hedge position may be flat. */
function namedPosition(
  call: Call,
  market: MarketView,
  mode: PositionMode,
  { positionId, positionDirection }: Pick<LeverageChange, 'positionId' | 'positionDirection'>,
): number | null {
  if (mode === 'HEDGE') {
    const named = [LONG, SHORT].find((id) =>
      positionId === undefined
        ? (positionDirection === 'LONG') === (id === LONG)
        : positionText(market, mode, id) === positionId,
    );
    if (positionId === undefined && positionDirection === undefined) return null;
    if (named !== undefined) return named;
    throw new ApiError('unknownPosition', { symbol: market.symbol, position: positionId ?? '' });
  }
  if (positionId === undefined) return null;
  if (mode === 'ISOLATED') return openPosition(call, market, { positionId }).id;
  if (positionId === marketId(market)) return null;
  throw new ApiError('unknownPosition', { symbol: market.symbol, position: positionId });
}

export function positionModeRows({ venue, account }: Call, only: MarketView | null): object[] {
  return perpetuals(venue, only).map((market) => ({
    symbol: market.symbol,
    positionMode: venue.settings(account, market).mode,
  }));
}

export async function changePositionMode(call: Call, market: MarketView, mode: PositionMode): Promise<object> {
  await submit(call, { v: 1, type: 'setPositionMode', account: call.account, market: market.index, mode });
  return changed(call, market, TYPE_MODE_CHANGE);
}

/** The perpetual markets that a query selects: one, or (null) all. */
function perpetuals(venue: Venue, only: MarketView | null): MarketView[] {
  return only === null ? venue.markets.filter(({ product }) => product === 'futures') : [only];
}

/** The tier in use: the chosen one, or that of the exposure if it is higher. */
export function riskLimitRow({ venue, account }: Call, market: MarketView): object {
  const { tier } = venue.settings(account, market);
  const riskLimit = moneyNumber(market.riskTiers[tier].maxNotional, venue.currencies[market.quote].decimals);
  return { symbol: market.symbol, riskLimit, riskLimitLevel: tier + 1 };
}

export interface RiskLimitChange {
  readonly riskLimitLevel: Decimal;
  readonly positionMode?: PositionMode | undefined;
}

export async function changeRiskLimit(call: Call, market: MarketView, change: RiskLimitChange): Promise<object> {
  checkMode(call, market, change.positionMode);
  const level = Number(change.riskLimitLevel.coefficient);
  await submit(call, { v: 1, type: 'setRiskLimit', account: call.account, market: market.index, level });
  return changed(call, market, TYPE_RISK_LIMIT);
}

/** The margin fractions of the tier in use, for one market or all. */
export function marginSettingRows({ venue, account }: Call, only: MarketView | null): object[] {
  return perpetuals(venue, only).map((market) => {
    const tier = market.spec.riskTiers[venue.settings(account, market).tier];
    return {
      symbol: market.symbol,
      initialMarginPercentage: Number(tier.initial),
      maintenanceMarginPercentage: Number(tier.maintenance),
    };
  });
}

export interface Settlement {
  readonly currency: string;
  readonly positionId?: string | undefined;
}

/** A market settles in one currency. Setting that one changes nothing, and others are refused. */
export function settleIn(call: Call, market: MarketView, { currency, positionId }: Settlement): object {
  namedPosition(call, market, call.venue.settings(call.account, market).mode, { positionId });
  const { code } = call.venue.currencies[market.quote];
  if (currency === code) return {};
  throw new ApiError('settlementFixed', { symbol: market.symbol, currency, settles: code });
}
