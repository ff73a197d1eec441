/** Standbys that follow the log of their leader: what they answer, how they take over, and what they wait for. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { VenueError } from '../../src/client/request.ts';
import { start } from '../../src/start.ts';
import { bourse, printed, scratch, VenueProcess } from '../crash/process.ts';
import { endServers, PostgresServer, skipLong } from './server.ts';
import { restingOrder, started, starting, untilReady } from './venue.ts';

const SINGLE = '--accept-single-node';

describe('a standby of a log in PostgreSQL', { skip: skipLong }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(endServers);

  /** A leader, and a standby of it that is ready. */
  async function pair(name: string) {
    const address = server.database(name);
    const leader = await started(address, join(scratch, `${name}-1`), SINGLE);
    await leader.control.setPrices('BTC-USDT', { index: 100_000 });
    const node = starting(address, join(scratch, `${name}-2`), SINGLE, '--standby');
    const { ready: standby, errors } = await node.outcome;
    assert.ok(standby !== undefined, errors);
    await untilReady(standby);
    return { address, leader, standby, node };
  }

  test('it answers look-ups as the leader does, with the seq that they have, and waits for one that a client names', async () => {
    const { leader, standby } = await pair('reads');
    const path = '/spot/api/v3.3/price?symbol=BTC-USDT';
    for (let id = 0; id < 20; id += 1) {
      const [{ orderId }] = await leader.alice.placeSpotOrder(restingOrder(id));
      const { seq } = (await leader.control.state()) as { seq: number };
      const reply = await fetch(`${standby.ready.http}${path}&atLeastSeq=${seq}`);
      assert.equal(reply.status, 200);
      assert.ok(Number(reply.headers.get('bourse-seq')) >= seq);
      assert.equal((await standby.alice.spotOrder({ orderId })).clOrderId, `order-${id}`);
    }
    const ahead = await fetch(`${standby.ready.http}${path}&atLeastSeq=1000000`);
    assert.equal(ahead.status, 503);
    assert.match(await ahead.text(), /this venue is at seq \d+, and atLeastSeq is 1000000: try again later/);
    const malformed = await fetch(`${standby.ready.http}${path}&atLeastSeq=soon`);
    assert.equal(malformed.status, 400);
    const { seq, hash } = await leader.control.state();
    const there = (await standby.control.request('GET', `/state?atLeastSeq=${seq}`)) as { seq: number; hash: string };
    assert.deepEqual([there.seq, there.hash], [seq, hash]);
    assert.deepEqual(await standby.alice.openSpotOrders('BTC-USDT'), await leader.alice.openSpotOrders('BTC-USDT'));
    assert.equal((await standby.control.audit()).ok, true);
    await standby.kill();
    assert.equal(await leader.stop(), 0);
  });

  test('what changes the venue is refused, and names the leader: 503 for clients, 409 on the control surface', async () => {
    const { leader, standby } = await pair('refusals');
    await assert.rejects(standby.alice.placeSpotOrder(restingOrder(1)), (error: VenueError) => {
      assert.deepEqual([error.status, error.code], [503, -11]);
      assert.ok(error.message.includes(`the leader is ${leader.ready.http}`), error.message);
      return true;
    });
    const refused = (error: VenueError) => {
      assert.equal(error.status, 409);
      assert.ok(error.message.includes(`the leader is ${leader.ready.control}`), error.message);
      return true;
    };
    await assert.rejects(standby.control.setPrices('BTC-USDT', { index: 1 }), refused);
    await assert.rejects(standby.control.request('POST', '/clock', { acceptWall: true }), refused);
    await assert.rejects(standby.control.request('POST', '/snapshot', {}), refused);
    await assert.rejects(standby.control.request('POST', '/reset', {}), refused);
    assert.equal(await wordOf(standby, 'readyz'), '503 standby\n');
    assert.equal(await wordOf(leader, 'readyz'), '200 ready\n');
    const health = (await untilReady(standby)) as { role: string; leader: object; lag: object };
    const { http, control } = leader.ready;
    const name = `process ${leader.child.pid} on `;
    assert.equal(health.role, 'standby');
    assert.ok(JSON.stringify(health.leader).includes(name));
    assert.deepEqual({ ...health.leader, name: '' }, { name: '', http, control });
    assert.deepEqual(health.lag, { commands: 0, ms: 0 });
    assert.equal(((await untilReady(leader)) as { role: string }).role, 'leader');
    const metrics = String(await standby.control.request('GET', '/metrics'));
    assert.match(metrics, /^bourse_leader 0$/m);
    assert.match(metrics, /^bourse_standby_lag_commands 0$/m);
    assert.equal(await standby.stop(), 0);
    assert.match(standby.errors, /stopped; the log stays with its leader/);
    assert.equal(await leader.stop(), 0);
  });

  test('when the leader is stopped, it takes over from the sealed log, with the same state, and the old one can be its standby', async () => {
    const { address, leader, standby, node } = await pair('handed');
    for (let id = 0; id < 5; id += 1) await leader.alice.placeSpotOrder(restingOrder(id));
    const { seq, hash } = await leader.control.state();
    assert.equal(await leader.stop(), 0);
    const led = await node.leading;
    assert.ok(led !== undefined, node.errors);
    assert.deepEqual([led.ready.epoch, led.ready.seq], [2, seq]);
    assert.equal((await led.control.state()).hash, hash);
    await led.alice.placeSpotOrder(restingOrder(5));
    assert.equal(await wordOf(standby, 'readyz'), '200 ready\n');
    const back = starting(address, join(scratch, 'handed-1'), SINGLE, '--standby');
    const { ready: second, errors } = await back.outcome;
    assert.ok(second !== undefined, errors);
    assert.equal((await second.alice.openSpotOrders('BTC-USDT')).length, 6);
    assert.equal(await led.stop(), 0);
    assert.ok((await back.leading) !== undefined, back.errors);
    await untilReady(second);
    assert.equal(await second.stop(), 0);
    assert.equal(printed(bourse('verify', address)).ok, true);
  });

  test('one of other rules says so, serves nothing, and continues the log when the leader has sealed it', async () => {
    const address = server.database('rules');
    const leader = await started(address, join(scratch, 'rules-1'), SINGLE);
    await leader.control.setPrices('BTC-USDT', { index: 100_000 });
    const notices: string[] = [];
    const next = start({
      data: join(scratch, 'rules-2'),
      log: address,
      standby: true,
      acceptSingleNode: true,
      host: '127.0.0.1',
      port: 0,
      controlHost: '127.0.0.1',
      controlPort: 0,
      masterKeys: [masterKey()],
      rules: '1000',
      demo: false,
      notice: (text) => notices.push(text),
      onBug: (error) => assert.fail(String(error)),
      onFatal: (error) => assert.fail(error),
    });
    while (!notices.some((text) => /the leader applies rules \d+, and this version rules 1000/.test(text))) {
      await delay(20);
    }
    // Nobody may continue a log that other rules have not sealed.
    await leader.kill();
    await delay(1500);
    const again = await started(address, join(scratch, 'rules-1'), SINGLE);
    const { seq } = (await again.control.state()) as { seq: number };
    assert.equal(await again.stop(), 0);
    const venue = await next;
    assert.equal(venue.engine.venue.seq, seq);
    assert.ok(notices.some((text) => /rules 1000 continue the log that rules \d+ made/.test(text)));
    await venue.stop();
  });

  test('one with another master key is refused by name, and one whose key was rotated elsewhere ends before it could lead', async () => {
    const address = server.database('keys');
    const config = file('keyless.json', JSON.stringify({ markets: [{ symbol: 'BTC-USDT' }] }));
    const [old, older, other, rotated] = ['ab', 'ab', 'cd', `${'ef'.repeat(32)}\nab`].map((key, i) =>
      file(`${i}.key`, `${key}${key.slice(-2).repeat(31)}\n`),
    );
    const on = (key: string, folder: string, ...more: string[]) => {
      const environment = { BOURSE_LOG: address, BOURSE_MASTER_KEY_FILE: key };
      return VenueProcess.startIn(environment, join(scratch, folder), SINGLE, '--config', config, ...more);
    };
    const leader = (await on(old, 'keys-1').outcome).ready as VenueProcess;
    const refused = await on(other, 'keys-2', '--standby').outcome;
    assert.equal(refused.ready, undefined);
    assert.match(refused.errors, /the master key is not the one that the log in postgres:/);
    const node = on(older, 'keys-2', '--standby');
    const standby = (await node.outcome).ready as VenueProcess;
    // The leader's machine gets a new master key. The standby does not get the log meanwhile.
    standby.child.kill('SIGSTOP');
    assert.equal(await leader.stop(), 0);
    const again = (await on(rotated, 'keys-1').outcome).ready as VenueProcess;
    standby.child.kill('SIGCONT');
    assert.equal(await node.ended, 1);
    assert.match(node.errors, /OtherMasterKey.*every machine needs the new file/);
    assert.equal(await again.stop(), 0);
  });

  test('one with an older configuration than the log says so in its log and in /health, before it leads and after', async () => {
    const address = server.database('older');
    const [one, two] = [['alice'], ['alice', 'dave']].map((names) => {
      const accounts = names.map((name) => ({ name, balances: { USDT: 5 } }));
      return file(`${names.length}.json`, JSON.stringify({ markets: [{ symbol: 'BTC-USDT' }], accounts }));
    });
    const leader = await started(address, join(scratch, 'older-1'), SINGLE, '--config', one);
    const node = starting(address, join(scratch, 'older-2'), SINGLE, '--config', one, '--standby');
    const standby = (await node.outcome).ready as VenueProcess;
    standby.child.kill('SIGSTOP');
    assert.equal(await leader.stop(), 0);
    const newer = await started(address, join(scratch, 'older-1'), SINGLE, '--config', two);
    standby.child.kill('SIGCONT');
    const noted = async () => ((await untilReady(standby)) as { configuration?: string }).configuration ?? '';
    while ((await noted()) === '') await delay(20);
    assert.match(
      await noted(),
      /^the configuration of this standby is not that of the log.*accounts\[dave\] is missing/s,
    );
    await newer.kill();
    assert.ok((await node.leading) !== undefined, node.errors);
    assert.match(await noted(), /^this process leads without its configuration.*accounts\[dave\] is missing/s);
    assert.match(node.errors, /"level":50,[^\n]*this process leads without its configuration/);
    assert.equal(await wordOf(standby, 'readyz'), '200 ready\n');
    assert.equal(await standby.stop(), 0);
  });

  test('false news of any user of the database neither ends it nor moves what it shows', async () => {
    const { leader, standby } = await pair('news');
    server.sql('news', "CREATE ROLE stranger LOGIN PASSWORD 'x'");
    for (const payload of ["'x'", "'1.5'", "'-5'", "''", "'0x7f'", "'1e30'", "'999999999'"]) {
      server.sql('news', 'SET ROLE stranger', `NOTIFY bourse, ${payload}`);
    }
    await leader.alice.placeSpotOrder(restingOrder(1));
    const { seq } = (await leader.control.state()) as { seq: number };
    const there = (await standby.control.request('GET', `/state?atLeastSeq=${seq}`)) as { seq: number };
    assert.equal(there.seq, seq);
    const { lag } = (await untilReady(standby)) as { lag: { commands: number } };
    assert.equal(lag.commands, 0);
    await standby.kill();
    assert.equal(await leader.stop(), 0);
  });

  test('one on the data folder of another venue is refused by name', async () => {
    const [address, other] = [server.database('mine'), server.database('other')];
    const leader = await started(address, join(scratch, 'mine'), SINGLE);
    const another = await started(other, join(scratch, 'other'), SINGLE);
    await another.control.setPrices('BTC-USDT', { index: 100_000 });
    await untilReady(another);
    assert.equal(await another.stop(), 0);
    const { ready, errors } = await starting(address, join(scratch, 'other'), SINGLE, '--standby').outcome;
    assert.equal(ready, undefined);
    assert.match(errors, /archive.db belongs to another venue/);
    assert.equal(await leader.stop(), 0);
  });
});

/** A private file beside the data folders. */
function file(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function wordOf(venue: VenueProcess, probe: string): Promise<string> {
  const reply = await fetch(`${venue.ready.control}/${probe}`);
  return `${reply.status} ${await reply.text()}`;
}

function masterKey(): string {
  return readFileSync(join(scratch, 'master.key'), 'utf8').trim();
}
