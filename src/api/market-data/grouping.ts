/**
 * How books are shown on REST and on streams: grouped in steps of ticks, with prices in one spelling.
 *
 * Level G of a grouped book has steps of GROUP_TICKS[G] ticks. Bids are rounded down and asks up, so that no price looks
 * better than it is.
 */
import { BUY, type DepthLevel, type Side } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';

export const GROUP_TICKS = [1, 5, 10, 50, 100, 500, 1000, 5000, 10_000] as const;

/** The price that a level has in a book of steps of `ticks`. */
export function groupedPrice(side: Side, priceTicks: number, ticks: number): number {
  const steps = priceTicks / ticks;
  return (side === BUY ? Math.floor(steps) : Math.ceil(steps)) * ticks;
}

/** The best `limit` levels in steps of `ticks`. `levels` are best first, and so is the result. */
export function grouped(levels: Iterable<DepthLevel>, side: Side, ticks: number, limit: number): DepthLevel[] {
  const groups: { priceTicks: number; sizeLots: number }[] = [];
  for (const { priceTicks, sizeLots } of levels) {
    const price = groupedPrice(side, priceTicks, ticks);
    const last = groups.at(-1);
    if (last?.priceTicks === price) last.sizeLots += sizeLots;
    else if (groups.length === limit) break;
    else groups.push({ priceTicks: price, sizeLots });
  }
  return groups;
}

/** A price with all decimals of the tick: clients use this text as the key of a level. */
export function levelPrice({ tick }: MarketView, priceTicks: number): string {
  const digits = String(priceTicks * Number(tick.coefficient)).padStart(tick.scale + 1, '0');
  return tick.scale === 0 ? digits : `${digits.slice(0, -tick.scale)}.${digits.slice(-tick.scale)}`;
}
