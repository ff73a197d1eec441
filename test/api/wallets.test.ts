/** The history and the margin of wallets on each surface, and what this venue does not offer. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future } from '../support/bodies.ts';
import { Client, type Json, ok, refused } from '../support/client.ts';
import { open, setMode } from '../support/positions.ts';
import { PERP, START_MS, scenarios, type World } from '../support/venue.ts';

const SPOT = '/spot/api/v3.3';
const FUTURES = '/futures/api/v2.3';
const WALLET = '/public-api/wallet/v1';
const DAY_MS = 86_400_000;
const ISOLATED = 'ISOLATED@BTC-PERP-USDT';

const get = (w: World, path: string, query: Record<string, string> = {}): Promise<Json> =>
  ok(w.alice.call('GET', path, { query }));
const history = async (w: World, query: Record<string, string>): Promise<Json[]> =>
  (await get(w, `${WALLET}/user/walletHistory`, query)).data;

describe('the history of a wallet', () => {
  const it = scenarios();

  it('has deposits and withdrawals as positive amounts, by their types, on spot and in wallet v1', async (w) => {
    await w.control.deposit('alice', 'USDT', 250);
    await w.control.deposit('alice', 'USDT', -100);
    await w.control.deposit('alice', 'BTC', 2);
    const rows: Json[] = await get(w, `${SPOT}/user/wallet_history`, { currency: 'USDT' });
    assert.deepEqual(
      rows.map(({ type, amount, currency, wallet, status, username, fees }) => [
        ...[type, amount, currency],
        ...[wallet, status, username, fees],
      ]),
      [
        ['Withdraw', 100, 'USDT', 'SPOT@', 'COMPLETED', 'alice', 0],
        ['Deposit', 250, 'USDT', 'SPOT@', 'COMPLETED', 'alice', 0],
        ['Deposit', 1_000_000, 'USDT', 'SPOT@', 'COMPLETED', 'alice', 0],
      ],
    );
    for (const { orderId } of rows) assert.equal(typeof orderId, 'string');
    assert.equal((await get(w, `${SPOT}/user/wallet_history`)).length, 6);
    assert.equal((await get(w, `${SPOT}/user/wallet_history`, { count: '2' })).length, 2);

    const unified = await history(w, { asset: 'USDT', walletType: 'SPOT' });
    assert.deepEqual(
      unified.map(({ type, amount, netAmount, walletName, transactionRef }) => [
        ...[type, amount, netAmount],
        ...[walletName, transactionRef],
      ]),
      [
        ['WITHDRAW', '100', '100', 'SPOT@', rows[0].orderId],
        ['DEPOSIT', '250', '250', 'SPOT@', rows[1].orderId],
        ['DEPOSIT', '1000000', '1000000', 'SPOT@', rows[2].orderId],
      ],
    );
    const types = async (historyTypes: string) =>
      (await history(w, { asset: 'USDT', historyTypes })).map(({ type }) => type);
    assert.deepEqual(await types('["WITHDRAW"]'), ['WITHDRAW']);
    assert.deepEqual(await types('["DEPOSIT","WITHDRAW"]'), ['WITHDRAW', 'DEPOSIT', 'DEPOSIT']);
    assert.deepEqual(await types('["CONVERT","REFERRAL","SUB_ACCOUNT_TRANSFER_IN"]'), []);
    assert.deepEqual(await types('[]'), []);
    assert.equal((await history(w, { asset: 'USDT', pageSize: '1' })).length, 1);
  });

  it('has a futures trade as its result and its fee, and funding', async (w) => {
    await open(w, 10_000);
    await w.rest('BUY', 101, 4_000, PERP);
    await ok(w.alice.future(future('SELL', null, 4_000)));
    const rows: Json[] = await get(w, `${FUTURES}/user/wallet_history`);
    assert.deepEqual(
      rows.map(({ type, status, wallet, currency }) => [type, status, wallet, currency]),
      [
        [108, 10, 'CROSS@', 'USDT'],
        [108, 10, 'CROSS@', 'USDT'],
      ],
    );
    const [closed, opened] = rows;
    assert.deepEqual([opened.amount, opened.fees > 0, closed.amount > 0, closed.fees > 0], [0, true, true, true]);
    const [record] = await history(w, { walletType: 'CROSS', asset: 'USDT' });
    assert.deepEqual([record.type, record.amount, record.fees], ['REALIZED_PNL', `${closed.amount}`, `${closed.fees}`]);
    assert.equal(Number(record.netAmount), Number((closed.amount - closed.fees).toFixed(8)));
    assert.equal(record.description, 'Trade: realised result and fee (BTC-PERP)');

    // A bid above the index: longs pay.
    await w.rest('BUY', 100.5, 100_000, PERP);
    await w.advance(9 * 3_600_000);
    const [funding] = await get(w, `${FUTURES}/user/wallet_history`, { wallet: 'CROSS@', count: '1' });
    assert.deepEqual([funding.type, funding.amount < 0, funding.fees], [110, true, 0]);
    assert.equal((await history(w, { walletType: 'CROSS', historyTypes: '["FUNDING"]' })).length, 1);
  });

  it('has a liquidation', async (w) => {
    await w.control.createAccount('carol');
    await w.control.deposit('carol', 'USDT', 10);
    const key = await w.control.createKey('carol', { permissions: ['read', 'trading'] });
    const carol = new Client(w.venue.url, key);
    await w.rest('SELL', 100, 900_000, PERP);
    await ok(carol.future(future('BUY', 100, 900_000)));
    await w.rest('BUY', 99, 900_000, PERP);
    await w.price(PERP, { index: 99, mark: 99 });
    const rows: Json[] = await ok(carol.call('GET', `${FUTURES}/user/wallet_history`));
    assert.ok(
      rows.some(({ type, amount }) => type === 106 && amount < 0),
      JSON.stringify(rows),
    );
    const query = { walletType: 'CROSS', historyTypes: '["LIQUIDATION"]' };
    const { data } = await ok(carol.call('GET', `${WALLET}/user/walletHistory`, { query }));
    assert.ok(data.length > 0);
  });

  it('of an isolated position is in the wallet of its market', async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, 100);
    for (const query of [{}, { wallet: ISOLATED }] as Record<string, string>[]) {
      const rows: Json[] = await get(w, `${FUTURES}/user/wallet_history`, query);
      assert.deepEqual(
        rows.map(({ wallet }) => wallet),
        [ISOLATED],
      );
    }
    assert.deepEqual(await get(w, `${FUTURES}/user/wallet_history`, { wallet: 'CROSS@' }), []);
    assert.deepEqual(await get(w, `${FUTURES}/user/wallet_history`, { wallet: 'ISOLATED@ETH-PERP-USDT' }), []);
    assert.equal((await history(w, { walletType: 'ISOLATED', walletName: ISOLATED })).length, 1);
    const older: Json[] = await get(w, '/futures/api/v2.1/user/wallet_history', { wallet: 'ISOLATED@BTCPFC-USD' });
    assert.deepEqual(
      older.map(({ wallet }) => wallet),
      ['ISOLATED@BTCPFC-USD'],
    );
  });

  it('refuses what does not exist, and a name that the type does not have', async (w) => {
    const refusal = async (path: string, query: Record<string, string>, expected: RegExp) => {
      const { status, text } = await w.alice.call('GET', path, { query });
      assert.equal(status, 400, text);
      assert.match(text, expected);
    };
    const v1 = `${WALLET}/user/walletHistory`;
    await refusal(v1, { asset: 'NOPE' }, /asset is .*NOPE.*give one of .*USDT/);
    await refusal(v1, { asset: 'USDT', walletName: ISOLATED }, /walletType is missing beside walletName/);
    await refusal(v1, { walletName: 'CROSS@' }, /walletType is missing beside walletName/);
    await refusal(v1, { walletType: 'SPOT', asset: 'USDT', walletName: ISOLATED }, /walletType is SPOT/);
    await refusal(`${SPOT}/user/wallet_history`, { currency: 'NOPE' }, /currency is .*NOPE.*give one of/);
    const subAccounts = await w.alice.call('GET', `${WALLET}/subaccount/list`);
    assert.match(subAccounts.text, /sub-accounts/);
  });

  it('goes back seven days, and with a startTime thirty', async (w) => {
    await w.advance(8 * DAY_MS);
    const path = `${SPOT}/user/wallet_history`;
    assert.deepEqual(await get(w, path), []);
    assert.equal((await get(w, path, { startTime: String(START_MS) })).length, 3);
    assert.equal((await get(w, path, { endTime: String(START_MS + DAY_MS) })).length, 3);
    await w.advance(30 * DAY_MS);
    assert.deepEqual(await get(w, path, { startTime: String(START_MS) }), []);
  });

  it('refuses what cannot be, by name', async (w) => {
    const call = (path: string, query: Record<string, string>) => w.alice.call('GET', path, { query });
    await refused(call(`${WALLET}/user/walletHistory`, {}), 11000001, 'asset is missing');
    await refused(
      call(`${WALLET}/user/walletHistory`, { wallet: 'CROSS', asset: 'USDT' }),
      400,
      'give walletType, one of SPOT',
    );
    await refused(call(`${WALLET}/user/walletHistory`, { walletType: 'MARGIN' }), 400, 'one of SPOT, CROSS, ISOLATED');
    for (const historyTypes of ['DEPOSIT', '{}', '[1]', '["DEPOSITS"]', '["DEPOSIT","deposit"]', '["CONVERT",""]']) {
      await refused(
        call(`${WALLET}/user/walletHistory`, { asset: 'BTC', historyTypes }),
        400,
        'give a JSON array of DEPOSIT, WITHDRAW, TRANSFER_IN,',
      );
    }
    await refused(call(`${FUTURES}/user/wallet_history`, { wallet: 'SPOT@' }), -2, 'wallet is "SPOT@": use CROSS@');
    const times = { startTime: String(START_MS), endTime: String(START_MS - 1) };
    await refused(call(`${SPOT}/user/wallet_history`, times), 400, 'is after endTime');
  });
});

describe('the margin of wallets', () => {
  const it = scenarios();

  it('is that of the cross wallet, or of the market’s isolated positions', async (w) => {
    await open(w, 1000);
    const [wallet] = await get(w, `${FUTURES}/user/wallet`);
    assert.deepEqual(await get(w, `${FUTURES}/user/margin`, { symbol: PERP }), [wallet]);
    const unified = await get(w, `${FUTURES}/user/unifiedWallet/margin`);
    const { activeWalletName, totalValue, marginBalance, availableBalance } = wallet;
    assert.deepEqual(
      [unified.symbol, unified.walletTotalValue, unified.futuresTotalAvailableBalance],
      ['', totalValue, availableBalance],
    );
    assert.deepEqual(
      unified.wallets.map((row: Json) => [row.activeWalletName, row.marginBalance]),
      [[activeWalletName, marginBalance]],
    );

    await w.begin();
    await setMode(w, 'ISOLATED');
    const { positionId } = await open(w, 1000);
    const [isolated] = await get(w, `${FUTURES}/user/margin`, { symbol: PERP });
    assert.equal(isolated.wallet, ISOLATED);
    for (const query of [{ symbol: PERP }, { positionId }] as Record<string, string>[]) {
      const margin = await get(w, `${FUTURES}/user/unifiedWallet/margin`, query);
      assert.deepEqual([margin.symbol, margin.wallets.length], [PERP, 1]);
      assert.equal(margin.wallets[0].activeWalletName, ISOLATED);
    }
    const all = await get(w, `${FUTURES}/user/unifiedWallet/margin`);
    assert.deepEqual(
      all.wallets.map((row: Json) => row.activeWalletName),
      ['CROSS@', ISOLATED],
    );
    const [cross] = await get(w, `${FUTURES}/user/wallet`);
    assert.equal(all.walletTotalValue, Number((cross.totalValue + isolated.totalValue).toFixed(8)));
  });
});

describe('what this venue does not offer', () => {
  const it = scenarios();

  it('is refused by name, with whatever method and body', async (w) => {
    const cases: [method: 'GET' | 'POST' | 'DELETE', path: string, expected: string][] = [
      ['GET', `${SPOT}/user/wallet/address`, 'no deposit addresses'],
      ['DELETE', '/spot/api/v3.2/user/wallet/address', 'no deposit addresses'],
      ['POST', '/spot/api/v3.2/user/wallet/withdraw', 'no withdrawals'],
      ['POST', '/spot/api/v3.2/user/wallet/convert', 'no conversions'],
      ['POST', `${SPOT}/user/wallet/transfer`, 'no transfers to other users'],
      ['GET', '/spot/api/v3.2/subaccount/wallet/history', 'no sub-accounts'],
      ['GET', '/spot/api/v3.2/invest/products', 'no investments'],
      ['GET', '/spot/api/v3.2/availableCurrencies', 'no currencies to withdraw or convert'],
      ['POST', '/futures/api/v2.1/subaccount/wallet/transfer', 'no sub-accounts'],
      ['GET', `${WALLET}/crypto/networks`, 'no networks to deposit by'],
      ['POST', '/otc/api/v1/quote', 'no over-the-counter trades'],
      ['POST', '/otc/api/v1/accept/1234', 'no over-the-counter trades'],
    ];
    for (const [method, path, expected] of cases) {
      const body = method === 'GET' ? {} : { body: { amount: '1', asset: 'BTC' } };
      await refused(w.alice.call(method, path, body), 17, expected);
    }
    await refused(w.alice.call('GET', '/spot/api/v3.2/user/wallet/addresses'), 404, 'no route at', 404);
  });
});
