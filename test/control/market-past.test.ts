/** Trades and candles as they were after a command: in memory, after a restart, after a change of rules, without old segments. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RULES } from '../../src/archive/follow/follower.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { type RunningVenue, type StartOptions, start } from '../../src/start.ts';
import { STARTED_BY_TEST } from '../support/started.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-market-past-'));
after(() => fs.rmSync(root, { recursive: true }));

const SYMBOL = 'BTC-USDT';
const ACCOUNTS = ['alice', 'bob'].map((name) => ({ name, balances: { USDT: 10_000_000, BTC: 1000 } }));

async function open(data: string | null, more: Partial<StartOptions> = {}): Promise<RunningVenue> {
  return start({
    ...STARTED_BY_TEST,
    configuration: readConfiguration({ accounts: ACCOUNTS }),
    data,
    masterKeys: ['1'.repeat(64)],
    clock: 'manual',
    seed: 1,
    ...more,
  });
}

async function ask(venue: RunningVenue, path: string, method = 'GET', body?: object) {
  const response = await fetch(`${venue.control}/control/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${venue.controlToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function past(venue: RunningVenue, seq: number, more = '') {
  const { status, body } = await ask(venue, `/markets/${SYMBOL}/past?seq=${seq}${more}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** A trade of one lot at each price, `everyMs` apart. Returns the seqs. */
async function trades(venue: RunningVenue, prices: readonly number[], everyMs = 1000): Promise<number[]> {
  const seqs: number[] = [];
  for (const price of prices) {
    const order = { symbol: SYMBOL, orderType: 'LIMIT', orderPrice: price, orderSize: 0.001 };
    for (const [name, orderSide] of [
      ['alice', 'SELL'],
      ['bob', 'BUY'],
    ]) {
      const { status, body } = await ask(venue, `/accounts/${name}/orders`, 'POST', { ...order, orderSide });
      assert.equal(status, 200, JSON.stringify(body));
    }
    seqs.push(venue.engine.venue.seq);
    await ask(venue, '/clock', 'POST', { advance: everyMs });
  }
  return seqs;
}

const PRICES = Array.from({ length: 14 }, (_, i) => 60_000 + ((i * 37) % 100));

async function allOf(venue: RunningVenue, seqs: readonly number[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const seq of seqs) found.push([await past(venue, seq), await past(venue, seq, '&minutes=60')]);
  return found;
}

/** What is said of each command, from the trades themselves. */
function expected(seqs: readonly number[], seq: number): { prices: string[]; volume: string; close: string } {
  const prices = PRICES.filter((_, i) => seqs[i] <= seq).map(String);
  return { prices: prices.toReversed(), volume: String(prices.length), close: prices[prices.length - 1] };
}

for (const where of ['in memory', 'in a data folder'] as const) {
  test(`${where}: after each command there are its trades and no later ones, and they add up to the candles`, async () => {
    const venue = await open(where === 'in memory' ? null : join(root, 'each'));
    await ask(venue, '/prices', 'POST', { symbol: SYMBOL, index: 60_000 });
    const seqs = await trades(venue, PRICES, 7000);
    for (const seq of [2, ...seqs.flatMap((each) => [each - 1, each, each + 1])]) {
      const { prices, volume, close } = expected(seqs, seq);
      const told = await past(venue, seq);
      assert.deepEqual([told.seq, told.left], [seq, null]);
      assert.deepEqual(
        told.trades.map(({ price }: { price: string }) => price),
        prices,
      );
      const lots = told.candles.reduce(
        (sum: number, candle: { volume: string }) => sum + Number(candle.volume) * 1000,
        0,
      );
      assert.equal(String(Math.round(lots)), volume);
      assert.equal(told.candles.at(-1)?.close, close);
    }
    const [first, last] = [seqs[0], seqs[seqs.length - 1]];
    assert.equal((await past(venue, last, '&limit=3')).trades.length, 3);
    assert.deepEqual((await past(venue, first - 1)).candles, []);
    await venue.stop();
  });
}

test('a restart says the same of each command, and a reset between two of them names itself', async () => {
  const data = join(root, 'restart');
  let venue = await open(data);
  await ask(venue, '/prices', 'POST', { symbol: SYMBOL, index: 60_000 });
  const left = await trades(venue, PRICES.slice(0, 5));
  await ask(venue, '/reset', 'POST');
  const at = venue.engine.venue.seq;
  await ask(venue, '/prices', 'POST', { symbol: SYMBOL, index: 60_000 });
  const now = await trades(venue, PRICES.slice(0, 8), 61_000);
  const before = await allOf(venue, [...left, ...now]);
  await venue.stop();
  venue = await open(data);
  assert.deepEqual(await allOf(venue, [...left, ...now]), before);
  assert.deepEqual((await past(venue, left[4])).left, { at, by: 'reset' });
  assert.deepEqual([(await past(venue, left[4])).trades.length, (await past(venue, now[7])).trades.length], [5, 8]);
  await venue.stop();
});

test('segments that were moved away take nothing from it: the archive has it', async () => {
  const data = join(root, 'moved');
  let venue = await open(data, { segmentBytes: 16_384 });
  await ask(venue, '/prices', 'POST', { symbol: SYMBOL, index: 60_000 });
  const seqs = await trades(venue, PRICES);
  for (let i = 0; i < 300; i += 1) {
    await venue.engine.submit({ v: 1, type: 'setPrices', market: 1, index: 1_000_000_000 + i, byHand: true });
  }
  const before = await allOf(venue, seqs);
  await venue.stop();
  // Each stop leaves a snapshot, and two of them must be newer than what is moved.
  for (let i = 0; i < 2; i += 1) {
    venue = await open(data, { segmentBytes: 16_384 });
    await venue.engine.submit({ v: 1, type: 'setPrices', market: 1, index: 1_000_000_000, byHand: true });
    await venue.stop();
  }
  venue = await open(data, { segmentBytes: 16_384 });
  const { body } = await ask(venue, '/log/archive', 'POST', { to: join(root, 'cold') });
  assert.ok(body.moved > 0 && body.seq > seqs[0], JSON.stringify(body));
  assert.equal((await ask(venue, `/at/${seqs[0]}`)).status, 404, 'the state itself needs the log');
  assert.deepEqual(await allOf(venue, seqs), before);
  await venue.stop();
  // Without the archive, the history begins at the oldest snapshot, and says so.
  for (const name of fs.readdirSync(data)) if (name.startsWith('archive.db')) fs.rmSync(join(data, name));
  venue = await open(data, { segmentBytes: 16_384 });
  const refused = await ask(venue, `/markets/${SYMBOL}/past?seq=${seqs[0]}`);
  assert.deepEqual([refused.status, refused.body.error.reason], [404, 'pastUnavailable']);
  const { knownFromSeq } = (await ask(venue, '/accounts/alice/fills')).body;
  assert.equal(
    refused.body.error.message,
    `the history at seq ${seqs[0]} is not available: the history is known from seq ${knownFromSeq} on`,
  );
  assert.equal((await ask(venue, `/accounts/alice/orders/all?to=${seqs[0]}`)).body.error.reason, 'pastUnavailable');
  assert.equal((await ask(venue, `/markets/${SYMBOL}/past?seq=${knownFromSeq}`)).status, 200);
  await venue.stop();
});

test('before a change of rules the archive still knows what it kept, and one that was built anew says from where on', async () => {
  const data = join(root, 'rules');
  const older = await open(data);
  await ask(older, '/prices', 'POST', { symbol: SYMBOL, index: 60_000 });
  const seqs = await trades(older, PRICES.slice(0, 4));
  const before = await allOf(older, seqs);
  const boundary = older.engine.venue.seq;
  await older.stop();
  const rules = String(Number(RULES) + 1);
  let venue = await open(data, { rules });
  assert.deepEqual(await allOf(venue, seqs), before);
  const later = await trades(venue, PRICES.slice(0, 2));
  assert.equal((await past(venue, later[1])).trades.length, 6);
  await venue.stop();
  for (const name of fs.readdirSync(data)) if (name.startsWith('archive.db')) fs.rmSync(join(data, name));
  venue = await open(data, { rules });
  const refused = await ask(venue, `/markets/${SYMBOL}/past?seq=${seqs[0]}`);
  assert.deepEqual(
    [refused.body.error.reason, refused.body.error.message],
    [
      'pastUnavailable',
      `the history at seq ${seqs[0]} is not available: the history is known from seq ${boundary + 1} on`,
    ],
  );
  await venue.stop();
});
