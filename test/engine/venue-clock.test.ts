/** The venue's clock over a simulated world: no test here waits. */
import assert from 'node:assert/strict';
import { uptime } from 'node:os';
import { describe, test } from 'node:test';
import { VenueClock } from '../../src/engine/clock/venue-clock.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { seeded } from '../sim/seeded.ts';
import { SimWorld } from '../sim/sim-world.ts';
import { START_MS } from './support.ts';

const HOUR_MS = 3_600_000;

function clockIn(world: SimWorld, notBeforeMs = 0) {
  const notices: string[] = [];
  const clock = new VenueClock({ world, notBeforeMs, onNotice: (text) => notices.push(text) });
  return { clock, notices };
}

/** Time passes in steps, with a reading after each, as a venue at work has it. */
function passIn(world: SimWorld, clock: VenueClock, ms: number, stepMs = 100): void {
  for (let left = ms; left > 0; left -= stepMs) {
    world.pass(Math.min(stepMs, left));
    clock.nowMs();
  }
}

function begun(notBeforeMs?: number) {
  const world = new SimWorld({ wallMs: START_MS });
  return { world, ...clockIn(world, notBeforeMs) };
}

describe('elapsed time', () => {
  test("the clock begins at the machine's, and goes on with it", () => {
    const { world, clock, notices } = begun();
    assert.equal(clock.nowMs(), START_MS);
    passIn(world, clock, HOUR_MS);
    assert.equal(clock.nowMs(), START_MS + HOUR_MS);
    assert.deepEqual(notices, []);
  });

  test('a blip of an hour for three seconds moves nothing', () => {
    const { world, clock } = begun();
    world.setWall(HOUR_MS);
    passIn(world, clock, 3000);
    assert.equal(clock.nowMs(), START_MS + 3000);
    world.setWall(-HOUR_MS);
    passIn(world, clock, 5000);
    assert.equal(clock.nowMs(), START_MS + 8000);
  });

  test('it counts the sleep of the machine', () => {
    const { world, clock, notices } = begun();
    world.sleep(8 * HOUR_MS);
    world.pass(1000);
    const nowMs = clock.nowMs();
    assert.ok(Math.abs(nowMs - (START_MS + 8 * HOUR_MS + 1000)) <= 20, String(nowMs));
    assert.deepEqual(notices, []);
  });

  test('it counts a sleep from which the machine woke with its clock set back', () => {
    const { world, clock } = begun();
    world.sleep(HOUR_MS);
    world.setWall(-HOUR_MS);
    world.pass(1000);
    const { timeMs, state } = clock.reading();
    assert.ok(Math.abs(timeMs - (START_MS + HOUR_MS + 1000)) <= 20, String(timeMs));
    assert.equal(state, 'refused');
  });

  test('where the machine does not say its uptime, the monotonic clock alone counts', () => {
    const world = new SimWorld({ wallMs: START_MS, withoutUptime: true });
    const { clock } = clockIn(world);
    world.sleep(HOUR_MS);
    world.pass(1000);
    assert.equal(clock.nowMs(), START_MS + 1000);
    assert.equal(clock.reading().state, 'refused');
  });

  test('uptime is read once a second, not at each reading', () => {
    const { world, clock } = begun();
    const before = world.uptimeReads;
    passIn(world, clock, 10_000, 1);
    const reads = world.uptimeReads - before;
    assert.ok(reads >= 9 && reads <= 11, `${reads} reads in 10 s`);
  });

  test('after a step, too, uptime is read once a second', () => {
    const { world, clock } = begun();
    world.setWall(HOUR_MS);
    clock.nowMs();
    const before = world.uptimeReads;
    passIn(world, clock, 10_000, 1);
    assert.ok(world.uptimeReads - before <= 11);
  });

  test('Linux says how long it has been up, by a clock that goes on as the monotonic one does', {
    skip: process.platform !== 'linux',
  }, () => {
    const leadMs = () => (realWorld.uptimeMs() ?? Number.NaN) - realWorld.monotonicMs();
    assert.ok(Math.abs((realWorld.uptimeMs() ?? Number.NaN) - 1000 * uptime()) < 1000);
    const first = leadMs();
    for (let i = 0; i < 100; i += 1) assert.ok(Math.abs(leadMs() - first) < 1000);
  });
});

describe('slewing', () => {
  for (const byMs of [5000, -5000]) {
    test(`a step by ${byMs} ms is slewed away, 1 ms in 100 ms`, () => {
      const { world, clock, notices } = begun();
      world.setWall(byMs);
      passIn(world, clock, 100_000);
      assert.ok(Math.abs(clock.nowMs() - (START_MS + 100_000 + Math.sign(byMs) * 1000)) <= 1);
      passIn(world, clock, 400_000);
      assert.ok(Math.abs(clock.nowMs() - world.wallMs()) <= 1);
      passIn(world, clock, 100_000);
      assert.ok(Math.abs(clock.nowMs() - world.wallMs()) <= 1);
      assert.deepEqual(notices, []);
    });
  }

  test('a machine whose clock drifts is followed', () => {
    const { world, clock, notices } = begun();
    for (let second = 0; second < 3600; second += 1) {
      world.setWall(0.5);
      passIn(world, clock, 1000, 500);
    }
    assert.ok(Math.abs(clock.nowMs() - world.wallMs()) <= 7);
    assert.deepEqual(notices, []);
  });
});

describe('steps of more than ten seconds', () => {
  const sides = [
    [10_001, 'ahead of'],
    [-10_001, 'behind'],
  ] as const;
  for (const [byMs, side] of sides) {
    test(`a step by ${byMs} ms is refused, is reported once, and is over when the clock is back`, () => {
      const { world, clock, notices } = begun();
      world.setWall(byMs);
      passIn(world, clock, 60_000);
      const { state, timeMs, offsetMs, problem } = clock.reading();
      assert.deepEqual([state, timeMs, offsetMs], ['refused', START_MS + 60_000, byMs]);
      assert.match(problem ?? '', new RegExp(`10\\.0 s ${side} the venue's: more than 10 s is not followed`));
      assert.deepEqual([notices.length, notices[0]], [1, problem]);
      world.setWall(-byMs);
      passIn(world, clock, 1000);
      assert.deepEqual([clock.reading().state, clock.reading().problem], ['following', undefined]);
      assert.match(notices[1], /follows it again/);
      assert.deepEqual([notices.length, clock.refusals], [2, 1]);
    });
  }

  test('accepted and ahead: venue time is there at once', () => {
    const { world, clock, notices } = begun();
    world.setWall(HOUR_MS);
    passIn(world, clock, 1000);
    clock.acceptWall();
    assert.equal(clock.nowMs(), START_MS + HOUR_MS + 1000);
    assert.equal(clock.reading().state, 'following');
    assert.match(
      notices[1],
      /has accepted the machine's, which is 3600\.0 s ahead of the venue's: venue time is equal to it now/,
    );
  });

  test('accepted and behind: venue time never goes back, it slews to the machine, and nothing is wrong any more', () => {
    const { world, clock } = begun();
    world.setWall(-60_000);
    passIn(world, clock, 1000);
    clock.acceptWall();
    assert.deepEqual([clock.reading().state, clock.reading().problem], ['slewing', undefined]);
    passIn(world, clock, 100_000);
    assert.ok(Math.abs(clock.nowMs() - (START_MS + 101_000 - 1000)) <= 1);
    passIn(world, clock, 5_900_000, 1000);
    assert.ok(Math.abs(clock.nowMs() - world.wallMs()) <= 1);
    assert.equal(clock.reading().state, 'following');
  });

  test('accepted and followed already: a machine that is ahead is met at once, otherwise nothing changes', () => {
    const { world, clock, notices } = begun();
    clock.acceptWall();
    world.setWall(-5000);
    clock.acceptWall();
    assert.equal(clock.reading().offsetMs, -5000);
    world.setWall(10_000);
    clock.acceptWall();
    assert.equal(clock.reading().offsetMs, 0);
    assert.equal(clock.refusals, 0);
    assert.deepEqual(notices, [
      "the venue's clock follows the machine's already, which is 0.0 s ahead of the venue's: nothing has changed",
      "the venue's clock follows the machine's already, which is 5.0 s behind the venue's: nothing has changed",
      "the venue's clock has accepted the machine's, which is 5.0 s ahead of the venue's: venue time is equal to it now",
    ]);
  });

  test('what was accepted is no leave for the next step', () => {
    const { world, clock } = begun();
    world.setWall(-60_000);
    clock.acceptWall();
    world.setWall(-11_000);
    assert.equal(clock.reading().state, 'refused');
    const other = begun();
    other.world.setWall(-60_000);
    other.clock.acceptWall();
    passIn(other.world, other.clock, 6_100_000, 1000);
    other.world.setWall(-11_000);
    assert.equal(other.clock.reading().state, 'refused');
  });
});

describe('jumps', () => {
  test('none happens while the clock runs, slews, refuses, or accepts a machine that is behind', () => {
    const { world, clock } = begun();
    passIn(world, clock, 5000);
    for (const byMs of [5000, HOUR_MS, -2 * HOUR_MS]) {
      world.setWall(byMs);
      passIn(world, clock, 5000);
    }
    clock.acceptWall();
    passIn(world, clock, 5000);
    assert.deepEqual([clock.jumpedFromMs, clock.jumpedAtMs], [[], Number.NEGATIVE_INFINITY]);
  });

  test('a machine that is ahead and accepted is one, of any size, with its moment and the time before it', () => {
    const { world, clock } = begun();
    for (const [i, byMs] of [5, HOUR_MS].entries()) {
      passIn(world, clock, 3000);
      world.setWall(byMs);
      const beforeMs = clock.nowMs();
      clock.acceptWall();
      assert.deepEqual([clock.jumpedFromMs.length, clock.jumpedAtMs], [i + 1, world.monotonicMs()]);
      assert.ok(clock.nowMs() > beforeMs && Math.abs(clock.jumpedFromMs[i] - beforeMs) <= 1);
      passIn(world, clock, 3000);
      assert.equal(clock.jumpedFromMs.length, i + 1);
    }
  });

  test('a sleep is one, from the first reading after it', () => {
    const { world, clock } = begun();
    passIn(world, clock, 3000);
    const beforeMs = clock.nowMs();
    world.sleep(HOUR_MS);
    world.pass(7);
    assert.ok(clock.nowMs() > beforeMs + HOUR_MS - 20);
    assert.deepEqual([clock.jumpedAtMs, clock.jumpedFromMs], [world.monotonicMs(), [beforeMs]]);
    passIn(world, clock, 3000);
    assert.equal(clock.jumpedFromMs.length, 1);
  });
});

describe('at a start', () => {
  test("the log's time is where venue time begins, where it is the later one", () => {
    const { world, clock, notices } = begun(START_MS + 8000);
    assert.equal(clock.nowMs(), START_MS + 8000);
    passIn(world, clock, 100_000);
    assert.ok(Math.abs(clock.nowMs() - (START_MS + 107_000)) <= 1);
    assert.deepEqual(notices, []);
  });

  test('a log more than ten seconds ahead is reported, and time continues from it by elapsed time', () => {
    const { world, clock, notices } = begun(START_MS + HOUR_MS);
    passIn(world, clock, 60_000);
    assert.equal(clock.nowMs(), START_MS + HOUR_MS + 60_000);
    assert.equal(clock.reading().state, 'logAhead');
    assert.match(notices[0], /3600\.0 s behind the venue's because the log is ahead of it/);
    world.setWall(HOUR_MS);
    passIn(world, clock, 1000);
    assert.equal(clock.reading().state, 'following');
  });

  test("a machine's clock ahead of the log is where venue time begins", () => {
    assert.equal(begun(START_MS - HOUR_MS).clock.nowMs(), START_MS);
  });
});

test('whatever the world does, the clock never goes back, slews at most 1 in 100, and jumps only on command', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = seeded(seed);
    const world = new SimWorld({ wallMs: START_MS, seed });
    const { clock } = clockIn(world, START_MS + (random() < 0.3 ? 30_000 * random() : 0));
    let elapsedMs = 0;
    let sleptMs = 0;
    let [atMs, atElapsedMs] = [clock.nowMs(), 0];
    const startMs = atMs;
    for (let step = 0; step < 100; step += 1) {
      const passedMs = random() < 0.5 ? random() * 5 : random() * 20_000;
      world.pass(passedMs);
      elapsedMs += passedMs;
      const what = random();
      if (what < 0.1) world.setWall((random() - 0.5) * 2 * HOUR_MS);
      else if (what < 0.3) world.setWall((random() - 0.5) * 15_000);
      else if (what < 0.35) {
        const ms = random() * HOUR_MS;
        world.sleep(ms);
        elapsedMs += ms;
        sleptMs += ms;
        world.pass(1000);
        elapsedMs += 1000;
      }
      const before = clock.reading();
      const said = `seed ${seed} step ${step}`;
      const moved = before.timeMs - atMs;
      const passed = elapsedMs - atElapsedMs;
      assert.ok(moved >= 0, `${said}: went back by ${-moved}`);
      // A sleep is known to two hundredths of a second, until uptime is read again.
      assert.ok(
        Math.abs(moved - passed) <= passed * 0.01 + 2 + (sleptMs > 0 ? 20 : 0),
        `${said}: ${moved} in ${passed}`,
      );
      const follows = before.state === 'following' || before.state === 'slewing';
      assert.equal(follows, before.problem === undefined, said);
      if (follows) assert.ok(before.offsetMs <= 10_001, said);
      [atMs, atElapsedMs] = [before.timeMs, elapsedMs];
      if (random() < 0.02) {
        clock.acceptWall();
        const after = clock.nowMs();
        assert.ok(after >= before.timeMs, said);
        assert.ok(after <= Math.max(before.timeMs, world.wallMs()), said);
        assert.equal(clock.reading().problem, undefined, said);
        atMs = after;
      }
    }
    assert.ok(atMs >= startMs);
  }
});
