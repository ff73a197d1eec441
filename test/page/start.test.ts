/**
 * The whole way of a first user: the process that `npm start` runs, and clicks alone. An order, its place in book and chart,
 * a stop that time brings to fire, its story, and the moment before it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ControlClient } from '../../src/index.ts';
import { Place, stop } from '../cli/support.ts';
import { launch, NO_BROWSER, newTab } from './browser.ts';

const PERP = 'BTC-PERP';
/** A market that trades all the time has then traded beside its last price. */
const MOST_ADVANCES = 20;

interface Stop {
  readonly side: 'buy' | 'sell';
  readonly price: number;
}

async function placeStop(page: Page, { side, price }: Stop): Promise<void> {
  const form = page.locator('.order-pane');
  await form.getByRole('button', { name: side }).click();
  await form.getByRole('button', { name: 'stop' }).click();
  await form.getByLabel('Size').fill('10');
  await form.getByLabel('Trigger price').fill(String(price));
  await form.getByRole('button', { name: 'Place', exact: true }).click();
  await page.waitForSelector(`table.orders >> text=fires at or ${side === 'buy' ? 'above' : 'below'}`);
}

test('from the start of a demo, by clicking alone', { skip: NO_BROWSER }, async () => {
  await using place = new Place();
  const venue = await place.start(['--demo', '--clock', 'manual', '--data', place.data]);
  const { control } = venue.ready;
  const { stdout, stderr } = await place.run(['page', '--control-url', control, '--data', place.data]);
  assert.equal(stderr, '');
  const { link } = JSON.parse(stdout) as { link: string };
  const token = readFileSync(join(place.data, 'control-token'), 'utf8').trim();
  const client = new ControlClient({ url: control, token });
  const browser = await launch();
  try {
    const { page, faults } = await newTab(await browser.newContext({ viewport: { width: 1440, height: 900 } }));
    await page.goto(link);
    await page.waitForSelector('.link.live');
    await page.getByRole('combobox', { name: 'Market' }).first().selectOption(PERP);
    await page.locator('.order-pane').getByLabel('Account', { exact: true }).selectOption('demo-1');
    await page.getByRole('group', { name: 'Group prices by' }).getByRole('button').last().click();
    // Time passes, and the demo trades: the chart has its first candles.
    await page.getByRole('link', { name: 'Control', exact: true }).first().click();
    await page.getByRole('button', { name: '+1 min', exact: true }).click();
    await page.waitForSelector('.same-pane ~ section .done li');
    await page.getByRole('link', { name: 'Market', exact: true }).first().click();
    await page.waitForSelector('.trade.up, .trade.down');
    const numberAt = async (selector: string) => Number(((await page.textContent(selector)) ?? '').replaceAll(',', ''));
    const last = await numberAt('h1.last');
    assert.ok(last > 1000, `the demo has no price: ${last}`);

    // An order, in the ladder, in the chart, and in words.
    const form = page.locator('.order-pane');
    await form.getByLabel('Size').fill('12');
    await form.getByLabel('Price', { exact: true }).fill(String(await numberAt('.ladder .buyside .price')));
    await form.getByRole('button', { name: 'Place', exact: true }).click();
    await page.waitForSelector('.order-pane .answer >> text=placed:');
    await page.waitForSelector('.ladder .buyside .yours:text-is("12")');
    await page.waitForSelector('.chart-label:has-text("buy 12 limit at ")');
    await page.waitForSelector('table.orders >> text=rests in the book');

    // A stop on each side of the last price: one of them has to fire.
    await placeStop(page, { side: 'sell', price: Math.floor(last) - 2 });
    await placeStop(page, { side: 'buy', price: Math.ceil(last) + 2 });
    await page.waitForSelector('.chart-label:has-text("sell 10 stop at ")');
    const waiting = async () => {
      const { orders } = await client.openOrders('demo-1');
      return orders.filter(({ kind }) => kind === 'conditional').map(({ orderId }) => orderId);
    };
    const placed = await waiting();
    assert.equal(placed.length, 2);
    await page.getByRole('link', { name: 'Control', exact: true }).first().click();
    let left = placed;
    for (let i = 0; left.length === 2; i++) {
      assert.ok(i < MOST_ADVANCES, `no stop has fired in ${i} minutes of trading`);
      await page.getByRole('button', { name: '+1 min', exact: true }).click();
      await page.waitForSelector(`.same-pane ~ section .done li >> nth=${i + 4}`);
      left = await waiting();
    }
    const fired = placed.find((id) => !left.includes(id)) as string;

    // Its story says why, and leads to the moment.
    await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
    await page.locator('table.stories tr', { hasText: fired.slice(0, 8) }).click();
    await page.waitForSelector('.sentence >> text=/Filled: last .* so it fired at/');
    await page.locator('table.events tr', { hasText: 'Fired' }).getByRole('link').first().click();
    await page.waitForSelector('.effects >> text=/of demo-1 fired: last/');
    await page.getByRole('button', { name: '‹ command' }).click();
    await page.locator('.world').getByRole('button', { name: 'orders', exact: true }).click();
    const row = page.locator('.orders-then tr', { hasText: fired.slice(0, 8) });
    await row.waitFor();
    assert.match((await row.textContent()) ?? '', /waits for last: fires at or/);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.waitForSelector('.ribbon.violet', { state: 'detached' });

    // Nothing secret is left anywhere.
    const code = link.split('#t=')[1];
    const html = await page.content();
    for (const secret of [code, token]) {
      assert.ok(!html.includes(secret));
      assert.ok(!page.url().includes(secret));
    }
    // The time machine says so when a newer question has taken the place of one, and the browser notes it.
    assert.deepEqual(
      faults.filter((fault) => !/status of 409/.test(fault)),
      [],
    );
    const end = await stop(venue);
    for (const secret of [code, token]) assert.ok(!`${end.stdout}${end.stderr}`.includes(secret));
  } finally {
    await browser.close();
  }
});
