/**
 * Clients of the streams: the code of docs/streams.md as it stands, and the sequences of frames that BTSE's samples, vnpy,
 * roq and GoCryptoTrader send.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { Client } from '../support/client.ts';
import { HeldBook, loginSignature, StreamClient } from '../support/stream-client.ts';
import { runCode } from './support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the example of docs/streams.md sees a book move and its order filled', async () => {
  const [, example] = /```js\n(.*?)```/s.exec(readFileSync(join(root, 'docs/streams.md'), 'utf8')) ?? [];
  const venue = await startVenue({ clock: 'real', demo: true });
  try {
    const code = (example as string)
      .replaceAll('http://127.0.0.1:8080', venue.url)
      .replace("readFileSync('data/demo-keys.json', 'utf8')", JSON.stringify(JSON.stringify(venue.keys)));
    const { status, output } = await runCode(code);
    assert.equal(status, 0, output);
    assert.match(output, /^bid \d+\.\d [\d.]+ ask \d+\.\d [\d.]+$/m);
    assert.match(output, /^order mine-\d+ status 2 filled 0$/m);
    assert.match(output, /^order mine-\d+ status 5 filled 0\.00\d+$/m);
  } finally {
    await venue.close();
  }
});

describe('what clients send', () => {
  let venue: TestVenue;
  let alice: Client;
  const key = { key: 'alice-key', secret: 'alice-secret' };

  before(async () => {
    const keys = [{ ...key, permissions: ['read' as const, 'trading' as const] }];
    venue = await startVenue({ accounts: [{ name: 'alice', balances: { USDT: 100_000, BTC: 10 }, keys }] });
    alice = new Client(venue.url, key);
    for (const symbol of ['BTC-USDT', 'BTC-PERP', 'ETH-PERP']) await venue.setPrice(symbol, 100);
  });
  after(() => venue.close());

  const place = (price: number) =>
    alice.spot({ symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderPrice: price, orderSize: 1 });

  test('the samples in Python sign in and subscribe in one go, with the nonce as text', async () => {
    for (const [path, topic] of [
      ['/ws/futures', 'notificationApiV2'],
      ['/ws/futures', 'allPosition'],
      ['/ws/futures', 'fills'],
      ['/ws/spot', 'notificationApiV2'],
      ['/ws/spot', 'fills'],
    ] as const) {
      const client = await StreamClient.open(venue.url, path);
      const nonce = String(Date.now());
      client.send({ op: 'authKeyExpires', args: [key.key, nonce, loginSignature(key, path, nonce)] });
      client.send({ op: 'subscribe', args: [topic] });
      assert.deepEqual(await client.next(), { event: 'login', success: true });
      assert.deepEqual(await client.next(), { event: 'subscribe', channel: [topic] });
      client.close();
    }
  });

  test('the samples of books fold deltas by the text of the price, and subscribe again by unsubscribing first', async () => {
    const client = await StreamClient.open(venue.url, '/ws/oss/futures');
    client.send({ op: 'subscribe', args: ['update:BTCPFC_0'] });
    assert.equal((await client.next()).event, 'subscribe');
    const held = new HeldBook();
    held.fold(await client.next());
    await alice.future({ symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', price: 99, size: 1 });
    held.fold(await client.next());
    client.send({ op: 'unsubscribe', args: ['update:BTCPFC_0'] });
    client.send({ op: 'subscribe', args: ['update:BTCPFC_0'] });
    assert.equal((await client.next()).event, 'unsubscribe');
    assert.equal((await client.next()).event, 'subscribe');
    const again = new HeldBook();
    again.fold(await client.next());
    assert.deepEqual(again.sides(), held.sides());
    client.close();
  });

  test('vnpy waits for the login, then reads fields of the second version by name', async () => {
    const client = await StreamClient.open(venue.url, '/ws/spot');
    assert.equal((await client.login(key)).success, true);
    client.send({ op: 'subscribe', args: ['notificationApiV2', 'fills'] });
    assert.equal((await client.next()).event, 'subscribe');
    await place(99);
    const { topic, data } = await client.next();
    assert.equal(topic, 'notificationApiV2');
    for (const name of [
      'clOrderID',
      'orderID',
      'symbol',
      'type',
      'side',
      'fillSize',
      'price',
      'size',
      'status',
      'timestamp',
    ]) {
      assert.notEqual(data[name], undefined, name);
    }
    client.close();
  });

  test('roq and StockSharp ping with text, the samples of otc get a connection and nothing else', async () => {
    const otc = await StreamClient.open(venue.url, '/ws/otc');
    otc.send('ping');
    assert.equal(await otc.next(), 'pong');
    otc.send({ op: 'quote', symbol: 'BTC-USD', side: 'buy' });
    assert.equal((await otc.next()).errors[0].error.code, 1001);
    otc.close();
  });

  test('GoCryptoTrader asks for several topics at once and pings by the protocol', async () => {
    const client = await StreamClient.open(venue.url, '/ws/spot');
    assert.equal((await client.login(key, Date.now() + 1)).success, true);
    const topics = ['tradeHistoryApi:BTC-USDT', 'tradeHistoryApi:ETH-USDT', 'notificationApi'];
    assert.deepEqual(await client.subscribe(...topics), topics);
    await place(98);
    const { topic, data } = await client.next();
    assert.equal(topic, 'notificationApi');
    assert.deepEqual(
      [typeof data[0].price, typeof data[0].size, data[0].status],
      ['string', 'string', 'ORDER_INSERTED'],
    );
    client.close();
  });
});
