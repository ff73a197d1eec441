/** Unmodified ccxt on the history of wallets: deposits, withdrawals and the ledger. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import ccxt from 'ccxt';
import { ControlClient, startVenue, type TestVenue } from '../../src/index.ts';
import { connect, SWAP } from './support.ts';

let venue: TestVenue;
let startMs: number;
before(async () => {
  venue = await startVenue({
    accounts: [
      { name: 'trader', balances: { USDT: '100000' } },
      { name: 'maker', balances: { USDT: '1000000' } },
    ],
  });
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  startMs = await control.advance('1h');
  await control.deposit('trader', 'USDT', 500);
  await control.advance('1h');
  await control.deposit('trader', 'USDT', '-120.5');
});
after(() => venue.close());

const trader = () => connect(venue, venue.keys[0]);
const maker = () => connect(venue, venue.keys[1]);

test('deposits and withdrawals, each alone and together', async () => {
  const btse = trader();
  const deposits = await btse.fetchDeposits('USDT');
  assert.deepEqual(
    deposits.map(({ type, amount, currency, status, fee }) => [type, amount, currency, status, fee?.cost]),
    [
      ['deposit', 100_000, 'USDT', 'ok', 0],
      ['deposit', 500, 'USDT', 'ok', 0],
    ],
  );
  assert.ok(deposits.every(({ id, timestamp }) => id !== undefined && timestamp !== undefined));
  const withdrawals = await btse.fetchWithdrawals('USDT');
  assert.deepEqual(
    withdrawals.map(({ type, amount }) => [type, amount]),
    [['withdrawal', 120.5]],
  );
  assert.equal((await btse.fetchDepositsWithdrawals('USDT')).length, 3);
  assert.deepEqual(await btse.fetchDeposits('BTC'), []);
  assert.equal((await btse.fetchDeposits('USDT', startMs)).length, 1);
  assert.equal((await btse.fetchDepositsWithdrawals('USDT', undefined, 1)).length, 1);
});

test('the ledger of the spot wallet, and of futures', async () => {
  const btse = trader();
  const ledger = await btse.fetchLedger('USDT');
  assert.deepEqual(
    ledger.map(({ type, direction, amount, account, status }) => [type, direction, amount, account, status]),
    [
      ['transaction', 'in', 100_000, 'SPOT@', 'ok'],
      ['transaction', 'in', 500, 'SPOT@', 'ok'],
      ['transaction', 'out', 120.5, 'SPOT@', 'ok'],
    ],
  );
  await venue.setPrice('BTC-PERP', 60_000);
  await maker().createOrder(SWAP, 'limit', 'sell', 1000, 60_000);
  await btse.createOrder(SWAP, 'market', 'buy', 1000);
  const [trade] = await btse.fetchLedger('USDT', undefined, undefined, { walletType: 'CROSS' });
  assert.deepEqual([trade.type, trade.amount, trade.account], ['trade', 0, 'CROSS@']);
  assert.ok(Number(trade.fee?.cost) > 0);
});

test('without a currency ccxt refuses, and a wrong one has no rows', async () => {
  await assert.rejects(trader().fetchLedger(), ccxt.ArgumentsRequired);
});
