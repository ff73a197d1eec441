/**
 * Positions and their settings as the futures surfaces show and name them: the row of an open position, which position a
 * request means, and the replies of leverage and position mode. Surfaces differ in the null rule of positionDirection
 * and in their field names alone.
 */

import { attachedOf } from '../venue/algos/bracket.ts';
import type { Place, PositionMode, SetLeverage } from '../venue/commands.ts';
import type { Market } from '../venue/market.ts';
import type { Order } from '../venue/orders.ts';
import { LONG, SHORT } from '../venue/positions.ts';
import { decimalNumber } from '../venue/quantity.ts';
import { FINE } from '../venue/units.ts';
import type { PositionView, Venue } from '../venue/venue.ts';
import { ApiError, malformed } from './errors.ts';
import { marketId } from './markets.ts';
import { entryPrice, moneyNumber, positionText } from './records-common.ts';
import { submit } from './submit.ts';
import { type Call, venueNowMs } from './surface.ts';

/** Margin types of the wire. */
const MARGIN_CROSS = 91;
const MARGIN_ISOLATED = 92;

export const CROSS_WALLET = 'CROSS@';

export function isolatedWalletName(market: Market): string {
  return `ISOLATED@${marketId(market)}`;
}

/** Notional at mark, smallest units of the settlement currency. */
export function notionalOf({ market, size }: PositionView): bigint {
  return (BigInt(Math.abs(size)) * BigInt(market.mark) * market.unitsPerTickLot) / BigInt(FINE);
}

const LEVERAGE_DECIMALS = 8;

/** Exposure over equity, to eight decimals; 0 without equity. */
export function leverageOf(exposure: bigint, equity: bigint): number {
  if (equity <= 0n) return 0;
  return decimalNumber(Number((exposure * 10n ** BigInt(LEVERAGE_DECIMALS)) / equity), LEVERAGE_DECIMALS);
}

export function directionOf({ size }: PositionView): 'LONG' | 'SHORT' {
  return size > 0 ? 'LONG' : 'SHORT';
}

/** Open positions of the caller, of one market or all, in the rows that the surfaces share. */
export function positionRows(call: Call, only: Market | null): { row: object; view: PositionView }[] {
  const { venue, account } = call;
  const views = venue.positions(account).filter(({ market }) => only === null || market === only);
  return views.map((view) => ({ row: positionRow(venue, account, view), view }));
}

/** All of a row but positionDirection, whose presence is the surface's. */
function positionRow(venue: Venue, account: number, view: PositionView): object {
  const { market, mode } = view;
  const isolated = mode === 'ISOLATED';
  const money = (units: bigint) => moneyNumber(units, venue.currencies[market.quote].decimals);
  const { total, unrealised } = venue.balances(account)[market.quote];
  const equity = isolated ? view.margin + view.unrealised : total + unrealised;
  const orders = venue.openOrders(account, 'futures', market.index).filter(({ positionId }) => positionId === view.id);
  return {
    marginType: isolated ? MARGIN_ISOLATED : MARGIN_CROSS,
    entryPrice: entryPrice(view),
    markPrice: market.fineNumber(market.mark),
    symbol: market.symbol,
    side: view.size > 0 ? 'BUY' : 'SELL',
    orderValue: money(notionalOf(view)),
    settleWithAsset: venue.currencies[market.quote].code,
    unrealizedProfitLoss: money(view.unrealised),
    totalMaintenanceMargin: money(view.maintenance),
    size: market.sizeNumber(Math.abs(view.size)),
    liquidationPrice: view.liquidationPrice === null ? 0 : market.fineNumber(view.liquidationPrice),
    isolatedLeverage: isolated ? view.leverage : 0,
    adlScoreBucket: 0,
    liquidationInProgress: market.distressed.has(account),
    timestamp: venueNowMs(venue),
    takeProfitOrder: attachedRow(venue, market, orders, 'takeProfit'),
    stopLossOrder: attachedRow(venue, market, orders, 'stopLoss'),
    positionMode: mode,
    positionId: positionText(market, mode, view.id),
    currentLeverage: leverageOf(notionalOf(view), equity),
    contractSize: Number(market.spec.contractSize),
    walletName: isolated ? isolatedWalletName(market) : CROSS_WALLET,
  };
}

/** The newest attached order of a role that waits. */
function attachedRow(
  venue: Venue,
  market: Market,
  orders: readonly Order[],
  role: 'takeProfit' | 'stopLoss',
): object | null {
  const order = orders.findLast((one) => attachedOf(one)?.role === role);
  if (order === undefined || order.trigger === null) return null;
  return {
    orderId: venue.orderIds.encode(order.key),
    side: order.side === 0 ? 'BUY' : 'SELL',
    triggerPrice: market.priceNumber(order.trigger.price),
    triggerUseLastPrice: order.trigger.reference === 'last',
  };
}

// ---- which position ----

export interface Which {
  readonly positionId?: string | undefined;
  /** The side that reduces it. */
  readonly side?: 'BUY' | 'SELL' | undefined;
}

/** The open position that a request means. In ONE_WAY there is one; otherwise positionId, in HEDGE also side, tells. */
export function openPosition(call: Call, market: Market, { positionId, side }: Which): PositionView {
  const { venue, account } = call;
  const { symbol } = market;
  const { mode } = venue.settings(account, market);
  const open = venue.positions(account).filter((view) => view.market === market);
  const reduced = side === 'SELL' ? 'LONG' : 'SHORT';
  let found: PositionView | undefined;
  if (positionId !== undefined) {
    found = open.find((view) => positionText(market, view.mode, view.id) === positionId);
    const known = mode === 'ONE_WAY' ? positionId === marketId(market) : found !== undefined;
    if (!known) throw new ApiError('unknownPosition', { symbol, position: positionId });
  } else if (mode === 'ONE_WAY') found = open[0];
  else if (mode === 'HEDGE' && side !== undefined) found = open.find((view) => directionOf(view) === reduced);
  else throw malformed('positionId', 'is missing', `give the position, for the position mode of ${symbol} is ${mode}`);
  if (found === undefined) throw new ApiError('noPosition', { symbol });
  if (side !== undefined && directionOf(found) !== reduced) {
    throw new ApiError('reduceOnlyWithoutPosition', { symbol, side, position: found.size });
  }
  return found;
}

/** How a position is closed: at a limit price (ticks), or by a market order (null). */
export interface Closing {
  readonly positionId: string | undefined;
  readonly price: number | null;
  readonly postOnly: boolean;
}

/** A reduce-only order of the position's whole size, as it is when the request comes in. */
export function closingOrder(call: Call, market: Market, { positionId, price, postOnly }: Closing): Place {
  const view = openPosition(call, market, { positionId });
  const common = {
    v: 1,
    type: 'place',
    account: call.account,
    market: market.index,
    side: view.size > 0 ? 1 : 0,
    clientId: null,
    request: null,
    broker: call.broker,
    position: view.id,
    size: Math.abs(view.size),
    reduceOnly: true,
  } as const;
  if (price === null) return { ...common, kind: 'market', quote: null };
  return { ...common, kind: 'limit', price, timeInForce: 'GTC', postOnly };
}

// ---- settings ----

/** What kind of setting was changed, in its reply. */
export const TYPE_LEVERAGE = 93;
export const TYPE_MODE_CHANGE = 129;

/** The reply to a change: status 20 is success. */
export function changed(venue: Venue, market: Market, type: number): object {
  return { symbol: market.symbol, timestamp: venueNowMs(venue), status: 20, type, message: '' };
}

/** One CROSS row in ONE_WAY; a LONG and a SHORT row otherwise. 0: the maximum. */
export function leverageRows({ venue, account }: Call, market: Market): object[] {
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
 * Without marginMode a leverage is that of isolated positions to come (as on BTSE), but for 0, which only cross has, and
 * for a named position, which has its own.
 */
export async function changeLeverage(call: Call, market: Market, change: LeverageChange): Promise<object> {
  const { leverage, marginMode, positionMode } = change;
  const current = call.venue.settings(call.account, market).mode;
  if (positionMode !== undefined && positionMode !== current) {
    throw new ApiError('positionModeMismatch', { symbol: market.symbol, positionMode, current });
  }
  const position = leveragedPosition(call, market, current, change);
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
  return changed(call.engine.venue, market, TYPE_LEVERAGE);
}

/** The number of the position that a leverage is for; null: all of the market's. A hedge position may be flat. */
function leveragedPosition(
  call: Call,
  market: Market,
  mode: PositionMode,
  { positionId, positionDirection }: LeverageChange,
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

export function positionModeRows({ venue, account }: Call, only: Market | null): object[] {
  return venue.markets
    .filter((market) => (only === null ? market.product === 'futures' : market === only))
    .map((market) => ({ symbol: market.symbol, positionMode: venue.settings(account, market).mode }));
}

export async function changePositionMode(call: Call, market: Market, mode: PositionMode): Promise<object> {
  await submit(call, { v: 1, type: 'setPositionMode', account: call.account, market: market.index, mode });
  return changed(call.engine.venue, market, TYPE_MODE_CHANGE);
}
