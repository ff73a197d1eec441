/** What the control surface says of a run: the recording that is played, and the report of what came of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ControlClient, startVenue, type TestVenue } from '../../src/index.ts';
import { reportOf } from '../../src/report/report.ts';
import { recorded } from '../recorded/support.ts';
import { control } from './support.ts';

const FILES = ['trades', 'incremental_book_L2'].map((kind) => recorded(`binance_${kind}_2024-08-08_BTCUSDT.csv.gz`));
const FIRST_MS = 1_723_161_254_206;
const surface = ({ control: url, controlToken: token }: TestVenue) => new ControlClient({ url, token });

test('GET /replay follows a recording from its beginning to its end, and a venue without one has none', async () => {
  await using plain = await startVenue({ house: true });
  assert.equal(await surface(plain).replay(), null);
  await using venue = await startVenue({ replay: FILES });
  const seen = async () => {
    const { body } = await control(venue, 'GET', '/replay');
    return body.replay;
  };
  const begun = await seen();
  assert.deepEqual(
    begun.files.map(({ name }: { name: string }) => name),
    FILES.map((file) => file.slice(file.lastIndexOf('/') + 1)),
  );
  assert.deepEqual([begun.symbol, begun.state, begun.status, begun.speed], ['BTC-USDT', 'playing', 'active', null]);
  assert.equal(begun.recordedMs, FIRST_MS);
  await venue.advance('10s');
  const later = await seen();
  assert.ok(later.recordedMs > FIRST_MS && later.recordedMs <= FIRST_MS + 10_000, `${later.recordedMs}`);
  assert.ok(later.nextRecordedMs > FIRST_MS + 10_000 && later.nextDueMs > later.playedMs, JSON.stringify(later));
  assert.ok(later.trades > 0 && later.tradesFit <= later.trades && later.events > begun.events);
  await venue.advance('1h');
  const ended = await seen();
  assert.deepEqual([ended.state, ended.status, ended.nextDueMs], ['ended', 'halted', null]);
});

test('a report is that of the log, for a program and as a page that loads nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-runs-'));
  const accounts = [{ name: 'bot', balances: { USDT: 1000 } }, { name: 'other' }];
  try {
    for (const data of [undefined, folder]) {
      await using venue = await startVenue({ accounts, ...(data !== undefined && { data }) });
      const client = surface(venue);
      await client.deposit('bot', 'USDT', 5);
      const report = await client.report('bot');
      const [only, ...others] = report.accounts as { account: string; currencies: { deposits: string }[] }[];
      assert.deepEqual([only.account, only.currencies[0].deposits, others], ['bot', '1005', []]);
      if (data !== undefined) assert.deepEqual(await client.report(), await reportOf(data));
      const page = await fetch(`${venue.control}/control/v1/report.html`, {
        headers: { authorization: `Bearer ${venue.controlToken}` },
      });
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'unsafe-inline'/);
      assert.match(await page.text(), /^<!doctype html>.*<h2>bot<\/h2>/s);
      const wrong = await control(venue, 'GET', '/report?account=bto');
      assert.deepEqual([wrong.status, wrong.body.error.message], [404, 'there is no account bto: did you mean bot?']);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
