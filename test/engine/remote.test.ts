/** An engine whose log is on another machine: it may not answer, and another process may take it over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineReadOnly, EngineStopped, OutcomeUnknown } from '../../src/engine/contract/errors.ts';
import { realWorld, type World } from '../../src/engine/contract/world.ts';
import { Engine } from '../../src/engine/host.ts';
import { LogFailed } from '../../src/log/contract/command-log.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { listenOver } from '../support/engine-gateway.ts';
import { recoverOn } from '../support/storage.ts';
import { FarLog } from './far-log.ts';
import { buy, engineOn, PRICES, RULES, SEGMENT_BYTES } from './support.ts';

async function far(world: World = realWorld) {
  const disk = new SimDisk();
  const first = await engineOn(disk, 'manual');
  await first.engine.submit(PRICES);
  await first.engine.stop();
  const { log, venue } = await recoverOn(disk, { rulesVersion: RULES, segmentBytes: SEGMENT_BYTES });
  const farLog = new FarLog(log);
  const fatal: Error[] = [];
  const notices: string[] = [];
  const engine = new Engine({
    log: farLog,
    venue,
    world,
    onFatal: (error) => fatal.push(error),
    onNotice: (text) => notices.push(text),
  });
  return { engine, log: farLog, fatal, notices };
}

test('while the log does not answer, those in flight hear that it is unknown, all others that nothing has happened', async () => {
  const { engine, log, notices } = await far();
  log.shut();
  const inFlight = [engine.submit(buy({ clientId: 'a' })), engine.submit(buy({ clientId: 'b' }))];
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = engine.submit(buy({ clientId: 'c' }));
  log.listener?.onUnknown('a test');
  for (const reply of inFlight) await assert.rejects(reply, OutcomeUnknown);
  await assert.rejects(waiting, EngineReadOnly);
  await assert.rejects(engine.submit(buy({ clientId: 'd' })), EngineReadOnly);
  assert.ok(engine.unreadable instanceof EngineReadOnly);
  assert.deepEqual(engine.health().reasons, ['read-only, the command log cannot be written: a test']);
  log.open();
  log.listener?.onUnknown(undefined);
  const { seq } = await engine.submit(buy({ clientId: 'e' }));
  assert.equal(seq, 5);
  assert.deepEqual([engine.health().ready, engine.unreadable], [true, undefined]);
  const ids = engine.venue.openOrders(0, 'spot', null).map(({ clientId }) => clientId);
  assert.deepEqual(ids.sort(), ['a', 'b', 'e'], 'what was in flight is applied, once');
  assert.deepEqual(notices, ['read-only, the command log cannot be written: a test', 'the command log answers again']);
  await engine.stop();
});

test('while another process may lead, nothing is read; once it does, the engine ends', async () => {
  const { engine, log, fatal } = await far();
  log.doubt = 'the lease is old';
  assert.match(engine.unreadable?.message ?? '', /the lease is old/);
  assert.deepEqual(engine.health().reasons, ['the lease is old']);
  log.doubt = undefined;
  assert.equal(engine.unreadable, undefined);
  const replaced = new LogFailed('another one leads');
  log.listener?.onReplaced(replaced);
  assert.deepEqual(fatal, [replaced]);
  await assert.rejects(engine.submit(buy()), EngineStopped);
  assert.deepEqual(engine.reliesOn, { kind: 'a test' });
  await engine.stop();
});

test('an idle leader that cannot show that it leads says so once for each reason, and once when it can again', async () => {
  const { engine, log, notices } = await far();
  const said = ['read-only, the command log cannot be written: no answer'];
  log.listener?.onUnshown('no answer');
  log.listener?.onUnshown('no answer');
  assert.deepEqual(notices, said);
  log.listener?.onUnshown('no standby');
  log.listener?.onUnknown('no standby');
  log.listener?.onUnknown(undefined);
  said.push('read-only, the command log cannot be written: no standby');
  assert.deepEqual(notices, said);
  log.listener?.onUnshown(undefined);
  assert.deepEqual(notices, [...said, 'the command log answers again']);
  await engine.stop();
});

test('what the gateway refuses because the log has not answered gets the reason of the log, and is counted as that', async (t) => {
  const clock = { ms: 0 };
  const world = { ...realWorld, monotonicMs: () => clock.ms };
  const { engine, log } = await far(world);
  const counted: string[] = [];
  const { gateway, url } = await listenOver(engine, {
    maxQueueMs: 50,
    world,
    onCommandRefused: (reason) => counted.push(reason),
  });
  t.after(() => gateway.close());
  const place = async () => {
    const reply = await fetch(`${url}/spot/api/v4/trade/orders`, { method: 'POST', body: '{}' });
    const { code, msg } = (await reply.json()) as { code: number; msg: string };
    return [reply.status, code, msg];
  };
  log.shut();
  const inFlight = engine.submit(buy()).catch((error: Error) => error.name);
  while (engine.waiting > 0) await new Promise((resolve) => setImmediate(resolve));
  const refusal = (reason: string) => [
    503,
    -11,
    `the venue accepts no commands: read-only, ${reason}; it tries again every second`,
  ];
  clock.ms = 80;
  const slow = 'the command log has not answered for 80 ms, and commands wait for at most 50 ms (maxQueueMs)';
  assert.deepEqual(await place(), refusal(slow));
  log.doubt = 'no standby confirms';
  assert.deepEqual(await place(), refusal('no standby confirms'));
  log.listener?.onUnknown('no answer for 2 s');
  assert.deepEqual(await place(), refusal('the command log cannot be written: no answer for 2 s'));
  assert.deepEqual(counted, ['logUnanswered', 'logUnanswered', 'logUnanswered']);
  assert.equal(await inFlight, 'OutcomeUnknown');
  log.doubt = undefined;
  log.open();
  log.listener?.onUnknown(undefined);
  assert.equal((await engine.submit(buy())).refusal, null);
  await engine.stop();
});
