/**
 * Converts the decimals of a request to the integers of a command, on the grids of its market. Nothing is rounded: a
 * value off its grid has its own code (off the tick 302, off the step 301) and names valid neighbours. The venue owns
 * the limits of price and size (risk/limits.ts). They are checked here too, so that a value beyond them is not logged.
 */

import {
  compareDecimals,
  type Decimal,
  decimalText,
  floorDiv,
  MAX_MONEY,
  onGrid,
  parseDecimal,
  toUnits,
} from '../../venue/contract/decimal.ts';
import type { Refusal } from '../../venue/contract/reasons.ts';
import { PARTS_DECIMALS } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import { finePriceInLimits, priceInLimits, sizeInLimits } from '../../venue/views.ts';
import { ApiError, malformed } from './errors.ts';
import type { Call } from './surface.ts';

/** An order price in ticks. */
export function priceTicks(market: MarketView, field: string, value: Decimal): number {
  return unitsWithin(market, field, value, PRICE);
}

/** A size in lots: base currency on spot, contracts on futures. */
export function sizeLots(market: MarketView, field: string, value: Decimal): number {
  return unitsWithin(market, field, value, SIZE);
}

/** A price or a distance in thousandths of a tick (a trailing stop's), above zero. */
export function finePrice(market: MarketView, field: string, value: Decimal): number {
  return unitsWithin(market, field, value, FINE_PRICE);
}

/** One kind of value: the step of its grid, the venue's limits, and the refusal of a value off the grid. */
interface Kind {
  readonly param: 'price' | 'size';
  readonly offGrid: 'priceOffTick' | 'sizeOffStep';
  readonly step: (market: MarketView) => Decimal;
  readonly refusal: (market: MarketView, field: string, units: number) => Refusal | null;
}

const PRICE: Kind = { param: 'price', offGrid: 'priceOffTick', step: ({ tick }) => tick, refusal: priceInLimits };
const SIZE: Kind = { param: 'size', offGrid: 'sizeOffStep', step: ({ lot }) => lot, refusal: sizeInLimits };
const FINE_PRICE: Kind = {
  param: 'price',
  offGrid: 'priceOffTick',
  step: ({ tick }) => ({ coefficient: tick.coefficient, scale: tick.scale + 3 }),
  refusal: finePriceInLimits,
};

/** A value between two steps is within the limits if both of them are. Then it is refused for being off the grid. */
function unitsWithin(market: MarketView, field: string, value: Decimal, kind: Kind): number {
  const step = kind.step(market);
  const place = onGrid(value, step);
  const whole = place !== 'out of range' && 'units' in place;
  for (const units of whole ? [place.units] : stepsAround(value, step)) {
    const refusal = kind.refusal(market, field, units);
    if (refusal === null) continue;
    throw new ApiError(refusal.reason, { ...refusal.params, [kind.param]: textOf(value) });
  }
  if (whole) return place.units;
  if (place === 'out of range') throw new Error(`${field} ${textOf(value)} is within limits, and yet no safe integer`);
  throw new ApiError(kind.offGrid, { field, [kind.param]: textOf(value), ...place });
}

function textOf({ coefficient, scale }: Decimal): string {
  return decimalText(coefficient, scale);
}

/** The whole steps on both sides of a value. Inexact from 2^53 on, where every value is beyond the limits. */
function stepsAround(value: Decimal, step: Decimal): [below: number, above: number] {
  const below = floorDiv(value.coefficient * 10n ** BigInt(step.scale), step.coefficient * 10n ** BigInt(value.scale));
  return [Number(below), Number(below + 1n)];
}

/** A decimal that was already checked. */
export function decimalOf(text: string): Decimal {
  const value = parseDecimal(text);
  if (typeof value === 'string') throw new RangeError(`not a decimal: ${text}`);
  return value;
}

/** An amount of the market's quote currency in its smallest units, as a command holds it. Above zero. */
export function quoteUnits(call: Call, market: MarketView, field: string, value: Decimal): string {
  const { decimals } = call.venue.currencies[market.quote];
  const size = textOf(value);
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

/** A percentage or fraction in parts of 1 / 100,000,000. The schema sets the bounds. */
export function parts(field: string, value: Decimal): number {
  const place = onGrid(value, { coefficient: 1n, scale: PARTS_DECIMALS });
  if (place !== 'out of range' && 'units' in place) return place.units;
  const given = textOf(value);
  throw malformed(field, `is ${given}`, 'give at most 8 decimals');
}
