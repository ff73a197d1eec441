/** An index from a feed (semantics.md section 13): jumps wait for a second value, and a feed that stops suspends triggers. */
import type { Reference, SetPrices } from '../../src/venue/contract/commands.ts';
import { type ModelMarket, PARTS, referencePrice, say, type World } from './model-state.ts';

const far = (market: ModelMarket, from: number, to: number): boolean =>
  BigInt(Math.abs(to - from)) * PARTS > BigInt(from) * market.indexJump;

/** The index that the command leaves. A jump is held until the next value is no jump from it. */
export function takeIndex(w: World, market: ModelMarket, { index, byHand }: SetPrices): number {
  if (index === undefined) return market.indexPrice;
  const jump = market.indexPrice !== 0 && far(market, market.indexPrice, index);
  const confirmed = market.pendingIndex !== 0 && !far(market, market.pendingIndex, index);
  if (!byHand && jump && !confirmed) {
    market.pendingIndex = index;
    say(w, `held index ${index} of ${market.index}`);
    return market.indexPrice;
  }
  market.pendingIndex = 0;
  // What is set by hand never goes stale; a feed does when its last value is older than staleAfter.
  market.staleAtMs = byHand ? 0 : w.s.now + market.spec.staleAfterMs + 1;
  return index;
}

/** Nothing fires on it. A spot mark that follows the index is as stale as it; a perpetual's is the venue's own. */
export function isStale(market: ModelMarket, of: Reference): boolean {
  if (!market.stale || of === 'last') return false;
  return of === 'index' || (market.product === 'spot' && !market.markPinned);
}

/** The reference price that an order may act on; 0: none yet, or stale. */
export function freshPrice(market: ModelMarket, of: Reference): number {
  return isStale(market, of) ? 0 : referencePrice(market, of);
}
