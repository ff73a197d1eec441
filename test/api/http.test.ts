import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { EngineBusy, EngineReadOnly } from '../../src/engine/contract/errors.ts';
import { type StandIn, standIn } from '../support/gateway.ts';
import { exchange, RawConnection, requestText } from '../support/raw-http.ts';
import { call, credentialHeaders, type TestKey } from '../support/signing.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ORDER = '/spot/api/v4/order';

let venue: StandIn;
let key: TestKey;
before(async () => {
  venue = await standIn();
  key = venue.addKey();
});
after(async () => {
  assert.deepEqual(venue.bugs, []);
  await venue.close();
});

function signed(body: string | Buffer, target = ORDER): Record<string, string> {
  return { ...credentialHeaders(key, target, body), ...JSON_TYPE };
}

describe('targets', () => {
  const unknown: readonly string[] = [
    '/spot/api/v4/order/',
    '/spot/api/v4//order',
    '//spot/api/v4/order',
    '/spot/api/v4/./order',
    '/spot/api/v4/x/../order',
    '/spot/api/v4/%6frder',
    '/spot/api%2ev4/order',
    '/spot/api/v4/order;a=1',
    '/spot/api/v4/order#x',
    '/SPOT/api/v4/order',
    'http://venue/spot/api/v4/order',
    '/spot/api/v4/nothing',
    '/',
    '*',
  ];
  for (const target of unknown) {
    test(`${target} is 404 with a body in envelope B`, async () => {
      const answer = await exchange(venue.url, requestText('POST', target, signed('{}'), '{}'));
      assert.equal(answer?.status, 404);
      assert.equal(answer.body.code, 404);
      assert.equal(answer.body.success, false);
    });
  }

  for (const target of ['/futures/api/v2.3/order/', '/futures/api/v2.3/nothing', '//futures/api/v2.3/order']) {
    test(`${target} is 404 with a body in envelope A`, async () => {
      const answer = await exchange(venue.url, requestText('GET', target, {}));
      assert.equal(answer?.status, 404);
      assert.equal(answer.body.errorCode, 404);
    });
  }

  test('the query is decoded, and is no part of the path', async () => {
    const answer = await call(venue.url, null, 'GET', '/spot/api/v4/time?a=1%2B1+2&b=%C3%BC&__proto__=x&c');
    assert.deepEqual(answer.body.query, JSON.parse('{"a":"1+1 2","b":"ü","__proto__":"x","c":""}'));
  });

  test('a name given twice and a broken escape in the query are malformed', async () => {
    const twice = await call(venue.url, null, 'GET', '/spot/api/v4/time?a=1&a=1');
    assert.equal(twice.status, 400);
    assert.match(twice.body.msg, /a is given twice/);
    for (const bad of ['%', '%zz', '%ff']) {
      const answer = await call(venue.url, null, 'GET', `/spot/api/v4/time?a=${bad}`);
      assert.equal(answer.status, 400);
      assert.match(answer.body.msg, /broken escape/);
    }
  });
});

describe('methods', () => {
  for (const method of ['PUT', 'PATCH', 'TRACE', 'PROPFIND', 'HEAD']) {
    test(`${method} is 405 and says what is allowed`, async () => {
      const answer = await exchange(venue.url, requestText(method, ORDER, {}));
      assert.equal(answer?.status, 405);
      assert.match(answer.head, /^allow: GET, POST, DELETE, OPTIONS$/im);
    });
  }

  test('CONNECT is 405', async () => {
    const answer = await exchange(venue.url, 'CONNECT venue:80 HTTP/1.1\r\nHost: venue\r\n\r\n');
    assert.equal(answer?.status, 405);
  });

  test('OPTIONS names the methods of a path', async () => {
    const answer = await exchange(venue.url, requestText('OPTIONS', ORDER, {}));
    assert.equal(answer?.status, 204);
    assert.match(answer.head, /^allow: GET, POST, DELETE, OPTIONS$/im);
  });

  test('an upgrade that nobody takes is an ordinary request', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const answer = await exchange(venue.url, requestText('GET', '/spot/api/v4/time', headers));
    assert.equal(answer?.status, 200);
  });

  test('an unknown expectation is 417', async () => {
    const answer = await exchange(venue.url, requestText('POST', ORDER, { ...signed('{}'), expect: 'tea' }, '{}'));
    assert.equal(answer?.status, 417);
    assert.equal(answer.body.code, 417);
  });

  test('100-continue is asked for only where the body is wanted', async () => {
    const wanted = new RawConnection(venue.url);
    const text = requestText('POST', ORDER, { ...signed('{}'), expect: '100-continue' }, '{}').toString('latin1');
    wanted.send(text.slice(0, -2));
    assert.equal((await wanted.answer())?.status, 100);
    wanted.send('{}');
    assert.equal((await wanted.answer())?.status, 200);
    wanted.socket.destroy();
    const unwanted = await exchange(
      venue.url,
      requestText('POST', '/nothing', { ...JSON_TYPE, expect: '100-continue' }, 'x').subarray(0, -1),
    );
    assert.equal(unwanted?.status, 404);
  });
});

describe('bodies', () => {
  test('a JSON content type with no body is fine on GET and DELETE', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await exchange(venue.url, requestText(method, ORDER, { ...signed(''), 'content-length': '0' }));
      assert.equal(answer?.status, 200);
    }
  });

  test('64 KB are taken, one byte more is 413', async () => {
    const fits = `{"a":"${'x'.repeat(65_536 - 8)}"}`;
    assert.equal(fits.length, 65_536);
    assert.equal((await exchange(venue.url, requestText('POST', ORDER, signed(fits), fits)))?.status, 200);
    const over = `${fits} `;
    const answer = await exchange(venue.url, requestText('POST', ORDER, signed(over), over));
    assert.equal(answer?.status, 413);
    assert.match(answer.body.msg, /larger than 65536 bytes/);
  });

  test('a body that is no JSON is 415 and the connection goes on; one that is too large ends it', async () => {
    const connection = new RawConnection(venue.url);
    connection.send(requestText('POST', ORDER, { 'content-type': 'text/plain' }, 'tea'));
    const refused = await connection.answer();
    assert.equal(refused?.status, 415);
    assert.match(refused.head, /^connection: keep-alive$/im);
    connection.send(requestText('POST', ORDER, signed('{}'), '{}'));
    assert.equal((await connection.answer())?.status, 200);
    const large = 'x'.repeat(65_537);
    connection.send(requestText('POST', ORDER, signed(large), large));
    const last = await connection.answer();
    assert.equal(last?.status, 413);
    assert.match(last.head, /^connection: close$/im);
    await connection.closed();
  });

  test('chunks past the limit are 413 in the middle of the body', async () => {
    const connection = new RawConnection(venue.url);
    connection.send(requestText('POST', ORDER, { ...JSON_TYPE, 'transfer-encoding': 'chunked' }));
    for (let i = 0; i < 9; i++) connection.send(`2000\r\n${'x'.repeat(0x2000)}\r\n`);
    assert.equal((await connection.answer())?.status, 413);
    connection.send('0\r\n\r\n');
    await connection.closed();
  });

  test('an endless body is cut off', async () => {
    const connection = new RawConnection(venue.url);
    connection.send(requestText('POST', ORDER, { ...JSON_TYPE, 'content-length': '100000000' }));
    assert.equal((await connection.answer())?.status, 413);
    const chunk = Buffer.alloc(65_536);
    for (let i = 0; i < 40 && !connection.socket.destroyed; i++) connection.send(chunk);
    await connection.closed();
  });

  test('a chunked body within the limit is taken', async () => {
    const headers = { ...signed('{"a":1}'), 'transfer-encoding': 'chunked' };
    const answer = await exchange(venue.url, requestText('POST', ORDER, headers, '3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'));
    assert.equal(answer?.status, 200);
    assert.deepEqual(answer.body.body, [['a', { number: '1' }]]);
  });

  for (const encoding of ['gzip', 'br', 'deflate']) {
    test(`content-encoding ${encoding} is 415`, async () => {
      const headers = { ...signed('{}'), 'content-encoding': encoding };
      const answer = await exchange(venue.url, requestText('POST', ORDER, headers, '{}'));
      assert.equal(answer?.status, 415);
      assert.match(answer.body.msg, new RegExp(encoding));
    });
  }

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data',
    '',
  ]) {
    test(`content type '${type}' is 415`, async () => {
      const headers = { ...credentialHeaders(key, ORDER, '{}'), ...(type !== '' && { 'content-type': type }) };
      assert.equal((await exchange(venue.url, requestText('POST', ORDER, headers, '{}')))?.status, 415);
    });
  }

  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;x=y']) {
    test(`content type '${type}' is taken`, async () => {
      const headers = { ...signed('{}'), 'content-type': type };
      assert.equal((await exchange(venue.url, requestText('POST', ORDER, headers, '{}')))?.status, 200);
    });
  }

  test('a body that is no object is 400 in either envelope', async () => {
    for (const body of ['null', '[]', '"x"', '1', '{', '\ufeff{}']) {
      const b = await call(venue.url, key, 'POST', ORDER, body);
      assert.deepEqual([b.status, b.body.code], [400, 400], body);
      const a = await call(venue.url, key, 'POST', '/futures/api/v2.3/order', body);
      assert.deepEqual([a.status, a.body.errorCode], [400, -2], body);
    }
    const empty = await call(venue.url, key, 'POST', ORDER);
    assert.equal(empty.status, 400);
    assert.match(empty.body.msg, /the body is empty/);
  });
});

describe('connections', () => {
  test('a hundred pipelined requests are answered in order', async () => {
    const connection = new RawConnection(venue.url);
    const texts = Array.from({ length: 100 }, (_, i) => {
      const body = `{"i":${i}}`;
      return requestText('POST', ORDER, signed(body), body);
    });
    connection.send(Buffer.concat(texts));
    for (let i = 0; i < 100; i++) {
      const answer = await connection.answer();
      assert.deepEqual(answer?.body.body, [['i', { number: String(i) }]]);
    }
    connection.socket.destroy();
  });

  test('two requests that arrive in two pieces are answered in order, wherever the cut is', async () => {
    const connection = new RawConnection(venue.url);
    connection.socket.setNoDelay(true);
    const two = () => [0, 1].map((i) => requestText('POST', ORDER, signed(`{"i":${i}}`), `{"i":${i}}`));
    const { length } = Buffer.concat(two());
    for (let cut = 1; cut < length; cut++) {
      const both = Buffer.concat(two());
      connection.send(both.subarray(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      connection.send(both.subarray(cut));
      for (const i of ['0', '1']) {
        assert.deepEqual((await connection.answer())?.body.body, [['i', { number: i }]], `cut at ${cut}`);
      }
    }
    connection.socket.destroy();
  });

  test('a client that closes its half gets its reply', async () => {
    const answer = await exchange(venue.url, requestText('POST', ORDER, signed('{}'), '{}'), { halfClose: true });
    assert.equal(answer?.status, 200);
  });

  test('what is no HTTP gets a 400 with a body', async () => {
    for (const bytes of ['hello\r\n\r\n', Buffer.from([0x16, 0x03, 0x01, 0, 0]), 'GET /\x00 HTTP/1.1\r\n\r\n']) {
      const answer = await exchange(venue.url, bytes);
      assert.equal(answer?.status, 400);
      assert.equal(answer.body.code, 400);
    }
  });

  test('headers over 16 KB are 431', async () => {
    const answer = await exchange(venue.url, requestText('GET', '/spot/api/v4/time', { 'x-long': 'x'.repeat(20_000) }));
    assert.equal(answer?.status, 431);
  });

  test('both a length and chunks are refused', async () => {
    const headers = { ...signed('{}'), 'transfer-encoding': 'chunked', 'content-length': '2' };
    const answer = await exchange(venue.url, requestText('POST', ORDER, headers, '2\r\n{}\r\n0\r\n\r\n'));
    assert.equal(answer?.status, 400);
  });

  test('garbage behind a request in progress is refused behind its reply', async () => {
    let release: (value: object) => void = () => {};
    const slow = await standIn({ handle: () => new Promise((resolve) => (release = resolve)) });
    const connection = new RawConnection(slow.url);
    connection.send(requestText('GET', '/spot/api/v4/time', {}));
    await new Promise((resolve) => setImmediate(resolve));
    while (slow.handled.length === 0) await new Promise((resolve) => setImmediate(resolve));
    connection.send('\x00\x01garbage\r\n\r\n');
    release({ ok: true });
    assert.deepEqual((await connection.answer())?.body, { ok: true });
    assert.equal((await connection.answer())?.status, 400);
    await connection.closed();
    await slow.close();
  });

  test('garbage that comes together with a request is refused behind its reply, too', async () => {
    let release: (value: object) => void = () => {};
    const slow = await standIn({ handle: () => new Promise((resolve) => (release = resolve)) });
    const slowKey = slow.addKey();
    for (const garbage of ['\x00\x01garbage', '\x00\x01garbage\r\n\r\n', 'POST /\x00 HTTP/1.1\r\n\r\n']) {
      const connection = new RawConnection(slow.url);
      const headers = { ...credentialHeaders(slowKey, ORDER, '{}'), ...JSON_TYPE };
      connection.send(Buffer.concat([requestText('POST', ORDER, headers, '{}'), Buffer.from(garbage, 'latin1')]));
      const { length } = slow.handled;
      while (slow.handled.length === length) await new Promise((resolve) => setImmediate(resolve));
      release({ ok: true });
      assert.deepEqual((await connection.answer())?.body, { ok: true }, garbage);
      assert.equal((await connection.answer())?.status, 400, garbage);
      await connection.closed();
    }
    assert.equal(slow.handled.length, 3);
    await slow.close();
  });
});

describe('handlers', () => {
  test('what a handler throws by mistake is 500, reported once, and says nothing of it', async () => {
    const broken = await standIn({
      handle: () => {
        throw new Error('a secret detail');
      },
    });
    const answer = await call(broken.url, null, 'GET', '/spot/api/v4/time');
    assert.equal(answer.status, 500);
    assert.doesNotMatch(JSON.stringify(answer.body), /secret detail/);
    assert.equal(broken.bugs.length, 1);
    await broken.close();
  });

  test('a value that is no JSON is a mistake, too', async () => {
    const broken = await standIn({ handle: async () => ({ n: 1n }) });
    assert.equal((await call(broken.url, null, 'GET', '/spot/api/v4/time')).status, 500);
    await broken.close();
  });

  const refusals = [
    ['a full queue', new EngineBusy(10_000), /10000 commands are waiting/],
    ['a full disk', new EngineReadOnly('no space left'), /no space left.*every second/],
  ] as const;
  for (const [name, error, text] of refusals) {
    test(`${name} is 503 with code -11 and Retry-After`, async () => {
      const refusing = await standIn({ handle: () => Promise.reject(error) });
      const b = await exchange(refusing.url, requestText('GET', '/spot/api/v4/time', {}));
      assert.deepEqual([b?.status, b?.body.code], [503, -11]);
      assert.match(b?.body.msg, text);
      assert.match(b?.head ?? '', /^retry-after: 1$/im);
      const a = await exchange(refusing.url, requestText('GET', '/futures/api/v2.3/time', {}));
      assert.deepEqual([a?.status, a?.body.errorCode], [503, -11]);
      await refusing.close();
    });
  }

  test('the broker header tags a call, within its bound', async () => {
    await exchange(venue.url, requestText('POST', ORDER, { ...signed('{}'), 'broker-id': 'ccxt' }, '{}'));
    assert.equal(venue.handled.at(-1)?.broker, 'ccxt');
    const long = await exchange(
      venue.url,
      requestText('POST', ORDER, { ...signed('{ }'), 'broker-id': 'x'.repeat(65) }, '{ }'),
    );
    assert.equal(long?.status, 400);
    assert.match(long.body.msg, /BROKER-ID is too long/);
  });
});

describe('faults', () => {
  test('a status is answered instead of handling, as often as asked', async () => {
    venue.faults.arm({ match: { method: 'GET', path: '/spot/api/v4/time' }, status: 502, times: 2 });
    const before = venue.handled.length;
    for (const expected of [502, 502, 200]) {
      assert.equal((await call(venue.url, null, 'GET', '/spot/api/v4/time?x=1')).status, expected);
    }
    assert.equal(venue.handled.length, before + 1);
  });

  test('a dropped reply is handled and then closes the connection', async () => {
    venue.faults.arm({ match: { path: ORDER }, dropReply: true });
    const before = venue.handled.length;
    assert.equal(await exchange(venue.url, requestText('POST', ORDER, signed('{"drop":1}'), '{"drop":1}')), null);
    assert.equal(venue.handled.length, before + 1);
  });

  test('latency comes before handling', async () => {
    venue.faults.arm({ latencyMs: 30 });
    const startedMs = performance.now();
    assert.equal((await call(venue.url, null, 'GET', '/spot/api/v4/time')).status, 200);
    assert.ok(performance.now() - startedMs >= 29);
  });

  test('cleared faults are gone', async () => {
    venue.faults.arm({ status: 500, times: 1000 });
    venue.faults.clear();
    assert.equal((await call(venue.url, null, 'GET', '/spot/api/v4/time')).status, 200);
  });
});

test('closing reports which requests it cut off without an answer', async () => {
  const stuck = await standIn({ handle: () => new Promise(() => {}) });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const connections = () => promisify(stuck.gateway.server.getConnections.bind(stuck.gateway.server))();
  const gone = new RawConnection(stuck.url);
  gone.send(requestText('GET', '/spot/api/v4/time', {}));
  const lost = assert.rejects(call(stuck.url, null, 'GET', '/spot/api/v4/time'), TypeError);
  while (stuck.handled.length < 2) await turn();
  gone.socket.resetAndDestroy();
  while ((await connections()) > 1) await turn();
  assert.deepEqual(await stuck.gateway.close(10), ['GET /spot/api/v4/time'], 'nobody waits for the other one');
  await lost;
});

test('closing answers what is in hand and says so', async () => {
  let release: (value: object) => void = () => {};
  const slow = await standIn({ handle: () => new Promise((resolve) => (release = resolve)) });
  const connection = new RawConnection(slow.url);
  connection.send(requestText('GET', '/spot/api/v4/time', {}));
  while (slow.handled.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const closed = slow.close();
  release({ ok: true });
  const answer = await connection.answer();
  assert.equal(answer?.body.ok, true);
  assert.match(answer?.head ?? '', /^connection: close$/im);
  await closed;
});

describe('slow clients', () => {
  let hasty: StandIn;
  before(async () => {
    hasty = await standIn({ timeouts: { headersMs: 100, requestMs: 200 } });
  });
  after(() => hasty.close());

  const slow = [
    ['nothing at all', ''],
    ['half a request line', 'GET /spot/api/v4/ti'],
    ['headers that never end', 'GET /spot/api/v4/time HTTP/1.1\r\nHost: venue\r\nX-A: '],
    [
      'a body that never ends',
      'POST /spot/api/v4/order HTTP/1.1\r\nHost: venue\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ],
  ] as const;
  for (const [name, text] of slow) {
    test(`${name}: 408, and the connection is closed`, async () => {
      const connection = new RawConnection(hasty.url);
      connection.send(text);
      const answer = await connection.answer();
      assert.equal(answer?.status, 408);
      assert.equal(answer.body.code, 408);
      await connection.closed();
      connection.socket.destroy();
    });
  }

  test('a second request on the connection has its own time', async () => {
    const connection = new RawConnection(hasty.url);
    connection.send(requestText('GET', '/spot/api/v4/time', {}));
    assert.equal((await connection.answer())?.status, 200);
    connection.send('GET /spot');
    assert.equal((await connection.answer())?.status, 408);
    connection.socket.destroy();
  });

  test('by default headers have 10 s, a request 15 s, and 10,000 connections are kept', () => {
    const { headersTimeout, requestTimeout, maxConnections } = venue.gateway.server;
    assert.deepEqual([headersTimeout, requestTimeout, maxConnections], [10_000, 15_000, 10_000]);
  });
});
