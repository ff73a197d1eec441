/** BourseClient's requests: every method works against a venue, and refusals are typed errors. */
import assert from 'node:assert/strict';
import { BourseClient, ControlClient, VenueError } from '../../src/client/index.ts';
import { PERP, scenarios } from '../support/venue.ts';

const scenario = scenarios();

const clientOf = (url: string, name: string) => new BourseClient({ url, key: `${name}-key`, secret: `${name}-secret` });

scenario('an address without http:// is refused, and the error says how to write it', async (w) => {
  const address = w.venue.url.replace('http://', '');
  for (const make of [BourseClient, ControlClient]) {
    assert.throws(() => new make({ url: address, token: '' }), {
      name: 'TypeError',
      message: `url is "${address}": give an address such as ${w.venue.url}`,
    });
    assert.throws(() => new make({ url: undefined as unknown as string, token: '' }), /give an address such as http/);
  }
});

scenario('spot: place, look up, amend, cancel, trade', async (w) => {
  const [alice, bob] = [clientOf(w.venue.url, 'alice'), clientOf(w.venue.url, 'bob')];
  const limit = { symbol: 'BTC-USDT', orderType: 'LIMIT', orderSize: 2, orderPrice: '99' } as const;
  const [{ orderId }] = await alice.placeSpotOrder({ ...limit, orderSide: 'BUY', clOrderId: 'mine' });
  assert.equal((await alice.spotOrder({ clOrderId: 'mine' })).orderId, orderId);
  assert.equal((await alice.amendSpotOrder({ symbol: 'BTC-USDT', orderId, orderPrice: 99.5 }))[0].orderPrice, 99.5);
  assert.deepEqual(
    (await alice.openSpotOrders('BTC-USDT')).map(({ orderPrice }) => orderPrice),
    [99.5],
  );
  await bob.placeSpotOrder({ symbol: 'BTC-USDT', orderSide: 'SELL', orderType: 'MARKET', orderSize: 1 });
  assert.deepEqual(
    (await alice.spotTrades('BTC-USDT', { count: 5 })).map((trade) => trade.orderId),
    [orderId],
  );
  assert.equal((await alice.cancelSpotOrder('BTC-USDT', { orderId }))[0].status, 6);
  await alice.placeAlgoOrder({ ...limit, orderType: 'PEG', orderSide: 'BUY', stealth: 50 });
  assert.equal((await alice.cancelAllSpotOrders('BTC-USDT')).length, 1);
  const btc = (await alice.balances()).find(({ asset }) => asset === 'BTC');
  assert.equal(btc?.totalAmount, '1000.9998');
});

scenario('futures: place, look up, amend, cancel, trade, close', async (w) => {
  const [alice, bob] = [clientOf(w.venue.url, 'alice'), clientOf(w.venue.url, 'bob')];
  const limit = { symbol: PERP, type: 'LIMIT', size: 10, price: 100 } as const;
  const [{ orderID: orderId }] = await alice.placeFuturesOrder({ ...limit, side: 'BUY', price: 99 });
  await alice.amendFuturesOrder({ symbol: PERP, orderID: orderId, type: 'PRICE', value: 100 });
  assert.equal((await alice.openFuturesOrders(PERP))[0].price, 100);
  await bob.placeFuturesOrder({ ...limit, side: 'SELL', size: 4 });
  assert.equal((await alice.futuresOrder({ orderId })).totalFilledSize, 4);
  assert.equal((await alice.futuresTrades({ symbol: PERP })).length, 1);
  assert.equal((await alice.positions(PERP))[0].size, 4);
  assert.equal((await alice.cancelFuturesOrder(PERP, { orderId }))[0].status, 6);
  await alice.setLeverage({ symbol: PERP, leverage: 5 });
  await bob.placeFuturesOrder({ ...limit, side: 'BUY' });
  assert.equal((await alice.closePosition({ symbol: PERP, type: 'MARKET' }))[0].status, 4);
  assert.deepEqual(await alice.positions(PERP), []);
});

scenario('public routes need no key', async (w) => {
  await w.rest('BUY', 99, 1);
  const client = new BourseClient({ url: w.venue.url });
  assert.ok((await client.markets()).some(({ symbol }) => symbol === 'BTC-USDT'));
  assert.equal((await client.orderBook('BTC-USDT', 5)).bids.length, 1);
  assert.deepEqual(await client.candles({ symbol: 'BTC-USDT', resolution: '1' }), []);
  const [summary] = await client.request('GET', '/spot/api/v3.2/market_summary', { query: { symbol: 'BTC-USDT' } });
  assert.equal(summary.highestBid, 99);
  await assert.rejects(client.balances(), { name: 'VenueError', status: 401 });
});

scenario('a refusal has the status, the code and the body of the answer', async (w) => {
  const client = clientOf(w.venue.url, 'alice');
  const error = await client.cancelSpotOrder('BTC-USDT', { orderId: 'none' }).then(
    () => assert.fail('it was taken'),
    (refusal: VenueError) => refusal,
  );
  assert.ok(error instanceof VenueError);
  assert.equal(error.status, 400);
  assert.equal(error.code, 16);
  assert.match(error.message, /^DELETE \/spot\/api\/v4\/trade\/orders answered 400: BADREQUEST: /);
  assert.equal((error.body as { code: number }).code, 16);
});
