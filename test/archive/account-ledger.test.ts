/** The ledger and the wallet history of one account, against the ledger of all and the venue's balances. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type LedgerId,
  ledgerPage,
  type NumberedEntry,
  type WalletQuery,
  type WalletRecord,
  walletHistory,
} from '../../src/archive/read/account-ledger.ts';
import { ledgerEntries } from '../../src/archive/read/ledger.ts';
import type { ArchiveStore } from '../../src/archive/store/store.ts';
import { includes } from '../../src/archive/store/timeline.ts';
import { busyVenue, unrest } from '../venue/busy-venue.ts';

import { BTC_PERP, genesis, START_MS, VenueDriver } from '../venue/support.ts';
import { fine, projected } from './support.ts';

const FINE = 1000;

/** All pages of an account, read with one limit. */
function pages(store: ArchiveStore, account: string, limit: number): NumberedEntry[] {
  const all: NumberedEntry[] = [];
  let after: LedgerId | null = null;
  for (;;) {
    const { entries, more } = ledgerPage(store, { account, after, limit });
    assert.ok(entries.length <= limit);
    all.push(...entries);
    if (!more) return all;
    assert.equal(entries.length, limit);
    const [n, part] = entries[limit - 1].id.split('.').map(Number);
    after = { n, part };
  }
}

/** The same from the ledger of all accounts. */
function expectedOf(store: ArchiveStore, account: string): object[] {
  const timeline = store.state.lineage;
  return [...ledgerEntries(store)].filter((entry) => entry.account === account && includes(timeline, entry.seq));
}

function assertAgrees(store: ArchiveStore, accounts: readonly string[]): void {
  for (const account of accounts) {
    const expected = expectedOf(store, account);
    assert.ok(expected.length > 0, account);
    for (const limit of [1, 2, 3, 7, 1000]) {
      const entries = pages(store, account, limit);
      assert.deepEqual(
        entries.map(({ id: _, ...entry }) => entry),
        expected,
      );
      assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
    }
  }
  for (const _ of store.check());
}

const EVERYTHING: Omit<WalletQuery, 'account'> = {
  fromMs: 0,
  toMs: Number.MAX_SAFE_INTEGER,
  wallets: ['SPOT', 'CROSS', 'ISOLATED'],
  market: null,
  currency: null,
  reasons: null,
  limit: 10_000,
};

function history(store: ArchiveStore, account: string, query: Partial<WalletQuery> = {}): WalletRecord[] {
  return walletHistory(store, { ...EVERYTHING, account, ...query });
}

test('an account’s ledger in pages of any size is its part of the whole ledger, also after a reset', () => {
  const driver = busyVenue();
  unrest(driver);
  const { store, go } = projected(driver.log);
  assertAgrees(store, ['alice', 'bob']);
  const before = driver.log.length;
  assert.equal(driver.run({ type: 'reset' }).refusal, null);
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  driver.limit(0, BTC_PERP, 1, 600_000, 100);
  driver.limit(1, BTC_PERP, 0, 600_000, 100);
  go(driver.log.slice(before));
  assertAgrees(store, ['alice', 'bob']);
  assert.deepEqual(
    history(store, 'bob')
      .map(({ reason }) => reason)
      .filter((reason) => reason !== 'deposit'),
    ['realised'],
  );
  assert.deepEqual(ledgerPage(store, { account: 'nobody', after: null, limit: 10 }), { entries: [], more: false });
});

test('the records of the wallets are newest first, and add up to the account’s money without its spot trades', () => {
  const driver = busyVenue();
  unrest(driver);
  const { store } = projected(driver.log);
  const records = history(store, 'bob');
  assert.ok(records.length > 5);
  for (const [i, { n }] of records.entries()) assert.ok(i === 0 || n < records[i - 1].n);
  const sums = new Map<string, bigint>();
  for (const { currency, amount, fee } of records) {
    sums.set(currency, (sums.get(currency) ?? 0n) + fine(amount) - fine(fee));
  }
  const expected = new Map<string, bigint>();
  for (const { account, currency, amount, market } of ledgerEntries(store)) {
    if (account !== 'bob' || (market !== null && !market.endsWith('PERP'))) continue;
    expected.set(currency, (expected.get(currency) ?? 0n) + fine(amount));
  }
  assert.deepEqual(sums, expected);
});

test('records can be chosen by wallet, currency, reason, time and number', () => {
  const driver = busyVenue();
  unrest(driver);
  const { store } = projected(driver.log);
  const all = history(store, 'bob');
  const only = (query: Partial<WalletQuery>, keep: (record: WalletRecord) => boolean) => {
    const found = history(store, 'bob', query);
    assert.ok(found.length > 0);
    assert.deepEqual(found, all.filter(keep));
  };
  only({ wallets: ['SPOT'] }, ({ wallet }) => wallet === 'SPOT');
  only({ wallets: ['CROSS'] }, ({ wallet }) => wallet === 'CROSS');
  only({ currency: 'BTC' }, ({ currency }) => currency === 'BTC');
  only({ reasons: ['deposit'] }, ({ reason }) => reason === 'deposit');
  only({ toMs: START_MS }, ({ timeMs }) => timeMs <= START_MS);
  only({ fromMs: START_MS + 1 }, ({ timeMs }) => timeMs > START_MS);
  assert.deepEqual(history(store, 'bob', { limit: 2 }), all.slice(0, 2));
});

/** carol is long at 60,000 with 700 USDT and no fund behind her. */
function leveraged(): VenueDriver {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT }, fees: {}, keys: [] });
  const accounts = [account('maker', '10000000'), account('dave', '10000000'), account('carol', '700')];
  const driver = new VenueDriver(genesis({ accounts }));
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  driver.limit(1, BTC_PERP, 1, 600_000, 100_000);
  driver.limit(2, BTC_PERP, 0, 600_000, 100_000);
  return driver;
}

test('the newest entries of a ledger are its last ones, newest first', () => {
  const driver = busyVenue();
  unrest(driver);
  const { store } = projected(driver.log);
  const all = pages(store, 'bob', 1000);
  assert.ok(all.length > 20);
  for (const limit of [1, 4, all.length, all.length + 1]) {
    const { entries, more } = ledgerPage(store, { account: 'bob', after: null, limit, newest: true });
    assert.deepEqual(entries, all.toReversed().slice(0, limit));
    assert.equal(more, limit < all.length);
  }
});

const reasonsOf = (store: ArchiveStore, account: string) => history(store, account).map(({ reason }) => reason);

test('a liquidation and its fee are one record of the liquidated account; who took the position has an ordinary trade', () => {
  const driver = leveraged();
  driver.limit(0, BTC_PERP, 0, 595_000, 1_000_000);
  driver.prices(BTC_PERP, { mark: 593_400 * FINE });
  const { store } = projected(driver.log);
  const [insurance, liquidated, opened, deposited] = history(store, 'carol');
  assert.deepEqual(
    [insurance?.reason, liquidated.reason, liquidated.amount, liquidated.wallet, opened.amount, deposited.wallet],
    ['insurance', 'liquidation', '-500', 'CROSS', '0', 'SPOT'],
  );
  assert.deepEqual(reasonsOf(store, 'maker'), ['realised', 'deposit']);
  const whole = pages(store, 'carol', 1000).map(({ reason }) => reason);
  assert.deepEqual([whole.includes('liquidation'), whole.includes('realised')], [true, false]);
  assertAgrees(store, ['carol', 'maker', 'dave']);
});

test('auto-deleveraging has its reason on both sides', () => {
  const driver = leveraged();
  driver.limit(0, BTC_PERP, 0, 590_000, 1_000_000);
  driver.prices(BTC_PERP, { mark: 590_000 * FINE });
  assert.ok(driver.events.some(({ type }) => type === 'deleveraged'));
  const { store } = projected(driver.log);
  for (const account of ['carol', 'dave']) assert.ok(reasonsOf(store, account).includes('autoDeleveraging'), account);
  assertAgrees(store, ['carol', 'dave']);
});

test('what happens to an isolated position is in its wallet', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  driver.run({ type: 'setPositionMode', account: 0, market: BTC_PERP, mode: 'ISOLATED' });
  driver.limit(1, BTC_PERP, 1, 600_000, 500);
  driver.place(0, BTC_PERP, 0, { kind: 'market', size: 300 });
  driver.limit(1, BTC_PERP, 0, 599_000, 500);
  driver.place(0, BTC_PERP, 1, { kind: 'market', size: 120, reduceOnly: true });
  const { store } = projected(driver.log);
  const isolated = history(store, 'alice', { wallets: ['ISOLATED'], market: 'BTC-PERP' });
  assert.deepEqual(
    isolated.map(({ reason, amount }) => [reason, amount]),
    [
      ['realised', '-0.12'],
      ['realised', '0'],
    ],
  );
  assert.deepEqual(history(store, 'alice', { wallets: ['CROSS'] }), []);
  assert.deepEqual(history(store, 'alice', { wallets: ['ISOLATED'], market: 'ETH-PERP' }), []);
});

test('spot trades cost the history of wallets one row each, and that of the spot wallet nothing', () => {
  const driver = busyVenue();
  unrest(driver);
  const { store } = projected(driver.log);
  const known = store.known.bind(store);
  const read: string[] = [];
  store.known = (table, ...key) => {
    read.push(table);
    return known(table, ...key);
  };
  const readBy = (wallets: WalletQuery['wallets']) => {
    read.length = 0;
    walletHistory(store, { ...EVERYTHING, account: 'bob', wallets });
    return read.filter((table) => table === 'fills').length;
  };
  const futures = [...store.rows('trades', 'account = ?', store.accounts.get('bob')!.account)].filter((row) =>
    row.includes('BTC-PERP'),
  );
  assert.equal(readBy(['SPOT']), 0);
  assert.ok(futures.length > 0);
  assert.equal(readBy(['CROSS', 'ISOLATED']), futures.length);
});

test('a page that ends before the rows do leaves the file free for a checkpoint', () => {
  const driver = busyVenue();
  const { store } = projected(driver.log);
  const begun: Generator[] = [];
  const rows = store.rows.bind(store);
  store.rows = (...asked) => {
    const generator = rows(...asked);
    begun.push(generator);
    return generator;
  };
  ledgerPage(store, { account: 'bob', after: null, limit: 1 });
  walletHistory(store, { ...EVERYTHING, account: 'bob', limit: 1 });
  assert.ok(begun.length > 4);
  for (const generator of begun) assert.equal(generator.next().done, true);
});
