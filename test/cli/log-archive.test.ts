/** `bourse log archive`, and the same beside a running venue: what is moved, who says so, and what still works. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { exportRows } from '../../src/archive/export.ts';
import { backUp } from '../../src/backup.ts';
import { ControlClient } from '../../src/client/control.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import { logRecords, type RecordsOptions } from '../../src/engine/replay/log-records.ts';
import { moveLog } from '../../src/move-log.ts';
import { answered } from '../support/answered.ts';
import { Place, type Ready, type StartedProcess, stop } from './support.ts';

const FLAGS = ['--segment-size', '16384', '--snapshot-every', '40', '--clock', 'manual', '--seed', '7'];
const CONFIGURATION = JSON.stringify({ accounts: [{ name: 'alice', balances: { USDT: '1000' } }] });
/** Between two snapshots. How often the archive takes one by itself depends on the speed of the machine. */
const DEPOSITS = [150, 70, 40];

function clientOf(place: Place, { control: url }: Ready): ControlClient {
  return new ControlClient({ url, token: fs.readFileSync(join(place.data, 'control-token'), 'utf8').trim() });
}

function startOn(place: Place, data = place.data): Promise<StartedProcess> {
  return place.start([...FLAGS, '--data', data, '--config', place.path('venue.json')]);
}

async function deposit(client: ControlClient, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await client.request('POST', '/accounts/alice/deposits', { currency: 'USDT', amount: '1' });
  }
}

/** A stopped venue whose log has many segments, and the hash of its state. */
async function longVenue(place: Place): Promise<{ seq: number; hash: string }> {
  fs.writeFileSync(place.path('venue.json'), CONFIGURATION);
  const venue = await startOn(place);
  const client = clientOf(place, venue.ready);
  for (const times of DEPOSITS) {
    await deposit(client, times);
    await answered(() => client.request('POST', '/snapshot'));
  }
  const { seq, hash } = (await answered(() => client.request('GET', '/state'))) as { seq: number; hash: string };
  assert.equal((await stop(venue)).code, 0);
  return { seq, hash };
}

const segmentsIn = (folder: string) =>
  fs
    .readdirSync(folder)
    .filter((name) => /^\d{8}\.log$/.test(name))
    .sort();
const jsonOf = ({ stdout, stderr }: { stdout: string; stderr: string }) => {
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
};

describe('a stopped venue', () => {
  const place = new Place();
  const cold = place.path('cold');
  const original = place.path('original');
  let was: { seq: number; hash: string };
  let moved: { moved: number; seq: number };

  before(async () => {
    was = await longVenue(place);
    fs.cpSync(place.data, original, { recursive: true });
    const run = await place.run(['log', 'archive', place.data, '--to', cold]);
    assert.equal(run.code, 0, run.stderr);
    moved = jsonOf(run);
  });
  after(() => place[Symbol.asyncDispose]());

  test('moves what two snapshots have passed, and lists it', () => {
    const all = segmentsIn(original);
    assert.deepEqual(segmentsIn(place.data), all.slice(moved.moved));
    assert.ok(moved.moved > 3 && moved.moved < all.length, `${moved.moved} of ${all.length}`);
    const stored = all.slice(0, moved.moved).map((name) => `${name}.zst`);
    assert.deepEqual(fs.readdirSync(cold).sort(), [...stored, 'manifest-00000001.json']);
    assert.equal(fs.statSync(cold).mode & 0o777, 0o700);
    assert.equal(fs.statSync(join(cold, stored[0])).mode & 0o777, 0o600);
  });

  test('has nothing more to move, and says why', async () => {
    const again = await place.run(['log', 'archive', place.data, '--to', cold]);
    assert.deepEqual(jsonOf(again), { moved: 0, left: 0, seq: moved.seq, reason: jsonOf(again).reason });
    assert.match(again.stderr, /nothing was moved: /);
    assert.equal(again.code, 0);
  });

  test('is verified without the cold folder as far as it is here, and as a whole with it', async () => {
    const here = jsonOf(await place.run(['verify', place.data]));
    const whole = await verify(original);
    assert.deepEqual([here.ok, here.seq, here.hash, here.rows], [true, was.seq, was.hash, whole.rows]);
    assert.match(
      here.notRead,
      /^not read: the log up to seq \d+ \(00000001\.log to .*, which was moved to .*cold: bourse verify reads it with --cold/,
    );
    assert.deepEqual(jsonOf(await place.run(['verify', place.data, '--cold', cold])), whole);
  });

  test('is replayed at any seq with the cold folder, and without it from its oldest snapshot on', async () => {
    for (const seq of [5, moved.seq, was.seq]) {
      assert.deepEqual(await replay(place.data, { seq, cold: [cold] }), await replay(original, { seq }));
    }
    assert.equal((await replay(place.data)).hash, was.hash);
    const early = await place.run(['replay', place.data, '--seq', '5']);
    assert.equal(early.code, 1);
    assert.match(early.stderr, /seq 5: not read: the log up to seq \d+ .* give that folder with --cold/);
    const with_ = await place.run(['replay', place.data, '--seq', '5', '--cold', cold]);
    assert.equal(jsonOf(with_).hash, (await replay(original, { seq: 5 })).hash);
  });

  test('shows its records with the cold folder, and without it those after the moved part', async () => {
    const linesOf = async (folder: string, options: RecordsOptions) => {
      const lines: object[] = [];
      for await (const record of logRecords(folder, options)) lines.push(record);
      return lines;
    };
    for (const options of [{}, { from: 3, to: 5 }]) {
      assert.deepEqual(await linesOf(place.data, { ...options, cold: [cold] }), await linesOf(original, options));
    }
    const from = moved.seq + 1;
    assert.deepEqual(await linesOf(place.data, { from }), await linesOf(original, { from }));
    const run = await place.run(['log', 'show', place.data]);
    assert.equal(run.code, 1);
    assert.match(
      run.stderr,
      new RegExp(`was moved to .*cold: give that folder with --cold, or begin with --from ${from}`),
    );
  });

  test('refuses cold folders that are not there, or not its own', async () => {
    const missing = await place.run(['verify', place.data, '--cold', place.path('nowhere')]);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /there is no folder at .*nowhere/);
    const empty = place.path('empty');
    fs.mkdirSync(empty);
    const unlisted = /empty does not list 0000\d+\.log, which was moved to .*cold/;
    await assert.rejects(verify(place.data, { cold: [empty] }), unlisted);
    const refused = await place.run(['log', 'archive', place.data, '--to', empty]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^bourse: /);
    assert.match(refused.stderr, unlisted);
    await assert.rejects(moveLog(place.data, join(place.data, 'cold')), /cold is inside the data folder/);
    fs.symlinkSync(place.data, place.path('link'));
    await assert.rejects(moveLog(place.data, join(place.path('link'), 'cold')), /cold is inside the data folder/);
    const unmounted = /there is no folder at .*disk\/cold, and the log was moved to .*: is its disk mounted/;
    await assert.rejects(moveLog(place.data, place.path('disk/cold')), unmounted);
    assert.equal(fs.existsSync(place.path('disk')), false);
    await assert.rejects(moveLog(empty, cold), /is not a data folder/);
    fs.writeFileSync(place.path('file'), '');
    await assert.rejects(moveLog(original, place.path('file')), /file is a file, but must be a folder/);
    await assert.rejects(moveLog(original, place.folder), /has other files, such as .*, and no moved log/);
    assert.deepEqual(segmentsIn(original).length, segmentsIn(place.data).length + moved.moved);
  });

  test('is backed up without the moved part, and the backup with the cold folder is whole', async () => {
    const to = place.path('backup');
    const done = await backUp(place.data, to, { onNotice: () => {} });
    assert.match(done.notRead as string, /^not read: the log up to seq/);
    assert.equal(done.hash, was.hash);
    assert.equal(segmentsIn(to)[0], segmentsIn(place.data)[0]);
    assert.deepEqual(await verify(to, { cold: [cold] }), await verify(original));
  });

  test('is exported whole from its archive, and without one from the oldest snapshot on', async () => {
    const rowsOf = async (folder: string, notices: string[] = []) => {
      let text = '';
      const write = async (more: string) => {
        text += more;
      };
      await exportRows(folder, { what: 'ledger', format: 'json', write, onNotice: (notice) => notices.push(notice) });
      return JSON.parse(text).length;
    };
    const whole = await rowsOf(original);
    assert.equal(await rowsOf(place.data), whole);
    const bare = place.path('bare');
    fs.cpSync(place.data, bare, { recursive: true });
    fs.rmSync(join(bare, 'archive.db'));
    const notices: string[] = [];
    const rest = await rowsOf(bare, notices);
    assert.match(notices.join(), /known from seq \d+ on: this archive does not hold anything earlier/);
    assert.ok(rest > 0 && rest < whole, `${rest} rows of ${whole}`);
  });

  test('starts without the cold folder, says where the rest is, and keeps its archive', async () => {
    fs.renameSync(cold, `${cold}-away`);
    const venue = await startOn(place);
    const client = clientOf(place, venue.ready);
    assert.equal(venue.ready.seq, was.seq);
    await answered(() => client.request('GET', '/accounts/alice/ledger?limit=1')); // It waits until the archive is open.
    const health = (await client.request('GET', '/health')) as Record<string, unknown>;
    assert.equal(health.ready, true);
    assert.equal(health.archiveKnownFromSeq, undefined);
    await deposit(client, 3);
    const { entries } = (await answered(() => client.request('GET', '/accounts/alice/ledger?limit=1'))) as {
      entries: { seq: number }[];
    };
    assert.equal(entries[0].seq, 1, 'the archive has the whole history');
    const { stderr, code } = await stop(venue);
    assert.equal(code, 0);
    assert.match(stderr, /the log up to seq \d+ is not in the folder: 00000001\.log to .* was moved to .*cold/);
    assert.doesNotMatch(stderr, /DAMAGE/);
    fs.renameSync(`${cold}-away`, cold);
    assert.equal(jsonOf(await place.run(['verify', place.data, '--cold', cold])).seq, was.seq + 3);
  });

  test('without its archive builds one that begins at the oldest snapshot, and says so', async () => {
    const bare = place.path('bare-start');
    fs.cpSync(place.data, bare, { recursive: true });
    fs.writeFileSync(join(bare, 'archive.db'), 'not an archive');
    for (const suffix of ['-wal', '-shm']) fs.rmSync(join(bare, `archive.db${suffix}`), { force: true });
    const venue = await startOn(place, bare);
    const token = fs.readFileSync(join(bare, 'control-token'), 'utf8').trim();
    const client = new ControlClient({ url: venue.ready.control, token });
    const page = (await answered(() => client.request('GET', '/accounts/alice/ledger'))) as { knownFromSeq?: number };
    assert.ok(page.knownFromSeq !== undefined && page.knownFromSeq > moved.seq);
    const health = (await client.request('GET', '/health')) as Record<string, unknown>;
    assert.equal(health.archiveKnownFromSeq, page.knownFromSeq);
    const { stderr } = await stop(venue);
    assert.match(
      stderr,
      /the old archive is kept as archive\.db\.replaced: the log up to seq \d+ was moved to .*, so the new one/,
    );
  });
});

test('a start whose snapshots are all damaged names the part that was moved, and changes nothing', async () => {
  await using place = new Place();
  await longVenue(place);
  const cold = place.path('cold');
  await moveLog(place.data, cold);
  const snapshots = fs.readdirSync(place.data).filter((name) => name.endsWith('.snapshot'));
  assert.equal(snapshots.length, 2);
  for (const name of snapshots) fs.truncateSync(join(place.data, name), 100);
  await assert.rejects(startOn(place), (error: Error) => {
    assert.match(
      error.message,
      /up to seq \d+ \(.*\), was moved to .*cold: no sound snapshot continues it \(0000\d+\.snapshot: /,
    );
    return true;
  });
  // What the documentation says: put the files back, and remove the note.
  for (const name of fs.readdirSync(cold).filter((each) => each.endsWith('.zst'))) {
    const { zstdDecompressSync } = await import('node:zlib');
    fs.writeFileSync(
      join(place.data, name.slice(0, -'.zst'.length)),
      zstdDecompressSync(fs.readFileSync(join(cold, name))),
    );
  }
  fs.rmSync(join(place.data, 'moved.json'));
  const venue = await startOn(place);
  assert.equal((await stop(venue)).code, 0);
});

test('one of two damaged snapshots is no reason to need the moved part', async () => {
  await using place = new Place();
  const was = await longVenue(place);
  await moveLog(place.data, place.path('cold'));
  const newest = fs
    .readdirSync(place.data)
    .filter((name) => name.endsWith('.snapshot'))
    .sort()
    .at(-1) as string;
  fs.truncateSync(join(place.data, newest), 100);
  const venue = await startOn(place);
  assert.equal(venue.ready.seq, was.seq);
  const { stderr } = await stop(venue);
  assert.match(stderr, new RegExp(`${newest}.* was set aside as .*; the log rebuilds the same state`));
});

test('a lost or changed note refuses the start, and the same command writes it again', async () => {
  await using place = new Place();
  const was = await longVenue(place);
  const cold = place.path('cold');
  await moveLog(place.data, cold);
  const note = join(place.data, 'moved.json');
  const text = fs.readFileSync(note, 'utf8');
  fs.writeFileSync(note, text.replace('"epoch": 1', '"epoch": 2'));
  await assert.rejects(startOn(place), /moved\.json: it does not match its checksum/);
  fs.rmSync(note);
  await assert.rejects(startOn(place), /00000001\.log at offset 0: this segment is missing/);
  await assert.rejects(verify(place.data), /00000001\.log at offset 0: this segment is missing/);
  await assert.rejects(startOn(place), /moved\.json is lost: run `bourse log archive` again with the same cold folder/);
  const { stdout, stderr } = await place.run(['log', 'archive', place.data, '--to', cold]);
  assert.equal(JSON.parse(stdout).noteRestored, true);
  assert.match(stderr, /^bourse: moved\.json was lost, and was written again$/m);
  assert.equal(fs.readFileSync(note, 'utf8'), text);
  const venue = await startOn(place);
  assert.equal(venue.ready.seq, was.seq);
  await stop(venue);
});

describe('a running venue', () => {
  const place = new Place();
  const cold = place.path('cold');
  let venue: StartedProcess;
  let client: ControlClient;
  before(async () => {
    await longVenue(place);
    venue = await startOn(place);
    client = clientOf(place, venue.ready);
  });
  after(() => place[Symbol.asyncDispose]());

  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'nothing was refused',
      (error: { status: number; reason: string; message: string }) => `${error.status} ${error.message}`,
    );

  test('keeps the command out of its folder, and the refusal names the request', async () => {
    const run = await place.run(['log', 'archive', place.data, '--to', 'cold']);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /is in use by process \d+ .*: POST \/control\/v1\/log\/archive \{"to":"\/.*\/cold"\}/);
    assert.equal(fs.existsSync(cold), false);
  });

  test('refuses what cannot be a cold folder, and moves nothing', async () => {
    const all = segmentsIn(place.data);
    assert.match(await refusal(client.archiveLog('cold')), /^400 .* to must be an absolute path/);
    assert.match(await refusal(client.request('POST', '/log/archive', {})), /^400 .* to is required/);
    assert.match(
      await refusal(client.archiveLog(join(place.data, 'cold'))),
      /^409 .* the log was not moved: .* is inside/,
    );
    assert.match(
      await refusal(client.archiveLog('/proc/cold')),
      /^409 .* the log was not moved: .*\/proc\/cold cannot be/,
    );
    assert.match(await refusal(client.archiveLog(place.folder)), /^409 .* the log was not moved: .* has other files/);
    const token = await client.createToken('tester', 'test');
    const tester = new ControlClient({ url: venue.ready.control, token });
    assert.match(await refusal(tester.archiveLog(cold)), /^403 .* POST \/log\/archive needs the scope admin/);
    assert.deepEqual(segmentsIn(place.data), all);
    assert.equal(((await client.request('GET', '/health')) as { ready: boolean }).ready, true);
  });

  test('moves its log on request while it trades, and both parts are the whole log', async () => {
    const all = segmentsIn(place.data);
    const [moved] = await Promise.all([client.archiveLog(cold), deposit(client, 60)]);
    assert.ok(moved.moved > 0 && moved.left === 0, JSON.stringify(moved));
    const health = (await client.request('GET', '/health')) as { readonly history: { readonly state: string } };
    assert.deepEqual(
      health.history.state === 'sound' && 'movedSeq' in health.history,
      health.history.state === 'sound',
    );
    const aside = await place.run(['verify', cold]);
    assert.match(aside.stdout + aside.stderr, /this is a cold folder\. Name the data folder, and this one with --cold/);
    assert.deepEqual(segmentsIn(place.data)[0], all[moved.moved]);
    const { seq, hash } = (await answered(() => client.request('GET', '/state'))) as { seq: number; hash: string };
    const found = await verify(place.data, { cold: [cold] });
    assert.deepEqual([found.seq, found.hash], [seq, hash]);
    assert.match((await verify(place.data)).notRead as string, /^not read/);
  });

  test('moves more later, and nothing while no snapshot has passed more', async () => {
    await deposit(client, 150);
    for (let n = 0; n < 2; n += 1) {
      await answered(() => client.request('POST', '/snapshot'));
      await deposit(client, 1);
    }
    const more = await client.archiveLog(cold);
    assert.ok(more.moved > 1, JSON.stringify(more));
    const none = await client.archiveLog(cold);
    assert.equal(none.moved, 0);
    assert.match(none.reason as string, /the older of the two newest snapshots, or the end of the archive/);
    const { hash } = (await answered(() => client.request('GET', '/state'))) as { hash: string };
    assert.equal((await verify(place.data, { cold: [cold] })).hash, hash);
    const text = (await client.request('GET', '/metrics')) as string;
    const bytes = segmentsIn(place.data).reduce((sum, name) => sum + fs.statSync(join(place.data, name)).size, 0);
    assert.match(String(text), new RegExp(`bourse_log_bytes ${bytes}\\n`));
  });

  test('is killed, and the next start has everything', async () => {
    const { seq, hash } = (await answered(() => client.request('GET', '/state'))) as { seq: number; hash: string };
    await stop(venue, 'SIGKILL');
    venue = await startOn(place);
    client = clientOf(place, venue.ready);
    const now = (await answered(() => client.request('GET', '/state'))) as { seq: number; hash: string };
    assert.deepEqual([now.seq, now.hash], [seq, hash]);
    await stop(venue);
  });
});
