/** Faults that a test arms: when they begin and end, whom they meet, and what a client gets. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { BourseClient, ControlClient, type Fault, startVenue, type TestVenue } from '../../src/index.ts';
import { StreamClient } from '../support/stream-client.ts';
import { control as send } from './support.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const TIME = '/spot/api/v3.3/time';
const ORDERS = '/spot/api/v4/trade/orders';
const OSS = '/ws/oss/spot';

let venue: TestVenue;
let control: ControlClient;
const streams: StreamClient[] = [];
before(async () => {
  venue = await startVenue();
  control = new ControlClient({ url: venue.control, token: venue.controlToken });
});
after(() => venue.close());
beforeEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
  await control.clearFaults();
  await venue.reset();
});

const get = async (path = TIME) => {
  const reply = await fetch(`${venue.url}${path}`);
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
};
const statuses = async (count: number, path?: string) => {
  const seen: number[] = [];
  for (let i = 0; i < count; i += 1) seen.push((await get(path)).status);
  return seen;
};
const open = async () => {
  const stream = await StreamClient.open(venue.url, OSS);
  streams.push(stream);
  return stream;
};

test('a fault begins and ends at its times, and is spent afterwards', async () => {
  await control.armFault({ status: 503, from: START_MS + 60_000, until: '2026-01-01T00:02:00Z' });
  const seen: number[] = [];
  for (let minute = 0; minute < 3; minute += 1) {
    seen.push(...(await statuses(2)));
    await venue.advance('1m');
  }
  assert.deepEqual(seen, [200, 200, 503, 503, 200, 200]);
  const [{ hits, left, times, lastHits }] = await control.faults();
  assert.deepEqual([hits, left, times], [2, 0, null]);
  assert.deepEqual(
    lastHits.map(({ time, what }) => [time, what]),
    [
      [START_MS + 60_000, `GET ${TIME}`],
      [START_MS + 60_000, `GET ${TIME}`],
    ],
  );
});

test('a schedule comes again and again', async () => {
  await control.armFault({ status: 503, every: '1h', for: '10s' });
  const seen: number[] = [];
  for (const move of ['9s', '1s', '3589s', '1s', '10s']) {
    seen.push(...(await statuses(1)));
    await venue.advance(move);
  }
  assert.deepEqual(seen, [503, 503, 200, 200, 503]);
});

test('skip leaves the first ones alone', async () => {
  await control.armFault({ status: 503, skip: 2, times: 2 });
  assert.deepEqual(await statuses(5), [200, 200, 503, 503, 200]);
});

test('a probability meets the same requests for the same seed, and about its share of them', async () => {
  const fault: Fault = { status: 503, probability: 0.25, seed: 7, times: null };
  await control.armFault(fault);
  const first = await statuses(80);
  await control.clearFaults();
  await control.armFault(fault);
  assert.deepEqual(await statuses(80), first);
  const met = first.filter((status) => status === 503).length;
  assert.ok(met > 8 && met < 34, `${met} of 80`);
  await control.clearFaults();
  await control.armFault({ ...fault, seed: 8 });
  assert.notDeepEqual(await statuses(80), first);
});

test('a prefix meets all paths that begin so, and no others', async () => {
  await control.armFault({ match: { pathPrefix: '/futures/' }, status: 502, times: null });
  assert.deepEqual(await statuses(1, '/futures/api/v2.3/market_summary'), [502]);
  assert.deepEqual(await statuses(1), [200]);
});

test('code and text are in the envelope of the surface, and a time to wait is in the header', async () => {
  await control.armFault({ status: 429, code: 303, message: 'slow down', retryAfterSeconds: 7, times: 2 });
  const spot = await get();
  assert.deepEqual([spot.status, spot.headers.get('retry-after')], [429, '7']);
  const { code, msg } = JSON.parse(spot.text);
  assert.deepEqual([code, msg], [303, 'slow down']);
  const { errorCode, message } = JSON.parse((await get('/futures/api/v2.3/market_summary')).text);
  assert.deepEqual([errorCode, message], [303, 'slow down']);
});

test('a whole body is sent as it is', async () => {
  await control.armFault({ status: 502, body: '<html>Bad gateway</html>' });
  await control.armFault({ status: 200, body: { code: 1, data: [] } });
  const [html, json] = [await get(), await get()];
  assert.deepEqual(
    [html.status, html.headers.get('content-type'), html.text],
    [502, 'text/html', '<html>Bad gateway</html>'],
  );
  assert.deepEqual(
    [json.status, json.headers.get('content-type'), JSON.parse(json.text)],
    [200, 'application/json', { code: 1, data: [] }],
  );
});

test('a request waits on the manual clock, and is carried out at its time', async () => {
  await venue.setPrice('BTC-USDT', { index: 60_000, last: 60_000 });
  const bot = new BourseClient({ url: venue.url, ...venue.key });
  await control.armFault({ match: { method: 'POST', path: ORDERS }, latencyMs: 3_600_000, inVenueTime: true });
  const placed = bot.placeSpotOrder({
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'LIMIT',
    orderSize: 0.01,
    orderPrice: 59_000,
  });
  while ((await control.faults())[0].hits === 0) await control.state();
  await venue.advance('59m');
  assert.equal((await control.openOrders('test')).orders.length, 0);
  // It is there when the move is answered, and its time is not that of the end of the move.
  await venue.advance('1h');
  assert.equal((await control.openOrders('test')).orders.length, 1);
  assert.equal((await placed)[0].timestamp, START_MS + 3_600_000);
});

test('a venue that closes does not wait for requests that wait on its clock', async () => {
  const other = await startVenue();
  const itsControl = new ControlClient({ url: other.control, token: other.controlToken });
  await itsControl.armFault({ latencyMs: 1000, inVenueTime: true });
  const answer = fetch(`${other.url}${TIME}`).then(
    () => 'answered',
    () => 'cut off',
  );
  while ((await itsControl.faults())[0].hits === 0) await itsControl.state();
  await other.close();
  assert.equal(await answer, 'cut off');
});

test('frames wait on the manual clock, in their order', async () => {
  const stream = await open();
  await stream.subscribe('update:BTC-USDT_0');
  await stream.next();
  await control.armFault({ streamLatencyMs: 5000, inVenueTime: true, times: null });
  await venue.setPrice('BTC-USDT', { index: 60_000, last: 60_000 });
  const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 0.01 };
  for (const orderPrice of [59_000, 59_001]) await control.placeAs('test', { ...order, orderPrice });
  await venue.advance('4s');
  assert.deepEqual(stream.taken(), []);
  await venue.advance('1s');
  assert.deepEqual(
    stream.taken().map(({ data }) => data.bids[0][0]),
    ['59000.0', '59001.0'],
  );
});

test('a reconnect storm closes the streams again and again, and refuses some of those that come back', async () => {
  const first = await open();
  await control.armFault({ match: { path: OSS }, closeStreams: true, every: '10s', times: 2 });
  await control.armFault({ match: { path: OSS }, refuseStreams: true });
  assert.equal((await first.closed).code, 1006);
  await assert.rejects(StreamClient.open(venue.url, OSS));
  const second = await open();
  await venue.advance('10s');
  assert.equal((await second.closed).code, 1006);
  const third = await open();
  await venue.advance('1h');
  await third.subscribe('update:BTC-USDT_0');
  assert.deepEqual(
    (await control.faults()).map(({ hits, left }) => [hits, left]),
    [
      [2, 0],
      [1, 0],
    ],
  );
});

test('chance and skip decide about closings as about requests, and faults are listed in the order of their arming', async () => {
  const closings = { match: { path: OSS }, closeStreams: true, every: '10s', times: null };
  await control.armFault({ ...closings, skip: 2 });
  await control.armFault({ ...closings, probability: 0.5, seed: 1 });
  await control.armFault({ status: 503 });
  await get();
  await venue.advance('195s');
  const [skipping, byChance, once] = await control.faults();
  assert.deepEqual([skipping.hits, once.hits, once.left], [18, 1, 0]);
  assert.ok(Number(byChance.hits) > 4 && Number(byChance.hits) < 16, `${byChance.hits} of 20`);
});

test('during maintenance nothing is served but the control surface, and then all is as before', async () => {
  const stream = await open();
  await control.armFault({ maintenance: true, from: START_MS + 60_000, until: START_MS + 120_000 });
  assert.deepEqual(await statuses(1), [200]);
  await venue.advance('1m');
  assert.equal((await stream.closed).code, 1006);
  const { status, text } = await get();
  const { code, msg } = JSON.parse(text);
  assert.deepEqual([status, code, msg], [503, -11, 'System error']);
  await assert.rejects(StreamClient.open(venue.url, OSS));
  await venue.advance('1m');
  assert.deepEqual(await statuses(1), [200]);
  await open();
});

for (const [body, field, problem] of [
  [{ status: 503, dropFrames: true }, undefined, 'mixes status with dropFrames: arm one fault for each'],
  [{ maintenance: true, match: { path: TIME } }, 'match', 'leave it out'],
  [{ status: 503, match: { pathPrefix: '/spots/' } }, 'match.pathPrefix', 'no path begins so'],
  [{ status: 503, match: { path: TIME, pathPrefix: '/spot' } }, 'match.pathPrefix', 'give one of them'],
  [{ dropFrames: true, match: { pathPrefix: '/wss' } }, 'match.pathPrefix', 'has no streams; there are'],
  [
    { status: 503, match: { method: 'PUT', pathPrefix: '/spot/api/v3.3/ti' } },
    'match.method',
    'has no route at any path',
  ],
  [{ latencyMs: 5, code: 7 }, 'code', 'is for a fault with a status'],
  [{ status: 500, code: 7, body: {} }, 'body', 'leave code and message out'],
  [{ status: 204, body: {} }, 'status', '204 has no body'],
  [{ status: 503, inVenueTime: true }, 'inVenueTime', 'is for a fault with latencyMs or streamLatencyMs'],
  [{ status: 503, probability: 1.5 }, 'probability', 'above 0 and at most 1'],
  [{ status: 503, seed: 5 }, 'seed', 'is for a fault with a probability'],
  [{ status: 503, until: START_MS }, 'until', "must be after the venue's time, 2026-01-01T00:00:00.000Z"],
  [{ status: 503, from: START_MS + 9, until: START_MS + 9 }, 'until', 'must be after from'],
  [{ status: 503, for: '1s' }, 'for', 'give every too'],
  [{ status: 503, every: '1m' }, 'for', 'is required beside every'],
  [{ status: 503, every: '1m', for: '1m' }, 'for', 'must be shorter than every'],
  [{ closeStreams: true, every: '1m', for: '1s' }, 'for', 'leave it out'],
  [{ closeStreams: true, every: 5 }, 'every', 'at least a second'],
  [{ latencyMs: 600_001 }, 'latencyMs', 'from 0 to 600000'],
] as const) {
  test(`a fault ${JSON.stringify(body)} is refused, and the error says why`, async () => {
    const reply = await send(venue, 'POST', '/faults', body);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body.error.field, field);
    assert.ok(reply.body.error.message.includes(problem), reply.body.error.message);
  });
}
