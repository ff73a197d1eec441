/** What a tester of accessibility finds in each view: wide and narrow, light and dark, now, in the past, and with nothing in it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { launch, NO_BROWSER, newTab, open } from './browser.ts';
import { type Busy, busyVenue, PERP, SPOT } from './busy.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is there when a view has everything that it shows. */
const READY = [
  '.link.live',
  '#main:not(:has(.loading)):not(:has([aria-busy=true]))',
  '#main :is(.ladder .mid-last:not(:empty), .order-row, .steps, .stories, .events, .effects, .control, .operations, .empty-row, .lone)',
];

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

test('axe finds no serious fault', { skip: NO_BROWSER }, async (t) => {
  let busy: Busy;
  let empty: TestVenue;
  let browser: Browser;
  before(async () => {
    busy = await busyVenue();
    empty = await startVenue({ accounts: [] });
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    await busy.venue.close();
    await empty.close();
  });

  /** Serious and critical faults of the paths, in a tab in which axe may run: the policy of the page forbids its script. */
  async function faultsOf(venue: TestVenue, paths: readonly string[], theme: 'light' | 'dark', width: number) {
    const { context: first } = await open(browser, venue);
    const cookies = await first.cookies();
    await first.close();
    const viewport = { width, height: 900 };
    const context = await browser.newContext({
      bypassCSP: true,
      colorScheme: theme,
      viewport,
      reducedMotion: 'reduce',
    });
    await context.addCookies(cookies);
    const { page } = await newTab(context);
    const found: string[] = [];
    for (const path of paths) {
      await page.goto(`${venue.control}${path}`);
      for (const selector of READY) await page.locator(selector).first().waitFor({ state: 'attached' });
      await page.addScriptTag({ content: axe });
      const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
        violations: readonly Violation[];
      };
      for (const { id, impact, nodes } of violations) {
        if (impact !== 'serious' && impact !== 'critical') continue;
        found.push(
          `${path} ${id}: ${nodes
            .slice(0, 3)
            .map(({ html }) => html.slice(0, 300))
            .join(' ')}`,
        );
      }
    }
    await context.close();
    return found;
  }

  const VIEWS = ['/account/bot', '/orders', '/time', '/control', '/operations'];
  for (const [theme, width] of [
    ['light', 1440],
    ['dark', 400],
    ['dark', 1180],
  ] as const) {
    await t.test(`in a busy venue, ${theme}, ${width} wide`, async () => {
      const { twap, stop } = busy.orders;
      const past = `seq=${busy.seq - 3}`;
      const views = [`/?symbol=${PERP}`, ...VIEWS, `/orders/${twap}`, `/time?${past}`];
      // Colours and roles of these depend on no width.
      const more = [`/?symbol=${SPOT}`, `/orders/${stop}`, `/account/bot?${past}`, `/control?${past}`];
      assert.deepEqual(await faultsOf(busy.venue, width === 1440 ? [...views, ...more] : views, theme, width), []);
    });
  }
  await t.test('in a venue with nothing in it', async () => {
    assert.deepEqual(await faultsOf(empty, ['/', '/account', ...VIEWS.slice(1)], 'light', 1440), []);
  });

  await t.test('with a halted market', async () => {
    await busy.client.haltMarket(PERP);
    assert.deepEqual(await faultsOf(busy.venue, [`/?symbol=${PERP}`, '/control', '/account/bot'], 'dark', 1180), []);
    await busy.client.resumeMarket(PERP);
  });
});
