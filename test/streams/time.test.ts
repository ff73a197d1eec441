/** Streams and time: how often a book sends on a real clock, idle connections, pings of the venue, keys that expire. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, describe, mock, test } from 'node:test';
import { WebSocket } from 'ws';
import { LEVELS } from '../../src/api/streams/book-chain.ts';
import { Books } from '../../src/api/streams/books.ts';
import { Pace } from '../../src/api/streams/pace.ts';
import type { FrameKind, StreamEngine } from '../../src/api/streams/subscription.ts';
import { type RecentTrades, Trades } from '../../src/api/streams/trades.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { type EngineListener, Listeners } from '../../src/engine/listeners.ts';
import { type RunningVenue, start } from '../../src/start.ts';
import type { Traded } from '../../src/venue/contract/events.ts';
import { Venue } from '../../src/venue/venue.ts';
import { ALICE as ALICE_ACCOUNT, buy, genesis, PRICES, START_MS } from '../engine/support.ts';
import { STARTED_BY_TEST } from '../support/started.ts';
import { contentOf, type Frame, StreamClient } from '../support/stream-client.ts';

const ALICE = { key: 'alice-key', secret: 'alice-secret' };

const topics = (frames: readonly Frame[]) => frames.map(({ topic }) => topic);

describe('a book on a real clock', () => {
  afterEach(() => mock.restoreAll());

  /** A world whose time only the test moves. */
  function rig(intervalMs: number, recent: RecentTrades = async () => []) {
    let nowMs = 0;
    let timers: { atMs: number; act: () => void }[] = [];
    const world = {
      monotonicMs: () => nowMs,
      timer(ms: number, act: () => void) {
        const timer = { atMs: nowMs + ms, act };
        timers.push(timer);
        const clear = () => {
          timers = timers.filter((each) => each !== timer);
        };
        return { clear, unref: () => {} };
      },
    };
    const venue = new Venue();
    venue.apply(1, START_MS, genesis('real'));
    venue.apply(2, START_MS, PRICES);
    const listeners = new Listeners(venue, (text) => assert.fail(text));
    const attached = new Set<EngineListener>();
    const listen = (listener: EngineListener) => {
      const detach = listeners.add(listener);
      attached.add(listener);
      return () => {
        attached.delete(listener);
        detach();
      };
    };
    const depth = mock.method(Object.getPrototypeOf(venue.markets[0]), 'depth');
    let durableAtMs = 0;
    const engine: StreamEngine = {
      venue,
      unreadable: undefined,
      get durableAtMs() {
        return durableAtMs;
      },
      nowMs: () => START_MS,
      listen,
    };
    const frames: Frame[] = [];
    let frameMs = 0;
    const send = (frame: Buffer) => {
      frames.push(contentOf(frame));
      nowMs += frameMs;
    };
    const receiver = { send, sendPrivate: send, skipsNumber: () => false, refuse: () => {} };
    const pace = new Pace(world);
    const sent: [kind: FrameKind, durableAtMs: number, atMs: number][] = [];
    const write = (kind: FrameKind, durableAtMs: number) => sent.push([kind, durableAtMs, nowMs]);
    const books = new Books({ engine, world, write, pace, intervalMs });
    const trades = new Trades({ engine, write, pace, recent });
    const publication = books.publication(venue.markets[0], 0, 'update');
    const subscription = { receiver, name: 'update:BTC-USDT', topic: 'update:BTC-USDT' };
    publication.subscribe(subscription);
    frames.length = 0;
    let seq = 2;
    return {
      frames,
      publication,
      sent,
      subscription,
      /** Subscribes another grouping. */
      subscribe(group: number): void {
        const name = `update:BTC-USDT_${group}`;
        books.publication(venue.markets[0], group, 'update').subscribe({ receiver, name, topic: name });
        frames.length = 0;
      },
      async subscribeTrades(): Promise<void> {
        const name = 'tradeHistoryApi:BTC-USDT';
        trades.publication(venue.markets[0], 'present').subscribe({ receiver, name, topic: name });
        await realWorld.nextTurn();
      },
      /** From now on it takes so long to send a frame. */
      slow(ms: number): void {
        frameMs = ms;
      },
      place(price: number): void {
        seq += 1;
        durableAtMs = nowMs;
        venue.apply(seq, START_MS, buy({ price }));
        listeners.commandApplied(seq);
        listeners.batchApplied(seq);
      },
      trade(): void {
        seq += 1;
        durableAtMs = nowMs;
        const trade = { type: 'traded', market: 0, tradeId: seq, priceTicks: 990_000, sizeLots: 1000, takerSide: 0 };
        for (const { traded } of attached) traded?.(trade as Traded);
        listeners.commandApplied(seq);
        listeners.batchApplied(seq);
      },
      pass(ms: number): void {
        nowMs += ms;
        const due = timers.filter(({ atMs }) => atMs <= nowMs);
        timers = timers.filter(({ atMs }) => atMs > nowMs);
        for (const { act } of due) act();
      },
      timers: () => timers.length,
      listening: () => attached.size,
      /** How often the whole book was read. */
      reads: () => depth.mock.callCount() / 2,
    };
  }

  test('sends the first change at once, and what follows within 50 ms in one frame at their end', () => {
    const { frames, place, pass } = rig(50);
    place(990_000);
    assert.equal(frames.length, 1);
    pass(10);
    place(980_000);
    place(970_000);
    pass(39);
    assert.equal(frames.length, 1);
    pass(1);
    assert.equal(frames.length, 2);
    assert.deepEqual(
      frames[1].data.bids.map(([price]: [string]) => price),
      ['98000.0', '97000.0'],
    );
    assert.equal(frames[1].data.prevSeqNum, frames[0].data.seqNum);
    pass(50);
    assert.equal(frames.length, 2, 'nothing has changed');
    place(960_000);
    assert.equal(frames.length, 3, 'the last frame is more than 50 ms ago');
  });

  test('with streamBookMs 0 sends every change at once', () => {
    const { frames, place } = rig(0);
    for (const price of [990_000, 980_000, 970_000]) place(price);
    assert.equal(frames.length, 3);
  });

  test('rests four times as long as its frames took', () => {
    const { frames, place, pass, slow } = rig(50);
    slow(30);
    place(990_000);
    assert.equal(frames.length, 1);
    place(980_000);
    pass(119);
    assert.equal(frames.length, 1);
    pass(1);
    assert.equal(frames.length, 2);
    assert.equal(frames[1].data.bids.length, 1);
  });

  test('sends the frames of its groupings in parts if they take long, and each is a delta on the one before', () => {
    const { frames, place, pass, slow, subscribe } = rig(50);
    subscribe(1);
    subscribe(2);
    slow(5);
    place(990_000);
    assert.deepEqual(topics(frames), ['update:BTC-USDT']);
    pass(20);
    assert.deepEqual(topics(frames), ['update:BTC-USDT', 'update:BTC-USDT_1']);
    place(980_000);
    pass(20);
    assert.deepEqual(topics(frames), ['update:BTC-USDT', 'update:BTC-USDT_1', 'update:BTC-USDT_2']);
    assert.deepEqual(frames[2].data.bids.length, 2);
    for (let i = 0; i < 5; i++) pass(20);
    assert.deepEqual(topics(frames.slice(3)), ['update:BTC-USDT', 'update:BTC-USDT_1']);
  });

  test('trades wait for the same rest, and then come in one frame', async () => {
    const { frames, place, pass, slow, subscribeTrades, trade } = rig(50);
    await subscribeTrades();
    slow(10);
    place(990_000);
    assert.equal(frames.length, 1);
    trade();
    trade();
    assert.equal(frames.length, 1);
    pass(40);
    const came = frames.filter(({ topic }) => topic.startsWith('trade'));
    assert.deepEqual(
      came.map(({ data }) => data.length),
      [2],
    );
  });

  test('says how long frames took from the oldest durable change in them until they were written', async () => {
    const { sent, place, pass, slow, subscribeTrades, trade } = rig(50);
    await subscribeTrades();
    place(990_000);
    pass(10);
    place(980_000);
    pass(10);
    place(970_000);
    slow(2);
    pass(30);
    assert.deepEqual(sent, [
      ['book', 0, 0],
      ['book', 10, 52],
    ]);
    trade();
    pass(3);
    trade();
    pass(5);
    assert.deepEqual(sent.slice(2), [['trades', 52, 62]], 'they waited for the rest of the book');
  });

  test('a subscriber that waits long for the recent trades misses none of those behind its first frame', async () => {
    const known = Promise.withResolvers<Awaited<ReturnType<RecentTrades>>>();
    const { frames, subscribeTrades, trade } = rig(0, () => known.promise);
    await subscribeTrades();
    for (let i = 0; i < 600; i++) trade();
    assert.equal(frames.length, 0);
    known.resolve([]);
    await realWorld.nextTurn();
    trade();
    const ids = frames.flatMap(({ data }) => data.map(({ tradeId }: { tradeId: number }) => tradeId).reverse());
    assert.equal(ids.length, 501);
    assert.deepEqual([ids[0], ids[500]], [ids[500] - 500, ids[499] + 1]);
  });

  test('a trade that waits to be sent comes once to a subscriber whose first frame has it', async () => {
    const known = Promise.withResolvers<Awaited<ReturnType<RecentTrades>>>();
    const { frames, place, pass, slow, subscribeTrades, trade } = rig(0, () => known.promise);
    await subscribeTrades();
    slow(10);
    place(990_000);
    trade();
    trade();
    known.resolve([{ tradeId: 4, timeMs: START_MS, priceTicks: 990_000, sizeLots: 1000, takerSide: 0 }]);
    await realWorld.nextTurn();
    pass(40);
    pass(40);
    const rows = frames.filter(({ topic }) => topic.startsWith('trade')).flatMap(({ data }) => data);
    assert.deepEqual(
      rows.map(({ tradeId }: { tradeId: number }) => tradeId),
      [4, 5],
    );
  });

  test('a new subscriber does not make the trades of others come before their turn', async () => {
    const { frames, place, pass, slow, subscribeTrades, trade } = rig(0);
    await subscribeTrades();
    slow(10);
    place(990_000);
    trade();
    await subscribeTrades();
    assert.deepEqual(topics(frames), ['update:BTC-USDT']);
    pass(40);
    assert.equal(topics(frames).length, 3);
  });

  test('trades have their turn, also while books always have something to send', async () => {
    const { frames, place, pass, slow, subscribe, subscribeTrades, trade } = rig(0);
    for (const group of [1, 2, 3]) subscribe(group);
    await subscribeTrades();
    slow(10);
    for (let round = 0; round < 8; round++) {
      place(990_000 - round);
      trade();
      pass(40);
    }
    const kinds = topics(frames).map((topic) => topic.split(':')[0]);
    assert.deepEqual(kinds.slice(0, 7), [
      'update',
      'update',
      ...Array(2).fill(['tradeHistoryApi', 'update']).flat(),
      'tradeHistoryApi',
    ]);
  });

  test('leaves no timer and no listener 10 s after the last subscriber went', () => {
    const { publication, subscription, place, pass, timers, listening } = rig(50);
    place(990_000);
    place(980_000);
    assert.equal(timers(), 1);
    publication.unsubscribe(subscription);
    pass(9999);
    assert.deepEqual([timers(), listening()], [1, 1]);
    pass(1);
    assert.deepEqual([timers(), listening()], [0, 0]);
  });

  test('is read once, however often clients leave and come back within 10 s, and shows what happened meanwhile', () => {
    const { publication, subscription, frames, place, pass, reads } = rig(50);
    place(990_000);
    for (let i = 0; i < 100; i++) {
      publication.unsubscribe(subscription);
      pass(90);
      place(980_000 - i);
      publication.subscribe(subscription);
    }
    assert.equal(reads(), 1);
    assert.equal(frames.at(-1).data.bids.length, LEVELS);
    publication.unsubscribe(subscription);
    pass(10_000);
    publication.subscribe(subscription);
    assert.equal(reads(), 2);
    assert.equal(frames.at(-1).data.bids.length, LEVELS);
  });
});

describe('a connection over time', () => {
  let venue: RunningVenue;
  const open: WebSocket[] = [];
  let passedMs = 0;
  const world = {
    ...realWorld,
    monotonicMs: () => performance.now() + passedMs,
    wallMs: () => Date.now() + passedMs,
  };

  before(async () => {
    venue = await start({
      ...STARTED_BY_TEST,
      configuration: readConfiguration({ accounts: [ALICE_ACCOUNT] }),
      data: null,
      clock: 'manual',
      world,
    });
  });
  after(() => venue.stop());
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate();
  });

  async function connect(path: string): Promise<StreamClient> {
    const client = await StreamClient.open(venue.http, path);
    open.push(client.socket);
    return client;
  }

  test('without a topic and without a frame of the client it is closed after 60 s', async () => {
    const [idle, subscribed] = [await connect('/ws/spot'), await connect('/ws/spot')];
    await subscribed.subscribe('tradeHistoryApi:BTC-USDT');
    passedMs += 60_000;
    assert.deepEqual(await idle.closed, { code: 1000, reason: 'it is idle and has no topics' });
    assert.deepEqual(await subscribed.settled(), []);
  });

  test('the venue pings each 30 s, and drops a client that has not answered two', async () => {
    const silent = new WebSocket(`${venue.http.replace('http', 'ws')}/ws/spot`, { autoPong: false });
    open.push(silent);
    await once(silent, 'open');
    silent.send('{"op":"subscribe","args":["tradeHistoryApi:BTC-USDT"]}');
    await once(silent, 'message');
    const answering = await connect('/ws/spot');
    await answering.subscribe('tradeHistoryApi:BTC-USDT');
    for (let i = 0; i < 2; i++) {
      passedMs += 30_000;
      await Promise.all([once(silent, 'ping'), once(answering.socket, 'ping')]);
    }
    passedMs += 30_000;
    const [code] = await once(silent, 'close');
    assert.equal(code, 1006);
    assert.deepEqual(await answering.settled(), []);
  });

  test('when its key expires it is closed with 1008, before anything more of the account is sent', async () => {
    const expiresAtMs = Date.now() + passedMs + 3_600_000;
    const sealed = venue.keyring.seal('short-secret');
    await venue.engine.submit({
      v: 1,
      type: 'addKey',
      account: 0,
      key: 'short-key',
      sealed,
      permissions: ['read'],
      ipAllow: [],
      expiresAtMs,
    });
    const [expiring, other] = [await connect('/ws/spot'), await connect('/ws/spot')];
    const nonce = Date.now() + passedMs;
    assert.equal((await expiring.login({ key: 'short-key', secret: 'short-secret' }, nonce)).success, true);
    assert.equal((await other.login(ALICE, nonce)).success, true);
    for (const client of [expiring, other]) await client.subscribe('notificationApiV3');
    await venue.engine.submit(PRICES);
    await venue.engine.submit(buy());
    for (const client of [expiring, other]) assert.equal((await client.settled()).length, 1);
    passedMs += 3_600_000;
    await venue.engine.submit(buy());
    assert.deepEqual(await expiring.closed, { code: 1008, reason: 'its API key has expired' });
    assert.deepEqual(expiring.taken(), []);
    assert.equal((await other.settled()).length, 1);
  });

  test('a stop closes the streams with 1001', async () => {
    const client = await connect('/ws/spot');
    await venue.stop();
    assert.deepEqual(await client.closed, { code: 1001, reason: 'the venue stops' });
  });
});
