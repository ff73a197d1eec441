/** What unmodified ccxt makes of BTSE's rate limits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ccxt from 'ccxt';
import { startVenue } from '../../src/index.ts';
import { connect, reset, SPOT, SWAP } from './support.ts';

test('a breach is RateLimitExceeded, on spot, futures and public routes, and nothing else is', async () => {
  await using venue = await startVenue({
    rateLimits: {
      ordersPerSecond: 1,
      queriesPerSecond: 1,
      publicPerSecond: 1,
      marketPerTwoSeconds: 2,
      blockSeconds: [600],
    },
  });
  await reset(venue);
  const btse = connect(venue, venue.key);
  await btse.loadMarkets();
  const limited = (call: Promise<unknown>) =>
    assert.rejects(call, (error: Error) => {
      assert.ok(error instanceof ccxt.RateLimitExceeded, `${error.name}: ${error.message}`);
      assert.match(error.message, /"(?:code|errorCode)":303.*Rate limit exceeded: more than .*, try again in 600 s/);
      return true;
    });
  const order = await btse.createOrder(SPOT, 'limit', 'buy', 0.001, 59_000);
  await limited(btse.createOrder(SPOT, 'limit', 'buy', 0.001, 59_000));
  await limited(btse.cancelOrder(String(order.id), SPOT));
  await limited(btse.createOrder(SWAP, 'limit', 'buy', 100, 59_000));
  assert.equal((await btse.fetchOpenOrders(SPOT)).length, 1);
  await limited(btse.fetchPositions([SWAP]));
  await btse.fetchTime();
  await limited(btse.fetchTime());
  await btse.fetchOrderBook(SPOT);
  await limited(btse.fetchOrderBook(SPOT));
});

test("with ccxt's own limiter a client stays within the limits of BTSE, however many calls it makes at once", async () => {
  await using venue = await startVenue({ rateLimits: 'btse' });
  await reset(venue);
  const btse = connect(venue, venue.key);
  btse.enableRateLimit = true;
  await btse.loadMarkets();
  await Promise.all(Array.from({ length: 20 }, () => btse.fetchOpenOrders(SPOT)));
});
