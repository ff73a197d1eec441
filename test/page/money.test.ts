/** A liquidation, an auto-deleveraging and funding are on the page of the account that they happen to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlClient, startVenue } from '../../src/index.ts';
import { launch, NO_BROWSER, open } from './browser.ts';

const PERP = 'BTC-PERP';

test('an account shows what moved its money last', { skip: NO_BROWSER }, async () => {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT } });
  const accounts = [
    account('maker', '10000000'),
    account('bot', '1000000'),
    account('thin', '250'),
    account('poor', '250'),
  ];
  const venue = await startVenue({ accounts, insuranceFund: { USDT: '100000' } });
  const client = new ControlClient({ url: venue.control, token: venue.controlToken });
  const browser = await launch();
  const place = (name: string, side: string, size: number, price: number) =>
    client.placeAs(name, { symbol: PERP, type: 'LIMIT', side, size, price });
  const shows = async (name: string, reason: string) => {
    const { page, faults, context } = await open(browser, venue, { path: `/account/${name}` });
    await page.waitForSelector(`table.moves td:text-is("${reason}")`);
    assert.deepEqual(faults, []);
    await context.close();
  };
  try {
    await client.setPrices(PERP, { index: 60_000, last: 60_000 });
    await place('maker', 'SELL', 40_000, 60_010);
    await place('maker', 'BUY', 20_000, 59_785);
    await place('thin', 'BUY', 20_000, 60_010);
    await place('bot', 'BUY', 20_000, 60_010);
    await client.setPrices(PERP, { mark: 59_000 });
    await shows('thin', 'liquidation');
    await shows('thin', 'liquidation fee');
    // Without a bid, the position is closed against its other side.
    await client.request('DELETE', `/accounts/maker/orders?symbol=${PERP}`);
    await client.setPrices(PERP, { mark: null });
    await place('maker', 'SELL', 20_000, 60_010);
    await place('poor', 'BUY', 20_000, 60_010);
    await client.setPrices(PERP, { mark: 50_000 });
    for (const name of ['poor', 'maker']) await shows(name, 'auto-deleveraging');
    await client.setPrices(PERP, { mark: null });
    await place('maker', 'BUY', 7_000_000, 60_060);
    await place('maker', 'SELL', 7_000_000, 60_300);
    await venue.advance('8h');
    for (const name of ['bot', 'maker']) await shows(name, 'funding');
  } finally {
    await browser.close();
    await venue.close();
  }
});

test('operations name the account that is nearest to its liquidation', { skip: NO_BROWSER }, async () => {
  const rich = ['maker', 'bot'].map((name) => ({ name, balances: { USDT: '10000000' } }));
  const venue = await startVenue({ accounts: [...rich, { name: 'thin', balances: { USDT: '250' } }] });
  const client = new ControlClient({ url: venue.control, token: venue.controlToken });
  const browser = await launch();
  const place = (name: string, side: string, size: number) =>
    client.placeAs(name, { symbol: PERP, type: 'LIMIT', side, size, price: 60_010 });
  try {
    await client.setPrices(PERP, { index: 60_000, last: 60_000 });
    await place('maker', 'SELL', 20_000);
    await place('thin', 'BUY', 20_000);
    const { page, faults, context } = await open(browser, venue, { path: '/operations' });
    await page.waitForSelector('.risk tbody tr:nth-child(1):has-text("thin"):has-text("long 20,000")');
    await page.waitForSelector('.needs >> text=Nothing needs you.');
    const { positions } = (await client.request('GET', '/accounts/thin')) as {
      positions: { liquidationPrice: number }[];
    };
    await client.setPrices(PERP, { mark: Number((positions[0].liquidationPrice * 1.003).toFixed(1)) });
    await page.waitForSelector('.needs.warn:has-text("thin is 0.30 % from liquidation in BTC-PERP")');
    await page.waitForSelector('.risk tbody tr:nth-child(1) td:has-text("0.30 %")');
    await page.waitForSelector('.risk tbody tr:nth-child(1) td .bad');
    await context.close();
    // Many accounts are read at a click only.
    for (let i = 0; i < 20; i++) await client.request('POST', '/accounts', { name: `idle-${i}` });
    const many = await open(browser, venue, { path: '/operations' });
    await many.page.waitForSelector('.needs:has-text("Nobody has looked for accounts at risk")');
    await many.page.getByRole('button', { name: 'Look for accounts at risk' }).click();
    await many.page.waitForSelector('.needs.warn:has-text("thin is 0.30 % from liquidation")');
    assert.deepEqual([...faults, ...many.faults], []);
    await many.context.close();
  } finally {
    await browser.close();
    await venue.close();
  }
});

test('an account shows the currencies with money, and the others on request', { skip: NO_BROWSER }, async () => {
  const codes = Array.from({ length: 200 }, (_, i) => `COIN${i}`);
  const currencies = Object.fromEntries(['USDT', 'BTC', ...codes].map((code) => [code, { decimals: 8 }]));
  const accounts = [{ name: 'bot', balances: { USDT: '1000', COIN150: '2' } }, { name: 'empty' }];
  const venue = await startVenue({ currencies, accounts });
  const browser = await launch();
  try {
    const { page, faults } = await open(browser, venue, { path: '/account/bot' });
    const coins = () => page.locator('table.balances tbody b').allTextContents();
    await page.waitForSelector('table.balances');
    assert.deepEqual(await coins(), ['COIN150', 'USDT']);
    await page.click('button:text-matches("^and \\\\d+ without money$")');
    const all = await coins();
    assert.deepEqual([all.length, all.slice(0, 2)], [204, ['COIN150', 'USDT']]);
    await page.click('button:text-is("Only those with money")');
    assert.deepEqual(await coins(), ['COIN150', 'USDT']);
    await page.selectOption('select.pick-account', 'empty');
    await page.waitForSelector('text=No money has come in yet.');
    await page.waitForSelector('button:text-is("and 204 without money")');
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
    await venue.close();
  }
});
