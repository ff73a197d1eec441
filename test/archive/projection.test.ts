/** What the archive says of a venue with every kind of order is what the venue says itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderHistory } from '../../src/archive/read/history.ts';
import { ledgerEntries } from '../../src/archive/read/ledger.ts';
import type { ArchiveStore } from '../../src/archive/store/store.ts';
import type { Value } from '../../src/archive/store/tables.ts';
import { includes } from '../../src/archive/store/timeline.ts';
import { DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import { decimalText } from '../../src/venue/contract/decimal.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { busyVenue, unrest } from '../venue/busy-venue.ts';
import { BTC_PERP, BTC_USDT, START_MS, VenueDriver } from '../venue/support.ts';
import { fine, projected, table } from './support.ts';

const FINE = 1000;

/** For each account and currency: what the ledger adds up to, of what still counts. */
function ledgerSums(store: ArchiveStore): Record<string, string> {
  const timeline = store.state.lineage;
  const sums: Record<string, bigint> = {};
  for (const { seq, account, currency, amount } of ledgerEntries(store)) {
    if (!includes(timeline, seq)) continue;
    const name = `${account} ${currency}`;
    sums[name] = (sums[name] ?? 0n) + fine(amount);
  }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, decimalText(sum, 18)]));
}

/** The same by the venue: wallets, and what isolated positions hold. */
function wallets(venue: Venue): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { index, name } of venue.accountNumbers().map((number) => venue.account(number)!)) {
    for (const { currency, total } of venue.balances(index)) {
      let money = total;
      for (const position of venue.positions(index)) {
        const isolated = position.mode === 'ISOLATED' && position.market.quote === venue.currencies.indexOf(currency);
        if (isolated) money += position.margin;
      }
      if (money !== 0n) found[`${name} ${currency.code}`] = decimalText(money, currency.decimals);
    }
  }
  return found;
}

function withoutZeros(sums: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== '0'));
}

/** Candles as somebody makes them who has only the fills: of minutes, hours and days, each with the one before it. */
function naiveCandles(store: ArchiveStore, venue: Venue): unknown[] {
  return [1, 60, 1440].flatMap((minutes) => {
    const rows = naiveLevel(store, venue, minutes * 60_000);
    return rows.map(({ market, startMs, prices, lots, trades }) => {
      const before = rows.filter((row) => row.market === market && row.startMs < startMs).at(-1)?.startMs ?? -1;
      return [
        [market, minutes, startMs, before],
        [prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)],
        [lots, trades],
      ];
    });
  });
}

interface Naive {
  market: Value;
  startMs: number;
  prices: number[];
  lots: number;
  trades: number;
}

function naiveLevel(store: ArchiveStore, venue: Venue, lengthMs: number): Naive[] {
  const timeline = store.state.lineage;
  const candles = new Map<string, Naive>();
  for (const { seq, timeMs, market: symbol, price, size } of table(store, 'fills')) {
    if (!includes(timeline, seq as number)) continue;
    const market = venue.marketBySymbol(symbol as string) ?? assert.fail();
    const startMs = (timeMs as number) - ((timeMs as number) % lengthMs);
    const key = `${symbol} ${startMs}`;
    const candle = candles.get(key) ?? { market: symbol, startMs, prices: [], lots: 0, trades: 0 };
    candle.prices.push(Math.round(Number(price) / market.priceNumber(1)));
    candle.lots += Math.round(Number(size) / market.sizeNumber(1));
    candle.trades += 1;
    candles.set(key, candle);
  }
  return [...candles.values()];
}

function candles(store: ArchiveStore): unknown[] {
  return table(store, 'candles').map((row) => [
    [row.market, row.minutes, row.startMs, row.before],
    [row.openTicks, row.highTicks, row.lowTicks, row.closeTicks],
    [row.volumeLots, row.trades],
  ]);
}

function sorted(rows: unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

/** Everything that must agree, whatever was done. */
function agree(store: ArchiveStore, venue: Venue): void {
  assert.deepEqual(withoutZeros(ledgerSums(store)), withoutZeros(wallets(venue)));
  assert.deepEqual(sorted(candles(store)), sorted(naiveCandles(store, venue)));
  const timeline = store.state.lineage;
  const live = table(store, 'orders').filter(
    ({ seq, state }) => includes(timeline, seq as number) && (state === 'working' || state === 'waiting'),
  );
  const open = venue
    .accountNumbers()
    .flatMap((index) => (['spot', 'futures'] as const).flatMap((product) => venue.openOrders(index, product, null)));
  const shown = open.map((order) => {
    const market = venue.markets[order.market];
    return [order.key, venue.orderIds.encode(order.key), order.state, market.sizeText(order.filled)];
  });
  assert.deepEqual(
    sorted(live.map(({ orderKey, orderId, state, filledSize }) => [orderKey, orderId, state, filledSize])),
    sorted(shown),
  );
  for (const _ of store.check());
}

/** A position mode with positions of their own, and what closes them. */
function isolated(driver: VenueDriver): void {
  const take = (account: number, side: 0 | 1, size: number, terms: object = {}) =>
    driver.place(account, BTC_PERP, side, { kind: 'market', size, ...terms });
  const switched = driver.run({ type: 'setPositionMode', account: 0, market: BTC_PERP, mode: 'ISOLATED' });
  assert.equal(switched.refusal, null);
  driver.limit(1, BTC_PERP, 1, 600_000, 500);
  take(0, 0, 300);
  driver.limit(1, BTC_PERP, 0, 599_000, 500);
  take(0, 1, 120, { reduceOnly: true });
  assert.equal(driver.venue.positions(0).filter(({ size, mode }) => size !== 0 && mode === 'ISOLATED').length, 1);
  // A bid above the index, large enough to count: longs pay.
  driver.run({ type: 'cancelAll', account: 1, product: 'futures', market: null });
  driver.limit(1, BTC_PERP, 0, 601_000, 60_000);
  driver.advance(9 * 3_600_000);
}

test('orders, money and candles are as the venue says, with every kind of order, in any cutting into transactions', () => {
  for (const every of [1, 7, 1000]) {
    const driver = busyVenue();
    unrest(driver);
    const { store, venue } = projected(driver.log, every);
    assert.deepEqual(Buffer.from(venue.canonical()), Buffer.from(driver.venue.canonical()));
    agree(store, venue);
    assert.ok(table(store, 'fills').length > 20);
    const reasons = new Set([...ledgerEntries(store)].map(({ reason }) => reason));
    for (const reason of ['deposit', 'trade', 'fee', 'realised']) assert.ok(reasons.has(reason), reason);
    store.close();
  }
});

test('isolated positions and funding add up, too', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  isolated(driver);
  const { store, venue } = projected(driver.log);
  agree(store, venue);
  const reasons = new Set([...ledgerEntries(store)].map(({ reason }) => reason));
  for (const reason of ['realised', 'funding']) assert.ok(reasons.has(reason), reason);
});

test('every fill is there with both sides and their fees, and adds up to what the orders say', () => {
  const driver = busyVenue();
  unrest(driver);
  const { store } = projected(driver.log);
  const filled = new Map<Value, bigint>();
  for (const fill of table(store, 'fills')) {
    for (const order of [fill.makerOrder, fill.takerOrder]) {
      filled.set(order, (filled.get(order) ?? 0n) + fine(fill.size));
    }
    assert.deepEqual([fill.makerFeeCurrency, fill.takerFeeCurrency].sort().join(), feeCurrencies(fill));
  }
  for (const { orderId, filledSize } of table(store, 'orders')) {
    assert.equal(filled.get(orderId) ?? 0n, fine(filledSize));
  }
});

function feeCurrencies({ market }: Record<string, Value>): string {
  return market === 'BTC-PERP' ? 'USDT,USDT' : 'BTC,USDT';
}

test('the history of an order is all that happened to it, with seq and time', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_USDT, { index: 600_000 * FINE });
  const placed = driver.limit(0, BTC_USDT, 0, 590_000, 1000, { clientId: 'mine' });
  driver.limit(1, BTC_USDT, 1, 590_000, 400);
  driver.advance(5000);
  driver.run({ type: 'cancel', account: 0, product: 'spot', market: null, order: null, clientId: 'mine' });
  const { store, venue } = projected(driver.log);
  const { order, events } = orderHistory(store, placed.orders[0].key) ?? assert.fail();
  assert.deepEqual(
    events.map(({ seq, time, type }) => [seq, time - START_MS, type]),
    [
      [3, 0, 'accepted'],
      [3, 0, 'rested'],
      [4, 0, 'traded'],
      [4, 0, 'filled'],
      [6, 5000, 'ended'],
    ],
  );
  assert.deepEqual(events[2], {
    seq: 4,
    time: START_MS,
    type: 'traded',
    tradeId: 1,
    role: 'maker',
    price: '59000',
    size: '0.004',
    fee: '0.0000008',
    feeCurrency: 'BTC',
  });
  assert.deepEqual(
    [order.orderId, order.account, order.clientId, order.state, order.reason, order.filledSize, order.averagePrice],
    [venue.orderIds.encode(placed.orders[0].key), 'alice', 'mine', 'cancelled', 'cancelledByClient', '0.004', '59000'],
  );
  assert.equal(orderHistory(store, placed.orders[0].key + 1), undefined);
});

test('a return to a snapshot and a reset leave a branch: it stays, marked, and the rest is as it was', () => {
  const driver = busyVenue();
  const fresh = (price: number) => driver.limit(0, BTC_USDT, 0, price, 1000);
  const kept = fresh(599_995).orders[0].key;
  driver.run({ type: 'saveSnapshot', name: 'a' });
  assert.equal(driver.limit(1, BTC_USDT, 1, 599_995, 1000).orders[0].state, 'filled');
  driver.advance(61_000);
  const left = fresh(510_000).orders[0].key;
  driver.run({ type: 'saveSnapshot', name: 'b' });
  unrest(driver);
  const { store, venue, go } = projected(driver.log);
  const state = (key: number) => {
    const { order } = orderHistory(store, key) ?? assert.fail();
    return [order.state, order.left !== undefined];
  };
  assert.deepEqual(state(kept), ['filled', false]);
  agree(store, venue);

  const more = (command: object) => {
    go([JSON.stringify({ v: 1, ...command })]);
    agree(store, venue);
  };
  more({ type: 'restoreSnapshot', name: 'a' });
  assert.deepEqual(state(kept), ['working', false]);
  assert.deepEqual(state(left), ['working', true]);
  const { events } = orderHistory(store, kept) ?? assert.fail();
  assert.deepEqual(
    events.map(({ type, leftBranch }) => `${type}${leftBranch ? ' left' : ''}`),
    ['accepted', 'rested', 'traded left', 'ended left'],
  );
  more({ type: 'advance', toMs: venue.timeMs + 30_000 });
  more({ type: 'restoreSnapshot', name: 'b' });
  assert.deepEqual(state(kept), ['filled', false]);
  assert.deepEqual(state(left), ['working', false]);
  more({ type: 'setPrices', market: BTC_USDT, index: 590_000 * FINE, byHand: true });
  more({ type: 'reset' });
  assert.deepEqual(state(kept), ['filled', true]);
  assert.equal(candles(store).length, 0);
  assert.ok(table(store, 'fills').length > 0);
  more({ type: 'restoreSnapshot', name: 'a' });
  assert.deepEqual(state(kept), ['working', false]);
});

test('an order whose account and market a reset removes before it is written keeps their names', () => {
  const driver = new VenueDriver();
  const spec = { ...DEFAULT_MARKETS[BTC_USDT], symbol: 'LATE-USDT' };
  assert.equal(driver.run({ type: 'listMarket', market: spec, currencies: {} }).refusal, null);
  const market = DEFAULT_MARKETS.length;
  driver.prices(market, { index: 600_000 * FINE });
  const account = driver.run({ type: 'createAccount', name: 'late' }).account ?? assert.fail();
  driver.run({ type: 'deposit', account, currency: 'USDT', amount: '100000000000' });
  const [order] = driver.limit(account, market, 0, 599_000, 1000).orders;
  assert.equal(order.state, 'working');
  driver.run({ type: 'reset' });
  // All of it is written together.
  const { store } = projected(driver.log, driver.log.length);
  const { order: found } = orderHistory(store, order.key) ?? assert.fail();
  assert.deepEqual(
    [found.account, found.market, found.left],
    ['late', 'LATE-USDT', { at: driver.venue.seq, by: 'reset' }],
  );
});
