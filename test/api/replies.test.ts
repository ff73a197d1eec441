/**
 * Every 200 reply of every route is what docs/openapi.json says (the tests' client checks each one that it gets): here
 * for every kind of order, position and setting, so that no route goes without.
 */
import assert from 'node:assert/strict';
import { after, describe } from 'node:test';
import { SURFACES } from '../../src/start.ts';
import {
  buyMarket,
  future,
  limit,
  oco,
  peg,
  stop,
  trailing,
  triggered,
  triggeredLimit,
  twap,
} from '../support/bodies.ts';
import { type Json, ok, refused } from '../support/client.ts';
import { filledReplies } from '../support/documented.ts';
import { open, setLeverage, setMode } from '../support/positions.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

const SPOT = '/spot/api/v3.3';
const V4 = '/spot/api/v4/trade';
const FUTURES = '/futures/api/v2.3';
const V3 = '/futures/api/v3/trade';

const post = (w: World, path: string, body: Json): Promise<Json> => ok(w.alice.call('POST', path, { body }));
const get = (w: World, path: string, query: Record<string, string> = {}): Promise<Json> =>
  ok(w.alice.call('GET', path, { query }));

const SPOT_KINDS: Json[] = [
  limit('BUY', 99, 1, { clOrderId: 'mine' }),
  triggered('SELL', 'STOP_LOSS', 95),
  triggered('BUY', 'TAKE_PROFIT', 95),
  triggeredLimit('SELL', 'TAKE_PROFIT', 105, 104),
  oco(),
  trailing(),
  trailing('BUY', { activationTriggerPrice: 90 }),
  trailing('SELL', { trailValueType: 'PERCENTAGE', trailValue: 5 }),
  peg('BUY', 101, { stealth: 50, deviation: -1 }),
  twap(),
  twap('SELL', { activationTriggerPrice: 120 }),
];
const OLDER_KINDS: Json[] = [
  { type: 'LIMIT', price: 99, size: 1, clOrderID: 'older', time_in_force: 'HOUR' },
  { type: 'LIMIT', txType: 'STOP', triggerPrice: 105, price: 106, size: 1 },
  { type: 'MARKET', txType: 'STOP', triggerPrice: 105, price: 50 },
  { type: 'OCO', price: 95, triggerPrice: 105, stopPrice: 106, size: 1 },
  { side: 'SELL', type: 'MARKET', trailValue: 5, size: 1 },
  { type: 'PEG', price: 101, size: 1, deviation: -1, stealth: 20 },
].map((body) => ({ symbol: BTC, side: 'BUY', ...body }));
const FUTURES_KINDS: Json[] = [
  future('BUY', 99, 10, { clOrderID: 'mine', takeProfitPrice: 110, stopLossPrice: 90, time_in_force: 'DAY' }),
  stop('BUY', 105),
  stop('SELL', 95, 10, { type: 'LIMIT', price: 94 }),
  future('BUY', null, 10, { trailValue: 5 }),
  future('BUY', 95, 10, { type: 'OCO', triggerPrice: 105, stopPrice: 106 }),
];
const V3_KINDS: Json[] = [
  { orderType: 'LIMIT', orderPrice: 98, clOrderId: 'v3' },
  { orderType: 'CONDITIONAL', triggerPrice: 105 },
  { orderType: 'CONDITIONAL', triggerPrice: 105, orderPrice: 106, takeProfitTriggerPrice: 120 },
  { orderType: 'OCO', takeProfitOrderPrice: 95, stopLossOrderPrice: 106, stopLossTriggerPrice: 105 },
  { orderType: 'TRAILING', trailValue: 5, trailValueType: 'PERCENTAGE' },
].map((body) => ({ symbol: PERP, orderSide: 'BUY', orderSize: 10, ...body }));

describe('a reply is what the documents say', () => {
  const it = scenarios();
  after(allRoutesWereSeen);

  it('of spot: every kind of order, placed, listed, looked up, amended, cancelled and rejected', async (w) => {
    // What the first child of the TWAP meets: without it, it would cancel the own bids and go on.
    await w.rest('BUY', 99.5, 1);
    for (const body of SPOT_KINDS) await ok(w.alice.spot(body));
    for (const body of OLDER_KINDS) await post(w, `${SPOT}/order`, body);
    await post(w, `${SPOT}/order/peg`, OLDER_KINDS.at(-1));
    const rows: Json[] = await get(w, `${V4}/orders`);
    // Each of both sets has one OCO, of two orders.
    assert.equal(rows.length, SPOT_KINDS.length + OLDER_KINDS.length + 3);
    assert.equal((await get(w, `${SPOT}/user/open_orders`)).length, rows.length);
    for (const { orderId } of rows) {
      await get(w, `${V4}/order`, { orderId });
      await get(w, `${SPOT}/order`, { orderID: orderId });
    }
    await ok(w.alice.amendSpot(rows[0].orderId, { orderPrice: 98 }));
    const amend = { symbol: BTC, orderID: rows[0].orderId, type: 'PRICE', value: 97 };
    await ok(w.alice.call('PUT', `${SPOT}/order`, { body: amend }));
    await ok(w.alice.cancelSpot(rows[0].orderId));
    await w.rest('SELL', 100, 5);
    await ok(w.alice.spot(limit('BUY', 100, 1, { postOnly: true })));
    await ok(w.alice.spot(buyMarket(50)));
    await ok(w.alice.call('DELETE', `${SPOT}/order`, { query: { symbol: BTC } }));
    await ok(w.alice.spot(limit('BUY', 99)));
    await ok(w.alice.call('DELETE', `${V4}/orders/all`, { query: { symbol: 'ALL' } }));
    assert.ok((await get(w, `${V4}/trade_history`, { symbol: BTC })).data.length > 0);
    assert.ok((await get(w, `${SPOT}/user/trade_history`, { symbol: BTC })).length > 0);
    for (const { orderId } of rows) await get(w, `${SPOT}/order`, { orderID: orderId });
    await refused(w.alice.lookup(rows[0].orderId), 16, 'Order not found', 404);
  });

  it('of futures: every kind of order, placed, listed, looked up, amended, cancelled and rejected', async (w) => {
    for (const body of FUTURES_KINDS) await ok(w.alice.future(body));
    await post(w, `${FUTURES}/order/peg`, { symbol: PERP, side: 'BUY', price: 101, size: 10, stealth: 50 });
    for (const body of V3_KINDS) await ok(w.alice.v3(body));
    const rows: Json[] = await get(w, `${FUTURES}/user/open_orders`);
    assert.equal(rows.length, FUTURES_KINDS.length + V3_KINDS.length + 3);
    assert.equal((await get(w, `${V3}/orders`)).length, rows.length);
    for (const { orderID } of rows) await get(w, `${FUTURES}/order`, { orderID });
    await ok(w.alice.amendFuture(rows[0].orderID, { type: 'PRICE', value: 98 }));
    await ok(w.alice.amendV3(rows[0].orderID, { amendType: 'SIZE', orderSize: 20 }));
    await ok(w.alice.cancelV3({ orderId: rows[0].orderID }));
    await ok(w.alice.cancelFuture());
    for (const { orderID: orderId } of rows) await get(w, `${V3}/orders`, { orderId, includeCancelled: 'true' });
    await w.rest('SELL', 100, 10, PERP);
    await ok(w.alice.future(future('BUY', 100, 10, { postOnly: true })));
  });

  for (const positionMode of ['ONE_WAY', 'HEDGE', 'ISOLATED'] as const) {
    it(`of positions, their orders and settings in ${positionMode}`, async (w) => {
      await setMode(w, positionMode);
      const { positionId } = await open(w, 100, { takeProfitPrice: 110, stopLossPrice: 90 });
      const attach = { symbol: PERP, positionId };
      await post(w, `${FUTURES}/order/bind/tpsl`, { ...attach, takeProfitPrice: 111 });
      await post(w, `${V3}/positions/tpsl`, { ...attach, stopLossTriggerPrice: 91 });
      for (const path of [`${FUTURES}/user/positions`, `${V3}/positions`]) {
        const [row] = await get(w, path);
        assert.deepEqual(
          [row.positionMode, row.takeProfitOrder.triggerPrice, row.stopLossOrder.triggerPrice],
          [positionMode, 111, 91],
        );
      }
      for (const path of [`${FUTURES}/user/open_orders`, `${V3}/orders`]) assert.equal((await get(w, path)).length, 2);
      for (const path of [`${FUTURES}/user/trade_history`, `${V3}/trade_history`])
        assert.equal((await get(w, path)).length, 1);
      for (const wallet of ['CROSS@', 'ISOLATED@BTC-PERP-USDT']) await get(w, `${FUTURES}/user/wallet`, { wallet });
      assert.equal((await get(w, `${FUTURES}/user/wallet_history`)).length, 1);
      const amounts = {
        walletSrcType: 'SPOT',
        walletDestType: 'CROSS',
        apiWallets: [{ currency: 'USDT', balance: 1 }],
      };
      await post(w, `${FUTURES}/user/wallet/transfer`, amounts);
      await get(w, `${FUTURES}/user/margin`, { symbol: PERP });
      await get(w, `${FUTURES}/user/unifiedWallet/margin`);
      for (const name of ['leverage', 'risk_limit']) {
        for (const path of [`${FUTURES}/${name}`, `${V3}/${name}`]) await get(w, path, { symbol: PERP });
      }
      for (const path of [`${FUTURES}/position_mode`, `${V3}/position_mode`]) await get(w, path);
      for (const path of [`${FUTURES}/user/margin_setting`, `${V3}/margin_setting`]) await get(w, path);
      const closing = { symbol: PERP, positionId };
      await post(w, `${FUTURES}/order/close_position`, { ...closing, type: 'LIMIT', price: 105 });
      await w.rest('BUY', 100, 200, PERP);
      await ok(w.alice.call('DELETE', `${V3}/positions`, { body: { ...closing, orderType: 'MARKET' } }));
    });
  }

  it('of what is set, and of what has nothing to say', async (w) => {
    await setLeverage(w, { leverage: 10 });
    await post(w, `${V3}/leverage`, { symbol: PERP, leverage: 20, marginMode: 'CROSS' });
    for (const base of [FUTURES, V3]) {
      await post(w, `${base}/risk_limit`, { symbol: PERP, riskLimitLevel: 2 });
      await post(w, `${base}/position_mode`, { symbol: PERP, positionMode: 'HEDGE' });
      await post(w, `${base}/settle_in`, { symbol: PERP, currency: 'USDT' });
    }
    await post(w, `${V4}/orders/cancel_all_after`, { timeout: 1000 });
    await post(w, `${SPOT}/order/cancelAllAfter`, { timeout: 1000 });
    await post(w, `${FUTURES}/order/cancelAllAfter`, { timeout: 1000 });
    await post(w, `${V3}/orders/cancel_all_after`, { timeoutMs: 1000 });
    for (const path of [`${V4}/fees`, `${SPOT}/user/fees`, `${FUTURES}/user/fees`]) await get(w, path);
  });

  it('of what is public, and of the wallet', async (w) => {
    await w.rest('BUY', 99, 1);
    await w.rest('SELL', 101, 1);
    await get(w, `${SPOT}/time`);
    await get(w, `${SPOT}/user/wallet`);
    await get(w, `${SPOT}/user/wallet_history`);
    await get(w, '/public-api/market/v1/markets');
    await get(w, '/public-api/market/v1/orderbook', { symbol: BTC });
    await get(w, '/public-api/wallet/v1/user/assets');
    await get(w, '/public-api/wallet/v1/user/walletHistory', { asset: 'USDT' });
  });

  it('of market data: trades, candles, summaries, books, funding rates and risk limits', async (w) => {
    for (const symbol of [BTC, PERP]) {
      await w.rest('SELL', 100, 10, symbol);
      const taken = { price: 100, size: 5, type: 'LIMIT', side: 'BUY', symbol };
      await post(w, symbol === BTC ? `${SPOT}/order` : `${FUTURES}/order`, taken);
    }
    await w.advance(8 * 3_600_000);
    for (const [surface, symbol] of [
      [SPOT, BTC],
      [FUTURES, PERP],
    ] as const) {
      for (const path of ['market_summary', 'price', 'orderbook', 'orderbook/L2', 'trades']) {
        await get(w, `${surface}/${path}`, { symbol });
      }
      await get(w, `${surface}/ohlcv`, { symbol, resolution: '60' });
    }
    await get(w, `${FUTURES}/funding_history`);
    await get(w, `${FUTURES}/market/risk_limit`);
    for (const path of ['ticker/24hr', 'ticker/indices', 'trades', 'riskLimits']) {
      await get(w, `/public-api/market/v1/${path}`, { symbol: PERP });
    }
    await get(w, '/public-api/market/v1/klines', { symbol: PERP, resolution: '60' });
    await get(w, '/public-api/market/v1/recentFundingHistory', { symbol: PERP, period: '7D' });
  });
});

/**
 * Each route was answered with 200 and something in it, but those that have nothing to say. Older versions have their
 * own test.
 */
function allRoutesWereSeen(): void {
  const routes = SURFACES.filter(({ newer }) => newer === undefined).flatMap(({ basePath, routes }) =>
    routes.map(({ method, path, reply }) => ({ name: `${method} ${basePath}${path}`, reply })),
  );
  const unseen = routes.filter(({ name, reply }) => !filledReplies.has(name) && (reply as Json).title !== 'Nothing');
  assert.deepEqual(
    unseen.map(({ name }) => name),
    [],
  );
}
