/**
 * Money that spot orders reserve can be lost on futures (a realised loss, funding, a fee). Then the spot orders that pay in
 * that currency are cancelled, newest first, until the total covers what is reserved. The fund makes good a total below zero
 * that no cross position backs: the fee of a maker whose rest auto-deleveraging has closed (semantics.md sections 5 and 11).
 *
 * Invariant: after it no account that was noted in `desk.overReserved` reserves more than it has, and none without a cross
 * position is below zero.
 */

import { type EndReason, ending } from '../contract/reasons.ts';
import { crossMargin } from '../risk/margin-account.ts';
import type { Account } from '../state/ledger.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Desk } from '../state/venue-state.ts';
import { finish } from './finish.ts';

export function releaseReserves(desk: Desk): void {
  const noted = [...desk.overReserved].sort((a, b) => a - b);
  desk.overReserved.clear();
  for (const index of noted) {
    const account = desk.accounts.get(index);
    if (account === undefined) continue;
    desk.ledger.currencies.forEach((_, currency) => {
      cancelSpotOrders(
        desk,
        account,
        currency,
        'reserveLost',
        () => account.totals[currency] < account.reserved[currency],
      );
      makeGood(desk, account, currency);
    });
  }
}

function makeGood(desk: Desk, account: Account, currency: number): void {
  const total = account.totals[currency];
  if (total >= 0n || crossMargin(desk, account, currency).held.length > 0) return;
  desk.ledger.insure(account, currency, total);
  const of = { account: account.index, currency, market: -1, positionId: -1 };
  desk.emit({ type: 'balanceChanged', ...of, amount: -total, reason: 'insurance' });
}

/**
 * Cancels the account's spot orders that pay in the currency, newest first, each only while `needed`; also those that
 * reserve nothing at the moment (a TWAP between two children).
 */
export function cancelSpotOrders(
  desk: Desk,
  account: Account,
  currency: number,
  reason: EndReason,
  needed: () => boolean,
): void {
  if (!needed()) return;
  const newestFirst = [...desk.liveOrders(account)].reverse();
  for (const order of newestFirst) {
    if (!needed()) return;
    if (order.live && order.product === 'spot' && desk.payCurrency(order) === currency)
      finishGroup(desk, order, reason);
  }
}

function finishGroup(desk: Desk, order: Order, reason: EndReason): void {
  for (const one of behaviourOf(order).group?.(desk, order) ?? [order]) {
    if (one.live) finish(desk, one, 'cancelled', ending(reason));
  }
}
