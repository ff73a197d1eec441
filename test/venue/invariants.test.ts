/**
 * What must hold is checked as it is done, and the state is named when it does not: each test puts one wrong value or one
 * wrong method in place, and the venue stops with a sentence that says where.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEYS_PER_SEQ } from '../../src/venue/contract/order-id.ts';
import { UNOPENED } from '../../src/venue/contract/units.ts';
import { cancelAll } from '../../src/venue/handlers/orders.ts';
import type { SavedVenue } from '../../src/venue/snapshot/saved-state.ts';
import { loadVenue } from '../../src/venue/snapshot/snapshot.ts';
import { Effects } from '../../src/venue/state/effects-digest.ts';
import { newEmitter } from '../../src/venue/state/emitter.ts';
import { type Account, Ledger } from '../../src/venue/state/ledger.ts';
import { MarketPositions } from '../../src/venue/state/market-positions.ts';
import { Order } from '../../src/venue/state/order.ts';
import { Position } from '../../src/venue/state/position.ts';
import { BTC_PERP, BTC_USDT, genesis, VenueDriver } from './support.ts';

const FINE = 1000;

/** Puts `faulty` in place of a method while `act` runs, which has to stop with that message. */
function stops<T extends object, K extends keyof T>(
  of: T,
  method: K,
  faulty: (right: T[K]) => T[K],
  act: () => void,
  message: RegExp,
): void {
  const right = of[method];
  of[method] = faulty(right);
  try {
    assert.throws(act, message);
  } finally {
    of[method] = right;
  }
}

/** Account 2 is long 1 BTC (100,000 contracts) at 60,000.0 on 700 USDT, account 1 is short. A bid lies at `bid`, ticks. */
function leveragedLong(bid: number | null = null): VenueDriver {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT }, fees: {}, keys: [] });
  const accounts = [account('maker', '10000000'), account('dave', '10000000'), account('carol', '700')];
  const driver = new VenueDriver(genesis({ accounts }));
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  driver.limit(1, BTC_PERP, 1, 600_000, 100_000);
  driver.limit(2, BTC_PERP, 0, 600_000, 100_000);
  if (bid !== null) driver.limit(0, BTC_PERP, 0, bid, 1_000_000);
  return driver;
}

describe('a position', () => {
  const position = (terms: Partial<Position> = {}) => Object.assign(new Position(0, { leastTier: 0 }), terms);

  it('takes no fill of no lots, of no number, or for less than nothing', () => {
    assert.throws(() => position().fill(0, 0, 1n), /position 0 cannot take a fill of 0 lots for 1: size 0, cost 0/);
    assert.throws(() => position().fill(0, Number.NaN, 1n), /cannot take a fill of NaN lots/);
    assert.throws(() => position().fill(0, 1, -1n), /cannot take a fill of 1 lots for -1/);
  });

  it('has a size that a number holds exactly', () => {
    const large = position({ size: Number.MAX_SAFE_INTEGER, cost: 1n });
    assert.throws(() => large.fill(0, 2, 1n), /has a size that is no safe integer/);
  });

  it('has a cost of the sign of its size, and none when it is closed', () => {
    assert.throws(() => position({ size: 2, cost: -5n }).fill(0, 1, 1n), /a cost of another sign: size 3, cost -4/);
    assert.throws(() => position({ size: -2, cost: 5n }).fill(1, 1, 1n), /a cost of another sign: size -3, cost 4/);
    assert.equal(position({ size: 2, cost: 5n }).fill(1, 2, 6n), 1n);
  });

  it('has no resting lots below zero, and no worth without a lot', () => {
    const broken = /resting orders of less than nothing, or worth something without a lot: .*lots at rest/;
    assert.throws(() => position().expose(0, -1, 0n, 10), broken);
    assert.throws(() => position().expose(1, 1, -10n, 10), broken);
    const resting = position();
    resting.expose(0, 3, 30n, 10);
    assert.throws(() => resting.expose(0, -3, -29n, 10), broken);
  });
});

describe('the positions of a market', () => {
  const order = (terms: Partial<Order>) => Object.assign(new Order(0), { key: 9 * KEYS_PER_SEQ, ...terms });

  it('are not filled by an order of a position that is gone', () => {
    const holding = new MarketPositions();
    holding.mode = 'ISOLATED';
    assert.throws(
      () => holding.openOrGetPosition(order({ positionId: 3 })),
      /order \d+ fills position 3, which is not there in mode ISOLATED/,
    );
  });

  it('are not opened beyond the most that there may be', () => {
    const holding = new MarketPositions();
    Object.assign(holding, { mode: 'ISOLATED', unopened: 6 });
    for (let i = 0; i < 5; i++) holding.openOrGetPosition(order({ positionId: UNOPENED }));
    assert.throws(
      () => holding.openOrGetPosition(order({ positionId: UNOPENED })),
      /no room: 5 of 5 isolated positions, 1 yet to/,
    );
  });
});

describe('the ledger', () => {
  it('never reserves less than nothing', () => {
    const driver = new VenueDriver();
    driver.limit(0, BTC_USDT, 0, 500_000, 100);
    const saved = JSON.parse(driver.venue.save()) as { desk: SavedVenue };
    const state = loadVenue(saved.desk, newEmitter(), new Effects(), null);
    const account = state.accounts.get(0) as Account;
    state.ledger.currencies.forEach((_, i) => {
      account.addToReserved(i, 5n - account.reserved(i));
    });
    assert.throws(
      () => cancelAll(state, { v: 1, type: 'cancelAll', account: 0, product: 'spot', market: null }),
      /account 0 reserves -\d+ of currency \d+ after order \d+ reserves 0 in place of \d+/,
    );
  });

  it('leaves no money in an isolated position that is closed', () => {
    const driver = new VenueDriver();
    driver.prices(BTC_PERP, { index: 600_000 * FINE });
    driver.limit(0, BTC_PERP, 0, 600_000, 100);
    driver.limit(1, BTC_PERP, 1, 600_000, 100, { positionMode: 'ISOLATED' });
    driver.limit(0, BTC_PERP, 1, 600_000, 100);
    stops(
      Ledger.prototype,
      'moveToCollateral',
      (right) =>
        function (this: Ledger, account, currency, isolated, amount) {
          right.call(this, account, currency, isolated, amount + (amount < 0n ? 1n : 0n));
        },
      () => driver.limit(1, BTC_PERP, 0, 600_000, 100, { reduceOnly: true }),
      /isolated position 1 of account 1 in BTC-PERP is closed and leaves 1 of currency/,
    );
  });
});

describe('a liquidation', () => {
  it('does not cost more than there is: a step leaves no equity below zero', () => {
    const driver = leveragedLong(595_900);
    stops(
      Ledger.prototype,
      'payToInsurance',
      (right) =>
        function (this: Ledger, account, currency, amount, isolated) {
          right.call(this, account, currency, amount + 1_000_000_000_000n, isolated);
        },
      () => driver.prices(BTC_PERP, { mark: 596_200 * FINE }),
      /liquidation of account 2 in BTC-PERP, position 0: size 100000 became 75000, equity \d+ became -\d+/,
    );
  });

  it('makes a position smaller, never larger', () => {
    const driver = leveragedLong(595_900);
    stops(
      Position.prototype,
      'fill',
      (right) =>
        function (this: Position, side, lots, notional) {
          return right.call(this, side === 1 && this.size > 0 ? 0 : side, lots, notional);
        },
      () => driver.prices(BTC_PERP, { mark: 596_200 * FINE }),
      /liquidation of account 2 in BTC-PERP, position 0: size 100000 became 125000/,
    );
  });

  it('by auto-deleveraging keeps longs and shorts the same size', () => {
    const driver = leveragedLong();
    stops(
      Position.prototype,
      'fill',
      (right) =>
        function (this: Position, side, lots, notional) {
          return this.size < 0 ? 0n : right.call(this, side, lots, notional);
        },
      () => driver.prices(BTC_PERP, { mark: 590_000 * FINE }),
      /auto-deleveraging in BTC-PERP of 100000 lots: long and short are no longer the same size/,
    );
  });
});
