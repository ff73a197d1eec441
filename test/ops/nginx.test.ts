/**
 * deploy/nginx.conf in a real nginx before a real venue. Only its three addresses (the port of the venue, its own port)
 * are replaced by free ones. `npm run test:ops` gets nginx from Debian's packages if it is not installed.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { ControlClient } from '../../src/index.ts';
import { Place, type StartedProcess, stop } from '../cli/support.ts';
import { credentialHeaders, type TestKey } from '../support/signing.ts';
import { deployed, freePort, LONG_MS, program, ran } from './support.ts';

const nginx = process.env.BOURSE_NGINX || program('nginx');
const openssl = program('openssl');
const skip =
  nginx === undefined
    ? 'nginx is not installed: `npm run test:ops` gets it where apt-get works, or apt-get install nginx'
    : openssl === undefined
      ? 'openssl is not installed, which makes the certificate'
      : process.platform !== 'linux' && 'addresses beside 127.0.0.1 need Linux';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type: string;
}

const ORDER = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 100, orderSize: 1 };

describe('a venue behind nginx', { skip, timeout: LONG_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-nginx-'));
  const place = new Place();
  let venue: StartedProcess;
  let proxy: ChildProcess;
  let port = 0;
  let certificate: Buffer;
  let log = '';
  let key: TestKey;
  let fromTwo: TestKey;

  before(async () => {
    const tls = join(folder, 'bourse');
    mkdirSync(tls);
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const files = ['-keyout', join(tls, 'privkey.pem'), '-out', join(tls, 'fullchain.pem')];
    const made = ran([
      openssl as string,
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      ...subject,
      ...files,
    ]);
    assert.equal(made.status, 0, made.output);
    certificate = readFileSync(join(tls, 'fullchain.pem'));

    venue = await place.start(['--trusted-proxies', '127.0.0.1']);
    const token = readFileSync(join(place.data, 'control-token'), 'utf8').trim();
    const control = new ControlClient({ url: venue.ready.control, token });
    await control.createAccount('alice');
    await control.deposit('alice', 'USDT', '1000');
    await control.setPrices('BTC-USDT', { index: 100 });
    const permissions = ['read', 'trading'] as const;
    key = await control.createKey('alice', { permissions });
    fromTwo = await control.createKey('alice', { permissions, ipAllow: ['127.0.0.2/32'] });

    port = await freePort();
    const own = deployed('nginx.conf')
      .replace('server 127.0.0.1:8080;', `server ${new URL(venue.ready.http).host};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`);
    assert.ok(own.includes(`:${port} ssl;`) && !own.includes('8080;'));
    writeFileSync(join(folder, 'bourse.conf'), own);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (of) => `${of}_temp_path ${folder}/${of};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `${process.getuid?.() === 0 ? 'user root root;' : ''}
      daemon off; pid ${folder}/nginx.pid; worker_processes 1; error_log stderr notice;
      events { worker_connections 256; }
      http { access_log off; ${temporary.join(' ')} include bourse.conf; }`,
    );
    chmodSync(folder, 0o700);
    proxy = spawn(nginx as string, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await new Promise<void>((resolve, reject) => {
      proxy.once('exit', (code) => reject(new Error(`nginx ended with ${code}: ${log}`)));
      proxy.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        // Its listener is open before its first worker starts.
        if (log.includes('start worker process ')) resolve();
      });
    });
  });

  after(async () => {
    if (proxy?.exitCode === null) {
      const ended = new Promise((resolve) => proxy.once('exit', resolve));
      proxy.kill('SIGTERM');
      await ended;
    }
    await place[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function call(
    method: string,
    path: string,
    {
      body = '',
      headers = {},
      from = '127.0.0.1',
    }: { body?: string; headers?: Record<string, string>; from?: string } = {},
  ): Promise<Answer> {
    const options = {
      host: '127.0.0.1',
      port,
      servername: 'localhost',
      ca: certificate,
      localAddress: from,
      agent: false,
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        { ...options, method, path, headers: { 'content-length': Buffer.byteLength(body), ...headers } },
        (reply) => {
          let text = '';
          reply.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          reply.on('end', () =>
            resolve({ status: reply.statusCode ?? 0, text, type: reply.headers['content-type'] ?? '' }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  function signed(
    by: TestKey,
    method: string,
    path: string,
    extra: { body?: object; from?: string; claims?: string } = {},
  ) {
    const body = extra.body === undefined ? '' : JSON.stringify(extra.body);
    const headers = {
      ...credentialHeaders(by, path, body),
      'content-type': 'application/json',
      ...(extra.claims !== undefined && { 'x-forwarded-for': extra.claims }),
    };
    return call(method, path, { body, headers, from: extra.from });
  }

  test('a signed order is placed, and looked up with a query, over TLS', async () => {
    const placed = await signed(key, 'POST', '/spot/api/v4/trade/orders', { body: ORDER });
    assert.equal(placed.status, 200, placed.text);
    const [{ orderId }] = JSON.parse(placed.text);
    const found = await signed(key, 'GET', `/spot/api/v4/trade/order?orderId=${orderId}`);
    assert.equal(found.status, 200, found.text);
    assert.ok(found.text.includes(orderId));
  });

  test('the address of a client is that of its connection to nginx, whatever it claims', async () => {
    const status = async (from: string, claims?: string) =>
      (await signed(fromTwo, 'GET', '/spot/api/v4/trade/order?orderId=x', { from, claims })).status;
    const allowed = await status('127.0.0.2');
    assert.ok(allowed !== 401 && allowed !== 403, `status ${allowed}`);
    assert.equal(await status('127.0.0.2', '10.0.0.9'), allowed);
    assert.equal(await status('127.0.0.3'), 403);
    assert.equal(await status('127.0.0.3', '127.0.0.2'), 403);
    assert.equal(await status('127.0.0.3', '127.0.0.2, 127.0.0.1'), 403);
  });

  test('a stream is opened, and sends its book', async () => {
    const socket = new WebSocket(`wss://localhost:${port}/ws/oss/spot`, { ca: certificate });
    const frames: string[] = [];
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('open', () => socket.send(JSON.stringify({ op: 'subscribe', args: ['update:BTC-USDT_0'] })));
      socket.on('message', (data) => {
        frames.push(String(data));
        if (frames.length === 2) resolve();
      });
    });
    assert.match(frames[1], /"topic":"update:BTC-USDT_0"/);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.close();
    await closed;
  });

  test('a body that is too large is refused by the venue, with an error that clients can read', async () => {
    const { status, text, type } = await signed(key, 'POST', '/spot/api/v4/trade/orders', {
      body: { ...ORDER, clOrderId: 'x'.repeat(70_000) },
    });
    assert.equal(status, 413);
    assert.match(type, /^application\/json/, text);
  });

  test('the control surface and the probes are not reachable', async () => {
    for (const path of ['/control/v1/health', '/control/v1/metrics', '/livez', '/readyz']) {
      assert.equal((await call('GET', path)).status, 404, path);
    }
  });

  test('while the venue is stopped, nginx says 502', async () => {
    assert.equal((await stop(venue)).code, 0);
    assert.equal((await signed(key, 'POST', '/spot/api/v4/trade/orders', { body: ORDER })).status, 502);
  });
});
