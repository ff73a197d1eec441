/**
 * The limits of an order's price and size. These rules exist only here. A surface uses them through views.ts before it
 * submits, so that a value beyond a limit is not logged, and the core checks again. Field names are those of the
 * commands. A surface passes its own.
 */

import { type Refusal, refuse } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import type { Market } from '../state/market.ts';

const { FINE } = units;

type PriceLimits = Pick<Market, 'maxPriceTicks' | 'priceText' | 'fineText'>;
type SizeLimits = Pick<Market, 'symbol' | 'minLots' | 'maxLots' | 'sizeText'>;

/** Null (not given) is within limits. */
export function sizeInLimits(market: SizeLimits, field: string, lots: number | null): Refusal | null {
  if (lots === null || (lots >= market.minLots && lots <= market.maxLots)) return null;
  return sizeBeyondLimits(market, field, lots);
}

function sizeBeyondLimits(market: SizeLimits, field: string, lots: number): Refusal {
  const { symbol } = market;
  const size = market.sizeText(lots);
  if (lots < market.minLots) {
    return refuse('sizeBelowMinimum', { field, size, minimum: market.sizeText(market.minLots), symbol });
  }
  return refuse('sizeAboveMaximum', { field, size, maximum: market.sizeText(market.maxLots), symbol });
}

/** Null (not given) is within limits. */
export function priceInLimits(market: PriceLimits, field: string, ticks: number | null): Refusal | null {
  if (ticks === null || (ticks >= 1 && ticks <= market.maxPriceTicks)) return null;
  return priceBeyondLimits(market, field, ticks);
}

function priceBeyondLimits(market: PriceLimits, field: string, ticks: number): Refusal {
  const price = market.priceText(ticks);
  if (ticks < 1) return refuse('priceBelowMinimum', { field, price, minimum: market.priceText(1) });
  return refuse('priceAboveMaximum', { field, price, maximum: market.priceText(market.maxPriceTicks) });
}

/** The same check for a price or a distance that may be between two ticks. It is in thousandths of a tick. */
export function finePriceInLimits(market: PriceLimits, field: string, fine: number): Refusal | null {
  if (fine >= 1 && fine <= market.maxPriceTicks * FINE) return null;
  const price = market.fineText(fine);
  if (fine < 1) return refuse('priceBelowMinimum', { field, price, minimum: market.fineText(1) });
  return refuse('priceAboveMaximum', { field, price, maximum: market.priceText(market.maxPriceTicks) });
}
