import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  BourseClient,
  ConfigurationError,
  ControlClient,
  type StartVenueOptions,
  startVenue,
} from '../../src/index.ts';

/** Some trading, and the hash that it comes to. */
async function play(options: StartVenueOptions): Promise<string> {
  const venue = await startVenue(options);
  try {
    await venue.setPrice('BTC-USDT', { index: 100, last: 100 });
    const client = new BourseClient({ url: venue.url, ...venue.key });
    await client.placeSpotOrder({
      symbol: 'BTC-USDT',
      orderSide: 'SELL',
      orderType: 'LIMIT',
      orderPrice: 101,
      orderSize: 1,
    });
    await client.placeAlgoOrder({
      symbol: 'BTC-USDT',
      orderSide: 'BUY',
      orderType: 'TWAP',
      orderSize: 1,
      timePeriod: 60,
      randomizeSize: true,
      pausePrice: 99,
    });
    await venue.advance(30_000);
    return venue.stateHash();
  } finally {
    await venue.close();
  }
}

test('without options there is one funded account with a key that may do everything', async () => {
  const venue = await startVenue();
  assert.equal(venue.key.account, 'test');
  assert.deepEqual(venue.keys, [venue.key]);
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  const { balances } = (await control.account('test')) as { balances: Record<string, { total: string }> };
  assert.deepEqual([balances.USDT.total, balances.BTC.total, balances.ETH.total], ['1000000', '100', '1000']);
  await venue.close();
  await venue.close();
});

test('the same options and calls give the same hash, another seed another one', async () => {
  const [once, again, other] = [await play({ seed: 7 }), await play({ seed: 7 }), await play({ seed: 8 })];
  assert.equal(again, once);
  assert.notEqual(other, once);
});

test('the same seed gives the same hash with a demo, too, and with keys that are made while it runs', async () => {
  const run = async (seed: number) => {
    const venue = await startVenue({ demo: true, seed, accounts: [{ name: 'bot' }] });
    const control = new ControlClient({ url: venue.control, token: venue.controlToken });
    const made = [
      await control.createKey('bot', { permissions: ['read'] }),
      await control.createKey('demo-1', { permissions: ['read', 'trading'] }),
    ];
    await venue.advance('10s');
    const hash = venue.stateHash();
    await venue.close();
    return { hash, keys: [...venue.keys, ...made] };
  };
  const [once, again, other] = [await run(7), await run(7), await run(8)];
  assert.deepEqual(again, once);
  assert.notEqual(other.hash, once.hash);
  const secrets = [...once.keys, ...other.keys].flatMap(({ key, secret }) => [key, secret]);
  assert.equal(new Set(secrets).size, 20, 'no key or secret comes twice');
});

test('a venue with a data folder makes random secrets, whatever its seed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-start-'));
  const masterKeyFile = join(folder, 'master.key');
  try {
    const secrets: string[] = [];
    for (const data of ['one', 'two'].map((name) => join(folder, name))) {
      await using venue = await startVenue({ data, masterKeyFile, seed: 7, demo: true, accounts: [{ name: 'bot' }] });
      const control = new ControlClient({ url: venue.control, token: venue.controlToken });
      const made = await control.createKey('bot', { permissions: ['read'] });
      secrets.push(...[...venue.keys, made].flatMap(({ key, secret }) => [key, secret]));
    }
    await using memory = await startVenue({ seed: 7, demo: true, accounts: [{ name: 'bot' }] });
    secrets.push(...memory.keys.flatMap(({ key, secret }) => [key, secret]));
    assert.equal(new Set(secrets).size, 8 + 8 + 6);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a data folder whose keys were derived from account names goes on with them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-start-'));
  try {
    const masterKey = 'ab'.repeat(32);
    const options = { data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') };
    writeFileSync(options.masterKeyFile, masterKey, { mode: 0o600 });
    const derive = (what: string) => createHmac('sha256', masterKey).update(`${what} of bot`).digest('hex');
    const old = { key: derive('key'), secret: derive('secret') };
    const permissions = ['read', 'trading', 'transfer', 'wallet'] as const;
    await (await startVenue({ ...options, accounts: [{ name: 'bot', keys: [{ ...old, permissions }] }] })).close();
    await using venue = await startVenue({ ...options, accounts: [{ name: 'bot' }] });
    assert.deepEqual(venue.keys, [{ account: 'bot', ...old }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('times are ISO text or epoch ms, durations are text or ms', async () => {
  await using venue = await startVenue({ startTime: '2031-01-01T01:00:00+01:00' });
  const start = Date.UTC(2031, 0, 1);
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  assert.equal((await control.state()).time, start);
  assert.equal(await venue.advance('1h30m'), start + 5_400_000);
  assert.equal(await control.advance('250ms'), start + 5_400_250);
  assert.equal(await control.advanceTo('2031-01-02'), start + 86_400_000);
  assert.equal(await control.advanceTo(start + 2 * 86_400_000), start + 2 * 86_400_000);
  await assert.rejects(
    venue.advance('an hour'),
    /advance must be milliseconds, or text such as '90s', '1h30m' or '2d'/,
  );
  await assert.rejects(control.advanceTo('2031-02-30'), /to must be ISO 8601 text with a time zone/);
});

test('a real clock may have a speed, and a link opens the page once', async () => {
  await using venue = await startVenue({ clock: 'real', speed: 60 });
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  assert.equal((await control.state()).speed, 60);
  assert.notEqual(venue.page, venue.page);
  assert.match(venue.page, new RegExp(`^${venue.control}/#t=[\\w-]{32}$`));
});

test('a speed is for a real clock and within its bounds, and a page for a venue in memory', async () => {
  await assert.rejects(startVenue({ speed: 60 }), /speed is for a real clock: give clock: 'real'/);
  await assert.rejects(startVenue({ clock: 'real', speed: 0.05 }), /speed must be a decimal/);
  await assert.rejects(startVenue({ clock: 'real', speed: 1001 }), /speed must be a decimal/);
  await assert.rejects(startVenue({ page: true, data: 'nowhere' }), /page is for a venue in memory/);
  await assert.rejects(startVenue({ page: 'yes' as never }), /page must be true or false/);
});

test('several venues run side by side and know nothing of each other', async () => {
  const venues = await Promise.all([1, 2, 3].map((seed) => startVenue({ seed })));
  await venues[0].setPrice('BTC-USDT', 100);
  await venues[0].advance(1000);
  assert.equal(new Set(venues.map(({ url }) => url)).size, 3);
  const control = new ControlClient({ url: venues[1].control, token: venues[1].controlToken });
  assert.equal((await control.state()).time, Date.UTC(2026, 0, 1));
  await Promise.all(venues.map((venue) => venue.close()));
});

test('a price is a bare index, an object, or an object with its symbol; a deposit may withdraw', async () => {
  const venue = await startVenue({ startTime: Date.UTC(2031, 0, 1) });
  await venue.setPrice('BTC-USDT', 100);
  await venue.setPrice('BTC-PERP', { index: 100, mark: 101 });
  await venue.setPrice({ symbol: 'ETH-USDT', index: 50, last: 51 });
  await venue.deposit('test', 'BTC', '-99.5');
  assert.equal(await venue.advance(1), Date.UTC(2031, 0, 1) + 1);
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  const { balances } = (await control.account('test')) as { balances: Record<string, { total: string }> };
  assert.equal(balances.BTC.total, '0.5');
  await venue.close();
});

test('a venue on a data folder goes on where it ended, with the same keys', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-start-'));
  const options = { data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') };
  try {
    const first = await startVenue(options);
    await first.setPrice('BTC-USDT', 100);
    const client = new BourseClient({ url: first.url, ...first.key });
    const order = {
      symbol: 'BTC-USDT',
      orderSide: 'BUY',
      orderType: 'LIMIT',
      orderPrice: 99,
      orderSize: 1,
      clOrderId: 'kept',
    } as const;
    const [{ orderId }] = await client.placeSpotOrder(order);
    const { key } = first;
    const hash = first.stateHash();
    await first.close();

    const second = await startVenue(options);
    assert.deepEqual(second.key, key);
    assert.equal(second.stateHash(), hash);
    assert.equal(
      (await new BourseClient({ url: second.url, ...key }).spotOrder({ clOrderId: 'kept' })).orderId,
      orderId,
    );
    await second.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what is asked of a closed venue is refused in words', async () => {
  const venue = await startVenue({ clock: undefined, seed: undefined });
  await venue.close();
  const closed = /^Error: this venue is closed$/;
  await assert.rejects(venue.setPrice('BTC-USDT', 1), closed);
  await assert.rejects(venue.setPrice({ symbol: 'BTC-USDT', last: 1 }), closed);
  await assert.rejects(venue.advance(1), closed);
  await assert.rejects(venue.deposit('test', 'BTC', 1), closed);
  await assert.rejects(venue.reset(), closed);
});

test('a wrong option is refused by name and nothing is left open', async () => {
  const refused = (options: object, words: RegExp | RegExp[]) =>
    assert.rejects(startVenue(options as StartVenueOptions), (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      for (const each of [words].flat()) assert.match(error.message, each);
      return true;
    });
  await refused({ clock: 'manul' }, /clock must be one of manual, real, not "manul"/);
  await refused({ clok: 'manual', sed: 1 }, /clok is not known; did you mean clock\?\n.*sed is not known.*seed/);
  await refused({ port: 70_000 }, /port must be a whole number from 0 to 65535/);
  await refused({ startTime: '2030-01-01T00:00' }, /startTime must be ISO 8601 text with a time zone, such as/);
  await refused({ startTime: -1 }, /startTime must be ISO 8601 text .*, or epoch milliseconds, not -1/);
  await refused(
    { seeds: 1, startTime: 'soon', rateLimits: { blockSeconds: 'x' }, markets: [{ symbol: 'BTC-USDT', tick: 'x' }] },
    [
      /seeds is not known; did you mean seed\?/,
      /startTime must be/,
      /rateLimits\.blockSeconds must be a list/,
      /markets\[0\]\.tick is not a number/,
    ],
  );
  await refused({ demo: true, accounts: [{ name: 'demo-1' }, { name: 'trader-2' }] }, [
    /accounts\[demo-1\] has the name of an account of the demo/,
    /accounts\[trader-2\]/,
  ]);
  await refused({ demo: 'yes' }, /demo must be true or false/);
  await refused({ seed: -1, host: 1 }, /seed must be.*\n.*host must be text/);
  await refused({ marketz: [] }, /marketz is not known; did you mean markets\?/);
  await refused({ markets: [{ symbol: 'BTC-USDT', tick: 'x' }] }, /markets\[0\]\.tick is not a number/);
  await refused({ accounts: [{ name: 'a', balances: { EUR: 1 } }] }, /accounts\[0\]\.balances\.EUR/);
  await refused({ accounts: [null] }, /accounts\[0\] must be an object/);
  await refused({ accounts: 'many' }, /accounts must be a list/);
});
