/**
 * Half a backup, or a folder mixed from two: the log is older than the archive, or a part belongs to another venue.
 * Each is refused with what it is and what to do.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ControlClient } from '../../src/client/control.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { ARCHIVE_FILE, MANIFEST_FILE } from '../../src/engine/identity/manifest.ts';
import { verify } from '../../src/engine/replay/inspect.ts';
import { startVenue } from '../../src/index.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { type RunningVenue, type StartOptions, start } from '../../src/start.ts';
import { STARTED_BY_TEST } from '../support/started.ts';
import { snapshotFiles } from '../support/storage.ts';

const scratch = mkdtempSync(join(tmpdir(), 'bourse-parts-'));
after(() => rmSync(scratch, { recursive: true }));
const SEGMENT_BYTES = 16 * 1024;

interface Rig {
  readonly running: RunningVenue;
  readonly control: ControlClient;
  readonly notices: string[];
}

async function open(data: string, options: Partial<StartOptions> = {}): Promise<Rig> {
  const notices: string[] = [];
  const running = await start({
    ...STARTED_BY_TEST,
    configuration: readConfiguration({ accounts: [{ name: 'alice', balances: { USDT: 1000 }, keys: [] }] }),
    data,
    masterKeys: ['2'.repeat(64)],
    segmentBytes: SEGMENT_BYTES,
    clock: 'manual',
    seed: 1,
    notice: (text) => notices.push(text),
    ...options,
  });
  return { running, notices, control: new ControlClient({ url: running.control, token: running.controlToken }) };
}

/** Makes deposits, and then a snapshot. */
async function use({ control }: Rig, deposits: number): Promise<number> {
  for (let n = 0; n < deposits; n += 1) await control.deposit('alice', 'USDT', 1);
  return ((await control.request('POST', '/snapshot')) as { seq: number }).seq;
}

/** A folder of a venue that was used and stopped. */
async function used(name: string, deposits = 40): Promise<string> {
  const folder = join(scratch, name);
  const rig = await open(folder);
  await use(rig, deposits);
  await rig.running.stop();
  return folder;
}

function copyOf(folder: string, name: string): string {
  const copy = join(scratch, name);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

function take(file: string, from: string, to: string): void {
  copyFileSync(join(from, file), join(to, file));
}

function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder)
    .filter((name) => !/^lock|^control-token|-wal$|-shm$/.test(name))
    .map((name) => [name, readFileSync(join(folder, name))] as const);
  // A spare segment is still empty.
  const used = files.filter(([, bytes]) => bytes.some((byte) => byte !== 0));
  return Object.fromEntries(used.map(([name, bytes]) => [name, hash('sha256', bytes, 'hex')]));
}

function idIn(folder: string): string {
  return JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8')).venueId;
}

let one: string;
let other: string;
before(async () => {
  one = await used('one');
  other = await used('other', 70);
});

/** An older copy of the log and everything that matches it, beside the archive of a later day. */
async function withLoss(name: string): Promise<{ folder: string; last: number; reached: number }> {
  const folder = copyOf(one, name);
  const later = copyOf(one, `${name}-later`);
  const rig = await open(later);
  const reached = await use(rig, 5);
  await rig.running.stop();
  take(ARCHIVE_FILE, later, folder);
  return { folder, last: reached - 5, reached };
}

test('a log that the archive proves to have lost commands is refused, with the way on, and nothing is changed', async () => {
  const { folder, last, reached } = await withLoss('loss');
  const was = contents(folder);
  const message =
    `the command log ends at seq ${last}, and archive.db reaches seq ${reached}: 5 commands that were acknowledged are ` +
    `missing. Put back the matching log. To go on without those commands, start once with --accept-loss-from ${last + 1}`;
  await assert.rejects(open(folder), { name: 'LossRefused', message });
  assert.deepEqual(contents(folder), was);
});

test('a loss is accepted by its first seq alone: another number is refused with the right one', async () => {
  const { folder, last } = await withLoss('wrong-number');
  for (const acceptLossFrom of [last, last + 2, 1]) {
    const message = new RegExp(`--accept-loss-from ${acceptLossFrom} must be ${last + 1}`);
    await assert.rejects(open(folder, { acceptLossFrom }), message);
  }
});

test('an accepted loss is in the start record and in verify, the newer archive is kept, and the word counts for one start', async () => {
  const { folder, last, reached } = await withLoss('accepted');
  const newer = readFileSync(join(folder, ARCHIVE_FILE));
  const rig = await open(folder, { acceptLossFrom: last + 1 });
  const aside = `${ARCHIVE_FILE}.lost-${last + 1}-${reached}`;
  assert.ok(rig.notices.some((text) => text.includes(`is kept as ${aside}`)));
  await use(rig, 1);
  await rig.running.stop();
  assert.ok(readFileSync(join(folder, aside)).equals(newer));
  const lost = { fromSeq: last + 1, upToSeq: reached, knownBy: ARCHIVE_FILE };
  const records = [...readEntries(new RealDisk(folder))].filter(({ kind }) => kind === 'start');
  assert.deepEqual(records.at(-1)?.began?.lost, lost);
  assert.match((await verify(folder)).lost?.join() ?? '', new RegExp(`^lost: seq ${last + 1} to ${reached}`));
  const message = `nothing is lost: the command log ends at seq ${last + 1}. Start without --accept-loss-from`;
  await assert.rejects(open(folder, { acceptLossFrom: last + 1 }), { message });
  await (await open(folder)).running.stop();
});

test('a log that lost its end and is longer again rebuilds the archive, and keeps the one that knows what was lost', async () => {
  const { folder, last, reached } = await withLoss('longer-again');
  const newer = readFileSync(join(folder, ARCHIVE_FILE));
  rmSync(join(folder, ARCHIVE_FILE));
  const elsewhere = await open(folder);
  await elsewhere.control.deposit('alice', 'USDT', 2);
  await use(elsewhere, reached - last + 5);
  await elsewhere.running.stop();
  writeFileSync(join(folder, ARCHIVE_FILE), newer);
  const rig = await open(folder);
  await use(rig, 1);
  await rig.running.stop();
  const told = rig.notices.filter((text) => text.includes('archive')).join('\n');
  assert.match(told, /rebuilt from the log: its last record is not in this log/);
  assert.match(told, /kept as archive\.db\.lost, because it may hold commands that the log has lost/);
  assert.ok(readFileSync(join(folder, `${ARCHIVE_FILE}.lost`)).equals(newer));
});

test('log, bourse.json, snapshots and archive carry one random id, which is in no state hash', async () => {
  const id = idIn(one);
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.notEqual(id, idIn(other), 'the same seed is another venue all the same');
  const [first] = readEntries(new RealDisk(one));
  assert.equal(first.began?.venueId, id);
  const [file] = snapshotFiles(new RealDisk(one));
  assert.equal(JSON.parse(readFileSync(join(one, file), 'utf8').split('\n')[0]).venueId, id);
  const again = copyOf(one, 'same-hash');
  const [a, b] = [await open(one), await open(again, { venueId: 'f'.repeat(32) })];
  assert.equal(a.running.engine.stateHash(), b.running.engine.stateHash());
  assert.equal(b.running.engine.venueId, id, 'a copy, as a restored backup, keeps the id');
  await a.running.stop();
  await b.running.stop();
});

test('startVenue derives the id from the seed', async () => {
  const ids: string[] = [];
  for (const [name, seed] of [
    ['a', 5],
    ['b', 5],
    ['c', 6],
  ] as const) {
    const data = join(scratch, `seeded-${name}`);
    const venue = await startVenue({ data, seed, masterKeyFile: join(scratch, 'keys', 'master.key') });
    await venue.close();
    ids.push(idIn(data));
  }
  assert.deepEqual([ids[0] === ids[1], ids[0] === ids[2]], [true, false]);
});

/** `parts` of the other venue in a copy of this one. */
function mixed(name: string, parts: readonly string[]): string {
  const folder = copyOf(one, name);
  for (const file of parts) take(file, other, folder);
  return folder;
}

test("another venue's bourse.json, archive, snapshot and log are refused by name", async () => {
  const [own, foreign] = [idIn(one), idIn(other)];
  const [snapshot] = snapshotFiles(new RealDisk(other));
  const logs = readdirSync(other).filter((name) => name.endsWith('.log'));
  const cases: [name: string, parts: readonly string[]][] = [
    [MANIFEST_FILE, [MANIFEST_FILE]],
    [ARCHIVE_FILE, [ARCHIVE_FILE]],
    [snapshot, [snapshot]],
    ['the command log \\(00000001.log at offset 0\\)', [...logs, 'sealed']],
    ['the command log \\(00000001.log at offset 0\\)', ['00000001.log']],
  ];
  for (const [i, [name, parts]] of cases.entries()) {
    const folder = mixed(`mixed-${i}`, parts);
    const was = contents(folder);
    const message = new RegExp(`^${name} belongs to another venue: its id is ${foreign}, but .* has ${own}\\. Restore`);
    await assert.rejects(open(folder), { name: 'OtherVenue', message }, parts.join());
    assert.deepEqual(contents(folder), was, parts.join());
  }
});

test("another venue's later segment is refused by its file", async () => {
  const logs = readdirSync(one).filter((name) => name.endsWith('.log'));
  assert.ok(logs.length > 1);
  const folder = mixed('segment', ['00000002.log']);
  await assert.rejects(
    open(folder),
    /00000002\.log at offset \d+: .* the log is behind its own snapshot, or is another log/,
  );
});

test('a folder of a version without ids gets one at its next start, and keeps it', async () => {
  const golden = new URL('../golden/rules-2/sealed', import.meta.url).pathname;
  const folder = copyOf(golden, 'before-ids');
  assert.equal(idIn(folder), undefined);
  const given = { masterKeys: ['601d'.repeat(16)], configuration: undefined, clock: undefined, seed: undefined };
  const rig = await open(folder, given);
  const id = rig.running.engine.venueId;
  await rig.running.stop();
  assert.match(id ?? '', /^[0-9a-f]{32}$/);
  assert.equal(idIn(folder), id);
  const again = await open(folder, given);
  assert.equal(again.running.engine.venueId, id);
  await again.running.stop();
  assert.ok(!existsSync(join(folder, `${ARCHIVE_FILE}.replaced`)));
});
