/** A log in PostgreSQL keeps the contract of storages, as every other does. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { realWorld } from '../../src/engine/contract/world.ts';
import { LogDamaged } from '../../src/log/contract/command-log.ts';
import { segmentMover } from '../../src/log/open.ts';
import { readAddress } from '../../src/log/postgres/address.ts';
import { Connection, LARGE_ANSWER_MS } from '../../src/log/postgres/connection.ts';
import { DatabaseStorage } from '../../src/log/postgres/database-storage.ts';
import { DatabaseUnsafe } from '../../src/log/postgres/settings.ts';
import { open, type Rig, storageContract } from '../log/contract.ts';
import { append, SEGMENT_BYTES, sized } from '../log/support.ts';
import { endLinks, Link } from './proxy.ts';
import { endServers, PostgresServer, skip } from './server.ts';

describe('PostgreSQL', { skip }, () => {
  let server: PostgresServer;
  let databases = 0;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(endServers);
  after(endLinks);

  test('a statement that may take long goes on while its server is there, and is lost soon when that is gone without a word', async () => {
    const link = await Link.to(server.port);
    const address = server.database('silent').replace(`:${server.port}/`, `:${link.port}/`);
    const connection = await Connection.open({ ...readAddress(address), world: realWorld });
    // Longer than the time after which it looks whether the server is there.
    await connection.query('SELECT pg_sleep(6)', [], LARGE_ANSWER_MS);
    const lost = connection.query('SELECT pg_sleep(60)', [], LARGE_ANSWER_MS);
    link.cut('there', 'back');
    await assert.rejects(lost, /the server no longer has the session of a statement that takes long/);
    server.sql('silent', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)'");
  });

  test('a role, a database and a reload do not change what a connection has set in its session', async () => {
    const address = server.database('sessions');
    const settings = { synchronous_commit: 'off', client_min_messages: 'error', extra_float_digits: '-15' };
    for (const [name, value] of Object.entries(settings)) {
      server.sql('sessions', `ALTER ROLE venue IN DATABASE sessions SET ${name} = '${value}'`);
    }
    const connection = await Connection.open(readAddress(address));
    const shown = async () => {
      const { rows } = await connection.query(`SELECT current_setting('synchronous_commit') AS commit,
        current_setting('client_min_messages') AS messages, 1234567890123::float8 AS number,
        current_setting('maintenance_work_mem') AS reloaded`);
      return rows[0];
    };
    const expected = { commit: 'on', messages: 'warning', number: 1234567890123 };
    assert.deepEqual(await shown(), { ...expected, reloaded: '64MB' });
    server.set({ ...settings, maintenance_work_mem: '32MB' });
    server.reload();
    while ((await shown()).reloaded !== '32MB') await delay(10);
    assert.deepEqual(await shown(), { ...expected, reloaded: '32MB' });
    await assert.rejects(connection.query(`DO $$ BEGIN RAISE WARNING 'canceling wait'; END $$`), /canceling wait/);
    server.set({ synchronous_commit: 'on', client_min_messages: 'notice', extra_float_digits: '1' });
    server.reload();
  });

  test('several hosts without a quorum are refused, because an old primary could come back beside a promoted one', async () => {
    const address = server.database('hosts').replace(`:${server.port}/`, `:${server.port},127.0.0.1:1/`);
    for (const accepted of ['single', 'quorum'] as const) {
      await assert.rejects(new DatabaseStorage(address, { world: realWorld, accepted }).own(), (error) => {
        assert.ok(error instanceof DatabaseUnsafe);
        assert.match(error.message, /synchronous_standby_names is empty, and the address names 2 hosts/);
        assert.match(
          error.message,
          /Set it, as to 'ANY 1 \(a, b\)', or name only the primary, with --accept-single-node$/,
        );
        return true;
      });
    }
  });

  test('no password, a port and a % that cannot be, and a missing row of the lease, are refused in words', async () => {
    const address = server.database('words');
    const without = address.replace(/venue:.*@/, 'venue@');
    await assert.rejects(Connection.open(readAddress(without)), /the server wants a password: give it by PGPASSWORD/);
    assert.throws(
      () => readAddress('postgres://venue@db-1:5432,db-2:99999/bourse'),
      /has the port 99999: a port is from 1/,
    );
    assert.throws(() => readAddress('postgres://venue:a%zz@db-1/bourse'), /a % itself is written as %25/);
    const storage = new DatabaseStorage(address, { world: realWorld, accepted: 'single' });
    (await storage.own()).release();
    server.sql('words', 'DELETE FROM bourse.lease');
    const again = new DatabaseStorage(address, { world: realWorld, accepted: 'single' });
    await assert.rejects(again.own(), /the table bourse.lease or bourse.writer has no row/);
  });

  test('what the server says when the lease cannot be renewed is in the reason', async () => {
    const address = server.database('unrenewed');
    const log = await open(new DatabaseStorage(address, { world: realWorld, accepted: 'single' }));
    server.sql('unrenewed', 'ALTER TABLE bourse.lease RENAME TO gone');
    const reason = /was not renewed in time, .*: relation "bourse.lease" does not exist/;
    while (!reason.test(log.remote?.doubt ?? '')) await delay(20);
    await log.close();
  });

  test('a document is not written by a process that another one has replaced', async () => {
    const address = server.database('replaced');
    const storage = new DatabaseStorage(address, { world: realWorld, accepted: 'single' });
    const owner = await storage.own();
    await storage.documents.write('bourse.json', 'first');
    // The first start stalls here, and another one takes over.
    server.sql('replaced', "UPDATE bourse.writer SET term = term + 1, owner = 'another'");
    await assert.rejects(storage.documents.write('bourse.json', 'second'), /another process has taken over the log/);
    assert.equal(await storage.documents.read('bourse.json'), 'first');
    owner.release();
  });

  test('a part of a process that another one has replaced removes, renames and moves nothing, such as its archive’s thread', async () => {
    const address = server.database('acting');
    const storage = new DatabaseStorage(address, { segmentBytes: SEGMENT_BYTES, world: realWorld, accepted: 'single' });
    const log = await open(storage);
    for (let id = 1; id <= 3; id += 1) await append(log, sized(id, 10_000));
    const needed = [log.position];
    const kept = await storage.snapshots.write({ seq: 3, position: log.position }, 'the state');
    const part = new DatabaseStorage(address);
    part.actFor(storage.ownerId as string);
    const cold = mkdtempSync(join(tmpdir(), 'bourse-cold-'));
    const mover = await segmentMover(part, cold, { venueId: undefined, needed });
    assert.ok(mover.left > 0);
    const framesLeft = () => server.sql('acting', 'SELECT count(*) FROM bourse.frame');
    const frames = framesLeft();
    // The process is suspended here, and another one takes over.
    server.sql('acting', "UPDATE bourse.writer SET term = term + 1, owner = 'another'");
    const replaced = /another process has taken over the log in .*acting: nothing more will be written/;
    await assert.rejects(part.snapshots.remove([3]), replaced);
    await assert.rejects(part.snapshots.setAside(3), replaced);
    await assert.rejects(mover.step(), replaced);
    assert.deepEqual([await storage.snapshots.list(), framesLeft()], [[kept], frames]);
    assert.equal(await part.source.moved(), undefined);
    server.sql('acting', `UPDATE bourse.writer SET owner = '${storage.ownerId}'`);
    await mover.step();
    await part.snapshots.remove([3]);
    assert.deepEqual(await storage.snapshots.list(), []);
    assert.ok(Number(framesLeft()) < Number(frames));
    rmSync(cold, { recursive: true });
    await log.close();
  });

  test('a snapshot is not written beside a log that lacks the record which it continues', async () => {
    const address = server.database('stray');
    const storage = new DatabaseStorage(address, { world: realWorld, accepted: 'single' });
    const log = await open(storage);
    await append(log, { id: 1 });
    const { position } = log;
    // Another process of the venue, such as its archive's thread.
    const { snapshots } = new DatabaseStorage(address);
    const kept = await snapshots.write({ seq: 1, position }, 'the state');
    await append(log, { id: 2 });
    const lost = log.position;
    // A standby server without the record was promoted, and the next leader goes on from there.
    server.sql('stray', 'DELETE FROM bourse.frame WHERE seq = 2');
    const missing = /the frame up to seq 2, after which 000000000002.snapshot was taken, is missing/;
    await assert.rejects(snapshots.write({ seq: 2, position: lost }, 'a state that was lost'), missing);
    const other = { ...position, hash: lost.hash };
    await assert.rejects(snapshots.write({ seq: 1, position: other }, 'another'), LogDamaged);
    assert.deepEqual(await storage.snapshots.list(), [kept]);
    assert.equal(String((await storage.snapshots.read(1))?.text), 'the state');
    await log.close();
  });

  storageContract('a database', (): Rig => {
    databases += 1;
    const name = `contract_${databases}`;
    const address = server.database(name);
    const options = { segmentBytes: SEGMENT_BYTES, world: realWorld, accepted: 'single' } as const;
    const reader = new DatabaseStorage(address, options);
    return {
      storage: new DatabaseStorage(address, options),
      reader: () => reader,
      takeLockAway: () => server.sql(name, 'UPDATE bourse.writer SET term = term + 1'),
      spoil: (snapshot) =>
        server.sql(
          name,
          `UPDATE bourse.file SET bytes = set_byte(bytes, 10, get_byte(bytes, 10) # 1) WHERE name = '${snapshot}' AND part = 0`,
        ),
    };
  });
});
