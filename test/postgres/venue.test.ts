/** Venues with their log in PostgreSQL, as processes: moves, settings, secrets, kills, lost connections. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { VenueError } from '../../src/client/request.ts';
import { bourse, bourseBeside, printed, scratch, VenueProcess } from '../crash/process.ts';
import { answered } from '../support/answered.ts';
import { endServers, PASSWORD, PostgresServer, skipLong } from './server.ts';
import { Orders, restingOrder, started, starting, untilReady } from './venue.ts';

const SINGLE = '--accept-single-node';

describe('a venue with its log in PostgreSQL', { skip: skipLong }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(endServers);

  const folder = (name: string) => join(scratch, name);

  test('it moves from a folder into the database and back, frame by frame, with the same state at every stop', async () => {
    const [first, second, third] = [folder('moved-1'), folder('moved-2'), folder('moved-3')];
    const address = server.database('moved');
    const before = await VenueProcess.start(first, '--segment-size', '16384');
    await before.control.setPrices('BTC-USDT', { index: 100_000 });
    for (let id = 0; id < 60; id += 1) await before.alice.placeSpotOrder(restingOrder(id));
    const beside = bourse('log', 'copy', first, address, SINGLE);
    assert.deepEqual([beside.status, beside.stdout], [1, '']);
    assert.match(beside.stderr, /moved-1 is in use by process/);
    assert.equal(await before.stop(), 0);

    const { seq, hash } = printed(bourse('replay', first, '--json'));
    const copied = printed(bourse('log', 'copy', first, address, SINGLE));
    assert.deepEqual([copied.ok, copied.seq, copied.hash], [true, seq, hash]);
    assert.equal(printed(bourse('replay', address, '--json')).hash, hash);
    assert.equal(
      bourse('export', address, '--what', 'orders').stdout,
      bourse('export', first, '--what', 'orders').stdout,
    );
    assert.equal(bourse('log', 'show', address).stdout, bourse('log', 'show', first).stdout);
    const again = bourse('log', 'copy', first, address, SINGLE);
    assert.match(again.stderr, /has a venue already: choose another database/);

    printed(bourse('log', 'copy', address, second, SINGLE));
    for (const name of fs.readdirSync(first).filter((file) => /\.(log|snapshot)$|^sealed$|^bourse\.json$/.test(file))) {
      assert.ok(fs.readFileSync(join(first, name)).equals(fs.readFileSync(join(second, name))), `${name} differs`);
    }

    const venue = await started(address, folder('moved-data'), SINGLE);
    assert.deepEqual([venue.ready.epoch, (await venue.control.state()).hash], [2, hash]);
    for (let id = 60; id < 90; id += 1) await venue.alice.placeSpotOrder(restingOrder(id));
    const past = await venue.control.at(5);
    assert.equal(printed(await bourseBeside('replay', address, '--seq', '5', '--json')).hash, past.hash);
    assert.equal((await bourseBeside('why', address, '5', '--json')).status, 0);
    const running = await bourseBeside('log', 'copy', address, third, SINGLE);
    assert.match(running.stderr, /is in use by process \d+ on/);
    const end = (await venue.control.state()) as { seq: number; hash: string };
    assert.equal(printed(await bourseBeside('verify', address)).seq, end.seq);
    assert.equal(await venue.stop(), 0);

    assert.equal(printed(bourse('log', 'copy', address, third)).hash, end.hash);
    const back = await VenueProcess.start(third);
    assert.deepEqual([back.ready.epoch, (await back.control.state()).hash], [3, end.hash]);
    assert.equal(await back.stop(), 0);
  });

  test('a start is refused by the name of each setting that could lose an acknowledged order', async () => {
    const alone = await starting(server.database('refused_alone'), folder('refused-alone')).outcome;
    assert.equal(alone.ready, undefined);
    assert.match(alone.errors, /synchronous_standby_names is empty/);
    assert.match(
      alone.errors,
      new RegExp(`the database ${server.shown('refused_alone')} could lose acknowledged orders`),
    );
    const unsafe = await PostgresServer.start({ settings: { fsync: 'off', full_page_writes: 'off' } });
    const { errors } = await starting(unsafe.database('v'), folder('refused-fsync'), SINGLE).outcome;
    assert.match(errors, /fsync is off: set it to on; full_page_writes is off/);
    await unsafe.remove();
  });

  test('the password is in no log, error or health, and health says what the log relies on', async () => {
    const address = server.database('quiet');
    const venue = await started(address, folder('quiet'), SINGLE);
    const health = (await untilReady(venue)) as { log: Record<string, unknown> };
    const { kind, where, fsync, synchronousCommit, synchronousStandbyNames, singleNode } = health.log;
    assert.deepEqual(
      { kind, where, fsync, synchronousCommit, synchronousStandbyNames, singleNode },
      {
        kind: 'postgres',
        where: server.shown('quiet'),
        fsync: 'on',
        synchronousCommit: 'on',
        synchronousStandbyNames: '',
        singleNode: true,
      },
    );
    const second = await starting(address, folder('quiet-2'), SINGLE).outcome;
    assert.match(second.errors, /the log postgres:\/\/venue@127\.0\.0\.1:\d+\/quiet is in use by process \d+ on/);
    await venue.stop();
    const outputs = [
      venue.errors,
      JSON.stringify(health),
      second.errors,
      (await starting(server.address('nowhere'), folder('quiet-3'), SINGLE).outcome).errors,
      (await starting(address.replace('venue:', 'nobody:'), folder('quiet-4'), SINGLE).outcome).errors,
      (await starting(address.replace(/:\d+\//, ':1/'), folder('quiet-5'), SINGLE).outcome).errors,
      (await starting(address.replace('postgres://', 'postgre://'), folder('quiet-6'), SINGLE).outcome).errors,
      (await starting(`${address}#x`, folder('quiet-7'), SINGLE).outcome).errors,
      bourse('verify', address.replace('postgres://', 'postgre://')).stderr,
      bourse('backup', address, folder('quiet-8')).stderr,
      bourse('log', 'archive', address, '--to', folder('quiet-9')).stderr,
    ];
    for (const output of outputs) {
      assert.ok(output.length > 0);
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) assert.ok(!output.includes(secret), output);
    }
  });

  test('a folder that holds a log, a manual clock, and a log that is behind the archive are refused by name', async () => {
    const own = folder('own');
    const held = await VenueProcess.start(own);
    await held.stop();
    const address = server.database('named');
    assert.match(
      (await starting(address, own, SINGLE).outcome).errors,
      /own holds the log of a venue, and --log names postgres/,
    );
    const manual = await starting(address, folder('manual'), SINGLE, '--clock', 'manual').outcome;
    assert.match(manual.errors, /a log in a database is for a real clock/);

    const data = folder('behind');
    const venue = await started(address, data, SINGLE);
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    const [{ orderId }] = await venue.alice.placeSpotOrder(restingOrder(1));
    // A stop does not wait for long until a slow archive has everything.
    await answered(() => venue.control.request('GET', `/orders/${orderId}`));
    assert.equal(await venue.stop(), 0);
    server.sql(
      'named',
      'DELETE FROM bourse.frame WHERE seq > 2',
      'DELETE FROM bourse.file WHERE name LIKE $$%.snapshot$$',
    );
    assert.match(
      (await starting(address, data, SINGLE).outcome).errors,
      /archive\.db reaches seq \d+: \d+ commands that were acknowledged/,
    );
  });

  test('a user without rights, and tables of a newer version, are refused by name', async () => {
    const address = server.database('rights');
    server.sql('rights', `CREATE USER guest PASSWORD '${PASSWORD}'`);
    const guest = await starting(address.replace('venue:', 'guest:'), folder('rights-1'), SINGLE).outcome;
    assert.match(guest.errors, /the log in postgres:\/\/guest@.*\/rights cannot be used: permission denied/);
    await (await started(address, folder('rights-2'), SINGLE)).stop();
    server.sql('rights', 'UPDATE bourse.writer SET format = 3');
    const newer = await starting(address, folder('rights-2'), SINGLE).outcome;
    assert.match(newer.errors, /this version cannot read the command log: the database: tables of format 3/);
  });

  test('when the disk of the server is full, the venue is read-only, and goes on by itself when there is room', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('mounting a small disk needs root');
    const address = server.database('filled');
    const small = server.mount('400k');
    server.sql('filled', `CREATE TABLESPACE small LOCATION '${small}'`);
    let venue = await started(address, folder('full'), SINGLE);
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    assert.equal(await venue.stop(), 0);
    server.sql('filled', 'ALTER TABLE bourse.frame_0 SET TABLESPACE small');
    venue = await started(address, folder('full'), SINGLE);
    const orders = new Orders();
    let refusal: VenueError | undefined;
    for (let id = 100_000; refusal === undefined; id += 1) {
      await venue.alice.placeSpotOrder(restingOrder(id)).catch((error) => {
        refusal = error;
      });
    }
    assert.deepEqual([refusal.status, refusal.code], [503, -11]);
    assert.match(refusal.message, /read-only, no space left for the command log/);
    const { length } = await venue.alice.openSpotOrders('BTC-USDT');
    server.resize(small, '16m');
    await untilReady(venue);
    let placed = 0;
    await orders.place(venue, () => placed++ < 10);
    assert.equal(orders.acknowledged.length, 10);
    assert.equal((await venue.alice.openSpotOrders('BTC-USDT')).length, length + 10);
    assert.equal(await venue.stop(), 0);
    assert.equal(printed(bourse('verify', address)).ok, true);
  });

  test('a changed bit in a frame is refused with its place', async () => {
    const address = server.database('flipped');
    const venue = await started(address, folder('flipped'), SINGLE);
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    for (let id = 0; id < 5; id += 1) await venue.alice.placeSpotOrder(restingOrder(id));
    await venue.kill();
    server.sql(
      'flipped',
      'UPDATE bourse.frame SET frame = set_byte(frame, 150, get_byte(frame, 150) # 1) WHERE seq = 3',
    );
    const { status, stderr } = bourse('verify', address);
    assert.equal(status, 1);
    assert.match(stderr, /"place":"00000001\.log at offset \d+","reason":"a row that is no complete frame"/);
  });

  test('rounds of SIGKILL of the venue lose no acknowledged order and double none', async () => {
    const address = server.database('killed');
    let venue = await started(address, folder('killed-0'), SINGLE);
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    const orders = new Orders();
    for (let round = 1; round <= 5; round += 1) {
      const target = orders.sent.size + 40 * round;
      const load = Promise.all([1, 2, 3, 4].map(() => orders.place(venue, () => true)));
      while (orders.sent.size < target) await delay(5);
      await venue.kill();
      await load;
      venue = await started(address, folder(`killed-${round % 2}`), SINGLE);
      assert.deepEqual(await orders.wrong(venue), [], `round ${round}`);
      assert.equal(venue.ready.epoch, round + 1);
      assert.equal((await venue.control.audit()).ok, true);
    }
    assert.ok(orders.acknowledged.length > 100);
    assert.equal(await venue.stop(), 0);
    assert.equal(printed(bourse('verify', address)).ok, true);
  });

  test('while the server is gone, clients hear after 2 s that the outcome is unknown; when it is back, it is known', async () => {
    const lost = await PostgresServer.start();
    const address = lost.database('lost');
    const venue = await started(address, folder('lost'), SINGLE);
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    const orders = new Orders();
    for (let round = 1; round <= 3; round += 1) {
      const target = orders.acknowledged.length + 50;
      let stopped = false;
      const load = Promise.all([1, 2, 3, 4].map(() => orders.place(venue, () => !stopped)));
      while (orders.acknowledged.length < target) await delay(5);
      const unknown = orders.unknown;
      await lost.kill();
      while (orders.unknown === unknown) await delay(20);
      stopped = true;
      await load;
      await assert.rejects(venue.alice.placeSpotOrder(restingOrder(999_999)), (error) => {
        assert.ok(error instanceof VenueError);
        assert.deepEqual([error.status, error.code], [503, -11]);
        assert.match(
          error.message,
          /read-only, the command log cannot be written: the database has not answered for 2 s/,
        );
        return true;
      });
      await lost.resume();
      await untilReady(venue);
      assert.deepEqual(await orders.wrong(venue), [], `round ${round}`);
    }
    assert.equal(venue.ready.epoch, 1, 'it was the same venue all the time');
    assert.equal(await venue.stop(), 0);
    assert.equal(printed(bourse('verify', address)).ok, true);
    await lost.remove();
  });
});
