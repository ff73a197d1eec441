/** What is said of a branch of the history that a reset, or a return to a named snapshot, has left. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { leftInFolder } from '../../src/archive/read/left-in-folder.ts';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { control } from './support.ts';

const SYMBOL = 'BTC-USDT';

async function read(venue: TestVenue, path: string) {
  const { status, body } = await control(venue, 'GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function limit(venue: TestVenue, account: string, orderSide: string, size: number, clOrderId?: string) {
  const body = { symbol: SYMBOL, orderSide, orderType: 'LIMIT', orderPrice: 100, orderSize: size, clOrderId };
  const reply = await control(venue, 'POST', `/accounts/${account}/orders`, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body[0].orderId as string;
}

for (const where of ['in memory', 'in a data folder'] as const) {
  test(`${where}: every read of a left branch names what left it, and shows what was there`, async () => {
    const folder = where === 'in memory' ? null : fs.mkdtempSync(join(tmpdir(), 'bourse-left-'));
    const accounts = ['maker', 'taker'].map((name) => ({ name, balances: { USDT: '100000', BTC: '1000' } }));
    const venue = await startVenue({
      clock: 'manual',
      accounts,
      ...(folder !== null && { data: join(folder, 'data'), masterKeyFile: join(folder, 'key') }),
    });
    await venue.setPrice(SYMBOL, { index: 100 });
    const rests = await limit(venue, 'maker', 'SELL', 3, 'rests');
    const done = await limit(venue, 'taker', 'BUY', 1, 'done');
    await control(venue, 'POST', '/accounts', { name: 'late' });
    const then = (await read(venue, '/clock')).seq as number;
    await limit(venue, 'taker', 'BUY', 1);
    await venue.reset();
    const at = (await read(venue, '/clock')).seq as number;
    const left = { at, by: 'reset' };
    // Again: what is said stays the reset that left it.
    await venue.setPrice(SYMBOL, { index: 90 });
    await venue.reset();

    const market = await read(venue, `/markets/${SYMBOL}/past?seq=${then}`);
    assert.deepEqual([market.left, market.trades.length, market.candles.length], [left, 1, 1]);
    assert.deepEqual([market.candles[0].volume, market.candles[0].close], ['1', '100']);
    const past = await read(venue, `/accounts/taker/orders/all?to=${then}`);
    assert.deepEqual([past.left, past.orders.map(({ orderId }: { orderId: string }) => orderId)], [left, [done]]);
    const fills = await read(venue, `/accounts/taker/fills?to=${then}`);
    assert.deepEqual([fills.left, fills.fills.length], [left, 1]);
    const ledger = await read(venue, `/accounts/taker/ledger?to=${then}&newest=true`);
    assert.deepEqual([ledger.left, ledger.entries[0].seq], [left, fills.fills[0].seq]);
    // An account that is not there any more.
    assert.deepEqual(await read(venue, `/accounts/late/orders/all?to=${then}`), { left, orders: [] });
    assert.equal((await control(venue, 'GET', '/accounts/late/orders/all')).status, 404);
    const summary = await read(venue, `/log/summary?account=late&from=${then}&to=${then}`);
    assert.deepEqual([summary.to, summary.left.length], [then, 1]);
    assert.deepEqual((await read(venue, `/at/${then}`)).left, left);

    for (const path of [`/orders/${rests}`, '/orders/rests?account=maker']) {
      const story = await read(venue, path);
      assert.deepEqual([story.order.left, story.order.live, story.status], [left, false, 'removed, 66 % filled']);
      assert.equal(story.order.ended, `removed by the reset at seq ${at}`);
      assert.equal(
        story.sentence,
        `Removed by the reset at seq ${at} while it was working, after it had sold 2 of 3 BTC.`,
      );
      assert.deepEqual(
        story.rows.map(({ leftBranch }: { leftBranch: boolean }) => leftBranch),
        story.rows.map(() => true),
      );
      assert.ok(story.ledger.entries.length > 0);
    }
    const story = await read(venue, `/orders/${done}`);
    assert.deepEqual([story.order.left, story.status], [left, 'filled']);
    assert.match(
      story.sentence,
      new RegExp(`^Filled: .* The reset at seq ${at} has left its branch of the history\\.$`),
    );

    const now = await read(venue, '/accounts/taker/orders/all');
    assert.deepEqual(now, { orders: [] });
    const first = await read(venue, '/accounts/taker/orders/all?to=1');
    assert.deepEqual(first, { left: null, orders: [] });
    // A client id of the present branch comes before that of a left one.
    await venue.setPrice(SYMBOL, { index: 100 });
    const again = await limit(venue, 'maker', 'SELL', 1, 'rests');
    assert.equal((await read(venue, '/orders/rests?account=maker')).order.orderId, again);
    await venue.close();
    if (folder === null) return;
    // `bourse replay` and `bourse why` read it from the folder.
    const data = join(folder, 'data');
    assert.deepEqual([leftInFolder(data, then), leftInFolder(data, 1)], [left, null]);
    assert.equal(leftInFolder(folder, then), null);
    fs.rmSync(folder, { recursive: true });
  });
}

test('a return to a snapshot is named too, and what it returns to is of the present again', async () => {
  const venue = await startVenue({
    clock: 'manual',
    accounts: [{ name: 'maker', balances: { BTC: '10' } }],
  });
  await venue.setPrice(SYMBOL, { index: 100 });
  const kept = await limit(venue, 'maker', 'SELL', 1);
  await control(venue, 'POST', '/snapshots/here');
  const lost = await limit(venue, 'maker', 'SELL', 2);
  const { seq: lostSeq } = await read(venue, '/clock');
  const { seq: at } = (await control(venue, 'POST', '/snapshots/here/restore')).body;
  assert.equal((await read(venue, `/orders/${kept}`)).order.left, null);
  const story = await read(venue, `/orders/${lost}`);
  assert.deepEqual(story.order.left, { at, by: 'restore' });
  assert.equal(
    story.sentence,
    `Removed by the return to a snapshot at seq ${at} while it was working, before it had sold any of 2 BTC.`,
  );
  const ids = async (query: string) =>
    (await read(venue, `/accounts/maker/orders/all${query}`)).orders.map(({ orderId }: { orderId: string }) => orderId);
  assert.deepEqual([await ids(''), await ids(`?to=${lostSeq}`)], [[kept], [lost, kept]]);
  await venue.close();
});
