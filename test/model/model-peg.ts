/** PEG (semantics.md section 9): a limit that follows the index, shown in slices. */
import { within } from './model-book.ts';
import { checkMargin } from './model-checks.ts';
import { afterSweep } from './model-links.ts';
import { end, enterLimit } from './model-matching.ts';
import {
  BUY,
  ceilDiv,
  FINE,
  floorDiv,
  isLive,
  type ModelMarket,
  type ModelOrder,
  PERCENT_PARTS,
  unfilled,
  type World,
} from './model-state.ts';

/** index × (1 + deviation), on the tick (BUY down, SELL up), held inside the band, never beyond the cap. */
export function effectivePrice(market: ModelMarket, o: ModelOrder): number {
  if (market.indexPrice === 0) return 0;
  const scaled = BigInt(market.indexPrice) * (PERCENT_PARTS + BigInt(o.peg!.deviation));
  const tick = PERCENT_PARTS * BigInt(FINE);
  const ticks = Number(o.side === BUY ? floorDiv(scaled, tick) : ceilDiv(scaled, tick));
  // The band is around the index on spot, around the mark on futures.
  const banded = within(
    market,
    o.side,
    (market.product === 'futures' && market.mark) || market.indexPrice,
    market.band,
  );
  if (o.side === BUY) return Math.max(1, Math.min(ticks, banded, o.price));
  return Math.min(market.maxTicks, Math.max(ticks, banded, o.price));
}

export function sliceOf(size: number, stealth: number): number {
  return Number(ceilDiv(BigInt(size) * BigInt(stealth), PERCENT_PARTS));
}

/**
 * After the index moved: all whose price is another one leave the book, then all have their new price, and then they enter
 * by age, each as a new order would. So none meets another at a price of before.
 */
export function repricePegs(w: World, market: ModelMarket, pegs: ModelOrder[]): void {
  const moved = pegs
    .map((o) => ({ o, before: o.peg!.effective, price: effectivePrice(market, o) }))
    .filter(({ before, price }) => price !== before);
  for (const { o, price } of moved) {
    o.resting = null;
    o.peg!.effective = price;
    o.updatedMs = w.s.now;
  }
  for (const { o, before, price } of moved) {
    if (!isLive(o)) continue;
    // Nothing was held for it while it waited for the first index.
    const waited = before === 0 && market.product === 'futures';
    const account = w.s.accounts.get(o.account)!;
    const bad = waited ? checkMargin(w, account, market, o.side, o.price, unfilled(o)) : null;
    if (bad !== null) end(w, o, 'rejected', bad.reason, bad.params);
    else enterLimit(w, o, price);
    afterSweep(w);
  }
}
