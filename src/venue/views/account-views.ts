/** What code outside the venue sees of an account: balances, positions, settings, and what an order is worth. */
import type { Currency } from '../contract/account-view.ts';
import type { PositionMode } from '../contract/commands.ts';
import { ceilDiv, floorDiv, mulDivCeil } from '../contract/decimal.ts';
import type { OrderView } from '../contract/order-view.ts';
import { FINE, PARTS } from '../contract/units.ts';
import { maintenanceOf, positionMargin, tierOf, worstExposure } from '../risk/margin.ts';
import { crossMarginAccount, equityOf } from '../risk/margin-account.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { MarketPositions } from '../state/market-positions.ts';
import { notionalAtMark, type Position, unrealised } from '../state/position.ts';
import type { MarketView } from './market-view.ts';

/** Smallest units. `margin` includes open losses. available = total − reserved − margin + min(0, unrealised). */
export interface Balance {
  readonly currency: Currency;
  readonly total: bigint;
  readonly available: bigint;
  readonly reserved: bigint;
  readonly margin: bigint;
  readonly unrealised: bigint;
}

export interface PositionView {
  readonly market: MarketView;
  readonly mode: PositionMode;
  /** 0 in ONE_WAY, 1 (LONG) or 2 (SHORT) in HEDGE, the number of the position in ISOLATED. */
  readonly id: number;
  /** Signed contracts. Positive is long. */
  readonly size: number;
  /** The exact entry price is entryCost / |size|. Smallest units of the settlement currency. */
  readonly entryCost: bigint;
  readonly unrealised: bigint;
  /** Margin of the position and its opening orders. For an isolated position, its collateral. */
  readonly margin: bigint;
  readonly maintenance: bigint;
  /** 0: the tier's maximum. */
  readonly leverage: number;
  /** Fine price at which it would be liquidated if nothing else changed. Null: there is no such price above 0. */
  readonly liquidationPrice: number | null;
  /** Its liquidation has begun and has not ended. */
  readonly liquidating: boolean;
}

/** The settings of an account in a perpetual market, and its risk tier. */
export interface SettingsView {
  readonly mode: PositionMode;
  /**
   * Leverage in force (0: the tier's maximum). Both are equal in ONE_WAY, and in ISOLATED, where they apply to future
   * positions.
   */
  readonly longLeverage: number;
  readonly shortLeverage: number;
  /** Index of the tier in the market, from 0: the tier of the largest exposure, or the chosen one if that is higher. */
  readonly tier: number;
}

/** All of a position view but its market. */
export function figuresOf(
  account: Account,
  market: Market,
  marketPositions: MarketPositions,
  position: Position,
): Omit<PositionView, 'market'> {
  const isolated = marketPositions.mode === 'ISOLATED';
  return {
    mode: marketPositions.mode,
    id: position.id,
    size: position.size,
    entryCost: position.cost < 0n ? -position.cost : position.cost,
    unrealised: unrealised(position, market),
    margin: isolated
      ? position.collateral
      : positionMargin(market, worstExposure(market, position), position, account.rates(market).taker),
    maintenance: maintenanceOf(market, position),
    leverage: position.leverage,
    liquidationPrice: isolated
      ? liquidationPrice(market, [position], position.collateral + unrealised(position, market), 0n)
      : crossLiquidationPrice(account, market, marketPositions),
    liquidating: position.liquidationStepLots > 0,
  };
}

/** Positions in other markets count at their present value. */
function crossLiquidationPrice(account: Account, market: Market, marketPositions: MarketPositions): number | null {
  const { quote } = market;
  const equity = equityOf(crossMarginAccount(account, quote));
  let elsewhere = 0n;
  for (const other of account.openMarkets) {
    const positions = account.positionsIn(other.index);
    if (positions === marketPositions || positions.mode === 'ISOLATED' || other.quote !== quote) continue;
    for (const position of positions.positions()) elsewhere += maintenanceOf(other, position);
  }
  return liquidationPrice(market, marketPositions.positions(), equity, elsewhere);
}

/**
 * The mark p at which equity + size × (p − mark) is no more than the maintenance at p + the maintenance elsewhere. Each
 * position counts at its present tier (the rate of that, less the saving on the parts below it). Rounded to the side on
 * which the price is certainly reached. Fine. Null: there is no such price above 0.
 */
function liquidationPrice(
  market: Market,
  positions: readonly Position[],
  equity: bigint,
  elsewhere: bigint,
): number | null {
  if (market.valuationMark === 0) return null;
  const parts = BigInt(PARTS);
  let size = 0n;
  let rated = 0n;
  let spared = 0n;
  for (const position of positions) {
    const value = notionalAtMark(position, market);
    const rate = tierOf(market, value, position.limit).maintenance;
    size += BigInt(position.size);
    rated += rate * BigInt(Math.abs(position.size));
    spared += mulDivCeil(value, rate, parts) - maintenanceOf(market, position);
  }
  const slope = (size * parts - rated) * market.unitsPerTickLot;
  if (slope === 0n) return null;
  const worth =
    (size * BigInt(market.valuationMark) * market.unitsPerTickLot - (equity - elsewhere + spared) * BigInt(FINE)) *
    parts;
  const fine = slope > 0n ? floorDiv(worth, slope) : ceilDiv(-worth, -slope);
  return fine > 0n && fine <= BigInt(market.maxPriceTicks * FINE) ? Number(fine) : null;
}

/**
 * price × present size, in smallest quote units. Without a price: at the band reference. For quote-sized orders: the
 * quote.
 */
export function orderValueOf(market: Market, order: OrderView): bigint {
  if (order.quoteOriginal !== null) return order.quoteOriginal;
  if (order.price > 0) return market.notional(order.price, order.quantity);
  const fine = market.bandReference || market.last;
  return floorDiv(BigInt(fine) * BigInt(order.quantity) * market.unitsPerTickLot, BigInt(FINE));
}
