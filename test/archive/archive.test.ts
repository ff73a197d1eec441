/** The archive beside a running venue: what it answers, what a start makes of a damaged one, and what is said of it. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FolderArchive } from '../../src/archive/archive.ts';
import { ControlClient } from '../../src/client/control.ts';
import { VenueError } from '../../src/client/request.ts';
import { readConfiguration } from '../../src/config/config.ts';
import type { NoticeLevel } from '../../src/engine/contract/notice.ts';
import { ARCHIVE_FILE } from '../../src/engine/identity/manifest.ts';
import { replay } from '../../src/engine/replay/inspect.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { snapshotName } from '../../src/log/shared/segments.ts';
import { type RunningVenue, type StartOptions, start } from '../../src/start.ts';
import { answered, answeredCall } from '../support/answered.ts';
import { Client } from '../support/client.ts';
import { STARTED_BY_TEST } from '../support/started.ts';
import { snapshotFiles } from '../support/storage.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-archive-'));
const opened: RunningVenue[] = [];
after(async () => {
  for (const running of opened) await running.stop();
  fs.rmSync(root, { recursive: true });
});
/** Long, for a machine that does other things as well. */
const WITHIN_MS = 120_000;

const ACCOUNTS = ['alice', 'bob'].map((name) => ({
  name,
  balances: { USDT: 1_000_000, BTC: 100 },
  keys: [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read' as const, 'trading' as const] }],
}));

const LIMIT_BUY = {
  symbol: 'BTC-USDT',
  orderType: 'LIMIT',
  orderPrice: 95_000,
  orderSide: 'BUY',
  orderSize: 0.01,
};

interface Rig {
  readonly running: RunningVenue;
  readonly notices: string[];
  /** The level of each notice. */
  readonly levels: Map<string, NoticeLevel | undefined>;
  readonly control: ControlClient;
  readonly alice: Client;
  readonly bob: Client;
}

async function open(data: string | null, more: Partial<StartOptions> = {}): Promise<Rig> {
  const notices: string[] = [];
  const levels = new Map<string, NoticeLevel | undefined>();
  const running = await start({
    ...STARTED_BY_TEST,
    configuration: readConfiguration({ accounts: ACCOUNTS }),
    data,
    masterKeys: ['1'.repeat(64)],
    segmentBytes: 65_536,
    clock: 'manual',
    seed: 1,
    notice: (text, level) => {
      notices.push(text);
      levels.set(text, level);
    },
    ...more,
  });
  opened.push(running);
  const client = (name: string) => new Client(running.http, { key: `${name}-key`, secret: `${name}-secret` });
  const control = new ControlClient({ url: running.control, token: running.controlToken });
  return { running, notices, levels, control, alice: client('alice'), bob: client('bob') };
}

async function trade({ control, alice, bob }: Rig): Promise<string> {
  await control.setPrices('BTC-USDT', { index: 100_000 });
  const limit = { symbol: 'BTC-USDT', orderType: 'LIMIT', orderPrice: 95_000 };
  const placed = await alice.spot({ ...limit, orderSide: 'BUY', orderSize: 0.01, clOrderId: 'mine' });
  assert.equal(placed.status, 200, placed.text);
  await bob.spot({ ...limit, orderSide: 'SELL', orderSize: 0.004 });
  await alice.cancelSpot({ clOrderId: 'mine' });
  return placed.body[0].orderId;
}

type History = { order: Record<string, unknown>; events: { seq: number; time: number; type: string }[] };

function history({ control }: Rig, orderId: string): Promise<History> {
  return answered(() => control.request('GET', `/orders/${orderId}`) as Promise<History>);
}

interface Health {
  readonly ready: boolean;
  readonly reasons: string[];
  readonly history?: { readonly state: string };
}

/** Ready or not. */
async function healthOf({ control }: Rig): Promise<Health> {
  try {
    return (await control.request('GET', '/health')) as Health;
  } catch (error) {
    if (error instanceof VenueError && error.status === 503) return error.body as Health;
    throw error;
  }
}

/** Resolves when what is asked for is true. */
async function until(what: string, met: () => boolean | Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await met())) {
    assert.ok(performance.now() - begun < WITHIN_MS, `still waiting: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

for (const where of ['on a folder', 'in memory']) {
  test(`an order is found with its whole history as soon as its reply is there (${where})`, async () => {
    const rig = await open(where === 'in memory' ? null : join(root, 'found'));
    const orderId = await trade(rig);
    const found = await history(rig, orderId);
    const { order, events } = found;
    assert.deepEqual(
      [order.orderId, order.account, order.clientId, order.state, order.filled, order.postOnly],
      [orderId, 'alice', 'mine', 'cancelled', '0.004', false],
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['accepted', 'rested', 'traded', 'filled', 'ended'],
    );
    assert.equal(events.at(-1)?.seq, rig.running.engine.venue.seq);
    for (const unknown of ['0'.repeat(36), 'x', orderId.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))]) {
      await assert.rejects(history(rig, unknown), /there is no order/);
    }
    // The venue forgets it half an hour later, the archive does not.
    await rig.control.advance(31 * 60_000);
    assert.deepEqual(await history(rig, orderId), found);
    await rig.control.reset();
    const left = { at: rig.running.engine.venue.seq, by: 'reset' };
    assert.deepEqual((await history(rig, orderId)).order.left, left);
    await rig.running.stop();
  });
}

test('a snapshot on demand is named, and a restart goes on from it', async () => {
  const folder = join(root, 'snapshot');
  const rig = await open(folder);
  await trade(rig);
  const { seq } = rig.running.engine.venue;
  const written = await rig.control.request('POST', '/snapshot');
  assert.deepEqual(written, { seq, file: `${String(seq).padStart(12, '0')}.snapshot` });
  assert.deepEqual(snapshotFiles(new RealDisk(folder)), [(written as { file: string }).file]);
  const hash = rig.running.engine.stateHash();
  await rig.running.stop();
  const again = await open(folder);
  assert.equal(again.running.engine.stateHash(), hash);
  await again.running.stop();
});

test('snapshots are taken by the length of the log, and two are kept', async () => {
  const folder = join(root, 'length');
  const rig = await open(folder, { snapshotEvery: 3 });
  const orderId = await trade(rig);
  const disk = new RealDisk(folder);
  const taken = new Set<string>();
  for (let n = 0; n < 12; n += 1) {
    await rig.control.setPrices('BTC-USDT', { index: 100_000 + n });
    await history(rig, orderId); // The archive has followed, and taken the snapshot if one was due.
    for (const file of snapshotFiles(disk)) taken.add(file);
  }
  await history(rig, orderId);
  assert.ok(taken.size >= 3, [...taken].join());
  assert.ok(snapshotFiles(disk).length <= 2);
  assert.equal((await replay(folder)).hash, rig.running.engine.stateHash());
  await rig.running.stop();
});

/** Of SQLite's head: above 2 the file must not be written. */
const WRITE_VERSION_AT = 18;

test('an archive that is damaged, cut or lost is rebuilt from the log, with a notice', async () => {
  const folder = join(root, 'damaged');
  const rig = await open(folder);
  const orderId = await trade(rig);
  const expected = await history(rig, orderId);
  await rig.running.stop();
  const path = join(folder, ARCHIVE_FILE);
  const sound = fs.readFileSync(path);
  const [name, row] = [sound.indexOf('cancelledByClient'), sound.indexOf('mine')];
  assert.ok(name > 0 && row > 0);
  const changed = (change: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(sound);
    change(bytes);
    return bytes;
  };
  const damages: [string, Buffer | null, RegExp | null][] = [
    ['nothing', sound, null],
    [
      'a flipped bit in a row',
      changed((bytes) => bytes.writeUInt8(bytes[row] ^ 1, row)),
      /does not match its checksum/,
    ],
    ['a flipped bit in a name', changed((bytes) => bytes.writeUInt8(bytes[name] ^ 1, name)), /its names are not/],
    ['a flipped bit in the head', changed((bytes) => bytes.writeUInt8(bytes[3] ^ 1, 3)), /not a database/],
    [
      'a flipped bit in the head that forbids writing',
      changed((bytes) => bytes.writeUInt8(bytes[WRITE_VERSION_AT] ^ 16, WRITE_VERSION_AT)),
      /readonly database/,
    ],
    ['cut', sound.subarray(0, 8192), /malformed|checksum|names/],
    ['lost', null, null],
  ];
  for (const [what, content, message] of damages) {
    if (content === null) fs.rmSync(path);
    else fs.writeFileSync(path, content);
    const again = await open(folder);
    assert.deepEqual(await history(again, orderId), expected, what);
    await until(`the check after ${what}`, () => again.notices.some((text) => text.includes('are sound')));
    const remade = again.notices.filter((text) => text.includes('the archive is rebuilt from the log'));
    assert.equal(remade.length, message === null ? 0 : 1, `${what}: ${again.notices}`);
    if (message !== null) assert.match(remade[0], message);
    assert.deepEqual(await history(again, orderId), expected, what);
    await again.running.stop();
  }
});

test('own trades that are more than were asked for keep no snapshot from being taken', async () => {
  const rig = await open(join(root, 'asked'));
  await trade(rig);
  await rig.control.advance(60_000);
  await trade(rig);
  for (const count of [1, 1, 2]) {
    const query = { symbol: 'BTC-USDT', count: String(count) };
    const { status, body } = await answeredCall(() =>
      rig.alice.call('GET', '/spot/api/v4/trade/trade_history', { query }),
    );
    assert.deepEqual([status, body.data.length], [200, count]);
    const { seq } = (await rig.control.request('POST', '/snapshot')) as { seq: number };
    assert.equal(seq, rig.running.engine.venue.seq);
  }
  await rig.running.stop();
});

test('a question that fails by a bug is refused alone, and the archive goes on', async () => {
  const folder = join(root, 'bug');
  const rig = await open(folder);
  const orderId = await trade(rig);
  const orderKey = rig.running.engine.venue.orderIds.decode(orderId);
  await rig.running.stop();
  const { seq } = await replay(folder);
  const archive = new FolderArchive({ folder, seq, onNotice: () => {} });
  const wrong = { type: 'rates', market: 'BTC-USDT', query: undefined } as never;
  await assert.rejects(archive.market(wrong, seq), /could not answer a question \(market\)/);
  assert.equal((await archive.order(orderKey))?.order.orderId, orderId);
  assert.equal(archive.problem, undefined);
  await archive.close();
});

test('an account has at most twenty look-ups waiting, and the others’ are accepted', async () => {
  const folder = join(root, 'many');
  const rig = await open(folder);
  await trade(rig);
  await rig.running.stop();
  const { seq } = await replay(folder);
  const archive = new FolderArchive({ folder, seq, onNotice: () => {} });
  const page = (account: string) => archive.ledger({ account, after: null, limit: 1 });
  const asked = Array.from({ length: 25 }, () => page('alice'));
  const other = page('bob');
  const settled = await Promise.allSettled(asked);
  const refused = settled.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 5);
  assert.match(String((refused[0] as PromiseRejectedResult).reason), /20 look-ups of this account are waiting/);
  assert.equal((await other).entries.length, 1);
  await archive.close();
});

test('an archive in a folder of which all else is gone stops the start', async () => {
  const folder = join(root, 'alone');
  const rig = await open(folder);
  await trade(rig);
  await rig.running.stop();
  for (const name of fs.readdirSync(folder)) if (name !== ARCHIVE_FILE) fs.rmSync(join(folder, name));
  await assert.rejects(open(folder), { name: 'LogDamaged', message: /bourse\.json.* missing beside archive\.db/ });
});

test('what a start did not read is checked after it, and health reports it', async () => {
  const folder = join(root, 'checked');
  const rig = await open(folder);
  await trade(rig);
  await until('the check', async () => (await healthOf(rig)).history?.state === 'sound');
  for (const index of [1, 2, 3, 4]) {
    await rig.control.setPrices('BTC-USDT', { index: 100_000 + index });
    await rig.control.request('POST', '/snapshot');
  }
  assert.equal(snapshotFiles(new RealDisk(folder)).length, 2);
  await rig.control.request('POST', '/snapshot');
  await rig.control.setPrices('BTC-USDT', { index: 100_001 });
  await rig.running.stop();
  // An older snapshot, which no start reads: damaged, it is set aside; of another state than it says, it is damage.
  const disk = new RealDisk(folder);
  const [, older] = snapshotFiles(disk);
  const path = join(folder, older);
  const content = fs.readFileSync(path, 'utf8').slice(0, -65);
  fs.writeFileSync(path, content);
  const mended = await open(folder);
  await until('the check', async () => (await healthOf(mended)).history?.state === 'sound');
  const said = mended.notices.filter((text) => text.startsWith(`a snapshot is damaged: ${older}`));
  assert.deepEqual(
    said.map((text) => [/it was set aside as (\S+);/.exec(text)?.[1], mended.levels.get(text)]),
    [[`${older}.damaged`, 'warn']],
  );
  assert.ok(fs.existsSync(`${path}.damaged`) && !fs.existsSync(path));
  await mended.running.stop();
  const other = content.replace(/"hash":"[0-9a-f]{64}","venueId"/, `"hash":"${'0'.repeat(64)}","venueId"`);
  fs.writeFileSync(path, `${other}${hash('sha256', other, 'hex')}\n`);
  const again = await open(folder);
  await until('the damage', async () => (await healthOf(again)).history?.state === 'damaged');
  const { ready, reasons, history: checked } = await healthOf(again);
  assert.equal(ready, false);
  assert.match(reasons.join(), new RegExp(`^DAMAGE in the history: .*${older}`));
  assert.match(JSON.stringify(checked), new RegExp(`"state":"damaged","problem":".*${older}`));
  assert.ok(again.notices.some((text) => text.startsWith('DAMAGE') && text.includes(older)));
  assert.deepEqual(again.levels.get(reasons[0]), 'error');
  assert.equal((await again.alice.spot(LIMIT_BUY)).status, 200, 'orders are taken');
  await again.running.stop();
});

test('an archive that cannot be opened is tried again; snapshots go on, and health says why', async () => {
  const folder = join(root, 'unopenable');
  const rig = await open(folder);
  const orderId = await trade(rig);
  const expected = await history(rig, orderId);
  await rig.running.stop();
  const path = join(folder, ARCHIVE_FILE);
  fs.rmSync(path);
  fs.mkdirSync(path);
  const again = await open(folder, { snapshotEvery: 3 });
  await until('the archive', async () => !(await healthOf(again)).reasons.includes('the archive is being opened'));
  const [reason] = (await healthOf(again)).reasons;
  assert.match(reason, /^the archive failed and will be retried: EISDIR/);
  assert.equal(again.levels.get(reason), 'error');
  await assert.rejects(history(again, orderId), {
    status: 503,
    message: /the archive failed and will be retried: EISDIR/,
  });
  const before = again.running.engine.venue.seq;
  assert.equal(((await again.control.request('POST', '/snapshot')) as { seq: number }).seq, before);
  for (let n = 1; n <= 4; n += 1) await again.control.setPrices('BTC-USDT', { index: 100_000 + n });
  await until('the snapshot that is due', () => snapshotFiles(new RealDisk(folder))[0] > snapshotName(before));
  fs.rmdirSync(path);
  await until('the archive', async () => (await healthOf(again)).ready);
  assert.deepEqual(await history(again, orderId), expected);
  assert.ok(again.notices.includes('the archive is working again'));
  await again.running.stop();
});

test('the thread of the archive is started again whenever it ends', async () => {
  const folder = join(root, 'thread');
  const rig = await open(folder);
  await trade(rig);
  const { seq } = rig.running.engine.venue;
  await rig.running.stop();
  const failing = join(root, 'failing.mjs');
  const thread = new URL('../../src/archive/thread/worker.ts', import.meta.url);
  const planted = join(root, 'planted');
  fs.writeFileSync(planted, '');
  fs.writeFileSync(
    failing,
    `import * as fs from 'node:fs';
    if (fs.existsSync(${JSON.stringify(planted)})) {
      fs.rmSync(${JSON.stringify(planted)});
      throw new Error('planted');
    }
    await import(${JSON.stringify(thread.href)});`,
  );
  const notices: string[] = [];
  const archive = new FolderArchive({
    folder,
    seq,
    thread: pathToFileURL(failing),
    onNotice: (text, level) => notices.push(`${level}: ${text}`),
  });
  await until('the failure', () => archive.problem !== undefined);
  await assert.rejects(archive.order(1), { name: 'ArchiveBusy', message: /is restarted: planted/ });
  await until('the next thread', () => archive.problem === undefined);
  assert.equal((await archive.snapshot()).seq, seq);
  assert.deepEqual(notices.slice(0, 2), [
    "error: the archive's thread failed and is restarted: planted",
    'undefined: the archive is working again',
  ]);
  await archive.close();
});

test('a look-up waits for a thread that starts slowly, and until then the venue is not ready', async (t) => {
  const folder = join(root, 'slow');
  const rig = await open(folder);
  await load(rig, 1);
  const { seq } = rig.running.engine.venue;
  await rig.running.stop();
  const slow = join(root, 'slow.mjs');
  const hold = join(root, 'hold');
  const thread = new URL('../../src/archive/thread/worker.ts', import.meta.url);
  fs.writeFileSync(hold, '');
  fs.writeFileSync(
    slow,
    `import * as fs from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    while (fs.existsSync(${JSON.stringify(hold)})) await setTimeout(5);
    await import(${JSON.stringify(thread.href)});`,
  );
  const archive = new FolderArchive({ folder, seq, thread: pathToFileURL(slow), onNotice: () => {} });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked = archive.order(1);
  t.mock.timers.tick(30_000);
  t.mock.timers.reset();
  assert.equal(archive.hasBegun, false);
  fs.rmSync(hold);
  assert.equal(await asked, undefined, 'there is no such order');
  assert.equal(archive.hasBegun, true);
  await archive.close();
});

test('the check of what is behind comes to its end beside a venue that is always busy', async () => {
  const folder = join(root, 'busy');
  const rig = await open(folder, { segmentBytes: 1 << 20 });
  await load(rig, 60_000);
  await rig.running.stop();
  // A start reads the snapshot of the stop; the check reads the log before it.
  const again = await open(folder, { segmentBytes: 1 << 20 });
  const checked = () => again.notices.some((text) => text.includes('are sound'));
  const begun = performance.now();
  let commands = 0;
  while (!checked()) {
    assert.ok(performance.now() - begun < WITHIN_MS, `not checked after ${commands} commands without a pause`);
    await load(again, 500);
    commands += 500;
  }
  await again.running.stop();
});

async function load({ running: { engine } }: Rig, count: number): Promise<void> {
  for (let first = 0; first < count; first += 500) {
    const batch = Array.from({ length: 500 }, (_, i) => 100_000_000_000 + first + i);
    await Promise.all(batch.map((index) => engine.submit({ v: 1, type: 'setPrices', market: 0, index, byHand: true })));
  }
}

test('the archive works a little below the priority of its process, whatever that is', {
  skip: process.platform !== 'linux' && 'threads have priorities of their own on Linux alone',
}, async () => {
  setPriority(getPriority() + 2);
  const own = getPriority();
  const rig = await open(join(root, 'priority'));
  await history(rig, await trade(rig)); // Then it works.
  assert.ok(prioritiesOfThreads().includes(own + 5));
  await rig.running.stop();
});

function prioritiesOfThreads(): number[] {
  const threads = fs.readdirSync('/proc/self/task');
  // Behind the name, which may hold spaces, the priority is the 17th field.
  const fields = threads.map((id) => fs.readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1].split(' '));
  return fields.map((all) => Number(all[16]));
}
