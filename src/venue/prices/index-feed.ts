/**
 * An index that comes from a feed (rules 13.1 to 13.4, and 13.18 to 13.21).
 *
 * - A jump of more than the market's indexJump (1 %) is pending until a second value confirms it.
 * - If no value comes for longer than staleAfterMs, the price is stale. Nothing fires on it until a value is accepted
 *   again. Orders then react to that value even if it equals the old one.
 * - A price that is set manually is always accepted, and never becomes stale.
 *
 * Cost: one timer for each market with a feed.
 */

import type { SetPrices } from '../contract/commands.ts';
import { NONE, PARTS, type Reference } from '../contract/units.ts';
import type { Market } from '../state/market.ts';
import type { FeedTimer, VenueState } from '../state/venue-state.ts';
import { TIMER_FEED } from '../structures/timer-queue.ts';

export function feedTimer(market: Market): FeedTimer {
  return { type: 'feed', market, key: market.index, timer: NONE, dueMs: 0, timerRank: TIMER_FEED };
}

/** The index after a command: the new one, or the present one while a jump is pending. */
export function indexFrom(venue: VenueState, market: Market, command: SetPrices): number {
  const { index } = command;
  if (index === undefined) return market.indexPrice;
  if (!command.byHand && jumps(market, index)) {
    market.pendingIndex = index;
    venue.emit.priceHeld?.({ type: 'priceHeld', market: market.index, reference: 'index', fine: index });
    return market.indexPrice;
  }
  market.pendingIndex = 0;
  watchFeed(venue, market, command.byHand ? 0 : venue.nowMs + market.spec.staleAfterMs + 1);
  return index;
}

/** Whether a value is too far from the index, and from the pending index. */
function jumps(market: Market, index: number): boolean {
  const far = (from: number) =>
    from !== 0 && BigInt(Math.abs(index - from)) * BigInt(PARTS) > BigInt(from) * BigInt(market.indexJump);
  return far(market.indexPrice) && (market.pendingIndex === 0 || far(market.pendingIndex));
}

/** `staleAtMs` 0: the index does not come from a feed, and never becomes stale. */
export function watchFeed(venue: VenueState, market: Market, staleAtMs: number): void {
  const timer = venue.feeds[market.index];
  market.indexStaleAtMs = staleAtMs;
  if (staleAtMs === 0) venue.timers.clear(timer);
  else venue.timers.set(timer, staleAtMs, TIMER_FEED);
}

/** The feed has stopped: its deadline has passed. */
export function goStale(venue: VenueState, market: Market): void {
  market.indexStaleAtMs = 0;
  market.indexStale = true;
  venue.emit.priceStale?.({ type: 'priceStale', market: market.index });
}

/** A value was accepted. Returns the references that were stale, which have to be observed again. */
export function refresh(venue: VenueState, market: Market): readonly Reference[] {
  if (!market.indexStale) return [];
  const again = (['mark', 'index'] as const).filter((reference) => market.stale(reference));
  market.indexStale = false;
  venue.emit.priceFresh?.({ type: 'priceFresh', market: market.index });
  return again;
}
