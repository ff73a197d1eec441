/** What the venue does with the messages of a recorded market, with users in its queues. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUY, HOUSE, SELL } from '../../src/venue/contract/units.ts';
import { bought, gap, levels, PlayedVenue, references, snapshot, sold } from './support.ts';

const ALICE = 0;
const BOB = 1;
const BOOK = snapshot(
  [
    [1000, 100],
    [990, 200],
  ],
  [
    [1010, 100],
    [1020, 200],
  ],
);

function opened(options = {}): PlayedVenue {
  const driver = new PlayedVenue(options);
  assert.equal(driver.play(BOOK).refusal, null);
  return driver;
}

function keyOf(reply: { orders: readonly { key: number }[] }): number {
  return reply.orders[0].key;
}

function sound(driver: PlayedVenue): void {
  const { ok, currencies } = driver.venue.audit();
  assert.ok(
    ok,
    JSON.stringify(driver.venue.audit(), (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
  for (const { line } of currencies) assert.equal(line.difference, 0n);
  assert.equal(driver.reloaded().hash(), driver.hash());
}

test('the recorded book rests in the book, and its trades print whole, whatever the book says', () => {
  const driver = opened();
  assert.deepEqual(driver.levels(BUY), [
    [1000, 100],
    [990, 200],
  ]);
  driver.play(sold(1000, 30));
  driver.play(sold(1000, 500)); // More than there is.
  driver.play(sold(990, 10)); // Fits.
  driver.play(bought(1005, 7)); // Nothing rests there.
  driver.play(sold(1015, 9)); // Above the best ask.
  assert.deepEqual(driver.trades(), [
    [SELL, 1000, 30, HOUSE, HOUSE],
    [SELL, 1000, 500, HOUSE, HOUSE],
    [SELL, 990, 10, HOUSE, HOUSE],
    [BUY, 1005, 7, HOUSE, HOUSE],
    [SELL, 1015, 9, HOUSE, HOUSE],
  ]);
  const { trades, tradesFit } = driver.venue.markets[driver.market].playback!;
  assert.deepEqual([trades, tradesFit], [5, 2]);
  // The next message about the book puts back what trades took.
  driver.play(levels([[990, 150]]));
  assert.deepEqual(driver.levels(BUY), [
    [1000, 100],
    [990, 150],
  ]);
  assert.deepEqual(driver.levels(SELL), [
    [1010, 100],
    [1020, 200],
  ]);
  sound(driver);
});

test('a user behind 100 is filled when 110 were sold there', () => {
  const driver = opened();
  const key = keyOf(driver.limit(ALICE, driver.market, BUY, 1000, 1));
  driver.play(levels([[1000, 150]])); // 50 more come behind the user.
  assert.equal(driver.ahead(key), 100);
  driver.trades();
  driver.play(sold(1000, 80));
  assert.equal(driver.ahead(key), 20);
  driver.play(sold(1000, 30));
  assert.deepEqual(driver.trades(), [
    [SELL, 1000, 80, HOUSE, HOUSE],
    [SELL, 1000, 20, HOUSE, HOUSE],
    [SELL, 1000, 1, ALICE, HOUSE],
    [SELL, 1000, 9, HOUSE, HOUSE],
  ]);
  sound(driver);
});

for (const [queue, ahead] of [
  ['back', 100],
  ['proportional', 75],
] as const) {
  test(`a cancel of 50 with 100 before and 100 behind the user leaves ${ahead} before it (${queue})`, () => {
    const driver = opened({ queue });
    const key = keyOf(driver.limit(ALICE, driver.market, BUY, 1000, 1));
    driver.play(levels([[1000, 200]]));
    driver.play(levels([[1000, 150]]));
    assert.equal(driver.ahead(key), ahead);
    assert.deepEqual(driver.levels(BUY, 1), [[1000, 151]]);
    driver.play(levels([[1000, 0]]));
    assert.deepEqual(driver.levels(BUY, 1), [[1000, 1]]);
    sound(driver);
  });
}

test('a trade below a user’s bid fills it at its own price, before the recorded levels', () => {
  const driver = opened();
  driver.limit(ALICE, driver.market, BUY, 1000, 5);
  driver.trades();
  driver.play(sold(990, 50));
  assert.deepEqual(driver.trades(), [
    [SELL, 1000, 5, ALICE, HOUSE],
    [SELL, 990, 45, HOUSE, HOUSE],
  ]);
  sound(driver);
});

test('what a user takes is gone for the next order, until the record speaks of the level or a second has passed', () => {
  const driver = opened();
  driver.limit(ALICE, driver.market, BUY, 1010, 30);
  assert.deepEqual(driver.levels(SELL, 1), [[1010, 70]]);
  driver.play(levels([], [[1010, 100]])); // The same value as before.
  assert.deepEqual(driver.levels(SELL, 1), [[1010, 100]]);
  driver.limit(ALICE, driver.market, BUY, 1010, 100);
  driver.play(levels([[990, 210]]), 400); // Of another level.
  assert.deepEqual(driver.levels(SELL, 1), [[1020, 200]]);
  driver.play([], 599);
  assert.deepEqual(driver.levels(SELL, 1), [[1020, 200]]);
  driver.play([], 1);
  assert.deepEqual(driver.levels(SELL, 1), [[1010, 100]]);
  sound(driver);
});

test('without a time to heal, only the record brings a level back, and a recorded trade prints there all the same', () => {
  const driver = opened({ healAfterMs: null });
  driver.limit(ALICE, driver.market, BUY, 1010, 100);
  driver.play(bought(1010, 40), 3_600_000);
  driver.play(levels([[990, 210]]), 1000);
  assert.deepEqual(driver.levels(SELL, 1), [[1020, 200]]);
  assert.deepEqual(driver.trades().at(-1), [BUY, 1010, 40, HOUSE, HOUSE]);
  sound(driver);
});

test('a message of the book that is ahead of its trade moves a user forward once', () => {
  const driver = opened();
  const key = keyOf(driver.limit(ALICE, driver.market, BUY, 1000, 1));
  driver.play(levels([[1000, 60]]));
  assert.equal(driver.ahead(key), 60);
  driver.play(sold(1000, 40)); // It is what the message knew already.
  assert.equal(driver.ahead(key), 60);
  driver.play(sold(1000, 10));
  assert.equal(driver.ahead(key), 50);
  driver.trades();
  sound(driver);
});

test('a large order pays the recorded levels in their order', () => {
  const driver = opened();
  const { orders } = driver.limit(ALICE, driver.market, BUY, 1020, 250);
  assert.deepEqual(driver.trades(), [
    [BUY, 1010, 100, HOUSE, ALICE],
    [BUY, 1020, 150, HOUSE, ALICE],
  ]);
  assert.equal(orders[0].filledCost, 1010 * 100 + 1020 * 150);
  const [spent, got] = [orders[0].filledCost, orders[0].filled];
  assert.equal(Math.round((spent / got) * 100) / 100, 1016);
  sound(driver);
});

test('a recorded ask that comes down to a user’s bid trades with it, at most its size and at the user’s price', () => {
  const driver = opened();
  driver.limit(ALICE, driver.market, BUY, 1005, 50);
  driver.trades();
  driver.play(levels([], [[1003, 20]]));
  assert.deepEqual(driver.trades(), [[SELL, 1005, 20, ALICE, HOUSE]]);
  assert.deepEqual(driver.levels(BUY, 1), [[1005, 30]]);
  assert.deepEqual(driver.levels(SELL, 1), [[1010, 100]]);
  driver.play(levels([], [[1003, 90]]));
  assert.deepEqual(driver.trades(), [[SELL, 1005, 30, ALICE, HOUSE]]);
  assert.deepEqual(driver.levels(SELL, 1), [[1003, 60]]);
  sound(driver);
});

test('a new recorded bid removes older recorded asks that it crosses, and a sale first takes a user’s better offer', () => {
  const driver = opened();
  driver.play(levels([[1012, 40]]));
  assert.deepEqual(driver.levels(BUY, 1), [[1012, 40]]);
  assert.deepEqual(driver.levels(SELL, 1), [[1020, 200]]);
  driver.play(levels([[1012, 0]]));
  assert.deepEqual(driver.levels(SELL, 1), [[1010, 100]]);
  driver.limit(BOB, driver.market, SELL, 1006, 8);
  driver.trades();
  // A sale at 1007: its buyer would have taken the user's offer at 1006 first.
  driver.play(sold(1007, 20));
  assert.deepEqual(driver.trades(), [
    [BUY, 1006, 8, BOB, HOUSE],
    [SELL, 1007, 12, HOUSE, HOUSE],
  ]);
  sound(driver);
});

test('in a gap nothing of the recorded book rests, users’ orders stay, and a snapshot brings it back', () => {
  const driver = opened();
  driver.limit(ALICE, driver.market, BUY, 1000, 5);
  driver.play(gap());
  assert.deepEqual(driver.levels(BUY), [[1000, 5]]);
  assert.deepEqual(driver.levels(SELL), []);
  driver.play(BOOK, 5000);
  assert.deepEqual(driver.levels(BUY, 1), [[1000, 105]]);
  sound(driver);
});

test('in a gap no trigger fires on a price that a feed gives, and after it the price that a snapshot brings does it', () => {
  const driver = opened();
  const { market } = driver;
  const stop = { kind: 'conditional', rule: 'stop', price: 960, size: 10, trigger: 990 };
  driver.play(references(1_005_000));
  const keys = (['mark', 'index'] as const).map((reference) =>
    keyOf(driver.place(ALICE, market, SELL, { ...stop, reference })),
  );
  const waiting = () => keys.map((key) => driver.venue.order(ALICE, 'spot', key)?.state);
  driver.play(gap());
  driver.advance(driver.venue.markets[market].spec.staleAfterMs + 1);
  assert.ok(driver.events.some(({ type }) => type === 'priceStale'));
  // Users trade among themselves, below the trigger.
  driver.limit(ALICE, market, BUY, 980, 5);
  driver.limit(BOB, market, SELL, 980, 5);
  driver.play(sold(970, 40));
  assert.equal(driver.venue.markets[market].last, 970_000);
  assert.deepEqual(waiting(), ['waiting', 'waiting']);
  driver.limit(BOB, market, BUY, 960, 7);
  const lower = [985, 980, 975].map((price) => [price, 100] as const);
  driver.play([...snapshot(lower, [[987, 100]]), ...references(986_000)], 1000);
  driver.play(references(986_000), 1000); // A jump of a feed waits for a second value.
  assert.deepEqual(waiting(), ['filled', 'filled']);
  assert.deepEqual(driver.levels(BUY, 4), [
    [985, 80],
    [980, 100],
    [975, 100],
    [960, 7],
  ]);
  sound(driver);
});

test('the house pays only what accounts can hold: an order that would get more ends without a fill', () => {
  // All accounts together hold at most 92,233,720,368 USDT, and bob has a million.
  const driver = new PlayedVenue({ aliceUsdt: 92_233_720_368 - 1_000_000 - 1001 });
  const { market } = driver;
  driver.play(snapshot([[600_000, 10_000]], [[700_000, 10_000]]));
  const ended = (terms: object) => {
    const { orders } = driver.limit(ALICE, market, SELL, 600_000, 5000, terms);
    return [orders[0].state, orders[0].filled, orders[0].ending?.reason];
  };
  for (const terms of [{}, { timeInForce: 'IOC' }])
    assert.deepEqual(ended(terms), ['cancelled', 0, 'noLiquidityInBand']);
  // What rests when a recorded buyer comes is cancelled.
  const { orders } = driver.limit(ALICE, market, SELL, 650_000, 5000);
  driver.play(bought(650_000, 9000));
  assert.equal(driver.venue.order(ALICE, 'spot', orders[0].key)?.state, 'cancelled');
  assert.equal(driver.venue.markets[market].last, 650_000_000, 'the trade prints whole');
  // Less fits.
  const less = driver.limit(ALICE, market, SELL, 600_000, 1);
  assert.equal(less.orders[0].state, 'filled');
  sound(driver);
});

test('the references of the record act like a feed', () => {
  const driver = opened();
  driver.play(references(1_005_000));
  const market = driver.venue.markets[driver.market];
  assert.deepEqual([market.indexPrice, market.mark], [1_005_000, 1_005_000]);
  driver.advance(market.spec.staleAfterMs + 1);
  driver.play(references(1_005_000));
  const kinds = driver.events.map(({ type }) => type).filter((type) => type === 'priceStale' || type === 'priceFresh');
  assert.deepEqual(kinds, ['priceStale', 'priceFresh']);
});

test('a halted market follows the record without trading, and shows it at the next message after the halt', () => {
  const driver = opened();
  driver.run({ type: 'haltMarket', market: driver.market });
  driver.trades();
  driver.play(sold(1000, 10));
  driver.play(levels([[1000, 40]], [[1010, 0]]));
  assert.deepEqual(driver.trades(), []);
  assert.deepEqual(driver.levels(BUY, 1), [[1000, 100]]);
  driver.run({ type: 'resumeMarket', market: driver.market });
  driver.play(levels([[990, 199]]));
  assert.deepEqual(driver.levels(BUY), [
    [1000, 40],
    [990, 199],
  ]);
  assert.deepEqual(driver.levels(SELL), [[1020, 200]]);
  driver.run({ type: 'haltMarket', market: driver.market });
  const delist = driver.run({ type: 'delistMarket', market: driver.market, settlementPrice: null });
  assert.equal(delist.refusal?.reason, 'marketPlayed');
  sound(driver);
});

test('users pay their fees, the recording pays none, and a fill-or-kill order counts its levels', () => {
  const driver = opened();
  const before = driver.venue.balances(ALICE);
  driver.limit(ALICE, driver.market, BUY, 1010, 10);
  const fees = driver.venue.audit().currencies.filter(({ line }) => line.fees !== 0n);
  assert.deepEqual(
    fees.map(({ currency }) => currency.code),
    ['BTC'],
  );
  assert.notDeepEqual(driver.venue.balances(ALICE), before);
  const tooMuch = driver.limit(ALICE, driver.market, BUY, 1020, 291, { timeInForce: 'FOK' });
  assert.equal(tooMuch.orders[0].state, 'cancelled');
  const all = driver.limit(ALICE, driver.market, BUY, 1020, 290, { timeInForce: 'FOK' });
  assert.equal(all.orders[0].state, 'filled');
  sound(driver);
});

test('messages that are not the recording’s are refused, and change nothing', () => {
  const driver = opened();
  const before = driver.hash();
  for (const steps of [
    [9],
    [1, 1],
    [1, 2, 1000, 5],
    [3, 0, 5],
    [3, 1000, 0],
    [1, 1, 1000, -1],
    [1, 1, 1.5, 1],
    [4, -1, 0],
  ]) {
    assert.equal(driver.play(steps).refusal?.reason, 'recordingUnfit', JSON.stringify(steps));
  }
  const other = { type: 'market', market: 1, toMs: 0, position: 9, recordedMs: 0, steps: [] } as const;
  assert.equal(driver.run(other).refusal?.reason, 'marketNotRecorded');
  assert.equal(driver.run({ ...other, market: 99 }).refusal?.reason, 'unknownMarket');
  assert.equal(driver.run({ ...other, market: 0, position: 0 }).refusal?.reason, 'recordingUnfit'); // Before what was played.
  assert.equal(driver.hash(), before);
});

test('nobody can act for the recorded market, and no list has it', () => {
  const driver = opened();
  driver.limit(ALICE, driver.market, BUY, 1010, 10);
  const { venue } = driver;
  assert.deepEqual(venue.accountNumbers(), [ALICE, BOB]);
  assert.equal(venue.accountByName('replica'), undefined);
  assert.equal(venue.account(HOUSE), undefined);
  assert.deepEqual(venue.balances(HOUSE), []);
  assert.equal(venue.counts().orders, 0);
  const deposit = driver.run({ type: 'deposit', account: HOUSE, currency: 'USDT', amount: '5' });
  assert.equal(deposit.refusal?.reason, 'unknownAccount');
});
