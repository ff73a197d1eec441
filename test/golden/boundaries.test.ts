/**
 * A log over several versions of the rules: the sealed golden log of rules 1 goes on under the rules of now, and then under
 * newer rules that are made up here. Each change of rules is a boundary, whose snapshot belongs to the log.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exportRows } from '../../src/archive/export.ts';
import { ControlClient } from '../../src/client/control.ts';
import { ARCHIVE_FILE } from '../../src/engine/identity/manifest.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import { readSnapshot } from '../../src/engine/replay/snapshots.ts';
import { LogDamaged, RulesMismatch } from '../../src/log/contract/command-log.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { snapshotName } from '../../src/log/shared/segments.ts';
import { reportOf } from '../../src/report/report.ts';
import { type RunningVenue, type StartOptions, start } from '../../src/start.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { Client } from '../support/client.ts';
import { snapshotFiles, snapshotsOn } from '../support/storage.ts';
import { STARTED_ON_GOLDEN } from './golden.ts';

const scratch = mkdtempSync(join(tmpdir(), 'bourse-boundaries-'));
after(() => rmSync(scratch, { recursive: true }));
const SEALED = fileURLToPath(new URL('rules-1/sealed', import.meta.url));
/** The last command of rules 1. */
const BOUNDARY = 336;
const HOUR_MS = 3_600_000;
const NOW = String(RULES_VERSION);
const MADE_UP = String(RULES_VERSION + 1);

interface Rig {
  readonly running: RunningVenue;
  readonly control: ControlClient;
  readonly alice: Client;
  readonly notices: string[];
}

function folderOf(name: string, from = SEALED): string {
  const folder = join(scratch, name);
  cpSync(from, folder, { recursive: true });
  return folder;
}

async function open(data: string, options: Partial<StartOptions> = {}): Promise<Rig> {
  const notices: string[] = [];
  const running = await start({
    data,
    ...STARTED_ON_GOLDEN,
    notice: (text) => notices.push(text),
    ...options,
  });
  const control = new ControlClient({ url: running.control, token: running.controlToken });
  const alice = new Client(running.http, { key: 'alice-key', secret: 'alice-secret' });
  return { running, control, alice, notices };
}

/** An hour of trading, and a snapshot behind it; gives the id of an order that was cancelled, and the snapshot's seq. */
async function trade({ control, alice }: Rig): Promise<{ orderId: string; seq: number }> {
  const terms = { orderType: 'LIMIT', orderSide: 'BUY', orderPrice: 80, orderSize: 0.1 };
  const placed = await alice.spot({ symbol: 'BTC-USDT', ...terms });
  assert.equal(placed.status, 200, placed.text);
  await control.advance(HOUR_MS);
  const { seq } = (await control.request('POST', '/snapshot')) as { seq: number };
  return { orderId: placed.body[0].orderId, seq };
}

/** One life under these rules, with so many snapshots. */
async function life(folder: string, rules: string, snapshots: number): Promise<void> {
  const rig = await open(folder, { rules });
  for (let n = 0; n < snapshots; n += 1) await trade(rig);
  await rig.running.stop();
}

/** Seq and rules of each snapshot that is there, oldest first. */
async function snapshotsIn(folder: string): Promise<{ seq: number; rules: string; hash: string }[]> {
  const store = snapshotsOn(folder);
  const found = [];
  for (const { seq } of await store.list()) found.unshift((await readSnapshot(store, seq))!.head);
  return found.map(({ seq, rules, hash }) => ({ seq, rules, hash }));
}

function startRecords(folder: string) {
  return [...readEntries(new RealDisk(folder))].filter(({ kind }) => kind === 'start');
}

/** What the three lives leave: rules 1 to seq 336, the rules of now twice, made-up ones twice. */
let lived: Promise<string> | undefined;
function threeVersions(): Promise<string> {
  lived ??= (async () => {
    const folder = folderOf('three-versions');
    await life(folder, NOW, 4);
    await life(folder, NOW, 1);
    await life(folder, MADE_UP, 4);
    await life(folder, MADE_UP, 0);
    return folder;
  })();
  return lived;
}

test('each change of rules keeps the snapshot of its boundary, however many snapshots come after', async () => {
  const kept = await snapshotsIn(await threeVersions());
  assert.deepEqual(
    kept.map(({ rules }) => rules),
    ['1', NOW, MADE_UP, MADE_UP],
  );
  assert.equal(kept[0].seq, BOUNDARY);
});

test('the start record behind a boundary says its seq, its hash and the rules that made it', async () => {
  const folder = await threeVersions();
  const [first, second] = await snapshotsIn(folder);
  const begun = startRecords(folder)
    .filter(({ rulesVersion, began }) => began?.snapshot?.rules !== undefined && rulesVersion !== undefined)
    .map(({ rulesVersion, began }) => ({ by: rulesVersion, ...began?.snapshot }));
  assert.deepEqual(begun, [
    { by: NOW, ...first },
    { by: MADE_UP, ...second },
  ]);
});

test('a log of three versions verifies, and says of each which part it has not applied', async () => {
  const folder = await threeVersions();
  const [first, second, , last] = await snapshotsIn(folder);
  const part = (rules: string, from: number, to: number) =>
    `not re-run: rules ${rules}, seq ${from} to ${to}; every frame is intact and in its place, ` +
    `${snapshotName(to)} holds its end`;
  const byLast = await verify(folder, { rules: MADE_UP });
  assert.deepEqual(byLast.notRerun, [part('1', 1, first.seq), part(NOW, first.seq + 1, second.seq)]);
  assert.deepEqual([byLast.seq, byLast.hash], [last.seq, last.hash]);
  // Each version applies its own part, and knows the hash of the end by what its successor wrote down.
  const byNow = await verify(folder);
  assert.deepEqual(byNow.notRerun, [part('1', 1, first.seq), part(MADE_UP, second.seq + 1, last.seq)]);
  assert.deepEqual([byNow.seq, byNow.hash], [last.seq, last.hash]);
  assert.equal((await replay(folder, { rules: MADE_UP })).hash, last.hash);
});

test('without its newer snapshots the log goes on from the boundary to the same state', async () => {
  const folder = folderOf('from-boundary', await threeVersions());
  const all = await snapshotsIn(folder);
  for (const { seq, rules } of all) if (rules === MADE_UP) rmSync(join(folder, snapshotName(seq)));
  const rig = await open(folder, { rules: MADE_UP });
  assert.equal(rig.running.engine.stateHash(), all[3].hash);
  await rig.running.stop();
});

test('without the snapshot of the boundary a start says which one it needs, and where it comes from', async () => {
  const folder = folderOf('no-boundary', await threeVersions());
  const [, second] = await snapshotsIn(folder);
  for (const file of snapshotFiles(new RealDisk(folder))) {
    if (file !== snapshotName(BOUNDARY)) rmSync(join(folder, file));
  }
  const refused = new RegExp(
    `written under rules ${NOW}, this version applies rules ${MADE_UP}; it continues from the snapshot at seq ` +
      `${second.seq} \\(state hash ${second.hash}\\), which is missing: put that snapshot back from a backup`,
  );
  const isRefused = (error: unknown) => error instanceof RulesMismatch && refused.test(error.message);
  await assert.rejects(open(folder, { rules: MADE_UP }), isRefused);
  await assert.rejects(verify(folder, { rules: MADE_UP }), isRefused);
});

test('a snapshot of a boundary that does not have the hash of the start record is refused by verify', async () => {
  const folder = folderOf('other-boundary', await threeVersions());
  const store = snapshotsOn(folder);
  const snapshot = (await readSnapshot(store, BOUNDARY))!;
  await store.write({ ...snapshot.head, hash: '0'.repeat(64) } as typeof snapshot.head, String(snapshot.text));
  await assert.rejects(verify(folder, { rules: MADE_UP }), /the state at seq 336 has the hash/);
});

test('a snapshot where the rules have just changed does not take the place of the boundary', async () => {
  const folder = folderOf('not-replaced');
  const before = readFileSync(join(folder, snapshotName(BOUNDARY)));
  const rig = await open(folder);
  const { seq } = (await rig.control.request('POST', '/snapshot')) as { seq: number };
  assert.equal(seq, BOUNDARY);
  await rig.running.stop();
  assert.ok(readFileSync(join(folder, snapshotName(BOUNDARY))).equals(before));
  // Nothing came since, so a third version begins from the same snapshot; two versions may hash one state in two ways.
  const again = await open(folder, { rules: MADE_UP });
  await trade(again);
  await again.running.stop();
  assert.equal((await verify(folder, { rules: MADE_UP })).ok, true);
});

test('the way back: a version that made no command leaves no trace in what is verified, replayed and reported', async () => {
  const folder = folderOf('back', fileURLToPath(new URL(`rules-${NOW}/sealed`, import.meta.url)));
  const killed = folderOf('back-killed', folder);
  const newer = await open(folder, { rules: MADE_UP });
  cpSync(folder, killed, { recursive: true });
  await newer.running.stop();
  for (const back of [folder, killed]) {
    const rig = await open(back);
    for (let n = 0; n < 4; n += 1) await trade(rig);
    const { seq } = rig.running.engine.venue;
    const hash = rig.running.engine.stateHash();
    await rig.running.stop();
    await life(back, NOW, 0);
    const verified = await verify(back);
    assert.deepEqual([verified.seq, verified.hash, verified.notRerun], [seq, hash, undefined]);
    assert.equal((await replay(back)).hash, hash);
    assert.equal((await reportOf(back)).seq, seq);
  }
});

test('the archive is kept over a boundary: it knows every fill of the version before', async () => {
  const folder = folderOf('kept', fileURLToPath(new URL(`rules-${NOW}/sealed`, import.meta.url)));
  const before = await open(folder);
  await trade(before);
  await before.running.stop();
  const fills = await exported(folder);
  assert.ok(fills.rows > 50 && fills.notices.length === 0, JSON.stringify(fills));
  const rig = await open(folder, { rules: MADE_UP });
  await trade(rig);
  const health = (await rig.control.request('GET', '/health')) as { archiveKnownFromSeq?: number };
  assert.equal(health.archiveKnownFromSeq, undefined);
  const trades = await rig.alice.call('GET', '/spot/api/v4/trade/trade_history', { query: { symbol: 'BTC-USDT' } });
  assert.deepEqual([trades.status, trades.headers.get('bourse-known-from-seq')], [200, null]);
  await rig.running.stop();
  assert.deepEqual(await exported(folder), fills);
});

test('where only the log is left, the archive begins at the boundary, and look-ups, trades and exports say so', async () => {
  const folder = folderOf('late');
  const rig = await open(folder);
  const { orderId } = await trade(rig);
  const knownFromSeq = BOUNDARY + 1;
  const found = (await rig.control.request('GET', `/orders/${orderId}`)) as { knownFromSeq: number };
  assert.equal(found.knownFromSeq, knownFromSeq);
  const early = rig.running.engine.venue.orderIds.encode(1);
  await assert.rejects(rig.control.request('GET', `/orders/${early}`), /the known history, which begins at seq 337/);
  const { archiveKnownFromSeq } = (await rig.control.request('GET', '/health')) as { archiveKnownFromSeq: number };
  assert.equal(archiveKnownFromSeq, knownFromSeq);
  const trades = await rig.alice.call('GET', '/spot/api/v4/trade/trade_history', { query: { symbol: 'BTC-USDT' } });
  assert.deepEqual([trades.status, trades.headers.get('bourse-known-from-seq')], [200, String(knownFromSeq)]);
  await rig.running.stop();
  const { notices } = await exported(folder);
  assert.match(notices.join(), /known from seq 337 on/);
});

test('an archive that the log cannot give again is kept aside when it has to be made anew', async () => {
  const folder = folderOf('aside', fileURLToPath(new URL(`rules-${NOW}/sealed`, import.meta.url)));
  const before = await open(folder);
  await trade(before);
  const boundary = before.running.engine.venue.seq;
  await before.running.stop();
  const path = join(folder, ARCHIVE_FILE);
  const bytes = readFileSync(path);
  bytes[3] ^= 1;
  writeFileSync(path, bytes);
  const rig = await open(folder, { rules: MADE_UP });
  const { orderId } = await trade(rig);
  const found = (await rig.control.request('GET', `/orders/${orderId}`)) as { knownFromSeq: number };
  assert.equal(found.knownFromSeq, boundary + 1);
  await rig.running.stop();
  assert.ok(rig.notices.some((text) => text.startsWith(`the old archive is kept as ${ARCHIVE_FILE}.replaced`)));
  assert.ok(readFileSync(`${path}.replaced`).equals(bytes));
  // The archive of a backup from behind the boundary may come back: what came since is added from the log.
  bytes[3] ^= 1;
  for (const name of readdirSync(folder)) if (name.startsWith(`${ARCHIVE_FILE}-`)) rmSync(join(folder, name));
  writeFileSync(path, bytes);
  const again = await open(folder, { rules: MADE_UP });
  const { knownFromSeq, events } = (await again.control.request('GET', `/orders/${orderId}`)) as {
    knownFromSeq?: number;
    events: object[];
  };
  assert.deepEqual([knownFromSeq, events.length > 0], [undefined, true]);
  await again.running.stop();
});

test('an archive that ends before the boundary is no archive of what follows: it is kept aside', async () => {
  const folder = folderOf('gap', fileURLToPath(new URL(`rules-${NOW}/sealed`, import.meta.url)));
  const before = await open(folder);
  await trade(before);
  await before.running.stop();
  const early = readFileSync(join(folder, ARCHIVE_FILE));
  const more = await open(folder);
  await trade(more);
  await more.running.stop();
  writeFileSync(join(folder, ARCHIVE_FILE), early);
  const rig = await open(folder, { rules: MADE_UP });
  await trade(rig);
  const { archiveKnownFromSeq } = (await rig.control.request('GET', '/health')) as { archiveKnownFromSeq: number };
  assert.ok(archiveKnownFromSeq > BOUNDARY);
  await rig.running.stop();
  assert.ok(existsSync(join(folder, `${ARCHIVE_FILE}.replaced`)));
});

test('a damaged byte in what other rules made is found by its place in the chain', async () => {
  const folder = folderOf('damaged', await threeVersions());
  const file = join(folder, '00000002.log');
  const bytes = readFileSync(file);
  bytes[2000] ^= 1;
  writeFileSync(file, bytes);
  await assert.rejects(verify(folder, { rules: MADE_UP }), (error: unknown) => {
    return error instanceof LogDamaged && error.place.startsWith('00000002.log');
  });
});

async function exported(folder: string): Promise<{ rows: number; notices: string[] }> {
  const notices: string[] = [];
  const rows = await exportRows(folder, {
    what: 'fills',
    format: 'csv',
    write: async () => {},
    onNotice: (text) => notices.push(text),
  });
  return { rows, notices };
}
