/**
 * Money that spot orders reserve can be lost on futures (a realised loss, funding, a fee). Then the spot orders that
 * pay in that currency are cancelled, newest first, until the total covers the rest. If a total is below zero and no
 * cross position backs it, the fund makes it good. That happens to the fee of a maker whose rest auto-deleveraging has
 * closed (rules 5.35, 5.36 and 11.68).
 *
 * Invariant: afterwards no account in `venue.overReserved` reserves more than it has, and none of them without a cross
 * position is below zero.
 */

import { type EndReason, ending } from '../contract/reasons.ts';
import { crossMarginAccount } from '../risk/margin-account.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { finish } from './finish.ts';

export function releaseReserves(venue: VenueState): void {
  const noted = [...venue.overReserved].sort((a, b) => a - b);
  venue.overReserved.clear();
  for (const index of noted) {
    const account = venue.accounts.get(index);
    if (account === undefined) continue;
    venue.ledger.currencies.forEach((_, currency) => {
      cancelSpotOrders(
        venue,
        account,
        currency,
        'reserveLost',
        () => account.total(currency) < account.reserved(currency),
      );
      makeGood(venue, account, currency);
    });
  }
}

function makeGood(venue: VenueState, account: Account, currency: number): void {
  const total = account.total(currency);
  if (total >= 0n || crossMarginAccount(account, currency).positions.length > 0) return;
  venue.ledger.payToInsurance(account, currency, total);
  const of = { account: account.index, currency, market: -1, positionId: -1 };
  venue.emit.balanceChanged?.({ type: 'balanceChanged', ...of, amount: -total, reason: 'insurance' });
}

/** The fund makes the negative collateral of a closed isolated position good. */
export function makeCollateralGood(venue: VenueState, account: Account, market: Market, position: Position): void {
  const { collateral } = position;
  if (collateral >= 0n) return;
  venue.ledger.payToInsurance(account, market.quote, collateral, position);
  const of = { account: account.index, currency: market.quote, market: market.index, positionId: position.id };
  venue.emit.balanceChanged?.({ type: 'balanceChanged', ...of, amount: -collateral, reason: 'insurance' });
}

/**
 * Cancels the account's spot orders that pay in the currency, newest first, each only while `needed` is true. This
 * includes orders that reserve nothing now, such as a TWAP between two children.
 */
export function cancelSpotOrders(
  venue: VenueState,
  account: Account,
  currency: number,
  reason: EndReason,
  needed: () => boolean,
): void {
  if (!needed()) return;
  const newestFirst = [...venue.liveOrders(account)].reverse();
  for (const order of newestFirst) {
    if (!needed()) return;
    if (order.live && order.product === 'spot' && venue.payCurrency(order) === currency)
      finishGroup(venue, order, reason);
  }
}

/** Cancels an order and the other legs of its group. */
export function finishGroup(venue: VenueState, order: Order, reason: EndReason): void {
  for (const one of behaviourOf(order).group?.(venue, order) ?? [order]) {
    if (one.live) finish(venue, one, 'cancelled', ending(reason));
  }
}
