/** Faults of the streams: a tester breaks them on purpose. */
import assert from 'node:assert/strict';
import { HeldBook } from '../support/stream-client.ts';
import { scenarios } from '../support/venue.ts';
import { clients } from './support.ts';

const scenario = scenarios();
const connect = clients();
const OSS = '/ws/oss/spot';

scenario('closeStreams ends the connections of a path, without a word', async (w) => {
  const [one, other, main] = [await connect(w, OSS), await connect(w, OSS), await connect(w, '/ws/spot')];
  await w.control.armFault({ match: { path: OSS }, closeStreams: true });
  assert.equal((await one.closed).code, 1006);
  assert.equal((await other.closed).code, 1006);
  assert.deepEqual(await main.settled(), []);
  await w.control.armFault({ closeStreams: true });
  assert.equal((await main.closed).code, 1006);
  const states = await w.control.faults();
  assert.deepEqual(
    states.map(({ hits, left }) => [hits, left]),
    [
      [1, 0],
      [1, 0],
    ],
  );
  await w.control.clearFaults();
});

scenario('gapBook skips a number, and a client that subscribes again is right again', async (w) => {
  const client = await connect(w, OSS);
  await client.subscribe('update:BTC-USDT_0');
  const held = new HeldBook();
  held.fold(await client.next());
  await w.control.armFault({ match: { path: OSS }, gapBook: true });
  await w.rest('BUY', 99, 1);
  const delta = await client.next();
  assert.equal(delta.data.prevSeqNum, held.seqNum + 1);
  assert.equal(delta.data.seqNum, held.seqNum + 2);
  await client.unsubscribe('update:BTC-USDT_0');
  await client.subscribe('update:BTC-USDT_0');
  const again = new HeldBook();
  again.fold(await client.next());
  assert.equal(again.seqNum, delta.data.seqNum, 'the numbers of a client never go back');
  await w.rest('BUY', 98, 1);
  again.fold(await client.next());
  assert.deepEqual(again.sides().bids.length, 2);
});

scenario('dropFrames leaves frames out: the numbers show it', async (w) => {
  const client = await connect(w, OSS);
  await client.subscribe('update:BTC-USDT_0');
  const { seqNum } = (await client.next()).data;
  await w.control.armFault({ dropFrames: true, times: 2 });
  for (const price of [99, 98, 97]) await w.rest('BUY', price, 1);
  const frames = await client.settled();
  assert.deepEqual(
    frames.map(({ data }) => [data.seqNum, data.bids]),
    [[seqNum + 3, [['97.0', '1']]]],
  );
  const { hits, left } = (await w.control.faults()).at(-1)!;
  assert.deepEqual([hits, left], [2, 0]);
  await w.control.clearFaults();
});

scenario('streamLatencyMs delays a frame and those behind it, and the control reply waits for them', async (w) => {
  const client = await connect(w, OSS);
  await client.subscribe('update:BTC-USDT_0');
  const held = new HeldBook();
  held.fold(await client.next());
  await w.control.armFault({ streamLatencyMs: 50 });
  await w.rest('BUY', 99, 1);
  await w.rest('BUY', 98, 1);
  await w.control.advance(1);
  const frames = client.taken();
  for (const frame of frames) held.fold(frame);
  assert.equal(frames.length, 2);
  assert.equal(held.sides().bids.length, 2);
});

scenario('an answer comes behind the frames that a fault delays', async (w) => {
  const client = await connect(w, OSS);
  await client.subscribe('update:BTC-USDT_0');
  const held = new HeldBook();
  held.fold(await client.next());
  await w.control.armFault({ streamLatencyMs: 50 });
  await w.rest('BUY', 99, 1);
  client.send({ op: 'unsubscribe', args: ['update:BTC-USDT_0'] });
  client.send({ op: 'subscribe', args: ['update:BTC-USDT_0'] });
  held.fold(await client.next());
  assert.equal((await client.next()).event, 'unsubscribe');
  assert.equal((await client.next()).event, 'subscribe');
  const again = new HeldBook();
  again.fold(await client.next());
  assert.deepEqual(await client.settled(), []);
  assert.ok(again.seqNum >= held.seqNum);
});

scenario('a fault of requests does not touch streams, nor the other way round, and a mistake is refused', async (w) => {
  const client = await connect(w, OSS);
  await client.subscribe('update:BTC-USDT_0');
  await client.next();
  await w.control.armFault({ dropFrames: true, match: { path: '/ws/oss/futures' } });
  await w.rest('BUY', 99, 1);
  assert.equal((await client.settled()).length, 1);
  await w.control.clearFaults();
  for (const [fault, problem] of [
    [{ dropFrames: true, match: { path: '/ws/oss' } }, /has no streams; there are \/ws\/oss\/spot, /],
    [{ dropFrames: true, match: { method: 'GET' } }, /applies to requests only: leave it out for streams/],
    [{ dropFrames: true, status: 503 }, /mixes status with dropFrames: arm one fault for each/],
    [{}, /must say what to do: latencyMs, status, dropReply, or closeStreams, /],
  ] as const) {
    await assert.rejects(w.control.armFault(fault), problem);
  }
});
