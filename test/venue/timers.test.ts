import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE } from '../../src/venue/contract/units.ts';
import {
  TIMER_DEAD_MAN,
  TIMER_EXPIRY,
  TIMER_LIQUIDATION,
  type Timed,
  Timers,
} from '../../src/venue/structures/timer-queue.ts';

type Named = Timed & { readonly name: string };

function timed(name: string, key: number): Named {
  return { name, key, timer: NONE, dueMs: 0, timerRank: 0 };
}

function drain(timers: Timers): string[] {
  const names: string[] = [];
  while (timers.nextDueMs() < Number.POSITIVE_INFINITY) {
    const first = timers.first() as Named;
    names.push(first.name);
    timers.clear(first);
  }
  return names;
}

test('what is due happens by due time, then kind, then age, whatever the order in which it was set', () => {
  const items = [
    { name: 'sooner', key: 9, dueMs: 1, rank: TIMER_LIQUIDATION },
    { name: 'expiry', key: 8, dueMs: 2, rank: TIMER_EXPIRY },
    { name: 'older', key: 3, dueMs: 2, rank: TIMER_DEAD_MAN },
    { name: 'younger', key: 4, dueMs: 2, rank: TIMER_DEAD_MAN },
    { name: 'later', key: 1, dueMs: 3, rank: TIMER_EXPIRY },
  ];
  for (let turn = 0; turn < items.length; turn++) {
    for (const order of [items, items.toReversed()]) {
      const timers = new Timers();
      for (const { name, key, dueMs, rank } of [...order.slice(turn), ...order.slice(0, turn)]) {
        timers.set(timed(name, key), dueMs, rank);
      }
      assert.deepEqual(
        drain(timers),
        items.map(({ name }) => name),
      );
    }
  }
});

test('of two liquidations of one account, in two markets, the one that was set first happens first', () => {
  const timers = new Timers();
  for (const name of ['first', 'second']) timers.set(timed(name, 7), 1, TIMER_LIQUIDATION);
  assert.deepEqual(drain(timers), ['first', 'second']);
});

test('a timer that is set again is due at its new time only, and one that is called off not at all', () => {
  const timers = new Timers();
  const [moved, kept, off] = ['moved', 'kept', 'off'].map((name, key) => timed(name, key));
  for (const item of [moved, kept, off]) timers.set(item, 1, TIMER_EXPIRY);
  timers.set(moved, 5, TIMER_EXPIRY);
  timers.clear(off);
  assert.equal(timers.nextDueMs(), 1);
  assert.deepEqual(drain(timers), ['kept', 'moved']);
  assert.deepEqual([moved.timer, kept.timer, off.timer], [NONE, NONE, NONE]);
});
