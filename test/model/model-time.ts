/** Time (semantics.md section 3): it moves first, and all that is due happens on the way, each as a step of its own. */

import { afterSweep } from './model-links.ts';
import { checkAccount, checkDistressed, checkHolders } from './model-liquidation.ts';
import { minute } from './model-mark.ts';
import { end } from './model-matching.ts';
import { isLive, type ModelOrder, say, type World } from './model-state.ts';
import { drain } from './model-triggers.ts';
import { dueAt, twapTimer } from './model-twap.ts';

/** In this order where due at the same time; then by age. */
const FUNDING = 0;
const EXPIRY = 1;
const SWITCH = 2;
const TWAP = 3;
const LIQUIDATION = 4;
const FEED = 5;

interface Timer {
  atMs: number;
  kind: number;
  age: number;
  happen: () => void;
}

function timers(w: World): Timer[] {
  const all: Timer[] = [];
  for (const m of w.s.markets) {
    const happen = () => {
      if (minute(w, m)) checkHolders(w, m);
    };
    const stop = () => {
      m.staleAtMs = 0;
      m.stale = true;
      say(w, `stale ${m.index}`);
    };
    if (m.staleAtMs > 0) all.push({ atMs: m.staleAtMs, kind: FEED, age: m.index, happen: stop });
    if (m.nextMinuteMs > 0) all.push({ atMs: m.nextMinuteMs, kind: FUNDING, age: m.index, happen });
  }
  for (const o of w.s.live) {
    const expire = () => end(w, o, 'cancelled', 'expired');
    if (o.expiresAtMs !== null) all.push({ atMs: o.expiresAtMs, kind: EXPIRY, age: o.key, happen: expire });
    if (o.twap === null || o.twap.startedAtMs === 0) continue;
    all.push({ atMs: dueAt(o.twap), kind: TWAP, age: o.key, happen: () => twapTimer(w, o) });
  }
  for (const s of w.s.switches) {
    const { account, product, atMs } = s;
    const age = account * 2 + (product === 'spot' ? 0 : 1);
    const happen = () => {
      w.s.switches = w.s.switches.filter((other) => other !== s);
      endAll(
        w,
        w.s.live.filter((o) => o.account === account && o.product === product),
        'deadMansSwitch',
      );
    };
    all.push({ atMs, kind: SWITCH, age, happen });
  }
  for (const l of w.s.liquidations) {
    const happen = () => {
      w.s.liquidations = w.s.liquidations.filter((other) => other !== l);
      checkAccount(w, w.s.markets[l.market], l.account);
    };
    all.push({ atMs: l.atMs, kind: LIQUIDATION, age: l.account, happen });
  }
  return all;
}

/** When something happens by itself next; Infinity: nothing is due. */
export function nextDueMs(w: World): number {
  return Math.min(...timers(w).map(({ atMs }) => atMs));
}

/** All that is due by `to`, each at its own time with the queue emptied before the next. */
export function passTime(w: World, to: number): void {
  for (;;) {
    let first: Timer | undefined;
    for (const timer of timers(w)) {
      if (timer.atMs <= to && (first === undefined || before(timer, first))) first = timer;
    }
    if (first === undefined) break;
    w.step++;
    w.s.now = Math.max(w.s.now, first.atMs);
    first.happen();
    afterSweep(w);
    settle(w);
  }
  w.s.now = Math.max(w.s.now, to);
}

function before(a: Timer, b: Timer): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  return a.kind !== b.kind ? a.kind < b.kind : a.age < b.age;
}

/** What the step set off, and those whose liquidation waits for a book. */
export function settle(w: World): void {
  drain(w);
  for (let tries = 0, more = true; more && tries < 10; tries++) {
    more = checkDistressed(w);
    drain(w);
  }
}

/** Ends orders, oldest first; the other leg of an OCO comes along. */
export function endAll(
  w: World,
  orders: ModelOrder[],
  reason: 'cancelledByClient' | 'deadMansSwitch' = 'cancelledByClient',
): ModelOrder[] {
  const all = new Set(orders);
  for (const o of orders) {
    const sibling = o.oco === null ? undefined : w.s.live.find((other) => other.key === o.oco?.siblingKey);
    if (sibling !== undefined) all.add(sibling);
  }
  const inOrder = [...all].sort((a, b) => a.key - b.key);
  for (const o of inOrder) if (isLive(o)) end(w, o, 'cancelled', reason);
  return inOrder;
}
