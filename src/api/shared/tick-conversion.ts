/**
 * From the decimals of a request to the integers of a command, on the grids of its market. Nothing is rounded: what a
 * grid or its bounds refuse has a code of its own (off the tick 302, off the step 301, …) and names valid neighbours.
 */

import {
  compareDecimals,
  type Decimal,
  decimalText,
  MAX_MONEY,
  onGrid,
  parseDecimal,
  toUnits,
} from '../../venue/contract/decimal.ts';
import { FINE, PARTS } from '../../venue/contract/units.ts';
import type { Market } from '../../venue/state/market.ts';
import { ApiError, malformed } from './errors.ts';
import type { Call } from './surface.ts';

/** An order price in ticks. */
export function priceTicks(market: Market, field: string, value: Decimal): number {
  const place = onGrid(value, market.tick);
  if (place !== 'out of range' && 'units' in place && place.units > 0 && place.units <= market.maxPriceTicks) {
    return place.units;
  }
  const price = decimalText(value.coefficient, value.scale);
  if (compareDecimals(value, market.tick) < 0) {
    throw new ApiError('priceBelowMinimum', { field, price, minimum: market.spec.tick });
  }
  if (place === 'out of range' || 'units' in place || isAbove(value, market.spec.maxPrice)) {
    throw new ApiError('priceAboveMaximum', { field, price, maximum: market.spec.maxPrice });
  }
  throw new ApiError('priceOffTick', { field, price, below: place.below, above: place.above });
}

/** A size in lots: base currency on spot, contracts on futures. */
export function sizeLots(market: Market, field: string, value: Decimal): number {
  const place = onGrid(value, market.lot);
  if (place !== 'out of range' && 'units' in place && place.units >= market.minLots && place.units <= market.maxLots) {
    return place.units;
  }
  const size = decimalText(value.coefficient, value.scale);
  if (compareDecimals(value, decimalOf(market.spec.minSize)) < 0) {
    throw new ApiError('sizeBelowMinimum', { field, size, minimum: market.spec.minSize });
  }
  if (place === 'out of range' || 'units' in place || isAbove(value, market.spec.maxSize)) {
    throw new ApiError('sizeAboveMaximum', { field, size, maximum: market.spec.maxSize });
  }
  throw new ApiError('sizeOffStep', { field, size, below: place.below, above: place.above });
}

/** A distance in thousandths of a tick (a trailing stop's), above zero. */
export function finePrice(market: Market, field: string, value: Decimal): number {
  const price = decimalText(value.coefficient, value.scale);
  const fineTick = { coefficient: market.tick.coefficient, scale: market.tick.scale + 3 };
  const place = onGrid(value, fineTick);
  if (place !== 'out of range' && 'units' in place && place.units > 0 && place.units <= market.maxPriceTicks * FINE) {
    return place.units;
  }
  if (compareDecimals(value, fineTick) < 0) {
    const minimum = decimalText(fineTick.coefficient, fineTick.scale);
    throw new ApiError('priceBelowMinimum', { field, price, minimum });
  }
  if (place === 'out of range' || 'units' in place || isAbove(value, market.spec.maxPrice)) {
    throw new ApiError('priceAboveMaximum', { field, price, maximum: market.spec.maxPrice });
  }
  throw new ApiError('priceOffTick', { field, price, below: place.below, above: place.above });
}

/** Asked only where something is refused already: the limits of a market are texts. */
function isAbove(value: Decimal, limit: string): boolean {
  return compareDecimals(value, decimalOf(limit)) > 0;
}

/** A decimal that was checked before. */
export function decimalOf(text: string): Decimal {
  const value = parseDecimal(text);
  if (typeof value === 'string') throw new RangeError(`not a decimal: ${text}`);
  return value;
}

/** An amount of the market's quote currency in its smallest units, as a command holds it; above zero. */
export function quoteUnits(call: Call, market: Market, field: string, value: Decimal): string {
  const { decimals } = call.venue.currencies[market.quote];
  const size = decimalText(value.coefficient, value.scale);
  const unit: Decimal = { coefficient: 1n, scale: decimals };
  if (compareDecimals(value, unit) < 0) {
    throw new ApiError('sizeBelowMinimum', { field, size, minimum: decimalText(1n, decimals) });
  }
  const units = toUnits(value, decimals);
  if (units === null) {
    const whole = value.coefficient / 10n ** BigInt(value.scale - decimals);
    const [below, above] = [decimalText(whole, decimals), decimalText(whole + 1n, decimals)];
    throw new ApiError('sizeOffStep', { field, size, below, above });
  }
  if (units > MAX_MONEY) {
    throw new ApiError('sizeAboveMaximum', { field, size, maximum: decimalText(MAX_MONEY, decimals) });
  }
  return units.toString();
}

/** A percentage or fraction in parts of 1 / 100,000,000. Bounds are the schema's. */
export function parts(field: string, value: Decimal): number {
  const place = onGrid(value, { coefficient: 1n, scale: Math.log10(PARTS) });
  if (place !== 'out of range' && 'units' in place) return place.units;
  const given = decimalText(value.coefficient, value.scale);
  throw malformed(field, `is ${given}`, 'give at most 8 decimals');
}
