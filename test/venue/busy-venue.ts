/** A venue with every kind of order alive, and what moves all of it. Run by itself it prints the digest of the state. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { BTC_PERP, BTC_USDT, VenueDriver } from './support.ts';

const FINE = 1000;

/** Both sides of two books, and one of every algo, waiting or running. */
export function busyVenue(): VenueDriver {
  const driver = new VenueDriver();
  driver.prices(BTC_USDT, { index: 600_000 * FINE });
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  for (let i = 1; i <= 20; i++) {
    driver.limit(0, BTC_USDT, 1, 600_000 + 10 * i, 5_000);
    driver.limit(0, BTC_USDT, 0, 600_000 - 10 * i, 5_000);
    driver.limit(0, BTC_PERP, 1, 600_000 + 10 * i, 5_000);
    driver.limit(0, BTC_PERP, 0, 600_000 - 10 * i, 5_000);
  }
  const bob = (market: number, side: 0 | 1, terms: object) => {
    const reply = driver.place(1, market, side, terms);
    assert.equal(reply.refusal, null, JSON.stringify(reply.refusal));
  };
  const twap = { kind: 'twap', size: 20_000, periodMs: 600_000, randomizeSize: true, maxChildSize: null };
  const limits = { maxSpread: null, maxThroughBook: null, pausePrice: null };
  bob(BTC_USDT, 0, { ...twap, ...limits, makerFirst: false });
  bob(BTC_USDT, 1, { ...twap, ...limits, makerFirst: true, clientId: 'slow-seller' });
  bob(BTC_USDT, 0, { kind: 'peg', size: 3_000, price: 601_000, stealth: 1_000_000_000, deviation: -50_000_000 });
  const stop = { stopTrigger: 590_000, stopReference: 'last', stopPrice: 589_000 };
  bob(BTC_USDT, 1, { kind: 'oco', size: 1_000, price: 610_000, ...stop });
  bob(BTC_USDT, 1, { kind: 'trailing', size: 500, percent: 100_000_000, distance: null, reference: 'index' });
  const waiting = { kind: 'conditional', rule: 'stop', trigger: 599_000, reference: 'mark', price: null, size: 700 };
  bob(BTC_USDT, 1, waiting);
  const attached = {
    takeProfit: { price: 606_000, reference: 'last' },
    stopLoss: { price: 598_000, reference: 'mark' },
  };
  bob(BTC_PERP, 0, { kind: 'market', size: 7_000, ...attached });
  bob(BTC_PERP, 1, {
    kind: 'conditional',
    rule: 'reach',
    trigger: 605_000,
    reference: 'mark',
    price: 604_000,
    size: 10,
  });
  bob(BTC_PERP, 0, { kind: 'limit', price: 595_000, size: 10, timeInForce: 'FIVEMIN' });
  return driver;
}

/** What moves everything: minutes pass, the index walks, triggers fire. */
export function unrest(driver: VenueDriver): void {
  for (let minute = 1; minute <= 9; minute++) {
    driver.advance(60_000);
    const walk = 600_000 + (minute % 3 === 0 ? 2_500 : -700) * minute;
    driver.prices(BTC_USDT, { index: walk * FINE });
    driver.prices(BTC_PERP, { index: walk * FINE + 7 });
  }
}

export function digest(driver: VenueDriver): string {
  return createHash('sha256').update(driver.venue.canonical()).digest('hex');
}

if (import.meta.main) {
  const driver = busyVenue();
  unrest(driver);
  console.log(digest(driver));
}
