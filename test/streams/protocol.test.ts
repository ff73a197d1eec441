/** Frames beside the topics: pings, acknowledgements, errors, paths. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as tcp } from 'node:net';
import { WebSocket } from 'ws';
import { RawConnection, requestText } from '../support/raw-http.ts';
import { credentialHeaders, nextNonce } from '../support/signing.ts';
import { BTC, scenarios, type World } from '../support/venue.ts';
import { ALICE, clients } from './support.ts';

const scenario = scenarios();
const connect = clients();

const error = (arg: string, code: number, message: string) => ({
  severity: 'ERROR',
  errors: [{ arg, error: { code, message } }],
});

scenario('every path accepts a connection, and a ping in each spelling that clients use', async (w) => {
  for (const path of ['/ws/spot', '/ws/futures', '/ws/oss/spot', '/ws/oss/futures', '/ws/otc', '/spotWS']) {
    const client = await connect(w, path);
    client.send('ping');
    assert.equal(await client.next(), 'pong');
    client.send({ op: 'ping' });
    assert.equal(await client.next(), 'pong');
    client.socket.ping('here');
    const [data] = await once(client.socket, 'pong');
    assert.equal(String(data), 'here');
    client.send('2');
    assert.deepEqual(await client.settled(), [], 'cryptoxlib fails on any answer to its "2"');
  }
});

scenario('any other path is refused as a request, and the reply closes the connection', async (w) => {
  for (const path of ['/ws', '/ws/spots', '/spot/api/v3.3/time']) {
    const socket = new WebSocket(`${w.venue.url.replace('http', 'ws')}${path}`);
    const [, response] = await once(socket, 'unexpected-response');
    assert.equal(response.headers.connection, 'close');
    assert.equal(response.statusCode, path.endsWith('time') ? 200 : 404);
    socket.on('error', () => {});
    socket.terminate();
  }
});

scenario('a request at the path of a stream that is no handshake is told to make one', async (w) => {
  for (const path of ['/ws/spot', '/ws/futures', '/ws/oss/spot', '/ws/oss/futures', '/ws/otc', '/spotWS']) {
    const response = await fetch(`${w.venue.url}${path}?x=1`);
    assert.equal(response.status, 426, path);
    assert.equal(response.headers.get('upgrade'), 'websocket');
    assert.equal(response.headers.get('connection'), 'Upgrade');
    assert.match(await response.text(), /this is the path of a stream: open it with a WebSocket handshake/);
  }
  const posted = await fetch(`${w.venue.url}/ws/spot`, { method: 'POST', body: '{}' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET']);
  assert.match(await posted.text(), /POST is not allowed here: use GET/);
});

scenario('such a request is answered with a close if it asks for one', async (w) => {
  const connection = new RawConnection(w.venue.url);
  connection.send(requestText('GET', '/ws/spot', { connection: 'close' }));
  const answer = await connection.answer();
  assert.match(answer?.head ?? '', /^HTTP\/1\.1 426 [\s\S]*\r\nConnection: Upgrade, close/);
  await connection.closed();
  connection.socket.destroy();
});

scenario('a handshake with a body is refused, because its body would be read as frames', async (w) => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const upgrade = { ...headers, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
  const bodies: Record<string, string>[] = [{ 'content-length': '5' }, { 'transfer-encoding': 'chunked' }];
  for (const more of bodies) {
    const connection = new RawConnection(w.venue.url);
    connection.send(requestText('GET', '/ws/spot', { ...upgrade, ...more }));
    const answer = await connection.answer();
    assert.equal(answer?.status, 400);
    assert.match(answer?.body.msg, /the handshake has a body/);
    await connection.closed();
    connection.socket.destroy();
  }
});

scenario('a web page of another origin is refused with 403, and one of the same origin is served', async (w) => {
  const url = `${w.venue.url.replace('http', 'ws')}/ws/spot`;
  const { host } = new URL(w.venue.url);
  for (const origin of ['https://example.com', 'http://127.0.0.1:1', 'null', 'nonsense', 'file://']) {
    const socket = new WebSocket(url, { origin });
    const [, response] = await once(socket, 'unexpected-response');
    assert.equal(response.statusCode, 403, origin);
    assert.match(String(await once(response, 'data')), /of other origins, such as/);
    socket.on('error', () => {});
    socket.terminate();
  }
  for (const origin of [`http://${host}`, `https://${host}`]) {
    const socket = new WebSocket(url, { origin });
    await once(socket, 'open');
    socket.terminate();
  }
  const behindProxy = new WebSocket(url, { origin: 'https://venue.test', headers: { host: 'venue.test:443' } });
  await once(behindProxy, 'open');
  behindProxy.terminate();
});

const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
const HANDSHAKE = requestText('GET', '/ws/spot', { ...UPGRADE, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' });

/** A connection with an order and a handshake, and the reply to the order. */
async function orderAndHandshake(w: World, headers: Record<string, string>) {
  const path = '/spot/api/v3.3/order';
  const body = JSON.stringify({ symbol: BTC, side: 'BUY', type: 'LIMIT', price: 95, size: 0.01 });
  const signed = {
    ...credentialHeaders(ALICE, path, body, { nonce: nextNonce() }),
    'content-type': 'application/json',
    ...headers,
  };
  // A venue in memory may have replied before the handshake is read.
  await w.control.armFault({ match: { path }, latencyMs: 30 });
  const connection = new RawConnection(w.venue.url);
  connection.send(Buffer.concat([requestText('POST', path, signed, body), HANDSHAKE]));
  const placed = await connection.answer();
  assert.equal(placed?.body[0].price, 95);
  return connection;
}

scenario('a handshake behind a request whose reply is due is taken after that reply', async (w) => {
  const connection = await orderAndHandshake(w, {});
  assert.equal((await connection.answer(true))?.status, 101);
  connection.socket.destroy();
});

scenario('on a connection that node:http reads, it is refused after that reply', async (w) => {
  const connection = await orderAndHandshake(w, { te: 'trailers' });
  const refused = await connection.answer();
  assert.equal(refused?.status, 400);
  assert.match(refused?.body.msg, /the handshake came before the reply to another request/);
  await connection.closed();
  connection.socket.destroy();
});

scenario('a handshake behind a request that has its reply is taken', async (w) => {
  const connection = new RawConnection(w.venue.url);
  connection.send(requestText('GET', '/spot/api/v3.3/time', {}));
  assert.equal((await connection.answer())?.status, 200);
  connection.send(HANDSHAKE);
  assert.equal((await connection.answer(true))?.status, 101);
  connection.socket.destroy();
});

scenario('frames that arrive with the head of the request are not lost', async (w) => {
  const { port, hostname } = new URL(w.venue.url);
  const socket = tcp(Number(port), hostname);
  const head = [
    'GET /ws/spot HTTP/1.1',
    'Host: venue',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '',
    '',
  ].join('\r\n');
  // "ping", masked with zeros.
  const ping = Buffer.from([0x81, 0x84, 0, 0, 0, 0, ...Buffer.from('ping')]);
  socket.write(Buffer.concat([Buffer.from(head), ping]));
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.endsWith('pong')) break;
  }
  assert.match(text, /^HTTP\/1\.1 101 /);
});

scenario('an acknowledgement names the topics that were taken, and comes before their first frame', async (w) => {
  const client = await connect(w, '/ws/oss/spot');
  client.send({ op: 'subscribe', args: ['update:BTC-USDT_0', 'update:NOPE-USDT_0', 'other:X'] });
  assert.deepEqual(await client.next(), { event: 'subscribe', channel: ['update:BTC-USDT_0'] });
  assert.equal((await client.next()).data.type, 'snapshot');
  assert.deepEqual(await client.next(), {
    severity: 'ERROR',
    errors: [
      {
        arg: 'update:NOPE-USDT_0',
        error: { code: 1000, message: 'Market pair provided is currently not supported.' },
      },
      { arg: 'other:X', error: { code: 1005, message: 'Topic provided does not exist.' } },
    ],
  });
});

scenario('a socket of spot has no perpetual, whatever name it is given', async (w) => {
  for (const [path, topic] of [
    ['/ws/oss/spot', 'update'],
    ['/ws/spot', 'tradeHistoryApi'],
  ]) {
    const client = await connect(w, path);
    for (const symbol of ['BTC-PERP', 'BTCPFC', 'BTC-PERP-USDT']) {
      assert.deepEqual(await client.subscribe(`${topic}:${symbol}`), []);
      assert.equal((await client.next()).errors[0].error.code, 1000);
    }
  }
});

scenario('each grouping has one spelling', async (w) => {
  const client = await connect(w, '/ws/oss/spot');
  client.send({ op: 'subscribe', args: ['update:BTC-USDT_00', 'update:BTC-USDT_08', 'update:BTC-USDT_1'] });
  assert.deepEqual((await client.next()).channel, ['update:BTC-USDT_1']);
  await client.next();
  const { errors } = await client.next();
  assert.deepEqual(
    errors.map(({ error }: { error: { code: number } }) => error.code),
    [1000, 1000],
  );
});

scenario('a grouping that does not exist is refused, and the error says which there are', async (w) => {
  for (const [path, market] of [
    ['/ws/oss/spot', 'BTC-USDT'],
    ['/ws/oss/futures', 'BTC-PERP'],
  ]) {
    for (const topic of ['update', 'snapshotL1', 'snapshot']) {
      const client = await connect(w, path);
      const groups = ['9', '99', '-1', 'a', ''];
      const args = groups.map((group) => `${topic}:${market}_${group}`);
      assert.deepEqual(await client.subscribe(...args), []);
      const message = 'Market pair provided is currently not supported.';
      const error = { code: 1000, message, hint: `a grouping is 0 to 8: ${topic}:${market}_0` };
      assert.deepEqual(
        (await client.next()).errors,
        args.map((arg) => ({ arg, error })),
      );
      assert.deepEqual(await client.subscribe(`${topic}:${market}_8`), [`${topic}:${market}_8`]);
    }
  }
});

scenario('of what is refused only the beginning comes back', async (w) => {
  const client = await connect(w, '/ws/oss/spot');
  const long = 'x'.repeat(10_000);
  const args = Array.from({ length: 6 }, (_, i) => `${i}${long}`);
  for (const frame of [{ op: 'subscribe', args }, { op: long }, long]) {
    client.send(frame);
    for (const { arg } of (await client.settled()).at(-1).errors) assert.match(arg, /^.{80}…$/);
  }
});

scenario(
  'a topic on a socket that does not have it is refused, and the error names the socket that does',
  async (w) => {
    for (const [path, topic, socket] of [
      ['/ws/spot', 'update:BTC-USDT_0', '/ws/oss/spot'],
      ['/ws/spot', 'snapshotL1:BTC-USDT', '/ws/oss/spot'],
      ['/ws/spot', 'snapshot:BTC-PERP', '/ws/oss/futures'],
      ['/ws/spot', 'update:NOPE-USDT', '/ws/oss/spot'],
      ['/spotWS', 'update:BTC-USDT', '/ws/oss/spot'],
      ['/ws/futures', 'update:BTC-PERP_0', '/ws/oss/futures'],
      ['/ws/futures', 'snapshotL1:BTC-USDT', '/ws/oss/spot'],
      ['/ws/oss/spot', 'tradeHistoryApi:BTC-USDT', '/ws/spot'],
      ['/ws/oss/futures', 'tradeHistoryApi:BTCPFC', '/ws/futures'],
      ['/ws/spot', 'tradeHistoryApiV3:BTC-PERP', '/ws/futures'],
      ['/ws/oss/futures', 'fills', '/ws/futures'],
      ['/ws/spot', 'allPositionV4', '/ws/futures'],
      ['/ws/otc', 'update:BTC-PERP', '/ws/oss/futures'],
    ]) {
      const client = await connect(w, path);
      assert.deepEqual(await client.subscribe(topic), []);
      const error = { code: 1005, message: 'Topic provided does not exist.', hint: `this topic is on ${socket}` };
      assert.deepEqual((await client.next()).errors, [{ arg: topic, error }], `${path} ${topic}`);
    }
  },
);

scenario('a market of the other product is refused, and the error names its socket', async (w) => {
  for (const [path, topic, socket] of [
    ['/ws/oss/spot', 'update:BTC-PERP', '/ws/oss/futures'],
    ['/ws/oss/futures', 'update:BTC-USDT', '/ws/oss/spot'],
    ['/ws/spot', 'tradeHistoryApi:BTC-PERP', '/ws/futures'],
  ]) {
    const client = await connect(w, path);
    assert.deepEqual(await client.subscribe(topic), []);
    const [{ error }] = (await client.next()).errors;
    assert.deepEqual([error.code, error.hint], [1000, `${topic.split(':')[1]} is on ${socket}`]);
  }
});

scenario('what is not a request is refused by its code, and the connection stays', async (w) => {
  const client = await connect(w, '/ws/spot');
  const invalid = 'Invalid request. Please check again your request and provide all information required.';
  for (const text of [
    'hello',
    '{"op":',
    '[]',
    'null',
    '{"args":["x"]}',
    '{"op":"subscribe","args":[1]}',
    '17',
    '{"op":1}',
  ]) {
    client.send(text);
    assert.deepEqual(await client.next(), error(text, 1002, invalid));
  }
  client.send({ op: 'buy', args: [] });
  assert.deepEqual(await client.next(), error('buy', 1001, 'Operation provided is currently not supported.'));
  client.send({ op: 'subscribe' });
  assert.deepEqual(await client.settled(), [], 'BTSE answers nothing to a subscribe without args');
});

scenario('after 20 frames with an error the connection is closed with 1008', async (w) => {
  const client = await connect(w, '/ws/spot');
  for (let i = 0; i < 20; i++) client.send('nonsense');
  for (let i = 0; i < 20; i++) assert.equal((await client.next()).errors[0].error.code, 1002);
  assert.equal((await client.next()).errors[0].error.code, 1008);
  assert.deepEqual(await client.closed, { code: 1008, reason: 'too many frames with an error' });
});

scenario('a client that answers no ping does not hold up the control surface for ever', async (w) => {
  const silent = new WebSocket(`${w.venue.url.replace('http', 'ws')}/ws/oss/spot`, { autoPong: false });
  await once(silent, 'open');
  silent.send('{"op":"subscribe","args":["update:BTC-USDT_0"]}');
  await once(silent, 'message');
  await w.control.reset();
  silent.terminate();
  await once(silent, 'close');
});

scenario('the reply to a command of the control surface comes after its frames', async (w) => {
  const client = await connect(w, '/ws/oss/spot');
  await client.subscribe('update:BTC-USDT_0');
  await w.rest('BUY', 99, 1);
  client.taken();
  await w.control.reset();
  assert.deepEqual(
    client.taken().map(({ data }) => [data.type, data.bids.length]),
    [['snapshot', 0]],
  );
  await w.price(BTC, { index: 100 });
});
