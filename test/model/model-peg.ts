/** PEG (semantics.md section 9): a limit that follows the index, shown in slices. */
import { within } from './model-book.ts';
import { checkMargin, limitOrder } from './model-checks.ts';
import { end, enterLimit } from './model-matching.ts';
import {
  BUY,
  ceilDiv,
  FINE,
  floorDiv,
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

/** After the index moved: a new price leaves the old place and enters as a new order would. */
export function repricePeg(w: World, o: ModelOrder): void {
  const price = effectivePrice(w.s.markets[o.market], o);
  if (price === o.peg!.effective) return;
  if (o.peg!.effective === 0 && o.product === 'futures') {
    // Nothing was held for it while it waited for the first index.
    const account = w.s.accounts.get(o.account)!;
    const market = w.s.markets[o.market];
    const bad = checkMargin(w, account, market, limitOrder(w, account, market, o.side, o.price, unfilled(o)));
    if (bad !== null) {
      end(w, o, 'rejected', bad.reason, bad.params);
      return;
    }
  }
  o.peg!.effective = price;
  o.resting = null;
  o.updatedMs = w.s.now;
  if (price !== 0) enterLimit(w, o, price);
}
