/** BourseClient's streams: on a manual clock handlers have run when a call of the control surface returns. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { topicsOf } from '../../src/api/streams/topics.ts';
import { BourseClient, type OrderBook, type Product, StreamError } from '../../src/client/index.ts';
import { runCode } from '../clients/support.ts';
import { scenarios, type World } from '../support/venue.ts';

const scenario = scenarios();
const open: BourseClient[] = [];
after(() => {
  for (const client of open) client.close();
});

function connect({ venue }: World, name: string | null = 'alice'): BourseClient {
  const key = name === null ? {} : { key: `${name}-key`, secret: `${name}-secret` };
  const client = new BourseClient({ url: venue.url, ...key });
  open.push(client);
  return client;
}

/** Everything that was sent has been handled: a call of the control surface waits for it. */
const settle = (w: World) => w.advance(1);

for (const product of ['spot', 'futures'] as const) {
  scenario(`every topic of ${product} can be subscribed, and closed`, async (w) => {
    const client = connect(w);
    const symbol = product === 'spot' ? 'BTC-USDT' : 'BTC-PERP';
    const topics = [`/ws/oss/${product}`, `/ws/${product}`].flatMap((path) =>
      topicsOf(path).map(({ name, subject }) => (subject === '' ? name : `${name}:${symbol}`)),
    );
    assert.ok(topics.length >= 10);
    for (const topic of topics) {
      const subscription = await client.subscribe(product as Product, topic as 'fills', () => {});
      assert.equal(subscription.topic, topic);
      subscription.close();
      await subscription.closed;
    }
  });
}

scenario('fills, orders and trades come to their handlers', async (w) => {
  const client = connect(w);
  const seen: unknown[] = [];
  await client.subscribe('spot', 'fills', ([{ side, size }]) => seen.push(['fill', side, size]));
  await client.subscribe('spot', 'notificationApiV3', ({ status }) => seen.push(['order', status]));
  await client.subscribe('spot', 'tradeHistoryApi:BTC-USDT', ([{ price }]) => seen.push(['trade', price]));
  await w.rest('SELL', 101, 1);
  const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 1, orderPrice: 101 } as const;
  await client.placeSpotOrder(order);
  await settle(w);
  assert.deepEqual(seen.sort(), [
    ['fill', 'BUY', '1'],
    ['order', 2],
    ['order', 4],
    ['trade', 101],
  ]);
});

scenario('a topic whose frames do not name the market comes, too', async (w) => {
  const client = connect(w);
  const symbols: string[] = [];
  await client.subscribe('futures', 'tradeHistoryApiV2:BTC-PERP', ([{ symbol }]) => symbols.push(symbol));
  await w.rest('SELL', 101, 1, 'BTC-PERP');
  await client.placeFuturesOrder({ symbol: 'BTC-PERP', side: 'BUY', type: 'MARKET', size: 1 });
  await settle(w);
  assert.deepEqual(symbols, ['BTC-PERP']);
});

scenario('a book is there with its first snapshot, best prices first, and follows each change', async (w) => {
  for (const price of [98, 99]) await w.rest('BUY', price, 1);
  for (const price of [102, 101]) await w.rest('SELL', price, 2);
  const client = connect(w, null);
  const books: OrderBook[] = [];
  await client.subscribeBook('spot', 'BTC-USDT', (book) => books.push(book));
  assert.deepEqual(
    [books[0].bids.map(([price]) => price), books[0].asks],
    [
      ['99.0', '98.0'],
      [
        ['101.0', '2'],
        ['102.0', '2'],
      ],
    ],
  );
  await w.rest('BUY', 100, 1);
  await w.cancelAll();
  await settle(w);
  assert.deepEqual(books[1].bids[0], ['100.0', '1']);
  const last = books.at(-1)!;
  assert.deepEqual([last.bids, last.asks], [[], []]);
});

scenario('a gap in a book costs one frame: it is subscribed again', async (w) => {
  const client = connect(w, null);
  let book: OrderBook | undefined;
  await client.subscribeBook('spot', 'BTC-USDT', (now) => {
    book = now;
  });
  await w.control.armFault({ match: { path: '/ws/oss/spot' }, gapBook: true });
  await w.rest('BUY', 99, 1);
  // One call for the gap to arrive, one for the new snapshot.
  await settle(w);
  await settle(w);
  assert.deepEqual(book?.bids, [['99.0', '1']]);
  await w.rest('BUY', 99.5, 1);
  await settle(w);
  assert.equal(book?.bids.length, 2);
});

scenario('a grouped book has the steps of its grouping', async (w) => {
  await w.rest('BUY', 99.4, 1);
  await w.rest('BUY', 99.1, 1);
  const client = connect(w, null);
  const first = Promise.withResolvers<OrderBook>();
  await client.subscribeBook('spot', 'BTC-USDT', first.resolve, { group: 2 });
  assert.deepEqual((await first.promise).bids, [['99.0', '2']]);
});

scenario('a lost connection is replaced, with its topics, its login and its books', async (w) => {
  const client = connect(w);
  const again = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const fills: string[] = [];
  let book: OrderBook | undefined;
  await client.subscribe('spot', 'fills', ([{ size }]) => fills.push(size), { onReconnect: again[0].resolve });
  const follow = (now: OrderBook) => {
    book = now;
  };
  await client.subscribeBook('spot', 'BTC-USDT', follow, { onReconnect: again[1].resolve });
  await w.control.armFault({ closeStreams: true });
  await w.rest('SELL', 101, 3);
  await Promise.all(again.map(({ promise }) => promise));
  await client.placeSpotOrder({ symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 101 });
  await settle(w);
  assert.deepEqual(fills, ['1']);
  assert.deepEqual(book?.asks, [['101.0', '2']]);
});

scenario('a loss is told to every topic of the connection, once and with its reason, and then its end', async (w) => {
  const client = connect(w);
  const told: string[] = [];
  const again = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  for (const [i, topic] of (['fills', 'tradeHistoryApi:BTC-USDT'] as const).entries()) {
    await client.subscribe('spot', topic, () => {}, {
      onLost: (reason) => told.push(`${topic} lost ${reason}`),
      onReconnect: () => {
        told.push(`${topic} again`);
        again[i].resolve();
      },
    });
  }
  await w.control.armFault({ closeStreams: true });
  await Promise.all(again.map(({ promise }) => promise));
  assert.deepEqual(told, [
    'fills lost 1006',
    'tradeHistoryApi:BTC-USDT lost 1006',
    'fills again',
    'tradeHistoryApi:BTC-USDT again',
  ]);
});

scenario('a book says why it begins anew, before its handler has it', async (w) => {
  const client = connect(w, null);
  const seen: string[] = [];
  const again = Promise.withResolvers<void>();
  const follow = ({ bids }: OrderBook) => {
    seen.push(`${bids.length} bids`);
    if (seen.includes('reconnected')) again.resolve();
  };
  await client.subscribeBook('futures', 'BTC-PERP', follow, { onSnapshot: (cause) => seen.push(cause) });
  await w.control.armFault({ match: { path: '/ws/oss/futures' }, gapBook: true });
  await w.rest('BUY', 99, 1, 'BTC-PERP');
  await settle(w);
  await settle(w);
  await w.begin();
  await w.rest('BUY', 99, 1, 'BTC-PERP');
  await settle(w);
  await w.control.armFault({ closeStreams: true });
  await again.promise;
  assert.deepEqual(seen, [
    ...['subscribed', '0 bids'],
    ...['gap', '1 bids'],
    ...['reset', '0 bids', '1 bids'],
    ...['reconnected', '1 bids'],
  ]);
});

scenario('a book that is renewed begins again as if it were new, and not as after a reset', async (w) => {
  const client = connect(w, null);
  const causes: string[] = [];
  const book = await client.subscribeBook('spot', 'BTC-USDT', () => {}, { onSnapshot: (cause) => causes.push(cause) });
  book.renew();
  await settle(w);
  await settle(w);
  assert.deepEqual(causes, ['subscribed', 'subscribed']);
});

scenario('a subscription that is renewed begins again', async (w) => {
  const client = connect(w);
  await w.rest('SELL', 101, 3);
  await client.placeSpotOrder({ symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 101 });
  let recent = Promise.withResolvers<number>();
  const trades = await client.subscribe('spot', 'tradeHistoryApi:BTC-USDT', (rows) => recent.resolve(rows.length));
  assert.equal(await recent.promise, 1);
  recent = Promise.withResolvers();
  trades.renew();
  assert.equal(await recent.promise, 1);
});

scenario('a refused subscription rejects with the code of the venue', async (w) => {
  const refused = (promise: Promise<unknown>, message: RegExp, code: number | null) =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof StreamError);
      assert.match(error.message, message);
      assert.equal(error.code, code);
      return true;
    });
  const client = connect(w);
  await refused(
    client.subscribeBook('spot', 'NOPE-USDT', () => {}),
    /^update:NOPE-USDT_0: Market pair/,
    1000,
  );
  await refused(
    client.subscribeBook('spot', 'BTC-USDT', () => {}, { group: 9 }),
    /^update:BTC-USDT_9: .* \(a grouping is 0 to 8: update:BTC-USDT_0\)$/,
    1000,
  );
  await refused(
    client.subscribe('spot', 'nope' as 'fills', () => {}),
    /Topic provided does not exist/,
    1005,
  );
  await client.subscribe('spot', 'fills', () => {});
  await refused(
    client.subscribe('spot', 'fills', () => {}),
    /fills: is subscribed already/,
    null,
  );
  await refused(
    connect(w, null).subscribe('spot', 'fills', () => {}),
    /fills: is private: give the client a key/,
    null,
  );
  await refused(
    connect(w, 'mallory').subscribe('spot', 'fills', () => {}),
    /fills: the login was refused: /,
    null,
  );
  const nowhere = new BourseClient({ url: 'http://127.0.0.1:1' });
  await refused(
    nowhere.subscribe('spot', 'tradeHistoryApi:BTC-USDT', () => {}),
    /no connection to ws:/,
    null,
  );
});

scenario('a key that is revoked ends its private subscriptions, and no others', async (w) => {
  const { key, secret } = await w.control.createKey('alice', { permissions: ['read'] });
  const client = new BourseClient({ url: w.venue.url, key, secret });
  open.push(client);
  const again = Promise.withResolvers<void>();
  const fills = await client.subscribe('spot', 'fills', () => {});
  await client.subscribe('spot', 'tradeHistoryApi:BTC-USDT', () => {}, { onReconnect: again.resolve });
  await w.control.revokeKey(key);
  await assert.rejects(fills.closed, /fills: the login was refused/);
  await again.promise;
});

scenario('a loop over a stream subscribes, and leaving it closes', async (w) => {
  const client = connect(w);
  await w.rest('BUY', 99, 1);
  for await (const { bids } of client.streamBook('spot', 'BTC-USDT')) {
    assert.deepEqual(bids, [['99.0', '1']]);
    break;
  }
  const fills = client.stream('spot', 'fills');
  const first = fills.next();
  // Of the same socket, so both topics are subscribed now.
  await client.subscribe('spot', 'notificationApiV3', () => {});
  await client.placeSpotOrder({ symbol: 'BTC-USDT', orderSide: 'SELL', orderType: 'MARKET', orderSize: 1 });
  assert.equal((await first).value?.[0].price, '99.0');
  const end = fills.next();
  client.close();
  assert.deepEqual(await end, { value: undefined, done: true });
});

test('a handler that throws does not disturb the other topics', async () => {
  const { status, output } = await runCode(`
    import { BourseClient, startVenue } from 'bourse';
    process.on('uncaughtException', (error) => console.log('uncaught', error.message));
    await using venue = await startVenue();
    await venue.setPrice('BTC-USDT', 60000);
    using client = new BourseClient({ url: venue.url, ...venue.key });
    await client.subscribeBook('spot', 'BTC-USDT', ({ bids }) => {
      if (bids.length > 0) throw new Error('a bug of the handler');
    });
    await client.subscribe('spot', 'notificationApiV3', ({ status }) => console.log('status', status));
    const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 1, orderPrice: 59000 };
    const [{ orderId }] = await client.placeSpotOrder(order);
    await client.cancelSpotOrder('BTC-USDT', { orderId });
    await venue.advance(1);
  `);
  assert.equal(status, 0, output);
  assert.deepEqual(output.trim().split('\n').toSorted(), ['status 2', 'status 6', 'uncaught a bug of the handler']);
});
