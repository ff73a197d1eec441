/** `bourse log archive` of a log in PostgreSQL: what is moved to a cold folder, and what reads both. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FolderArchive } from '../../src/archive/archive.ts';
import { readManifest } from '../../src/engine/identity/manifest.ts';
import { DatabaseStorage } from '../../src/log/postgres/database-storage.ts';
import { bourse, bourseBeside, printed, scratch, type VenueProcess } from '../crash/process.ts';
import { answered } from '../support/answered.ts';
import { endServers, PostgresServer, skipLong } from './server.ts';
import { restingOrder, started, starting, untilReady } from './venue.ts';

const FLAGS = ['--accept-single-node', '--segment-size', '16384', '--snapshot-every', '1000'];

describe('the beginning of a log in PostgreSQL', { skip: skipLong }, () => {
  let server: PostgresServer;
  let address: string;
  let venue: VenueProcess;
  let was: { seq: number; hash: string };
  let whole: { readonly show: string; readonly early: unknown };
  const cold = join(scratch, 'cold');
  const data = join(scratch, 'cold-1');
  before(async () => {
    server = await PostgresServer.start();
    address = server.database('cold');
    venue = await started(address, data, ...FLAGS);
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  });
  after(endServers);

  /** Three snapshots, with orders between them. */
  async function fill(from: number): Promise<void> {
    for (let id = from; id < from + 90; id += 1) {
      await venue.alice.placeSpotOrder(restingOrder(id));
      if (id % 30 === 29) await answered(() => venue.control.request('POST', '/snapshot'));
    }
  }

  const move = () =>
    venue.control.request('POST', '/log/archive', { to: cold }) as Promise<{ moved: number; seq: number }>;
  const rowsOf = () => Number(server.sql('cold', 'SELECT count(*) FROM bourse.frame'));

  test('is moved beside the running venue, and the rest continues it', async () => {
    await fill(0);
    was = (await venue.control.state()) as { seq: number; hash: string };
    whole = {
      show: (await bourseBeside('log', 'show', address)).stdout,
      early: printed(await bourseBeside('replay', address, '--seq', '5', '--json')),
    };
    const rows = rowsOf();
    const moved = await answered(move);
    assert.ok(moved.moved > 0, JSON.stringify(moved));
    assert.ok(rowsOf() < rows);
    assert.deepEqual(
      fs.readdirSync(cold).filter((name) => name.endsWith('.zst')).length,
      moved.moved,
      'a file for each segment',
    );
    const verified = printed(await bourseBeside('verify', address));
    assert.deepEqual([verified.seq, verified.hash], [was.seq, was.hash]);
    assert.match(String(verified.notRead), new RegExp(`^not read: the log up to seq ${moved.seq} `));
    await fill(100);
    await untilReady(venue);
  });

  test('is read with the cold folder as the whole log', async () => {
    const verified = printed(await bourseBeside('verify', address, '--cold', cold));
    assert.equal(verified.notRead, undefined);
    assert.deepEqual(
      printed(await bourseBeside('replay', address, '--seq', '5', '--cold', cold, '--json')),
      whole.early,
    );
    const shown = (await bourseBeside('log', 'show', address, '--cold', cold)).stdout;
    assert.ok(shown.startsWith(whole.show));
    assert.equal((await bourseBeside('why', address, '5', '--cold', cold, '--json')).status, 0);
    const { accounts } = printed(await bourseBeside('report', address, '--cold', cold)) as { accounts: object[] };
    assert.equal(accounts.length, 2);
    const now = (await venue.control.state()) as { seq: number; hash: string };
    assert.equal((await venue.control.at(now.seq)).hash, now.hash);
    await assert.rejects(venue.control.at(5), /up to seq \d+ .* was moved to .*cold/);
    const refused = await bourseBeside('replay', address, '--seq', '5');
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /seq 5: not read: the log up to seq \d+ .* give that folder with --cold/);
    const unlisted = await bourseBeside('verify', address, '--cold', scratch);
    assert.match(unlisted.stderr, /does not list 0000\d+\.log, which was moved to .*cold/);
  });

  test('is moved on by the standby that has taken over, and by nobody while it follows', async () => {
    const node = starting(address, join(scratch, 'cold-2'), ...FLAGS, '--standby');
    const { ready: standby, errors } = await node.outcome;
    assert.ok(standby !== undefined, errors);
    await untilReady(standby);
    const asked = standby.control.request('POST', '/log/archive', { to: cold });
    await assert.rejects(asked, /the leader is http/);
    await venue.kill();
    const led = await node.leading;
    assert.ok(led !== undefined, node.errors);
    venue = led;
    await fill(200);
    const moved = await answered(move);
    assert.ok(moved.moved > 0, JSON.stringify(moved));
    was = (await venue.control.state()) as { seq: number; hash: string };
    assert.equal(await venue.stop(), 0);
    const verified = printed(bourse('verify', address, '--cold', cold));
    assert.deepEqual([verified.seq, verified.hash], [was.seq, was.hash]);
  });

  test('is not moved by the archive’s thread of a leader that another process has replaced', async () => {
    const { venueId } = (await readManifest(new DatabaseStorage(address).documents)) ?? {};
    const archive = new FolderArchive({
      folder: join(scratch, 'cold-2'),
      log: address,
      seq: was.seq,
      venueId,
      ownerId: 'a leader of before',
      onNotice: () => {},
    });
    const rows = rowsOf();
    await assert.rejects(archive.moveLog(cold), /another process has taken over the log/);
    assert.equal(rowsOf(), rows);
    await archive.close();
  });

  test('of a stopped venue is moved by the command, which heeds the archive of the data folder', async () => {
    assert.match(
      bourse('log', 'archive', address, '--to', cold, '--data', join(scratch, 'nowhere')).stderr,
      /no data folder/,
    );
    const behind = printed(bourse('log', 'archive', address, '--to', cold, '--data', data));
    const moved = printed(bourse('log', 'archive', address, '--to', cold));
    assert.ok(Number(moved.seq) >= Number(behind.seq));
    const exported = bourse('export', address, '--what', 'orders');
    assert.equal(exported.status, 0, exported.stderr);
  });

  test('moves with a copy of the venue, if the cold folder is given', async () => {
    const copy = join(scratch, 'cold-copy');
    const refused = bourse('log', 'copy', address, copy);
    assert.match(refused.stderr, /the beginning of the log, up to seq \d+ .*, was moved to .*cold/);
    fs.rmSync(copy, { recursive: true, force: true });
    const copied = printed(bourse('log', 'copy', address, copy, '--cold', cold));
    assert.deepEqual([copied.seq, copied.hash], [was.seq, was.hash]);
    assert.equal(fs.existsSync(join(copy, '00000001.log')), true);
    assert.equal(printed(bourse('replay', copy, '--json')).hash, was.hash);
  });

  test('that is gone from the cold folder is missed only by what needs it', async () => {
    venue = await started(address, join(scratch, 'cold-2'), ...FLAGS);
    assert.match(venue.errors, /was moved to .*cold/);
    const { seq, hash } = (await venue.control.state()) as { seq: number; hash: string };
    assert.equal(hash, was.hash);
    assert.ok(seq >= was.seq);
    fs.rmSync(join(cold, '00000001.log.zst'));
    const broken = await bourseBeside('verify', address, '--cold', cold);
    assert.equal(broken.status, 1);
    assert.match(broken.stderr, /"place":"00000001\.log\.zst","reason":"it is not in .*cold, where it was moved to"/);
    assert.equal((await bourseBeside('verify', address)).status, 0);
    assert.equal(await venue.stop(), 0);
  });
});
