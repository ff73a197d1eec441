/** Who gets the page, and what a browser may do with its cookie: judged from the requests alone. */
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { PageSessions } from '../../src/api/control/page/sessions.ts';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { control } from './support.ts';

let venue: TestVenue;
let origin: string;
let host: string;

before(async () => {
  venue = await startVenue();
  origin = venue.control;
  host = new URL(origin).host;
});
after(() => venue.close());

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** A request with any Host, which fetch does not allow. */
function ask(method: string, path: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> {
  const { hostname, port } = new URL(venue.control);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { method, path, hostname, port, headers: { host, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

async function newCode(options: object = {}, token = venue.controlToken): Promise<string> {
  const { text } = await ask('POST', '/session/links', { authorization: `Bearer ${token}` }, options);
  return JSON.parse(text).path.split('#t=')[1];
}

/** The cookie of a new session, as a browser sends it. */
async function newCookie(options: object = {}, token = venue.controlToken): Promise<string> {
  const { status, headers, text } = await ask('POST', '/session', { origin }, { code: await newCode(options, token) });
  assert.equal(status, 200, text);
  return String(headers['set-cookie']).split(';')[0];
}

const page = { 'sec-fetch-site': 'same-origin' };

test('the document is served at every view, without a session, and nothing of it may be framed or loaded from elsewhere', async () => {
  for (const path of ['/', '/account/bot', '/orders/1', '/time?seq=5', '/control', '/operations']) {
    const { status, headers } = await ask('GET', path);
    assert.equal(status, 200, path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /script-src 'self' 'sha256-[A-Za-z0-9+/]{43}='/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('a mistyped address is a page for a browser, and an error for a program', async () => {
  for (const cookie of ['', await newCookie()]) {
    const typed = await ask('GET', '/order/x', { accept: 'text/html,*/*;q=0.8', cookie, 'sec-fetch-site': 'none' });
    assert.deepEqual([typed.status, typed.headers['content-type']], [404, 'text/html; charset=utf-8']);
    assert.match(typed.text, /There is no such page/);
    assert.doesNotMatch(typed.text, /order/);
  }
  const program = await ask('GET', '/order/x', { authorization: `Bearer ${venue.controlToken}`, accept: '*/*' });
  assert.deepEqual([program.status, JSON.parse(program.text).error.reason], [404, 'notFound']);
  assert.equal((await ask('GET', '/control/v1/clocks', { accept: 'text/html' })).status, 401);
});

test('files have an ETag and a path with a digest, and no path leads out of the list', async () => {
  const document = await ask('GET', '/');
  const again = await ask('GET', '/', { 'if-none-match': String(document.headers.etag) });
  assert.equal(again.status, 304);
  assert.equal(again.text, '');
  const files = [...document.text.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(files.length > 10);
  for (const path of files) {
    const { status, headers } = await ask('GET', path);
    assert.equal(status, 200, path);
    assert.match(String(headers['cache-control']), /immutable/);
  }
  const [base] = /\/page\/[0-9a-f]+/.exec(document.text) ?? [''];
  for (const path of [
    '/../../../package.json',
    '/%2e%2e/%2e%2e/package.json',
    '/README.md',
    '/tsconfig.json',
    '/',
    '',
  ]) {
    assert.notEqual((await ask('GET', `${base}${path}`)).status, 200, path);
  }
});

test('a code opens one session, whose cookie no script reads and no other site sends', async () => {
  const code = await newCode();
  const first = await ask('POST', '/session', { origin }, { code });
  assert.equal(first.status, 200);
  const { port } = new URL(origin);
  const cookie = String(first.headers['set-cookie']);
  assert.match(cookie, new RegExp(`^bourse_${port}=[\\w-]{32}; HttpOnly; SameSite=Strict; Path=/$`));
  assert.ok(!cookie.includes(venue.controlToken) && !cookie.includes(code));
  assert.deepEqual(JSON.parse(first.text), { name: 'control-token', scope: 'admin' });
  const second = await ask('POST', '/session', { origin }, { code });
  assert.equal(second.status, 401);
  assert.equal(JSON.parse(second.text).error.reason, 'linkSpent');
});

test('a code that nobody made, is no text, or is too long opens nothing', async () => {
  for (const code of ['', 'x'.repeat(32), venue.controlToken, 7, null, 'x'.repeat(65), { code: 1 }]) {
    const { status } = await ask('POST', '/session', { origin }, { code });
    assert.ok(status === 401 || status === 400, `${status}`);
  }
});

test('a code is good for ten minutes', () => {
  let nowMs = 0;
  const sessions = new PageSessions({ tokens: { holds: () => true }, readOnly: false, monotonicMs: () => nowMs });
  const token = { name: 'one', scope: 'admin' } as const;
  const { code } = sessions.newCode(token, false);
  nowMs = 600_001;
  assert.equal(sessions.open(code), null);
  const next = sessions.newCode(token, false);
  nowMs += 600_000;
  assert.notEqual(sessions.open(next.code), null);
});

test('with --page-read-only every session only looks', () => {
  const sessions = new PageSessions({ tokens: { holds: () => true }, readOnly: true, monotonicMs: () => 0 });
  const { code, scope } = sessions.newCode({ name: 'one', scope: 'admin' }, false);
  assert.equal(scope, 'read');
  assert.deepEqual(sessions.callerOf(sessions.open(code) as string), { name: 'one', isSession: true, scope: 'read' });
});

test('a thousand sessions are kept, and then the oldest goes', () => {
  const sessions = new PageSessions({ tokens: { holds: () => true }, readOnly: false, monotonicMs: () => 0 });
  const token = { name: 'one', scope: 'read' } as const;
  const cookies = Array.from({ length: 1001 }, () => sessions.open(sessions.newCode(token, false).code) as string);
  assert.equal(sessions.callerOf(cookies[0]), null);
  assert.notEqual(sessions.callerOf(cookies[1]), null);
});

test('the cookie reads and acts as its token does', async () => {
  const cookie = await newCookie();
  assert.equal((await ask('GET', '/control/v1/clock', { cookie, ...page })).status, 200);
  const moved = await ask('POST', '/control/v1/clock', { cookie, origin, ...page }, { advance: 1000 });
  assert.equal(moved.status, 200, moved.text);
});

test('a cookie of the same name, which a page on another port has set, does not hide the session', async () => {
  const own = await newCookie();
  const cookie = `bourse_${new URL(origin).port}=planted; other=1; ${own}`;
  assert.equal((await ask('GET', '/control/v1/clock', { cookie, ...page })).status, 200);
  const moved = await ask('POST', '/control/v1/clock', { cookie, origin, ...page }, { advance: 1000 });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await ask('DELETE', '/session', { cookie, origin, ...page })).status, 200);
  assert.equal((await ask('GET', '/session', { cookie: own, ...page })).status, 401, 'it was ended');
});

test('a request with the cookie from another page is refused', async () => {
  const cookie = await newCookie();
  const others: [string, Record<string, string>, RegExp][] = [
    ['GET', { 'sec-fetch-site': 'cross-site' }, /comes from a page of another site$/],
    ['GET', { 'sec-fetch-site': 'same-site' }, /comes from a page of another port or name of this machine$/],
    ['GET', { 'sec-fetch-site': 'none' }, /comes from the address bar or a bookmark$/],
    ['GET', { origin: 'http://evil.example' }, /comes from another page \(http:\/\/evil\.example\)$/],
    ['GET', { origin: 'null' }, /comes from a sender that does not name its page in the header Origin$/],
    ['POST', {}, /does not name its page/],
    ['POST', { origin: 'http://evil.example' }, /another page/],
    ['POST', { origin: `http://127.0.0.1:1${new URL(origin).port}` }, /another page \(http:\/\/127\.0\.0\.1/],
    ['POST', { origin, 'sec-fetch-site': 'same-site' }, /a page of another port or name of this machine \(http/],
  ];
  for (const [method, headers, words] of others) {
    const body = method === 'POST' ? { advance: 1 } : undefined;
    const { status, text } = await ask(method, '/control/v1/clock', { cookie, ...headers }, body);
    assert.equal(status, 403, `${method} ${JSON.stringify(headers)}`);
    assert.equal(JSON.parse(text).error.reason, 'otherPage');
    assert.match(JSON.parse(text).error.message, words);
  }
  assert.equal((await ask('POST', '/session', {}, { code: await newCode() })).status, 403);
});

test('a name that somebody pointed at this machine gets neither the page nor an answer', async () => {
  const cookie = await newCookie();
  const { port } = new URL(origin);
  for (const name of [
    'evil.example',
    `evil.example:${port}`,
    'localhost',
    '127.0.0.1:1',
    `localhost.evil.example:${port}`,
    `x@127.0.0.1:${port}x`,
  ]) {
    for (const path of ['/', '/control/v1/clock', '/session']) {
      const { status } = await ask('GET', path, { host: name, cookie, ...page });
      assert.equal(status, 421, `${name} ${path}`);
    }
  }
  for (const name of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
    assert.equal((await ask('GET', '/control/v1/clock', { host: name, cookie, ...page })).status, 200, name);
  }
});

test('a bearer token works without any of these headers, and a cookie beside it does not count', async () => {
  const authorization = `Bearer ${venue.controlToken}`;
  const cookie = await newCookie();
  assert.equal((await ask('GET', '/control/v1/clock', { authorization, host: 'bourse.example' })).status, 200);
  assert.equal((await ask('GET', '/control/v1/clock', { authorization: 'Bearer wrong', cookie, ...page })).status, 401);
});

test('a session of a read token, and one that was asked to be so, only looks', async () => {
  const { body } = await control(venue, 'POST', '/tokens', { name: 'looker', scope: 'read' });
  for (const cookie of [await newCookie({}, body.token), await newCookie({ readOnly: true })]) {
    assert.equal((await ask('GET', '/control/v1/clock', { cookie, ...page })).status, 200);
    const { status, text } = await ask('POST', '/control/v1/clock', { cookie, origin, ...page }, { advance: 1 });
    assert.equal(status, 403);
    const { reason, message } = JSON.parse(text).error;
    assert.equal(reason, 'scopeMissing');
    assert.equal(message, 'POST /clock needs the scope test: this session of the page has read');
    const made = await ask('POST', '/control/v1/tokens', { cookie, origin, ...page }, { name: 'x', scope: 'read' });
    assert.deepEqual([made.status, JSON.parse(made.text).error.reason], [403, 'scopeMissing']);
  }
});

test('a session ends with its token, and when it signs out', async () => {
  const { body } = await control(venue, 'POST', '/tokens', { name: 'gone', scope: 'test' });
  const code = await newCode({}, body.token);
  const cookie = await newCookie({}, body.token);
  await control(venue, 'DELETE', '/tokens/gone');
  assert.equal((await ask('GET', '/control/v1/clock', { cookie, ...page })).status, 401);
  assert.equal((await ask('POST', '/session', { origin }, { code })).status, 401);
  const other = await newCookie();
  assert.equal((await ask('DELETE', '/session', { cookie: other, origin, ...page })).status, 200);
  assert.equal((await ask('GET', '/session', { cookie: other, ...page })).status, 401);
});

test('a link needs a token: neither nobody nor a session gets one', async () => {
  assert.equal((await ask('POST', '/session/links', { origin })).status, 401);
  assert.equal((await ask('POST', '/session/links', { origin, cookie: await newCookie(), ...page })).status, 401);
});

test('a session makes no token, which would outlive its end', async () => {
  const headers = { cookie: await newCookie(), origin, ...page };
  assert.equal((await ask('POST', '/control/v1/tokens', headers, { name: 'kept', scope: 'admin' })).status, 401);
  assert.doesNotMatch((await ask('GET', '/control/v1/tokens', headers)).text, /kept/);
});

test('the session says who it is, and nothing of how the token is kept', async () => {
  const either: Record<string, string>[] = [
    { cookie: await newCookie(), ...page },
    { authorization: `Bearer ${venue.controlToken}` },
  ];
  for (const headers of either) {
    assert.deepEqual(JSON.parse((await ask('GET', '/session', headers)).text), {
      name: 'control-token',
      scope: 'admin',
    });
  }
});
