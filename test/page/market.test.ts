/** The market and the account, by clicking, in two tabs, at every width. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, openStage } from './browser.ts';
import { layoutFaults } from './layout.ts';

const PERP = '/?symbol=BTC-PERP';

test('market and account in a browser', { skip: NO_BROWSER }, async (t) => {
  const { venue, client, opened, show, place, seqNow } = await openStage(t);
  const order = (body: object) => place('bot', body);

  await t.test('an empty market is brought to life by two clicks, and the book shows what is one’s own', async () => {
    const page = await show(PERP);
    await page.getByRole('button', { name: 'Set index and last' }).click();
    await page.waitForSelector('h1.last:text-is("60,000.0")');
    await page.getByRole('button', { name: /^Quote 1000 contracts/ }).click();
    await page.waitForSelector('.ladder .buyside .yours:text-is("1,000")');
    await page.waitForSelector('.ladder .sellside .yours:text-is("1,000")');
    assert.equal(await page.textContent('h1.last'), '60,000.0');
    await order({ type: 'LIMIT', side: 'BUY', size: 900, price: 59_950, clOrderID: 'entry-1' });
    await page.waitForSelector('.yours:text-is("900")');
    await page.waitForSelector('table.orders >> text=/rests in the book: at 59,950.0, first in its queue/');
    const narrow = await show(PERP, { width: 390 });
    await narrow.locator('table.orders .c-client >> text=entry-1').waitFor();
    await narrow.locator('table.orders td.c-filled').first().waitFor();
    // A size of six digits stays on its line.
    await order({ type: 'LIMIT', side: 'BUY', size: 100_000, price: 59_950, clOrderID: 'large' });
    await page.waitForSelector('.yours:text-is("100,900")');
    const heights = await page.evaluate(
      "[...new Set([...document.querySelectorAll('.ladder .level > .yours')].filter((cell) => cell.textContent !== '').map((cell) => cell.getBoundingClientRect().height))].length",
    );
    assert.equal(heights, 1);
    await client.request('DELETE', '/accounts/bot/orders?symbol=BTC-PERP&clOrderID=large');
  });

  await t.test(
    'a stop waits in chart and table, fires at its price, and the moment before shows it waiting',
    async () => {
      await place('maker', {
        type: 'LIMIT',
        side: 'SELL',
        size: 5000,
        price: 60_030,
      });
      await order({ type: 'MARKET', side: 'BUY', size: 2000 });
      await order({
        type: 'MARKET',
        txType: 'STOP',
        side: 'SELL',
        size: 2000,
        triggerPrice: 59_900,
        triggerType: 'markPrice',
      });
      await place('maker', {
        type: 'LIMIT',
        side: 'BUY',
        size: 5000,
        price: 59_800,
      });
      const before = await seqNow();
      const page = await show(PERP);
      await page.waitForSelector('table.orders >> text=waits for mark: fires at or below');
      await page.waitForSelector('.chart-label:text-is("sell 2,000 stop at 59,900.0")');
      await client.setPrices('BTC-PERP', { mark: 59_890 });
      await page.waitForSelector('table.orders >> text=waits for mark', { state: 'detached' });
      await page.waitForSelector('.trade.mine.down');
      await page.goto(`${venue.control}${PERP}&seq=${before}`);
      await page.waitForSelector('table.orders >> text=waits for mark: fires at or below');
      assert.match((await page.textContent('.ribbon.violet')) ?? '', new RegExp(`You are looking at seq ${before}`));
      await page.keyboard.press('Escape');
      await page.waitForSelector('.ribbon.violet', { state: 'detached' });
      assert.equal(new URL(page.url()).searchParams.get('seq'), null);
      await client.setPrices('BTC-PERP', { mark: null });
    },
  );

  await t.test('what is beyond the rows and the chart is said, and a click on a price fills the form', async () => {
    const page = await show(PERP);
    const far = (size: number, price: number) => order({ type: 'LIMIT', side: 'SELL', size, price });
    for (let i = 0; i < 12; i++) await far(10, 60_100 + i * 50);
    await page.waitForSelector('.ladder .beyond.asks >> text=/ more levels?, total /');
    await page.waitForSelector('.chart-label.edge >> text=/^▴ sell .* at .*, and [0-9]+ more$/');
    const price = (await page.textContent('.ladder .sellside .price:not(:empty)')) ?? '';
    await page.locator('.ladder .sellside .price:not(:empty)').first().click();
    assert.equal(await page.inputValue('input[aria-label="Price"]'), price.replaceAll(',', ''));
    await page.waitForSelector('.order-note >> text=It needs a size. 1 contract = 0.00001 BTC');
    await page.fill('input[aria-label="Size"]', '3000');
    await page.waitForSelector('.order-note >> text=3000 contracts = 0.03 BTC');
    await client.request('DELETE', '/accounts/bot/orders?symbol=BTC-PERP');
  });

  await t.test(
    'a market opens with the first account that has open orders, and a low screen shows its form',
    async () => {
      await place('maker', { type: 'LIMIT', side: 'BUY', size: 1, price: 59_000 });
      const { orders } = await client.openOrders('bot');
      assert.deepEqual(orders, []);
      const page = await show(PERP, { width: 1280, height: 720 });
      await page.waitForSelector('.own >> text=maker in BTC-PERP');
      const form = await page.locator('.order-pane').boundingBox();
      const tape = await page.locator('.tape').boundingBox();
      assert.ok(form !== null && tape !== null && form.y + form.height <= tape.y, JSON.stringify([form, tape]));
      await client.request('DELETE', '/accounts/maker/orders?symbol=BTC-PERP');
    },
  );

  await t.test('the page opens with the account that was chosen last', async () => {
    const page = await show(PERP);
    await page.locator('.chart select[aria-label="Account"]').selectOption('maker');
    await page.goto(`${venue.control}/account`);
    await page.waitForSelector('h1:has-text("Account maker")', { state: 'attached' });
    await page.goto(`${venue.control}${PERP}`);
    await page.waitForSelector('.own >> text=maker in BTC-PERP');
  });

  await t.test('two tabs agree', async () => {
    const page = await show(PERP);
    const other = await show(PERP, { context: opened[0].context });
    await order({ type: 'LIMIT', side: 'BUY', size: 123, price: 59_900 });
    for (const tab of [page, other]) await tab.waitForSelector('.yours:text-is("123")');
    const seen = await Promise.all([page, other].map((tab) => tab.locator('.ladder').textContent()));
    assert.equal(seen[0], seen[1]);
  });

  await t.test('no cell changes its width when prices move', async () => {
    const page = await show(PERP);
    const widths = () =>
      page.evaluate(
        "[...document.querySelectorAll('.ladder .level, .ladder .level > *, .trade > *')].map((cell) => cell.getBoundingClientRect().width).join()",
      );
    for (const row of ['.ladder .level', '.trade']) await page.locator(row).first().waitFor();
    const first = await widths();
    for (let i = 0; i < 20; i++) {
      await place('maker', {
        type: 'LIMIT',
        side: i % 2 ? 'BUY' : 'SELL',
        size: 10 ** (i % 5),
        price: 60_030 - (i % 3),
      });
    }
    await page.waitForSelector('.trade.down, .trade.up');
    assert.equal(await widths(), first);
  });

  await t.test('a halted market and a session that only looks say so', async () => {
    await client.haltMarket('BTC-PERP');
    const page = await show(PERP, { readOnly: true });
    await page.waitForSelector('.ribbon.bad >> text=BTC-PERP is halted');
    await page.waitForSelector('.state-bar .chip.bad >> text=halted');
    await client.resumeMarket('BTC-PERP');
    await page.waitForSelector('.ribbon.bad', { state: 'detached' });
  });

  await t.test('a lost stream is loud, the data stays, and the page comes back', async () => {
    const page = await show(PERP);
    const sockets: { close(): Promise<void> }[] = [];
    let isDown = false;
    let refused = () => {};
    await page.routeWebSocket(/\/control\/v1\/stream$/, (socket) => {
      if (isDown) {
        void socket.close();
        refused();
        return;
      }
      socket.connectToServer();
      sockets.push(socket);
    });
    await page.reload();
    await page.waitForSelector('.ladder .mid-last:not(:empty)');
    isDown = true;
    for (const socket of sockets) await socket.close();
    await page.waitForSelector('.ribbon.warn >> text=The stream stopped');
    assert.notEqual(await page.textContent('.ladder .mid-last'), '');
    const tried = new Promise<void>((resolve) => {
      refused = resolve;
    });
    // The stream is still down: had it come back by itself, the button would be gone.
    await page.getByRole('button', { name: 'Try now' }).click();
    await tried;
    isDown = false;
    await page.waitForSelector('.link.live');
  });

  const account = '/account/bot';
  for (const width of [1440, 1180, 720, 400]) {
    await t.test(`nothing is cut, outside, or on top of other text at ${width}`, async () => {
      await order({
        symbol: 'BTC-USDT',
        orderType: 'LIMIT',
        orderSide: 'SELL',
        orderSize: 0.5,
        orderPrice: 60_500,
      }).catch(() => {});
      const theme = width === 1180 || width === 400 ? 'dark' : 'light';
      const page = await show(PERP, { width, theme });
      const seq = await seqNow();
      for (const path of [PERP, '/?symbol=ETH-USDT', account, `${account}?seq=${seq}`]) {
        await page.goto(`${venue.control}${path}`);
        await page.waitForSelector('.link.live');
        await page.waitForSelector('.ladder .mid-last:not(:empty), .order-row, .steps');
        assert.deepEqual(await layoutFaults(page), [], path);
      }
    });
  }
});
