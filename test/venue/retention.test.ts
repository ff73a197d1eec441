/** Ended orders in memory (semantics.md section 2): for 30 minutes, at most 100,000. The time is shown through HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTC_USDT, Desk } from './support.ts';

const MOST = 100_000;

test('of ended orders at most 100,000 are held: with one more the oldest is forgotten', () => {
  const desk = new Desk();
  const keys: number[] = [];
  for (let i = 0; i <= MOST; i++) {
    keys.push(desk.limit(0, BTC_USDT, 0, 100, 1, { timeInForce: 'IOC' }).orders[0].key);
    desk.events.length = 0;
    if (i === MOST - 1) assert.equal(desk.venue.order(0, 'spot', keys[0])?.state, 'cancelled');
  }
  assert.equal(desk.venue.order(0, 'spot', keys[0]), undefined);
  assert.equal(desk.venue.order(0, 'spot', keys[1])?.state, 'cancelled');
  assert.equal(desk.venue.order(0, 'spot', keys[MOST])?.state, 'cancelled');
});
