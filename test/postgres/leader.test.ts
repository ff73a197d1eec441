/** One leader at a time: who takes over, who is fenced, and what a cluster of three servers keeps when its primary dies. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { VenueError } from '../../src/client/request.ts';
import { bourse, printed, scratch } from '../crash/process.ts';
import { seeded } from '../sim/seeded.ts';
import { endServers, PostgresServer, skipLong } from './server.ts';
import { answers, Orders, restingOrder, started, starting, untilReady } from './venue.ts';

const SINGLE = '--accept-single-node';
const ROUNDS = 2;
const SEED = Number(process.env.BOURSE_POSTGRES_SEED ?? 1);

describe('the leader of a log in PostgreSQL', { skip: skipLong }, () => {
  after(endServers);
  const folder = (name: string) => join(scratch, name);
  /** From the kill of a leader to the first order that its standby accepted. */
  const takeOversMs: number[] = [];

  test('of two first starts at once on an empty database one leads, and the other says who does', async () => {
    const server = await PostgresServer.start();
    for (let round = 0; round < 4; round += 1) {
      const address = server.database(`both_${round}`);
      const names = [`both-${round}-1`, `both-${round}-2`];
      const starts = names.map((name) => starting(address, folder(name), SINGLE));
      const outcomes = await Promise.all(starts.map(({ outcome }) => outcome));
      const [won] = outcomes.flatMap(({ ready }) => ready ?? []);
      assert.equal(
        outcomes.filter(({ ready }) => ready !== undefined).length,
        1,
        outcomes.map(({ errors }) => errors).join(),
      );
      const lost = outcomes.findIndex(({ ready }) => ready === undefined);
      const leads = new RegExp(`the log postgres://\\S+/both_${round} is in use by process ${won.child.pid} on `);
      let { errors } = outcomes[lost];
      // A busy server may take longer to let anybody in.
      while (/timeout expired/.test(errors)) {
        ({ errors } = await starting(address, folder(names[lost]), SINGLE).outcome);
      }
      assert.match(errors, leads);
      assert.equal(won.ready.epoch, 1);
      assert.equal(await won.stop(), 0);
    }
    await server.remove();
  });

  test('one that was stopped beyond its lease is fenced before it answers anything, and exits', async () => {
    const server = await PostgresServer.start();
    const address = server.database('stopped');
    const first = await started(address, folder('stopped-1'), SINGLE);
    await first.control.setPrices('BTC-USDT', { index: 100_000 });
    const [{ orderId }] = await first.alice.placeSpotOrder(restingOrder(1));
    first.child.kill('SIGSTOP');
    // They wait in the sockets of the stopped process.
    const waiting = [
      first.alice.spotOrder({ orderId }),
      first.alice.placeSpotOrder(restingOrder(2)),
      first.control.state(),
    ].map((reply) =>
      reply.then(
        () => 'answered',
        (error: Error) => error.message,
      ),
    );
    const second = await started(address, folder('stopped-2'), SINGLE);
    assert.equal(second.ready.epoch, 2);
    await second.alice.cancelSpotOrder('BTC-USDT', { orderId });
    first.child.kill('SIGCONT');
    const answers = await Promise.all(waiting);
    assert.ok(!answers.includes('answered'), answers.join('\n'));
    assert.equal(await first.ended, 1);
    assert.match(first.errors, /another process has taken over the log/);
    await second.alice.placeSpotOrder(restingOrder(3));
    const open = await second.alice.openSpotOrders('BTC-USDT');
    assert.deepEqual(
      open.map(({ clOrderId }) => clOrderId),
      ['order-3'],
    );
    assert.equal(await second.stop(), 0);
    assert.equal(printed(bourse('verify', address)).ok, true);
    await server.remove();
  });

  test('a standby waits, and takes over from a leader that is killed: nothing acknowledged is lost', async () => {
    const server = await PostgresServer.start();
    const address = server.database('standby');
    let leader = await started(address, folder('standby-0'), SINGLE);
    await leader.control.setPrices('BTC-USDT', { index: 100_000 });
    const orders = new Orders();
    for (let round = 1; round <= 3; round += 1) {
      const standby = starting(address, folder(`standby-${round}`), SINGLE, '--standby');
      while (!/standby: process \d+ on .* leads/.test(standby.errors)) await delay(20);
      const target = orders.acknowledged.length + 50;
      const load = Promise.all([1, 2, 3, 4].map(() => orders.place(leader, () => true)));
      while (orders.acknowledged.length < target) await delay(5);
      const killedAt = performance.now();
      await leader.kill();
      await load;
      const ready = await standby.leading;
      assert.ok(ready !== undefined, standby.errors);
      const order = { ...restingOrder(0), symbol: 'ETH-USDT', orderPrice: 1000, clOrderId: `bob-${round}` };
      const [{ status }] = await answers(() => ready.bob.placeSpotOrder(order));
      assert.equal(status, 2);
      takeOversMs.push(performance.now() - killedAt);
      assert.deepEqual(await orders.wrong(ready), [], `round ${round}`);
      leader = ready;
    }
    assert.equal(await leader.stop(), 0);
    assert.equal(printed(bourse('verify', address)).ok, true);
    await server.remove();
  });

  test(`${ROUNDS} rounds: the primary of three servers dies under load, a standby is promoted, and nothing acknowledged is lost (seed ${SEED})`, async () => {
    const random = seeded(SEED);
    for (let round = 1; round <= ROUNDS; round += 1) await promoteUnderLoad(folder(`quorum-${round}`), random);
  });

  test('while no standby answers, nothing is acknowledged, whoever ends the wait; when one is back, all of it is known', async () => {
    const primary = await PostgresServer.start();
    const standby = await primary.standby('a');
    primary.set({ synchronous_standby_names: 'ANY 1 (a)' });
    primary.reload();
    const address = primary.database('alone');
    const venue = await started(address, folder('alone'));
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    const orders = new Orders();
    standby.signal('SIGSTOP');
    let stopped = false;
    const load = Promise.all([1, 2, 3].map(() => orders.place(venue, () => !stopped)));
    // Whoever ends the wait for the standbys makes the server answer as if all were well, but for a warning.
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while (primary.sql('alone', cancel) === '') await delay(20);
    while (orders.unknown === 0) await delay(20);
    assert.equal(orders.acknowledged.length, 0);
    stopped = true;
    await load;
    const reason = /the database answers, but none of its standby servers confirms what it writes/;
    const refusal = (asked: Promise<unknown>) =>
      asked.then(
        () => 'nothing is refused',
        ({ body }: VenueError) => JSON.stringify(body),
      );
    // The look at the servers takes a moment.
    while (!reason.test(venue.errors)) await delay(20);
    assert.match(await refusal(venue.alice.placeSpotOrder(restingOrder(999_999))), reason);
    assert.match(await refusal(venue.control.request('GET', '/health')), reason);
    standby.signal('SIGCONT');
    await untilReady(venue);
    assert.deepEqual(await orders.wrong(venue), []);
    const open = await venue.alice.openSpotOrders('BTC-USDT');
    assert.equal(open.length, orders.sent.size, 'what was unknown has happened, once');
    assert.equal(await venue.stop(), 0);
    await standby.remove();
    await primary.remove();
  });

  test('when the disk of the primary is full, down to its own log, nothing acknowledged is lost, and it goes on with room', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('mounting a small disk needs root');
    const primary = await PostgresServer.start({
      disk: '200m',
      // As docs/operating.md says: without what the standbys lack they cannot come back.
      settings: { max_wal_size: '48MB', min_wal_size: '32MB', wal_keep_size: '64MB' },
    });
    const standbys = [await primary.standby('a'), await primary.standby('b')];
    primary.set({ synchronous_standby_names: 'ANY 1 (a, b)' });
    primary.reload();
    const venue = await started(primary.database('filled'), folder('filled'));
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    const orders = new Orders();
    let stopped = false;
    const load = Promise.all([1, 2, 3].map(() => orders.place(venue, () => !stopped, 1)));
    while (orders.acknowledged.length < 50) await delay(5);
    const makeRoom = primary.fill();
    while (orders.refused + orders.unknown === 0) await delay(20);
    // The server needs room for its own log too, and ends without it.
    for (let n = 0; n < 20 && primary.isRunning; n += 1) {
      try {
        primary.sql('filled', 'SELECT pg_switch_wal()');
      } catch {
        break;
      }
    }
    await delay(500);
    makeRoom();
    await delay(500);
    if (!primary.isRunning) await primary.resume();
    await untilReady(venue);
    const before = orders.acknowledged.length;
    while (orders.acknowledged.length < before + 20) await delay(5);
    stopped = true;
    await load;
    assert.deepEqual(await orders.wrong(venue), []);
    assert.equal(await venue.stop(), 0);
    for (const server of [primary, ...standbys]) await server.remove();
  });

  async function promoteUnderLoad(data: string, random: () => number): Promise<void> {
    const primary = await PostgresServer.start();
    const standbys = [await primary.standby('a'), await primary.standby('b')];
    primary.set({ synchronous_standby_names: 'ANY 1 (a, b)' });
    primary.reload();
    primary.database('bourse');
    const hosts = [primary, ...standbys].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const address = primary.address('bourse').replace(`127.0.0.1:${primary.port}`, hosts);
    const venue = await started(address, data);
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    const orders = new Orders();
    let stopped = false;
    const load = Promise.all([1, 2, 3, 4].map(() => orders.place(venue, () => !stopped)));
    while (orders.acknowledged.length < 50) await delay(5);
    await delay(random() * 500);
    await primary.kill();
    // The one that has more of the log, as Patroni decides it.
    const [best, other] = standbys.toSorted((a, b) => b.received() - a.received());
    best.set({ synchronous_standby_names: 'ANY 1 (a, b)' });
    other.follow(best, best === standbys[0] ? 'b' : 'a');
    best.reload();
    await other.stop();
    best.promote();
    await other.resume();
    stopped = true;
    await load;
    await untilReady(venue);
    assert.deepEqual(await orders.wrong(venue), []);
    const before = orders.acknowledged.length;
    stopped = false;
    const more = Promise.all([1, 2].map(() => orders.place(venue, () => orders.acknowledged.length < before + 20)));
    await more;
    assert.deepEqual(await orders.wrong(venue), []);
    const { seq, hash } = await venue.control.state();
    assert.equal(await venue.stop(), 0);
    const replayed = printed(bourse('replay', address, '--json'));
    assert.deepEqual([replayed.seq, replayed.hash], [seq, hash]);
    await venue.ended;
    for (const server of [primary, ...standbys]) await server.remove();
  }
});
