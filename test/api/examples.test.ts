/** The requests that docs/openapi.json shows of the trading surfaces: a venue takes each as it is printed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BourseClient, ControlClient, startVenue } from '../../src/index.ts';
import { SURFACES } from '../../src/start.ts';

test('every request with a body has an example, and each is taken by a venue', async () => {
  const balances = { USDT: 1_000_000, BTC: 10 };
  await using venue = await startVenue({
    accounts: [
      { name: 'alice', balances },
      { name: 'bob', balances },
      { name: 'maker', balances },
    ],
  });
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  for (const symbol of ['BTC-USDT', 'BTC-PERP']) await venue.setPrice(symbol, { index: 60_000, last: 60_000 });
  for (const [account, body] of ORDERS) await control.placeAs(account, body);
  await control.save('base');
  // Only an account without positions and orders has another position mode.
  const clients = venue.keys.map((key) => new BourseClient({ url: venue.url, ...key }));
  for (const { basePath, routes } of SURFACES) {
    for (const { method, path, body, examples = {} } of routes) {
      assert.equal(Object.keys(examples).length > 0, body !== undefined, `${method} ${basePath}${path}`);
      for (const example of Object.values(examples)) {
        await control.restore('base');
        const client = clients[path.endsWith('/position_mode') ? 1 : 0];
        await client.send(method, basePath + path, { body: example });
      }
    }
  }
});

const spot = { symbol: 'BTC-USDT', orderType: 'LIMIT' };
const perpetual = { symbol: 'BTC-PERP', type: 'LIMIT' };
const ORDERS: readonly [account: string, body: Record<string, unknown>][] = [
  ['maker', { ...spot, orderSide: 'SELL', orderSize: 1, orderPrice: 60_010 }],
  ['maker', { ...spot, orderSide: 'BUY', orderSize: 1, orderPrice: 59_990 }],
  ['maker', { ...perpetual, side: 'SELL', size: 1000, price: 60_010 }],
  ['maker', { ...perpetual, side: 'BUY', size: 1000, price: 59_990 }],
  ['alice', { ...perpetual, side: 'BUY', type: 'MARKET', size: 100 }],
  ['alice', { ...spot, orderSide: 'BUY', orderSize: 0.01, orderPrice: 59_000, clOrderId: 'my-first' }],
  ['alice', { ...perpetual, side: 'BUY', size: 10, price: 59_000, clOrderID: 'my-future' }],
];
