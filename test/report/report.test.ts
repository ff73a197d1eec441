/** `bourse report`: its figures are those of the ledger, to the smallest unit. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addDecimals } from '../../src/client/decimals.ts';
import { BourseClient, ControlClient, type StartVenueOptions, startVenue, type TestVenue } from '../../src/index.ts';
import { reportPage } from '../../src/report/page.ts';
import { type AccountReport, type Report, reportOf } from '../../src/report/report.ts';

const bin = fileURLToPath(new URL('../../bin/bourse.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bourse-report-'));
after(() => rmSync(folder, { recursive: true }));

let made = 0;
async function inFolder(options: StartVenueOptions, act: (venue: TestVenue, control: ControlClient) => Promise<void>) {
  made += 1;
  const data = join(folder, String(made));
  const venue = await startVenue({ data, masterKeyFile: join(folder, 'master.key'), ...options });
  try {
    await act(venue, new ControlClient({ url: venue.control, token: venue.controlToken }));
  } finally {
    await venue.close();
  }
  return { data, report: await reportOf(data) };
}

/** A page of a ledger, when the archive has read what the log has. */
async function ledger(control: ControlClient, account: string, after: string | undefined) {
  for (;;) {
    try {
      return await control.ledger(account, { limit: 1000, ...(after !== undefined && { after }) });
    } catch (error) {
      if ((error as { status?: number }).status !== 503) throw error;
    }
  }
}

/** By account, currency and reason: the sums of the ledger. */
async function ledgerOf(control: ControlClient, accounts: readonly string[]) {
  const sums = new Map<string, string>();
  for (const account of accounts) {
    let after: string | undefined;
    do {
      const { entries, next } = await ledger(control, account, after);
      for (const { currency, reason, amount } of entries) {
        for (const name of [`${account} ${currency}`, `${account} ${currency} ${reason}`]) {
          sums.set(name, addDecimals(sums.get(name) ?? '0', amount));
        }
      }
      after = next;
    } while (after !== undefined);
  }
  return sums;
}

const of = ({ accounts }: Report, name: string) => accounts.find(({ account }) => account === name) as AccountReport;
const money = (report: Report, name: string, code: string) =>
  of(report, name).currencies.find(({ currency }) => currency === code)!;
const negated = (text: string) => (text === '0' ? text : text.startsWith('-') ? text.slice(1) : `-${text}`);

test('everything that hours of a demo moved is explained, and equals the ledger', async () => {
  const names = ['demo-1', 'trader-1', 'trader-2', 'trader-3', 'trader-4'];
  let sums = new Map<string, string>();
  const { report } = await inFolder({ demo: true, seed: 5 }, async (venue, control) => {
    const bot = new BourseClient({ url: venue.url, ...venue.key });
    await venue.advance('1m');
    for (const side of ['BUY', 'SELL', 'SELL'] as const) {
      await bot.placeFuturesOrder({ symbol: 'BTC-PERP', side, type: 'MARKET', size: 500 });
      await venue.advance('5s');
    }
    await bot.placeSpotOrder({ symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 1000 });
    await assert.rejects(
      bot.placeFuturesOrder({ symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', price: 90_000, size: 1 }),
    );
    await venue.advance('8h');
    await control.deposit('demo-1', 'USDT', '-12.00000001');
    sums = await ledgerOf(control, names);
  });
  for (const { account, currencies } of report.accounts) {
    for (const { currency, difference } of currencies) assert.equal(difference, '0', `${account} ${currency}`);
  }
  for (const name of names) {
    for (const code of ['USDT', 'BTC']) {
      const { total, fees, funding, inPositions } = money(report, name, code) ?? {};
      if (total === undefined) continue;
      assert.equal(addDecimals(total, inPositions!), sums.get(`${name} ${code}`), `${name} ${code}`);
      assert.equal(negated(fees!), sums.get(`${name} ${code} fee`) ?? '0', `fees of ${name} in ${code}`);
      assert.equal(funding, sums.get(`${name} ${code} funding`) ?? '0', `funding of ${name} in ${code}`);
    }
  }
  const demo = of(report, 'demo-1');
  assert.deepEqual(demo.refused, { priceOutsideBand: 1 });
  assert.equal(money(report, 'demo-1', 'USDT').withdrawals, '12.00000001');
  assert.ok(Number(money(report, 'demo-1', 'USDT').funding) !== 0 && Number(demo.againstMid.USDT) > 0);
  assert.ok(demo.fills >= 4 && demo.fillsAsMaker === 0 && demo.withoutMid === 0);
  const { equity, unrealised, total } = money(report, 'demo-1', 'USDT');
  assert.equal(equity.at(-1)![1], addDecimals(total, unrealised));
  assert.ok(equity.length > 60 && equity.length <= 1001, String(equity.length));
});

test('a fall is the deepest one, a deposit is none, and what isolated positions hold is counted', async () => {
  const { report, data } = await inFolder(
    { house: true, accounts: [{ name: 'bot', balances: { USDT: 10_000 } }] },
    async (venue) => {
      const bot = new BourseClient({ url: venue.url, ...venue.key });
      const move = async (price: number) => {
        await venue.setPrice('BTC-PERP', { index: price, last: price });
        await venue.book('BTC-PERP', { bids: [[price - 1, 5000]], asks: [[price + 1, 5000]] });
        await venue.advance('1m');
      };
      await move(60_000);
      await bot.request('POST', '/futures/api/v2.3/position_mode', {
        body: { symbol: 'BTC-PERP', positionMode: 'ISOLATED' },
      });
      await bot.placeFuturesOrder({ symbol: 'BTC-PERP', side: 'BUY', type: 'MARKET', size: 1000 });
      for (const price of [61_000, 60_500, 60_200, 60_900]) await move(price);
      await venue.deposit('bot', 'USDT', 5000);
      await move(60_800);
    },
  );
  const { difference, inPositions, deposits, worstDrawdown } = money(report, 'bot', 'USDT');
  assert.deepEqual([difference, deposits], ['0', '15000']);
  assert.ok(Number(inPositions) > 5, inPositions);
  // From 61,000 to 60,200 with 0.01 BTC.
  assert.ok(Math.abs(Number(worstDrawdown!.amount) - 8) < 0.2, worstDrawdown!.amount);
  assert.equal(of(report, 'bot').againstMid.USDT, '0.01');
  assert.ok(reportPage(report).includes('worst drawdown'));
  const run = (...given: string[]) => spawnSync(process.execPath, [bin, 'report', ...given], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(run(data).stdout), JSON.parse(JSON.stringify(report)));
  const html = join(folder, 'report.html');
  assert.equal(run(data, '--account', 'bot', '--html', html).status, 0);
  assert.match(readFileSync(html, 'utf8'), /<h2>bot<\/h2>/);
  assert.match(run(data, '--account', 'bob').stderr, /there is no account bob that had money: bot/);
});

test('after a restore it begins anew, with what isolated positions hold then', async () => {
  const { report } = await inFolder(
    { house: true, accounts: [{ name: 'bot', balances: { USDT: 10_000 } }] },
    async (venue) => {
      const bot = new BourseClient({ url: venue.url, ...venue.key });
      await venue.setPrice('BTC-PERP', { index: 60_000, last: 60_000 });
      await venue.book('BTC-PERP', { bids: [[59_999, 5000]], asks: [[60_001, 5000]] });
      await bot.request('POST', '/futures/api/v2.3/position_mode', {
        body: { symbol: 'BTC-PERP', positionMode: 'ISOLATED' },
      });
      await bot.placeFuturesOrder({ symbol: 'BTC-PERP', side: 'BUY', type: 'MARKET', size: 1000 });
      await venue.save('open');
      await venue.deposit('bot', 'USDT', 1);
      await venue.restore('open');
      await venue.advance('1m');
    },
  );
  const { difference, inPositions, deposits, total, equity } = money(report, 'bot', 'USDT');
  assert.equal(difference, '0');
  assert.ok(Number(inPositions) > 5, inPositions);
  assert.equal(deposits, addDecimals(total, inPositions));
  assert.ok(Math.abs(Number(equity.at(-1)![1]) - 9999.6) < 0.2, equity.at(-1)![1]);
});

test('after a reset it begins anew', async () => {
  const { report } = await inFolder({ accounts: [{ name: 'bot', balances: { USDT: 10 } }] }, async (venue) => {
    await venue.deposit('bot', 'USDT', 5);
    await venue.reset();
    await venue.deposit('bot', 'USDT', 1);
  });
  const { deposits, total, difference } = money(report, 'bot', 'USDT');
  assert.deepEqual([deposits, total, difference], ['11', '11', '0']);
  assert.ok(report.sinceSeq !== null);
});

test('after a restore it has the accounts whose numbers come after a gap, which a reset leaves', async () => {
  const { report } = await inFolder({ accounts: [{ name: 'bot', balances: { USDT: 10 } }] }, async (venue, control) => {
    await control.createAccount('gone');
    await venue.reset();
    await control.createAccount('late');
    await venue.deposit('late', 'USDT', 7);
    await venue.save('late');
    await venue.restore('late');
    await venue.deposit('late', 'USDT', 2);
  });
  const { deposits, total, difference } = money(report, 'late', 'USDT');
  assert.deepEqual([deposits, total, difference], ['9', '9', '0']);
});
