/** A log in PostgreSQL keeps the contract of storages, as every other does. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { realWorld } from '../../src/engine/contract/world.ts';
import { DatabaseStorage } from '../../src/log/postgres/database-storage.ts';
import { type Rig, storageContract } from '../log/contract.ts';
import { SEGMENT_BYTES } from '../log/support.ts';
import { endServers, PostgresServer, skip } from './server.ts';

describe('PostgreSQL', { skip }, () => {
  let server: PostgresServer;
  let databases = 0;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(endServers);

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
