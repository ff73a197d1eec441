/**
 * Accepts or holds new index values, and watches the feeds that send them (rules 13.1 to 13.4, and 13.18 to 13.21).
 *
 * - A value that jumps by more than the market's `indexJump` (default 1 %) is held until a second value near it confirms
 *   it. A value near the present index drops it. A value far from both takes its place.
 * - If no value is accepted for longer than `staleAfterMs`, the index is stale. A held value does not count. No trigger on
 *   the index fires then, and on spot none on the mark. Orders react to the next accepted value even if it equals the
 *   old one.
 * - A value that is set manually is always accepted, and never becomes stale.
 *
 * Cost: one timer per market, in the queue only while a feed is watched.
 */

import type { SetPrices } from '../contract/commands.ts';
import { NONE, PARTS, type Reference } from '../contract/units.ts';
import type { Market } from '../state/market.ts';
import type { FeedTimer, VenueState } from '../state/venue-state.ts';
import { TIMER_FEED } from '../structures/timer-queue.ts';

export function feedTimer(market: Market): FeedTimer {
  return { type: 'feed', market, key: market.index, timer: NONE, dueMs: 0, timerRank: TIMER_FEED };
}

/**
 * Accepts or holds the index value of a command, and restarts the timer of its feed. Returns the index from now on,
 * which the caller stores.
 */
export function filterIndex(venue: VenueState, market: Market, command: SetPrices): number {
  const { index } = command;
  if (index === undefined) return market.indexPrice;
  if (!command.byHand && jumps(market, index)) {
    market.pendingIndex = index;
    venue.noteUnsettled(market);
    const price = { market: market.index, reference: 'index', fine: index, previous: market.indexPrice } as const;
    venue.emit.priceHeld?.({ type: 'priceHeld', ...price });
    return market.indexPrice;
  }
  market.pendingIndex = 0;
  venue.noteUnsettled(market);
  // One millisecond later, because the rule says "longer than".
  watchFeed(venue, market, command.byHand ? 0 : venue.nowMs + market.spec.staleAfterMs + 1);
  return index;
}

/** True if a value is too far from the index, and from the held value. */
function jumps(market: Market, index: number): boolean {
  const far = (from: number) =>
    from !== 0 && BigInt(Math.abs(index - from)) * BigInt(PARTS) > BigInt(from) * BigInt(market.indexJump);
  return far(market.indexPrice) && (market.pendingIndex === 0 || far(market.pendingIndex));
}

/** Sets when the feed counts as stopped. 0: never, because the index was set manually. */
export function watchFeed(venue: VenueState, market: Market, staleAtMs: number): void {
  const timer = venue.feeds[market.index];
  market.indexStaleAtMs = staleAtMs;
  if (staleAtMs === 0) venue.timers.clear(timer);
  else venue.timers.set(timer, staleAtMs, TIMER_FEED);
}

/** Marks the index as stale. Called when the timer of the feed fires. */
export function goStale(venue: VenueState, market: Market): void {
  goStaleSilently(market);
  venue.emit.priceStale?.({ type: 'priceStale', market: market.index });
}

/** Without an event: what remains of it when the event has made the venue throw. */
export function goStaleSilently(market: Market): void {
  market.indexStaleAtMs = 0;
  market.indexStale = true;
}

/** A value was accepted. Returns the references that were stale: they have to be observed again. */
export function endStale(venue: VenueState, market: Market): readonly Reference[] {
  if (!market.indexStale) return [];
  const again = (['mark', 'index'] as const).filter((reference) => market.stale(reference));
  market.indexStale = false;
  venue.emit.priceFresh?.({ type: 'priceFresh', market: market.index });
  return again;
}
