/** The page without a mouse: each key does what `?` says, and letters can be turned off. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, openStage } from './browser.ts';
import { busyVenue, PERP } from './busy.ts';

test('the keyboard', { skip: NO_BROWSER }, async (t) => {
  const busy = await busyVenue();
  const { show } = await openStage(t, { venue: busy.venue });
  const seqOf = (page: Page) => new URL(page.url()).searchParams.get('seq');
  const clock = async () => (await busy.client.request('GET', '/clock')) as { seq: number; time: number };

  await t.test('j and k go through rows, Enter opens one, w says why, and the way back keeps the place', async () => {
    const page = await show('/orders');
    const rows = page.locator('table.stories tbody tr');
    await rows.nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const id = await page.locator('tr:focus a.id').getAttribute('title');
    assert.equal(id, await rows.nth(1).locator('a.id').getAttribute('title'));
    await page.keyboard.press('Enter');
    await page.waitForSelector(`.whole-id:text-is("${id}")`);
    await page.locator('table.events tbody tr').first().waitFor();
    await page.keyboard.press('j');
    const seq = await page.locator('tr:focus a.log').textContent();
    await page.keyboard.press('w');
    await page.waitForSelector('.effects .head');
    assert.equal(seqOf(page), seq?.replaceAll(',', ''));
    await page.goBack();
    await page.waitForSelector(`.whole-id:text-is("${id}")`);
    assert.equal(seqOf(page), null);
  });

  await t.test('c copies the curl of the region in focus, without the token', async () => {
    const page = await show('/account/bot');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.order-row').first().focus();
    await page.keyboard.press('c');
    await page.waitForSelector('.toast:not([hidden]) >> text=curl copied');
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
    assert.match(copied, /control\/v1\/accounts\/bot\/orders/);
    assert.ok(copied.includes('$(cat data/control-token)') && !copied.includes(busy.venue.controlToken));
  });

  await t.test(
    'the arrows move by one command and by a hundred, p and n by those of the account, Esc goes back to now',
    async () => {
      const page = await show(`/time?seq=${busy.seq - 1}`);
      await page.waitForSelector('.proof');
      const moved = async (key: string, seq: number) => {
        await page.keyboard.press(key);
        await page.waitForURL((url) => url.searchParams.get('seq') === String(seq));
      };
      await moved('ArrowLeft', busy.seq - 2);
      await moved('ArrowRight', busy.seq - 1);
      await moved('Shift+ArrowLeft', 1);
      await moved('Shift+ArrowRight', busy.seq);
      let before = busy.seq;
      for (let i = 0; i < 2; i++) {
        await page.keyboard.press('p');
        await page.waitForURL((url) => Number(url.searchParams.get('seq')) < before);
        before = Number(seqOf(page));
        await page.waitForSelector('.moment[aria-busy=false]');
      }
      await page.keyboard.press('n');
      await page.waitForURL((url) => Number(url.searchParams.get('seq')) > before);
      await page.keyboard.press('Escape');
      await page.waitForURL((url) => !url.searchParams.has('seq'));
    },
  );

  await t.test('Space runs and stops a manual clock, and a dot moves it to what is due', async () => {
    const page = await show(`/?symbol=${PERP}`);
    const { seq } = await clock();
    await page.keyboard.press('.');
    await page.waitForSelector('.toast:not([hidden]) >> text=/seq .*: /');
    assert.equal((await clock()).seq, seq + 1);
    await page.keyboard.press(' ');
    while ((await clock()).seq < seq + 3) await page.locator('.link .log').textContent();
    await page.keyboard.press(' ');
    await page.keyboard.press('g');
    await page.keyboard.press('5');
    await page.waitForSelector('text=stands still until you move it');
  });

  await t.test('the tape, the theme, the list of all keys, and letters that are turned off', async () => {
    const page = await show(`/?symbol=${PERP}`);
    await page.keyboard.press('`');
    await page.waitForSelector('.tape-list');
    await page.keyboard.press('`');
    await page.waitForSelector('.tape-list', { state: 'detached' });
    await page.keyboard.press('t');
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    for (const key of ['g', 'j', 'k', 'Enter', 'w', 'c', 'Esc', 'Space', '.', '`', 't', '/']) {
      await dialog.locator(`kbd:text-is("${key}")`).first().waitFor();
    }
    await dialog.getByLabel('single letters do something').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('t');
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    await page.evaluate("localStorage.setItem('letters', 'on')");
  });

  await t.test('a slash goes to the box, where letters are letters, and Esc leaves it', async () => {
    const page = await show(`/?symbol=${PERP}`);
    await page.keyboard.press('/');
    await page.keyboard.type('gj?t');
    const box = page.getByRole('search').getByRole('textbox');
    assert.equal(await box.inputValue(), 'gj?t');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate('document.activeElement === document.body'), true);
  });

  await t.test('the focus stays while what is shown changes', async () => {
    const page = await show('/account/bot');
    await page.locator('.order-row').first().focus();
    const id = () => page.locator('.order-row:focus a.id').getAttribute('title');
    const before = await id();
    await busy.client.placeAs('bot', { symbol: PERP, type: 'LIMIT', side: 'SELL', size: 5, price: 60_400 });
    await page.waitForSelector('.order-row >> text=at 60,400.0');
    assert.equal(await id(), before);
  });

  await t.test('the first Tab leads to a link that skips to the content', async () => {
    const page = await show('/orders');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
  });
});
