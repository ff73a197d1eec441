/** Login and the private topics: notifications of orders in every version, fills, positions. */
import assert from 'node:assert/strict';
import { type Frame, loginSignature } from '../support/stream-client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';
import { ALICE, BOB, clients } from './support.ts';

/** Of a row in BTSE's manual. */
const POSITION_FIELDS = (
  'activeWalletName adlScoreBucket adlScorePercentile avgFilledPrice baseCurrency botID ' +
  'closeOrder contractSize currentLeverage dbBaseBalHeld dbQuoteBalHeld entryPrice ' +
  'filledSize future isFuture isolatedCurrency isolatedLeverage liquidationInProgress ' +
  'liquidationPrice makerFeesRatio marginChargedLongOpen marginChargedShortOpen marginHeld marginType ' +
  'marginTypeName markedPrice marketName maxPriceHeld maxStealthDisplayAmount minimumRequiredMargin ' +
  'orderID orderMode orderModeName orderType orderTypeName originalAmount ' +
  'parents pegPriceMin positionDirection positionId positionMode quoteCurrency ' +
  'quoteCurrencyFiat requestId sellExchangeRate serviceType settleWithNonUSDAsset status ' +
  'stealth stopLossOrder tag takeProfitOrder takerFeesRatio totalContracts ' +
  'totalFees totalMaintenanceMargin totalValue triggerPrice unchargedMarginLongOpen unchargedMarginShortOpen ' +
  'unrealizedProfitLoss userCurrency username vendorName '
)
  .trim()
  .split(' ')
  .sort();

const scenario = scenarios();
const connect = clients();

const limit = (w: World, fields: object) =>
  w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 99, orderSize: 1, ...fields });
const future = (w: World, fields: object) =>
  w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 99, size: 5, ...fields });

async function signedIn(w: World, path: string, ...topics: string[]) {
  const client = await connect(w, path);
  assert.deepEqual(await client.login(ALICE), { event: 'login', success: true });
  assert.deepEqual(await client.subscribe(...topics), topics);
  return client;
}

scenario('a login is taken as authKeyExpires and as login, with the nonce as text and as a number', async (w) => {
  for (const op of ['authKeyExpires', 'login']) {
    for (const path of ['/ws/spot', '/ws/futures', '/spotWS']) {
      const client = await connect(w, path);
      const nonce = Date.now();
      const signature = loginSignature(ALICE, path, nonce);
      client.send({ op, args: [ALICE.key, op === 'login' ? nonce : String(nonce), signature] });
      assert.deepEqual(await client.next(), { event: 'login', success: true });
    }
  }
});

scenario('a login that fails says why, and the connection stays', async (w) => {
  const client = await connect(w, '/ws/spot');
  const nonce = Date.now();
  const login = async (key: string, at: number, signature: string) => {
    client.send({ op: 'authKeyExpires', args: [key, String(at), signature] });
    return client.next();
  };
  const failed = (message: RegExp) => (answer: { event: string; success: boolean; message: string }) => {
    assert.deepEqual([answer.event, answer.success], ['login', false]);
    assert.match(answer.message, message);
  };
  failed(/^Authenticate failed/)(await login(ALICE.key, nonce, loginSignature(BOB, '/ws/spot', nonce)));
  failed(/^Authenticate failed/)(await login('nobody', nonce, loginSignature(ALICE, '/ws/spot', nonce)));
  failed(/^Authenticate failed/)(await login(ALICE.key, nonce, loginSignature(ALICE, '/ws/futures', nonce)));
  failed(/Invalid nonce/)(
    await login(ALICE.key, nonce - 3_600_000, loginSignature(ALICE, '/ws/spot', nonce - 3_600_000)),
  );
  failed(/: the signature must be 96 lower-case hex digits/)(await login(ALICE.key, nonce, 'ABC'));
  failed(/: the nonce must be epoch milliseconds/)(await login(ALICE.key, 1.5, loginSignature(ALICE, '/ws/spot', 1.5)));
  failed(/: the key is missing/)(await login('', nonce, loginSignature(ALICE, '/ws/spot', nonce)));
  assert.equal((await client.login(ALICE)).success, true);
});

scenario('the signature of a login counts once, also on another connection', async (w) => {
  const [one, other] = [await connect(w, '/ws/spot'), await connect(w, '/ws/spot')];
  const nonce = Date.now();
  assert.equal((await one.login(ALICE, nonce)).success, true);
  const { success, message } = await other.login(ALICE, nonce);
  assert.equal(success, false);
  assert.match(message, /Invalid nonce/);
});

scenario('a key without the permission to read cannot sign in', async (w) => {
  const key = await w.control.createKey('alice', { permissions: ['trading'] });
  const client = await connect(w, '/ws/spot');
  const { success, message } = await client.login(key);
  assert.equal(success, false);
  assert.match(message, /read/);
});

scenario('a private topic is silent without a login, and begins with it', async (w) => {
  const client = await connect(w, '/ws/spot');
  assert.deepEqual(await client.subscribe('notificationApiV3', 'fills'), ['notificationApiV3', 'fills']);
  await limit(w, {});
  assert.deepEqual(await client.settled(), []);
  assert.equal((await client.login(ALICE)).success, true);
  await limit(w, {});
  const frames = await client.settled();
  assert.deepEqual(
    frames.map(({ topic }) => topic),
    ['notificationApiV3'],
  );
});

scenario('everybody hears of the own account only', async (w) => {
  const alice = await signedIn(w, '/ws/spot', 'notificationApiV3', 'fills');
  const bob = await connect(w, '/ws/spot');
  await bob.login(BOB);
  await bob.subscribe('notificationApiV3', 'fills');
  const { body } = await limit(w, {});
  assert.deepEqual(await bob.settled(), []);
  assert.equal((await alice.settled()).length, 1);
  const sold = await w.rest('SELL', 99, 1);
  const of = (frames: { topic: string; data: { orderID?: string; orderId?: string }[] }[]) => [
    ...new Set(frames.flatMap(({ data }) => data).map(({ orderID, orderId }) => orderID ?? orderId)),
  ];
  assert.deepEqual(of(await alice.settled()), [body[0].orderId]);
  assert.deepEqual(of(await bob.settled()), [sold.orderId]);
});

scenario('a login with another key moves the private topics to its account', async (w) => {
  const client = await signedIn(w, '/ws/spot', 'notificationApiV3');
  assert.equal((await client.login(BOB)).success, true);
  await limit(w, {});
  assert.deepEqual(await client.settled(), []);
  await w.rest('BUY', 90, 1);
  assert.equal((await client.settled()).length, 1);
});

scenario('spot: an order that is accepted, filled in part and cancelled, in the records of each version', async (w) => {
  const client = await signedIn(w, '/ws/spot', 'notificationApiV3', 'notificationApiV2', 'notificationApi');
  const { body } = await limit(w, { clOrderId: 'mine' });
  const [order] = body;
  const timestamp = await w.control.state().then(({ time }) => time);
  const [v3, v2, v1] = await client.settled();
  assert.deepEqual(v3, {
    topic: 'notificationApiV3',
    data: {
      symbol: BTC,
      orderID: order.orderId,
      side: 'MODE_BUY',
      orderType: 76,
      txType: 0,
      price: 99,
      triggerPrice: 0,
      pegPriceDeviation: 1,
      stealth: 1,
      status: 2,
      timestamp,
      avgFilledPrice: 0,
      clOrderID: 'mine',
      maker: false,
      postOnly: false,
      orderUserInitiated: true,
      originalOrderBaseSize: 1,
      originalOrderQuoteSize: 0,
      currentOrderBaseSize: 1,
      currentOrderQuoteSize: 0,
      filledBaseSize: 0,
      totalFilledBaseSize: 0,
      remainingBaseSize: 1,
      remainingQuoteSize: 0,
      orderCurrency: 'BTC',
      time_in_force: 'GTC',
    },
  });
  assert.deepEqual(v2, {
    topic: 'notificationApiV2',
    data: {
      symbol: BTC,
      orderID: order.orderId,
      side: 'BUY',
      type: 76,
      price: 99,
      size: 1,
      originalSize: 1,
      avgFillPrice: 0,
      fillSize: 0,
      status: 2,
      clOrderID: 'mine',
      maker: false,
      stealth: 1,
      timestamp,
      pegPriceDeviation: 1,
      remainingSize: 1,
      time_in_force: 'GTC',
      txType: 0,
      triggerPrice: 0,
    },
  });
  assert.deepEqual(v1, {
    topic: 'notificationApi',
    data: [
      {
        symbol: BTC,
        orderID: order.orderId,
        orderMode: 'MODE_BUY',
        orderType: 'TYPE_LIMIT',
        type: 'LIMIT',
        pegPriceDeviation: '1',
        stealth: '1',
        price: '99',
        size: '1',
        triggerPrice: '0',
        status: 'ORDER_INSERTED',
        timestamp,
      },
    ],
  });
  await w.rest('SELL', 99, 0.4);
  const filled = (await client.settled())[0].data;
  assert.deepEqual(
    [filled.status, filled.filledBaseSize, filled.totalFilledBaseSize, filled.remainingBaseSize, filled.maker],
    [5, 0.4, 0.4, 0.6, true],
  );
  await w.alice.cancelSpot(order.orderId, BTC);
  const [ended, older, oldest] = await client.settled();
  assert.deepEqual([ended.data.status, ended.data.filledBaseSize, ended.data.totalFilledBaseSize], [6, 0, 0.4]);
  assert.deepEqual([older.data.status, older.data.fillSize], [6, 0.4]);
  assert.equal(oldest.data[0].status, 'ORDER_CANCELLED');
});

scenario('spot: an order by its value has its sizes in quote, and is never called filled', async (w) => {
  const client = await signedIn(w, '/ws/spot', 'notificationApiV3');
  await w.rest('SELL', 100, 5);
  await w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 100.5 });
  const { data } = (await client.settled()).at(-1);
  assert.deepEqual(
    [data.status, data.originalOrderBaseSize, data.originalOrderQuoteSize, data.filledBaseSize, data.orderCurrency],
    [5, 0, 100.5, 1.005, 'USDT'],
  );
});

scenario('futures: one frame a command with a list, in the records and names of each version', async (w) => {
  const names = ['notificationApiV4', 'notificationApiV3', 'notificationApiV2'];
  const client = await signedIn(w, '/ws/futures', ...names);
  await w.rest('SELL', 99, 7, PERP);
  const { body } = await future(w, { clOrderID: 'mine', price: 99 });
  const timestamp = await w.control.state().then(({ time }) => time);
  const frames = await client.settled();
  assert.deepEqual(
    frames.map(({ topic, data }) => [topic, data.map(({ status }: { status: number }) => status)]),
    names.map((name) => [name, [2, 4]]),
  );
  const [v4, v3, v2] = frames.map(({ data }) => data[1]);
  assert.deepEqual(v4, {
    symbol: PERP,
    orderID: body[0].orderID,
    side: 'BUY',
    orderType: 76,
    type: 0,
    price: 99,
    triggerPrice: 0,
    pegPriceDeviation: 1,
    stealth: 1,
    status: 4,
    timestamp,
    avgFilledPrice: 99,
    clOrderID: 'mine',
    postOnly: false,
    maker: false,
    positionId: 'BTC-PERP-USDT',
    orderDetailType: null,
    orderUserInitiated: true,
    originalOrderSize: 5,
    currentOrderSize: 5,
    filledSize: 5,
    totalFilledSize: 5,
    remainingSize: 0,
    time_in_force: 'GTC',
  });
  assert.deepEqual([v3.symbol, v3.positionId, v3.txType, v3.fillSize], [PERP, 'BTC-PERP-USDT', 'LIMIT', 5]);
  assert.deepEqual(v2, { ...v3, symbol: 'BTCPFC', positionId: 'BTCPFC-USD' });
});

scenario('futures: a stop waits with 9, fires with 10, and then is filled', async (w) => {
  const client = await signedIn(w, '/ws/futures', 'notificationApiV4');
  await w.rest('BUY', 88, 100, PERP);
  await future(w, { side: 'SELL', type: 'MARKET', txType: 'STOP', triggerPrice: 90, price: undefined });
  assert.deepEqual(
    (await client.settled())[0].data.map(({ status }: { status: number }) => status),
    [9],
  );
  await w.price(PERP, { mark: 89, last: 89 });
  const { data } = (await client.settled())[0];
  assert.deepEqual(
    data.map(({ status, filledSize }: { status: number; filledSize: number }) => [status, filledSize]),
    [
      [10, 0],
      [4, 5],
    ],
  );
});

scenario('fills have the fields of BTSE, and are the trades of the history', async (w) => {
  const spot = await signedIn(w, '/ws/spot', 'fills');
  const futures = await signedIn(w, '/ws/futures', 'fillsV2', 'fills');
  await w.rest('SELL', 99, 0.5);
  const { body } = await limit(w, { clOrderId: 'mine' });
  await w.rest('SELL', 99, 7, PERP);
  await future(w, {});
  const timestamp = await w.control.state().then(({ time }) => time);
  const [{ topic, data: spotRows }] = await spot.settled();
  assert.equal(topic, 'fills');
  assert.deepEqual(spotRows, [
    {
      orderId: body[0].orderId,
      serialId: spotRows[0].serialId,
      clOrderId: 'mine',
      type: '76',
      symbol: BTC,
      side: 'BUY',
      price: '99.0',
      size: '0.5',
      feeAmount: '0.0001',
      feeCurrency: 'BTC',
      base: 'BTC',
      quote: 'USDT',
      maker: false,
      timestamp,
      tradeId: `BTC-USDT-${spotRows[0].serialId}`,
    },
  ]);
  const [v2, v1] = await futures.settled();
  assert.deepEqual([v2.topic, v2.id, v1.topic], ['fillsV2', '', 'fills']);
  const [row] = v2.data;
  assert.deepEqual(
    [row.symbol, row.base, row.quote, row.contractSize, row.price, row.size, row.side],
    [PERP, PERP, 'USDT', 0.00001, '99.0', '5', 'BUY'],
  );
  assert.deepEqual(v1.data, [{ ...row, symbol: 'BTCPFC', base: 'BTCPFC' }]);
  const path = '/futures/api/v2.3/user/trade_history';
  const { body: history } = await w.alice.call('GET', path, { query: { symbol: PERP } });
  assert.deepEqual(
    [history[0].serialId, history[0].tradeId, String(history[0].feeAmount), history[0].timestamp],
    [row.serialId, row.tradeId, row.feeAmount, row.timestamp],
  );
});

scenario('positions: the changed ones with a last row when they close, and all open ones on each change', async (w) => {
  const client = await signedIn(w, '/ws/futures', 'positionsV3', 'allPositionV4', 'positions');
  await w.rest('SELL', 99, 5, PERP);
  await future(w, {});
  const [changed, all, older] = await client.settled();
  assert.deepEqual([changed.topic, all.topic, older.topic], ['positionsV3', 'allPositionV4', 'positions']);
  assert.deepEqual(changed.data, all.data);
  const [row] = changed.data;
  assert.deepEqual(Object.keys(row).sort(), POSITION_FIELDS);
  const { marketName, orderMode, orderModeName, totalContracts, entryPrice, positionDirection, contractSize } = row;
  assert.deepEqual(
    { marketName, orderMode, orderModeName, totalContracts, entryPrice, positionDirection, contractSize },
    {
      marketName: 'BTC-PERP-USDT',
      orderMode: 66,
      orderModeName: 'MODE_BUY',
      totalContracts: 5,
      entryPrice: 99,
      positionDirection: 'LONG',
      contractSize: 0.00001,
    },
  );
  assert.deepEqual([older.data[0].marketName, older.data[0].positionId], ['BTCPFC-USD', 'BTCPFC-USD']);
  await w.rest('BUY', 99, 5, PERP);
  await future(w, { side: 'SELL' });
  const [closed, none] = await client.settled();
  assert.deepEqual(none.data, []);
  assert.deepEqual(
    [closed.data[0].positionId, closed.data[0].totalContracts, closed.data[0].positionMode],
    ['BTC-PERP-USDT', 0, null],
  );
});

scenario('a reset closes the positions that were open, also on topics of the changed ones', async (w) => {
  await w.rest('SELL', 100, 5, PERP);
  await future(w, { price: 100 });
  const client = await signedIn(w, '/ws/futures', 'positionsV3', 'positions', 'allPositionV4');
  await w.begin(null);
  const frames = await client.settled();
  const rows = frames.map(({ topic, data }) => [
    topic,
    data.map(({ positionId, totalContracts }: Frame) => [positionId, totalContracts]),
  ]);
  assert.deepEqual(rows, [
    ['positionsV3', [['BTC-PERP-USDT', 0]]],
    ['positions', [['BTCPFC-USD', 0]]],
    ['allPositionV4', []],
  ]);
  await w.control.reset();
  assert.deepEqual(
    (await client.settled()).map(({ topic }) => topic),
    ['allPositionV4'],
  );
});
