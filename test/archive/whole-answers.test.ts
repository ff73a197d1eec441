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
import { orderHistory } from '../../src/archive/read/history.ts';
import { findTrades, type TradeQuery } from '../../src/archive/read/trades.ts';
import { ArchiveDamaged } from '../../src/archive/store/errors.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { CommandFailed } from '../../src/engine/replay/log-replayer.ts';
import { seeded } from '../sim/seeded.ts';
import { busyVenue, unrest } from '../venue/busy-venue.ts';
import { BTC_USDT } from '../venue/support.ts';
import { ANY_TRADES, projected, table } from './support.ts';

const FLIPS = 200;
const SEED = 12;
const root = fs.mkdtempSync(join(tmpdir(), 'bourse-whole-'));
after(() => fs.rmSync(root, { recursive: true }));

const driver = busyVenue();
unrest(driver);
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
const UNKNOWN_KEYS = [1, keys[3] + 1, 2 ** 50];

/** A copy of the sound file, damaged. */
function damaged(name: string, statement: string): string {
  const path = join(root, `${name}.db`);
  fs.copyFileSync(sound, path);
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
  return path;
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
    ...QUERIES.map((query) => said(() => findTrades(store, orderIds, query))),
  ];
  store.close();
  return found;
}
const expected = answers(sound);

test('an order that never existed is not found, and an account that never traded has no trades', () => {
  assert.deepEqual(expected.slice(keys.length, keys.length + UNKNOWN_KEYS.length), ['null', 'null', 'null']);
  assert.deepEqual(expected.at(-1), '[]');
  assert.ok(!expected.includes('damaged'));
});

const LOST: readonly [what: string, statement: string, question: number][] = [
  ['a trade', `DELETE FROM trades WHERE account = 2 AND trade = 3`, keys.length + UNKNOWN_KEYS.length],
  ['the last trade', `DELETE FROM trades WHERE account = 2 AND n = (SELECT max(n) FROM trades)`, -5],
  ['an account', `DELETE FROM accounts WHERE name = 'bob'`, -5],
  ['the fill of a trade', `DELETE FROM fills WHERE n = (SELECT max(n) FROM fills)`, -5],
  ['an order', `DELETE FROM orders WHERE orderKey = ${keys[4]}`, 4],
  ['the last order', `DELETE FROM orders WHERE orderKey = ${keys.at(-1)}`, keys.length - 1],
  ['what happened to an order', `DELETE FROM order_events WHERE orderKey = ${keys[5]}`, 5],
  ['the market of trades', `UPDATE trades SET market = 'BTC-USDU' WHERE account = 2 AND trade = 3`, -5],
  ['the client id of trades', `UPDATE trades SET clientId = 'slow-sellez' WHERE clientId = 'slow-seller'`, -2],
  ['the kind of a market', `UPDATE markets SET kind = 'spou' WHERE symbol = 'BTC-USDT'`, -5],
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
  assert.ok(found > FLIPS / 4, `${found} found`);
});

const GOES_ON: readonly [what: string, statement: string, command: string][] = [
  ['the state of a live order', `UPDATE orders SET state = 'workinf' WHERE orderKey = ${keys.at(-1)}`, RESTORE],
  ['a live order', `DELETE FROM orders WHERE orderKey = ${keys.at(-1)}`, RESET],
  ['a fill that is left behind', `DELETE FROM fills WHERE n = (SELECT max(n) FROM fills)`, RESTORE],
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
