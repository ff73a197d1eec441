/** A bug in the handling of a frame costs its sender the connection, and nobody else anything. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Faults } from '../../src/api/gateway/faults.ts';
import { Gateway } from '../../src/api/gateway/http.ts';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { StreamServer } from '../../src/api/streams/server.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { engineOn, PRICES } from '../engine/support.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { NO_ARCHIVE, NO_MARKET_DATA } from '../support/gateway.ts';
import { StreamClient } from '../support/stream-client.ts';

test('a frame whose handling throws closes its connection with 1011, is reported, and the others are served', async () => {
  const { engine } = await engineOn(new SimDisk(), 'manual');
  const keyring = new Keyring();
  const gateway = new Gateway({ engine, archive: NO_ARCHIVE, marketData: NO_MARKET_DATA, surfaces: [], keyring });
  const bugs: string[] = [];
  const streams = new StreamServer({
    engine,
    world: realWorld,
    bookIntervalMs: 0,
    recentTrades: () => {
      throw new Error('planted');
    },
    logins: gateway.logins,
    since: { ask: async () => [], wait: () => undefined },
    faults: new Faults(),
    onSent: () => {},
    onBug: (error, where) => bugs.push(`${where}: ${error}`),
  });
  gateway.serveUpgrades(streams);
  const url = await gateway.listen(0, '127.0.0.1');
  after(async () => {
    await gateway.close();
    await engine.stop();
  });
  await engine.submit(PRICES);

  const other = await StreamClient.open(url, '/ws/spot');
  const client = await StreamClient.open(url, '/ws/spot');
  client.send({ op: 'subscribe', args: ['tradeHistoryApi:BTC-USDT'] });
  assert.deepEqual(await client.closed, { code: 1011, reason: 'a bug in the venue' });
  assert.deepEqual(bugs, ['/ws/spot: Error: planted']);
  assert.deepEqual(await other.settled(), []);
  assert.equal(streams.topics, 0);
});
