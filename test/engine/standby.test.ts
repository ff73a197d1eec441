/** A standby that has read records which the log does not have any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../../src/engine/host.ts';
import { LossRefused } from '../../src/engine/identity/loss.ts';
import { stateHash } from '../../src/engine/replay/log-replayer.ts';
import { Standby } from '../../src/engine/standby.ts';
import { LogDamaged } from '../../src/log/contract/command-log.ts';
import type { LogFollower, LogNews, LogOrigin } from '../../src/log/contract/log-source.ts';
import type { LogStorage } from '../../src/log/contract/storage.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { storageOn } from '../support/storage.ts';
import { buy, engineOn, PRICES, RULES, START_MS, worldAt } from './support.ts';

/** A log that another process writes, and that is another one at times. */
class Seen {
  #disk: SimDisk;
  #changes = 0;
  #news: LogNews | undefined;
  seq: number;

  constructor(disk: SimDisk, seq: number) {
    this.#disk = disk;
    this.seq = seq;
  }

  /** From now on it is what is on this disk, up to `seq`. */
  show(disk: SimDisk, seq: number): void {
    this.#disk = disk;
    this.#changes += 1;
    this.#news?.onGrown(seq);
  }

  /** It has grown. */
  grow(seq: number): void {
    this.#news?.onGrown(seq);
  }

  get storage(): LogStorage {
    const seen = this;
    const now = () => storageOn(this.#disk);
    return {
      where: 'a test',
      get snapshots() {
        return now().snapshots;
      },
      get documents() {
        return now().documents;
      },
      source: {
        read: (origin) => now().source.read(origin),
        moved: async () => undefined,
        size: (position) => now().source.size(position),
        follow: async (origin?: LogOrigin): Promise<LogFollower> => {
          const log = await now().source.follow(origin);
          const changes = seen.#changes;
          return {
            get position() {
              return log.position;
            },
            take: (seq) => log.take(seq),
            async *available(seq) {
              if (changes !== seen.#changes)
                throw new LogDamaged('here', 'a frame that does not follow the one before it');
              yield* log.available(seq);
            },
          };
        },
      },
      own: () => assert.fail('it is not owned here'),
      watch(news) {
        seen.#news = news;
        queueMicrotask(() => news.onGrown(seen.seq));
        return { close() {} };
      },
    };
  }
}

/** A standby that has taken everything of a log, the seal at its end included. */
async function standbyOf(disk: SimDisk, seq: number, wallAheadMs = 0) {
  const seen = new Seen(disk, seq);
  const notices: string[] = [];
  const fatal: Error[] = [];
  const world = { ...worldAt(() => START_MS), wallMs: () => START_MS + wallAheadMs };
  const standby = await Standby.open({
    rulesVersion: RULES,
    storage: seen.storage,
    world,
    leader: { name: 'a test', addresses: undefined },
    onNotice: (text) => notices.push(text),
    onFatal: (error) => fatal.push(error),
  });
  const engine = new Engine({ log: standby.log, follows: standby, venue: standby.venue, world });
  standby.follow(engine);
  return { seen, standby, engine, notices, fatal };
}

async function turns(): Promise<void> {
  for (let i = 0; i < 50; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a record without commands that was lost is given up, and the standby goes on from what is there', async () => {
  const disk = new SimDisk();
  const first = await engineOn(disk, 'real');
  await first.engine.submit(PRICES);
  await first.engine.submit(buy());
  const before = disk.copy();
  await first.engine.stop();
  const { seen, engine, notices, fatal } = await standbyOf(disk, first.log.lastSeq);
  const next = await engineOn(before, 'real');
  await next.engine.submit(buy({ price: 980_000 }));
  seen.show(before, next.log.lastSeq);
  await turns();
  assert.deepEqual(fatal, []);
  assert.equal(engine.venue.seq, next.log.lastSeq);
  assert.equal(stateHash(engine.venue), stateHash(next.engine.venue));
  assert.deepEqual(notices, [
    'the venue was rebuilt: a record of the leader without commands was lost with a server of the database',
  ]);
  await next.engine.submit(buy({ price: 970_000 }));
  seen.grow(next.log.lastSeq);
  await turns();
  assert.equal(stateHash(engine.venue), stateHash(next.engine.venue));
});

test('a log without commands that were durable ends the standby by name', async () => {
  const disk = new SimDisk();
  const first = await engineOn(disk, 'real');
  await first.engine.submit(PRICES);
  const before = disk.copy();
  await first.engine.submit(buy());
  const { seen, fatal } = await standbyOf(disk, first.log.lastSeq);
  const next = await engineOn(before, 'real');
  await next.engine.submit(buy({ price: 980_000 }));
  seen.show(before, next.log.lastSeq);
  await turns();
  assert.ok(fatal[0] instanceof LossRefused, fatal[0]?.stack);
  assert.match(fatal[0].message, /has lost commands that were durable: this standby has applied those up to seq 3/);
});

test('news of a command that is not in the log is forgotten, and what follows is still applied only once it is durable', async () => {
  const disk = new SimDisk();
  const { engine: leader, log } = await engineOn(disk, 'real');
  await leader.submit(PRICES);
  const { seen, standby, engine } = await standbyOf(disk, log.lastSeq);
  const { lastSeq: durable } = log;
  seen.grow(999_999_999);
  await turns();
  assert.deepEqual(standby.lag, { commands: 0, ms: 0 });
  await leader.submit(buy());
  seen.grow(durable);
  await turns();
  assert.equal(engine.venue.seq, durable);
  seen.grow(log.lastSeq);
  await turns();
  assert.equal(engine.venue.seq, log.lastSeq);
  await leader.stop();
});

for (const wallAheadMs of [5000, 3_600_000, -20_000]) {
  test(`a standby whose clock is ${wallAheadMs} ms ahead has the leader's time as soon as that is known`, async () => {
    const disk = new SimDisk();
    const { engine: leader, log } = await engineOn(disk, 'real');
    await leader.submit(PRICES);
    const { seen, engine } = await standbyOf(disk, log.lastSeq, wallAheadMs);
    assert.equal(engine.nowMs(), Math.max(START_MS + wallAheadMs, START_MS), 'as at a start, the time of the machine');
    await leader.submit(buy());
    seen.grow(log.lastSeq);
    await turns();
    assert.equal(engine.venue.seq, log.lastSeq);
    assert.equal(engine.nowMs(), START_MS);
    await leader.stop();
  });
}
