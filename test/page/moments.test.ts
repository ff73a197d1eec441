/** A moment in the past shows what was known then, and says so where it cannot. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, open, openStage } from './browser.ts';

test('moments of a venue in a browser', { skip: NO_BROWSER }, async (t) => {
  // The browser itself notes the refusal that one test makes.
  const { venue, client, browser, show, place, seqNow } = await openStage(t, { mayBe: /status of 409/ });
  await client.setPrices('BTC-PERP', { index: 60_000, last: 60_000 });
  await place('maker', { type: 'LIMIT', side: 'SELL', size: 5000, price: 60_010 });
  await place('maker', { type: 'LIMIT', side: 'BUY', size: 5000, price: 59_990 });

  await t.test('nothing of what came later is in the market of a moment', async () => {
    await client.advance('2m');
    await place('bot', { type: 'MARKET', side: 'SELL', size: 7 });
    const then = await seqNow();
    await place('maker', { type: 'LIMIT', side: 'BUY', size: 300, price: 60_009 });
    await place('bot', { type: 'MARKET', side: 'SELL', size: 300 });
    await client.advance('3m');
    await place('bot', { type: 'MARKET', side: 'BUY', size: 11 });
    const page = await show('/');
    await page.waitForSelector('.trade:not(.none) >> text=11');
    const told = await client.request('GET', `/markets/BTC-PERP/past?seq=${then}&minutes=5`);
    const { trades, candles } = told as { trades: { size: string }[]; candles: { volume: string; close: string }[] };
    await page.goto(`${venue.control}/?seq=${then}`);
    await page.waitForSelector('.trade:not(.none) >> text=7');
    assert.equal(await page.locator('.trade:not(.none)').count(), trades.length);
    assert.equal(trades[0].size, '7');
    assert.equal(candles.at(-1)?.close, '59990');
    assert.equal(Number(candles.at(-1)?.volume) % 300, 7);
    await page.waitForSelector('.state-bar h1 >> text=59,990.0');
    await page.waitForSelector('.state-bar >> text=only known of now');
    assert.equal(await page.locator('.state-bar >> text=24 h volume').count(), 0);
  });

  await t.test('an order of later is not in the list of a moment, and ended ones say how', async () => {
    const cancelled = await place('bot', { type: 'LIMIT', side: 'BUY', size: 40, price: 59_000 });
    const before = await seqNow();
    const later = await place('bot', { type: 'LIMIT', side: 'BUY', size: 50, price: 58_000 });
    await client.request('DELETE', `/accounts/bot/orders?symbol=BTC-PERP&orderID=${cancelled}`);
    const page = await show('/orders');
    const row = (id: string) => page.locator('table.stories tbody tr', { hasText: id.slice(0, 8) });
    await row(cancelled).locator('text=cancelled: the client asked for it').waitFor();
    await page.locator('table.stories tbody tr', { hasText: 'filled' }).first().waitFor();
    const ended = await page.getByRole('button', { name: /^ended \d/ }).textContent();
    await page.goto(`${venue.control}/account/bot`);
    await page.locator('.account-orders').getByRole('button', { name: 'ended' }).click();
    await page.waitForSelector(`.account-orders .note >> text=${ended?.replace('ended ', '')}, the latest first`);
    await page.goto(`${venue.control}/orders?seq=${before}`);
    await row(cancelled).locator('text=rests in the book').waitFor();
    assert.equal(await row(later).count(), 0);
    await page.getByRole('button', { name: `ended ${Number(ended?.replace('ended ', '')) - 1}` }).waitFor();
    await page.goto(`${venue.control}/orders/${cancelled}?seq=${before}`);
    await page.waitForSelector('.sentence >> text=rests in the book: at 59,000.0');
    await page.waitForSelector('text=As it is now: Cancelled because the client asked for it');
  });

  await t.test('an open order is cancelled where it is shown, by a click and by keys', async () => {
    const price = 57_000;
    const placed = [0, 1, 2, 3].map((i) =>
      place('bot', { type: 'LIMIT', side: 'BUY', size: 60 + i, price: price + i }),
    );
    const [first, second, third, fourth] = await Promise.all(placed);
    const page = await show('/');
    const row = page.locator('table.orders tbody tr', { hasText: first.slice(0, 8) });
    const command = await row.locator('.cancel-order .curl').getAttribute('data-curl');
    assert.match(command ?? '', new RegExp(`-X DELETE '.*/accounts/bot/orders\\?symbol=BTC-PERP&orderID=${first}'`));
    await row.getByRole('button', { name: 'Cancel' }).click();
    await row.waitFor({ state: 'detached' });
    await page.goto(`${venue.control}/account/bot`);
    const open = page.locator('.order-row', { hasText: second.slice(0, 8) });
    await open.focus();
    await page.keyboard.press('x');
    await page.keyboard.press('Enter');
    await open.waitFor({ state: 'detached' });
    await page.goto(`${venue.control}/orders`);
    const listed = page.locator('table.stories tbody tr', { hasText: third.slice(0, 8) });
    await listed.getByRole('button', { name: 'Cancel' }).click();
    await listed.locator('text=cancelled: the client asked for it').waitFor();
    await page.goto(`${venue.control}/orders/${fourth}`);
    await page.waitForSelector('.story');
    await page.keyboard.press('x');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.sentence >> text=Cancelled because the client asked for it');
    assert.equal(await page.locator('.cancel-order').count(), 0);
  });

  await t.test('orders of every kind and market are cancelled by a click', async () => {
    await client.setPrices('BTC-USDT', { index: 60_000, last: 60_000 });
    const spot = (orderType: string, terms: object) =>
      place('bot', { symbol: 'BTC-USDT', orderType, orderSide: 'SELL', orderSize: 0.1, ...terms });
    const ids = [
      await spot('LIMIT', { orderPrice: 61_000 }),
      await spot('TRAILING', { trailValue: 500, trailValueType: 'DISTANCE' }),
      await spot('PEG', { orderPrice: 59_000, deviation: 0.5, stealth: 10 }),
      await spot('TWAP', { timePeriod: 600 }),
      await spot('OCO', {
        takeProfitOrderPrice: 60_500,
        stopLossTriggerPrice: 59_500,
        stopLossOrderPrice: 59_400,
        stopLossTriggerPriceType: 'LAST_PRICE',
      }),
      await place('bot', {
        type: 'MARKET',
        txType: 'STOP',
        side: 'BUY',
        size: 40,
        triggerPrice: 61_000,
        triggerType: 'markPrice',
      }),
    ];
    const page = await show('/orders');
    for (const id of ids) {
      const row = page.locator('table.stories tbody tr', { hasText: id.slice(0, 8) });
      await row.getByRole('button', { name: 'Cancel' }).click();
      await row.locator('text=cancelled: the client asked for it').waitFor();
    }
    // The other leg of the OCO went with it.
    await page.locator('table.stories tbody tr', { hasText: 'cancelled: the other leg was cancelled' }).waitFor();
    const { orders } = await client.openOrders('bot', {}, 'BTC-USDT');
    assert.deepEqual(orders, []);
  });

  await t.test('a cancel that is refused says why at its row', async () => {
    const id = await place('bot', { type: 'LIMIT', side: 'BUY', size: 70, price: 56_000 });
    const page = await show('/orders');
    const row = page.locator('table.stories tbody tr', { hasText: id.slice(0, 8) });
    await page.route('**/accounts/bot/orders?symbol=*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 409, json: { error: { reason: 'frozen', message: 'the account is frozen' } } })
        : route.fallback(),
    );
    await row.getByRole('button', { name: 'Cancel' }).click();
    await row.locator('.answer >> text=the account is frozen').waitFor();
    const readOnly = await open(browser, venue, { path: `/orders/${id}`, readOnly: true });
    await readOnly.page.waitForSelector('.story-head .cancel-order .curl');
    assert.equal(await readOnly.page.locator('.cancel-order .button').count(), 0);
    await readOnly.context.close();
  });

  await t.test(
    'own fills of a moment are marked, however many came after it, and keys are said to be of now',
    async () => {
      const then = await seqNow();
      for (let i = 0; i < 120; i++) await place('bot', { type: 'MARKET', side: i % 2 ? 'SELL' : 'BUY', size: 1 });
      const page = await show(`/?seq=${then}`);
      await page.waitForSelector('.trade.mine');
      await page.goto(`${venue.control}/account/bot?seq=${then}`);
      await page.waitForSelector('.account-head >> text=its keys are only known of now');
    },
  );
});
