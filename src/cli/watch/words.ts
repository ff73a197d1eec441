/** Numbers and times of a market, as people read them. */
import type { OwnOrder, WatchedMarket } from './picture.ts';

/** 60003.0 */
export function priceText({ priceDecimals }: WatchedMarket, value: number | string): string {
  return Number(value).toFixed(priceDecimals);
}

export function sizeText({ sizeDecimals }: WatchedMarket, value: number | string): string {
  return Number(value).toFixed(sizeDecimals);
}

/** What the sizes of a market are in. */
export function unitOf({ product, base }: WatchedMarket): string {
  return product === 'futures' ? 'contracts' : base;
}

/** The price of an order, or its type if it has none; and what it waits for. `text` writes a price. */
export function termsOf({ price, triggerPrice, type, status }: OwnOrder, text: (price: number) => string): string {
  const own = price > 0 ? text(price) : type;
  return status === 'waiting' && triggerPrice > 0 ? `${own} from ${text(triggerPrice)}` : own;
}

/** 08:00:10, UTC. */
export function timeOfDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 19);
}
