/** Figures of refusals as plain decimal text. */
import { ratio } from './model-open.ts';
import { FINE, type ModelMarket, type ModelState } from './model-state.ts';

/** top / bottom, bottom a power of ten, without trailing zeros. */
export function decimal(top: bigint, bottom: bigint): string {
  const digits = String(bottom).length - 1;
  const sign = top < 0n ? '-' : '';
  const text = String(top < 0n ? -top : top).padStart(digits + 1, '0');
  const fraction = text.slice(text.length - digits).replace(/0+$/, '');
  return sign + text.slice(0, text.length - digits) + (digits > 0 && fraction !== '' ? `.${fraction}` : '');
}

export const amountText = (s: ModelState, currency: number, units: bigint): string =>
  decimal(units, 10n ** BigInt(s.currencies[currency].decimals));

function gridText(step: string, units: number): string {
  const { top, bottom } = ratio(step);
  return decimal(top * BigInt(units), bottom);
}

export const priceText = (market: ModelMarket, ticks: number): string => gridText(market.spec.tick, ticks);
export const sizeText = (market: ModelMarket, lots: number): string => gridText(market.spec.step, lots);
export function fineText(market: ModelMarket, fine: number): string {
  const { top, bottom } = ratio(market.spec.tick);
  return decimal(top * BigInt(fine), bottom * BigInt(FINE));
}
