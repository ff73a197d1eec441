/** A recorded perpetual: users with leverage against the house, through liquidations, deleveraging and funding. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUY, HOUSE, SELL } from '../../src/venue/contract/units.ts';
import { PlayedVenue, references, snapshot } from './support.ts';

const ALICE = 0;
const BOB = 1;
/** Ticks of 0.1 around 60,000.0; contracts of 0.00001. */
const MIDDLE = 600_000;
const HOUR_MS = 3_600_000;

function book(middle: number, lots = 5_000_000): number[] {
  const side = (sign: 1 | -1) => [1, 2, 3].map((n) => [middle + sign * n * 10, lots] as const);
  return snapshot(side(-1), side(1));
}

function opened(): PlayedVenue {
  const driver = new PlayedVenue({ market: 'BTC-PERP' });
  driver.play(references(MIDDLE * 1000, MIDDLE * 1000));
  driver.play(book(MIDDLE));
  return driver;
}

function sound(driver: PlayedVenue): void {
  const audit = driver.venue.audit();
  assert.ok(
    audit.ok,
    JSON.stringify(audit, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  for (const { line } of audit.currencies) assert.equal(line.difference, 0n);
  assert.equal(driver.reloadedPlayed().hash(), driver.hash());
}

/** Both references, twice: a jump of a feed waits for a second value. */
function move(driver: PlayedVenue, middle: number): void {
  for (let i = 0; i < 2; i += 1) driver.play(references(middle * 1000, middle * 1000), 1000);
}

test('a user’s position is opened and closed with the recording, and what it wins the recording owes', () => {
  const driver = opened();
  driver.limit(ALICE, driver.market, BUY, MIDDLE + 10, 1_000_000);
  assert.equal(driver.venue.positions(ALICE)[0].size, 1_000_000);
  const { long, short } = driver.venue.audit().positions.find(({ market }) => market.index === driver.market)!;
  assert.deepEqual([long, short], [1_000_000, 1_000_000]);
  move(driver, MIDDLE + 5000);
  driver.play(book(MIDDLE + 5000));
  sound(driver);
  driver.limit(ALICE, driver.market, SELL, MIDDLE + 4990, 1_000_000);
  assert.deepEqual(driver.venue.positions(ALICE), []);
  const usdt = driver.venue.balances(ALICE).find(({ currency }) => currency.code === 'USDT')!;
  assert.ok(usdt.total > 1_000_000n * 10n ** 8n, 'it has won');
  sound(driver);
});

test('an account below maintenance is liquidated into the recorded book, and money stays straight', () => {
  const driver = opened();
  for (let i = 0; i < 2; i += 1) driver.limit(ALICE, driver.market, BUY, MIDDLE + 30, 6_000_000);
  driver.limit(BOB, driver.market, SELL, MIDDLE - 30, 3_000_000);
  sound(driver);
  for (const fall of [5000, 15_000, 30_000, 60_000, 90_000]) {
    move(driver, MIDDLE - fall);
    driver.play(book(MIDDLE - fall, 400_000));
    sound(driver);
  }
  assert.ok(
    driver.events.some((event) => event.type === 'orderPlaced' && event.liquidation !== null),
    'there was a liquidation',
  );
  move(driver, MIDDLE + 60_000);
  driver.play(book(MIDDLE + 60_000));
  sound(driver);
});

test('a bankrupt position that no book takes is closed against the recording first', () => {
  const driver = opened();
  for (let i = 0; i < 2; i += 1) driver.limit(ALICE, driver.market, BUY, MIDDLE + 30, 7_000_000);
  driver.limit(BOB, driver.market, SELL, MIDDLE - 10, 2_000_000);
  driver.play([5]); // The book is unknown.
  driver.events.length = 0;
  for (let i = 0; i < 2; i += 1) driver.play(references(400_000_000, 400_000_000), 1000);
  const closed = driver.events.filter((event) => event.type === 'deleveraged');
  assert.deepEqual(
    closed.map((event) => event.type === 'deleveraged' && [event.account, event.sizeLots]),
    [
      [HOUSE, 12_000_000],
      [BOB, 2_000_000],
    ],
  );
  sound(driver);
});

test('the recording pays and receives funding', () => {
  const driver = opened();
  driver.limit(ALICE, driver.market, BUY, MIDDLE + 10, 2_000_000);
  // The book is far above the index, so longs pay.
  driver.play(references(MIDDLE * 1000));
  driver.play(book(MIDDLE + 3000));
  for (let hour = 0; hour < 9; hour += 1) driver.play(references(MIDDLE * 1000), HOUR_MS);
  const funded = driver.events.filter((event) => event.type === 'balanceChanged' && event.reason === 'funding');
  assert.ok(funded.length > 0);
  assert.ok(funded.every((event) => event.type === 'balanceChanged' && event.account === ALICE && event.amount < 0n));
  const { line } = driver.venue.audit().currencies.find(({ currency }) => currency.code === 'USDT')!;
  assert.ok(line.insurance >= 0n && line.insurance < 100n, 'what longs paid, shorts got, apart from roundings');
  sound(driver);
});
