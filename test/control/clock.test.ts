/**
 * A venue on a real clock whose machine has its clock set, sleeps, or is restarted: through HTTP, in a simulated world.
 * Nothing here waits.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ControlClient } from '../../src/client/control.ts';
import { VenueError } from '../../src/client/request.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { startVenue } from '../../src/index.ts';
import { type RunningVenue, start } from '../../src/start.ts';
import { SimWorld } from '../sim/sim-world.ts';
import { future, limit, twap } from '../support/bodies.ts';
import { Client, type Json, ok, one, refused } from '../support/client.ts';
import { STARTED_BY_TEST } from '../support/started.ts';
import { BTC, PERP } from '../support/venue.ts';

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
/** What everybody's clock says at first, but for that of a machine that is wrong. */
const TRUE_MS = Date.UTC(2026, 5, 1);

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-clock-'));
after(() => fs.rmSync(root, { recursive: true }));

class Rig {
  readonly world: SimWorld;
  readonly venue: RunningVenue;
  readonly notices: string[];
  readonly control: ControlClient;
  /** A trader whose own clock is always right. */
  readonly alice: Client;
  /** A trader on the machine of the venue. */
  readonly local: Client;
  readonly #beganMs: number;
  #lastNonceMs = 0;

  constructor(world: SimWorld, beganMs: number, venue: RunningVenue, notices: string[]) {
    this.world = world;
    this.#beganMs = beganMs;
    this.venue = venue;
    this.notices = notices;
    this.control = new ControlClient({ url: venue.control, token: venue.controlToken });
    const nonce = (clockMs: () => number) => () => {
      this.#lastNonceMs = clockMs() <= this.#lastNonceMs ? this.#lastNonceMs + 1 : clockMs();
      return this.#lastNonceMs;
    };
    this.alice = new Client(venue.http, { key: 'alice-key', secret: 'alice-secret' }, () => nonce(() => this.trueMs)());
    this.local = new Client(venue.http, { key: 'local-key', secret: 'local-secret' }, () => world.wallMs());
  }

  static async open(options: { wallMs?: number; data?: string; world?: SimWorld; speed?: number } = {}): Promise<Rig> {
    const { data = null, wallMs = TRUE_MS } = options;
    const world = options.world ?? new SimWorld({ wallMs });
    const notices: string[] = [];
    const account = (name: string) => ({
      name,
      balances: { USDT: '1000000', BTC: '1000' },
      keys: [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read' as const, 'trading' as const] }],
    });
    const venue = await start({
      ...STARTED_BY_TEST,
      configuration: readConfiguration({ accounts: [account('alice'), account('local')] }),
      // Time jumps here, and what waits meanwhile is not refused for it.
      gateway: { maxQueueMs: 'off' },
      data,
      masterKeys: ['1'.repeat(64)],
      clock: 'real',
      speed: options.speed,
      seed: 1,
      world,
      notice: (text, level = 'info') => notices.push(`${level}: ${text}`),
    });
    const rig = new Rig(world, world.monotonicMs(), venue, notices);
    for (const symbol of [BTC, PERP]) await rig.control.setPrices(symbol, { index: 100 });
    return rig;
  }

  /** What a right clock says. */
  get trueMs(): number {
    return Math.floor(TRUE_MS + this.world.monotonicMs() - this.#beganMs);
  }

  /** How many orders of alice's are open. */
  async open(): Promise<number> {
    return (await this.control.account('alice')).openOrders as number;
  }

  /** Also before the archive is open. */
  async health(): Promise<Json> {
    return this.control.request('GET', '/health').catch(({ body }: VenueError) => body as Json);
  }

  async metric(name: string): Promise<number> {
    const text = (await this.control.request('GET', '/metrics')) as string;
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  }

  arm(timeout: number): Promise<Json> {
    return ok(this.alice.call('POST', '/spot/api/v4/trade/orders/cancel_all_after', { body: { timeout } }));
  }
}

function scenario(sentence: string, options: { wallMs?: number }, body: (rig: Rig) => Promise<unknown>): void {
  test(sentence, async () => {
    const rig = await Rig.open(options);
    try {
      await body(rig);
    } finally {
      await rig.venue.stop();
    }
  });
}

describe('a blip of an hour for three seconds', () => {
  scenario("leaves a dead man's switch of ten minutes alone", {}, async (rig) => {
    await ok(rig.alice.spot(limit('BUY', 90)));
    await rig.arm(10 * MINUTE);
    rig.world.setWall(HOUR);
    await rig.world.run(3 * SECOND);
    rig.world.setWall(-HOUR);
    await rig.world.run(9 * MINUTE);
    assert.equal(await rig.open(), 1);
    await rig.world.run(MINUTE);
    assert.equal(await rig.open(), 0);
  });

  scenario("lets a dead man's switch of five seconds, set afterwards, act after five seconds", {}, async (rig) => {
    await ok(rig.alice.spot(limit('BUY', 90)));
    rig.world.setWall(HOUR);
    await rig.world.run(3 * SECOND);
    rig.world.setWall(-HOUR);
    await rig.arm(5 * SECOND);
    await rig.world.run(4 * SECOND);
    assert.equal(await rig.open(), 1);
    await rig.world.run(1.1 * SECOND);
    assert.equal(await rig.open(), 0);
  });

  scenario('ends no time in force early, and delays none', {}, async (rig) => {
    await ok(rig.alice.future(future('BUY', 90, 10, { time_in_force: 'HALFMIN' })));
    rig.world.setWall(HOUR);
    await rig.world.run(3 * SECOND);
    rig.world.setWall(-HOUR);
    await rig.world.run(26 * SECOND);
    assert.equal(await rig.open(), 1);
    await rig.world.run(1.1 * SECOND);
    assert.equal(await rig.open(), 0);
  });

  scenario('hurries no step of a TWAP', {}, async (rig) => {
    await ok(rig.local.spot(limit('BUY', 100, 100)));
    const id = (await one(rig.alice.spot(twap('SELL', { orderSize: 20 })))).orderId;
    const done = async () => (await ok(rig.alice.lookup(id))).totalFilledBaseSize;
    const first = await done();
    rig.world.setWall(HOUR);
    await rig.world.run(2 * SECOND);
    assert.equal(await done(), first);
    rig.world.setWall(-HOUR);
    await rig.world.run(1.1 * SECOND);
    assert.equal(await done(), 2 * first);
  });

  scenario('is named in health, log and metric, and so is its end', {}, async (rig) => {
    assert.deepEqual((await rig.health()).clock, { state: 'following', speed: 1, offsetMs: 0 });
    rig.world.setWall(HOUR);
    await rig.world.run(1.1 * SECOND);
    // Nobody has asked: the venue has found it itself.
    assert.equal(rig.notices.filter((text) => text.includes("3600.0 s ahead of the venue's")).length, 1);
    const { ready, clock } = await rig.health();
    assert.equal(ready, true);
    assert.deepEqual([clock.state, clock.offsetMs], ['refused', HOUR]);
    assert.match(clock.problem, /correct the machine's clock, or accept it with POST \/clock \{"acceptWall": true\}/);
    assert.equal(await rig.metric('bourse_clock_refused'), 1);
    assert.equal(await rig.metric('bourse_clock_offset_seconds'), 3600);
    rig.world.setWall(-HOUR);
    await rig.world.run(1.1 * SECOND);
    assert.match(rig.notices.find((text) => text.includes('3600.0 s ahead')) ?? '', /^warn: /);
    assert.match(rig.notices.at(-1) ?? '', /^info: .* follows it again/);
    assert.deepEqual((await rig.health()).clock, { state: 'following', speed: 1, offsetMs: 0 });
    assert.equal(await rig.metric('bourse_clock_refused'), 0);
    assert.equal(await rig.metric('bourse_clock_refusals'), 1);
  });
});

describe('sleep', () => {
  scenario('what came due while the machine slept happens within a second of its waking', {}, async (rig) => {
    await ok(rig.alice.spot(limit('BUY', 90)));
    await rig.arm(10 * MINUTE);
    rig.world.sleep(HOUR);
    await rig.world.run(1.1 * SECOND);
    assert.equal(await rig.open(), 0);
    assert.equal((await rig.health()).clock.state, 'following');
  });
});

describe('POST /clock {acceptWall: true}', () => {
  scenario('takes a clock that is ahead: what is due by then has happened when it answers', {}, async (rig) => {
    await ok(rig.alice.spot(limit('BUY', 90)));
    await rig.arm(10 * MINUTE);
    rig.world.setWall(HOUR);
    const { seq } = await rig.control.state();
    const reply = await rig.control.request('POST', '/clock', { acceptWall: true });
    const time = rig.world.wallMs();
    assert.equal(await rig.control.acceptWall(), time);
    assert.deepEqual(reply, { time, seq: seq + 1, clock: { state: 'following', speed: 1, offsetMs: 0 } });
    assert.equal((await rig.control.state()).time, time);
    assert.equal(await rig.open(), 0);
  });

  scenario('takes a clock that is behind: time goes on, and slews back to it', {}, async (rig) => {
    rig.world.setWall(-MINUTE);
    const before = rig.venue.engine.nowMs();
    const { clock } = (await rig.control.request('POST', '/clock', { acceptWall: true })) as Json;
    assert.deepEqual(clock, { state: 'slewing', speed: 1, offsetMs: -MINUTE });
    await rig.world.run(100 * SECOND);
    assert.ok(Math.abs(rig.venue.engine.nowMs() - before - 99 * SECOND) <= 2);
  });

  scenario('is no leave to move a real clock, and takes nothing but true', {}, async (rig) => {
    const refusal = (body: object): Promise<VenueError> =>
      rig.control.request('POST', '/clock', body).then(
        () => assert.fail('it was taken'),
        (error) => error,
      );
    assert.equal((await refusal({ advance: 1000 })).status, 409);
    for (const acceptWall of [false, 'true', 1, null]) assert.equal((await refusal({ acceptWall })).status, 400);
    const { message } = await refusal({ acceptWall: true, advance: 1000 });
    assert.match(message, /advance/);
    rig.world.setWall(2 * 366 * 24 * HOUR);
    assert.match((await refusal({ acceptWall: true })).message, /at most 31622400000 ms at once/);
  });

  test('is refused on a manual clock, which says how it is moved', async () => {
    const venue = await startVenue();
    const control = new ControlClient({ url: venue.control, token: venue.controlToken });
    try {
      await assert.rejects(control.request('POST', '/clock', { acceptWall: true }), (error: VenueError) => {
        assert.ok(error instanceof VenueError);
        assert.equal(error.status, 409);
        assert.match(error.message, /acceptWall needs a venue on the machine's clock: .* move it with advance or to/);
        return true;
      });
      assert.equal('clock' in ((await control.request('GET', '/health')) as Json), false);
    } finally {
      await venue.close();
    }
  });
});

describe('POST /clock {speed: N}', () => {
  const setSpeed = (rig: Rig, speed: number) => rig.control.request('POST', '/clock', { speed }) as Promise<Json>;

  scenario('venue time is elapsed time × N from then on, and is shown', {}, async (rig) => {
    await rig.world.run(10 * SECOND);
    const before = rig.venue.engine.nowMs();
    const { time, clock } = await setSpeed(rig, 60);
    assert.deepEqual([time, clock], [before, { state: 'scaled', speed: 60, offsetMs: 0 }]);
    await rig.world.run(10 * SECOND);
    assert.equal(rig.venue.engine.nowMs(), before + 600 * SECOND);
    assert.equal(((await rig.control.request('GET', '/clock')) as Json).time, before + 600 * SECOND);
    const state = (await rig.control.request('GET', '/state')) as Json;
    assert.equal(state.speed, 60);
    assert.deepEqual((await rig.health()).clock, { state: 'scaled', speed: 60, offsetMs: -590 * SECOND });
    assert.match(rig.notices.at(-1) ?? '', /runs at 60 times elapsed time/);
  });

  scenario('timers fire in time, neither early nor late', {}, async (rig) => {
    const { orderId } = await one(rig.alice.spot(limit('BUY', 90)));
    await rig.arm(10 * MINUTE);
    await setSpeed(rig, 60);
    await rig.world.run(9.9 * SECOND);
    assert.equal(await rig.open(), 1);
    await rig.world.run(0.2 * SECOND);
    assert.equal(await rig.open(), 0);
    const { events } = await rig.control.order(orderId);
    const ended = events.at(-1) as Json;
    const accepted = events[0] as Json;
    assert.equal(ended.time - accepted.time, 10 * MINUTE, 'at its own time, whenever it was noticed');
  });

  scenario('a slow clock delays timers, and 1000 is the fastest', {}, async (rig) => {
    await ok(rig.alice.spot(limit('BUY', 90)));
    await rig.arm(5 * SECOND);
    await setSpeed(rig, 0.1);
    await rig.world.run(45 * SECOND);
    assert.equal(await rig.open(), 1);
    await setSpeed(rig, 1000);
    await rig.world.run(0.1 * SECOND);
    assert.equal(await rig.open(), 0);
  });

  scenario('it does not slew, nor mind the machine’s clock, and never goes back', {}, async (rig) => {
    await setSpeed(rig, 1);
    const before = rig.venue.engine.nowMs();
    rig.world.setWall(5 * SECOND);
    await rig.world.run(100 * SECOND);
    assert.equal(rig.venue.engine.nowMs(), before + 100 * SECOND);
    rig.world.setWall(-HOUR);
    await rig.world.run(10 * SECOND);
    assert.equal((await rig.health()).clock.state, 'scaled');
    assert.equal(await rig.metric('bourse_clock_refused'), 0);
    await setSpeed(rig, 1000);
    await setSpeed(rig, 0.1);
    assert.ok(rig.venue.engine.nowMs() >= before + 110 * SECOND);
  });

  scenario('a sleep counts at the speed', {}, async (rig) => {
    await setSpeed(rig, 10);
    const before = rig.venue.engine.nowMs();
    rig.world.sleep(MINUTE);
    await rig.world.run(1.1 * SECOND);
    assert.ok(Math.abs(rig.venue.engine.nowMs() - before - 611 * SECOND) <= 1000);
  });

  scenario('acceptWall ends it: time slews back to the machine’s clock', {}, async (rig) => {
    await setSpeed(rig, 60);
    await rig.world.run(SECOND);
    const { clock } = (await rig.control.request('POST', '/clock', { acceptWall: true })) as Json;
    assert.deepEqual([clock.state, clock.speed, clock.offsetMs], ['slewing', 1, -59 * SECOND]);
    await setSpeed(rig, 0.5);
    await rig.world.run(200 * SECOND);
    assert.equal(
      ((await rig.control.request('POST', '/clock', { acceptWall: true })) as Json).clock.state,
      'following',
    );
    assert.ok(Math.abs(rig.venue.engine.nowMs() - rig.world.wallMs()) <= 1);
  });

  scenario('signed requests are served whatever the speed', {}, async (rig) => {
    await setSpeed(rig, 1000);
    await rig.world.run(10 * SECOND);
    await ok(rig.alice.spot(limit('BUY', 90)));
    assert.equal(await rig.open(), 1);
  });

  scenario('takes a number from 0.1 to 1000, alone, and nothing else', {}, async (rig) => {
    for (const speed of [0, 0.09, 1000.1, -1, null, 'fast', true]) {
      await assert.rejects(rig.control.request('POST', '/clock', { speed }), { status: 400 }, String(speed));
    }
    await assert.rejects(rig.control.request('POST', '/clock', { speed: 2, advance: 1 }), { status: 400 });
    assert.equal((await rig.health()).clock.state, 'following');
    assert.equal((await setSpeed(rig, '2.5' as unknown as number)).clock.speed, 2.5);
  });

  test('a manual clock has no speed, and says so', async () => {
    const venue = await startVenue();
    const control = new ControlClient({ url: venue.control, token: venue.controlToken });
    try {
      await assert.rejects(control.request('POST', '/clock', { speed: 2 }), { status: 409 });
      assert.equal('speed' in (await control.state()), false);
    } finally {
      await venue.close();
    }
  });

  test('after a restart it is that of the start, and time continues from the log', async () => {
    const data = fs.mkdtempSync(join(root, 'speed-'));
    const world = new SimWorld({ wallMs: TRUE_MS });
    const first = await Rig.open({ data, world, speed: 60 });
    await world.run(60 * SECOND);
    await ok(first.alice.spot(limit('BUY', 90)));
    const before = first.venue.engine.nowMs();
    assert.equal(before - TRUE_MS, HOUR);
    await first.venue.stop();
    const second = await Rig.open({ data, world });
    assert.deepEqual([second.venue.engine.clock?.state, second.venue.engine.clock?.speed], ['logAhead', 1]);
    await world.run(10 * SECOND);
    assert.ok(Math.abs(second.venue.engine.nowMs() - before - 10 * SECOND) <= 1);
    assert.equal(await second.open(), 1);
    await second.venue.stop();
    const third = await Rig.open({ data, world, speed: 2 });
    assert.equal(third.venue.engine.clock?.state, 'scaled');
    await third.venue.stop();
  });
});

describe('signed requests', () => {
  scenario('a server whose clock is set back by an hour still serves them', {}, async (rig) => {
    rig.world.setWall(-HOUR);
    for (let i = 0; i < 5; i += 1) {
      await rig.world.run(MINUTE);
      await ok(rig.alice.spot(limit('BUY', 90 - i)));
      // Somebody on the machine itself has its wrong time.
      await ok(rig.local.spot(limit('BUY', 80 - i)));
    }
  });

  scenario(
    'a server that began an hour ahead, and is set right, serves them',
    { wallMs: TRUE_MS + HOUR },
    async (rig) => {
      await rig.world.run(MINUTE);
      await refused(rig.alice.spot(limit('BUY', 90)), 401, 'Invalid nonce', 401);
      rig.world.setWall(-HOUR);
      for (let i = 0; i < 5; i += 1) {
        await ok(rig.alice.spot(limit('BUY', 90 - i)));
        await rig.world.run(MINUTE);
      }
    },
  );

  scenario('the same signed bytes are never carried out twice, over an hour ahead and back', {}, async (rig) => {
    const nonce = rig.trueMs + HOUR;
    const signer = new Client(rig.venue.http, { key: 'alice-key', secret: 'alice-secret' }, () => nonce);
    const send = async () => (await signer.spot(limit('BUY', 90))).status;
    assert.equal(await send(), 401);
    rig.world.setWall(HOUR);
    assert.equal(await send(), 200);
    assert.equal(await send(), 401);
    rig.world.setWall(-HOUR);
    // In an hour from now the nonce is fresh again by a clock that was set right.
    for (let minute = 0; minute < 70; minute += 1) {
      await rig.world.run(MINUTE);
      assert.equal(await send(), 401, `minute ${minute}`);
    }
    rig.world.setWall(HOUR);
    assert.equal(await send(), 401);
    assert.equal(await rig.open(), 1);
  });

  for (const [what, jump] of [
    ['an accepted clock', (rig: Rig, byMs: number) => rig.world.setWall(byMs)],
    ['a sleep', (rig: Rig, byMs: number) => rig.world.sleep(byMs)],
  ] as const) {
    for (const byMs of [40 * SECOND, HOUR]) {
      scenario(`over ${what} of ${byMs / SECOND} s, only requests signed after it are taken`, {}, async (rig) => {
        await rig.world.run(MINUTE);
        const signed = (ms: number) =>
          new Client(rig.venue.http, { key: 'local-key', secret: 'local-secret' }, () => ms).spot(limit('BUY', 90));
        jump(rig, byMs);
        // After a sleep, the machine's clock is that of the venue already.
        await rig.control.acceptWall();
        const jumpedAtMs = rig.world.wallMs();
        await rig.world.run(5 * SECOND);
        await refused(signed(jumpedAtMs - 1), 401, 'Invalid nonce: it is 1 ms older', 401);
        await ok(signed(jumpedAtMs));
      });
    }
  }

  scenario('the time that the venue tells is good for a nonce, whatever the machine says', {}, async (rig) => {
    rig.world.setWall(-HOUR);
    await rig.world.run(MINUTE);
    const response = await fetch(`${rig.venue.http}/spot/api/v3.3/time`);
    const { epoch } = (await response.json()) as { epoch: number };
    const byVenue = new Client(rig.venue.http, { key: 'local-key', secret: 'local-secret' }, () => epoch * 1000);
    await ok(byVenue.spot(limit('BUY', 90)));
  });
});

describe('a start', () => {
  test('on a log that is ahead of the machine is reported, and time goes on from the log by elapsed time', async () => {
    const data = join(root, 'ahead');
    const first = await Rig.open({ data });
    await ok(first.alice.spot(limit('BUY', 90)));
    await first.arm(10 * MINUTE);
    await first.venue.stop();
    const logMs = first.venue.engine.venue.timeMs;

    const world = new SimWorld({ wallMs: TRUE_MS - HOUR });
    const second = await Rig.open({ data, world });
    assert.equal((await second.health()).clock.state, 'logAhead');
    assert.match(second.notices.join('\n'), /3600\.0 s behind the venue's because the log is ahead of it/);
    assert.equal(await second.metric('bourse_clock_refused'), 1);
    await second.world.run(9 * MINUTE);
    assert.equal(await second.open(), 1);
    // Clients whose clocks are right, as the log's is.
    await ok(second.alice.spot(limit('BUY', 89)));
    await second.world.run(1.1 * MINUTE);
    // A real disk takes its time: behind this command all that was due has happened.
    await second.control.setPrices(BTC, { index: 100 });
    assert.equal(await second.open(), 0);
    assert.ok(Math.abs(second.venue.engine.nowMs() - logMs - 10.1 * MINUTE) <= SECOND);
    await second.venue.stop();
  });

  test('on a log behind the machine begins at the machine', async () => {
    const data = join(root, 'behind');
    const first = await Rig.open({ data });
    await first.venue.stop();
    const second = await Rig.open({ data, world: new SimWorld({ wallMs: TRUE_MS + HOUR }) });
    assert.equal(second.venue.engine.nowMs(), TRUE_MS + HOUR);
    assert.equal((await second.health()).clock.state, 'following');
    await second.venue.stop();
  });
});
