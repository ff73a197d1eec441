/**
 * A symbol that is listed again after a reset, under other terms, changes nothing of the past: fills, the ledger and stories
 * keep the terms of the market that they were made in.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { exportRows } from '../../src/archive/export.ts';
import { ledgerPage } from '../../src/archive/read/account-ledger.ts';
import { ledgerEntries } from '../../src/archive/read/ledger.ts';
import { findTrades } from '../../src/archive/read/trades.ts';
import { ArchiveDamaged } from '../../src/archive/store/errors.ts';
import { ArchiveFile } from '../../src/archive/store/place.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { ControlClient } from '../../src/client/control.ts';
import { VenueError } from '../../src/client/request.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import { ARCHIVE_FILE } from '../../src/engine/identity/manifest.ts';
import { type RunningVenue, start } from '../../src/start.ts';
import { STARTED_BY_TEST } from '../support/started.ts';
import { VenueDriver } from '../venue/support.ts';
import { ANY_TRADES, dump, fine, projected, table } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-former-terms-'));
after(() => fs.rmSync(root, { recursive: true }));

let folders = 0;
function newFolder(): string {
  folders += 1;
  const folder = join(root, String(folders));
  fs.mkdirSync(folder);
  return folder;
}

const PAIR = { symbol: 'X-USDT', quote: 'USDT', maxPrice: '100000', maxSize: '1000' };
const GRID = { tick: '0.01', step: '0.001', minSize: '0.001' };

/** A venue with a manual clock, and what the tests do with it. */
async function newVenue(): Promise<{ folder: string; venue: RunningVenue; control: ControlClient }> {
  const folder = newFolder();
  const balances = { USDT: 1_000_000, BTC: 100 };
  const configuration = readConfiguration({ accounts: ['a', 'b'].map((name) => ({ name, balances })) });
  const options = { configuration, data: folder, masterKeys: ['1'.repeat(64)], clock: 'manual' as const, seed: 1 };
  const venue = await start({ ...STARTED_BY_TEST, ...options });
  return { folder, venue, control: new ControlClient({ url: venue.control, token: venue.controlToken }) };
}

/** `a` sells to `b`. The id of b's order. */
async function trade(control: ControlClient, price: number, size: number, futures = false): Promise<string> {
  await control.request('POST', '/prices', { symbol: 'X-USDT', index: price });
  const place = (account: string, side: string) =>
    control.request('POST', `/accounts/${account}/orders`, {
      symbol: 'X-USDT',
      ...(futures
        ? { type: 'LIMIT', side, price, size }
        : { orderType: 'LIMIT', orderSide: side, orderPrice: price, orderSize: size }),
    });
  await place('a', 'SELL');
  const [{ orderId }] = (await place('b', 'BUY')) as [{ orderId: string }];
  return orderId;
}

async function list(control: ControlClient, base: string, terms: object): Promise<void> {
  await control.request('POST', '/markets', { ...PAIR, kind: 'spot', base, ...terms });
  if (base !== 'BTC') await control.request('POST', '/accounts/a/deposits', { currency: base, amount: '100' });
}

type Ledger = { entries: { currency: string; amount: string; reason: string }[] };
const ledgerOf = async (control: ControlClient, query = '') =>
  ((await control.request('GET', `/accounts/b/ledger?limit=1000${query}`)) as Ledger).entries;

test('the ledger, the story and the export of a left branch have the currencies of then', async () => {
  const { folder, venue, control } = await newVenue();
  await list(control, 'XA', { ...GRID, currencies: { XA: { decimals: 8 } } });
  const orderId = await trade(control, 100.25, 1.503);
  const { seq } = (await control.request('GET', '/state')) as { seq: number };
  const story = () => control.request('GET', `/orders/${orderId}`);
  const [before, toldBefore] = [await ledgerOf(control, `&to=${seq}`), JSON.stringify(await story())];
  assert.ok(
    before.some(({ currency, amount, reason }) => currency === 'XA' && amount === '1.503' && reason === 'trade'),
  );
  await control.request('POST', '/reset');
  await list(control, 'XB', { tick: '0.5', step: '0.1', minSize: '0.1', currencies: { XB: { decimals: 2 } } });
  await trade(control, 7, 2);
  assert.deepEqual(await ledgerOf(control, `&to=${seq}`), before);
  const told = JSON.stringify(await story());
  assert.ok(toldBefore.includes('XA') && told.includes('XA') && !told.includes('XB'), told);
  const past = control.request('GET', `/markets/X-USDT/past?seq=${seq}`);
  await assert.rejects(past, (error) => {
    assert.ok(error instanceof VenueError);
    assert.match(error.message, /seq .*another market then \(spot of XA in USDT, tick 0\.01, step 0\.001\)/);
    return error.status === 400;
  });
  await venue.stop();
  let text = '';
  const write = async (part: string) => {
    text += part;
  };
  await exportRows(folder, { what: 'ledger', format: 'json', write });
  const rows = JSON.parse(text) as { seq: number; currency: string; amount: string; leftBranch: boolean }[];
  const trades = rows
    .filter(({ currency }) => currency.startsWith('X'))
    .map(({ currency, leftBranch }) => [currency, leftBranch]);
  assert.deepEqual(
    trades.map(([currency, left]) => `${currency} ${left}`),
    [...Array(4).fill('XA true'), ...Array(4).fill('XB false')],
  );
});

test('after a restore the ledger adds up to the balances, although its symbol was another market meanwhile', async () => {
  const { venue, control } = await newVenue();
  const sums = async () => {
    const found: Record<string, bigint> = {};
    for (const { currency, amount } of await ledgerOf(control))
      found[currency] = (found[currency] ?? 0n) + fine(amount);
    return found;
  };
  const balances = async () => {
    const account = (await control.request('GET', '/accounts/b')) as { balances: Record<string, { total: string }> };
    return { USDT: fine(account.balances.USDT.total), BTC: fine(account.balances.BTC.total) };
  };
  await list(control, 'BTC', GRID);
  await trade(control, 60_000, 1);
  await control.request('POST', '/snapshots/s');
  await control.request('POST', '/reset');
  await list(control, 'BTC', { kind: 'perpetual', tick: '1', step: '1', minSize: '1', contractSize: '0.001' });
  await trade(control, 50_000, 10, true);
  assert.deepEqual(await sums(), await balances());
  await control.request('POST', '/snapshots/s/restore');
  assert.deepEqual(await sums(), await balances());
  await trade(control, 70_000, 0.5);
  assert.deepEqual(await sums(), await balances());
  const { fills } = (await control.request('GET', '/accounts/b/fills')) as { fills: { realised: null }[] };
  assert.deepEqual([fills.length, fills.map(({ realised }) => realised)], [2, [null, null]]);
  await venue.stop();
});

const [SPOT, PERPETUAL] = (['spot', 'perpetual'] as const).map((kind) => {
  const market = DEFAULT_MARKETS.find((one) => one.kind === kind) ?? assert.fail();
  return { ...market, symbol: 'X-USDT' };
});

/** Both kinds of market under one symbol, with trades before, between and after. The last command is a trade. */
function relisted(): string[] {
  const driver = new VenueDriver();
  const trades = () => {
    const { index } = driver.venue.marketBySymbol('X-USDT') ?? assert.fail();
    driver.prices(index, { index: 600_000_000 });
    driver.limit(0, index, 1, 600_000, 1000);
    driver.limit(1, index, 0, 600_000, 1000);
  };
  driver.run({ type: 'listMarket', market: SPOT });
  trades();
  driver.run({ type: 'saveSnapshot', name: 'spot' });
  driver.run({ type: 'reset' });
  driver.run({ type: 'listMarket', market: PERPETUAL });
  trades();
  driver.run({ type: 'saveSnapshot', name: 'perpetual' });
  driver.run({ type: 'restoreSnapshot', name: 'spot' });
  trades();
  driver.run({ type: 'restoreSnapshot', name: 'perpetual' });
  trades();
  return driver.log;
}

test('a market has as many former terms as its terms changed, and however the archive was written, it is the same', () => {
  const log = relisted();
  const whole = projected(log, log.length).store;
  assert.deepEqual(
    table(whole, 'former_terms').map(({ number, kind }) => [number, kind]),
    [
      [1, 'spot'],
      [2, 'perpetual'],
      [3, 'spot'],
    ],
  );
  const kinds = table(whole, 'fills').map(({ market, makerRealised }) => [market, makerRealised === null]);
  assert.deepEqual(
    kinds,
    [true, false, true, false].map((spot) => ['X-USDT', spot]),
  );
  const moved = [...ledgerEntries(whole)].filter(({ reason }) => reason === 'trade');
  assert.equal(moved.length, 2 * 4, 'both sides of two spot trades, in two currencies each');
  const path = join(newFolder(), ARCHIVE_FILE);
  for (let end = 1; end <= log.length; end += 1) projected(log.slice(0, end), 1, path).store.close();
  const store = new ArchiveStore(path);
  for (const _ of store.check());
  assert.deepEqual(dump(store), dump(whole));
  store.close();
});

test('the trades of a product are those that were made in a market of it', () => {
  const { store, venue } = projected(relisted());
  const account = venue.account(0)?.name as string;
  const found = (['spot', 'futures'] as const).map((product) =>
    findTrades(store, venue.orderIds, { ...ANY_TRADES, account, product }).map(({ realised }) => realised === null),
  );
  // The two in the perpetual are in the branch in force.
  assert.deepEqual(found, [[], [false, false]]);
});

test('former terms that are lost are noticed', () => {
  const log = relisted();
  const path = join(newFolder(), ARCHIVE_FILE);
  projected(log, 7, path).store.close();
  const database = new DatabaseSync(path);
  database.exec('DELETE FROM former_terms WHERE number = 2');
  database.close();
  const store = new ArchiveStore(path);
  assert.throws(() => [...ledgerEntries(store)], ArchiveDamaged);
  assert.throws(() => [...store.check()], ArchiveDamaged);
  store.close();
});

/** Makes an archive one of format 9, which had neither former terms nor the time that a clock was turned back. */
function asPrevious(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('DROP TABLE former_terms');
  const { value } = database.prepare(`SELECT value FROM meta WHERE name = 'state'`).get() as { value: string };
  const { former_terms: _, setBackMs: __, ...state } = JSON.parse(value);
  const text = JSON.stringify({ ...state, format: 9 });
  const sum = hash('sha256', text, 'hex');
  database.prepare(`UPDATE meta SET value = ?, sum = ? WHERE name = 'state'`).run(text, sum);
  database.close();
}

test('an archive of the previous layout is converted in place, and goes on', () => {
  const log = relisted();
  const place = newFolder();
  const path = join(place, ARCHIVE_FILE);
  const end = log.findIndex((text) => text.includes('"reset"'));
  projected(log.slice(0, end), 7, path).store.close();
  asPrevious(path);
  assert.throws(() => new ArchiveStore(path), ArchiveDamaged);
  for (const _ of new ArchiveFile(place).migration(undefined, true) ?? assert.fail());
  assert.equal(new ArchiveFile(place).migration(undefined, true), undefined);
  const { store } = projected(log, 7, path);
  for (const _ of store.check());
  assert.deepEqual(dump(store), dump(projected(log).store));
  store.close();
});

test('one whose history has a reset is rebuilt if the log has all of it, and converted otherwise', () => {
  const driver = new VenueDriver();
  driver.run({ type: 'reset' });
  driver.limit(0, 0, 1, 600_000, 1000);
  driver.limit(1, 0, 0, 600_000, 1000);
  const place = newFolder();
  const path = join(place, ARCHIVE_FILE);
  projected(driver.log, 7, path).store.close();
  asPrevious(path);
  const before = fs.readFileSync(path);
  const refused = /its layout does not say which terms a market had before a reset/;
  assert.throws(() => [...(new ArchiveFile(place).migration(undefined, true) ?? [])], refused);
  assert.deepEqual(fs.readFileSync(path), before);
  for (const _ of new ArchiveFile(place).migration(undefined, false) ?? assert.fail());
  const store = new ArchiveStore(path);
  assert.ok(ledgerPage(store, { account: 'alice', after: null, limit: 10 }).entries.length > 0);
  store.close();
});
