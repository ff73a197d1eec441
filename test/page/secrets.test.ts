/**
 * The control token, the code of a link and the cookie of a session: after the page was used, and after it was refused, they are in
 * nothing that the page shows, holds or sends on, in no reply and in no file of the venue, save where the venue keeps its token.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ControlClient } from '../../src/index.ts';
import { Place, stop } from '../cli/support.ts';
import { launch, linkTo, NO_BROWSER } from './browser.ts';

const VIEWS = ['/', '/account/demo-1', '/orders', '/time', '/control', '/operations'];
const READS = ['/metrics', '/refusals', '/tokens', '/state', '/health', '/faults', '/log?from=1&limit=100', '/keys'];

test('no secret of the page is where it does not belong', { skip: NO_BROWSER }, async (t) => {
  let browser: Browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());

  await t.test('page, replies, log, archive and messages are free of token, code and cookie', async () => {
    await using place = new Place();
    const args = ['--data', place.data, '--demo', '--clock', 'manual', '--snapshot-every', '50'];
    const venue = await place.start(args);
    const { control } = venue.ready;
    const controlToken = readFileSync(join(place.data, 'control-token'), 'utf8').trim();
    const client = new ControlClient({ url: control, token: controlToken });
    const seen: { where: string; text: string }[] = [];
    const note = (where: string, text: string) => seen.push({ where, text });

    const link = await linkTo({ control, controlToken });
    const code = link.split('#t=')[1];
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on('console', (message) => note('the console', message.text()));
    page.on('websocket', (socket) => {
      note('the address of a socket', socket.url());
      socket.on('framereceived', ({ payload }) => note('a frame', String(payload)));
      socket.on('framesent', ({ payload }) => note('a frame that the page sends', String(payload)));
    });
    page.on('request', (request) => {
      note('a requested address', request.url());
      note('a Referer', request.headers().referer ?? '');
      if (new URL(request.url()).pathname !== '/session') note('the body of a request', request.postData() ?? '');
    });
    const bodies: Promise<unknown>[] = [];
    page.on('response', (response) => {
      // A body that is gone with its document was noted when that document was loaded before.
      bodies.push(
        response.text().then(
          (text) => note(`the reply to ${response.url()}`, text),
          () => {},
        ),
      );
    });

    await page.goto(link);
    await page.waitForSelector('.link.live');
    const [{ value: cookie }] = await context.cookies();
    assert.match(cookie, /^[\w-]{32}$/);
    for (const path of VIEWS) {
      await page.goto(`${control}${path}`);
      await page.waitForSelector('.link.live');
      note(`the source of ${path}`, await page.content());
      const kept = await page.evaluate(
        'JSON.stringify([navigation.entries().map(({ url }) => url), { ...localStorage }, { ...sessionStorage }, document.cookie, document.referrer])',
      );
      note(`history and storage at ${path}`, String(kept));
    }
    await page.goto(`${control}/control`);
    await page.getByRole('button', { name: '+1 s', exact: true }).click();
    await page.waitForSelector('.clock-pane .answer >> text=/seq/');
    note('the source after a command', await page.content());

    // What the venue refuses: a spent code, a code in the path, a wrong place for token and cookie, an unknown market.
    const refusals: [string, RequestInit][] = [
      ['/session', { method: 'POST', headers: { origin: control }, body: JSON.stringify({ code }) }],
      ['/session', { method: 'POST', headers: { origin: 'http://evil.example' }, body: JSON.stringify({ code }) }],
      ['/session', { method: 'POST', headers: { origin: control }, body: JSON.stringify({ code: [code] }) }],
      ['/control/v1/clock', { headers: { cookie: `bourse_1=${cookie}` } }],
      ['/control/v1/clock', { headers: { authorization: `Basic ${controlToken}` } }],
      ['/control/v1/prices', { method: 'POST', headers: bearer(controlToken), body: '{"symbol":"NO-SUCH","index":1}' }],
      ['/control/v1/prices', { method: 'POST', headers: bearer(controlToken), body: 'not JSON' }],
    ];
    for (const [path, init] of refusals) {
      const reply = await fetch(`${control}${path}`, init);
      assert.ok(reply.status >= 400, path);
      note(`the refusal of ${path}`, await reply.text());
    }
    await client.advance('1m');
    for (const path of READS) {
      const reply = await fetch(`${control}/control/v1${path}`, { headers: bearer(controlToken) });
      assert.equal(reply.status, 200, path);
      note(path, await reply.text());
    }
    await context.close();
    await Promise.all(bodies);

    const { stdout, stderr } = await stop(venue);
    note('standard output', stdout);
    note('the log for people', stderr);
    const files = globSync('**/*', { cwd: place.folder }).filter((name) => statSync(place.path(name)).isFile());
    for (const name of files) {
      if (name !== join('data', 'control-token')) note(`the file ${name}`, readFileSync(place.path(name), 'latin1'));
    }
    const shown = await place.run(['log', 'show', place.data]);
    note('the records of the log', shown.stdout);
    assert.equal(shown.code, 0, shown.stderr);

    for (const where of ['the source of /time', 'a frame', 'a Referer', '/metrics', 'the log for people']) {
      assert.ok(
        seen.some((each) => each.where === where),
        where,
      );
    }
    assert.ok(files.some((name) => /archive/.test(name)) && files.some((name) => /snapshot/.test(name)), files.join());
    const secrets = { 'the control token': controlToken, 'the code': code, 'the cookie': cookie };
    const found = Object.entries(secrets).flatMap(([name, secret]) =>
      seen.filter(({ text }) => text.includes(secret)).map(({ where }) => `${name} is in ${where}`),
    );
    assert.deepEqual([...new Set(found)], []);
  });
});

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
