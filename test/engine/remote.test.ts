/** An engine whose log is on another machine: it may not answer, and another process may take it over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineReadOnly, EngineStopped, OutcomeUnknown } from '../../src/engine/contract/errors.ts';
import { Engine } from '../../src/engine/host.ts';
import {
  type Batch,
  type CommandLog,
  LogFailed,
  type Poisoned,
  type RemoteListener,
  type RemoteLog,
  type SealedState,
} from '../../src/log/contract/command-log.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { recoverOn } from '../support/storage.ts';
import { buy, engineOn, PRICES, RULES, SEGMENT_BYTES } from './support.ts';

/** A log that answers only when the test lets it. */
class FarLog implements CommandLog {
  readonly #log: CommandLog;
  #gate: Promise<void> = Promise.resolve();
  open: () => void = () => {};
  doubt: string | undefined;
  listener: RemoteListener | undefined;

  constructor(log: CommandLog) {
    this.#log = log;
  }

  readonly remote: RemoteLog = this.#asRemote();

  #asRemote(): RemoteLog {
    const far = this;
    return {
      reliesOn: { kind: 'a test' },
      get doubt() {
        return far.doubt;
      },
      watch(listener) {
        far.listener = listener;
      },
      async announce() {},
    };
  }

  shut(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    this.open = resolve;
  }

  get epoch() {
    return this.#log.epoch;
  }

  get lastSeq() {
    return this.#log.lastSeq;
  }

  get lastTimeMs() {
    return this.#log.lastTimeMs;
  }

  get position() {
    return this.#log.position;
  }

  async append(batch: Batch): Promise<void> {
    await this.#gate;
    await this.#log.append(batch);
  }

  makeRoom(): Promise<void> {
    return this.#log.makeRoom();
  }

  poison(record: Poisoned): Promise<void> {
    return this.#log.poison(record);
  }

  seal(state?: SealedState): Promise<void> {
    return this.#log.seal(state);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

async function far() {
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
