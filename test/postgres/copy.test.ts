/** Copies of a log into a database and out of one, beside another process that takes over meanwhile. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { copyVenue } from '../../src/copy-log.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { writeManifest } from '../../src/engine/identity/manifest.ts';
import { LogFailed, LogUnreachable } from '../../src/log/contract/command-log.ts';
import type { LogOwner } from '../../src/log/contract/storage.ts';
import { copyRecords } from '../../src/log/copy.ts';
import { folderStorage } from '../../src/log/open.ts';
import { DatabaseStorage } from '../../src/log/postgres/database-storage.ts';
import { StartRefused } from '../../src/secrets.ts';
import { open } from '../log/contract.ts';
import { append, SEGMENT_BYTES, sized } from '../log/support.ts';
import { endServers, PostgresServer, skip } from './server.ts';

/** What a process does that takes the log over. */
const TAKE_OVER = [
  `UPDATE bourse.lease SET owner = 'another', beat = beat + 1`,
  `UPDATE bourse.writer SET term = term + 1, owner = 'another', name = 'another'`,
];
const ENDED =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'bourse'";

describe('a copy of a log', { skip }, () => {
  let server: PostgresServer;
  let root: string;
  let folder: string;
  before(async () => {
    server = await PostgresServer.start();
    root = mkdtempSync(join(tmpdir(), 'bourse-copy-'));
    folder = join(root, 'from');
    const storage = folderStorage(folder, { segmentBytes: SEGMENT_BYTES });
    await fill(storage);
    await writeManifest(storage.documents, { seed: 1, clock: 'real', startTimeMs: null, configuration: {} });
  });
  after(async () => {
    await endServers();
    rmSync(root, { recursive: true, force: true });
  });

  async function fill(storage: Parameters<typeof open>[0]): Promise<void> {
    const log = await open(storage);
    // Two segments.
    for (let id = 1; id <= 3; id += 1) await append(log, sized(id, 10_000));
    await log.close();
  }
  const database = (name: string) =>
    new DatabaseStorage(server.database(name), { world: realWorld, accepted: 'single' });
  /** At least one of each segment. */
  const framesIn = (name: string) => Number(server.sql(name, 'SELECT count(*) FROM bourse.frame'));

  /** Copies, and releases both at the end. */
  async function copy(from: LogOwner, to: LogOwner, check: () => Promise<void>, onProgress = () => {}): Promise<void> {
    try {
      await copyRecords(from, to, { onProgress }, check);
    } finally {
      to.release();
      from.release();
    }
  }

  test('that fails empties its database, and a database that another process has taken over stays as it is', async () => {
    const failed = new Error('the copy is not sound');
    for (const [name, statements, stays] of [
      ['emptied', [], false],
      ['taken', TAKE_OVER, true],
    ] as const) {
      const [from, to] = [await folderStorage(folder).own(), await database(name).own()];
      const check = async () => {
        assert.ok(framesIn(name) > 0);
        for (const statement of statements) server.sql(name, statement);
        throw failed;
      };
      await assert.rejects(copy(from, to, check), failed);
      assert.equal(framesIn(name) > 0, stays, name);
    }
  });

  test('is refused if another process has taken the source over meanwhile, because its end may be missing', async () => {
    const source = database('source');
    await fill(source);
    for (const isTaken of [false, true]) {
      const to = folderStorage(join(root, `of-source-${isTaken}`));
      const check = async () => {
        if (isTaken) for (const statement of TAKE_OVER) server.sql('source', statement);
      };
      const copied = copy(await source.own(), await to.own(), check);
      if (isTaken) await assert.rejects(copied, LogFailed);
      else await copied;
    }
  });

  test('that loses its database says so, and the next one says what is left there and how to empty it', async () => {
    const [from, to] = [await folderStorage(folder).own(), await database('lost').own()];
    const end = () => void server.sql('lost', ENDED);
    const copied = copy(from, to, async () => assert.fail('it was not lost'), end);
    await assert.rejects(copied, LogUnreachable);
    assert.ok(framesIn('lost') > 0);
    const again = copyVenue(folder, server.address('lost'), { acceptSingleNode: true });
    await assert.rejects(again, (error) => {
      assert.ok(error instanceof StartRefused);
      assert.match(error.message, /lost has a log without bourse\.json, as after a copy that was not finished/);
      assert.match(error.message, /empty it with `psql -c "DROP SCHEMA bourse CASCADE"` in that database/);
      return true;
    });
    server.sql('lost', 'DROP SCHEMA bourse CASCADE');
    const storage = new DatabaseStorage(server.address('lost'), { world: realWorld, accepted: 'single' });
    await copy(await folderStorage(folder).own(), await storage.own(), async () => {});
    assert.ok(framesIn('lost') > 0);
  });
});
