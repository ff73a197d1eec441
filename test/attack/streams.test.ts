/** Attacks on the streams: each costs its sender the connection, and nobody else anything. */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { exchange } from '../support/raw-http.ts';
import { loginSignature, StreamClient } from '../support/stream-client.ts';
import { aim, FUTURES, nextNonce, RESTING_FUTURE } from './target.ts';

const at = aim();
const open: StreamClient[] = [];

afterEach(async () => {
  // Whatever the attack was, the venue serves everyone else.
  const bystander = await StreamClient.open(at().venue.url, '/ws/oss/spot');
  await bystander.subscribe('update:BTC-USDT_0');
  assert.equal((await bystander.next()).data.type, 'snapshot');
  bystander.close();
  for (const client of open.splice(0)) client.close();
});

async function connect(path = '/ws/oss/spot'): Promise<StreamClient> {
  const client = await StreamClient.open(at().venue.url, path);
  open.push(client);
  return client;
}

async function metrics(): Promise<string> {
  const { control, controlToken } = at().venue;
  const headers = { authorization: `Bearer ${controlToken}` };
  return (await fetch(`${control}/control/v1/metrics`, { headers })).text();
}

/** The bytes of a frame of a client, masked with zeros. */
function frame(opcode: number, payload: Buffer | string, { fin = true } = {}): Buffer {
  const data = Buffer.from(payload);
  const length = data.length < 126 ? [0x80 | data.length] : [0x80 | 126, data.length >> 8, data.length & 255];
  return Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0]), data]);
}

/** Writes to the socket below the WebSocket. */
function write(client: StreamClient, bytes: Buffer): void {
  (client.socket as unknown as { _socket: NodeJS.WritableStream })._socket.write(bytes);
}

describe('attacks on the streams', () => {
  test('a private topic without login gets nothing', async () => {
    const [spot, futures] = [await connect('/ws/spot'), await connect('/ws/futures')];
    await spot.subscribe('notificationApiV3', 'notificationApiV2', 'notificationApi', 'fills');
    await futures.subscribe('notificationApiV4', 'fillsV2', 'allPositionV4', 'positionsV3');
    const id = await at().place(at().alice);
    await at().cancel(at().alice, id);
    assert.deepEqual(await spot.settled(), []);
    assert.deepEqual(await futures.settled(), []);
  });

  test('of more than 100 topics the rest is left out with 1007', async () => {
    const client = await connect('/ws/oss/futures');
    const markets = ['BTC-PERP', 'BTC-PERP-USDT', 'BTCPFC', 'ETH-PERP'];
    const books = ['update', 'snapshot', 'snapshotL1'].flatMap((shows) =>
      markets.map((market) => `${shows}:${market}`),
    );
    const names = books.flatMap((book) => Array.from({ length: 9 }, (_, group) => `${book}_${group}`));
    client.send({ op: 'subscribe', args: names });
    assert.equal((await client.next()).channel.length, 100);
    const { errors } = (await client.settled()).at(-1);
    assert.deepEqual(
      errors.map(({ arg, error }: { arg: string; error: { code: number } }) => [arg, error.code]),
      names.slice(100).map((name) => [name, 1007]),
    );
  });

  test('10,000 subscriptions cost the connection', async () => {
    const client = await connect();
    for (let i = 0; i < 10; i++) {
      client.send({ op: 'subscribe', args: Array.from({ length: 1000 }, (_, j) => `update:BTC-USDT_${i * 1000 + j}`) });
    }
    assert.equal((await client.closed).code, 1008);
  });

  test('the same topic 3,000 times in a frame is one subscription', async () => {
    const client = await connect();
    await client.subscribe(...Array(3000).fill('update:BTC-USDT_0'));
    assert.equal((await client.settled()).length, 1);
  });

  test('a slow reader is dropped with 1008 once a megabyte waits for it', async () => {
    const client = await connect('/ws/oss/futures');
    const names = ['BTC-PERP', 'BTCPFC', 'BTC-PERP-USDT'].flatMap((symbol) =>
      ['update', 'snapshot', 'snapshotL1'].flatMap((kind) =>
        Array.from({ length: 9 }, (_, group) => `${kind}:${symbol}_${group}`),
      ),
    );
    await client.subscribe(...names);
    await client.settled();
    client.socket.pause();
    const isOpen = async () => /^bourse_stream_topics 81$/m.test(await metrics());
    let orders = 0;
    while (await isOpen()) {
      orders += 1;
      assert.ok(orders < 3000, 'it was never dropped');
      const order = { ...RESTING_FUTURE, size: 1, price: 91 + (orders % 50) / 10 };
      assert.equal((await at().send(at().alice, 'POST', FUTURES, order)).status, 200);
    }
    client.socket.resume();
    // Whether it still hears of the 1008 depends on how fast it reads the rest.
    assert.ok([1008, 1006].includes((await client.closed).code));
    await at().send(at().alice, 'DELETE', `${FUTURES}?symbol=BTC-PERP`);
  });

  test('a frame of 10 MB is refused with 1009', async () => {
    const client = await connect();
    client.socket.send('x'.repeat(10_000_000));
    assert.equal((await client.closed).code, 1009);
  });

  test('fragments of more than 64 KB together are refused with 1009', async () => {
    const client = await connect();
    write(client, frame(1, 'x'.repeat(60_000), { fin: false }));
    write(client, frame(0, 'x'.repeat(60_000), { fin: false }));
    assert.equal((await client.closed).code, 1009);
  });

  test('endless empty fragments are refused with 1008', async () => {
    const client = await connect();
    write(client, frame(1, '', { fin: false }));
    write(client, Buffer.concat(Array(2000).fill(frame(0, '', { fin: false }))));
    assert.equal((await client.closed).code, 1008);
  });

  for (const [name, ping] of [
    ['protocol pings', frame(9, 'x')],
    ['unasked pongs', frame(10, 'x')],
    ['text pings', frame(1, 'ping')],
    ['empty subscriptions', frame(1, '{"op":"subscribe","args":[]}')],
  ] as const) {
    test(`a flood of ${name} is closed with 1008`, async () => {
      const client = await connect();
      write(client, Buffer.concat(Array(5000).fill(ping)));
      assert.equal((await client.closed).code, 1008);
    });
  }

  test('an operation that is not text is no request, whatever making it text would do', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    for (const op of ['{"toString":1}', '{"toString":null,"valueOf":null}', nested(30_000), '{"__proto__":null}']) {
      const client = await connect();
      client.send(`{"op":${op}}`);
      client.send(`{"op":"subscribe","args":${op}}`);
      client.send(`{"op":"subscribe","args":[${op}]}`);
      client.send(`{"op":"login","args":[${op},"1","x"]}`);
      const codes = (await client.settled()).map(({ errors }) => errors[0].error.code);
      assert.deepEqual(codes, [1002, 1002, 1002, 1002]);
    }
  });

  test('a connection that signs in again and again is closed with 1008', async () => {
    const client = await connect('/ws/spot');
    const { alice } = at();
    for (let i = 0; i < 200; i++) {
      const nonce = nextNonce();
      client.send({ op: 'login', args: [alice.key, String(nonce), loginSignature(alice, '/ws/spot', nonce)] });
    }
    assert.deepEqual(await client.closed, { code: 1008, reason: 'it asks for too much' });
  });

  test('text that is not UTF-8 is refused with 1007', async () => {
    const client = await connect();
    write(client, frame(1, Buffer.from([0xc3, 0x28])));
    assert.equal((await client.closed).code, 1007);
  });

  test('an unmasked frame and a reserved opcode are refused with 1002', async () => {
    for (const bytes of [Buffer.from([0x81, 4, ...Buffer.from('ping')]), frame(3, 'x')]) {
      const client = await connect();
      write(client, bytes);
      assert.equal((await client.closed).code, 1002);
    }
  });

  test('a handshake with a wrong version or without a key is refused', async () => {
    const head = (lines: readonly string[]) =>
      ['GET /ws/spot HTTP/1.1', 'Host: venue', 'Connection: Upgrade', 'Upgrade: websocket', ...lines, '', ''].join(
        '\r\n',
      );
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    for (const lines of [[key, 'Sec-WebSocket-Version: 7'], [key], ['Sec-WebSocket-Version: 13']]) {
      const answer = await exchange(at().url, head(lines));
      assert.ok(answer !== null && answer.status >= 400 && answer.status < 500, `${answer?.status}`);
    }
  });

  test('a revoked key closes its streams with 1008, and no other', async () => {
    const key = await at().control.createKey('alice', { permissions: ['read'] });
    const [revoked, other] = [await connect('/ws/spot'), await connect('/ws/spot')];
    assert.equal((await revoked.login(key)).success, true);
    assert.equal((await other.login(at().alice)).success, true);
    await revoked.subscribe('notificationApiV3');
    await at().control.revokeKey(key.key);
    assert.deepEqual(await revoked.closed, { code: 1008, reason: 'its API key was revoked' });
    assert.deepEqual(await other.settled(), []);
  });

  test('after 100 wrong signatures a minute from an address, a login is refused as a request is', async () => {
    const guesser = { key: at().alice.key, secret: 'wrong' };
    for (let i = 0; i < 10; i++) {
      const client = await connect('/ws/spot');
      for (let j = 0; j < 19; j++) assert.equal((await client.login(guesser, Date.now() + i * 20 + j)).success, false);
    }
    const client = await connect('/ws/spot');
    const { message } = await client.login(guesser);
    assert.match(message, /^(Rate limit exceeded|too many)/i);
    assert.equal((await client.login(at().alice, Date.now() + 5000)).success, true, 'the owner is let in');
  });
});
