/** A damaged archive is found out: no flipped bit of it ever comes back as an answer. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { ArchiveDamaged } from '../../src/archive/store/errors.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { seeded } from '../sim/seeded.ts';
import { busyVenue } from '../venue/busy-venue.ts';
import { dump, projected } from './support.ts';

const FLIPS = 150;
const SEED = 11;
const root = fs.mkdtempSync(join(tmpdir(), 'bourse-archive-'));
after(() => fs.rmSync(root, { recursive: true }));
const sound = join(root, 'sound.db');

/** A file with what a busy venue leaves. */
function write(): ReturnType<typeof dump> {
  const { store: made } = projected(busyVenue().log);
  const rows = dump(made);
  const store = new ArchiveStore(sound);
  store.write(rows, made.state);
  store.checkpoint();
  store.close();
  made.close();
  return rows;
}

const expected = write();

/** All that the file holds, checked; undefined: it is found to be damaged. */
function read(path: string): ReturnType<typeof dump> | undefined {
  try {
    const store = new ArchiveStore(path);
    try {
      for (const _ of store.check());
      return dump(store);
    } finally {
      store.close();
    }
  } catch (error) {
    assert.ok(error instanceof ArchiveDamaged, String(error));
    return undefined;
  }
}

test(`${FLIPS} random flipped bits are found, or are where nothing lies (seed ${SEED})`, () => {
  assert.deepEqual(read(sound), expected);
  const bytes = fs.readFileSync(sound);
  const random = seeded(SEED);
  const path = join(root, 'flipped.db');
  let found = 0;
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const bit = Math.floor(random() * bytes.length * 8);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    fs.writeFileSync(path, bytes);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    const rows = read(path);
    if (rows === undefined) found += 1;
    else assert.deepEqual(rows, expected, `bit ${bit}`);
  }
  // Most of the file is room that nothing lies in.
  assert.ok(found > FLIPS / 20, `${found} found`);
});

test('a row that is missing or changed, a state that was edited, a cut file and no database at all are found', () => {
  const damages: [string, (database: DatabaseSync) => void][] = [
    ['event', (database) => database.exec('DELETE FROM order_events WHERE seq = (SELECT min(seq) FROM order_events)')],
    ['fill', (database) => database.exec('DELETE FROM fills WHERE n = (SELECT min(n) FROM fills)')],
    ['order', (database) => database.exec('DELETE FROM orders WHERE orderKey = (SELECT max(orderKey) FROM orders)')],
    ['amount', (database) => database.exec('UPDATE movements SET amount = 1 WHERE n = 2')],
    ['state', (database) => database.exec(`UPDATE meta SET value = replace(value, '"seq":', '"seq":1')`)],
    ['table', (database) => database.exec('DROP TABLE candles')],
    ['trade', (database) => database.exec('DELETE FROM trades WHERE account = 1 AND trade = 2')],
    ['candle', (database) => database.exec('DELETE FROM candles WHERE startMs = (SELECT max(startMs) FROM candles)')],
    ['market', (database) => database.exec('DELETE FROM markets WHERE symbol = (SELECT max(symbol) FROM markets)')],
    ['trader', (database) => database.exec('DELETE FROM accounts WHERE account = 1')],
    ['lost name', (database) => database.exec('DELETE FROM names WHERE id = 3')],
    ['last name', (database) => database.exec('DELETE FROM names WHERE id = (SELECT max(id) FROM names)')],
    ['other name', (database) => database.exec(`UPDATE names SET name = 'SELL' WHERE id = 3`)],
    ['rare value', (database) => database.exec(`UPDATE orders SET rest = NULL WHERE rest IS NOT NULL`)],
  ];
  for (const [name, damage] of damages) {
    const path = join(root, `${name}.db`);
    fs.copyFileSync(sound, path);
    const database = new DatabaseSync(path);
    damage(database);
    database.close();
    assert.equal(read(path), undefined, name);
  }
  for (const [name, content] of [
    ['cut', fs.readFileSync(sound).subarray(0, 20_000)],
    ['text', Buffer.from('not a database, and long enough to be looked at as one: '.repeat(100))],
  ] as const) {
    const path = join(root, `${name}.db`);
    fs.writeFileSync(path, content);
    assert.equal(read(path), undefined, name);
  }
});

test('a transaction that fails half-way leaves what was before', () => {
  const path = join(root, 'half.db');
  fs.copyFileSync(sound, path);
  const store = new ArchiveStore(path);
  const before = store.state;
  const [fill] = expected.fills;
  const broken = {
    fills: [[before.lastN + 1, ...fill.slice(1)]],
    movements: [['no number', ...expected.movements[0].slice(1)]],
  };
  assert.throws(() => store.write(broken, { ...before, seq: before.seq + 1 }));
  assert.deepEqual(store.state, before);
  assert.deepEqual(dump(store), expected);
  store.close();
});

const HEAD_BYTES = 100;

test('with any flipped bit in the head of the file it is written and read as before, or it is found to be damaged', () => {
  const bytes = fs.readFileSync(sound);
  const path = join(root, 'head.db');
  for (let bit = 0; bit < HEAD_BYTES * 8; bit += 1) {
    bytes[bit >> 3] ^= 1 << (bit & 7);
    fs.writeFileSync(path, bytes);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    try {
      const store = new ArchiveStore(path);
      try {
        store.write({}, store.state);
        assert.deepEqual(dump(store), expected, `bit ${bit}`);
      } finally {
        store.close();
      }
    } catch (error) {
      assert.ok(error instanceof ArchiveDamaged, `bit ${bit}: ${String(error)}`);
    }
    for (const suffix of ['', '-wal', '-shm']) fs.rmSync(path + suffix, { force: true });
  }
});
