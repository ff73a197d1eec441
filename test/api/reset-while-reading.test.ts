/** A reset while the archive answers: the markets and currencies of the rows may be gone by then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/api/shared/errors.ts';
import type { Call } from '../../src/api/shared/surface.ts';
import { legacyTradeRow, newerTradeRow, tradesOf } from '../../src/api/trades/trade-history.ts';
import { futuresHistoryRow, spotHistoryRow, walletRecords, walletV1Row } from '../../src/api/wallets/wallet-history.ts';
import { DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import { MarketData } from '../../src/market-data/market-data.ts';
import { START_MS, VenueDriver } from '../venue/support.ts';

const market = { ...DEFAULT_MARKETS[2], symbol: 'ZZ-PERP', base: 'ZZ', quote: 'QQ' };
const LIST = { type: 'listMarket', market, currencies: { ZZ: { decimals: 8 }, QQ: { decimals: 8 } } };
const order = { orderId: 'id', side: 'BUY', kind: 'limit', positionMode: 'ISOLATED', currentSize: '5' };
const TRADE = {
  tradeId: 7,
  market: 'ZZ-PERP',
  timeMs: START_MS,
  price: '9',
  size: '5',
  fee: '0.1',
  realised: '1',
  order,
};
const RECORD = {
  ...{ n: 3, timeMs: START_MS, wallet: 'ISOLATED', currency: 'QQ', amount: '1.5', fee: '0.1' },
  ...{ reason: 'realised', market: 'ZZ-PERP', orderId: 'id' },
};

/** A call whose archive answers with `rows` after `meanwhile`. */
function callOf(driver: VenueDriver, rows: object[], meanwhile: () => void): Call {
  const answer = async () => {
    meanwhile();
    return rows;
  };
  const { venue } = driver;
  const archive = { trades: answer, wallet: answer, knownFromSeq: 1 };
  return { venue, account: 0, engine: { venue, nowMs: () => START_MS }, archive, query: {} } as unknown as Call;
}

const WALLETS = { wallets: ['ISOLATED'] as const };

test('rows of a market and a currency that it removed are whole', async () => {
  const driver = new VenueDriver();
  const reset = () => void driver.run({ type: 'reset' });
  driver.run(LIST);
  const [trade] = await tradesOf(callOf(driver, [TRADE], reset), 'futures', null, {});
  assert.equal(driver.venue.marketBySymbol('ZZ-PERP'), undefined);
  for (const row of [legacyTradeRow(trade), newerTradeRow(trade)] as Record<string, unknown>[]) {
    assert.deepEqual([row.symbol, row.wallet, row.total], ['ZZ-PERP', 'ISOLATED@ZZ-PERP-QQ', 0.9]);
  }
  driver.run(LIST);
  const [found] = await walletRecords(callOf(driver, [RECORD], reset), WALLETS);
  for (const row of [futuresHistoryRow(found), spotHistoryRow(found)] as Record<string, unknown>[]) {
    assert.deepEqual([row.wallet, row.username], ['ISOLATED@ZZ-PERP-QQ', 'alice']);
  }
  const { netAmount } = walletV1Row(found) as Record<string, unknown>;
  assert.equal(netAmount, '1.4');
});

test('rows of a market that was listed meanwhile are whole too, and of one that came and went are refused', async () => {
  const driver = new VenueDriver();
  const list = () => void driver.run(LIST);
  assert.equal((await tradesOf(callOf(driver, [TRADE], list), 'futures', null, {})).length, 1);
  driver.run({ type: 'reset' });
  const gone = (error: unknown) => error instanceof ApiError && error.status === 503;
  await assert.rejects(
    tradesOf(
      callOf(driver, [TRADE], () => {}),
      'futures',
      null,
      {},
    ),
    gone,
  );
  const [found] = await walletRecords(
    callOf(driver, [RECORD], () => {}),
    WALLETS,
  );
  assert.throws(() => walletV1Row(found), gone);
});

test('market data say that a reset removed the market', async () => {
  const driver = new VenueDriver();
  driver.run(LIST);
  const view = driver.venue.marketBySymbol('ZZ-PERP')!;
  const data = new MarketData(
    { venue: driver.venue, listen: () => () => {} },
    {
      ask: () => Promise.reject(new Error('there is nothing to ask')),
      busy: (problem) => new Error(problem),
    },
  );
  driver.run({ type: 'reset' });
  await assert.rejects(data.newest(view, 1), /a reset removed ZZ-PERP during the request/);
});
