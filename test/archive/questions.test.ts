/**
 * No question may condemn a sound archive, whatever times, numbers and limits it has: the archive would be thrown away
 * and rebuilt from the log, and a public GET could keep it out of service.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerPage, walletHistory } from '../../src/archive/read/account-ledger.ts';
import { clientOrderHistory, orderHistory } from '../../src/archive/read/history.ts';
import { marketAnswer } from '../../src/archive/read/market-history.ts';
import { findTrades } from '../../src/archive/read/trades.ts';
import { CANDLE_LEVELS, type PastCandles } from '../../src/market-data/history.ts';
import { busyVenue, unrest } from '../venue/busy-venue.ts';
import { START_MS } from '../venue/support.ts';
import { ANY_TRADES, projected, table } from './support.ts';

const driver = busyVenue();
unrest(driver);
const { store, venue } = projected(driver.log);

/** What a time, a number or a limit may be: also what no route lets through. */
const EXTREMES = [
  Number.NEGATIVE_INFINITY,
  -(2 ** 60),
  -60_000,
  -2,
  -1,
  -0.5,
  0,
  0.5,
  1,
  2,
  59_999,
  START_MS,
  START_MS + 90_000,
  2 ** 53,
  2 ** 60,
  8.64e15,
  Number.POSITIVE_INFINITY,
];
const MARKETS = ['BTC-USDT', 'ETH-USDT', 'BTC-PERP'];

function* pairs(): Generator<[least: number, most: number]> {
  for (const least of EXTREMES) for (const most of EXTREMES) yield [least, most];
}

test('candles: of any range, those with trades that begin in it', () => {
  for (const market of MARKETS) {
    for (const level of CANDLE_LEVELS) {
      const all = table(store, 'candles')
        .filter((row) => row.market === market && row.minutes === level)
        .map(({ startMs }) => startMs as number);
      for (const [fromMs, toMs] of pairs()) {
        const question = { type: 'candles', market, level, fromMs, toMs } as const;
        const { candles, before } = marketAnswer(store, question) as PastCandles;
        const asked = `${market} ${level} ${fromMs}..${toMs}`;
        if (fromMs > toMs) continue;
        assert.deepEqual(
          candles.map(({ startMs }) => startMs),
          all.filter((at) => at >= fromMs && at <= toMs),
          asked,
        );
        assert.equal(before?.startMs, all.filter((at) => at < fromMs && at <= toMs).at(-1), asked);
      }
    }
    for (const fromMs of EXTREMES) {
      for (const most of EXTREMES) marketAnswer(store, { type: 'recent', market, fromMs, most });
    }
  }
});

test('trades and rates of a market, and what is of one account: of any bounds and any limit', () => {
  for (const [least, most] of pairs()) {
    const bounds = { fromMs: least, toMs: most };
    for (const oldestFirst of [true, false]) {
      const times = { ...bounds, fromId: 0, toId: Number.POSITIVE_INFINITY, limit: 3, oldestFirst };
      const ids = { fromMs: 0, toMs: Number.POSITIVE_INFINITY, fromId: least, toId: most, limit: most, oldestFirst };
      for (const query of [times, ids]) {
        for (const market of MARKETS) {
          marketAnswer(store, { type: 'trades', market, query });
          marketAnswer(store, { type: 'rates', market, query });
        }
      }
      const own = { ...ANY_TRADES, account: 'bob', limit: 3, oldestFirst };
      findTrades(store, venue.orderIds, { ...own, ...bounds });
      findTrades(store, venue.orderIds, { ...own, beforeId: least, afterId: most });
    }
    const wallets = ['SPOT', 'CROSS', 'ISOLATED'] as const;
    const filter = { wallets, market: null, currency: null, reasons: null };
    walletHistory(store, { account: 'bob', ...bounds, ...filter, limit: most });
    ledgerPage(store, { account: 'bob', after: { n: least, part: most }, limit: 2 });
  }
});

test('orders by any key, and by client ids of any characters', () => {
  for (const key of EXTREMES) assert.equal(orderHistory(store, key), undefined, `${key}`);
  for (const clientId of ['', '\0', '\ud800', '\uffff', '\u{10ffff}', 'a'.repeat(10_000)]) {
    for (const account of ['', 'alice', '\0', '\udfff', 'nobody']) {
      assert.equal(clientOrderHistory(store, { account, product: 'spot', clientId }), undefined);
    }
  }
});
