/**
 * Positions on the futures surfaces: the rows of open positions, the position that a request names, closes, and
 * attached orders. Surfaces differ only in the null rule of positionDirection and in field names. Settings are in
 * position-settings.ts.
 */

import type { AttachedOrders, AttachOrders, Place, PositionMode } from '../../venue/contract/commands.ts';
import { decimalNumber } from '../../venue/contract/decimal.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import { FINE, sideText } from '../../venue/contract/units.ts';
import type { PositionView, Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { entryPrice, moneyNumber, positionText } from '../orders/order-records.ts';
import { ApiError, malformed } from '../shared/errors.ts';
import { marketId } from '../shared/markets.ts';
import type { Call } from '../shared/surface.ts';

/** The margin types of the interface. */
const MARGIN_CROSS = 91;
const MARGIN_ISOLATED = 92;

export const SPOT_WALLET = 'SPOT@';
export const CROSS_WALLET = 'CROSS@';

export function isolatedWalletName(market: MarketView): string {
  return `ISOLATED@${marketId(market)}`;
}

/** Notional at the mark, in smallest units of the settlement currency. */
export function notionalOf({ market, size }: PositionView): bigint {
  return (BigInt(Math.abs(size)) * BigInt(market.mark) * market.unitsPerTickLot) / BigInt(FINE);
}

const LEVERAGE_DECIMALS = 8;

/** Exposure divided by equity, to eight decimals. 0 without equity. */
export function leverageOf(exposure: bigint, equity: bigint): number {
  if (equity <= 0n) return 0;
  return decimalNumber(Number((exposure * 10n ** BigInt(LEVERAGE_DECIMALS)) / equity), LEVERAGE_DECIMALS);
}

export function directionOf({ size }: PositionView): 'LONG' | 'SHORT' {
  return size > 0 ? 'LONG' : 'SHORT';
}

/** The caller's open positions, of one market or all, in the rows that the surfaces share. */
export function positionRows(call: Call, only: MarketView | null): { row: object; view: PositionView }[] {
  const { venue, account } = call;
  const views = venue.positions(account).filter(({ market }) => only === null || market === only);
  return views.map((view) => ({ row: positionRow(call, view), view }));
}

/** A row without positionDirection, which each surface adds itself. */
function positionRow({ venue, engine, account }: Call, view: PositionView): object {
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
    adlScoreBucket: venue.adlBucket(account, view),
    liquidationInProgress: view.liquidating,
    timestamp: engine.nowMs(),
    takeProfitOrder: attachedRow(venue, market, orders, 'takeProfit'),
    stopLossOrder: attachedRow(venue, market, orders, 'stopLoss'),
    positionMode: mode,
    positionId: positionText(market, mode, view.id),
    currentLeverage: leverageOf(notionalOf(view), equity),
    contractSize: Number(market.spec.contractSize),
    walletName: isolated ? isolatedWalletName(market) : CROSS_WALLET,
  };
}

/** An attached order in the row of its position. */
export interface AttachedRow {
  readonly orderId: string;
  readonly side: 'BUY' | 'SELL';
  readonly triggerPrice: number;
  readonly triggerUseLastPrice: boolean;
}

/** The newest waiting attached order of a role. */
export function attachedRow(
  venue: Venue,
  market: MarketView,
  orders: readonly OrderView[],
  role: 'takeProfit' | 'stopLoss',
): AttachedRow | null {
  const order = orders.findLast((one) => one.algo === 'bracket' && one.details?.terms.role === role);
  if (order === undefined || order.trigger === null) return null;
  return {
    orderId: venue.orderIds.encode(order.key),
    side: sideText(order.side),
    triggerPrice: market.priceNumber(order.trigger.price),
    triggerUseLastPrice: order.trigger.reference === 'last',
  };
}

// ---- which position ----

export interface Which {
  readonly positionId?: string | undefined;
  /** The side of an order that reduces it. */
  readonly side?: 'BUY' | 'SELL' | undefined;
}

/** The open position that a request names. ONE_WAY has one. Otherwise positionId decides, and in HEDGE also side. */
export function openPosition(call: Call, market: MarketView, { positionId, side }: Which): PositionView {
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

/** The command for a reduce-only order of the position's whole size, as it is when the request arrives. */
export function closeCommand(call: Call, market: MarketView, { positionId, price, postOnly }: Closing): Place {
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

/** Refuses the request if the account has another mode in the market. */
export function checkMode(call: Call, market: MarketView, positionMode: PositionMode | undefined): PositionMode {
  const current = call.venue.settings(call.account, market).mode;
  if (positionMode === undefined || positionMode === current) return current;
  throw new ApiError('positionModeMismatch', { symbol: market.symbol, positionMode, current });
}

/**
 * The command that attaches a take-profit, a stop-loss or both to an open position. The venue's reply has the orders in
 * that order. `fields`: their names on the surface.
 */
export function attachCommand(
  call: Call,
  market: MarketView,
  which: Which & { readonly positionMode?: PositionMode | undefined },
  { takeProfit = null, stopLoss = null }: AttachedOrders,
  fields: readonly [string, string],
): AttachOrders {
  if (takeProfit === null && stopLoss === null) {
    throw malformed(fields[0], 'is missing', `give ${fields[0]}, ${fields[1]} or both`);
  }
  checkMode(call, market, which.positionMode);
  const { id } = openPosition(call, market, which);
  return {
    v: 1,
    type: 'attachBrackets',
    account: call.account,
    market: market.index,
    position: id,
    takeProfit,
    stopLoss,
  };
}
