/** Control and Operations: what a click does, what it says, and what a session that only looks sees. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, openStage } from './browser.ts';
import { layoutFaults } from './layout.ts';

const TOKEN = '$(cat data/control-token)';

test('control and operations in a browser', { skip: NO_BROWSER }, async (t) => {
  const { venue, client, opened, show } = await openStage(t);
  const read = (path: string) => client.request('GET', path) as Promise<Record<string, never>>;
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

  await t.test('prices are set by typing, and say before what they would fire', async () => {
    const page = await show('/control');
    await page.getByLabel('Index', { exact: true }).fill('60000');
    await page.waitForSelector('.effect >> text=fires nothing');
    const price = page.locator('.price');
    await price.nth(0).getByRole('button', { name: 'Set' }).click();
    await page.waitForSelector('.answer >> text=/seq .* why/');
    await page.getByLabel('Last', { exact: true }).fill('60000');
    await price.nth(2).getByRole('button', { name: 'Set' }).click();
    await page.waitForSelector('.done li >> nth=1');
    const { markets } = (await read('/markets')) as unknown as { markets: { symbol: string; last: string }[] };
    assert.equal(markets.find(({ symbol }) => symbol === 'BTC-PERP')?.last, '60000');
  });

  await t.test('an order is placed by clicks, a stop says what would fire it, and then fires', async () => {
    const page = await show('/control');
    await page.locator('.order-pane').getByLabel('Account', { exact: true }).selectOption('maker');
    await page.getByLabel('Size').fill('5000');
    await page.getByLabel('Price', { exact: true }).fill('59990');
    await button(page, 'Place').click();
    await page.waitForSelector('.answer >> text=placed:');
    await page.locator('.order-pane').getByLabel('Account', { exact: true }).selectOption('bot');
    await page.getByRole('group', { name: 'Side' }).getByText('sell').click();
    await page.getByRole('group', { name: 'Kind' }).getByText('stop').click();
    await page.getByLabel('Size').fill('1000');
    await page.getByLabel('Trigger price').fill('59500');
    await button(page, 'Place').click();
    await page.waitForSelector('.done li:has-text("triggerPrice:59500")');
    await page.getByLabel('Last', { exact: true }).fill('59490');
    await page.waitForSelector('.effect.warn >> text=/fires 1: .* of bot/');
    await page.locator('.price').nth(2).getByRole('button', { name: 'Set' }).click();
    await page.waitForSelector('.effect.warn', { state: 'detached' });
    const { orders } = (await read('/accounts/bot/orders')) as unknown as { orders: object[] };
    assert.deepEqual(orders, []);
  });

  await t.test('the clock moves by a step, and to what is due next, which it names', async () => {
    const page = await show('/control');
    const { time } = (await read('/clock')) as unknown as { time: number };
    await button(page, '+1 s').click();
    await page.waitForSelector('.clock-pane .answer >> text=/seq/');
    assert.equal(((await read('/clock')) as unknown as { time: number }).time, time + 1000);
    const sentence = (await page.textContent('.due-what')) ?? '';
    assert.match(sentence, /^Next: /);
    assert.match(sentence, /mark moves/);
    assert.match((await page.textContent('.next-due .button')) ?? '', /due next \d/);
    await page.getByRole('button', { name: /^Go to what is due next/ }).click();
    await page.waitForSelector(`.next-due .answer:has-text("mark moves")`);
    assert.equal(((await read('/clock')) as unknown as { time: number }).time % 60_000, 0);
    assert.match((await page.textContent('.next-due .answer')) ?? '', /^Done: /);
    await button(page, '+1 s').click();
    await page.waitForSelector('.next-due .answer:has-text("Done:")', { state: 'detached' });
  });

  await t.test('a manual clock runs until it is stopped', async () => {
    const page = await show('/control');
    const { seq } = (await read('/clock')) as unknown as { seq: number };
    await page.getByRole('group', { name: 'Run at' }).getByRole('button', { name: '10×' }).click();
    // A frame may show two commands at once.
    const shown = async () => Number((await page.textContent('.link .log'))?.replaceAll(',', ''));
    while ((await shown()) < seq + 2) await page.evaluate('new Promise(requestAnimationFrame)');
    await page.getByRole('group', { name: 'Run at' }).getByRole('button', { name: 'stopped' }).click();
    await page.waitForSelector('text=stands still until you move it');
  });

  await t.test('a fault is armed and cleared', async () => {
    const page = await show('/control');
    await button(page, 'Arm').click();
    await page.waitForSelector('table.faults >> text=carried out, no reply');
    const { faults } = (await read('/faults')) as unknown as { faults: { dropReply: boolean; times: number }[] };
    assert.deepEqual([faults[0].dropReply, faults[0].times], [true, 1]);
    await button(page, 'Clear all').click();
    await page.waitForSelector('table.faults', { state: 'detached' });
  });

  await t.test('a fault of all spot requests is armed, and who gets money is not who places orders', async () => {
    const page = await show('/control');
    await page.getByRole('group', { name: 'Of which requests' }).getByText('spot').click();
    await button(page, 'Arm').click();
    await page.waitForSelector('table.faults >> text=POST /spot/…');
    await client.request('DELETE', '/faults');
    const [places, gets] = ['Place an order', 'Accounts'].map((name) =>
      page.getByRole('region', { name, exact: true }).getByLabel('Account', { exact: true }),
    );
    await places.selectOption('bot');
    await gets.selectOption('maker');
    assert.equal(await places.inputValue(), 'bot');
    await places.selectOption('maker');
    await gets.selectOption('bot');
    assert.equal(await places.inputValue(), 'maker');
    await button(page, 'Deposit').click();
    await page.waitForSelector('.do .answer >> text=/^has \\d+.* USDT/');
  });

  await t.test('views say what they show of now at a moment in the past', async () => {
    const page = await show('/control?seq=2');
    await page.waitForSelector('.ribbon.violet >> text=What is due, snapshots and faults are those of now.');
    await page.goto(`${venue.control}/operations?seq=2`);
    await page.waitForSelector('.ribbon.violet >> text=Operations shows now, not that moment.');
  });

  await t.test('what the venue refuses is said at the button', async () => {
    const page = await show('/control');
    await page.getByLabel('Path').fill('/spot/api/v4/trade/ordres');
    await button(page, 'Arm').click();
    await page.waitForSelector('.answer.problem >> text=/has no route/');
    await page.getByLabel('Mark', { exact: true }).fill('sixty');
    await page.waitForSelector('.effect.bad');
    // The browser itself notes each refusal as an error.
    const tab = opened.splice(0)[0];
    assert.deepEqual(
      tab.faults.filter((fault) => !/status of 400/.test(fault)),
      [],
    );
    await tab.context.close();
  });

  await t.test('a state is saved, left and returned to, and a reset has to be typed', async () => {
    const page = await show('/control');
    await page.getByLabel('Name of the snapshot').fill('base');
    await button(page, 'Save now').click();
    await page.waitForSelector('.states >> text=base');
    await button(page, '+1 h').click();
    await page.waitForSelector('.clock-pane .answer >> text=/seq/');
    await page.waitForSelector('.states >> text=/base .* · seq /');
    await client.request('POST', '/faults', { status: 503, times: 1 });
    await page.waitForSelector('.topbar .chip.warn >> text=1 fault armed');
    const before = await button(page, 'Return').boundingBox();
    await button(page, 'Return').click();
    await page.waitForSelector(
      'text=Not done yet. It undoes everything since then. 1 armed fault stays. Press again to do it.',
    );
    assert.deepEqual(await button(page, 'Return').boundingBox(), before);
    await button(page, 'Return').click();
    await page.waitForSelector('.toast:not([hidden]) >> text=the state was replaced');
    assert.ok(await button(page, 'Reset the venue').isDisabled());
    await page.getByLabel('Type reset to allow it').fill('reset');
    assert.ok(await button(page, 'Reset the venue').isEnabled());
    await client.request('DELETE', '/faults');
    await page.waitForSelector('.topbar .chip.warn', { state: 'detached' });
  });

  await t.test('the request of a control is shown, without the token', async () => {
    const page = await show('/control');
    await button(page, '+1 min').hover();
    const text = (await page.textContent('.same-pane .code-box')) ?? '';
    assert.ok(text.includes(`-H "Authorization: Bearer ${TOKEN}"`));
    assert.ok(text.includes(`-d '{"advance":"1m"}'`));
    assert.ok(!(await page.content()).includes(venue.controlToken));
  });

  await t.test('a market is halted and resumed', async () => {
    const page = await show('/control');
    await button(page, 'Halt market').click();
    await page.waitForSelector('.ribbon.bad >> text=is halted');
    await button(page, 'Resume market').click();
    await page.waitForSelector('.ribbon.bad', { state: 'detached' });
  });

  await t.test('a session that only looks has no button that does anything, and the curls stay', async () => {
    const page = await show('/control', { readOnly: true });
    await page.waitForSelector('.only-curl');
    assert.equal(await page.locator('.control .do').count(), 0);
    assert.equal(await page.locator('.control .button:not(:text-is("Copy"))').count(), 0);
    const curl = await page.locator('.only-curl .curl').first().getAttribute('data-curl');
    assert.match(curl ?? '', /toNextDue/);
  });

  await t.test('operations say how the venue is, and audit its books when asked', async () => {
    const page = await show('/operations');
    await page.waitForSelector('.health .chip.ok >> text=healthy');
    await page.waitForSelector('.tile .line path[d*="M"]', { state: 'attached' });
    assert.equal(await page.locator('.audit table').count(), 0);
    await button(page, 'Run the audit').click();
    await page.waitForSelector('.audit .chip.ok >> text=the books balance');
    assert.match((await page.textContent('.audit table')) ?? '', /USDT/);
    await page.waitForSelector('.needs >> text=Nothing needs you.');
    await page.waitForSelector('.tile >> text=This venue is in memory: it syncs nothing.');
    await page.waitForSelector('.health >> text=in memory: a stop forgets everything');
    await page.waitForSelector('.measures >> text=/^Insurance fund/');
    await client
      .placeAs('bot', { symbol: 'BTC-PERP', type: 'LIMIT', side: 'BUY', size: 1, price: 60_000.03 })
      .catch(() => {});
    await page.locator('.latest-refusals tr', { hasText: 'bot' }).locator('text=/60000.03/').waitFor();
    // What the audit said is there when one comes back.
    await page.locator('.views >> text=Orders').click();
    await page.locator('.views >> text=Operations').click();
    await page.waitForSelector('.audit .chip.ok >> text=the books balance');
  });

  for (const width of [1440, 1180, 720, 400]) {
    await t.test(`nothing is cut, outside, or on top of other text at ${width}`, async () => {
      const page = await show('/control', { width, theme: width === 1180 || width === 400 ? 'dark' : 'light' });
      await page.waitForSelector('.due li, .due-what, .next-due');
      assert.deepEqual(await layoutFaults(page), []);
      await page.goto(`${venue.control}/operations`);
      await page.waitForSelector('.health .chip');
      await button(page, 'Run the audit').click();
      await page.waitForSelector('.audit table');
      assert.deepEqual(await layoutFaults(page), []);
    });
  }
});
