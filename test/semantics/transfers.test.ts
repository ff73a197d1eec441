/** Transfers between the spot and the cross wallet, which are one (semantics.md section 5). */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { limit } from '../support/bodies.ts';
import { Client, type Json, ok, refused } from '../support/client.ts';
import { scenarios, type World } from '../support/venue.ts';

const PATH = '/futures/api/v2.3/user/wallet/transfer';

const amount = (currency: string, balance: number | string) => ({ currency, balance });
const all = (currency: string) => ({ currency, allBalance: true });
const transfer = (w: World, apiWallets: Json, from = 'SPOT', to = 'CROSS', client = w.alice) =>
  client.call('POST', PATH, {
    body: { walletSrc: '', walletSrcType: from, walletDest: '', walletDestType: to, apiWallets },
  });

const history = async (w: World, walletType: string, asset: string): Promise<Json[]> => {
  const query = { walletType, asset, historyTypes: '["TRANSFER_IN","TRANSFER_OUT"]' };
  const { data } = await ok(w.alice.call('GET', '/public-api/wallet/v1/user/walletHistory', { query }));
  return data.map(({ type, amount, walletName }: Json) => [type, amount, walletName]);
};

describe('a transfer between the wallets of an account', () => {
  const it = scenarios();

  it('moves nothing, and is a pair in the history', { rule: '5.55' }, async (w) => {
    const before = await w.account();
    const [wallet] = await ok(transfer(w, [amount('USDT', '250.5'), all('BTC')]));
    assert.equal(wallet.wallet, 'CROSS@');
    assert.deepEqual(await w.account(), before);
    assert.deepEqual(await history(w, 'SPOT', 'USDT'), [['TRANSFER_OUT', '250.5', 'SPOT@']]);
    assert.deepEqual(await history(w, 'CROSS', 'USDT'), [['TRANSFER_IN', '250.5', 'CROSS@']]);
    assert.deepEqual(await history(w, 'SPOT', 'BTC'), [['TRANSFER_OUT', '1000', 'SPOT@']]);
    await ok(transfer(w, [amount('USDT', 50)], 'CROSS', 'SPOT'));
    const rows = async (path: string) => {
      const records: Json[] = await ok(w.alice.call('GET', path));
      return records.map(({ type, amount, currency }) => [type, amount, currency]);
    };
    assert.deepEqual(await rows('/futures/api/v2.3/user/wallet_history'), [
      [105, -50, 'USDT'],
      [105, 1000, 'BTC'],
      [105, 250.5, 'USDT'],
    ]);
    assert.deepEqual((await rows('/spot/api/v3.2/user/wallet_history')).slice(0, 3), [
      ['Transfer_In', 50, 'USDT'],
      ['Transfer_Out', 1000, 'BTC'],
      ['Transfer_Out', 250.5, 'USDT'],
    ]);
    const { entries } = await w.control.ledger('alice');
    assert.deepEqual(
      entries.slice(-2).map(({ reason, amount, currency }) => [reason, amount, currency]),
      [
        ['transferOut', '-50', 'USDT'],
        ['transferIn', '50', 'USDT'],
      ],
    );
  });

  it('beyond what is available is refused, all of it', { rule: '5.55' }, async (w) => {
    await ok(w.alice.spot(limit('BUY', 100, 100)));
    await refused(transfer(w, [amount('BTC', 1), amount('USDT', 990_000.01)]), 33199101, 'available');
    assert.deepEqual(await history(w, 'SPOT', 'BTC'), []);
    await ok(transfer(w, [amount('USDT', 990_000)]));
    await ok(transfer(w, [all('USDT')]));
    assert.deepEqual(await history(w, 'SPOT', 'USDT'), [
      ['TRANSFER_OUT', '990000', 'SPOT@'],
      ['TRANSFER_OUT', '990000', 'SPOT@'],
    ]);
  });

  it('is refused if its amounts together are more than is available', { rule: '5.55' }, async (w) => {
    const half = amount('USDT', 600_000);
    await refused(transfer(w, [half, half]), 33199101, 'available');
    await refused(transfer(w, [all('USDT'), amount('USDT', 1)]), 33199101, 'available');
    assert.deepEqual(await history(w, 'SPOT', 'USDT'), []);
    await ok(transfer(w, [half, amount('BTC', 1000), all('USDT'), all('USDT')]));
    assert.deepEqual(await history(w, 'SPOT', 'USDT'), [
      ['TRANSFER_OUT', '400000', 'SPOT@'],
      ['TRANSFER_OUT', '600000', 'SPOT@'],
    ]);
  });

  it('of what is not there, or not between the two, is malformed by name', async (w) => {
    const cases: [apiWallets: Json, from: string, to: string, expected: string][] = [
      [[amount('USDT', 1)], 'SPOT', 'SPOT', 'walletDestType is SPOT'],
      [[amount('USDT', 1)], 'ISOLATED', 'SPOT', 'walletSrcType is ISOLATED'],
      [[amount('USDT', 1)], 'SPOT', 'MARGIN', 'one of SPOT, CROSS, ISOLATED'],
      [[amount('DOGE', 1)], 'SPOT', 'CROSS', 'currency is "DOGE": give one of'],
      [[amount('USDT', -1)], 'SPOT', 'CROSS', 'balance is -1'],
      [[amount('USDT', '0.000000001')], 'SPOT', 'CROSS', 'balance has more than 8 decimals'],
      [[{ currency: 'USDT' }], 'SPOT', 'CROSS', 'balance is missing'],
      [[], 'SPOT', 'CROSS', 'apiWallets'],
      ['USDT', 'SPOT', 'CROSS', 'apiWallets'],
      [[1], 'SPOT', 'CROSS', 'apiWallets has an item that is no object'],
    ];
    for (const [apiWallets, from, to, expected] of cases) {
      await refused(transfer(w, apiWallets, from, to), -2, expected);
    }
  });

  it('needs a key that may transfer, and takes what the samples send', async (w) => {
    const key = await w.control.createKey('alice', { permissions: ['read', 'trading'] });
    const client = new Client(w.venue.url, key);
    await refused(transfer(w, [amount('USDT', 1)], 'SPOT', 'CROSS', client), -7, 'permission transfer', 403);
    const body = { walletSrc: 'string', walletSrcType: 'Spot', walletDest: 'string', walletDestType: 'CROSS' };
    const apiWallets = [
      { currency: 'USDT', allBalance: 'true' },
      { currency: 'BTC', allBalance: 'true' },
    ];
    await ok(w.alice.call('POST', '/futures/api/v2.1/user/wallet/transfer', { body: { ...body, apiWallets } }));
  });
});
