/** Streams while the venue is rebuilt without a command that threw: nothing of it is sent, and requests wait. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Faults } from '../../src/api/gateway/faults.ts';
import { Gateway } from '../../src/api/gateway/http.ts';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { StreamServer } from '../../src/api/streams/server.ts';
import { CommandRejected } from '../../src/engine/contract/errors.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import type { Apply } from '../../src/engine/replay/log-replayer.ts';
import { buy, engineOn, PRICES, RULES } from '../engine/support.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { NO_ARCHIVE, NO_MARKET_DATA } from '../support/gateway.ts';
import { rebuildOn } from '../support/storage.ts';
import { HeldBook, StreamClient } from '../support/stream-client.ts';

/** Throws at an order with this client id, after the venue has applied it. */
const planted: Apply = (venue, seq, timeMs, command) => {
  const reply = venue.apply(seq, timeMs, command);
  if (command.type === 'place' && 'clientId' in command && command.clientId === 'bad') throw new Error('planted');
  return reply;
};

test('a book shows nothing of a command that threw, and a request meanwhile is answered afterwards', async () => {
  const disk = new SimDisk();
  const mayGoOn = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { engine } = await engineOn(disk, 'manual', {
    apply: planted,
    rebuild: async (seq) => {
      begun.resolve();
      await mayGoOn.promise;
      return rebuildOn(disk, seq, { rulesVersion: RULES, apply: planted });
    },
  });
  const keyring = new Keyring();
  const gateway = new Gateway({ engine, archive: NO_ARCHIVE, marketData: NO_MARKET_DATA, surfaces: [], keyring });
  const streams = new StreamServer({
    engine,
    world: realWorld,
    bookIntervalMs: 0,
    recentTrades: async () => [],
    logins: gateway.logins,
    since: { ask: async () => [], wait: () => undefined },
    faults: new Faults(),
    onSent: () => {},
    onBug: assert.fail,
  });
  gateway.serveUpgrades(streams);
  const url = await gateway.listen(0, '127.0.0.1');
  after(async () => {
    await gateway.close();
    await engine.stop();
  });
  await engine.submit(PRICES);
  await engine.submit(buy({ price: 990_000 }));

  const early = await StreamClient.open(url, '/ws/oss/spot');
  await early.subscribe('update:BTC-USDT_0');
  const held = new HeldBook();
  held.fold(await early.next());
  const late = await StreamClient.open(url, '/ws/oss/spot');
  await late.settled();
  const greedy = await StreamClient.open(url, '/ws/oss/spot');

  const bad = assert.rejects(engine.submit(buy({ price: 980_000, clientId: 'bad' })), CommandRejected);
  await begun.promise;
  assert.notEqual(engine.unreadable, undefined);
  late.send({ op: 'subscribe', args: ['update:BTC-USDT_0'] });
  // The venue has read it when it answers a protocol ping that was sent behind it.
  await new Promise((resolve) => {
    late.socket.once('pong', resolve);
    late.socket.ping();
  });
  assert.deepEqual(late.taken(), []);
  // What waits takes memory, so it is bounded: one large frame may wait, and two may not.
  for (let i = 0; i < 2; i++) greedy.send(`{"op":"subscribe","args":["${'x'.repeat(40_000)}"]}`);
  assert.deepEqual(await greedy.closed, { code: 1008, reason: 'it asks for too much' });
  mayGoOn.resolve();
  await bad;
  assert.equal((await late.next()).event, 'subscribe');
  const snapshot = await late.next();
  assert.deepEqual(snapshot.data.bids, [['99000.0', '0.01']]);

  await engine.submit(buy({ price: 970_000 }));
  for (const frame of await early.settled()) held.fold(frame);
  assert.deepEqual(
    held.sides().bids.map(([price]) => price),
    ['99000.0', '97000.0'],
  );
});
