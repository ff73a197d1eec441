/** Random messages and random users: money is conserved, nothing breaks, and a restart from a snapshot goes on equally. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUY, HOUSE, SELL } from '../../src/venue/contract/units.ts';
import {
  bought,
  gap,
  type LevelRow,
  levels,
  type PlayedOptions,
  PlayedVenue,
  references,
  snapshot,
  sold,
} from './support.ts';

const RUNS = 24;
const COMMANDS = 400;

/** A small generator that depends on the seed alone. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) | 0;
    return (Math.imul(state ^ (state >>> 13), 0x5bd1e995) >>> 0) % sides;
  };
}

function randomSteps(roll: (sides: number) => number, middle: number): number[] {
  const side = (sign: number): LevelRow[] =>
    Array.from({ length: roll(4) }, () => [
      middle + sign * (1 + roll(6)) - (roll(9) === 0 ? sign * 4 : 0),
      roll(5) * 20,
    ]);
  const price = middle - 4 + roll(9);
  switch (roll(8)) {
    case 0:
      return snapshot(
        side(-1).filter(([, lots]) => lots > 0),
        side(1).filter(([, lots]) => lots > 0),
      );
    case 1:
    case 2:
    case 3:
      return levels(side(-1), side(1));
    case 4:
      return roll(6) === 0 ? gap() : references(middle * 1000 + roll(2000), roll(3) === 0 ? middle * 1000 : 0);
    default:
      return [...bought(price, 1 + roll(90)), ...sold(middle - 3 + roll(7), 1 + roll(60))];
  }
}

function act(driver: PlayedVenue, roll: (sides: number) => number, middle: number): void {
  const account = roll(2);
  const side = roll(2) === 0 ? BUY : SELL;
  const price = middle - 6 + roll(13);
  const size = 1 + roll(80);
  const timeInForce = (['GTC', 'GTC', 'GTC', 'IOC', 'FOK'] as const)[roll(5)];
  switch (roll(8)) {
    case 0:
      driver.run({ type: 'cancelAll', account, product: driver.venue.markets[driver.market].product, market: null });
      break;
    case 1:
      driver.place(account, driver.market, side, { kind: 'market', size, quote: null });
      break;
    case 2:
      driver.limit(account, driver.market, side, price, size, { postOnly: true });
      break;
    case 3:
      driver.place(account, driver.market, side, { kind: 'peg', price, size, stealth: 100_000_000, deviation: 0 });
      break;
    default:
      driver.limit(account, driver.market, side, price, size, { timeInForce });
  }
}

/** Every recorded trade prints its whole size, with whoever was the other side. */
function printed(driver: PlayedVenue): number {
  return driver.trades().reduce((sum, [, , lots, , taker]) => sum + (taker === HOUSE ? lots : 0), 0);
}

function run(seed: number, options: PlayedOptions): void {
  const roll = dice(seed);
  let driver = new PlayedVenue({ ...options, queue: seed % 2 === 0 ? 'back' : 'proportional' });
  const middle = options.market === 'BTC-PERP' ? 600_000 : 1000;
  driver.play(references(middle * 1000));
  for (let i = 0; i < COMMANDS; i += 1) {
    if (roll(3) > 0) act(driver, roll, middle);
    else {
      driver.trades();
      const steps = randomSteps(roll, middle);
      const reply = driver.play(steps, roll(3) * 300);
      assert.equal(reply.refusal, null);
      const recorded = steps[0] === 3 ? steps[2] + steps[5] : 0;
      assert.ok(printed(driver) >= recorded, `seed ${seed}, command ${i}: a recorded trade did not print whole`);
    }
    if (i % 20 === 0) {
      const audit = driver.venue.audit();
      assert.ok(
        audit.ok,
        `seed ${seed}, command ${i}: ${JSON.stringify(audit, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
      );
    }
    if (i % 100 === 99) {
      const before = driver.hash();
      driver = driver.reloadedPlayed();
      assert.equal(driver.hash(), before);
    }
  }
}

for (const market of ['BTC-USDT', 'BTC-PERP'] as const) {
  test(`${market}: ${RUNS} runs of ${COMMANDS} random commands keep the books and the money straight`, () => {
    for (let seed = 1; seed <= RUNS; seed += 1) run(seed, { market });
  });
}
