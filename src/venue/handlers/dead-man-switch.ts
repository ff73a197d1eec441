/**
 * The dead man's switch (rules 12.1 to 12.4): all orders of an account in one product are cancelled at a deadline
 * that the client keeps moving. It is a timer of the venue, so it survives a restart.
 */

import { type CancelAllAfter, LONGEST_TIMEOUT_MS } from '../contract/commands.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import { NONE, type Product } from '../contract/units.ts';
import type { DeadMan, VenueState } from '../state/venue-state.ts';
import { TIMER_DEAD_MAN } from '../structures/timer-queue.ts';

function keyOf(account: number, product: Product): string {
  return `${account}:${product}`;
}

export function cancelAllAfter(venue: VenueState, command: CancelAllAfter): Refusal | null {
  const { account, product, timeoutMs } = command;
  if (!venue.accounts.has(account)) return refuse('unknownAccount', { account });
  if (timeoutMs < 0 || timeoutMs > LONGEST_TIMEOUT_MS) {
    return refuse('timeoutOutOfRange', { field: 'timeoutMs', timeoutMs, maximum: LONGEST_TIMEOUT_MS });
  }
  disarm(venue, account, product);
  if (timeoutMs > 0) armDeadMan(venue, account, product, venue.nowMs + timeoutMs);
  return null;
}

export function armDeadMan(venue: VenueState, account: number, product: Product, dueMs: number): void {
  const key = account * 2 + (product === 'spot' ? 0 : 1);
  const switchOf: DeadMan = { type: 'deadMan', account, product, key, timer: NONE, dueMs, timerRank: TIMER_DEAD_MAN };
  venue.deadMen.set(keyOf(account, product), switchOf);
  venue.timers.set(switchOf, dueMs, TIMER_DEAD_MAN);
}

export function disarm(venue: VenueState, account: number, product: Product): void {
  const armed = venue.deadMen.get(keyOf(account, product));
  if (armed === undefined) return;
  venue.timers.clear(armed);
  venue.deadMen.delete(keyOf(account, product));
}
