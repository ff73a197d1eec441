/**
 * Plain requests are answered without node:http. What a client sees must not show it: the same bytes get the same replies
 * from a gateway that gives everything to node:http, however they are cut into packets.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Type } from 'typebox';
import type { Fault } from '../../src/api/gateway/faults.ts';
import { readPlainHead } from '../../src/api/gateway/plain-request.ts';
import { shareReads } from '../../src/api/gateway/shared-reads.ts';
import { ApiError } from '../../src/api/shared/errors.ts';
import type { Call, Route, Surface } from '../../src/api/shared/surface.ts';
import { Random } from '../model/random.ts';
import { type StandIn, standIn } from '../support/gateway.ts';

const loopTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Answers what it was asked, without a signature. */
function echo({ query, body, broker, replyHeaders }: Call): unknown {
  if (query.throw === 'nothing') return undefined;
  if (query.throw === 'bug') throw new Error('a bug');
  if (query.throw === 'refusal') throw new ApiError('busy', { problem: 'busy' });
  if (query.throw === 'later') return Promise.reject(new ApiError('orderNotFound'));
  if (query.header !== undefined) replyHeaders.push('X-Given', query.header);
  return { query, body: Object.keys(body), broker, text: query.text ?? '' };
}

const anything = { permission: null, summary: 'echo', reply: Type.Unknown(), handle: echo } as const;
const routes: Route[] = [
  { ...anything, method: 'GET', path: '/echo' },
  { ...anything, method: 'POST', path: '/echo', body: Type.Object({}) },
  { ...anything, method: 'PUT', path: '/echo', body: Type.Object({}) },
  { ...anything, method: 'DELETE', path: '/echo' },
];
const surfaces: Surface[] = [
  { name: 'spot', envelope: 'B', basePath: '/spot/api/v4', unsignedPrefix: '/spot', routes },
  { name: 'futures', envelope: 'A', basePath: '/futures/api/v2.3', unsignedPrefix: '/futures', routes },
];

/** A gateway whose side of each connection the test sees. */
class Server {
  readonly venue: StandIn;
  /** By the client's port. */
  readonly #sockets = new Map<number, Socket>();
  /** The requests that node:http read. */
  seenByNode = 0;

  private constructor(venue: StandIn) {
    this.venue = venue;
    venue.gateway.server.prependListener('connection', (socket: Socket) =>
      this.#sockets.set(socket.remotePort as number, socket),
    );
    venue.gateway.server.on('request', () => {
      this.seenByNode += 1;
    });
  }

  static async start(plainRequests: boolean): Promise<Server> {
    return new Server(await standIn({ surfaces, plainRequests }));
  }

  static of(venue: StandIn): Server {
    return new Server(venue);
  }

  async connect(): Promise<Connection> {
    const socket = connect({ port: Number(new URL(this.venue.url).port), host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    while (!this.#sockets.has(socket.localPort as number)) await loopTurn();
    return new Connection(socket, this.#sockets.get(socket.localPort as number) as Socket);
  }

  /** All that a client receives that sends the parts, each after the one before was read, and then closes its half. */
  async transcript(parts: readonly Buffer[]): Promise<string> {
    const connection = await this.connect();
    for (const part of parts) await connection.send(part);
    connection.client.end();
    while (!connection.hasEnded) await loopTurn();
    connection.client.destroy();
    return connection.received.replaceAll(/^Date: .*\r$/gm, 'Date: …\r').replaceAll(/"time":\d+/g, '"time":…');
  }
}

class Connection {
  readonly client: Socket;
  readonly server: Socket;
  received = '';
  hasEnded = false;
  #sent = 0;

  constructor(client: Socket, server: Socket) {
    this.client = client;
    this.server = server;
    client.setEncoding('latin1');
    client.on('data', (text) => {
      this.received += text;
    });
    const end = () => {
      this.hasEnded = true;
    };
    client.on('end', end);
    client.on('error', end);
    client.on('close', end);
  }

  /** Resolves when the server has read the bytes, or reads no more. */
  async send(bytes: Buffer | string): Promise<void> {
    const part = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    this.#sent += part.length;
    this.client.write(part);
    const { server } = this;
    while (server.bytesRead < this.#sent && !server.destroyed && !server.isPaused() && !this.hasEnded) await loopTurn();
    await loopTurn();
  }
}

let plain: Server;
let node: Server;
before(async () => {
  plain = await Server.start(true);
  node = await Server.start(false);
});
after(async () => {
  await plain.venue.close();
  await node.venue.close();
  assert.ok(node.seenByNode > 0);
});

async function same(parts: readonly Buffer[], about = ''): Promise<string> {
  const [one, other] = await Promise.all([plain.transcript(parts), node.transcript(parts)]);
  assert.equal(one, other, `${about} ${JSON.stringify(Buffer.concat(parts).toString('latin1'))}`);
  return one;
}

const text = (lines: readonly string[], body = '') => Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
const ECHO = '/spot/api/v4/echo';
const get = (query = '', ...headers: string[]) => text([`GET ${ECHO}${query} HTTP/1.1`, 'Host: venue', ...headers]);
const post = (body: string, ...headers: string[]) =>
  text(
    [
      `POST ${ECHO} HTTP/1.1`,
      'Host: venue',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...headers,
    ],
    body,
  );
/** Ends the connection, so that the transcript has an end whatever was before. */
const last = get('?n=last', 'Connection: close');

describe('replies are the same', () => {
  const cases: Record<string, Buffer> = {
    'a GET': get('?a=1&b=%20'),
    'a POST': post('{"a":1}'),
    'a POST without a body': text([`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Length: 0']),
    'a PUT': text([`PUT ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Type: application/json', 'Content-Length: 2'], '{}'),
    'a DELETE': text([`DELETE ${ECHO}?id=1 HTTP/1.1`, 'Host: venue']),
    'a GET with a body': text(
      [`GET ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Type: application/json', 'Content-Length: 2'],
      '{}',
    ),
    'a broker': post('{}', 'BROKER-ID: someone'),
    'headers of a library': post(
      '{}',
      'User-Agent: python-requests/2.32.3',
      'Accept-Encoding: gzip, deflate, br',
      'Accept: */*',
      'Connection: keep-alive',
    ),
    'a reply that is not ASCII': get('?text=%E2%82%AC%F0%9F%98%80'),
    'a reply in Latin-1': get('?text=%C3%A9'),
    'a header of the route': get('?header=some'),
    'a refusal': get('?throw=refusal'),
    'a refusal that comes later': get('?throw=later'),
    'a bug': get('?throw=bug'),
    'a route that returns nothing': get('?throw=nothing'),
    'a broken query': get('?a=1&a=2'),
    'a body that is no JSON': post('{"a"'),
    'an unknown path': text(['GET /spot/api/v4/nothing HTTP/1.1', 'Host: venue']),
    'the other envelope': text(['GET /futures/api/v2.3/echo?throw=refusal HTTP/1.1', 'Host: venue']),
    HEAD: text([`HEAD ${ECHO} HTTP/1.1`, 'Host: venue']),
    OPTIONS: text([`OPTIONS ${ECHO} HTTP/1.1`, 'Host: venue']),
    PATCH: text([`PATCH ${ECHO} HTTP/1.1`, 'Host: venue']),
    'HTTP/1.0': text([`GET ${ECHO} HTTP/1.0`, 'Host: venue']),
    'HTTP/1.0 that stays': text([`GET ${ECHO} HTTP/1.0`, 'Host: venue', 'Connection: keep-alive']),
    'HTTP/2': Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    'no Host': text([`GET ${ECHO} HTTP/1.1`]),
    'two Hosts': get('', 'Host: venue'),
    'an empty Host': text([`GET ${ECHO} HTTP/1.1`, 'Host:']),
    'a close': get('', 'Connection: close'),
    'a Connection with two words': get('', 'Connection: keep-alive, close'),
    'two Connections': get('', 'Connection: keep-alive', 'Connection: close'),
    'a proxy that closes': get('', 'Proxy-Connection: close'),
    chunks: text(
      [`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
      '2\r\n{}\r\n0\r\n\r\n',
    ),
    'a length and chunks': post('{}', 'Transfer-Encoding: chunked'),
    'an unknown coding': get('', 'Transfer-Encoding: gzip'),
    'two equal lengths': post('{}', 'Content-Length: 2'),
    'two lengths': post('{}', 'Content-Length: 40'),
    'a list of lengths': text(
      [`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Type: application/json', 'Content-Length: 2, 2'],
      '{}',
    ),
    'a length with a sign': text([`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Length: +2'], '{}'),
    'a length in hex': text([`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Length: 0x2'], '{}'),
    'a length with a zero in front': text([`GET ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Length: 00']),
    'an empty length': text([`GET ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Length:']),
    'a length with a space in front of its colon': text([`GET ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Length : 2']),
    'a length that is too large': text([
      `POST ${ECHO} HTTP/1.1`,
      'Host: venue',
      'Content-Type: application/json',
      'Content-Length: 65537',
    ]),
    'a length beyond all numbers': text([`POST ${ECHO} HTTP/1.1`, 'Host: venue', `Content-Length: ${'9'.repeat(30)}`]),
    'another type': text(
      [`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Type: text/plain', 'Content-Length: 2'],
      '{}',
    ),
    'no type': text([`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Length: 2'], '{}'),
    'a compressed body': post('{}', 'Content-Encoding: gzip'),
    'an expectation': post('{}', 'Expect: 100-continue'),
    'an unknown expectation': post('{}', 'Expect: more'),
    'an upgrade': get('', 'Connection: Upgrade', 'Upgrade: websocket'),
    'an upgrade without its Connection': get('', 'Upgrade: websocket'),
    CONNECT: text(['CONNECT venue:80 HTTP/1.1', 'Host: venue']),
    TRACE: text([`TRACE ${ECHO} HTTP/1.1`, 'Host: venue']),
    'a folded header': text([`GET ${ECHO} HTTP/1.1`, 'Host: venue', 'X-A: b', ' c']),
    'a folded length': text([`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Length:', ' 2'], '{}'),
    'spaces around a value': get('', 'X-A:   b  ', 'BROKER-ID:  c '),
    'a tab in a value': get('', 'X-A: a\tb', 'BROKER-ID: a\tb'),
    'no space behind the colon': get('', 'BROKER-ID:a'),
    'a header without a colon': get('', 'broken'),
    'a header without a name': get('', ': b'),
    'a space in a name': get('', 'X A: b'),
    'an underscore in a name': get('', 'content_length: 4'),
    'a NUL in a value': get('', 'X-A: a\0b'),
    'Latin-1 in a value': get('', 'BROKER-ID: \xe9'),
    'a CR in a value': get('', 'X-A: a\rb'),
    'an LF in a value': get('', 'X-A: a\nContent-Length: 5'),
    'bare LFs': Buffer.from(`GET ${ECHO} HTTP/1.1\nHost: venue\n\n`),
    'a bare LF behind the head': Buffer.from(`GET ${ECHO} HTTP/1.1\r\nHost: venue\r\n\n`),
    'blank lines in front': Buffer.concat([Buffer.from('\r\n\r\n'), get()]),
    'two spaces in the request line': text([`GET  ${ECHO} HTTP/1.1`, 'Host: venue']),
    'a space behind the version': text([`GET ${ECHO} HTTP/1.1 `, 'Host: venue']),
    'a lower-case method': text([`get ${ECHO} HTTP/1.1`, 'Host: venue']),
    'a lower-case version': text([`GET ${ECHO} http/1.1`, 'Host: venue']),
    'HTTP/1.2': text([`GET ${ECHO} HTTP/1.2`, 'Host: venue']),
    'an absolute target': text([`GET http://venue${ECHO} HTTP/1.1`, 'Host: venue']),
    'a target without a slash': text(['GET echo HTTP/1.1', 'Host: venue']),
    'a fragment': get('?a=1#b'),
    'a target that is not ASCII': get('?a=\xe9'),
    'a target with quotes': get('?a="b"<c>'),
    'an escaped path': text(['GET /spot/api/v4/%65cho HTTP/1.1', 'Host: venue']),
    'no header at all': Buffer.from(`GET ${ECHO} HTTP/1.1\r\n\r\n`),
    'a head of 10 KB': get('', `X-A: ${'a'.repeat(10_000)}`),
    'a head of 20 KB': get('', `X-A: ${'a'.repeat(20_000)}`),
    'a head of 8,192 bytes': get('', `X-A: ${'a'.repeat(8192 - get('', 'X-A: ').length)}`),
    '64 headers of 8 KB': get('', ...Array.from({ length: 63 }, () => `a: ${'b'.repeat(120)}`)),
    '65 headers': get('', ...Array.from({ length: 64 }, () => 'a: b')),
    'a thousand headers': get('', ...Array.from({ length: 1000 }, () => 'a: b')),
    'no HTTP': Buffer.from('hello\r\n\r\n'),
    TLS: Buffer.from([0x16, 0x03, 0x01, 0, 0]),
    nothing: Buffer.alloc(0),
    'half a request line': Buffer.from('GET /spot/a'),
    'half a head': Buffer.from(`GET ${ECHO} HTTP/1.1\r\nHost: ve`),
    'half a body': post('{"a":1}').subarray(0, -3),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    test(name, async () => {
      await same([bytes]);
      await same([bytes, last]);
      await same([Buffer.concat([bytes, last])]);
      await same([get('?n=first'), bytes, last]);
      await same([Buffer.concat([get('?n=first'), post('{"b":2}'), bytes, get('?n=next'), last])]);
    });
  }

  test('a body of 64 KB', async () => {
    const body = `{"a":"${'x'.repeat(65_536 - 8)}"}`;
    assert.match(await same([post(body), last]), /^HTTP\/1.1 200/);
  });
});

test('a header of a route that would break the head is a bug', async () => {
  const reply = await plain.transcript([get('?header=a%0D%0AX-B:%20c')]);
  assert.match(reply, /^HTTP\/1\.1 500 Internal Server Error\r\n/);
  assert.doesNotMatch(reply, /X-B/);
});

describe('an armed fault', () => {
  const faults: readonly Fault[] = [
    { status: 503, retryAfterSeconds: 7 },
    { status: 599 },
    { status: 200, body: '<p>€</p>' },
    { maintenance: true },
    { latencyMs: 5 },
    { dropReply: true },
  ];
  for (const fault of faults) {
    test(JSON.stringify(fault), async () => {
      for (const { venue } of [plain, node]) venue.faults.arm(fault);
      await same([post('{}'), last]);
    });
  }
});

describe('wherever the cut is', () => {
  const cases: Record<string, Buffer> = {
    'a GET and a POST': Buffer.concat([get('?n=1'), post('{"a":1}')]),
    'a body with blank lines': post('{"a":"\\r\\n",\r\n\r\n"b":2}'),
    'a POST and an upgrade': Buffer.concat([post('{}'), get('', 'Upgrade: websocket', 'Connection: Upgrade')]),
    'a length and chunks': post('{}', 'Transfer-Encoding: chunked'),
    chunks: text(
      [`POST ${ECHO} HTTP/1.1`, 'Host: venue', 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
      '2\r\n{}\r\n0\r\n\r\n',
    ),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    test(name, async () => {
      for (let cut = 1; cut < bytes.length; cut += 1) {
        await same([bytes.subarray(0, cut), Buffer.concat([bytes.subarray(cut), last])], `cut at ${cut}:`);
      }
    });
  }

  test('in packets of one byte, and of seven', async () => {
    const bytes = Buffer.concat([get('?n=1'), post('{"a":1}'), post('{"b":1}'), last]);
    for (const size of [1, 7]) {
      const parts: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
      await same(parts);
    }
  });
});

const PIECES = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  ' ',
  '\t',
  ':',
  ',',
  '\0',
  '\x7f',
  '\xff',
  '0',
  '1',
  'HTTP/1.0',
  'Host: b\r\n',
].concat([
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: x\r\n',
  'Expect: 100-continue\r\n',
  '0\r\n\r\n',
]);

/** Requests in which a few bytes are lost, repeated, moved, or others. */
function mutated(random: Random): Buffer {
  const whole = [get('?n=1', 'Accept: */*'), post('{"a":1}', 'BROKER-ID: x'), get('?n=2'), post('{}')];
  let bytes = Buffer.concat(whole.slice(random.int(0, 1), 2 + random.int(0, 2)));
  for (let i = 1 + random.int(0, 2); i > 0; i -= 1) {
    const at = random.int(0, bytes.length);
    const end = Math.min(bytes.length, at + random.int(0, 11));
    const piece = Buffer.from(random.pick(PIECES), 'latin1');
    const middle = [
      () => [piece],
      () => [],
      () => [bytes.subarray(at, end), bytes.subarray(at, end)],
      () => [piece, bytes.subarray(at, end)],
      () => [Buffer.from([random.int(0, 255)]), bytes.subarray(Math.min(at + 1, end), end)],
    ][random.int(0, 4)]();
    bytes = Buffer.concat([bytes.subarray(0, at), ...middle, bytes.subarray(end)]);
  }
  return bytes;
}

test('requests that are broken in random places, in random packets', async () => {
  const random = new Random(20261129);
  for (let i = 0; i < 600; i += 1) {
    const bytes = mutated(random);
    const cut = random.once(2) ? bytes.length : random.int(0, bytes.length);
    await same([bytes.subarray(0, cut), Buffer.concat([bytes.subarray(cut), last])].filter(({ length }) => length > 0));
  }
});

/** The requests that node:http reads of the bytes. */
async function readByNode(bytes: Buffer): Promise<IncomingMessage[]> {
  const requests: IncomingMessage[] = [];
  const server = createServer({ requireHostHeader: false }, (request) => requests.push(request));
  server.on('upgrade', () => {});
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  server.emit('connection', socket);
  socket.push(bytes);
  await loopTurn();
  socket.destroy();
  return requests;
}

test('what is taken for a plain request, node:http reads in the same way', async () => {
  const random = new Random(4);
  let plainOnes = 0;
  for (let i = 0; i < 5000; i += 1) {
    const bytes = mutated(random);
    const head = readPlainHead(bytes);
    if (head === null || head === 'incomplete') continue;
    plainOnes += 1;
    const [request] = await readByNode(bytes);
    assert.equal(request.method, head.method);
    assert.equal(request.url, head.target);
    assert.equal(request.httpVersion, '1.1');
    assert.equal(Number(request.headers['content-length'] ?? 0), head.bodyBytes);
    for (const [name, value] of Object.entries(head.headers)) assert.equal(value, request.headers[name], name);
    assert.equal(request.headers.upgrade, undefined);
    assert.equal(request.headers['transfer-encoding'], undefined);
  }
  assert.ok(plainOnes > 1000, `only ${plainOnes} were plain`);
});

describe('all connections are read into one buffer', () => {
  const named = (name: string) => post(`{"${name}":1}`);
  /** The names in the replies, when `count` of them have come. */
  const answered = async (connection: Connection, count: number) => {
    while (connection.received.split('HTTP/1.1 ').length <= count && !connection.hasEnded) await loopTurn();
    return [...connection.received.matchAll(/"body":\["(\w+)"\]/g)].map(([, name]) => name);
  };

  test('the Node of the lock file can do that', async (t) => {
    const server = createTcpServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    t.after(() => client.destroy());
    const [socket] = await once(server, 'connection');
    const received: Buffer[] = [];
    assert.ok(shareReads(socket, (bytes) => received.push(bytes) > 0));
    socket.resume();
    for (const byte of ['a', 'b']) {
      client.write(byte);
      while (received.at(-1)?.toString() !== byte) await loopTurn();
    }
    assert.equal(received[0].buffer, received[1].buffer);
  });

  test('the beginning of a request is kept while another one is read', async () => {
    const [one, other] = [await plain.connect(), await plain.connect()];
    const bytes = named('first');
    for (const cut of [bytes.length - 4, bytes.indexOf('\r\n\r\n') + 2]) {
      one.received = '';
      await one.send(bytes.subarray(0, cut));
      await other.send(named('other'));
      await one.send(bytes.subarray(cut));
      assert.deepEqual(await answered(one, 1), ['first']);
    }
    for (const { client } of [one, other]) client.destroy();
  });

  test('requests that wait for their turn are kept', async () => {
    const connections = await Promise.all(Array.from({ length: 4 }, () => plain.connect()));
    const names = (i: number) => [`a${i}`, `b${i}`, `c${i}`];
    await Promise.all(connections.map((each, i) => each.send(Buffer.concat(names(i).map(named)))));
    for (const [i, each] of connections.entries()) {
      assert.deepEqual(await answered(each, 3), names(i));
      each.client.destroy();
    }
  });

  test('a body that a fault delays is kept', async () => {
    const [one, other] = [await plain.connect(), await plain.connect()];
    plain.venue.faults.arm({ latencyMs: 5 });
    await one.send(named('first'));
    await other.send(named('other'));
    assert.deepEqual(await answered(other, 1), ['other']);
    assert.deepEqual(await answered(one, 1), ['first']);
    for (const { client } of [one, other]) client.destroy();
  });

  test('what the parser of node:http gets is kept while another connection is read', async () => {
    const [one, other] = [await plain.connect(), await plain.connect()];
    const bytes = post('{"first":1}', 'X-Odd: \u00e9');
    await one.send(bytes.subarray(0, -4));
    await other.send(named('other'));
    await one.send(bytes.subarray(-4));
    assert.deepEqual(await answered(one, 1), ['first']);
    for (const { client } of [one, other]) client.destroy();
  });
});

test('what an order keeps of a request does not keep the rest: 1,000 of 64 KB do not stay in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const kept: unknown[] = [];
  const keep = ({ body, broker }: Call) => kept.push(body.id, broker);
  const venue = await standIn({ surfaces: [{ ...surfaces[0], routes: [{ ...routes[1], handle: keep }] }] });
  const connection = await Server.of(venue).connect();
  const bytesAfter = async (count: number) => {
    while (kept.length < 2 * count) {
      const body = JSON.stringify({ id: `client-order-${kept.length}`, note: 'x'.repeat(57_000) });
      const before = kept.length;
      await connection.send(post(body, `Broker-Id: a-broker-with-a-long-name`, `X-Note: ${'x'.repeat(7000)}`));
      while (kept.length === before) await loopTurn();
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await bytesAfter(100);
  const grownBytes = (await bytesAfter(1100)) - before;
  assert.ok(grownBytes < 3_000_000, `${grownBytes} bytes are kept`);
  connection.client.destroy();
  await venue.close();
});

describe('which requests node:http reads', () => {
  test('none of a client that sends heads and bodies in separate packets', async () => {
    const before = plain.seenByNode;
    const connection = await plain.connect();
    for (let i = 0; i < 5; i += 1) {
      const bytes = post(`{"i":${i}}`);
      await connection.send(bytes.subarray(0, -7));
      await connection.send(bytes.subarray(-7));
    }
    while (connection.received.split('HTTP/1.1 200').length < 6) await loopTurn();
    assert.equal(plain.seenByNode, before);
    connection.client.destroy();
  });

  test('all of a connection from the first one that is not plain', async () => {
    const before = plain.seenByNode;
    const connection = await plain.connect();
    await connection.send(get());
    assert.equal(plain.seenByNode, before);
    await connection.send(get('', 'Content-Length: 00'));
    await connection.send(get());
    while (connection.received.split('HTTP/1.1 200').length < 4) await loopTurn();
    assert.equal(plain.seenByNode, before + 2);
    connection.client.destroy();
  });
});

describe('the end of a connection', () => {
  /** A gateway whose replies come when the test says so. */
  async function held(): Promise<{ server: Server; release: ((value: object) => void)[] }> {
    const release: ((value: object) => void)[] = [];
    const venue = await standIn({ handle: () => new Promise((resolve) => release.push(resolve)) });
    return { server: Server.of(venue), release };
  }
  const time = text(['GET /spot/api/v4/time HTTP/1.1', 'Host: venue']);
  const until = async (holds: () => boolean) => {
    while (!holds()) await loopTurn();
  };

  test('a stop closes idle connections at once, and answers what is in progress, and says so with the last reply', async () => {
    const { server, release } = await held();
    const unused = await server.connect();
    const busy = await server.connect();
    await busy.send(Buffer.concat([time, time]));
    await until(() => release.length === 2);
    const half = await server.connect();
    await half.send(time.subarray(0, 20));
    const closed = server.venue.gateway.close();
    await until(() => unused.hasEnded);
    assert.equal(unused.received, '');
    release[1]({ n: 2 });
    release[0]({ n: 1 });
    await until(() => busy.hasEnded);
    assert.match(busy.received, /Connection: keep-alive\r\n[^{]*{"n":1}HTTP[^{]*Connection: close\r\n[^{]*{"n":2}$/);
    await half.send(time.subarray(20));
    await until(() => release.length === 3);
    release[2]({ n: 3 });
    await until(() => half.hasEnded);
    assert.match(half.received, /Connection: close\r\n[^{]*{"n":3}$/);
    assert.deepEqual(await closed, []);
  });

  test('an idle connection ends after 66 s, as with node:http, but not while a request is in progress', async () => {
    const { server, release } = await held();
    const connection = await server.connect();
    await connection.send(time);
    await until(() => release.length === 1);
    connection.server.emit('timeout');
    assert.equal(connection.server.destroyed, false);
    release[0]({ n: 1 });
    await until(() => connection.received.endsWith('{"n":1}'));
    assert.equal(connection.server.timeout, 66_000);
    connection.server.emit('timeout');
    assert.equal(connection.server.destroyed, true);
    await server.venue.close();
  });

  test('a connection that node:http has taken over gets its idle time', async () => {
    const connection = await plain.connect();
    await connection.send(get());
    assert.equal(connection.server.timeout, 66_000);
    await connection.send(post('{}', 'Expect: 100-continue').subarray(0, -2));
    assert.equal(connection.server.timeout, 0);
    await connection.send('{}');
    await until(() => connection.received.split('200 OK').length === 3);
    assert.equal(connection.server.timeout, 66_000);
    connection.client.destroy();
  });

  test('a client that has gone gets no reply, and that is no bug', async () => {
    const { server, release } = await held();
    const connection = await server.connect();
    await connection.send(Buffer.concat([time, time]));
    await until(() => release.length === 2);
    connection.client.resetAndDestroy();
    await until(() => connection.server.destroyed);
    for (const one of release) one({});
    await loopTurn();
    assert.deepEqual(server.venue.bugs, []);
    await server.venue.close();
  });

  test('a client that closes its half in the middle of a request gets 400, or nothing behind a request in progress', async () => {
    const { server, release } = await held();
    const one = await server.connect();
    await one.send(time.subarray(0, 30));
    one.client.end();
    await until(() => one.hasEnded);
    assert.match(one.received, /^HTTP\/1\.1 400/);
    const other = await server.connect();
    await other.send(Buffer.concat([time, time.subarray(0, 30)]));
    await until(() => release.length === 1);
    other.client.end();
    await until(() => other.hasEnded);
    assert.equal(other.received, '');
    await server.venue.close();
  });

  test('a handshake behind a request in progress is taken behind its reply', async () => {
    const { server, release } = await held();
    const taken: string[] = [];
    server.venue.gateway.serveUpgrades({
      takes: (path) => path === '/stream',
      take: (request, socket, rest) => {
        taken.push(`${request.url} ${rest}`);
        socket.on('data', (bytes) => taken.push(String(bytes)));
        socket.on('end', () => socket.end());
      },
      close: async () => {},
    });
    const connection = await server.connect();
    const handshake = text(
      ['GET /stream HTTP/1.1', 'Host: venue', 'Connection: Upgrade', 'Upgrade: websocket'],
      'frame',
    );
    await connection.send(Buffer.concat([time, handshake]));
    await until(() => release.length === 1);
    assert.deepEqual(taken, []);
    release[0]({ n: 1 });
    await until(() => taken.length > 0);
    assert.ok(connection.received.endsWith('{"n":1}'));
    connection.client.write('more');
    await until(() => taken.join('').endsWith('more'));
    assert.equal(taken.join(''), '/stream framemore');
    connection.client.end();
    await server.venue.close();
  });
});
