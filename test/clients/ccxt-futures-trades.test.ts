/** Unmodified ccxt on the own futures trades: what fetchMyTrades and fetchOrderTrades make of the rows. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { connect, reset, SWAP } from './support.ts';

let venue: TestVenue;
before(async () => {
  venue = await startVenue({
    accounts: [
      { name: 'trader', balances: { USDT: '100000' }, fees: { 'BTC-PERP': { maker: '0', taker: '0.0004' } } },
      { name: 'maker', balances: { USDT: '1000000' } },
    ],
  });
});
after(() => venue.close());
beforeEach(() => reset(venue));

const trader = () => connect(venue, venue.keys[0]);
const maker = () => connect(venue, venue.keys[1]);

async function trade(side: 'buy' | 'sell', size: number, price: number): Promise<string> {
  await maker().createOrder(SWAP, 'limit', side === 'buy' ? 'sell' : 'buy', size, price);
  return (await trader().createOrder(SWAP, 'market', side, size)).id!;
}

test('fetchMyTrades: side, price, amount, fee and order of each, oldest first', async () => {
  const bought = await trade('buy', 100, 60_000);
  const sold = await trade('sell', 50, 60_100);
  const trades = await trader().fetchMyTrades(SWAP);
  assert.deepEqual(
    trades.map((t) => [t.symbol, t.side, t.price, t.amount, t.type, t.order, t.fee]),
    [
      // 100 contracts are 0.001 BTC; 0.04 % of 60 and of 30.05 USDT
      [SWAP, 'buy', 60_000, 100, 'market', bought, { cost: 0.024, currency: 'USDT' }],
      [SWAP, 'sell', 60_100, 50, 'market', sold, { cost: 0.01202, currency: 'USDT' }],
    ],
  );
  assert.equal(trades[1].info.realizedPnl, 0.05);
  assert.equal(new Set(trades.map(({ id }) => id)).size, 2);
});

test('of every position mode the symbol is found by its positionId', async () => {
  await trader().setPositionMode(true, SWAP);
  await trade('sell', 10, 60_000);
  const [{ symbol, info }] = await trader().fetchMyTrades(SWAP);
  assert.deepEqual([symbol, info.positionId], [SWAP, 'BTC-PERP-USDT|SHORT']);
});

test('since, until and limit pick; without a symbol all futures are meant', async () => {
  for (let i = 0; i < 3; i++) {
    await trade('buy', 10 + i, 60_000);
    await venue.advance(60_000);
  }
  const all = await trader().fetchMyTrades(undefined, undefined, undefined, { type: 'swap' });
  assert.equal(all.length, 3);
  const since = all[1].timestamp!;
  const amounts = async (...args: [number?, number?, object?]) =>
    (await trader().fetchMyTrades(SWAP, ...args)).map(({ amount }) => amount);
  assert.deepEqual(await amounts(since), [11, 12]);
  assert.deepEqual(await amounts(since, 1), [11]);
  assert.deepEqual(await amounts(undefined, undefined, { until: since - 1 }), [10]);
});

test('fetchOrderTrades: those of one order', async () => {
  await trade('buy', 10, 60_000);
  await maker().createOrder(SWAP, 'limit', 'sell', 10, 60_010);
  await maker().createOrder(SWAP, 'limit', 'sell', 10, 60_020);
  const { id } = await trader().createOrder(SWAP, 'market', 'buy', 20);
  const trades = await trader().fetchOrderTrades(id!, SWAP);
  assert.deepEqual(
    trades.map(({ price, amount, order }) => [price, amount, order]),
    [
      [60_010, 10, id],
      [60_020, 10, id],
    ],
  );
});
