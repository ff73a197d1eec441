import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { launch, linkTo, NO_BROWSER, open } from './browser.ts';

const VIEWS = ['/', '/account/test', '/orders', '/time', '/control', '/operations'];

test('the page in a browser', { skip: NO_BROWSER }, async (t) => {
  let venue: TestVenue;
  let browser: Browser;
  before(async () => {
    venue = await startVenue();
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    await venue.close();
  });

  await t.test('each view loads without an error, a violation, or a request to elsewhere', async () => {
    const { page, context, faults } = await open(browser, venue);
    for (const path of VIEWS) {
      await page.goto(`${venue.control}${path}`);
      await page.waitForSelector('.link.live');
    }
    assert.deepEqual(faults, []);
    await context.close();
  });

  await t.test('the code of the link leaves the address at once, and is in no text of the page', async () => {
    const link = await linkTo(venue);
    const code = link.split('#t=')[1];
    const { page, context } = await open(browser, venue);
    await page.goto(link);
    await page.waitForURL((url) => url.hash === '');
    assert.ok(!(await page.content()).includes(code));
    await page.goBack();
    assert.equal(new URL(page.url()).hash, '');
    assert.equal(await page.evaluate('document.cookie'), '', 'no script sees the cookie');
    await context.close();
  });

  await t.test('without a session the page says how to get one', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(venue.control);
    await page.waitForSelector('text=This page is signed out');
    await context.close();
  });

  await t.test('`g` and a digit go to a view, and the way back works', async () => {
    const { page, context } = await open(browser, venue);
    for (const [key, path] of VIEWS.map((each, i) => [String(i + 1), each.replace('/test', '')])) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      assert.equal(new URL(page.url()).pathname, path);
    }
    await page.goBack();
    assert.equal(new URL(page.url()).pathname, '/control');
    await context.close();
  });
});
