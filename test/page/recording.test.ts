/** A market that plays a recording says so, from its beginning to its end; and the report opens from Operations. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startVenue } from '../../src/index.ts';
import { recorded } from '../recorded/support.ts';
import { NO_BROWSER, openStage } from './browser.ts';
import { layoutFaults } from './layout.ts';

const FILES = ['trades', 'incremental_book_L2'].map((kind) => recorded(`binance_${kind}_2024-08-08_BTCUSDT.csv.gz`));

describe('a recording in the page', { skip: NO_BROWSER }, async () => {
  test('the market and Operations say what is played, where it is, and that it has ended', async (t) => {
    const accounts = [{ name: 'bot', balances: { USDT: 100_000 } }];
    const venue = await startVenue({ replay: FILES, accounts });
    const stage = await openStage(t, { venue });
    await venue.advance('3s');
    const market = await stage.show('/?symbol=BTC-USDT');
    const line = market.locator('.recording');
    await line.getByText('8 Aug 2024, 23:54:16.515').waitFor();
    const text = (await line.textContent()) ?? '';
    assert.match(text, /^Plays a recording\s*binance_trades_2024-08-08_BTCUSDT\.csv\.gz, binance_incremental/);
    assert.match(text, /it goes on when the clock is moved/);
    await market.getByRole('combobox', { name: 'Market' }).first().selectOption('BTC-PERP');
    await line.waitFor({ state: 'detached' });
    const operations = await stage.show('/operations');
    await operations.getByRole('heading', { name: 'The recording that BTC-USDT plays' }).waitFor();
    await operations.getByText('25 of 69').waitFor();

    await venue.advance('1h');
    await operations.getByText('the recording of BTC-USDT has ended').waitFor();
    for (const width of [1440, 400]) {
      const page = await stage.show('/?symbol=BTC-USDT', { width });
      await page.locator('.recording').getByText('It has ended: BTC-USDT is halted. A reset plays it again.').waitFor();
      assert.deepEqual(await layoutFaults(page), []);
    }

    const opened = operations.context().waitForEvent('page');
    await operations.getByRole('combobox', { name: 'Account of the report' }).selectOption('bot');
    await operations.getByRole('link', { name: 'Open the report' }).click();
    const report = await opened;
    await report.getByRole('heading', { name: 'bot' }).waitFor();
    assert.match(report.url(), /\/control\/v1\/report\.html\?account=bot$/);
  });
});
