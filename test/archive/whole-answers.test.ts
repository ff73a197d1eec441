/**
 * Every answer of the archive is whole, or its file is found to be damaged: also before anybody has checked the file. The
 * damage is in rows that a query would pass over: lost ones, and ones whose values do not fit what is asked for any more.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { clientOrderHistory, orderHistory } from '../../src/archive/read/history.ts';
import { marketAnswer } from '../../src/archive/read/market-history.ts';
import { findTrades, type TradeQuery } from '../../src/archive/read/trades.ts';
import type { ClientQuery } from '../../src/archive/store/client-ids.ts';
import { ArchiveDamaged } from '../../src/archive/store/errors.ts';
import { integerOfKey } from '../../src/archive/store/row-form.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { CommandFailed } from '../../src/engine/replay/log-replayer.ts';
import type { MarketQuestion } from '../../src/market-data/history.ts';
import { seeded } from '../sim/seeded.ts';
import { busyVenue, unrest } from '../venue/busy-venue.ts';
import { BTC_USDT, START_MS } from '../venue/support.ts';
import { ANY_TRADES, projected, table } from './support.ts';

const FLIPS = 200;
const SEED = 12;
const root = fs.mkdtempSync(join(tmpdir(), 'bourse-whole-'));
after(() => fs.rmSync(root, { recursive: true }));

const driver = busyVenue();
unrest(driver);
// Funding is settled.
driver.advance(9 * 3_600_000);
driver.run({ type: 'saveSnapshot', name: 'here' });
driver.place(1, BTC_USDT, 0, { kind: 'market', size: 1_000 });
driver.limit(1, BTC_USDT, 0, 500_000, 1_000);
const sound = join(root, 'sound.db');
const { store: written, venue } = projected(driver.log, 7, sound);
const { orderIds } = venue;
const orders = table(written, 'orders');
const keys = orders.map(({ orderKey }) => orderKey as number);
written.checkpoint();
written.close();
const RESTORE = JSON.stringify({ v: 1, type: 'restoreSnapshot', name: 'here' });
const RESET = JSON.stringify({ v: 1, type: 'reset' });

const ALL: TradeQuery = { ...ANY_TRADES, account: 'bob' };
const QUERIES: readonly TradeQuery[] = [
  ALL,
  { ...ALL, product: 'futures', account: 'alice' },
  { ...ALL, market: 'BTC-USDT', oldestFirst: true, limit: 5 },
  { ...ALL, clientId: 'slow-seller' },
  { ...ALL, account: 'nobody' },
];
const MARKET_QUERY = {
  fromMs: 0,
  toMs: Number.POSITIVE_INFINITY,
  fromId: 0,
  toId: Number.POSITIVE_INFINITY,
  limit: 40,
  oldestFirst: false,
};
const MARKET_QUESTIONS: readonly MarketQuestion[] = [
  { type: 'rates', market: 'BTC-PERP', query: MARKET_QUERY },
  { type: 'recent', market: 'BTC-USDT', fromMs: START_MS + 240_000, most: 10 },
  { type: 'trades', market: 'BTC-USDT', query: MARKET_QUERY },
  { type: 'candles', market: 'BTC-USDT', level: 1, fromMs: START_MS + 60_000, toMs: START_MS + 240_000 },
  { type: 'candles', market: 'BTC-USDT', level: 60, fromMs: START_MS, toMs: START_MS + 3_600_000 },
];
const CLIENTS: readonly ClientQuery[] = [
  ...orders
    .filter(({ clientId }) => clientId !== null)
    .map(({ account, positionMode, clientId }) => {
      return { account, product: positionMode === null ? 'spot' : 'futures', clientId } as ClientQuery;
    }),
  { account: 'bob', product: 'spot', clientId: 'nothing' },
  { account: 'aaa', product: 'spot', clientId: '' },
  { account: 'zzz', product: 'spot', clientId: '' },
];
const UNKNOWN_KEYS = [1, keys[3] + 1, 2 ** 50];

/** The number of a name in the file, for a condition. */
function nameId(name: string): string {
  return `(SELECT id FROM names WHERE name = '${name}')`;
}

/** A copy of the sound file, damaged. */
function damaged(name: string, statement: string): string {
  const path = join(root, `${name}.db`);
  fs.copyFileSync(sound, path);
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
  return path;
}

/** JSON has no large integers. */
function shown(answer: object): string {
  return inspect(answer, { depth: null, maxArrayLength: null, breakLength: Number.POSITIVE_INFINITY });
}

/** Each answer, as text, or that the file is damaged. */
function answers(path: string): string[] {
  let store: ArchiveStore;
  try {
    store = new ArchiveStore(path);
  } catch (error) {
    assert.ok(error instanceof ArchiveDamaged, String(error));
    return [];
  }
  const said = (ask: () => unknown): string => {
    try {
      return JSON.stringify(ask() ?? null);
    } catch (error) {
      if (error instanceof ArchiveDamaged) return 'damaged';
      throw error;
    }
  };
  const found = [
    ...[...keys, ...UNKNOWN_KEYS].map((key) => said(() => orderHistory(store, key))),
    ...CLIENTS.map((query) => said(() => clientOrderHistory(store, query)?.order)),
    ...QUERIES.map((query) => said(() => findTrades(store, orderIds, query))),
    ...MARKET_QUESTIONS.map((question) => said(() => shown(marketAnswer(store, question) ?? {}))),
  ];
  store.close();
  return found;
}
const expected = answers(sound);

test('an order that never existed is not found, and an account that never traded has no trades', () => {
  assert.deepEqual(expected.slice(keys.length, keys.length + UNKNOWN_KEYS.length), ['null', 'null', 'null']);
  assert.deepEqual(expected.at(-1 - MARKET_QUESTIONS.length), '[]');
  assert.ok(!expected.includes('damaged'));
});

const LOST: readonly [what: string, statement: string, question: number][] = [
  ['a trade', `DELETE FROM trades WHERE account = 2 AND trade = 3`, keys.length + UNKNOWN_KEYS.length + CLIENTS.length],
  ['the last trade', `DELETE FROM trades WHERE account = 2 AND n = (SELECT max(n) FROM trades)`, -10],
  ['an account', `DELETE FROM accounts WHERE account = 2`, -10],
  ['the client id of an order', `DELETE FROM client_ids`, keys.length + UNKNOWN_KEYS.length],
  ['the fill of a trade', `DELETE FROM fills WHERE n = (SELECT max(n) FROM fills)`, -10],
  ['an order', `DELETE FROM orders WHERE orderKey = ${keys[4]}`, 4],
  ['the last order', `DELETE FROM orders WHERE orderKey = ${keys.at(-1)}`, keys.length - 1],
  ['what happened to an order', `DELETE FROM order_events WHERE orderKey = ${integerOfKey(keys[5])}`, 5],
  ['the market of trades', `UPDATE trades SET market = market + 1 WHERE account = 2 AND trade = 3`, -10],
  ['the client id of trades', `UPDATE orders SET rest = NULL WHERE rest IS NOT NULL`, -7],
  ['a trade of a market', `DELETE FROM market_trades WHERE market = ${nameId('BTC-USDT')} AND trade = 30`, -3],
  ['the last trade of a market', `DELETE FROM market_trades WHERE n = (SELECT max(n) FROM market_trades)`, -3],
  ['a minute', `DELETE FROM candles WHERE market = ${nameId('BTC-USDT')} AND startMs = ${START_MS + 120_000}`, -2],
  [
    'the minute behind a range',
    `DELETE FROM candles WHERE market = ${nameId('BTC-USDT')} AND startMs = ${START_MS + 300_000}`,
    -2,
  ],
  ['the last minute', `DELETE FROM candles WHERE minutes = 1 AND startMs = (SELECT max(startMs) FROM candles)`, -4],
  ['an hour', `DELETE FROM candles WHERE minutes = 60`, -1],
  ['the first minute of a market', `DELETE FROM candles WHERE minutes = 1 AND startMs = ${START_MS}`, -2],
  ['the row of a market', `DELETE FROM markets WHERE symbol = ${nameId('BTC-USDT')}`, -3],
  ['a funding rate', `DELETE FROM funding WHERE market = ${nameId('BTC-PERP')}`, -5],
  ['the kind of a market', `UPDATE markets SET rest = NULL WHERE symbol = ${nameId('BTC-USDT')}`, -10],
];
for (const [what, statement, question] of LOST) {
  test(`${what} that is lost or changed is never left out of an answer`, () => {
    const found = answers(damaged(what, statement));
    assert.ok(found.length === 0 || found.at(question) === 'damaged', found.at(question)?.slice(0, 200));
    for (const [i, answer] of found.entries()) {
      if (answer !== 'damaged') assert.equal(answer, expected[i]);
    }
  });
}

test(`${FLIPS} random flipped bits are in no answer (seed ${SEED})`, () => {
  const bytes = fs.readFileSync(sound);
  const random = seeded(SEED);
  const path = join(root, 'flipped.db');
  let found = 0;
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const bit = Math.floor(random() * bytes.length * 8);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    fs.writeFileSync(path, bytes);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    const said = answers(path);
    if (said.length === 0 || said.includes('damaged')) found += 1;
    for (const [i, answer] of said.entries()) if (answer !== 'damaged') assert.equal(answer, expected[i], `bit ${bit}`);
  }
  assert.ok(found > FLIPS / 20, `${found} found`);
});

const GOES_ON: readonly [what: string, statement: string, command: string][] = [
  ['the state of a live order', `UPDATE orders SET state = state + 1 WHERE orderKey = ${keys.at(-1)}`, RESTORE],
  ['a live order', `DELETE FROM orders WHERE orderKey = ${keys.at(-1)}`, RESET],
  ['a trade that is left behind', `DELETE FROM market_trades WHERE n = (SELECT max(n) FROM market_trades)`, RESTORE],
  ['the candle of this minute', `DELETE FROM candles WHERE startMs = (SELECT max(startMs) FROM candles)`, ''],
];
for (const [what, statement, command] of GOES_ON) {
  test(`${what} that is lost or changed stops the archive from going on`, () => {
    const path = damaged(what, statement);
    const market = driver.log.at(-2) as string;
    assert.throws(
      () => projected([...driver.log, command === '' ? market : command], 7, path),
      (error) => error instanceof CommandFailed && error.cause instanceof ArchiveDamaged,
    );
  });
}

test('a return to a saved state and a reset write what the file of a sound archive takes', () => {
  const path = damaged('none', 'SELECT 1');
  const { store, go } = projected(driver.log, 7, path);
  for (const command of [RESTORE, RESET, RESTORE]) {
    go([command]);
    for (const _ of store.check());
  }
  store.close();
});
