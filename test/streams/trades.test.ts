/** Public trades on streams, in the topics of all versions. */
import assert from 'node:assert/strict';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';
import { clients } from './support.ts';

const scenario = scenarios();
const connect = clients();

async function trade(w: World, symbol: string, size: number): Promise<void> {
  await w.rest('SELL', 100, size, symbol);
  if (symbol === PERP) {
    await w.alice.future({ symbol, side: 'BUY', type: 'LIMIT', price: 100, size });
    return;
  }
  await w.alice.spot({ symbol, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 100, orderSize: size });
}

scenario('a trade comes once to every topic of its market, in the names of its version', async (w) => {
  const spot = await connect(w, '/ws/spot');
  await spot.subscribe('tradeHistoryApi:BTC-USDT', 'tradeHistory:BTC-USDT', 'tradeHistoryApi:ETH-USDT');
  const futures = await connect(w, '/ws/futures');
  const older = ['tradeHistoryApi:BTCPFC', 'tradeHistoryApi:BTC-PERP'];
  const names = [...older, 'tradeHistoryApiV2:BTC-PERP', 'tradeHistoryApiV3:BTC-PERP'];
  assert.deepEqual(await futures.subscribe(...names), names);
  // Trades of earlier tests come first, if there are any.
  for (const client of [spot, futures]) await client.settled();
  await trade(w, BTC, 0.25);
  await trade(w, PERP, 7);
  const [first, second, ...more] = await spot.settled();
  assert.deepEqual(more, []);
  const { tradeId, timestamp } = first.data[0];
  assert.ok(Number.isSafeInteger(tradeId) && Number.isSafeInteger(timestamp));
  const data = [{ price: 100, size: 0.25, side: 'BUY', symbol: BTC, tradeId, timestamp }];
  assert.deepEqual(first, { topic: 'tradeHistoryApi:BTC-USDT', data });
  assert.deepEqual(second, { topic: 'tradeHistory:BTC-USDT', data });
  const frames = await futures.settled();
  assert.deepEqual(
    frames.map(({ topic, data: [{ symbol, size }] }) => [topic, symbol, size]),
    [
      ['tradeHistoryApi', 'BTCPFC', 7],
      ['tradeHistoryApi', PERP, 7],
      ['tradeHistoryApiV2', PERP, 7],
      ['tradeHistoryApiV3:BTC-PERP', PERP, 7],
    ],
  );
});

scenario('an order that takes several orders is one frame, newest trade first', async (w) => {
  const client = await connect(w, '/ws/spot');
  await client.subscribe('tradeHistoryApi:BTC-USDT');
  await client.settled();
  await w.rest('SELL', 100, 1);
  await w.rest('SELL', 100.5, 2);
  await w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 101, orderSize: 3 });
  const [{ data }, ...more] = await client.settled();
  assert.deepEqual(more, []);
  assert.deepEqual(
    data.map(({ price, size }: { price: number; size: number }) => [price, size]),
    [
      [100.5, 2],
      [100, 1],
    ],
  );
  assert.equal(data[0].tradeId, data[1].tradeId + 1);
});

scenario('a subscription begins with the recent trades, newest first, and then each trade comes once', async (w) => {
  for (let i = 1; i <= 3; i++) await trade(w, BTC, i / 100);
  const client = await connect(w, '/ws/spot');
  await client.subscribe('tradeHistoryApi:BTC-USDT');
  const { data } = await client.next();
  assert.deepEqual(
    data.map(({ size }: { size: number }) => size),
    [0.03, 0.02, 0.01],
  );
  await trade(w, BTC, 0.04);
  const [frame, ...more] = await client.settled();
  assert.deepEqual(more, []);
  assert.deepEqual([frame.data.length, frame.data[0].tradeId], [1, data[0].tradeId + 1]);
  await client.subscribe('tradeHistoryApi:BTC-USDT');
  assert.equal((await client.next()).data.length, 4);
});

scenario('nothing comes after the acknowledgement of unsubscribe, however soon it follows', async (w) => {
  await trade(w, BTC, 0.01);
  const client = await connect(w, '/ws/spot');
  const args = ['tradeHistoryApi:BTC-USDT'];
  for (let i = 0; i < 3; i++) {
    client.send({ op: 'subscribe', args });
    client.send({ op: 'unsubscribe', args });
  }
  client.send({ op: 'subscribe', args });
  const frames = [];
  while (frames.length < 8) frames.push(await client.next());
  assert.deepEqual(
    frames.map(({ event, topic }) => event ?? topic),
    [...Array(3).fill(['subscribe', 'unsubscribe']).flat(), 'subscribe', 'tradeHistoryApi:BTC-USDT'],
  );
  assert.deepEqual(await client.settled(), []);
});
