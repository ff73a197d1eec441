/** What docs/http.md says of money where it may surprise: the smallest BUY, and the cross wallet's other currencies. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { limit, sellMarket } from '../support/bodies.ts';
import { Client, type Json, ok, one, refused } from '../support/client.ts';
import { join } from '../support/positions.ts';
import { PERP, scenarios } from '../support/venue.ts';

describe('money that may surprise', () => {
  const it = scenarios();

  it('the smallest BUY leaves less than a lot after its fee, and that cannot be sold', async (w) => {
    const carol = await join(w, 'carol', '1000');
    await w.rest('SELL', 100, 1);
    await w.rest('BUY', 99, 1);
    await one(carol.spot(limit('BUY', 100, '0.00001')));
    // 0.02 % of 0.00001 BTC is 0.000000002, rounded up to the smallest unit.
    assert.equal((await w.balance('BTC', 'carol')).total, '0.00000999');
    await refused(carol.spot(sellMarket('0.00001')), 51523, 'not enough BTC');
    await one(carol.spot(limit('BUY', 100, '0.00001')));
    await one(carol.spot(sellMarket('0.00001')));
    assert.equal((await w.balance('BTC', 'carol')).total, '0.00000998');
  });

  it('CROSS@ lists every currency and values it, but only USDT is margin', async (w) => {
    await w.control.createAccount('dave');
    await w.venue.deposit('dave', 'BTC', '2');
    await w.venue.deposit('dave', 'USDT', '10');
    const { key, secret } = await w.control.createKey('dave', { permissions: ['read', 'trading'] });
    const dave = new Client(w.venue.url, { key, secret });
    const [wallet] = await ok(dave.wallet());
    const values = wallet.assets.map(({ currency, balance, assetPrice }: Json) => [currency, [balance, assetPrice]]);
    assert.deepEqual(Object.fromEntries(values), { USDT: [10, 1], USD: [0, 0], BTC: [2, 100], ETH: [0, 0] });
    assert.deepEqual([wallet.totalValue, wallet.marginBalance, wallet.availableBalance], [210, 10, 10]);
    const order = { symbol: PERP, side: 'BUY', type: 'LIMIT', price: 99, size: 7_000_000 };
    await refused(dave.future(order), 33199101, 'not enough USDT');
  });
});
