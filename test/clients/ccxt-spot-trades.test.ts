/** Unmodified ccxt on the own spot trades: what fetchMyTrades makes of the rows. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { connect, reset, SPOT } from './support.ts';

let venue: TestVenue;
before(async () => {
  venue = await startVenue({
    accounts: [
      { name: 'trader', balances: { USDT: '100000', BTC: '1' }, fees: { 'BTC-USDT': { maker: '0', taker: '0.001' } } },
      { name: 'maker', balances: { USDT: '1000000', BTC: '10' } },
    ],
  });
});
after(() => venue.close());
beforeEach(() => reset(venue));

test('fetchMyTrades: side, price, amount, fee and order of each, oldest first', async () => {
  const [trader, maker] = venue.keys.map((key) => connect(venue, key));
  await maker.createOrder(SPOT, 'limit', 'sell', 0.1, 60_000);
  await maker.createOrder(SPOT, 'limit', 'buy', 0.1, 59_000);
  const bought = await trader.createOrder(SPOT, 'limit', 'buy', 0.1, 60_000);
  await venue.advance(1000);
  const sold = await trader.createOrder(SPOT, 'market', 'sell', 0.05);
  const trades = await trader.fetchMyTrades(SPOT);
  assert.deepEqual(
    trades.map((t) => [t.symbol, t.side, t.price, t.amount, t.order, t.fee]),
    [
      // 0.1 % of what was received: 0.1 BTC, and 2,950 USDT
      [SPOT, 'buy', 60_000, 0.1, bought.id, { cost: 0.0001, currency: 'BTC' }],
      [SPOT, 'sell', 59_000, 0.05, sold.id, { cost: 2.95, currency: 'USDT' }],
    ],
  );
  assert.deepEqual(
    (await trader.fetchMyTrades(SPOT, trades[1].timestamp)).map(({ id }) => id),
    [trades[1].id],
  );
});
