/**
 * Amends a live order (rules 4.3 to 4.10). An order keeps its place only if the price stays and the size falls.
 * Otherwise it enters again, and trades if its new price crosses. Of OCO legs and attached orders only the price of a
 * waiting trigger can be amended. TRAILING, PEG and TWAP cannot be amended. A refused amend leaves the order and its
 * place unchanged.
 */

import { afterSweep } from '../algos/after-sweep.ts';
import type { Amend } from '../contract/commands.ts';
import { minus } from '../contract/money.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import { NONE } from '../contract/units.ts';
import { enterLimit } from '../execution/enter-book.ts';
import { triggerOf } from '../execution/fire-trigger.ts';
import { closesWithinEquity } from '../risk/bankruptcy.ts';
import { attachedOnSide, markKnown, notTrading, onSide, priceInBand, triggerNearLimit } from '../risk/checks.ts';
import { covered, freshToOpen, limitMarginCovered, reserveNeeded, spotCost } from '../risk/funds.ts';
import { priceInLimits, sizeInLimits } from '../risk/limits.ts';
import { clipToPosition } from '../risk/reduce-only.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';

/** The order after the amend. */
interface AmendedTerms {
  readonly price: number;
  readonly quantity: number;
  readonly trigger: number;
}

export function amend(venue: VenueState, command: Amend, order: Order): Refusal | null {
  const market = venue.market(order);
  if (market.halted) return notTrading(market);
  const terms: AmendedTerms = {
    price: command.price ?? order.price,
    quantity: amendedSize(command, order),
    trigger: command.trigger ?? order.trigger?.price ?? 0,
  };
  const refusal =
    amendable(order, command) ??
    sizeAboveFilled(market, order, command, terms) ??
    (command.price === null ? null : (priceInLimits(market, 'price', terms.price) ?? bandOf(market, order, terms))) ??
    (command.trigger === null ? null : triggerRefusal(market, order, terms)) ??
    (command.price === null && command.trigger === null ? null : attachedRefusal(market, order, terms)) ??
    (order.trigger?.limit != null && order.state === 'waiting'
      ? triggerNearLimit(market, terms.trigger, terms.price)
      : null);
  if (refusal !== null) return refusal;
  return order.state === 'waiting' ? amendWaiting(venue, order, terms) : amendWorking(venue, market, order, terms);
}

function amendedSize(command: Amend, order: Order): number {
  if (command.size === null) return order.quantity;
  return command.totalSize ? command.size : order.filled + command.size;
}

/**
 * Resting limit orders and waiting futures triggers can be amended. Of spot triggers and groups, only the price of a
 * waiting trigger can be amended.
 */
function amendable(order: Order, command: Amend): Refusal | null {
  const { amendable } = behaviourOf(order);
  const waiting = order.state === 'waiting' && order.trigger !== null && amendable !== undefined;
  const no = (field: string, problem: string) =>
    refuse('notAmendable', { order: order.key, field, kind: order.kind, problem });
  if (command.trigger !== null && !waiting) return no('trigger', 'it has no trigger that still waits');
  const field = command.price !== null ? 'price' : 'size';
  if (amendable === undefined) return no(field, 'it is an algo order');
  if (command.price === null && command.size === null) return null;
  if (amendable === 'sidedTrigger') return no(field, 'it belongs to a group of orders');
  if (order.trigger === null) return null;
  if (!waiting) return order.entry === NONE ? no(field, 'it does not rest') : null;
  if (order.product === 'spot') return no(field, 'of a waiting spot trigger only the trigger price can be amended');
  if (command.price !== null && order.trigger?.limit === null) return no('price', 'it releases a market order');
  return null;
}

function sizeAboveFilled(market: Market, order: Order, command: Amend, terms: AmendedTerms): Refusal | null {
  if (command.size === null) return null;
  if (terms.quantity > order.filled) return sizeInLimits(market, 'size', terms.quantity);
  const { filled } = order;
  return refuse('sizeNotAboveFilled', {
    field: 'size',
    size: market.sizeText(terms.quantity),
    filled: market.sizeText(filled),
  });
}

/** The band applies to a changed price of a resting order. The limit of a waiting trigger is checked when it fires. */
function bandOf(market: Market, order: Order, terms: AmendedTerms): Refusal | null {
  return order.state === 'waiting' || terms.price === order.price ? null : priceInBand(market, order.side, terms.price);
}

/** The stop of an OCO and attached orders stay on their side of the reference. */
function triggerRefusal(market: Market, order: Order, terms: AmendedTerms): Refusal | null {
  const { reference, up } = triggerOf(order);
  const fine = market.reference(reference);
  const sided = behaviourOf(order).amendable === 'sidedTrigger' && fine !== 0;
  return (
    priceInLimits(market, 'trigger', terms.trigger) ??
    (sided ? onSide(market, 'trigger', terms.trigger, fine, up === true) : null)
  );
}

/**
 * Attached prices stay on their sides of the order's price. If a trigger releases a market order, they stay on their
 * sides of the trigger.
 */
function attachedRefusal(market: Market, order: Order, terms: AmendedTerms): Refusal | null {
  const base = order.trigger?.limit === null ? terms.trigger : terms.price;
  return attachedOnSide(market, order.side, order, base);
}

function amendWaiting(venue: VenueState, order: Order, terms: AmendedTerms): Refusal | null {
  const trigger = triggerOf(order);
  order.quantity = terms.quantity;
  order.price = terms.price;
  if (trigger.limit !== null) trigger.limit = terms.price;
  if (terms.trigger !== trigger.price) {
    const market = venue.market(order);
    market.triggers.unwatch(order);
    trigger.price = terms.trigger;
    if (trigger.rule === 'reach') trigger.up = market.directionTo(trigger.reference, terms.trigger);
    market.triggers.watch(order, trigger.reference, terms.trigger, trigger.up);
    venue.entered.push(order.key);
  }
  amended(venue, order);
  return null;
}

function amendWorking(venue: VenueState, market: Market, order: Order, terms: AmendedTerms): Refusal | null {
  if (order.postOnly && terms.price !== order.price && market.crosses(order.side, terms.price)) {
    const best = market.priceText(market.bestOpposite(order.side));
    return refuse('postOnlyAmendWouldMatch', { price: market.priceText(terms.price), best });
  }
  let { quantity } = terms;
  if (order.reduceOnly) {
    const lots = clipToPosition(venue.account(order), market, order.side, quantity - order.filled, order.positionId);
    if (typeof lots !== 'number') return lots;
    quantity = order.filled + lots;
  }
  const shrinks = terms.price === order.price && quantity < order.quantity;
  const short = shrinks ? null : amendCovered(venue, market, order, terms.price, quantity - order.filled);
  if (short !== null) return short;
  if (shrinks) {
    venue.shrink(order, order.quantity - quantity);
    reserveNeeded(venue, order);
    amended(venue, order);
    return null;
  }
  venue.withdraw(order);
  order.price = terms.price;
  order.quantity = quantity;
  reserveNeeded(venue, order);
  amended(venue, order);
  enterLimit(venue, order);
  afterSweep(venue);
  return null;
}

function amended(venue: VenueState, order: Order): void {
  order.updatedMs = venue.nowMs;
  venue.changed(order, 'amended');
}

/** Checks the money or margin for the amended order, in place of the present one. */
function amendCovered(venue: VenueState, market: Market, order: Order, price: number, lots: number): Refusal | null {
  const account = venue.account(order);
  if (market.product === 'spot') {
    const more = minus(spotCost(venue, account, market, order.side, price, lots), order.reserved);
    return covered(venue, account, market.payCurrency(order.side), more);
  }
  const { side, reduceOnly } = order;
  const position = account.positionsIn(market.index).positionOfOrder(order);
  const refusal =
    markKnown(market) ??
    freshToOpen(account, market, order, lots, order) ??
    (price === order.price ? null : closesWithinEquity(account, market, side, price, position));
  if (refusal !== null || reduceOnly) return refusal;
  return limitMarginCovered(venue, account, market, { side, reduceOnly, price }, lots, order);
}
