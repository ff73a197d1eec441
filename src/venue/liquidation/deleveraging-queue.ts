/**
 * The queue of auto-deleveraging (rules 11.57 to 11.59): positions of one side of a market, highest value / equity first.
 *
 * Cost: state/deleveraging-ranks.ts.
 */

import { BUY, SELL, type Side } from '../contract/units.ts';
import { equityOf, marginAccountOf } from '../risk/margin-account.ts';
import { placeOf, type Queued, sortedQueue } from '../state/deleveraging-ranks.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import { notionalAt, type Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';

/** The positions that can be closed against a close of this side, highest rank first, then by account and position. */
export function deleveragingQueue(venue: VenueState, market: Market, side: Side): readonly Queued[] {
  return venue.margins
    .ranks(market, side)
    .queue(venue.margins.valuations, venue.holdersOf(market), (index) =>
      queuedOf(venue.accounts.get(index) as Account, market, side),
    );
}

function queuedOf(account: Account, market: Market, side: Side): Queued[] {
  const marketPositions = account.positionsIn(market.index);
  const positions = marketPositions.positions();
  const net = positions.reduce((sum, { size }) => sum + size, 0);
  const found: Queued[] = [];
  for (const position of positions) {
    if (side === SELL ? position.size >= 0 : position.size <= 0) continue;
    const size = Math.abs(position.size);
    const lots = marketPositions.mode === 'HEDGE' ? Math.min(size, Math.max(0, side === SELL ? -net : net)) : size;
    if (lots === 0) continue;
    found.push({ account, position, lots, rank: rankOf(account, market, position, lots) });
  }
  return found;
}

function rankOf(account: Account, market: Market, position: Position, lots: number): bigint {
  const equity = equityOf(marginAccountOf(account, market, position));
  return equity > 0n ? (1_000_000n * notionalAt(market, lots, market.valuationMark)) / equity : 0n;
}

const BUCKETS = 3;
/** If more accounts than this have a position, and a mark has changed, a bucket is estimated from this many of them. */
const SAMPLE = 1000;

/**
 * The bucket of an open position: which third of its queue it is in. 2 is closed first, 0 last. Exact up to SAMPLE
 * accounts with a position in the market.
 */
export function adlBucket(venue: VenueState, account: Account, market: Market, id: number): number {
  const size = account.positionsIn(market.index).byId(id)?.size ?? 0;
  const side = size < 0 ? SELL : BUY;
  const own = queuedOf(account, market, side).find(({ position }) => position.id === id);
  if (own === undefined) return 0;
  const queue = queueOrSample(venue, market, side);
  return Math.max(0, Math.ceil((BUCKETS * (queue.length - placeOf(queue, own))) / queue.length) - 1);
}

/** The queue. For a large market, if the queue would have to be ranked anew: a sample of it, evenly chosen. */
function queueOrSample(venue: VenueState, market: Market, side: Side): readonly Queued[] {
  const holders = venue.holdersOf(market);
  if (holders.length <= SAMPLE || venue.margins.ranks(market, side).isCurrent(venue.margins.valuations)) {
    return deleveragingQueue(venue, market, side);
  }
  const step = holders.length / SAMPLE;
  const sample = Array.from({ length: SAMPLE }, (_, i) => holders[Math.floor(i * step)]);
  return sortedQueue(sample.flatMap((index) => queuedOf(venue.accounts.get(index) as Account, market, side)));
}
