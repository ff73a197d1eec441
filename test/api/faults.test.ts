import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Faults } from '../../src/api/gateway/faults.ts';

const ORDERS = '/spot/api/v4/trade/orders';

test('the oldest fault that matches is taken, as often as it says, and then the next', () => {
  const faults = new Faults();
  faults.arm({ match: { path: ORDERS }, status: 503, times: 2 });
  faults.arm({ match: { method: 'POST' }, status: 500 });
  assert.equal(faults.take('GET', '/elsewhere'), null);
  const taken = ['POST', 'POST', 'POST', 'POST'].map((method) => faults.take(method, ORDERS)?.status);
  assert.deepEqual(taken, [503, 503, 500, undefined]);
  assert.deepEqual(
    faults.states.map(({ hits, left }) => [hits, left]),
    [
      [2, 0],
      [1, 0],
    ],
  );
});

test('of spent faults the last 100 are listed, before those that are armed', () => {
  const faults = new Faults();
  for (let latencyMs = 1; latencyMs <= 102; latencyMs++) faults.arm({ latencyMs });
  for (let i = 0; i < 101; i++) faults.take('GET', ORDERS);
  const listed = faults.states.map(({ fault, left }) => [fault.latencyMs, left]);
  assert.equal(faults.count, 1);
  assert.equal(listed.length, 101);
  assert.deepEqual(
    [listed[0], listed[99], listed[100]],
    [
      [2, 0],
      [101, 0],
      [102, 1],
    ],
  );
});
