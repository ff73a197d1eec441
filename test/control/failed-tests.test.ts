/** What `startVenue({ page: true })` does when a test fails: run as a user's test file, in a process that ends, or waits. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const bourse = new URL('../../src/index.ts', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'bourse-failed-'));
const groups: number[] = [];

after(() => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  rmSync(folder, { recursive: true });
});

let files = 0;

/** Runs a test file in a process group, without what this process has from its own runner. */
function run(args: readonly string[], body: string, env: Record<string, string> = {}) {
  files += 1;
  const file = join(folder, `${files}.mjs`);
  const imports = `import assert from 'node:assert/strict';\nimport { after, before, describe, test } from 'node:test';\n`;
  writeFileSync(file, `${imports}import { startVenue } from ${JSON.stringify(bourse)};\n${body}`);
  const child = spawn(process.execPath, [...args, file], {
    detached: true,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  groups.push(child.pid as number);
  let text = '';
  const waiting = new Set<() => void>();
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      for (const look of waiting) look();
    });
  }
  const end = once(child, 'close').then(([code]) => code as number | null);
  const until = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => pattern.test(text) && resolve();
      waiting.add(look);
      look();
      void end.then(() => reject(new Error(`the process ended without ${pattern}:\n${text}`)));
    });
  return { child, end, until, text: () => text };
}

/** What the page shows of the venue behind a link. */
async function look(link: string): Promise<{ seq: number }> {
  const url = new URL(link);
  const opened = await fetch(`${url.origin}/session`, {
    method: 'POST',
    headers: { origin: url.origin, 'content-type': 'application/json' },
    body: JSON.stringify({ code: url.hash.slice('#t='.length) }),
  });
  assert.equal(opened.status, 200, await opened.text());
  const cookie = String(opened.headers.get('set-cookie')).split(';')[0];
  const reply = await fetch(`${url.origin}/control/v1/clock`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  return reply.json() as Promise<{ seq: number }>;
}

const LINK = /failed\. Its venue: (\S+)/g;
const WAITS = /the process waits until nobody has had the page open for ten minutes\. Ctrl-C ends it\./;
const linksIn = (text: string) => [...text.matchAll(LINK)].map(([, link]) => link);

const ONE_OF_THREE = `
  const use = async (act) => {
    await using venue = await startVenue({ page: true });
    await venue.setPrice('BTC-USDT', 60_000);
    await act(venue);
  };
  test('the first passes', () => use(async () => {}));
  test('the second fails', () => use(async (venue) => { await venue.advance(1); assert.fail('as it should'); }));
  test('the third passes', () => use(async () => {}));`;

for (const args of [['--test'], []]) {
  test(`node ${args.join(' ')}: the venue of the test that failed is shown, and no other`, async () => {
    const process = run(args, ONE_OF_THREE);
    await process.until(WAITS);
    assert.match(process.text(), /“the second fails” failed/);
    const links = linksIn(process.text());
    assert.equal(links.length, 1, process.text());
    assert.ok((await look(links[0])).seq >= 3);
    assert.equal(process.child.exitCode, null, 'it waits');
  });
}

test('a venue of a `before` hook belongs to the test, or the suite, around it', async () => {
  const process = run(
    ['--test'],
    `let one, other;
     test('a test', async (t) => {
       before(async () => { one = await startVenue({ page: true }); });
       after(() => one.close());
       await t.test('fails', () => assert.fail('as it should'));
     });
     describe('a suite', () => {
       before(async () => { other = await startVenue({ page: true }); });
       after(() => other.close());
       test('fails', () => assert.fail('as it should'));
     });`,
  );
  await process.until(WAITS);
  assert.equal(linksIn(process.text()).length, 2, process.text());
});

test('a test that takes too long is one that fails', async () => {
  const process = run(
    ['--test'],
    `test('hangs', { timeout: 500 }, async () => { await startVenue({ page: true }); await new Promise(() => {}); });`,
  );
  await process.until(WAITS);
  assert.match(process.text(), /“hangs” failed/);
});

test('in a runner that is not of Node the exit code decides', async () => {
  const failing = run([], 'const venue = await startVenue({ page: true }); await venue.close(); process.exitCode = 1;');
  await failing.until(WAITS);
  assert.match(failing.text(), /bourse: a test failed\. Its venue/);
  const passing = run([], 'const venue = await startVenue({ page: true }); await venue.close();');
  assert.equal(await passing.end, 0, passing.text());
  assert.deepEqual(linksIn(passing.text()), []);
});

test('nothing waits where no test failed, nor where CI is set', async () => {
  const passing = run(['--test'], `test('passes', async () => { await using _ = await startVenue({ page: true }); });`);
  assert.equal(await passing.end, 0, passing.text());
  const inCi = run(['--test'], ONE_OF_THREE, { CI: 'true' });
  assert.equal(await inCi.end, 1, inCi.text());
  assert.deepEqual([...linksIn(passing.text()), ...linksIn(inCi.text())], []);
});
