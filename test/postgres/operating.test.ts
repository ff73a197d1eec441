/** The commands of docs/operating.md about several machines, as they are written: set up, take over, promote, upgrade, back up, restore. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ControlClient } from '../../src/client/control.ts';
import { documented, Network, type StartedVenue, type Step, stepsOf } from './machines.ts';
import { skipLong } from './server.ts';
import { answers } from './venue.ts';

const KEY = '/etc/bourse/master.key';
const [SERVERS, PRIMARY, STANDBY_SERVERS, LEADER, STANDBY] = stepsOf(documented('**Two machines.**'));
const [ACCOUNT] = stepsOf(documented('A new venue has no account'));
const [RECEIVED, PROMOTE] = stepsOf(documented('the machine db-1 is lost'));
const [REBUILD] = stepsOf(documented('Never start the old primary again'));
const [ARCHIVE, BACK, BASE_BACKUP] = stepsOf(documented('### Backup and restore'));
const [RESTORE, VERIFY] = stepsOf(documented('Also keep the master key'));

describe('docs/operating.md: several machines', { skip: skipLong }, () => {
  let network: Network;
  let leader: StartedVenue;
  let standby: StartedVenue;
  before(async () => {
    network = await Network.start('db-1', 'db-2', 'db-3');
  });
  after(() => network?.end());

  /** Runs the lines of a step on each of its machines. */
  const run = ({ machines, lines }: Step): void => {
    for (const name of machines) {
      const own = lines.map((line) => line.replace(/(?<=application_name=)db_\d/, name.replace('-', '_')));
      network.machine(name).run(...own);
    }
  };
  const asked = (name: string, statement: string): string =>
    network.machine(name).run(`psql -XAtc "${statement}"`).trim();
  const start = ({ machines: [name], lines }: Step): StartedVenue => network.machine(name).start(...lines);

  /** The control surface of a venue that runs on the machine. */
  function controlOf(name: string, { control }: StartedVenue): ControlClient {
    const file = network.machine(name).path('/var/lib/bourse/control-token');
    return new ControlClient({ url: control, token: fs.readFileSync(file, 'utf8').trim() });
  }

  /** Changes the venue once it can be changed, and returns its state then. On a busy machine a lease may expire for a moment. */
  function changed(client: ControlClient, index: number): Promise<{ seq: number; hash: string }> {
    return answers(async () => {
      await client.setPrices('BTC-USDT', { index });
      return (await client.state()) as { seq: number; hash: string };
    });
  }

  test('two machines in twenty lines', async () => {
    const lines = documented('**Two machines.**').filter((line) => !line.startsWith('#'));
    assert.ok(lines.length <= 20, `${lines.length} lines`);
    for (const step of [SERVERS, PRIMARY, STANDBY_SERVERS]) run(step);
    for (const name of ['db-2', 'db-3']) {
      assert.equal(asked(name, 'SHOW wal_receiver_timeout'), '5s');
      assert.match(asked(name, 'SHOW primary_conninfo'), /connect_timeout=2 /);
    }
    leader = start(LEADER);
    await leader.event();
    const made = network.machine('db-1').bourse(`export BOURSE_CONTROL_URL=${leader.control}`, ...ACCOUNT.lines);
    assert.match(made, /"secret":/);
    const [one, two] = ['db-1', 'db-2'].map((name) => network.machine(name).path(KEY));
    fs.mkdirSync(dirname(two), { recursive: true });
    fs.copyFileSync(one, two);
    standby = start(STANDBY);
    assert.equal((await standby.event()).role, 'standby');
    const { seq, hash } = await changed(controlOf('db-1', leader), 100_000);
    const there = await answers(() => controlOf('db-2', standby).request('GET', `/state?atLeastSeq=${seq}`));
    assert.equal((there as { hash: string }).hash, hash);
    leader.child.kill('SIGKILL');
    assert.equal((await standby.event()).event, 'leading');
    leader = standby;
    await changed(controlOf('db-2', leader), 100_001);
  });

  test('an upgrade: the standby is replaced, and the leader hands over', async () => {
    // The leader is on db-2 now.
    const next = start({ ...STANDBY, machines: ['db-1'] });
    assert.equal((await next.event()).role, 'standby');
    assert.equal(await leader.stop(), 0);
    assert.equal((await next.event()).event, 'leading');
    leader = next;
    await changed(controlOf('db-1', leader), 100_002);
    standby = start(STANDBY);
    assert.equal((await standby.event()).role, 'standby');
  });

  test('a backup, and a moment of it restored on another machine', async () => {
    run({ ...ARCHIVE, machines: ARCHIVE.machines.toReversed() });
    run(BACK);
    run(BASE_BACKUP);
    const backups = () => fs.readdirSync(network.path('/backup')).filter((name) => name.startsWith('base-'));
    const [first, ...others] = backups();
    assert.deepEqual(others, []);
    network
      .machine('db-2')
      .run(
        `cp -a /backup/${first} /backup/base-20260101T000000`,
        "touch -d '9 days ago' /backup/base-20260101T000000",
        `mv /backup/${first} /backup/base-20260102T000000`,
        "touch -d '3 days ago' /backup/base-20260102T000000",
      );
    fs.writeFileSync(network.path('/backup/wal/000000010000000000000001'), 'before every backup');
    run(BASE_BACKUP);
    assert.equal(backups().length, 2);
    assert.equal(backups()[0], 'base-20260102T000000');
    assert.equal(fs.existsSync(network.path('/backup/wal/000000010000000000000001')), false);
    const client = controlOf('db-1', leader);
    const restored = await changed(client, 100_003);
    const moment = asked('db-1', 'SELECT clock_timestamp()');
    await delay(20);
    const last = await changed(client, 100_004);
    assert.ok(last.seq > restored.seq);
    const file = asked('db-1', 'SELECT pg_walfile_name(pg_switch_wal())');
    while (!fs.existsSync(join(network.path('/backup/wal'), file))) await delay(50);
    network.add('db-4');
    run({ ...RESTORE, lines: RESTORE.lines.map((line) => line.replace(/(?<=target_time = ')[^']*/, moment)) });
    const verified = JSON.parse(network.machine('db-4').bourse(...VERIFY.lines));
    assert.deepEqual([verified.ok, verified.seq, verified.hash], [true, restored.seq, restored.hash]);
  });

  test('a standby of the restored server stays one after the first commit', async () => {
    network.add('db-5');
    run({ ...SERVERS, machines: ['db-5'] });
    const lines = STANDBY_SERVERS.lines.map((line) => line.replace('host=db-1,db-2,db-3', 'host=db-4'));
    run({ ...STANDBY_SERVERS, machines: ['db-5'], lines });
    asked('db-4', 'CREATE TABLE later ()');
    const isThere = "SELECT count(*) FROM pg_class WHERE relname = 'later'";
    while (asked('db-5', isThere) !== '1') await delay(50);
    assert.equal(asked('db-5', 'SELECT pg_is_in_recovery()'), 't');
  });

  test('the machine of the primary is lost: the standby that has received more is promoted', async () => {
    const before = await answers(() => controlOf('db-2', standby).state());
    await network.machine('db-1').end();
    assert.throws(() => run(REBUILD), 'nobody is the primary yet');
    assert.throws(() => asked('db-1', 'SELECT 1'), 'so nothing was started');
    const received = RECEIVED.machines.map(
      (name) => [name, lsn(network.machine(name).run(...RECEIVED.lines))] as const,
    );
    const [[best]] = received.toSorted(([, a], [, b]) => b - a);
    run({ ...PROMOTE, machines: [best] });
    assert.equal((await standby.event()).event, 'leading');
    const after = await changed(controlOf('db-2', standby), 100_005);
    assert.ok(after.seq > before.seq);
    run(REBUILD);
    assert.equal(asked('db-1', 'SELECT pg_is_in_recovery()'), 't');
    const isBack = "SELECT count(*) FROM pg_stat_replication WHERE application_name = 'db_1' AND state = 'streaming'";
    while (asked(best, isBack) !== '1') await delay(50);
    assert.equal(await standby.stop(), 0);
  });
});

function lsn(text: string): number {
  const [high, low] = text
    .trim()
    .split('/')
    .map((part) => Number.parseInt(part, 16));
  return high * 2 ** 32 + low;
}
