/** An account that is liquidated, de-leveraged or pays funding can see it: in trades, look-ups, wallet histories, ledger and story. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BourseClient } from '../../src/index.ts';
import { read, Scene } from './scenes.ts';

const PERP = 'BTC-PERP';

interface WalletRow {
  readonly type: number;
  readonly amount: number;
  readonly description: string;
}

async function walletOf(client: BourseClient): Promise<WalletRow[]> {
  return (await client.send('GET', '/futures/api/v2.3/user/wallet_history')) as WalletRow[];
}

/** The types of a wallet's movements by name, newest first. */
async function typesOf(client: BourseClient): Promise<string[]> {
  const query = { walletType: 'CROSS' };
  const { data } = (await client.send('GET', '/public-api/wallet/v1/user/walletHistory', { query })) as {
    data: { type: string }[];
  };
  return data.map(({ type }) => type);
}

async function newestTradeKinds(client: BourseClient): Promise<(string | null)[]> {
  const [v23] = await client.futuresTrades({ symbol: PERP });
  const path = '/futures/api/v3/trade/trade_history';
  const [v3] = (await client.send('GET', path, { query: { symbol: PERP } })) as { orderDetailType: string | null }[];
  return [v23.orderDetailType, v3.orderDetailType];
}

/** Collects the notifications of orders. */
async function notified(client: BourseClient): Promise<Readonly<Record<string, unknown>>[]> {
  const seen: Readonly<Record<string, unknown>>[] = [];
  await client.subscribe('futures', 'notificationApiV4', (data) => {
    seen.push(...([data].flat() as unknown as Readonly<Record<string, unknown>>[]));
  });
  return seen;
}

/** Why the money of an account moved, in the ledger, which page and terminal show. */
async function reasonsOf({ control }: Scene, account: string): Promise<string[]> {
  const { entries } = await control.ledger(account, { newest: true });
  return [...new Set(entries.map(({ reason }) => reason))].sort();
}

test('a liquidation: its trade, its order, the wallet, the ledger and the story say that it is one', async () => {
  await using scene = await Scene.open();
  const { thin, maker, venue } = scene;
  await scene.futures(maker, 'SELL', 20_000, { price: 60_010 });
  await scene.futures(maker, 'BUY', 20_000, { price: 59_785 });
  await scene.futures(thin, 'BUY', 20_000, { price: 60_010 });
  const seen = await notified(thin);
  await venue.setPrice(PERP, { mark: 59_000 });

  assert.deepEqual(await newestTradeKinds(thin), ['PARTIAL_LIQUIDATION', 'PARTIAL_LIQUIDATION']);
  assert.deepEqual(await newestTradeKinds(maker), [null, null], 'who traded with it sees a trade like any other');
  assert.equal((await typesOf(thin))[0], 'LIQUIDATION');
  const said = seen.filter(({ orderUserInitiated }) => orderUserInitiated === false);
  assert.ok(said.length > 0, JSON.stringify(seen));
  for (const { orderDetailType } of said) assert.equal(orderDetailType, 'PARTIAL_LIQUIDATION');
  const fills = (await scene.control.fills('thin')).fills.map(({ liquidation }) => liquidation);
  assert.deepEqual(fills, [false, true]);

  const [trade] = await thin.futuresTrades({ symbol: PERP });
  assert.deepEqual([trade.orderDetailType, trade.size, trade.side], ['PARTIAL_LIQUIDATION', 5000, 'SELL']);
  // The look-up has BTSE's fields, which do not say the kind.
  const order = await thin.futuresOrder({ orderId: trade.orderId });
  assert.deepEqual([order.reduceOnly, order.totalFilledSize], [true, 5000]);
  const [row] = await walletOf(thin);
  assert.deepEqual([row.type, row.description], [106, 'Liquidation: realised result and fee (BTC-PERP)']);
  assert.deepEqual(await reasonsOf(scene, 'thin'), ['deposit', 'fee', 'liquidation', 'liquidationFee']);
  const { sentence, alongside } = await scene.story(trade.orderId);
  assert.match(
    sentence,
    /^Liquidation of a quarter of a position of thin, because its equity of 41\.3989 USDT was below/,
  );
  assert.deepEqual(
    alongside.flatMap(({ sentences }) => sentences),
    ['insurance fund: +5.9785 USDT'],
  );
});

test('auto-deleveraging: both accounts see it in wallet history and ledger, and the order of the venue says so', async () => {
  await using scene = await Scene.open();
  const { thin, maker, venue } = scene;
  await scene.futures(maker, 'SELL', 20_000, { price: 60_010 });
  const [opened] = await scene.futures(thin, 'BUY', 20_000, { price: 60_010 });
  const stop = { txType: 'STOP', type: 'MARKET', triggerPrice: 59_000, reduceOnly: true };
  const [waiting] = await scene.futures(thin, 'SELL', 20_000, stop);
  await venue.setPrice(PERP, { mark: 50_000 });

  for (const client of [thin, maker]) {
    const [row] = await walletOf(client);
    assert.deepEqual([row.type, row.description], [1004, 'Auto-deleveraging: realised result (BTC-PERP)']);
  }
  for (const name of ['thin', 'maker']) assert.ok((await reasonsOf(scene, name)).includes('autoDeleveraging'));
  for (const client of [thin, maker]) {
    assert.equal((await typesOf(client))[0], 'AUTO_DELEVERAGING');
    // No order of theirs took part: the position is gone, and there is no trade.
    assert.deepEqual(await client.positions(PERP), []);
    assert.equal((await client.futuresTrades({ symbol: PERP })).length, 1);
  }
  const cancelled = await scene.story(waiting);
  assert.match(cancelled.sentence, /^Cancelled because the account was liquidated \(its equity of −/);
  assert.deepEqual(cancelled.alongside[0]?.sentences, ['positions were closed by auto-deleveraging: thin and maker']);
  assert.equal(read(await scene.story(opened))[0], 'Limit order, buy 20,000 (filled)');
});

test('funding: who pays and who receives see it in wallet history and ledger', async () => {
  await using scene = await Scene.open();
  const { bot, maker, venue } = scene;
  await scene.futures(maker, 'SELL', 20_000, { price: 60_010 });
  await scene.futures(bot, 'BUY', 20_000, { price: 60_010 });
  await scene.futures(maker, 'BUY', 7_000_000, { price: 60_060 });
  await scene.futures(maker, 'SELL', 7_000_000, { price: 60_300 });
  await venue.advance('8h');

  for (const [client, name, sign] of [
    [bot, 'bot', -1],
    [maker, 'maker', 1],
  ] as const) {
    const [row] = await walletOf(client);
    assert.deepEqual([row.type, row.description, Math.sign(row.amount)], [110, 'Funding (BTC-PERP)', sign]);
    assert.equal((await typesOf(client))[0], 'FUNDING');
    assert.ok((await reasonsOf(scene, name)).includes('funding'));
  }
});
