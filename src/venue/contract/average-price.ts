/** Average prices. This is the only place that divides a sum of price × size by the size. */

import { type Decimal, decimalText } from './decimal.ts';

/** Digits of an average price beyond those of the tick. */
const DIGITS = 8;

/** nearest: rounds the price half up. down: cuts the number of ticks after eight digits, then prices it. */
export type AverageRounding = 'nearest' | 'down';

/** `cost` (ticks × lots, at least 0) / `lots` (above 0), as a price in plain text. */
export function averagePriceText(tick: Decimal, cost: bigint, lots: bigint, rounding: AverageRounding): string {
  const { coefficient, scale } = tick;
  const unit = 10n ** BigInt(DIGITS);
  const scaled =
    rounding === 'nearest' ? (cost * coefficient * unit + lots / 2n) / lots : ((cost * unit) / lots) * coefficient;
  return decimalText(scaled, scale + DIGITS);
}
