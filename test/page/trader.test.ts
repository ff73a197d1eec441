/** What a trader looks for on the page: all money, fees, each level of a book, orders by their own names, and where a time leads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startVenue } from '../../src/index.ts';
import { NO_BROWSER, openStage } from './browser.ts';

const SPOT = 'BTC-USDT';

test('what a trader looks for, in a browser', { skip: NO_BROWSER }, async (t) => {
  const account = (name: string) => ({ name, balances: { USDT: '1000000', BTC: '100' } });
  const opened = await startVenue({
    startTime: '2026-01-01T14:20:00Z',
    accounts: ['maker', 'bot', 'thin'].map(account),
  });
  // A client id is looked for in each account.
  const { venue, client, show, place, seqNow } = await openStage(t, { venue: opened, mayBe: /status of 404/ });
  const spot = (name: string, orderSide: string, orderSize: number, orderPrice: number, more: object = {}) =>
    place(name, { symbol: SPOT, orderType: 'LIMIT', orderSide, orderSize, orderPrice, ...more });
  for (const symbol of [SPOT, 'BTC-PERP']) await client.setPrices(symbol, { index: 60_000, last: 60_000 });
  for (let i = 0; i < 12; i++) await spot('maker', 'SELL', 0.5, 60_050 + 10 * i);
  for (let i = 0; i < 9; i++) await spot('maker', 'BUY', 0.5, 59_990 - 10 * i);
  await spot('maker', 'BUY', 0.5, 59_900);
  await spot('bot', 'BUY', 0.3, 59_000, { clOrderId: 'dip-1' });
  const gone = await spot('bot', 'BUY', 0.3, 58_000, { clOrderId: 'gone' });
  await client.request('DELETE', `/accounts/bot/orders?symbol=${SPOT}&orderId=${gone}`);
  const twap = (orderSide: string, clOrderId: string) =>
    place('bot', { symbol: SPOT, orderType: 'TWAP', orderSide, orderSize: 0.4, timePeriod: 1200, clOrderId });
  const bought = await twap('BUY', 'twap-of-the-morning');
  await twap('SELL', 'twap-of-the-evening');
  await place('maker', { type: 'LIMIT', side: 'SELL', size: 5000, price: 60_010 });
  await place('bot', { type: 'MARKET', side: 'BUY', size: 3000 });
  await venue.advance('12m7s');
  const before = await seqNow();
  await spot('thin', 'SELL', 4.6, 59_900, { clOrderId: 'big-sale' });
  await venue.advance('6m');

  await t.test('the book then and now has each level between the best, traded ones too', async () => {
    const page = await show(`/time?seq=${before}&symbol=${SPOT}`);
    await page.locator('.world').getByRole('button', { name: 'book', exact: true }).click();
    await page.locator('.books tr', { hasText: '59,910.0' }).waitFor();
    const prices = await page.locator('.books .bids td:first-child').allTextContents();
    const levels = [...Array.from({ length: 9 }, (_, i) => 59_990 - 10 * i), 59_900, 59_000];
    assert.deepEqual(
      prices.map((text) => Number(text.replaceAll(',', ''))).filter((price) => price > 0),
      levels,
    );
  });

  await t.test('all money is counted, and fees are added up, now and then', async () => {
    const { balances } = (await client.account('bot')) as {
      balances: Record<string, { total: string; unrealised: string }>;
    };
    const worth = Number(balances.USDT.total) + Number(balances.USDT.unrealised) + 60_000 * Number(balances.BTC.total);
    const page = await show('/account/bot');
    const figure = page.locator('.figure', { hasText: 'All money in USDT, at the index' }).locator('dd');
    await figure.waitFor();
    assert.equal((await figure.textContent())?.replaceAll(',', ''), worth.toFixed(2));
    await page.locator('.figure', { hasText: 'Equity, the USDT alone' }).waitFor();
    const feesAt = async (seq?: number) => {
      const entries = [];
      let page = await client.ledger('bot', { limit: 1000, ...(seq !== undefined && { to: seq }) });
      for (;;) {
        entries.push(...page.entries);
        if (page.next === undefined) break;
        page = await client.ledger('bot', { limit: 1000, after: page.next, ...(seq !== undefined && { to: seq }) });
      }
      const fees = entries.filter(({ reason, currency }) => reason === 'fee' && currency === 'BTC');
      return fees.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(6);
    };
    const shown = async () => {
      await page.getByRole('button', { name: 'Add up fees and all else' }).click();
      const row = page.locator('.money-totals tr', { hasText: 'fee' }).filter({ hasText: 'BTC' });
      return (await row.locator('td').last().textContent())?.replace('\u2212', '-').replace(' BTC', '');
    };
    assert.equal(Number(await shown()), Number(await feesAt()));
    await page.goto(`${venue.control}/account/bot?seq=${before}`);
    await page.waitForSelector('table.moves');
    assert.equal(Number(await shown()), Number(await feesAt(before)));
    await page.locator('.order-row', { hasText: 'dip-1' }).locator('text=only known of now').waitFor();
  });

  await t.test('orders have their whole client ids, and ended ones their price', async () => {
    const page = await show('/account/bot', { width: 1280, height: 720 });
    const name = page.locator('.order-row code', { hasText: 'twap-of-the-morning' });
    await name.waitFor();
    const isCut = await name.evaluate((node) => node.parentElement!.scrollWidth > node.parentElement!.clientWidth);
    assert.equal(isCut, false);
    await page.locator('.account-orders').getByRole('button', { name: 'ended' }).click();
    await page.locator('tr', { hasText: 'gone' }).filter({ hasText: '58,000.0' }).waitFor();
  });

  await t.test('the money of a long order is read to its end', async () => {
    const { totals } = (await client.order(bought)) as unknown as { totals: { filled: string } };
    const page = await show(`/orders/${bought}`);
    const fees = page.locator('.money-rows tbody tr', { hasText: 'trade' });
    await page.getByRole('button', { name: 'Read the rest' }).click();
    await page.getByRole('button', { name: 'Read the rest' }).waitFor({ state: 'detached' });
    assert.equal(await fees.count(), Math.round(Number(totals.filled) / 0.01));
  });

  await t.test('a client id of any account is found, and what is not found covers nothing and goes', async () => {
    const page = await show('/account/bot');
    const goTo = async (text: string) => {
      await page.fill('.goto input', text);
      await page.press('.goto input', 'Enter');
    };
    await goTo('nothing-like-it');
    await page.waitForSelector('.goto-problem >> text=Nothing is called nothing-like-it');
    await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
    await page.waitForSelector('.goto-problem', { state: 'detached' });
    await goTo('big-sale');
    await page.waitForSelector('.story-of >> text=client id big-sale');
  });

  await t.test('a time leads to what happened at it, and not to the move of the clock to it', async () => {
    const page = await show('/time?at=14:32:07');
    await page.waitForURL((url) => url.searchParams.get('seq') === String(before + 1));
    await page.waitForSelector(`.at-time >> text=2 commands came at 14:32:07 UTC, seq ${before} to ${before + 1}.`);
    await page.waitForSelector('.legend >> text=a bar: one command');
  });

  await t.test('the moment that is looked at is at its time, also after the last trade', async () => {
    const page = await show(`/?symbol=BTC-PERP&seq=${before}`);
    await page.waitForSelector('.flag >> text=you are at 14:32:07');
    await page.waitForSelector('.state-bar >> text=Index, set by Control');
    const at = await page
      .locator('.flag-line')
      .evaluate((node) => Number.parseFloat((node as unknown as { style: { left: string } }).style.left));
    await page.goto(`${venue.control}/?symbol=BTC-PERP&seq=${before - 1}`);
    await page.waitForSelector('.flag >> text=you are at 14:20:00');
    const first = await page
      .locator('.flag-line')
      .evaluate((node) => Number.parseFloat((node as unknown as { style: { left: string } }).style.left));
    assert.ok(at > first + 80, `${at} is 12 candles after ${first}`);
  });

  await t.test('Control keeps its market, and a form is for one market', async () => {
    const page = await show('/control');
    await page.getByLabel('Prices').getByLabel('Market', { exact: true }).selectOption('BTC-PERP');
    await page.getByLabel('Place an order').getByLabel('Size', { exact: true }).fill('0.5');
    await page.waitForSelector('.order-note >> text=0.5 contracts = 0.000005 BTC');
    await page.getByLabel('Prices').getByLabel('Market', { exact: true }).selectOption(SPOT);
    assert.equal(await page.getByLabel('Place an order').getByLabel('Size', { exact: true }).inputValue(), '');
    await page.goto(`${venue.control}/orders`);
    await page.goto(`${venue.control}/control`);
    await page.waitForSelector(`.order-pane >> text=${SPOT}, in the name of an account`);
  });
});
