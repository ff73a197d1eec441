/** The stories and the time machine, by clicking: what happened to an order and why, and the world before it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, open, openStage } from './browser.ts';
import { layoutFaults } from './layout.ts';

test('stories and the time machine in a browser', { skip: NO_BROWSER }, async (t) => {
  // The browser notes it as an error if one moment is asked for while another is computed.
  const { venue, client, browser, show, place, seqNow } = await openStage(t, { mayBe: /status of 409/ });
  /** The seq before the stop fires. */
  let waitingSeq: number;
  await client.setPrices('BTC-PERP', { index: 60_000, last: 60_000 });
  await place('maker', { type: 'LIMIT', side: 'SELL', size: 5000, price: 60_010 });
  await place('maker', { type: 'LIMIT', side: 'BUY', size: 5000, price: 59_990 });
  await place('bot', { type: 'MARKET', side: 'BUY', size: 2000 });
  const stopId = await place('bot', {
    type: 'MARKET',
    txType: 'STOP',
    side: 'SELL',
    size: 1000,
    triggerPrice: 59_900,
    triggerType: 'markPrice',
  });
  const limitId = await place('bot', { type: 'LIMIT', side: 'BUY', size: 900, price: 59_950 });

  await t.test('a cancelled order is found, and its story says why, while it is open on the page', async () => {
    const page = await show('/');
    await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
    await page.locator('table.stories tr', { hasText: limitId.slice(0, 8) }).click();
    await page.waitForSelector('.sentence >> text=Working: it rests at 59,950.0');
    await client.request('DELETE', `/accounts/bot/orders?symbol=BTC-PERP&orderID=${limitId}`);
    await page.waitForSelector('.sentence >> text=Cancelled because the client asked for it');
    assert.equal(await page.textContent('.story-head .chip'), 'cancelled');
    await page.waitForSelector('table.events .e-what >> text=Cancelled');
  });

  await t.test('a stop fires, its story leads to the moment, and one step back it waits', async () => {
    waitingSeq = await seqNow();
    await client.setPrices('BTC-PERP', { mark: 59_890 });
    const page = await show(`/orders/${stopId}`);
    await page.waitForSelector('.sentence >> text=mark 59,890.0 was below its trigger of 59,900.0');
    const fired = page.locator('table.events tr', { hasText: 'Fired' });
    await fired.getByRole('link').first().click();
    await page.waitForSelector('.effects >> text=Stop of bot fired: mark 59,890.0');
    assert.equal(new URL(page.url()).searchParams.get('seq'), String(waitingSeq + 1));
    await page.getByRole('button', { name: '‹ command' }).click();
    await page.waitForURL((url) => url.searchParams.get('seq') === String(waitingSeq));
    await page.locator('.world').getByRole('button', { name: 'orders', exact: true }).click();
    await page.locator('.orders-then tr', { hasText: stopId.slice(0, 8) }).waitFor();
    assert.match((await page.textContent('.orders-then')) ?? '', /waits for mark: fires at or below/);
    await page.locator('.world').getByRole('button', { name: 'what differs' }).click();
    await page.locator('.differs tr', { hasText: 'waits at 59,900.0' }).waitFor();
  });

  await t.test('the hash and the line of a moment are those of the venue and its terminal', async () => {
    const page = await show(`/time?seq=${waitingSeq}`);
    const { hash } = (await client.request('GET', `/at/${waitingSeq}`)) as { hash: string };
    assert.equal(await page.locator('.proof .as-link').getAttribute('title'), hash);
    assert.match((await page.textContent('.proof .code-box')) ?? '', new RegExp(`--seq ${waitingSeq} --show account`));
  });

  await t.test('the slider moves by keys, by marks and by dragging, and asks only when it rests', async () => {
    const page = await show(`/time?seq=${waitingSeq}`);
    await page.waitForSelector('.proof');
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.waitForURL((url) => url.searchParams.get('seq') === '1');
    await page.waitForSelector('.effects .head >> text=The venue begins');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/control/v1/at/')) asked.push(request.url());
    });
    const box = await slider.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 10, box.y + 30);
    await page.mouse.down();
    for (let i = 1; i <= 30; i++) await page.mouse.move(box.x + (box.width * i) / 31, box.y + 30);
    await page.mouse.up();
    const seq = Number(await slider.getAttribute('aria-valuenow'));
    await page.waitForURL((url) => url.searchParams.get('seq') === String(seq));
    await page.waitForSelector(`.effects >> visible=true`);
    await page.waitForSelector('.moment[aria-busy=false]');
    assert.ok(seq > 1);
    assert.ok(asked.length < 20, `30 moves asked ${asked.length} times`);
    await page.keyboard.press('Escape');
    await page.waitForSelector('.ribbon.violet', { state: 'detached' });
  });

  await t.test('what cannot be shown says why', async () => {
    const tab = await open(browser, venue, { path: '/time?seq=99999' });
    await tab.page.waitForSelector('.elsewhere >> text=the log has the seqs 1 to');
    await tab.page.goto(`${venue.control}/orders/nothing`);
    await tab.page.waitForSelector('text=there is no order nothing');
    await tab.context.close();
  });

  await t.test('a time of the day in the Go-to box leads to its first command, or says why not', async () => {
    const page = await show('/');
    const goTo = async (text: string) => {
      await page.keyboard.press('/');
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    const leadsTo = (seq: number) => page.waitForURL((url) => url.searchParams.get('seq') === String(seq));
    await goTo('00:00:00');
    await leadsTo(1);
    // That of the day before: nothing is older than the venue.
    await goTo('23:59:59');
    await page.waitForSelector('.at-time >> text=/^Nothing had happened at .* 23:59:59 UTC: the next is seq 1 at/');
    await leadsTo(1);
    const before = await seqNow();
    await client.advance('1h');
    await page.waitForSelector(`.ribbon.violet >> text=it is at seq ${before + 1}`);
    await goTo('00:20');
    await leadsTo(before + 1);
    await page.waitForSelector(
      `.at-time >> text=00:20:00 UTC is within a move of the clock from 00:00:00.000 to 01:00:00.000, by seq ${before + 1}`,
    );
    await goTo('01:00');
    await leadsTo(before + 1);
    await page.waitForSelector('.at-time', { state: 'detached' });
    await goTo('99:99');
    await page.waitForSelector('text=99:99 is no time of a day');
  });

  await t.test('the market is that of the command, and the books are paired by price', async () => {
    const page = await show('/');
    await page.evaluate(() => localStorage.setItem('symbol', 'ETH-PERP'));
    await place('maker', { type: 'LIMIT', side: 'SELL', size: 10, price: 60_020 });
    const seq = await seqNow();
    await place('maker', { type: 'LIMIT', side: 'SELL', size: 20, price: 60_005 });
    for (let i = 1; i <= 9; i++) await place('maker', { type: 'LIMIT', side: 'SELL', size: i, price: 61_000 + i });
    await page.goto(`${venue.control}/time?seq=${seq}`);
    await page.locator('.world').getByRole('button', { name: 'book', exact: true }).click();
    await page.waitForSelector('.books');
    assert.equal(await page.locator('.world select[aria-label=Market]').inputValue(), 'BTC-PERP');
    const cells = (price: string) => page.locator('.books tr', { hasText: price }).locator('td').allTextContents();
    assert.deepEqual(await cells('60,020.0'), ['60,020.0', '10', '10']);
    assert.deepEqual(await cells('60,005.0'), ['60,005.0', '', '20']);
    assert.deepEqual(await cells('other asks'), ['other asks', 'none', '4 levels, 30']);
  });

  for (const width of [1440, 1180, 720, 400]) {
    await t.test(`nothing is cut, outside, or on top of other text at ${width}`, async () => {
      const page = await show('/orders', { width, theme: width === 1180 || width === 400 ? 'dark' : 'light' });
      for (const [path, ready] of [
        ['/orders', 'table.stories tbody tr'],
        [`/orders/${stopId}`, 'table.events'],
        [`/time?seq=${waitingSeq}`, '.proof'],
        ['/time', '.effects'],
      ]) {
        await page.goto(`${venue.control}${path}`);
        await page.waitForSelector(ready);
        await page.waitForSelector('.around tbody tr, .story, .list-note');
        assert.deepEqual(await layoutFaults(page), [], path);
      }
    });
  }
});
