/** Whoever holds a venue reads it, and cannot reach what it works on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frozen } from '../../src/venue/contract/frozen.ts';
import { OrderIds } from '../../src/venue/contract/order-id.ts';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import { FINE } from '../../src/venue/contract/units.ts';
import { Venue } from '../../src/venue/venue.ts';
import { MarketView } from '../../src/venue/views.ts';
import { busyVenue, unrest } from './busy-venue.ts';
import { BTC_PERP, BTC_USDT, type VenueDriver } from './support.ts';

/** One of every kind of order, positions, ended orders, a key, and a market that was listed later. */
function busyDriver(): VenueDriver {
  const driver = busyVenue();
  const key = { key: 'k', sealed: 's', permissions: ['trading'], ipAllow: ['127.0.0.1'], expiresAtMs: null } as const;
  driver.run({ type: 'addKey', account: 0, ...key });
  const market = { ...driver.venue.markets[BTC_USDT].spec, symbol: 'NEW-USDT', base: 'NEW' };
  driver.run({ type: 'listMarket', market, currencies: { NEW: { decimals: 8 } } });
  const fees = { 'BTC-PERP': { maker: '0.0001', taker: '0.0003' } };
  driver.run({ type: 'createAccount', name: 'carol', fees });
  driver.limit(1, BTC_PERP, 0, 1, 1, { postOnly: true, clientId: 'ended' });
  driver.run({ type: 'cancel', account: 1, product: 'futures', market: BTC_PERP, order: null, clientId: 'ended' });
  driver.run({ type: 'saveSnapshot', name: 'saved' });
  driver.venue.useNonce({ key: 'k', nonceMs: 5 });
  return driver;
}

function bobsOrders(venue: Venue): OrderView[] {
  return [...venue.openOrders(1, 'spot', null), ...venue.openOrders(1, 'futures', null)];
}

/** What each member of a venue that reads gives out. */
const READS: Readonly<Record<string, (venue: Venue) => unknown>> = {
  seq: (venue) => venue.seq,
  effects: (venue) => venue.effects,
  nextDueMs: (venue) => venue.nextDueMs(),
  genesis: (venue) => venue.genesis,
  recording: (venue) => venue.recording,
  timeMs: (venue) => venue.timeMs,
  currencies: (venue) => venue.currencies,
  markets: (venue) => venue.markets,
  nextAccount: (venue) => venue.nextAccount,
  nonces: (venue) => venue.nonces,
  orderIds: (venue) => venue.orderIds,
  marketBySymbol: (venue) => venue.marketBySymbol('BTC-PERP'),
  account: (venue) => venue.account(0),
  accountByName: (venue) => venue.accountByName('bob'),
  accountNumbers: (venue) => venue.accountNumbers(),
  key: (venue) => venue.key('k'),
  keys: (venue) => venue.keys(),
  order: (venue) => bobsOrders(venue).map(({ product, key }) => venue.order(1, product, key)),
  orderByClientId: (venue) => [
    venue.orderByClientId(1, 'spot', 'slow-seller'),
    venue.orderByClientId(1, 'futures', 'ended'),
  ],
  openOrders: bobsOrders,
  orderValue: (venue) => bobsOrders(venue).map((order) => venue.orderValue(order)),
  balances: (venue) => venue.balances(0),
  positions: (venue) => venue.positions(1),
  adlBucket: (venue) => venue.positions(1).map((position) => venue.adlBucket(1, position)),
  settings: (venue) => venue.settings(0, venue.markets[BTC_PERP]),
  feeRates: (venue) => [venue.feeRates(2, venue.markets[BTC_PERP]), venue.feeRates(0, venue.markets[BTC_PERP])],
  accountTerms: (venue) => [0, 2].map((account) => venue.accountTerms(account)),
  insurance: (venue) => venue.insurance(),
  audit: (venue) => venue.audit(),
  counts: (venue) => venue.counts(),
  upcoming: (venue) => venue.upcoming(20),
  snapshotNames: (venue) => venue.snapshotNames(),
  queuePlaces: (venue) => venue.queuePlaces(bobsOrders(venue).map(({ key }) => key)),
  previewPrices: (venue) => venue.previewPrices({ market: BTC_PERP, mark: 1000, last: 1 }),
  save: (venue) => venue.save(),
  canonical: (venue) => venue.canonical(),
};
/** Commands, what prepares them, and who is told of what they do. */
const CHANGES = ['listen', 'apply', 'applySilently', 'skip', 'leaveOut', 'useNonce', 'beginEffects', 'resumeEffects'];

const MARKET_METHODS: Readonly<Record<string, (market: MarketView) => unknown>> = {
  bestPrice: (market) => market.bestPrice(0),
  depth: (market) => [market.depth(0, 10), market.depth(1, 10)],
  notional: (market) => market.notional(2, 3),
  priceNumber: (market) => market.priceNumber(1),
  priceText: (market) => market.priceText(1),
  fineText: (market) => market.fineText(1),
  fineNumber: (market) => market.fineNumber(1),
  quoteText: (market) => market.quoteText(1n),
  sizeNumber: (market) => market.sizeNumber(1),
  sizeText: (market) => market.sizeText(1),
};

function members(type: { readonly prototype: object }): [name: string, descriptor: PropertyDescriptor][] {
  return Object.entries(Object.getOwnPropertyDescriptors(type.prototype)).filter(([name]) => name !== 'constructor');
}

function isGetter([, { get }]: [string, PropertyDescriptor]): boolean {
  return get !== undefined;
}

/** Everything that can be reached from a value, by property, by entry, and by what a market's members return. */
function reachable(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  for (const key of Reflect.ownKeys(value)) reachable(Reflect.get(value, key), found);
  if (value instanceof Map) for (const entry of value) reachable(entry, found);
  if (!(value instanceof MarketView)) return found;
  for (const [name] of members(MarketView).filter(isGetter)) reachable(Reflect.get(value, name), found);
  for (const read of Object.values(MARKET_METHODS)) reachable(read(value), found);
  return found;
}

function allReads(venue: Venue): unknown[] {
  return Object.values(READS).map((read) => read(venue));
}

function assertEqualReads(venue: Venue, other: Venue): void {
  for (const [name, read] of Object.entries(READS)) assert.deepEqual(read(venue), read(other), name);
}

test('every member of a venue and of a market is looked at here', () => {
  assert.deepEqual(
    members(Venue)
      .map(([name]) => name)
      .sort(),
    [...Object.keys(READS), ...CHANGES].sort(),
  );
  const methods = members(MarketView).filter((member) => !isGetter(member));
  assert.deepEqual(methods.map(([name]) => name).sort(), Object.keys(MARKET_METHODS).sort());
});

test('what a venue gives out is plain values, market views and order ids', () => {
  const allowed: unknown[] = [Object.prototype, Array.prototype, Map.prototype, Uint8Array.prototype];
  allowed.push(MarketView.prototype, OrderIds.prototype);
  const found = [...reachable(allReads(busyDriver().venue))];
  assert.ok(found.length > 300, `${found.length} objects`);
  const others = found.filter((value) => !allowed.includes(Object.getPrototypeOf(value)));
  assert.deepEqual(
    others.map((value) => value.constructor.name),
    [],
  );
});

/** Writes over whatever it can. */
function deface(value: object): void {
  const attempts = [
    ...[...Reflect.ownKeys(value), ...members(MarketView).map(([name]) => name)].map((key) => () => {
      Reflect.set(value, key, 'defaced');
    }),
    () => Reflect.set(value, 'added', true),
    () => (value as unknown[]).push('added'),
    () => (value as Map<unknown, unknown>).clear(),
    () => (value as Uint8Array).fill(0),
  ];
  for (const attempt of attempts) {
    try {
      attempt();
    } catch (error) {
      assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
    }
  }
}

test('writing to what a venue gives out changes neither its state nor what it gives out next', () => {
  const driver = busyDriver();
  const untouched = busyDriver();
  const brackets = { takeProfit: { price: 610_000, reference: 'last' } };
  const [reply] = [driver, untouched].map((each) => each.limit(1, BTC_PERP, 0, 599_000, 50, brackets));
  for (const value of reachable([reply, allReads(driver.venue)])) deface(value);
  assertEqualReads(driver.venue, untouched.venue);
  for (const each of [driver, untouched]) unrest(each);
  assert.equal(driver.hash(), untouched.hash());
  for (const each of [driver, untouched]) {
    each.run({ type: 'restoreSnapshot', name: 'saved' });
    unrest(each);
  }
  assert.equal(driver.hash(), untouched.hash());
  assertEqualReads(driver.venue, untouched.venue);
});

test('a market view shows the prices and the book of the moment, and is the same one until the state is replaced', () => {
  const driver = busyDriver();
  const market = driver.venue.markets[BTC_PERP];
  const best = market.bestPrice(1);
  const [{ sizeLots }] = market.depth(1, 1);
  driver.limit(1, BTC_PERP, 0, best, 20);
  assert.deepEqual(market.depth(1, 1), [{ priceTicks: best, sizeLots: sizeLots - 20 }]);
  assert.equal(market.last, best * FINE);
  assert.equal(driver.venue.positions(1)[0].market, market);
  assert.equal(driver.venue.marketBySymbol('BTC-PERP'), market);
  driver.run({ type: 'reset' });
  assert.notEqual(driver.venue.markets[BTC_PERP], market);
  assert.deepEqual(driver.venue.markets[BTC_PERP].depth(1, 10), []);
});

test('frozen goes into lists and objects', () => {
  const value = frozen({ list: [{ inner: 1 }], none: null });
  assert.throws(() => {
    value.list[0].inner = 2;
  }, TypeError);
  assert.throws(() => value.list.push({ inner: 3 }), TypeError);
});
