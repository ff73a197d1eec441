/**
 * TWAP: trades a total in n children over a period. A child is a market-like IOC order (taker), or a post-only order at
 * the own side's best price. What is left of a post-only child trades as taker when the next child is due
 * (rules 10.1 to 10.26).
 *
 * Child i is due at start + i × period / n, and the last step at start + period. What a child misses is spread over the
 * remaining children, with at most three planned children at once, and never above the cap. Children are entries of
 * their parent, not orders, so fills have the parent's id. Only a resting child has a reserve. A taker child is paid
 * within its step.
 */

import type { PlaceBase, PlaceTwap } from '../contract/commands.ts';
import { mulDivCeil } from '../contract/decimal.ts';
import type { Figures } from '../contract/events.ts';
import { ending, type Refusal, refuse } from '../contract/reasons.ts';
import { BUY, FINE, NONE, PARTS, SELL } from '../contract/units.ts';
import { finish } from '../execution/finish.ts';
import { waitsFor } from '../execution/fire-trigger.ts';
import { sweep } from '../execution/matching.ts';
import { admit, newOrder } from '../execution/new-order.ts';
import { covered, reserveNeeded, spotCost, walkCost } from '../risk/funds.ts';
import { priceInLimits, sizeInLimits } from '../risk/limits.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { Observation, VenueState } from '../state/venue-state.ts';
import { TIMER_ALGO } from '../structures/timer-queue.ts';
import { type Algo, shaped, shownLots } from './shape.ts';

const SHORTEST_INTERVAL_MS = 1000;
const LONGEST_INTERVAL_MS = 30_000;
const PLANNED_CHILDREN_AT_ONCE = 3;

/** The terms as placed, and the progress. */
interface Twap extends Omit<PlaceTwap, keyof PlaceBase | 'kind' | 'size'> {
  readonly children: number;
  childrenDone: number;
  /** Epoch ms. 0 before activation. */
  startedAtMs: number;
  /** Epoch ms. 0 if no child is due. */
  nextChildAtMs: number;
  pausedBy: 'spread' | 'price' | 'funds' | 'activation' | 'halt' | 'book' | 'ownOrder' | null;
}

export const twap: Algo<PlaceTwap> = shaped({
  name: 'twap',
  startsLast: true,
  selfTrade: 'cancelResting',

  accept(venue, place, account, market) {
    // Its children have no price that could count towards exposure.
    if (market.product === 'futures') return refuse('spotOnly', { symbol: market.symbol, kind: 'twap' });
    const refusal =
      sizeInLimits(market, 'size', place.size) ??
      sizeInLimits(market, 'maxChildSize', place.maxChildSize) ??
      priceInLimits(market, 'pausePrice', place.pausePrice) ??
      priceInLimits(market, 'activation', place.activation);
    if (refusal !== null) return refusal;
    const children = childCount(place, market);
    if (typeof children !== 'number') return children;
    const short = affordable(venue, place, account, market);
    if (short !== null) return short;

    const order = newOrder(venue, 'twap', 'twap', place, account, market);
    const { periodMs, makerFirst, randomizeSize, maxChildSize, maxSpread, maxThroughBook, pausePrice } = place;
    const { activation } = place;
    const activationReference = activation === null ? null : (place.activationReference ?? 'last');
    const state: Twap = {
      ...{ periodMs, makerFirst, randomizeSize, maxChildSize, maxSpread, maxThroughBook, pausePrice },
      ...{ activation, activationReference, children, childrenDone: 0, startedAtMs: 0, nextChildAtMs: 0 },
      pausedBy: activation === null ? null : 'activation',
    };
    order.algoState = state;
    admit(venue, order);
    if (!waitsFor(market, order, activationReference, activation)) start(venue, order, null);
    return [order];
  },

  onTrigger(venue, order, seen) {
    venue.market(order).triggers.unwatch(order);
    start(venue, order, seen);
  },

  onTime: step,

  /** Only a resting child has a reserve. A taker child is paid within its step. */
  reserves(venue, order, account, market, taken) {
    if (order.entry === NONE) return 0n;
    const { book } = market;
    return spotCost(venue, account, market, order.side, book.price(order.entry), book.size(order.entry) - taken);
  },

  figures: partOf,

  /** The order only loses its child. */
  onSelfTrade: withdrawChild,

  describe(_venue, order) {
    const state = stateOf(order);
    const { periodMs, children, makerFirst, randomizeSize, activationReference } = state;
    const { childrenDone, startedAtMs, nextChildAtMs, pausedBy } = state;
    return {
      name: 'twap',
      terms: {
        periodMs,
        children,
        makerFirst,
        randomizeSize,
        maxChildSize: { lots: state.maxChildSize },
        maxSpread: { parts: state.maxSpread },
        maxThroughBook: { parts: state.maxThroughBook },
        pausePrice: { ticks: state.pausePrice },
        activation: { ticks: state.activation },
        activationReference,
      },
      progress: {
        children,
        childrenDone,
        startedAt: startedAtMs === 0 ? null : startedAtMs,
        nextChildAt: nextChildAtMs === 0 ? null : nextChildAtMs,
        pausedBy,
      },
    };
  },
});

function stateOf(order: Order): Twap {
  return order.algoState as Twap;
}

/**
 * n = period / interval. The interval is a twentieth of the period, between 1 and 30 s. There are fewer children if one
 * would be below the minimum size, and more (at most one per second) if one would exceed the cap. If neither is
 * possible, the refusal says which size or period would do.
 */
function childCount(place: PlaceTwap, market: Market): number | Refusal {
  const { size, periodMs, maxChildSize } = place;
  const byRule = Math.min(Math.max(periodMs / 20, SHORTEST_INTERVAL_MS), LONGEST_INTERVAL_MS);
  const intervalMs = market.spec.twapIntervalMs ?? byRule;
  const mostBySize = Math.max(1, Math.floor(size / market.minLots));
  let n = Math.min(Math.ceil(periodMs / intervalMs), mostBySize);
  if (maxChildSize === null) return n;
  const largest = place.randomizeSize ? size + Math.ceil(size / 2) : size; // a random child is up to 1.5 planned ones
  n = Math.max(n, Math.ceil(largest / maxChildSize));
  const mostByTime = Math.floor(periodMs / SHORTEST_INTERVAL_MS);
  if (n <= mostByTime && n <= mostBySize) return n;
  const most = Math.min(mostByTime, mostBySize);
  return refuse('sizeUnfit', {
    field: 'maxChildSize',
    problem: `needs ${n} children where ${most} fit into the period and the minimum size`,
    expected: `a maximum child size of at least ${market.sizeText(Math.ceil(largest / most))}, or a longer period`,
  });
}

/**
 * At placement the account must have the base of a SELL, or size × best ask (without an ask: last) for a BUY. It is
 * reserved child by child.
 */
function affordable(venue: VenueState, place: PlaceTwap, account: Account, market: Market): Refusal | null {
  if (place.side === SELL) return covered(venue, account, market.base, market.baseOf(place.size));
  const best = market.bestOpposite(BUY);
  const ticks = best === NONE ? Math.ceil(market.last / FINE) : best;
  if (ticks === 0) return refuse('noReferenceForSize', { symbol: market.symbol, reference: 'last' });
  return covered(venue, account, market.quote, spotCost(venue, account, market, BUY, ticks, place.size));
}

/** The period begins. The first child is due at once, as a separate timer. `seen`: the price that it waited for. */
function start(venue: VenueState, order: Order, seen: Observation | null): void {
  const state = stateOf(order);
  state.startedAtMs = venue.nowMs;
  state.pausedBy = null;
  schedule(venue, order, state);
  const reached = seen === null ? undefined : { reference: seen.reference, seen: { fine: seen.fine } };
  venue.changed(order, 'started', reached);
}

function schedule(venue: VenueState, order: Order, state: Twap): void {
  const dueMs = state.startedAtMs + Math.floor((state.childrenDone * state.periodMs) / state.children);
  state.nextChildAtMs = state.childrenDone < state.children ? dueMs : 0;
  venue.timers.set(order, dueMs, TIMER_ALGO);
}

/**
 * One due step: what is left of the last maker child trades as taker, then the next child is placed. After the last
 * child the order ends.
 */
function step(venue: VenueState, order: Order): void {
  const state = stateOf(order);
  const market = venue.market(order);
  const unfilledChild = shownLots(venue, order);
  withdrawChild(venue, order);
  const pausedBy = pause(market, order, state);
  state.pausedBy = pausedBy;
  if (pausedBy === null && unfilledChild > 0) takeChild(venue, order, state, unfilledChild);
  if (finished(venue, order)) return;
  if (state.childrenDone === state.children) {
    finish(venue, order, 'cancelled', ending('windowOver'));
    return;
  }
  const lots = pausedBy === null ? childLots(venue, order, state, market) : 0;
  state.childrenDone++;
  if (lots > 0) placeChild(venue, order, state, lots);
  if (finished(venue, order)) return;
  if (pausedBy !== null) venue.changed(order, 'paused', pausedFigures(market, order, pausedBy));
  schedule(venue, order, state);
}

function withdrawChild(venue: VenueState, order: Order): void {
  venue.withdraw(order);
  venue.reserve(order, venue.account(order), venue.market(order), 0);
}

function finished(venue: VenueState, order: Order): boolean {
  if (order.remaining === 0 && order.live) finish(venue, order, 'filled', null);
  return !order.live;
}

/** Why this step places no child: the market is halted, the spread is too wide, or last is beyond the pause price. */
function pause(market: Market, order: Order, state: Twap): Twap['pausedBy'] {
  if (market.halted) return 'halt';
  if (state.maxSpread !== null) {
    const bid = market.book.bestPrice(BUY);
    const ask = market.book.bestPrice(SELL);
    if (bid === NONE || ask === NONE) return 'spread';
    if (BigInt(ask - bid) * 2n * BigInt(PARTS) > BigInt(state.maxSpread) * BigInt(ask + bid)) return 'spread';
  }
  if (state.pausePrice !== null && market.last !== 0) {
    const limit = state.pausePrice * FINE;
    if (order.side === BUY ? market.last > limit : market.last < limit) return 'price';
  }
  return null;
}

/** What was compared when a step placed no child. */
function pausedFigures(market: Market, order: Order, pausedBy: Twap['pausedBy']): Figures {
  const state = stateOf(order);
  const part = { ...partOf(order), pausedBy };
  if (pausedBy === 'price') return { ...part, value: { fine: market.last }, limit: { ticks: state.pausePrice } };
  if (pausedBy !== 'spread') return part;
  const [bid, ask] = [market.book.bestPrice(BUY), market.book.bestPrice(SELL)];
  const limit = { parts: state.maxSpread };
  if (bid === NONE || ask === NONE) {
    return { ...part, limit, bid: { ticks: bid === NONE ? null : bid }, ask: { ticks: ask === NONE ? null : ask } };
  }
  // Rounded up, so that it is never shown as the limit itself.
  const value = { parts: Number(mulDivCeil(BigInt(ask - bid), 2n * BigInt(PARTS), BigInt(ask + bid))) };
  return { ...part, value, limit, bid: { ticks: bid }, ask: { ticks: ask } };
}

/** Which child the present step is about, from 1. */
function partOf(order: Order): Figures {
  const { childrenDone, children } = stateOf(order);
  return { part: childrenDone, parts: children };
}

/** The child of this step could not be placed, or did not trade. */
function skip(venue: VenueState, order: Order, pausedBy: Twap['pausedBy'], short?: Refusal): void {
  stateOf(order).pausedBy = pausedBy;
  const { key, account, market } = order;
  const figures = { ...partOf(order), pausedBy, ...short?.params };
  venue.emit.childSkipped?.({ type: 'childSkipped', key, account, market, figures });
}

/**
 * floor(remaining / children left), randomised if requested, within the catch-up limit and the cap. The last child
 * takes the rest.
 */
function childLots(venue: VenueState, order: Order, state: Twap, market: Market): number {
  const left = order.remaining;
  const childrenLeft = state.children - state.childrenDone;
  const cap = Math.min(
    state.maxChildSize ?? market.maxLots,
    PLANNED_CHILDREN_AT_ONCE * Math.ceil(order.original / state.children),
  );
  if (childrenLeft === 1) return Math.min(left, cap);
  let lots = Math.floor(left / childrenLeft);
  if (state.randomizeSize) lots = randomised(lots, venue.genesis.seed, order.seq, state.childrenDone);
  return Math.min(Math.max(lots, market.minLots), cap, left);
}

/**
 * Multiplies by a factor in 0.5 .. 1.5 that is drawn from the venue's seed, the order's sequence number and the child's
 * number. Rounded down.
 */
function randomised(lots: number, seed: number, seq: number, child: number): number {
  const draw = mix(mix(mix(seed) ^ (seq >>> 0)) ^ (Math.floor(seq / 2 ** 32) + child * 0x9e3779b1));
  return Number((BigInt(lots) * BigInt(2 ** 31 + draw)) >> 32n);
}

/** A 32-bit finaliser (of murmur3): every input bit affects every output bit. */
function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

function placeChild(venue: VenueState, order: Order, state: Twap, lots: number): void {
  const market = venue.market(order);
  const best = market.book.bestPrice(order.side);
  if (!state.makerFirst || best === NONE) {
    takeChild(venue, order, state, lots);
    return;
  }
  const short = paymentShort(venue, order, market, best, lots);
  if (short !== null) {
    skip(venue, order, 'funds', short);
    return;
  }
  venue.rest(order, best, lots);
  reserveNeeded(venue, order);
  venue.changed(order, 'rested', { ...partOf(order), price: { ticks: best }, size: { lots } });
}

/** An IOC of `lots`, at most maxThroughBook (by default the market's band) beyond the best price. */
function takeChild(venue: VenueState, order: Order, state: Twap, lots: number): void {
  const market = venue.market(order);
  const best = market.bestOpposite(order.side);
  if (best === NONE) {
    skip(venue, order, 'book');
    return;
  }
  const limit = market.limitWithin(order.side, best * FINE, state.maxThroughBook ?? market.marketBand);
  const short = walkShort(venue, order, market, limit, lots);
  if (short !== null) {
    skip(venue, order, 'funds', short);
    return;
  }
  const before = order.filled;
  const stop = sweep(venue, order, limit, lots);
  // Otherwise everything within its limit may have been orders of its own account, which were cancelled.
  if (order.filled === before) skip(venue, order, stop === 'margin' ? 'funds' : 'ownOrder');
  else if (order.remaining > 0) venue.changed(order, 'filled', partOf(order));
}

/** Why the account cannot pay for `lots` at a price. Null: it can. */
function paymentShort(venue: VenueState, order: Order, market: Market, ticks: number, lots: number): Refusal | null {
  const account = venue.account(order);
  const needed = spotCost(venue, account, market, order.side, ticks, lots);
  return covered(venue, account, venue.payCurrency(order), needed);
}

/** Why the account does not have what walking the book can cost. Null: it has. */
function walkShort(venue: VenueState, order: Order, market: Market, limit: number, lots: number): Refusal | null {
  if (order.side === SELL) return paymentShort(venue, order, market, 0, lots);
  const account = venue.account(order);
  return covered(venue, account, market.quote, walkCost(venue, account, market, limit, lots));
}
