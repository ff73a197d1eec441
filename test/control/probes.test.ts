/** /livez and /readyz: what a process manager reads without a token, and nothing beyond it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ControlServer } from '../../src/api/control/server.ts';
import { ControlTokens } from '../../src/api/control/tokens.ts';

const TOKEN = 'a-token-of-this-test';
let reasons: string[] = [];
const bugs: unknown[] = [];
const tokens = new ControlTokens({ start: TOKEN, kept: [], save: () => {}, wallMs: () => 0 });
const context = { tokens, notReadyBecause: () => reasons } as unknown as ConstructorParameters<typeof ControlServer>[0];
const server = new ControlServer(context, { host: '127.0.0.1', port: 0, onBug: (bug) => bugs.push(bug) });
let url = '';
before(async () => {
  url = await server.listen();
});
after(() => server.close());

async function said(path: string, method = 'GET'): Promise<[status: number, text: string]> {
  const response = await fetch(url + path, { method });
  return [response.status, await response.text()];
}

test('a status and one word, without a token', async () => {
  reasons = [];
  assert.deepEqual(await said('/livez'), [200, 'live\n']);
  assert.deepEqual(await said('/readyz'), [200, 'ready\n']);
  assert.deepEqual(await said('/readyz?verbose'), [200, 'ready\n']);
  assert.deepEqual(await said('/readyz', 'HEAD'), [200, '']);
  assert.equal((await fetch(`${url}/livez`)).headers.get('content-type'), 'text/plain; charset=utf-8');
});

test('a venue that is not ready is alive, and does not say why', async () => {
  reasons = ['no space left for the command log in /srv/venue/data'];
  assert.deepEqual(await said('/livez'), [200, 'live\n']);
  assert.deepEqual(await said('/readyz'), [503, 'unready\n']);
  assert.deepEqual(await said('/readyz', 'HEAD'), [503, '']);
});

test('nothing else is answered without a token', async () => {
  for (const [path, method] of [
    ['/livez', 'POST'],
    ['/readyz', 'DELETE'],
    ['/livez/', 'GET'],
    ['/livez/x', 'GET'],
    ['/LIVEZ', 'GET'],
    ['//livez', 'GET'],
    ['/control/v1/livez', 'GET'],
    ['/control/v1/readyz', 'GET'],
    ['/control/v1/health', 'GET'],
    ['/control/v1/metrics', 'GET'],
    ['/control/v1/../../livez%2f', 'GET'],
    ['/healthz', 'GET'],
    ['/', 'POST'],
  ] as const) {
    const [status, text] = await said(path, method);
    assert.equal(status, 401, `${method} ${path}: ${text}`);
  }
  assert.deepEqual(bugs, []);
});
