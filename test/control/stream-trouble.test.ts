/** The control stream when something goes wrong: commands that throw, an archive that is busy, readers that do not read. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import type { WebSocket } from 'ws';
import { Feed } from '../../src/api/control/stream/feed.ts';
import { MOST_BUFFERED, Reader } from '../../src/api/control/stream/reader.ts';
import type { StreamedEngine } from '../../src/api/control/stream/topic.ts';
import type { Outbox } from '../../src/api/streams/outbox.ts';
import { Pace } from '../../src/api/streams/pace.ts';
import { ArchiveBusy } from '../../src/archive/archive.ts';
import { CommandRejected } from '../../src/engine/contract/errors.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import type { Apply } from '../../src/engine/replay/log-replayer.ts';
import { startVenue } from '../../src/index.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import { buy, engineOn, PRICES, RULES } from '../engine/support.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { ControlStreamClient, type Message } from '../support/control-stream-client.ts';
import { rebuildOn } from '../support/storage.ts';
import { contentOf } from '../support/stream-client.ts';
import { control } from './support.ts';

const BTC = 'BTC-USDT';

/** Throws at an order with this client id, after the venue has applied it. */
const planted: Apply = (venue, seq, timeMs, command) => {
  const reply = venue.apply(seq, timeMs, command);
  if (command.type === 'place' && command.clientId === 'bad') throw new Error('planted');
  return reply;
};

/** A reader without a connection. */
function reader() {
  const messages: Message[] = [];
  return { messages, send: (frame: Buffer) => messages.push(contentOf(frame)) };
}

async function feedOn(options: { trades?: () => Promise<never> } = {}) {
  const disk = new SimDisk();
  const rebuild = (seq: number) => rebuildOn(disk, seq, { rulesVersion: RULES, apply: planted });
  const { engine } = await engineOn(disk, 'manual', { apply: planted, rebuild });
  after(() => engine.stop());
  const bugs: unknown[] = [];
  const marketData = { newest: async () => [], candles: () => Promise.reject(new Error('a bug of this test')) };
  const trades = options.trades ?? (async () => []);
  const sources = { engine, marketData, trades, notReadyBecause: () => [] };
  const feed = new Feed({ sources, world: realWorld, onBug: (error) => bugs.push(error) });
  await engine.submit(PRICES);
  return { engine, feed, bugs };
}

test('nothing of a command that threw is sent, and everybody gets the rebuilt state', async () => {
  const { engine, feed } = await feedOn();
  await engine.submit(buy({ price: 990_000 }));
  const [account] = engine.venue.accountNumbers().map((index) => engine.venue.account(index)?.name as string);
  const { messages, send } = reader();
  const subscriber = { send };
  for (const topic of [`book:${BTC}`, `orders:${account}`]) feed.subscribe(topic, subscriber, null);
  const { seq } = engine.venue;
  await assert.rejects(engine.submit(buy({ price: 980_000, clientId: 'bad' })), CommandRejected);
  await engine.submit(buy({ price: 970_000 }));
  assert.equal(JSON.stringify(messages).includes('98000'), false);
  assert.deepEqual(
    messages.map(({ topic, type }) => [topic.split(':')[0], type]),
    [
      ['book', 'snapshot'],
      ['orders', 'snapshot'],
      ['book', 'snapshot'],
      ['orders', 'snapshot'],
      ['book', 'change'],
      ['orders', 'change'],
    ],
  );
  assert.equal(messages[2].seq > seq, true);
});

test('a topic that cannot be read sends an error, and goes on with what happens', async () => {
  const busy = () => Promise.reject(new ArchiveBusy('the archive is at seq 1 of 2: try again later'));
  const { engine, feed, bugs } = await feedOn({ trades: busy });
  const account = engine.venue.account(engine.venue.accountNumbers()[0])?.name as string;
  const { messages, send } = reader();
  const subscriber = { send };
  feed.subscribe(`fills:${account}`, subscriber, null);
  feed.subscribe(`candles:${BTC}:1`, subscriber, null);
  await new Promise(setImmediate);
  const errors = messages.map(({ topic, type, data }) => [topic.split(':')[0], type, data.error.reason]);
  assert.deepEqual(errors.sort(), [
    ['candles', 'error', 'internal'],
    ['fills', 'error', 'busy'],
  ]);
  assert.match(String(bugs), /a bug of this test/);
  feed.unsubscribe(`fills:${account}`, subscriber);
  feed.unsubscribe(`candles:${BTC}:1`, subscriber);
  await engine.submit(buy({ price: 990_000 }));
  assert.equal(messages.length, 2, 'it has left');
});

/** A reader of the stream on a connection of this test: `ws` is what the venue sees of it. */
function connectedReader(feed: Feed, engine: StreamedEngine) {
  const written: Message[] = [];
  const closed: string[] = [];
  const ws = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    close: (_code: number, reason: string) => closed.push(reason),
    terminate() {},
  });
  const outbox = {
    put: (_socket: unknown, frame: Buffer) => written.push(contentOf(frame)),
    flush() {},
  } as unknown as Outbox;
  let slow = 0;
  new Reader(ws as unknown as WebSocket, new PassThrough(), {
    feed,
    engine,
    outbox,
    pace: new Pace(realWorld),
    world: realWorld,
    onBug: (error) => assert.fail(String(error)),
    onTooSlow: () => {
      slow += 1;
    },
    onClosed: () => {},
  });
  return { ws, written, closed, slow: () => slow };
}

test('a reader that does not read is closed when 1 MiB waits for it', async () => {
  const { engine, feed } = await feedOn();
  const { ws, closed, slow } = connectedReader(feed, engine);
  ws.emit('message', JSON.stringify({ op: 'subscribe', topics: [`book:${BTC}`] }));
  ws.bufferedAmount = MOST_BUFFERED + 1;
  await engine.submit(buy({ price: 990_000 }));
  assert.deepEqual([closed, slow()], [['it reads too slowly: subscribe again, after the last seq'], 1]);
});

test('a topic that is subscribed again while it waits for its turn sends one snapshot more', async () => {
  const { engine, feed } = await feedOn();
  const { ws, written } = connectedReader(feed, engine);
  const ask = JSON.stringify({ op: 'subscribe', topics: [`book:${BTC}`] });
  for (let i = 0; i < 200; i += 1) ws.emit('message', ask);
  while (written.filter(({ event }) => event === 'subscribe').length < 200) await new Promise(setImmediate);
  const snapshots = written.filter(({ type }) => type === 'snapshot').length;
  assert.ok(snapshots <= 2, `${snapshots} snapshots`);
});

test('a reader that asks without end is closed, and neither the venue nor another reader waits for it', async () => {
  const venue = await startVenue({ clock: 'manual' });
  try {
    const [greedy, quick] = [await ControlStreamClient.open(venue), await ControlStreamClient.open(venue)];
    await quick.subscribe([`book:${BTC}`]);
    const ask = JSON.stringify({ op: 'subscribe', topics: ['markets', 'tickers', 'system'] });
    for (let i = 0; i < 5000; i += 1) greedy.send(ask);
    await control(venue, 'GET', '/clock');
    await venue.setPrice(BTC, { index: 100 });
    const body = { symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 99, orderSize: 1 };
    assert.equal((await control(venue, 'POST', '/accounts/test/orders', body)).status, 200);
    assert.deepEqual((await quick.next()).data.bids, [['99', '1']]);
    assert.deepEqual(await greedy.closed, { code: 1008, reason: 'it asks for too much' });
    const pinging = await ControlStreamClient.open(venue);
    for (let i = 0; i < 600; i += 1) pinging.socket.ping();
    assert.deepEqual(await pinging.closed, { code: 1008, reason: 'it asks for too much' });
    quick.close();
  } finally {
    await venue.close();
  }
});

test('orders of a large account come in messages of bounded size', async () => {
  const { engine, feed } = await feedOn();
  const { venue } = engine;
  const pairs = venue.markets.filter(({ product }) => product === 'spot').map(({ index }) => index);
  for (const market of pairs) await engine.submit({ ...PRICES, market } as Command);
  const topic = `orders:${venue.account(0)?.name}`;
  const { messages, send } = reader();
  feed.subscribe(topic, { send }, null);
  const orders = pairs.flatMap((market) => Array.from({ length: 400 }, () => ({ ...buy(), market }) as Command));
  const replies = await Promise.all(orders.map((order) => engine.submit(order)));
  assert.deepEqual(
    replies.filter(({ refusal }) => refusal !== null),
    [],
  );
  const late = reader();
  feed.subscribe(topic, late, null);
  const [{ data }] = late.messages;
  assert.deepEqual([data.orders.length, data.complete], [500, false]);
  assert.equal(data.orders[0].seq < data.orders[499].seq, true);
  const before = messages.length;
  await engine.submit({ v: 1, type: 'cancelAll', account: 0, product: 'spot', market: null });
  assert.deepEqual(
    messages.slice(before).map(({ type, data }) => [type, data.orders]),
    [['snapshot', []]],
  );
});

test('on a real clock the changes of a while come together, and none is lost', async () => {
  const venue = await startVenue({ clock: 'real' });
  try {
    await venue.setPrice(BTC, { index: 100 });
    const client = await ControlStreamClient.open(venue);
    await client.subscribe([`book:${BTC}`]);
    const place = (orderPrice: number) =>
      control(venue, 'POST', '/accounts/test/orders', {
        symbol: BTC,
        orderSide: 'BUY',
        orderType: 'LIMIT',
        orderPrice,
        orderSize: 1,
      });
    const prices = [91, 92, 93, 94, 95, 96, 97, 98, 99];
    await Promise.all(prices.map(place));
    const bids = new Map<string, string>();
    let messages = 0;
    while (bids.size < prices.length) {
      messages += 1;
      for (const [price, size] of (await client.next()).data.bids) bids.set(price, size);
    }
    assert.ok(messages <= prices.length);
    assert.deepEqual([...bids.keys()].map(Number).sort(), prices);
    client.close();
  } finally {
    await venue.close();
  }
});

test('a stop closes the readers, and says that the venue stops', async () => {
  const venue = await startVenue({ clock: 'manual' });
  const client = await ControlStreamClient.open(venue);
  await client.subscribe(['system']);
  await venue.close();
  assert.deepEqual(await client.closed, { code: 1001, reason: 'the venue stops' });
});
