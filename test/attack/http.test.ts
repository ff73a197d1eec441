/** Attacks on the listener and on bodies: odd bytes get an answer that names the problem, or a closed connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { exchange, RawConnection, requestText } from '../support/raw-http.ts';
import { credentialHeaders } from '../support/signing.ts';
import {
  ALGO,
  aim,
  attack,
  FUTURES,
  FUTURES_V3,
  JSON_TYPE,
  LOOKUP,
  nextNonce,
  ORDERS,
  RESTING,
  RESTING_FUTURE,
  refusedWith,
  type Target,
} from './target.ts';

const body = JSON.stringify(RESTING);

/** Slow clients, begun before the other tests and judged after them: what they wait for is the venue's own clock. */
interface Slow {
  readonly answer: Promise<{ status: number } | null>;
  readonly startedMs: number;
  endedMs: number;
}
const slow: Record<string, Slow> = {};

function beginSlow(name: string, url: string, text: string, drip: string): void {
  const connection = new RawConnection(url);
  connection.send(text);
  const timer = setInterval(() => connection.send(drip), 500);
  const begun: Slow = {
    startedMs: performance.now(),
    endedMs: 0,
    answer: connection.answer().finally(() => {
      begun.endedMs = performance.now();
      clearInterval(timer);
      connection.socket.destroy();
    }),
  };
  slow[name] = begun;
}

const at = aim(async ({ url, venue }) => {
  beginSlow('control', venue.control, 'GET /control/v1/health HTTP/1.1\r\nHost: venue\r\n', 'x: y\r\n');
  beginSlow('header', url, `GET ${LOOKUP} HTTP/1.1\r\nHost: venue\r\n`, 'x: y\r\n');
  const head = requestText('POST', ORDERS, { ...JSON_TYPE, 'content-length': '60000' }).toString('latin1');
  beginSlow('body', url, head, ' ');
});

/** Every placement route, with a body that it would take. */
const PLACEMENTS = [
  [ORDERS, RESTING],
  [ALGO, { ...RESTING, orderType: 'PEG', stealth: 10 }],
  [FUTURES, RESTING_FUTURE],
  [FUTURES_V3, { symbol: 'BTC-PERP', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 10, orderPrice: 95 }],
] as const;

function malformedOn(path: string): number {
  return path.startsWith('/futures') ? -2 : 400;
}

describe('size', () => {
  const padded = (bytes: number) => `${body.slice(0, -1)}${' '.repeat(bytes - body.length)}}`;

  attack('a body of 64 KB and one byte', at, async (target) => {
    const answer = await target.send(target.alice, 'POST', ORDERS, padded(65_537));
    refusedWith(answer, 413, 413, /65536 bytes/);
  });

  test('a body of exactly 64 KB is read', async () => {
    const target = at();
    const answer = await target.send(target.alice, 'POST', ORDERS, padded(65_536));
    assert.equal(answer.status, 200);
    await target.cancel(target.alice, answer.body[0].orderId);
  });

  attack('chunks past the limit', at, async (target) => {
    const connection = new RawConnection(target.url);
    const headers = { ...JSON_TYPE, ...credentialHeaders(target.alice, ORDERS, body), 'transfer-encoding': 'chunked' };
    connection.send(requestText('POST', ORDERS, headers));
    for (let i = 0; i < 9; i++) connection.send(`2000\r\n${' '.repeat(0x2000)}\r\n`);
    refusedWith((await connection.answer())!, 413, 413);
    connection.socket.destroy();
  });

  attack('an endless body is cut off', at, async (target) => {
    const connection = new RawConnection(target.url);
    connection.send(requestText('POST', ORDERS, { ...JSON_TYPE, 'transfer-encoding': 'chunked' }));
    const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`, 'latin1');
    let sent = 0;
    while (!connection.socket.destroyed && sent < 1000) {
      connection.send(chunk);
      sent++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(sent < 1000, 'the venue kept on reading');
  });

  attack('a length that is not the body', at, async (target) => {
    for (const length of ['-1', '0x10', '1e3', '5, 6', '99999999999999999999']) {
      const headers = { ...JSON_TYPE, ...credentialHeaders(target.alice, ORDERS, body), 'content-length': length };
      const answer = await exchange(target.url, requestText('POST', ORDERS, headers));
      assert.ok(answer === null || answer.status === 400 || answer.status === 413, JSON.stringify(answer));
    }
  });

  attack('a length and chunks at once (request smuggling)', at, async (target) => {
    const signed = credentialHeaders(target.alice, ORDERS, body);
    const headers = { ...JSON_TYPE, ...signed, 'content-length': '5', 'transfer-encoding': 'chunked' };
    const answer = await exchange(target.url, requestText('POST', ORDERS, headers, `0\r\n\r\n${body}`));
    assert.equal(answer?.status, 400);
  });

  attack('headers of 20 KB', at, async (target) => {
    const answer = await target.send(target.alice, 'POST', ORDERS, body, { headers: { 'x-long': 'x'.repeat(20_000) } });
    assert.equal(answer.status, 431);
  });
});

describe('encodings and types', () => {
  const packed = {
    gzip: gzipSync(body),
    deflate: deflateSync(body),
    br: Buffer.from(body),
    'gzip, identity': gzipSync(body),
  };
  for (const [encoding, bytes] of Object.entries(packed)) {
    attack(`content-encoding ${encoding}`, at, async (target) => {
      const answer = await target.send(target.alice, 'POST', ORDERS, bytes, {
        headers: { 'content-encoding': encoding },
      });
      refusedWith(answer, 415, 415, /content-encoding/);
    });
  }

  for (const type of [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-seq',
    'json',
  ]) {
    attack(`content type ${type}`, at, async (target) => {
      const answer = await target.send(target.alice, 'POST', ORDERS, body, { headers: { 'content-type': type } });
      refusedWith(answer, 415, 415, /application\/json/);
    });
  }

  attack('no content type', at, async (target) => {
    refusedWith(await target.send(target.alice, 'POST', ORDERS, body, { without: 'content-type' }), 415, 415);
  });
});

describe('bodies that are no JSON object', () => {
  const bodies: Record<string, string | Buffer> = {
    'a byte-order mark': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]),
    'UTF-16': Buffer.from(body, 'utf16le'),
    'invalid UTF-8': Buffer.concat([Buffer.from(body.slice(0, -1)), Buffer.from(',"clOrderId":"\xff\xfe"}', 'latin1')]),
    'a truncated UTF-8 sequence': Buffer.concat([Buffer.from(body), Buffer.from([0xe2, 0x82])]),
    'a raw NUL': Buffer.from(`${body.slice(0, -1)},"clOrderId":"a\0b"}`),
    'an escaped NUL': `${body.slice(0, -1)},"clOrderId":"a\\u0000b"}`,
    'a lone surrogate': `${body.slice(0, -1)},"clOrderId":"\\ud800"}`,
    'only spaces': '   ',
    null: 'null',
    'an array': `[${body}]`,
    'a string': JSON.stringify(body),
    'a number': '1',
    true: 'true',
    'half an object': body.slice(0, -1),
    'two objects': body + body,
    'a comment': `/* */${body}`,
    'single quotes': body.replaceAll('"', "'"),
    'unquoted names': body.replaceAll(/"(\w+)":/g, '$1:'),
    'a trailing comma': body.replace('}', ',}'),
  };
  for (const [name, bytes] of Object.entries(bodies)) {
    attack(name, at, async (target) => {
      for (const [path] of PLACEMENTS) {
        refusedWith(await target.send(target.alice, 'POST', path, bytes), 400, malformedOn(path), /the body/);
      }
    });
  }

  attack('nothing', at, async (target) => {
    for (const [path] of PLACEMENTS) {
      refusedWith(await target.send(target.alice, 'POST', path), 400, malformedOn(path), /the body is empty/);
    }
  });
});

describe('bodies that are JSON', () => {
  attack('nesting as deep as a body may be', at, async (target) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const levels = Math.floor(60_000 / (open.length + close.length));
      const nested = `${body.slice(0, -1)},"x":${open.repeat(levels)}1${close.repeat(levels)}}`;
      const startedMs = performance.now();
      const answer = await target.send(target.alice, 'POST', ORDERS, nested);
      refusedWith(answer, 400, 400, /nested more than/);
      assert.ok(performance.now() - startedMs < 1000);
    }
  });

  attack('nesting 200,000 deep', at, async (target) => {
    const answer = await target.send(target.alice, 'POST', ORDERS, '['.repeat(200_000));
    refusedWith(answer, 413, 413);
  });

  attack('100,000 names', at, async (target) => {
    const many = `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join(',')}}`;
    refusedWith(await target.send(target.alice, 'POST', ORDERS, many), 413, 413);
    const fitting = `{${Array.from({ length: 6000 }, (_, i) => `"k${i}":1`).join(',')}}`;
    refusedWith(await target.send(target.alice, 'POST', ORDERS, fitting), 400, 400, /orderType is missing/);
    refusedWith(await target.send(target.alice, 'POST', FUTURES, fitting), 400, -2, /is missing/);
  });

  test('of two equal names the last counts', async () => {
    const target = at();
    const doubled = `{"orderPrice":"1","orderSide":"SELL",${body.slice(1)}`;
    const answer = await target.send(target.alice, 'POST', ORDERS, doubled);
    assert.equal(answer.status, 200);
    assert.deepEqual([answer.body[0].orderSide, answer.body[0].orderPrice], ['BUY', 95]);
    await target.cancel(target.alice, answer.body[0].orderId);
  });

  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'then',
    'toJSON',
    '__defineGetter__',
  ];
  for (const name of names) {
    attack(`the name ${name} at every level`, at, async (target) => {
      for (const [path, good] of PLACEMENTS) {
        // What a field would be taken from if names were looked up in prototypes.
        const [missing, ...rest] = Object.entries(good).reverse();
        const inherited = JSON.stringify(Object.fromEntries([missing]));
        const nested = `{"${name}":${inherited},"x":{"${name}":{"${name}":${inherited}}}`;
        const odd = [nested, ...rest.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)].join(
          ',',
        );
        const answer = await target.send(target.alice, 'POST', path, `${odd}}`);
        refusedWith(answer, 400, malformedOn(path));
      }
      assert.equal(({} as Record<string, unknown>).orderSize, undefined);
    });

    attack(`the name ${name} as every value`, at, async (target) => {
      for (const [path, good] of PLACEMENTS) {
        for (const key of Object.keys(good)) {
          const answer = await target.send(target.alice, 'POST', path, { ...good, [key]: name });
          assert.equal(answer.status, 400, `${path} ${key}`);
        }
      }
    });
  }

  attack('values of every wrong type', at, async (target) => {
    for (const [path, good] of PLACEMENTS) {
      for (const key of Object.keys(good)) {
        for (const value of [null, true, [], {}, [1], { a: 1 }, '']) {
          const answer = await target.send(target.alice, 'POST', path, { ...good, [key]: value });
          refusedWith(answer, 400, malformedOn(path), new RegExp(key));
        }
      }
    }
  });

  attack('an unknown name is refused by name on v4 and v3', at, async (target) => {
    for (const [path, good] of PLACEMENTS) {
      if (path === FUTURES) continue;
      const answer = await target.send(target.alice, 'POST', path, { ...good, stopPrice: '90' });
      refusedWith(answer, 400, malformedOn(path), /stopPrice/);
    }
  });
});

describe('methods', () => {
  for (const method of ['HEAD', 'TRACE', 'PUT', 'PATCH', 'MKCOL']) {
    attack(method, at, async (target) => {
      const signed = credentialHeaders(target.alice, LOOKUP, '', { nonce: nextNonce() });
      const answer = await exchange(target.url, requestText(method, LOOKUP, signed));
      assert.equal(answer?.status, 405);
    });
  }

  attack('CONNECT', at, async (target) => {
    const answer = await exchange(target.url, 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n');
    assert.equal(answer?.status, 405);
  });

  attack('OPTIONS', at, async (target) => {
    const answer = await exchange(
      target.url,
      requestText('OPTIONS', ORDERS, { origin: 'http://evil.example', 'access-control-request-method': 'POST' }),
    );
    assert.equal(answer?.status, 204);
    assert.doesNotMatch(answer.head, /access-control-allow/i);
  });

  attack('a method in lower case, or none', at, async (target) => {
    for (const text of [
      `post ${ORDERS} HTTP/1.1\r\nHost: v\r\n\r\n`,
      `${ORDERS} HTTP/1.1\r\n\r\n`,
      '\r\n\r\n\r\nX\r\n\r\n',
    ]) {
      const answer = await exchange(target.url, text);
      assert.ok(answer === null || answer.status === 400, JSON.stringify(answer));
    }
  });

  attack('method override headers', at, async (target) => {
    const headers = { 'x-http-method-override': 'POST', 'x-method-override': 'POST' };
    const answer = await target.send(target.alice, 'GET', `${LOOKUP}?_method=POST`, '', { headers });
    refusedWith(answer, 400, 400, /orderId is missing/);
  });
});

describe('Expect and Upgrade', () => {
  test('Expect: 100-continue is served', async () => {
    const target = at();
    const headers = {
      ...JSON_TYPE,
      ...credentialHeaders(target.alice, ORDERS, body, { nonce: nextNonce() }),
      expect: '100-continue',
    };
    const text = requestText('POST', ORDERS, headers, body);
    const connection = new RawConnection(target.url);
    connection.send(text.subarray(0, -body.length));
    assert.equal((await connection.answer())?.status, 100);
    connection.send(body);
    const answer = await connection.answer();
    assert.equal(answer?.status, 200);
    connection.socket.destroy();
    await target.cancel(target.alice, answer.body[0].orderId);
  });

  attack('Expect: anything else', at, async (target) => {
    const answer = await target.send(target.alice, 'POST', ORDERS, body, {
      headers: { expect: 'the-spanish-inquisition' },
    });
    refusedWith(answer, 417, 417);
  });

  attack('an upgrade to HTTP/2 or a WebSocket where there is none', at, async (target) => {
    const upgrades: Record<string, string>[] = [
      { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' },
      {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version': '13',
      },
    ];
    for (const headers of upgrades) {
      const answer = await exchange(target.url, requestText('GET', LOOKUP, headers));
      refusedWith(answer!, 401, 10002);
    }
    const preface = await exchange(target.url, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    assert.ok(preface === null || preface.status >= 400);
  });
});

describe('two readers of one request must not disagree where it ends, and for whom it is', () => {
  for (const name of ['the gateway', 'the control surface']) {
    const isGateway = name === 'the gateway';
    const urlOf = ({ url, venue }: Target) => (isGateway ? url : venue.control);
    const head = ({ venue }: Target, method: string, host = 'Host: venue\r\n') => {
      const path = isGateway ? '/spot/api/v3.3/time' : '/control/v1/state';
      return `${method} ${path} HTTP/1.1\r\n${host}Authorization: Bearer ${venue.controlToken}\r\n`;
    };

    for (const [what, upgrade] of [
      ['a WebSocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
      ['HTTP/2', 'Connection: keep-alive, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'],
    ]) {
      attack(`${name}: requests behind one that asks for ${what} are not left waiting`, at, async (target) => {
        const connection = new RawConnection(urlOf(target));
        const plain = `${head(target, 'GET')}\r\n`;
        connection.send(`${plain}${head(target, 'GET')}${upgrade}\r\n${plain}${plain}`);
        assert.equal((await connection.answer())?.status, 200);
        const last = await connection.answer();
        assert.equal(last?.status, 200);
        assert.match(last.head, /^connection: close$/im);
        await connection.closed();
        assert.equal(await connection.answer(), null);
        connection.socket.destroy();
      });
    }

    for (const coding of [
      'gzip',
      'identity',
      'gzip, chunked',
      'chunked, gzip',
      'chunked, chunked',
      'chunked;q=1',
      'xchunked',
      'gzip\r\nTransfer-Encoding: chunked',
      'chunked\r\nTransfer-Encoding: identity',
    ]) {
      attack(`${name}: Transfer-Encoding: ${coding.replace('\r\n', ' and ')} is 501`, at, async (target) => {
        for (const method of ['POST', 'GET']) {
          const text = `${head(target, method)}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`;
          const connection = new RawConnection(urlOf(target));
          connection.send(text + head(target, 'GET'));
          const answer = await connection.answer();
          assert.equal(answer?.status, 501, JSON.stringify(answer));
          assert.match(JSON.stringify(answer.body), /transfer-encoding .* is not supported/);
          await connection.closed();
          assert.equal(await connection.answer(), null, 'one request has one answer');
          connection.socket.destroy();
        }
      });
    }

    attack(`${name}: a transfer coding without anything behind it has one answer, too`, at, async (target) => {
      const connection = new RawConnection(urlOf(target));
      connection.send(`${head(target, 'GET')}Transfer-Encoding: gzip\r\n\r\n`);
      assert.equal((await connection.answer())?.status, 501);
      await connection.closed();
      assert.equal(await connection.answer(), null);
      connection.socket.destroy();
    });

    attack(`${name}: a length and a transfer coding at once`, at, async (target) => {
      for (const both of [
        'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
        'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
      ]) {
        const answer = await exchange(urlOf(target), `${head(target, 'POST')}${both}\r\n0\r\n\r\n`);
        assert.equal(answer?.status, 400);
      }
    });

    for (const [what, hosts] of [
      ['two Host headers', 'Host: venue\r\nHost: evil.example\r\n'],
      ['the same Host twice', 'Host: venue\r\nhOST: venue\r\n'],
      ['no Host', ''],
    ]) {
      attack(`${name}: ${what}`, at, async (target) => {
        const answer = await exchange(urlOf(target), `${head(target, 'GET', hosts)}\r\n`);
        assert.equal(answer?.status, 400);
        assert.match(
          JSON.stringify(answer.body),
          /HTTP\/1\.1 request needs exactly one Host header, this one has [02]/,
        );
      });
    }

    attack(`${name}: HTTP/1.0 needs no Host`, at, async (target) => {
      const text = head(target, 'GET', '').replace('HTTP/1.1', 'HTTP/1.0');
      assert.equal((await exchange(urlOf(target), `${text}\r\n`))?.status, 200);
    });
  }
});

describe('connections', () => {
  test('a hundred pipelined requests, each done once and answered in order', async () => {
    const target = at();
    const texts = Array.from({ length: 100 }, (_, i) => {
      const text = JSON.stringify({ ...RESTING, clOrderId: `pipelined-${i}` });
      const signed = credentialHeaders(target.alice, ORDERS, text, { nonce: nextNonce() });
      return requestText('POST', ORDERS, { ...JSON_TYPE, ...signed }, text);
    });
    const connection = new RawConnection(target.url);
    connection.send(Buffer.concat(texts));
    const ids: string[] = [];
    for (let i = 0; i < 100; i++) {
      const answer = await connection.answer();
      assert.equal(answer?.body[0].clOrderId, `pipelined-${i}`);
      ids.push(answer.body[0].orderId);
    }
    connection.socket.destroy();
    assert.equal(new Set(ids).size, 100);
    for (const id of ids) await target.cancel(target.alice, id);
  });

  test('a client that closes its half after the request gets its reply', async () => {
    const target = at();
    const answer = await target.send(target.alice, 'POST', ORDERS, body, { halfClose: true });
    assert.equal(answer.status, 200);
    await target.cancel(target.alice, answer.body[0].orderId);
  });

  attack('a client that closes its half in the middle of the body', at, async (target) => {
    const signed = { ...JSON_TYPE, ...credentialHeaders(target.alice, ORDERS, body, { nonce: nextNonce() }) };
    const text = requestText('POST', ORDERS, signed, body).subarray(0, -10);
    const answer = await exchange(target.url, text, { halfClose: true });
    assert.ok(answer === null || answer.status === 400, JSON.stringify(answer));
  });

  attack('a client that goes away in the middle of everything', at, async (target) => {
    const signed = { ...JSON_TYPE, ...credentialHeaders(target.alice, ORDERS, 'x'.repeat(60_000)) };
    for (const bytes of [
      '',
      'P',
      'POST ',
      `POST ${ORDERS} HTTP/1.1\r\n`,
      requestText('POST', ORDERS, signed, 'x'.repeat(60_000)).subarray(0, 30_000),
    ]) {
      const connection = new RawConnection(target.url);
      await once(connection.socket, 'connect');
      connection.send(bytes);
      await new Promise((resolve) => setImmediate(resolve));
      connection.socket.resetAndDestroy();
    }
  });

  attack('bytes that are no HTTP', at, async (target) => {
    const texts = [
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /\r\n\r\n',
      `GET ${LOOKUP} HTTP/1.1\r\nHost: v\r\nA\x00B: c\r\n\r\n`,
      `GET ${LOOKUP} HTTP/1.1\r\nHost: v\r\n folded\r\n\r\n`,
      'GET /a b HTTP/1.1\r\nHost: v\r\n\r\n',
    ];
    for (const text of texts) {
      const answer = await exchange(target.url, text);
      assert.ok(answer === null || (answer.status >= 400 && answer.status < 500), JSON.stringify([text, answer]));
    }
  });

  attack('a request without a host', at, async (target) => {
    const answer = await exchange(target.url, `GET ${LOOKUP} HTTP/1.1\r\n\r\n`);
    assert.equal(answer?.status, 400);
  });
});

describe('queries', () => {
  const queries: Record<string, string> = {
    'a name twice': 'orderId=1&orderId=2',
    'a broken escape': 'orderId=%',
    'an invalid UTF-8 escape': 'orderId=%ff',
    'a NUL': 'clOrderId=%00',
    'a line break': 'clOrderId=a%0ab',
    'an id too long': `clOrderId=${'x'.repeat(65)}`,
    nothing: '',
    'only empty ids': 'clOrderId=',
  };
  for (const [name, query] of Object.entries(queries)) {
    attack(name, at, async (target) => {
      refusedWith(await target.send(target.alice, 'GET', `${LOOKUP}?${query}`), 400, 400);
      const futures = query.replaceAll('orderId', 'orderID').replaceAll('clOrderId', 'clOrderID');
      refusedWith(await target.send(target.alice, 'GET', `${FUTURES}?${futures}`), 400, -2);
    });
  }

  attack('an order id that is none', at, async (target) => {
    for (const id of [
      '1',
      '__proto__',
      "' or 1=1 --",
      '00000000-0000-4000-8000-000000000000',
      'x'.repeat(5000),
      '../../etc/passwd',
    ]) {
      const answer = await target.send(target.alice, 'GET', `${LOOKUP}?orderId=${encodeURIComponent(id)}`);
      refusedWith(answer, 404, 16, /Order not found/);
    }
  });
});

describe('slow clients', () => {
  let target: Target;
  before(() => {
    target = at();
  });
  after(() => assert.ok(target.url));

  test('headers that drip in are cut off after ten seconds', async () => {
    const { answer, startedMs } = slow.header;
    assert.equal((await answer)?.status, 408);
    const seconds = (slow.header.endedMs - startedMs) / 1000;
    assert.ok(seconds >= 9 && seconds < 20, `${seconds} s`);
  });

  test('the control surface cuts them off, too', async () => {
    const { answer, startedMs } = slow.control;
    assert.equal((await answer)?.status, 408);
    const seconds = (slow.control.endedMs - startedMs) / 1000;
    assert.ok(seconds >= 9 && seconds < 20, `${seconds} s`);
  });

  test('a body that drips in is cut off after fifteen seconds', async () => {
    const { answer, startedMs } = slow.body;
    assert.equal((await answer)?.status, 408);
    const seconds = (slow.body.endedMs - startedMs) / 1000;
    assert.ok(seconds >= 14 && seconds < 25, `${seconds} s`);
  });
});
