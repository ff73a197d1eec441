/**
 * A browser for tests of the page: Debian's chromium, driven by playwright-core. Everything that a page must never do is
 * noted on the way: a request that leaves this machine, a violation of the content security policy, an error.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ControlClient, startVenue, type TestVenue } from '../../src/index.ts';

const CHROMIUM = process.env.BOURSE_CHROMIUM ?? '/usr/bin/chromium';

/** Why there are no tests in a browser. False: there is one. */
export const NO_BROWSER: string | false = existsSync(CHROMIUM)
  ? false
  : `no ${CHROMIUM}: apt-get install chromium, or name one in BOURSE_CHROMIUM`;

/** The venue that a page is of. */
export type Shown = Pick<TestVenue, 'control' | 'controlToken'>;

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What must not have happened. */
  readonly faults: readonly string[];
}

export interface OpenOptions {
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly readOnly?: boolean;
  /** Another tab of the same session. */
  readonly context?: BrowserContext;
}

export function launch(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', ...args] });
}

/** A link to the page at another path than `/`. */
export async function linkTo(venue: Shown, path = '/', readOnly = false): Promise<string> {
  const client = new ControlClient({ url: venue.control, token: venue.controlToken });
  const link = new URL(await client.pageLink(readOnly));
  return `${venue.control}${path}${link.hash}`;
}

/** An empty tab, and what must not happen in it. */
export async function newTab(context: BrowserContext): Promise<Opened> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on('websocket', (socket) => {
    const { hostname } = new URL(socket.url());
    if (hostname !== '127.0.0.1') faults.push(`a stream from ${hostname}`);
  });
  await page.route('**/*', (route) => {
    const { hostname } = new URL(route.request().url());
    if (hostname === '127.0.0.1') return route.continue();
    faults.push(`a request to ${hostname}`);
    return route.abort();
  });
  return { page, context, faults };
}

/** Opens the page in a tab with a session. Resolves when the stream is live. */
export async function open(browser: Browser, venue: Shown, options: OpenOptions = {}): Promise<Opened> {
  const { path = '/', width = 1440, height = 900, theme = 'light', readOnly } = options;
  const context =
    options.context ??
    (await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' }));
  const opened = await newTab(context);
  const url = options.context === undefined ? await linkTo(venue, path, readOnly) : `${venue.control}${path}`;
  await opened.page.goto(url);
  await opened.page.waitForSelector('.link.live');
  return opened;
}

/** A venue, a browser, and the tabs of the test in progress. */
export interface Stage {
  readonly venue: TestVenue;
  readonly client: ControlClient;
  readonly browser: Browser;
  /** Closed after each test, in which nothing may have happened that must not. A test that takes one out looks at its faults itself. */
  readonly opened: Opened[];
  show(path: string, options?: OpenOptions): Promise<Page>;
  /** Places an order in BTC-PERP, unless the body names another market. Resolves with its id. */
  place(account: string, body: object): Promise<string>;
  seqNow(): Promise<number>;
}

export interface StageOptions {
  /** By default one with money for the accounts `bot` and `maker`. It is closed at the end. */
  readonly venue?: TestVenue;
  /** Faults that tests make on purpose. */
  readonly mayBe?: RegExp;
}

const ACCOUNTS = [
  { name: 'bot', balances: { USDT: '100000', BTC: '5' } },
  { name: 'maker', balances: { USDT: '9000000', BTC: '50' } },
];

export async function openStage(t: TestContext, { venue: given, mayBe }: StageOptions = {}): Promise<Stage> {
  const venue = given ?? (await startVenue({ accounts: ACCOUNTS }));
  let launched: Browser | undefined;
  t.after(async () => {
    await launched?.close();
    await venue.close();
  });
  const browser = await launch();
  launched = browser;
  const client = new ControlClient({ url: venue.control, token: venue.controlToken });
  const opened: Opened[] = [];
  t.afterEach(async () => {
    for (const { context, faults } of opened.splice(0)) {
      assert.deepEqual(
        faults.filter((fault) => mayBe?.test(fault) !== true),
        [],
      );
      await context.close();
    }
  });
  return {
    venue,
    client,
    browser,
    opened,
    show: async (path, options = {}) => {
      const tab = await open(browser, venue, { path, ...options });
      opened.push(tab);
      return tab.page;
    },
    place: async (account, body) => {
      const [order] = await client.placeAs(account, { symbol: 'BTC-PERP', ...body });
      return String(order.orderID ?? order.orderId);
    },
    seqNow: async () => ((await client.request('GET', '/clock')) as { seq: number }).seq,
  };
}
