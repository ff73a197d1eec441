/**
 * An archive of the previous layout (format 8) is converted: every answer stays the same, byte by byte, and it
 * holds what one that is built from the log does.
 *
 * `format-8/` has the archive of such a version, the commands that it was made of, and what that version answered.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { FolderArchive } from '../../src/archive/archive.ts';
import { ArchiveDamaged } from '../../src/archive/store/errors.ts';
import { isOlder, migrate } from '../../src/archive/store/older.ts';
import { ArchiveFile } from '../../src/archive/store/place.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { SET_BACK } from '../../src/archive/store/stored-orders.ts';
import type { Row } from '../../src/archive/store/tables.ts';
import { archiveWitness } from '../../src/archive/store/witness.ts';
import { ARCHIVE_FILE } from '../../src/engine/identity/manifest.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { FileLog } from '../../src/log/file/file-log.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { START_MS } from '../venue/support.ts';
import { answersOf } from './answers.ts';
import { dump, projected } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-older-'));
after(() => fs.rmSync(root, { recursive: true }));

function stored(name: string): Buffer {
  return gunzipSync(fs.readFileSync(new URL(`format-8/${name}.gz`, import.meta.url)));
}

const log = JSON.parse(stored('log.json').toString()) as string[];
const answers = JSON.parse(stored('answers.json').toString()) as Record<string, string>;
const { idKey } = JSON.parse(log[0]) as { idKey: string };

let folders = 0;
/** A folder with the older archive. */
function folderOfOlder(): { folder: string; path: string } {
  folders += 1;
  const folder = join(root, String(folders));
  fs.mkdirSync(folder);
  const path = join(folder, ARCHIVE_FILE);
  fs.writeFileSync(path, stored('archive.db'));
  return { folder, path };
}

/** What events say since format 9, and which figures they have beyond those of an ending. */
const ADDED = [
  'by',
  'due',
  'from',
  'equity',
  'maintenance',
  'currency',
  'last',
  'index',
  'mark',
  'trigger',
  'realised',
];
const FIGURES = [
  'part',
  'parts',
  'sibling',
  'taker',
  'maker',
  'extreme',
  'reference',
  'seen',
  'trigger',
  'price',
  'size',
  'index',
];

/** An order of a branch that was left had only a flag. */
function flagged<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, part) => {
    if (part?.left?.by === undefined) return part;
    const { left: __, ...order } = part;
    return { ...order, leftBranch: true };
  });
}

/** A value as it was before events said what caused them, and the prices of then. */
function asBefore<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, part) => {
    // A trade had neither its place in the archive, nor its command, nor what a liquidation shows.
    if (part?.order?.orderKey !== undefined) for (const name of ['n', 'seq', 'liquidation']) delete part[name];
    if (typeof part?.type !== 'string' || typeof part.time !== 'number' || part.type === 'accepted') {
      if (part?.type === 'accepted') for (const name of ['by', 'due', 'last', 'index', 'mark']) delete part[name];
      return part;
    }
    for (const name of ADDED) delete part[name];
    if (part.figures !== undefined && part.reason === undefined) delete part.figures;
    else for (const name of FIGURES) delete part.figures?.[name];
    if (part.figures !== undefined && Object.keys(part.figures).length === 0) delete part.figures;
    return part;
  });
}

function answersBefore(found: Record<string, string>): Record<string, string> {
  const text = (answer: string) =>
    answer === 'nothing' ? answer : JSON.stringify(flagged(asBefore(JSON.parse(answer))));
  return Object.fromEntries(Object.entries(found).map(([question, answer]) => [question, text(answer)]));
}

/** All rows, as if no reset had turned a clock back. */
function notSetBack(store: ArchiveStore): Record<string, Row[]> {
  const { orders, unfilled, ...others } = dump(store);
  const setBackMs = new Map(orders.map((row) => [row[0], row[SET_BACK] as number]));
  const ends = unfilled.map(([endedMs, key]): Row => [(endedMs as number) - (setBackMs.get(key) ?? 0), key]);
  return { ...others, orders: orders.map((row) => row.with(SET_BACK, 0)), unfilled: ends.sort() };
}

test('an older archive answers as before once it has the present layout, and so does one that is built from the log', () => {
  const { folder, path } = folderOfOlder();
  const expected = projected(log);
  assert.deepEqual(answersBefore(answersOf(expected.store, expected.venue.orderIds)), answers);
  assert.equal(archiveWitness(folder)?.seq, log.length);
  const shares = [...(new ArchiveFile(folder).migration(idKey, true) ?? [])];
  assert.ok(shares.every((share, i) => share >= (shares[i - 1] ?? 0) && share <= 1));
  assert.deepEqual(fs.readdirSync(folder), [ARCHIVE_FILE]);
  assert.equal(isOlder(path), false);
  const store = new ArchiveStore(path);
  assert.deepEqual(answersBefore(answersOf(store, expected.venue.orderIds)), answers);
  assert.deepEqual(asBefore(notSetBack(store)), asBefore(notSetBack(expected.store)));
  // It kept neither what was left, nor how far a clock was turned back.
  const { names: _, branches, setBackMs, ...state } = store.state;
  const { names: __, branches: kept = [], setBackMs: ___, ...expectedState } = expected.store.state;
  assert.equal(setBackMs, 0);
  assert.deepEqual([branches, kept.length > 0], [undefined, true]);
  assert.deepEqual(state, expectedState);
  store.close();
  assert.ok(fs.statSync(path).size < stored('archive.db').length);
});

test('without the key of the order ids, which are then stored as they are, the answers are the same', () => {
  const { path } = folderOfOlder();
  for (const _ of migrate(path, undefined));
  const { venue } = projected(log);
  const store = new ArchiveStore(path);
  assert.deepEqual(answersBefore(answersOf(store, venue.orderIds)), answers);
  store.close();
});

test('a migration that is ended anywhere leaves the older archive as it was', () => {
  const { folder, path } = folderOfOlder();
  const steps = [...migrate(path, idKey)].length;
  for (let end = 0; end < steps; end += 3) {
    const { folder, path } = folderOfOlder();
    const migration = migrate(path, idKey);
    for (let step = 0; step <= end; step += 1) migration.next();
    migration.return(undefined);
    assert.deepEqual(fs.readdirSync(folder), [ARCHIVE_FILE]);
    assert.deepEqual(fs.readFileSync(path), stored('archive.db'));
  }
  assert.deepEqual(fs.readdirSync(folder), [ARCHIVE_FILE]);
});

test('what an ended process left of a migration does not count', () => {
  const { path } = folderOfOlder();
  fs.writeFileSync(`${path}.new`, 'the beginning of an archive');
  for (const _ of migrate(path, idKey));
  new ArchiveStore(path).close();
  assert.equal(fs.existsSync(`${path}.new`), false);
});

test('damage in an older archive is found, and no damaged row gets into a new one', () => {
  const damages = [
    `UPDATE orders SET price = '1' WHERE orderKey = (SELECT max(orderKey) FROM orders)`,
    'DELETE FROM orders WHERE orderKey = (SELECT min(orderKey) FROM orders)',
    'DELETE FROM order_events WHERE seq = (SELECT min(seq) FROM order_events)',
    'DELETE FROM fills WHERE n = (SELECT max(n) FROM fills)',
    `UPDATE accounts SET name = 'carol' WHERE account = 1`,
    'DROP TABLE candles',
  ];
  for (const damage of damages) {
    const { path } = folderOfOlder();
    const database = new DatabaseSync(path);
    database.exec(damage);
    database.close();
    assert.throws(() => [...migrate(path, idKey)], ArchiveDamaged, damage);
    assert.equal(fs.existsSync(`${path}.new`), false);
  }
});

/** How long a slow machine may take. */
const WITHIN_MS = 120_000;

/** An archive that follows the log of the folder, when it has reached its end. */
async function openArchive(folder: string): Promise<{ archive: FolderArchive; notices: string[] }> {
  const notices: string[] = [];
  const archive = new FolderArchive({ folder, seq: log.length, idKey, onNotice: (text) => notices.push(text) });
  const begun = performance.now();
  while (archive.seq < log.length) {
    assert.ok(performance.now() - begun < WITHIN_MS, notices.join());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { archive, notices };
}

/** Writes the log of the commands, and its end into the older archive, as if a venue had both. */
async function writeLog(folder: string, path: string): Promise<void> {
  const writer = await FileLog.open(new RealDisk(folder), { rulesVersion: String(RULES_VERSION) });
  for (const [i, text] of log.entries()) {
    await writer.append({ firstSeq: i + 1, timeMs: START_MS, commands: encodeCommands([JSON.parse(text)]) });
  }
  await writer.close();
  const database = new DatabaseSync(path);
  const { value } = database.prepare(`SELECT value FROM meta WHERE name = 'state'`).get() as { value: string };
  const state = JSON.stringify({ ...JSON.parse(value), position: writer.position });
  database.prepare(`UPDATE meta SET value = ?, sum = ? WHERE name = 'state'`).run(state, hash('sha256', state, 'hex'));
  database.close();
}

test('the archive of a running venue is brought into the present layout, and then answers', async () => {
  const { folder, path } = folderOfOlder();
  await writeLog(folder, path);
  const { archive, notices } = await openArchive(folder);
  const { venue } = projected(log);
  for (const [question, answer] of Object.entries(answers).filter(([question]) => question.startsWith('order '))) {
    const found = await archive.order(venue.orderIds.decode(question.slice('order '.length)));
    assert.equal(JSON.stringify(flagged(found)), answer);
  }
  await archive.close();
  assert.equal(isOlder(path), false);
  assert.ok(notices.includes('the archive has the layout of this version'), notices.join());
  assert.ok(!notices.some((text) => text.includes('rebuilt')), notices.join());
});

test('a damaged older archive is rebuilt from the log', async () => {
  const { folder, path } = folderOfOlder();
  const database = new DatabaseSync(path);
  database.exec('DELETE FROM fills WHERE n = (SELECT max(n) FROM fills)');
  database.close();
  await writeLog(folder, path);
  const { archive, notices } = await openArchive(folder);
  const orders = Object.keys(answers).filter((question) => question.startsWith('order '));
  const { venue } = projected(log);
  const last = orders[orders.length - 1];
  const found = await archive.order(venue.orderIds.decode(last.slice('order '.length)));
  assert.equal(JSON.stringify(asBefore(found)), answers[last]);
  await archive.close();
  assert.ok(
    notices.some((text) => text.includes('the archive is rebuilt from the log')),
    notices.join(),
  );
});
