/** SIGKILL, and then acknowledged requests are sent again: nothing is carried out twice. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { call } from '../support/signing.ts';
import { scratch, VenueProcess } from './process.ts';

const KEY = { key: 'alice-key', secret: 'alice-secret' };
const ORDERS = '/spot/api/v4/trade/orders';
const ORDER = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 95_000, orderSize: 0.001 };

for (const [name, flags] of [
  ['the log alone', []],
  ['a snapshot of a moment before', ['--snapshot-every', '1']],
] as const) {
  test(`an order with a nonce 45 s ahead is not taken again by a start from ${name}`, async () => {
    const folder = join(scratch, `replay-${flags.length}`);
    const venue = await VenueProcess.start(folder, ...flags);
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    const nonce = Date.now() + 45_000;
    const placed = await call(venue.ready.http, KEY, 'POST', ORDERS, ORDER, { nonce });
    assert.equal(placed.status, 200, JSON.stringify(placed.body));
    if (flags.length > 0) await venue.control.request('POST', '/snapshot');
    await venue.kill();

    const again = await VenueProcess.start(folder, ...flags);
    const { hash } = await again.control.state();
    const replayed = await call(again.ready.http, KEY, 'POST', ORDERS, ORDER, { nonce });
    assert.deepEqual([replayed.status, replayed.body.code], [401, 401], JSON.stringify(replayed.body));
    assert.match(replayed.body.msg, /Invalid nonce: .* this key has used nonces up to/);
    assert.equal((await again.control.state()).hash, hash);
    const next = await call(again.ready.http, KEY, 'POST', ORDERS, ORDER, { nonce: nonce + 1 });
    assert.equal(next.status, 200, JSON.stringify(next.body));
    assert.equal(await again.stop(), 0);
  });
}
