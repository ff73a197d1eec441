/** Every field that ccxt's btse reads is in an answer of that route, or is listed with the reason why not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startVenue } from '../../src/index.ts';
import { judgeAbsent } from './real/absent-fields.ts';
import { noting, Reads } from './real/reads.ts';
import { connect, reset, SPOT, SWAP } from './support.ts';

type Ccxt = ReturnType<typeof connect>;

/** ccxt whose answers note what its own code for BTSE reads. */
function noted(btse: Ccxt, reads: Reads): Ccxt {
  let route = '';
  const fetch = btse.fetch.bind(btse);
  btse.fetch = (url: string, method = 'GET', ...rest: unknown[]) => {
    route = `${method} ${new URL(url).pathname}`;
    return fetch(url, method, ...rest);
  };
  const parseJson = btse.parseJson.bind(btse);
  // The list has the names of Python, from which and to which ccxt is translated.
  const inPython = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  btse.parseJson = (text: string) =>
    noting(parseJson(text), route, ['/ccxt/js/src/btse.js'], (read) => reads.add({ ...read, by: inPython(read.by) }));
  return btse;
}

test('ccxt reads no field that is in no answer, but for those that are listed with a reason', async () => {
  await using venue = await startVenue({
    accounts: [
      { name: 'trader', balances: { USDT: '100000', BTC: '10' } },
      { name: 'maker', balances: { USDT: '1000000', BTC: '100' } },
    ],
  });
  await reset(venue);
  const reads = new Reads();
  const btse = noted(connect(venue, venue.keys[0]), reads);
  const maker = connect(venue, venue.keys[1]);
  await btse.fetchTime();
  await btse.loadMarkets();
  for (const [symbol, size] of [
    [SPOT, 0.01],
    [SWAP, 100],
  ] as const) {
    await maker.createOrder(symbol, 'limit', 'sell', size * 10, 60_010);
    await maker.createOrder(symbol, 'limit', 'buy', size * 10, 59_990);
    await btse.createOrder(symbol, 'market', 'buy', size, undefined, symbol === SPOT ? { cost: 700 } : {});
    await btse.createOrder(symbol, 'market', 'sell', size / 2);
    const { id } = await btse.createOrder(symbol, 'limit', 'buy', size, 59_000, { clientOrderId: 'mine' });
    await btse.fetchOpenOrder(id as string, symbol);
    await btse.fetchOpenOrders(symbol);
    await btse.editOrder(id as string, symbol, 'limit', 'buy', size, 59_100);
    await btse.cancelOrder(id as string, symbol);
    await btse.createOrder(symbol, 'limit', 'sell', size / 2, 58_000, { triggerPrice: 59_000 });
    await btse.createOrder(symbol, 'TRAILING', 'sell', size / 2, undefined, { trailingAmount: 300 });
    await btse.fetchOpenOrders(symbol);
    await btse.cancelAllOrders(symbol);
    await btse.cancelAllOrdersAfter(60_000);
    await btse.fetchMyTrades(symbol);
    await btse.fetchOrderTrades(id as string, symbol);
    await btse.fetchTicker(symbol);
    await btse.fetchOrderBook(symbol);
    await btse.fetchTrades(symbol);
    await btse.fetchOHLCV(symbol);
    await btse.fetchTradingFee(symbol);
  }
  await btse.fetchTickers();
  await btse.fetchFundingRates();
  await btse.fetchFundingRateHistory(SWAP);
  await btse.fetchOpenInterest(SWAP);
  await btse.fetchLeverageTiers();
  await btse.fetchBalance();
  await btse.fetchBalance({ type: 'swap' });
  await btse.fetchTradingFees();
  await btse.setLeverage(10, SWAP, { marginMode: 'cross' });
  await btse.fetchLeverage(SWAP);
  const [{ id: positionId }] = await btse.fetchPositions([SWAP]);
  await btse.closePosition(SWAP, undefined, { positionId });
  await btse.fetchMarginMode(SWAP);
  await btse.fetchPositionMode(SWAP);
  await btse.setMarginMode('isolated', SWAP);
  await btse.fetchLedger('USDT');
  await btse.fetchDeposits('USDT');

  assert.ok(reads.count > 400, `${reads.count} fields read`);
  const { unlisted, unused } = judgeAbsent('ccxt', reads.absent(true));
  assert.deepEqual({ unlisted, unused }, { unlisted: [], unused: [] });
});
