/** Books on streams: a snapshot, then deltas, in every grouping; the best level; the whole book each time. */
import assert from 'node:assert/strict';
import { ok } from '../support/client.ts';
import { type Frame, HeldBook } from '../support/stream-client.ts';
import { BTC, PERP, scenarios } from '../support/venue.ts';
import { clients } from './support.ts';

const scenario = scenarios();
const connect = clients();
const OSS = '/ws/oss/spot';

scenario('a snapshot has bids best first and asks worst first, and a delta what has changed since', async (w) => {
  await w.rest('BUY', 99, 1);
  await w.rest('BUY', 98.5, 2);
  await w.rest('SELL', 101, 3);
  await w.rest('SELL', 102, 4);
  const client = await connect(w, OSS);
  assert.deepEqual(await client.subscribe('update:BTC-USDT_0'), ['update:BTC-USDT_0']);
  const snapshot = await client.next();
  const { seqNum, timestamp } = snapshot.data;
  const bids = [
    ['99.0', '1'],
    ['98.5', '2'],
  ];
  const asks = [
    ['102.0', '4'],
    ['101.0', '3'],
  ];
  const about = { symbol: BTC, timestamp };
  assert.deepEqual(snapshot, {
    topic: 'update:BTC-USDT_0',
    data: { bids, asks, seqNum, prevSeqNum: seqNum - 1, type: 'snapshot', ...about },
  });
  await w.rest('BUY', 99, 1.5);
  assert.deepEqual(await client.next(), {
    topic: 'update:BTC-USDT_0',
    data: { bids: [['99.0', '2.5']], asks: [], seqNum: seqNum + 1, prevSeqNum: seqNum, type: 'delta', ...about },
  });
});

scenario(
  'of more than 50 levels the best 50 are sent: one that leaves is "0", one that comes in is whole',
  async (w) => {
    for (let i = 0; i < 51; i++) await w.rest('SELL', 100 + i, 1 + i);
    const client = await connect(w, OSS);
    await client.subscribe('update:BTC-USDT_0');
    const { data } = await client.next();
    assert.equal(data.asks.length, 50);
    assert.deepEqual(data.asks[0], ['149.0', '50']);
    await w.rest('SELL', 99.5, 1);
    const came = (await client.next()).data;
    assert.deepEqual(came.asks, [
      ['99.5', '1'],
      ['149.0', '0'],
    ]);
    await w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 99.5, orderSize: 1 });
    const left = (await client.next()).data;
    assert.deepEqual(left.asks, [
      ['149.0', '50'],
      ['99.5', '0'],
    ]);
    await w.rest('SELL', 150, 1);
    assert.deepEqual(await client.settled(), [], 'a change beyond the best 50 is no frame');
  },
);

scenario('groupings round bids down and asks up, and each has a chain of its own', async (w) => {
  await w.rest('BUY', 99.9, 1);
  await w.rest('BUY', 99.6, 2);
  await w.rest('SELL', 100.1, 3);
  await w.rest('SELL', 100.4, 4);
  const client = await connect(w, OSS);
  const names = Array.from({ length: 9 }, (_, group) => `update:BTC-USDT_${group}`);
  assert.deepEqual(await client.subscribe(...names), names);
  const books = [];
  for (const name of names) {
    const frame = await client.next();
    assert.equal(frame.topic, name);
    books.push([frame.data.bids, frame.data.asks]);
  }
  const one = (bid: string, ask: string) => [[[bid, '3']], [[ask, '7']]];
  assert.deepEqual(books.slice(1), [
    one('99.5', '100.5'),
    [[['99.0', '3']], [['101.0', '7']]],
    one('95.0', '105.0'),
    one('90.0', '110.0'),
    one('50.0', '150.0'),
    one('0.0', '200.0'),
    one('0.0', '500.0'),
    one('0.0', '1000.0'),
  ]);
  await w.rest('BUY', 99.6, 1);
  const deltas = (await client.settled()).map(({ topic, data }) => [topic, data.bids.at(-1)[1]]);
  assert.deepEqual(
    deltas,
    names.map((name, group) => [name, group === 0 ? '3' : '4']),
  );
});

scenario('subscribing again sends a new snapshot, and the numbers go on without a gap', async (w) => {
  await w.rest('BUY', 99, 1);
  const [one, other] = [await connect(w, OSS), await connect(w, OSS)];
  const held = [new HeldBook(), new HeldBook()];
  for (const [i, client] of [one, other].entries()) {
    await client.subscribe('update:BTC-USDT_0');
    held[i].fold(await client.next());
  }
  await w.rest('BUY', 98, 1);
  held[0].fold(await one.next());
  await one.subscribe('update:BTC-USDT_0');
  const again = await one.next();
  assert.equal(again.data.type, 'snapshot');
  held[0].fold(again);
  await w.rest('BUY', 97, 1);
  held[0].fold(await one.next());
  for (const frame of await other.settled()) held[1].fold(frame);
  assert.deepEqual(held[0].sides(), held[1].sides());
  assert.deepEqual(held[0].sides().bids, [
    ['99.0', '1'],
    ['98.0', '1'],
    ['97.0', '1'],
  ]);
});

scenario(
  'a market has the names that clients use: the topic of a frame is as subscribed, the symbol is the market or its older name',
  async (w) => {
    await w.rest('BUY', 99, 5, PERP);
    const client = await connect(w, '/ws/oss/futures');
    const names = ['update:BTC-PERP', 'update:BTCPFC_0', 'update:BTC-PERP-USDT_0', 'snapshotL1:BTCPFC'];
    assert.deepEqual(await client.subscribe(...names), names);
    for (const name of names) {
      const { topic, data } = await client.next();
      assert.equal(topic, name);
      assert.equal(data.symbol, name.includes('BTCPFC') ? 'BTCPFC' : PERP);
    }
    await w.rest('BUY', 99, 5, PERP);
    const frames = await client.settled();
    const topics = frames.map(({ topic }) => topic);
    assert.deepEqual(topics, ['update:BTC-PERP', 'update:BTCPFC_0', 'update:BTC-PERP_0', 'snapshotL1:BTCPFC']);
    assert.deepEqual(
      frames.map(({ data }) => data.symbol),
      [PERP, 'BTCPFC', PERP, 'BTCPFC'],
    );
  },
);

scenario('snapshotL1 has the best level of each side when it changes, snapshot the whole book each time', async (w) => {
  await w.rest('BUY', 99, 1);
  await w.rest('SELL', 101, 1);
  const client = await connect(w, OSS);
  await client.subscribe('snapshotL1:BTC-USDT', 'snapshot:BTC-USDT_0');
  const { topic, data } = await client.next();
  const { timestamp } = data;
  assert.equal(topic, 'snapshotL1:BTC-USDT');
  assert.deepEqual(data, {
    bids: [['99.0', '1']],
    asks: [['101.0', '1']],
    type: 'snapshotL1',
    symbol: BTC,
    timestamp,
  });
  const whole = new HeldBook();
  whole.fold(await client.next());
  await w.rest('BUY', 98, 1);
  const [frame, ...more] = await client.settled();
  assert.equal(more.length, 0, 'the best levels are the same');
  whole.fold(frame);
  assert.equal(frame.data.type, 'snapshot');
  assert.equal(frame.data.bids.length, 2);
  await w.rest('BUY', 99.5, 1);
  const best = (await client.settled()).find((each) => each.topic === 'snapshotL1:BTC-USDT');
  assert.deepEqual(best.data.bids, [['99.5', '1']]);
});

scenario('after a reset everybody gets a snapshot of the empty book, and the numbers go on', async (w) => {
  await w.rest('BUY', 99, 1);
  const client = await connect(w, OSS);
  await client.subscribe('update:BTC-USDT_0');
  const held = new HeldBook();
  held.fold(await client.next());
  await w.begin();
  for (const frame of await client.settled()) held.fold(frame);
  assert.deepEqual(held.sides(), { bids: [], asks: [] });
  await w.rest('BUY', 97, 2);
  held.fold(await client.next());
  assert.deepEqual(held.sides().bids, [['97.0', '2']]);
});

scenario('the numbers of a client do not go back when it leaves a topic that it had subscribed twice', async (w) => {
  const client = await connect(w, OSS);
  await client.subscribe('update:BTC-USDT_0');
  await client.next();
  let seqNum = 0;
  for (let i = 0; i < 3; i++) {
    await client.subscribe('update:BTC-USDT_0');
    seqNum = (await client.next()).data.seqNum;
  }
  for (let i = 0; i < 3; i++) {
    await client.unsubscribe('update:BTC-USDT_0');
    await client.subscribe('update:BTC-USDT_0');
    assert.equal((await client.next()).data.seqNum, seqNum);
  }
});

scenario(
  'a market that is listed again after a reset is shown in its new terms, on its own product only',
  async (w) => {
    const list = (kind: string, tick: string) =>
      w.control.request('POST', '/markets', {
        symbol: 'QQ-USDT',
        kind,
        base: 'BTC',
        quote: 'USDT',
        tick,
        step: kind === 'spot' ? '0.001' : '1',
        maxPrice: '100000',
        minSize: '1',
        maxSize: '1000',
        ...(kind === 'perpetual' && { contractSize: '0.001' }),
      });
    const bid = ({ data }: Frame) => data.bids[0];
    await list('spot', '0.1');
    const client = await connect(w, OSS);
    await client.subscribe('update:QQ-USDT_0');
    await client.settled();
    await w.begin();
    await list('spot', '0.01');
    await client.settled();
    await w.rest('BUY', 100.01, 5, 'QQ-USDT');
    assert.equal(bid(await client.next())[0], '100.01');
    const late = await connect(w, OSS);
    await late.subscribe('update:QQ-USDT_0');
    assert.equal(bid(await late.next())[0], '100.01');
    await w.begin();
    await list('perpetual', '0.001');
    await w.price('QQ-USDT', { index: 100 });
    for (const each of [client, late]) await each.settled();
    await ok(w.bob.future({ symbol: 'QQ-USDT', side: 'BUY', type: 'LIMIT', price: 100.001, size: 5 }));
    for (const each of [client, late]) assert.deepEqual(await each.settled(), []);
  },
);

scenario(
  'after unsubscribe nothing comes, and a new subscription begins with a snapshot whose number is higher',
  async (w) => {
    const client = await connect(w, OSS);
    await client.subscribe('update:BTC-USDT_0');
    const before = (await client.next()).data.seqNum;
    await w.rest('BUY', 99, 1);
    const delta = (await client.next()).data.seqNum;
    assert.deepEqual(await client.unsubscribe('update:BTC-USDT_0', 'update:BTC-USDT_1'), ['update:BTC-USDT_0']);
    await w.rest('BUY', 99, 1);
    assert.deepEqual(await client.settled(), []);
    await client.subscribe('update:BTC-USDT_0');
    const { data } = await client.next();
    assert.equal(data.type, 'snapshot');
    assert.deepEqual(data.bids, [['99.0', '2']]);
    assert.ok(data.seqNum >= delta && delta > before);
  },
);
