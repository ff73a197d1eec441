/**
 * Orders that ended without a fill are forgotten by a rule. Which ones depends on the log alone: neither on when their rows
 * are removed, nor on how the archive was cut into transactions. Everything else stays.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Projector } from '../../src/archive/follow/projector.ts';
import { clientOrderHistory, orderHistory } from '../../src/archive/read/history.ts';
import { findTrades } from '../../src/archive/read/trades.ts';
import { KEEP_ALL, type Kept } from '../../src/archive/store/forgetting.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { ControlClient } from '../../src/client/control.ts';
import { VenueError } from '../../src/client/request.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { LogReplayer } from '../../src/engine/replay/log-replayer.ts';
import { start } from '../../src/start.ts';
import { Venue } from '../../src/venue/venue.ts';
import { seeded } from '../sim/seeded.ts';
import { answered, answeredCall } from '../support/answered.ts';
import { Client } from '../support/client.ts';
import { STARTED_BY_TEST } from '../support/started.ts';
import { BTC_PERP, BTC_USDT, START_MS, VenueDriver } from '../venue/support.ts';
import { ANY_TRADES, dump, table } from './support.ts';

const HOUR_MS = 3_600_000;
const STEPS = 250;
const KEY = { key: 'alice-key', secret: 'alice-secret', permissions: ['read' as const, 'trading' as const] };
const UNKNOWN_ID = '01234567-89ab-4cde-8f01-23456789abcd';
const ACCOUNTS = ['alice', 'bob'];
const PRODUCTS = ['spot', 'futures'] as const;
const IDS = ['a', 'b', 'c', null, null];

/** Orders that rest, trade, are cancelled; time that passes. With `returns`, saved states are restored too. */
function life(seed: number, returns: boolean): string[] {
  const random = seeded(seed);
  const below = (most: number) => Math.floor(random() * most);
  const driver = new VenueDriver();
  driver.prices(BTC_USDT, { index: 600_000_000 });
  driver.prices(BTC_PERP, { index: 600_000_000 });
  for (let step = 0; step < STEPS; step += 1) {
    const [dice, account, place] = [below(20), below(2), below(2)];
    const [market, clientId] = [[BTC_USDT, BTC_PERP][place], IDS[below(IDS.length)]];
    if (dice === 0) driver.advance(below(2 * HOUR_MS));
    else if (dice === 1) driver.run({ type: 'cancelAll', account, product: PRODUCTS[place], market: null });
    else if (dice === 2 && returns) driver.run({ type: 'saveSnapshot', name: 'here' });
    else if (dice === 3 && returns) driver.run({ type: 'restoreSnapshot', name: 'here' });
    else if (dice === 4 && returns && below(4) === 0) driver.run({ type: 'reset' });
    else if (dice < 8) driver.limit(account, market, 1, 600_000, 100 + below(900), { clientId });
    else if (dice < 11) driver.limit(account, market, 0, 600_000, 100 + below(900), { clientId, timeInForce: 'IOC' });
    else driver.limit(account, market, 0, 590_000 - below(100), 1000, { clientId });
  }
  return driver.log;
}

interface Run {
  readonly store: ArchiveStore;
  readonly venue: Venue;
}

/** An archive of the commands. `forgets` decides after each transaction how many steps of removing follow. */
function archived(texts: readonly string[], keep: Kept, every: number, forgets: () => number): Run {
  const store = new ArchiveStore(':memory:');
  const projector = new Projector(store, keep);
  const venue = new Venue();
  projector.follow(venue);
  projector.on = true;
  const fold = new LogReplayer(venue, { apply: projector.apply });
  texts.forEach((text, i) => {
    const seq = i + 1;
    const position = { seq, hash: String(seq) };
    const place = { kind: 'batch', epoch: 1, firstSeq: seq, lastSeq: seq, place: 'test', bytes: 1, position } as const;
    fold.take({ ...place, timeMs: START_MS, commands: [JSON.parse(text)] });
    if (seq % every !== 0 && seq < texts.length) return;
    fold.finish();
    projector.write({ seq, position: null });
    for (let step = forgets(); step > 0 && projector.forget(); step -= 1);
  });
  return { store, venue: fold.venue };
}

const ALL = Number.POSITIVE_INFINITY;
const RULES: readonly Kept[] = [
  { forMs: HOUR_MS, most: ALL },
  { forMs: ALL, most: 20 },
  { forMs: 3 * HOUR_MS, most: 30 },
  { forMs: ALL, most: 0 },
];

/** The keys of the orders that the rule keeps, by all that ever was. */
function expectedOf({ store, venue }: Run, keep: Kept): Set<number> {
  const orders = table(store, 'orders');
  const ended = orders.filter(({ state, traded }) => traded === 0 && state !== 'working' && state !== 'waiting');
  const gone = ended
    .map(({ orderKey, updatedMs, setBackMs }) => {
      return { orderKey: orderKey as number, endedMs: (updatedMs as number) + (setBackMs as number) };
    })
    .sort((a, b) => b.endedMs - a.endedMs || b.orderKey - a.orderKey)
    .filter(({ endedMs }, i) => endedMs <= venue.timeMs + store.state.setBackMs - keep.forMs || i >= keep.most);
  const keys = new Set(orders.map(({ orderKey }) => orderKey as number));
  for (const { orderKey } of gone) keys.delete(orderKey);
  return keys;
}

function historiesOf({ store }: Run, keys: Iterable<number>): string[] {
  return [...keys].map((key) => JSON.stringify(orderHistory(store, key)));
}

function tradesOf({ store, venue }: Run): unknown[] {
  const queries = ACCOUNTS.flatMap((account) => PRODUCTS.map((product) => ({ ...ANY_TRADES, account, product })));
  return queries.map((query) =>
    findTrades(store, venue.orderIds, query).map(({ order: { orderId }, ...trade }) => [orderId, trade]),
  );
}

for (const [at, keep] of RULES.entries()) {
  test(`what is kept for ${keep.forMs} ms and ${keep.most} orders is the same however it was cut`, () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const random = seeded(100 * at + seed);
      const log = life(seed, false);
      const whole = archived(log, KEEP_ALL, 7, () => 0);
      const kept = expectedOf(whole, keep);
      const runs = [
        archived(log, keep, log.length, () => ALL),
        archived(log, keep, 1, () => ALL),
        archived(log, keep, 13, () => Math.floor(random() * 3)),
      ];
      const everyKey = table(whole.store, 'orders').map(({ orderKey }) => orderKey as number);
      assert.ok(kept.size < everyKey.length - 10, `${kept.size} of ${everyKey.length}`);
      for (const [i, run] of runs.entries()) {
        for (const _ of run.store.check());
        assert.deepEqual(historiesOf(run, kept), historiesOf(whole, kept));
        assert.deepEqual(tradesOf(run), tradesOf(whole));
        const { orders: _, client_ids: __, order_events: ___, unfilled: ____, ...others } = dump(run.store);
        const { orders: _1, client_ids: _2, order_events: _3, unfilled: _4, ...expected } = dump(whole.store);
        assert.deepEqual(others, expected);
        // Of too many orders, the last ones are in answers until their rows are gone.
        if (i === 2 && keep.most !== ALL) continue;
        for (const key of everyKey) assert.equal(orderHistory(run.store, key) !== undefined, kept.has(key), `${key}`);
        for (const account of ACCOUNTS) {
          for (const product of PRODUCTS) {
            for (const clientId of ['a', 'b', 'c', 'd']) {
              const found = clientOrderHistory(run.store, { account, product, clientId });
              const newest = table(whole.store, 'orders').findLast(
                (order) =>
                  order.clientId === clientId &&
                  order.account === account &&
                  (order.positionMode === null) === (product === 'spot') &&
                  kept.has(order.orderKey as number),
              );
              assert.equal(found?.order.orderId, newest?.orderId);
            }
          }
        }
      }
      assert.deepEqual(dump(runs[0].store), dump(runs[1].store));
      assert.equal(runs[0].store.state.orders, kept.size);
    }
  });
}

test('saved states that are restored, and resets, leave a sound archive, and no trade without its order', () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const random = seeded(seed);
    const log = life(seed, true);
    const whole = archived(log, KEEP_ALL, 7, () => 0);
    for (const keep of RULES) {
      const run = archived(log, keep, 1 + Math.floor(random() * 20), () => Math.floor(random() * 4));
      for (const _ of run.store.check());
      assert.deepEqual(tradesOf(run), tradesOf(whole));
      const live = table(whole.store, 'orders').filter(({ state }) => state === 'working' || state === 'waiting');
      for (const { orderKey } of live) {
        const [found, expected] = [run, whole].map(({ store }) => orderHistory(store, orderKey as number)?.order);
        assert.deepEqual(found, expected);
      }
      const entries = table(run.store, 'unfilled').map(({ orderKey, endedMs }) => [orderKey, endedMs]);
      const endings = table(run.store, 'orders')
        .filter(({ state, traded }) => traded === 0 && state !== 'working' && state !== 'waiting')
        .map(({ orderKey, updatedMs, setBackMs }) => [orderKey, (updatedMs as number) + (setBackMs as number)]);
      assert.deepEqual(entries.sort(), endings.sort());
      assert.equal(run.store.state.unfilled, entries.length);
    }
  }
});

test('what is kept for hours is the same however it was cut, also after resets and restored states', () => {
  const keep = { forMs: HOUR_MS, most: ALL };
  for (let seed = 1; seed <= 6; seed += 1) {
    const random = seeded(seed);
    const log = life(seed, true);
    const whole = archived(log, KEEP_ALL, 7, () => 0);
    const kept = expectedOf(whole, keep);
    for (const run of [archived(log, keep, 1, () => ALL), archived(log, keep, 13, () => Math.floor(random() * 3))]) {
      for (const { orderKey, orderId } of table(whole.store, 'orders')) {
        const key = orderKey as number;
        assert.equal(orderHistory(run.store, key) !== undefined, kept.has(key), `${seed}: ${orderId}`);
      }
    }
  }
});

/** An order that ends without a fill. Its key. */
function endsUnfilled(driver: VenueDriver): number {
  return driver.limit(0, BTC_USDT, 0, 590_000, 1000, { timeInForce: 'IOC' }).orders[0].key;
}

const keptIn = (run: Run, keys: readonly number[]) => keys.map((key) => orderHistory(run.store, key) !== undefined);

for (const [how, back] of [
  ['a reset', { type: 'reset' }],
  ['a restored state', { type: 'restoreSnapshot', name: 'here' }],
] as const) {
  test(`after ${how} an hour is an hour that passes: new orders stay for it, and those of the left branch go by when they ended`, () => {
    const driver = new VenueDriver();
    const keep = { forMs: HOUR_MS, most: ALL };
    const run = () => archived(driver.log, keep, 1, () => ALL);
    driver.run({ type: 'saveSnapshot', name: 'here' });
    driver.advance(3 * HOUR_MS);
    const old = endsUnfilled(driver);
    driver.advance(HOUR_MS / 2);
    driver.run(back);
    const fresh = endsUnfilled(driver);
    assert.deepEqual(keptIn(run(), [old, fresh]), [true, true]);
    driver.advance(HOUR_MS / 2);
    assert.deepEqual(keptIn(run(), [old, fresh]), [false, true]);
    driver.advance(HOUR_MS / 2 - 1);
    assert.deepEqual(keptIn(run(), [old, fresh]), [false, true]);
    driver.advance(1);
    assert.deepEqual(keptIn(run(), [old, fresh]), [false, false]);
  });

  test(`after ${how} those that ended first are the first of too many, in whatever branch`, () => {
    const driver = new VenueDriver();
    driver.run({ type: 'saveSnapshot', name: 'here' });
    driver.advance(HOUR_MS);
    const old = Array.from({ length: 5 }, () => endsUnfilled(driver));
    driver.run(back);
    const fresh = Array.from({ length: 3 }, () => endsUnfilled(driver));
    const run = archived(driver.log, { forMs: ALL, most: 5 }, 1, () => ALL);
    assert.deepEqual(keptIn(run, old), [false, false, false, true, true]);
    assert.deepEqual(keptIn(run, fresh), [true, true, true]);
  });
}

test('an order keeps when it ended over a restored state, in one transaction and in many', () => {
  const driver = new VenueDriver();
  driver.run({ type: 'saveSnapshot', name: 'here' });
  const old = endsUnfilled(driver);
  driver.advance(HOUR_MS);
  driver.run({ type: 'restoreSnapshot', name: 'here' });
  const fresh = endsUnfilled(driver);
  for (const commands of [1, driver.log.length]) {
    const { store } = archived(driver.log, KEEP_ALL, commands, () => ALL);
    const setBack = new Map(table(store, 'orders').map(({ orderKey, setBackMs }) => [orderKey, setBackMs]));
    assert.deepEqual([setBack.get(old), setBack.get(fresh)], [0, HOUR_MS], `${commands} a transaction`);
  }
});

test('a saved state later than the present one, restored, ages no order', () => {
  const driver = new VenueDriver();
  driver.advance(5 * HOUR_MS);
  driver.run({ type: 'saveSnapshot', name: 'here' });
  driver.run({ type: 'reset' });
  const key = endsUnfilled(driver);
  driver.run({ type: 'restoreSnapshot', name: 'here' });
  const run = () => archived(driver.log, { forMs: HOUR_MS, most: ALL }, 1, () => ALL);
  driver.advance(HOUR_MS - 1);
  assert.deepEqual(keptIn(run(), [key]), [true]);
  driver.advance(1);
  assert.deepEqual(keptIn(run(), [key]), [false]);
});

test('a rule that keeps less begins with the orders that are there, and one that keeps more ends it', () => {
  const log = life(5, false);
  const { store } = archived(log, KEEP_ALL, 7, () => 0);
  const before = store.state.orders;
  const strict = new Projector(store, { forMs: ALL, most: 5 });
  while (strict.forget());
  assert.equal(table(store, 'unfilled').length, 5);
  assert.ok(store.state.orders < before - 20, `${before - store.state.orders} removed`);
  assert.equal(new Projector(store, KEEP_ALL).forget(), false);
  for (const _ of store.check());
});

test('a running venue forgets orders in its own time: a look-up of one is that of an unknown order', async () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'bourse-forgetting-'));
  const configuration = readConfiguration({
    accounts: [{ name: 'alice', balances: { USDT: 1_000_000, BTC: 100 }, keys: [KEY] }],
    keepUnfilledHours: 2,
  });
  const running = await start({
    ...STARTED_BY_TEST,
    ...{ configuration, data: folder, masterKeys: ['1'.repeat(64)], clock: 'manual', seed: 1 },
  });
  const control = new ControlClient({ url: running.control, token: running.controlToken });
  const alice = new Client(running.http, { key: KEY.key, secret: KEY.secret });
  const place = async (clOrderId: string): Promise<string> => {
    const limit = { symbol: 'BTC-USDT', orderType: 'LIMIT', orderSide: 'BUY', orderPrice: 95_000, orderSize: 0.01 };
    const { body } = await alice.spot({ ...limit, clOrderId });
    return body[0].orderId;
  };
  /** Null: it is unknown. */
  const stateOf = (orderId: string) =>
    answered(async () => {
      try {
        const { order } = (await control.request('GET', `/orders/${orderId}`)) as { order: { state: string } };
        return order.state;
      } catch (error) {
        if (error instanceof VenueError && error.status === 404) return null;
        throw error;
      }
    });
  await control.setPrices('BTC-USDT', { index: 100_000 });
  const [ended, live] = [await place('ended'), await place('live')];
  await alice.cancelSpot({ clOrderId: 'ended' });
  const old = (orderID: string) =>
    answeredCall(() => alice.call('GET', '/spot/api/v3.3/order', { query: { orderID, includeOld: 'true' } }));
  await control.request('POST', '/clock', { advance: '1h' });
  assert.deepEqual([await stateOf(ended), await stateOf(live)], ['cancelled', 'working']);
  assert.equal((await old(ended)).status, 200);
  await control.request('POST', '/clock', { advance: '1h' });
  assert.deepEqual([await stateOf(ended), await stateOf(live)], [null, 'working']);
  const [gone, unknown] = [await old(ended), await old(UNKNOWN_ID)];
  assert.deepEqual([gone.status, gone.body.errorCode], [unknown.status, unknown.body.errorCode]);
  await running.stop();
  fs.rmSync(folder, { recursive: true });
});
