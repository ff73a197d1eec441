/** Names, ids and numbers that are meant to break the page, states that it seldom sees, and actions that the venue refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startVenue } from '../../src/index.ts';
import { visible } from '../../src/story/words.js';
import { NO_BROWSER, openStage } from './browser.ts';
import { layoutFaults } from './layout.ts';

const PERP = 'BTC-PERP';
const SPOT = 'BTC-USDT';
/** The longest that the venue takes. */
const LONG_NAME = `a${'W'.repeat(63)}`;
const CLIENT_IDS = [
  '<script>window.hit = 1</script>',
  '"><img src=x onerror="window.hit = 1">',
  '\u202Egnp.exe\u202C',
  '\u200B\u2060',
  'ضضضضضضضضض-עברית',
  '👩‍👩‍👧‍👦'.repeat(5),
  'W'.repeat(64),
  "'; DROP TABLE orders; --",
  '$\u007Bwindow.hit = 1}',
];

test('hostile text and numbers', { skip: NO_BROWSER }, async (t) => {
  t.afterEach(async () => {
    for (const { page } of opened) assert.equal(await page.evaluate('window.hit'), undefined, 'a name became code');
  });
  const hostile = await startVenue({
    accounts: [
      { name: 'bot', balances: { USDT: '9000000000', BTC: '20000000' } },
      { name: LONG_NAME, balances: { USDT: '9000000' } },
    ],
  });
  // The browser itself notes each refusal as an error.
  const { venue, client, opened, show, place } = await openStage(t, { venue: hostile, mayBe: /status of 40[04]/ });
  for (const symbol of [SPOT, PERP]) await client.setPrices(symbol, { index: 60_000, last: 60_000 });
  const ids: string[] = [];
  for (const clOrderID of CLIENT_IDS) {
    ids.push(await place('bot', { type: 'LIMIT', side: 'BUY', size: 1, price: 100, clOrderID }));
  }
  await place(LONG_NAME, { type: 'LIMIT', side: 'SELL', size: 100_000, price: 60_001 });
  await place('bot', { type: 'MARKET', side: 'BUY', size: 100_000 });

  for (const width of [1440, 400]) {
    await t.test(`names and numbers break nothing at ${width}`, async () => {
      const page = await show('/orders', { width });
      for (const path of [
        '/orders',
        ...ids.map((id) => `/orders/${id}`),
        `/account/${LONG_NAME}`,
        '/account/bot',
        `/?symbol=${PERP}`,
        '/time?seq=5',
        '/control',
        '/operations',
      ]) {
        await page.goto(`${venue.control}${path}`);
        await page.waitForSelector('.link.live');
        await page.locator('#main:not(:has(.loading)):not(:has([aria-busy=true]))').waitFor();
        assert.deepEqual(await layoutFaults(page), [], path);
      }
    });
  }

  await t.test('a client id is found as it is written, and shown as text', async () => {
    const page = await show('/');
    for (const [i, clientId] of CLIENT_IDS.slice(0, 4).entries()) {
      await page.getByRole('search').getByRole('textbox').fill(clientId);
      await page.keyboard.press('Enter');
      await page.waitForSelector(`.whole-id:text-is("${ids[i]}")`);
      assert.ok((await page.textContent('.story-of'))?.includes(visible(clientId)));
      await page.goto(`${venue.control}/orders/${encodeURIComponent(clientId)}?account=bot`);
      await page.waitForSelector(`.whole-id:text-is("${ids[i]}")`);
    }
  });

  await t.test(
    'an address of ten thousand characters, and one with markup, say that there is no such thing',
    async () => {
      const page = await show('/');
      await page.goto(`${venue.control}/orders/${'x'.repeat(7000)}`);
      await page.waitForSelector('h1:text-is("There is no such story")');
      assert.deepEqual(await layoutFaults(page), []);
      await page.goto(`${venue.control}/account/${encodeURIComponent('<b>x</b>')}`);
      await page.waitForSelector('h1:text-is("There is no account <b>x</b>")');
      await page.goto(`${venue.control}/account/%E0%A4%A`);
      await page.waitForSelector('h1:has-text("There is no account")');
      await page.goto(`${venue.control}/time?seq=999999999999999`);
      await page.waitForSelector('.elsewhere');
      await page.goto(`${venue.control}/time?seq=-1`);
      await page.waitForSelector('.effects');
      await page.goto(`${venue.control}/?symbol=${encodeURIComponent('<script>')}`);
      await page.waitForSelector('.ladder, .steps');
      const search = page.getByRole('search').getByRole('textbox');
      await search.fill('x'.repeat(10_000));
      await page.keyboard.press('Enter');
      await page.waitForSelector('.goto-problem:not([hidden])');
      assert.deepEqual(await layoutFaults(page), []);
    },
  );

  await t.test('what the venue refuses is said at the field, which keeps its value', async () => {
    const page = await show('/control');
    const form = page.locator('.order-pane');
    for (const [size, price, field] of [
      ['0', '60000', 'Size'],
      ['-5', '60000', 'Size'],
      ['1e300', '60000', 'Size'],
      ['much', '60000', 'Size'],
      ['1', '60000.03', 'Price'],
      ['1', '-1', 'Price'],
      ['1', '9'.repeat(400), 'Price'],
    ]) {
      await form.getByLabel('Size').fill(size);
      await form.getByLabel('Price', { exact: true }).fill(price);
      await form.getByRole('button', { name: 'Place', exact: true }).click();
      await form.locator(`[aria-label="${field}"][aria-invalid=true]`).waitFor();
      await form.locator('.answer.problem').waitFor();
      const input = form.getByLabel(field, { exact: true });
      assert.equal(await input.inputValue(), field === 'Size' ? size : price);
      await input.fill('1');
      assert.equal(await input.getAttribute('aria-invalid'), null);
    }
    await page.getByLabel('Name of a new account').fill('<b>');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForSelector('[aria-label="Name of a new account"][aria-invalid=true]');
    await page.getByLabel('Go to a time').fill('yesterday');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await page.waitForSelector('[aria-label="Go to a time"][aria-invalid=true]');
    assert.deepEqual(await layoutFaults(page), []);
  });
});
