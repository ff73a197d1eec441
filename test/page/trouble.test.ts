/** What must not disturb the venue, and who gets nothing: a tab that stands still, pages of other origins, frames, foreign names. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ControlClient, startVenue, type TestVenue } from '../../src/index.ts';
import { launch, linkTo, NO_BROWSER, newTab, open } from './browser.ts';

const PERP = 'BTC-PERP';
/** Each is some 300 bytes in a message. */
const ORDERS = 400;
/** So often the whole state is sent again: more than the buffers of a browser and the system hold. */
const RESTORES = 120;

test('a browser cannot disturb the venue', { skip: NO_BROWSER }, async (t) => {
  let venue: TestVenue;
  let browser: Browser;
  let client: ControlClient;
  const buy = (size: number, price: number) =>
    client.placeAs('bot', { symbol: PERP, type: 'LIMIT', side: 'BUY', size, price });
  const clock = async () => ((await client.request('GET', '/clock')) as { time: number }).time;

  before(async () => {
    venue = await startVenue({ accounts: [{ name: 'bot', balances: { USDT: '9000000' } }] });
    client = new ControlClient({ url: venue.control, token: venue.controlToken });
    await client.setPrices(PERP, { index: 60_000, last: 60_000 });
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    await venue.close();
  });

  await t.test('a tab that stands still is dropped, placements go on, and it comes back to what is', async () => {
    for (let i = 0; i < ORDERS; i++) await buy(1, 50_000 + i);
    await client.save('full');
    const { page, context, faults } = await open(browser, venue, { path: '/account/bot' });
    await page.waitForSelector('.order-row >> nth=100');
    const devtools = await context.newCDPSession(page);
    await devtools.send('Debugger.enable');
    const paused = new Promise((resolve) => devtools.once('Debugger.paused', resolve));
    await devtools.send('Debugger.pause');
    await paused;
    for (let i = 0; i < RESTORES && (await dropped(client)) === 0; i++) await client.restore('full');
    assert.equal(await dropped(client), 1, 'the venue did not drop it');
    const [{ orderID }] = await buy(77, 59_000);
    await devtools.send('Debugger.resume');
    await devtools.detach();
    await page.locator(`.order-row a[title="${orderID}"]`).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  await t.test(
    'a page of another origin on this machine reads nothing, does nothing, and shows nothing of it',
    async () => {
      const other = await elsewhere(venue.control);
      const { context, page } = await open(browser, venue);
      await page.close();
      const time = await clock();
      const hostile = await context.newPage();
      await hostile.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
      await hostile.waitForFunction('window.outcome !== undefined');
      assert.deepEqual(await hostile.evaluate('window.outcome'), {
        read: 'refused',
        write: 'refused',
        stream: 'refused',
        script: 'refused',
      });
      const [, frame] = hostile.frames();
      assert.equal(frame.url(), 'chrome-error://chromewebdata/');
      await hostile.getByRole('button', { name: 'send a form' }).click();
      await hostile.waitForURL(`${venue.control}/control/v1/clock`);
      assert.match((await hostile.textContent('body')) ?? '', /otherPage/);
      assert.equal(await clock(), time);
      await context.close();
      other.closeAllConnections();
      other.close();
    },
  );

  await t.test('a foreign name for this machine gets neither the page nor an answer', async () => {
    const rebound = await launch(['--host-resolver-rules=MAP evil.example 127.0.0.1']);
    try {
      const context = await rebound.newContext();
      const page = await context.newPage();
      const link = new URL(await linkTo(venue));
      // No browser has a cookie for that name, so nothing but the page itself needs the rule.
      for (const [path, status] of [
        ['/', 421],
        ['/control/v1/clock', 401],
        ['/session', 401],
      ] as const) {
        const answer = await page.goto(`http://evil.example:${link.port}${path}`);
        assert.equal(answer?.status(), status, path);
      }
      // The link itself, at that name: its code is not spent by it.
      await page.goto(`http://evil.example:${link.port}/${link.hash}`);
      await page.goto(link.href);
      await page.waitForSelector('.link.live');
    } finally {
      await rebound.close();
    }
  });

  await t.test('a spent link says how long one lasts, and how to get another', async () => {
    const link = await linkTo(venue);
    const first = await browser.newContext();
    const { page } = await newTab(first);
    await page.goto(link);
    await page.waitForSelector('.link.live');
    await first.close();
    const second = await browser.newContext();
    const late = await second.newPage();
    await late.goto(link);
    await late.waitForSelector('h1:text-is("This link does not open the page any more")');
    const text = (await late.textContent('main')) ?? '';
    assert.match(text, /works once, and lasts ten minutes/);
    assert.match(text, /npx bourse page/);
    await second.close();
  });
});

/** Tabs that the venue has closed because they read too slowly. */
async function dropped(client: ControlClient): Promise<number> {
  const text = (await client.request('GET', '/metrics')) as string;
  return Number(/^bourse_control_stream_dropped_total (\d+)$/m.exec(text)?.[1]);
}

/** A web page on another port. It asks the venue for what it can, with the cookie that the browser has. */
async function elsewhere(control: string): Promise<Server> {
  const stream = `${control.replace('http', 'ws')}/control/v1/stream`;
  const script = `
    const tried = async (act) => { try { return await act(); } catch { return 'refused'; } };
    (async () => {
      const read = await tried(async () => (await fetch('${control}/control/v1/clock', { credentials: 'include' })).text());
      const write = await tried(async () => {
        const options = { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"advance": 60000}' };
        return (await fetch('${control}/control/v1/clock', options)).type;
      });
      const stream = await new Promise((resolve) => {
        const socket = new WebSocket('${stream}');
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('refused');
      });
      const script = await new Promise((resolve) => {
        const element = document.createElement('script');
        element.src = '${control}/session';
        element.onload = () => resolve('loaded');
        element.onerror = () => resolve('refused');
        document.head.append(element);
      });
      window.outcome = { read, write, stream, script };
    })();`;
  const body = `<!doctype html><title>elsewhere</title><iframe src="${control}/"></iframe>
    <form method="post" enctype="text/plain" action="${control}/control/v1/clock">
      <input type="hidden" name='{"advance": 60000, "x' value='": 1}'><button>send a form</button></form>
    <script>${script}</script>`;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
