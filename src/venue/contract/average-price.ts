/** Average prices: the one place where a sum of price × size is divided by its size. */

import { type Decimal, decimalText } from './decimal.ts';

/** Digits that an average price has below those of the tick. */
const DIGITS = 8;

/** nearest: the price is rounded, half up. down: the ticks are cut at eight digits, and then priced. */
export type AverageRounding = 'nearest' | 'down';

/** `cost` (ticks × lots, at least 0) / `lots` (above 0) as a price in plain text. */
export function averagePriceText(tick: Decimal, cost: bigint, lots: bigint, rounding: AverageRounding): string {
  const { coefficient, scale } = tick;
  const unit = 10n ** BigInt(DIGITS);
  const scaled =
    rounding === 'nearest' ? (cost * coefficient * unit + lots / 2n) / lots : ((cost * unit) / lots) * coefficient;
  return decimalText(scaled, scale + DIGITS);
}
