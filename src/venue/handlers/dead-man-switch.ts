/**
 * The dead man's switch (semantics.md section 12): all of an account's orders of one product are cancelled at a deadline
 * that the client keeps moving. It is a timer of the venue, so it survives a restart.
 */

import type { CancelAllAfter } from '../contract/commands.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import { NONE, type Product } from '../contract/units.ts';
import type { DeadMan, Desk } from '../state/venue-state.ts';
import { TIMER_DEAD_MAN } from '../structures/timer-queue.ts';

const LONGEST_MS = 30 * 24 * 3_600_000;

function keyOf(account: number, product: Product): string {
  return `${account}:${product}`;
}

export function cancelAllAfter(desk: Desk, command: CancelAllAfter): Refusal | null {
  const { account, product, timeoutMs } = command;
  if (!desk.accounts.has(account)) return refuse('unknownAccount', { account });
  if (timeoutMs < 0 || timeoutMs > LONGEST_MS) {
    return refuse('timeoutOutOfRange', { field: 'timeoutMs', timeoutMs, maximum: LONGEST_MS });
  }
  disarm(desk, account, product);
  if (timeoutMs > 0) armDeadMan(desk, account, product, desk.nowMs + timeoutMs);
  return null;
}

export function armDeadMan(desk: Desk, account: number, product: Product, dueMs: number): void {
  const key = account * 2 + (product === 'spot' ? 0 : 1);
  const switchOf: DeadMan = { type: 'deadMan', account, product, key, timer: NONE, dueMs, timerRank: TIMER_DEAD_MAN };
  desk.deadMen.set(keyOf(account, product), switchOf);
  desk.timers.set(switchOf, dueMs, TIMER_DEAD_MAN);
}

export function disarm(desk: Desk, account: number, product: Product): void {
  const armed = desk.deadMen.get(keyOf(account, product));
  if (armed === undefined) return;
  desk.timers.clear(armed);
  desk.deadMen.delete(keyOf(account, product));
}
