/**
 * The pre-trade checks, whose refusals rules 1.6 to 1.18 list. They change nothing.
 * A check returns the refusal with its figures, or null. `a() ?? b()` runs checks in order and stops at the first
 * refusal.
 * Field names are those of the commands. A surface translates them into its own.
 */

import type { AttachedOrders, Place } from '../contract/commands.ts';
import { decimalText } from '../contract/decimal.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { beyond, type Reference, type Side } from '../contract/units.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { VenueState } from '../state/venue-state.ts';
import { takerCost } from './funds.ts';
import { priceInLimits } from './limits.ts';

const { BUY, FINE, NONE, PARTS } = units;

const IDENTICAL_WITHIN_MS = 60_000;
/** The most requests that are remembered. Memory must not grow while a manual clock does not move. */
const MOST_REQUESTS = 250_000;

/** The one-sided price band (rule 4.28): a BUY is not above reference × (1 + band), a SELL not below × (1 − band). */
export function priceInBand(market: Market, side: Side, ticks: number): Refusal | null {
  const reference = market.bandReference;
  if (reference === 0) return null;
  const limit = market.limitWithin(side, reference, market.band);
  return beyond(side, ticks, limit) ? outsideBand(market, side, ticks, limit) : null;
}

function outsideBand(market: Market, side: Side, ticks: number, limit: number): Refusal {
  return refuse('priceOutsideBand', {
    symbol: market.symbol,
    side: side === BUY ? 'BUY' : 'SELL',
    price: market.priceText(ticks),
    limit: market.priceText(limit),
    reference: market.fineText(market.bandReference),
  });
}

export function triggerNearLimit(market: Market, triggerTicks: number, limitTicks: number): Refusal | null {
  if (market.triggerLimitDistance === null) return null;
  const distance = BigInt(Math.abs(limitTicks - triggerTicks)) * BigInt(PARTS);
  if (distance <= BigInt(triggerTicks) * BigInt(market.triggerLimitDistance)) return null;
  return refuse('triggerLimitDistance', {
    symbol: market.symbol,
    price: market.priceText(limitTicks),
    trigger: market.priceText(triggerTicks),
    maxPercent: decimalText(BigInt(market.triggerLimitDistance), 6),
  });
}

/** `above`: the price must be strictly above the reference, otherwise strictly below. */
export function onSide(
  market: Market,
  field: string,
  ticks: number,
  referenceFine: number,
  above: boolean,
): Refusal | null {
  const fine = ticks * FINE;
  if (above ? fine > referenceFine : fine < referenceFine) return null;
  return refuse('priceOnWrongSide', {
    field,
    price: market.priceText(ticks),
    reference: market.fineText(referenceFine),
    expected: above ? 'above' : 'below',
  });
}

export function referenceKnown(market: Market, reference: Reference): Refusal | null {
  return market.reference(reference) === 0 ? refuse('noReferencePrice', { symbol: market.symbol, reference }) : null;
}

/** The refusal of what a halted market does not take. */
export function notTrading({ symbol, delisted }: Market): Refusal {
  return refuse(delisted ? 'marketDelisted' : 'marketHalted', { symbol });
}

/** Without a mark the possible loss of a futures order is unknown, and every price would seem solvent. */
export function markKnown(market: Market): Refusal | null {
  const known = market.product === 'spot' || market.mark !== 0;
  return known ? null : refuse('noMark', { symbol: market.symbol });
}

/**
 * Attached prices must be on the profit side and the loss side of the order's price (for a MARKET order: of their
 * reference).
 */
export function attachedOnSide(
  market: Market,
  side: Side,
  place: AttachedOrders,
  orderTicks: number | null,
): Refusal | null {
  const isPlain = place.takeProfit == null && place.stopLoss == null;
  return isPlain ? null : eachOnSide(market, side, place, orderTicks);
}

function eachOnSide(market: Market, side: Side, place: AttachedOrders, orderTicks: number | null): Refusal | null {
  for (const field of ['takeProfit', 'stopLoss'] as const) {
    const terms = place[field];
    if (terms === null || terms === undefined) continue;
    const base = orderTicks === null ? market.reference(terms.reference) : orderTicks * FINE;
    const refusal =
      priceInLimits(market, field, terms.price) ??
      (base === 0 ? referenceKnown(market, terms.reference) : null) ??
      onSide(market, field, terms.price, base, (field === 'takeProfit') === (side === BUY));
    if (refusal !== null) return refusal;
  }
  return null;
}

export function roomForOrders(account: Account, market: Market, more: number): Refusal | null {
  const maximum = market.spec.maxOpenOrders;
  if ((account.openOrders[market.index] ?? 0) + more <= maximum) return null;
  return refuse('tooManyOpenOrders', { symbol: market.symbol, maximum });
}

/** No live order has the same client id, and there was no identical request within 60 s (rules 2.8 and 2.10). */
export function refuseDuplicate(venue: VenueState, place: Place, market: Market): Refusal | null {
  if (place.clientId === null || market.spec.duplicateClientIds === 'allow') return null;
  const live = venue.orders.liveByClientId(place.account, market.product, place.clientId);
  if (live !== undefined) return refuse('duplicateClientId', { clientId: place.clientId, order: live.key });
  if (place.request === null) return null;
  const seen = venue.requests.get(requestKey(place.account, place.request));
  if (seen === undefined || venue.nowMs - seen.atMs >= IDENTICAL_WITHIN_MS) return null;
  return refuse('identicalRequest', { clientId: place.clientId, order: seen.key, withinMs: IDENTICAL_WITHIN_MS });
}

function requestKey(account: number, request: string): string {
  return `${account}:${request}`;
}

/** Remembers an accepted request. */
export function rememberRequest(venue: VenueState, place: Place, key: number): void {
  if (place.request === null) return;
  venue.requests.add(requestKey(place.account, place.request), { key, atMs: venue.nowMs });
  if (venue.requests.size > MOST_REQUESTS) venue.requests.forgetOldest();
}

export function forgetOldRequests({ requests, nowMs }: VenueState): void {
  for (let oldest = requests.oldest(); oldest !== undefined; oldest = requests.oldest()) {
    if (nowMs - oldest[1].atMs < IDENTICAL_WITHIN_MS) return;
    requests.forgetOldest();
  }
}

/**
 * At the best price, a quote amount must buy at least the minimum size (and pay its fee, if that comes from the quote),
 * and at most the maximum. Without orders on the other side of the book there is nothing to check.
 */
export function quoteInLimits(
  venue: VenueState,
  account: Account,
  market: Market,
  quote: bigint | null,
): Refusal | null {
  const best = market.bestOpposite(BUY);
  if (quote === null || best === NONE) return null;
  const smallest = BigInt(takerCost(venue, account, market, best, market.minLots));
  if (quote < smallest) {
    return refuse('sizeBelowMinimum', {
      field: 'quote',
      size: market.quoteText(quote),
      minimum: market.quoteText(smallest),
      symbol: market.symbol,
    });
  }
  const largest = market.notional(best, market.maxLots);
  if (quote > largest) {
    return refuse('sizeAboveMaximum', {
      field: 'quote',
      size: market.quoteText(quote),
      maximum: market.quoteText(largest),
      symbol: market.symbol,
    });
  }
  return null;
}
