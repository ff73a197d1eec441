/** The account's own futures trades, as v2.3 and v3 list them. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, stop } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { leave, MILLION, open, setMode } from '../support/positions.ts';
import { PERP, START_MS, scenarios, type World } from '../support/venue.ts';

const DAY_MS = 86_400_000;
type Query = Record<string, string>;

const v23 = (w: World, query: Query = {}) => ok(w.alice.call('GET', '/futures/api/v2.3/user/trade_history', { query }));
const v3 = (w: World, query: Query = {}) => ok(w.alice.call('GET', '/futures/api/v3/trade/trade_history', { query }));

describe('the own trades on futures', () => {
  const it = scenarios();

  it('are rows with older names on v2.3', async (w) => {
    await open(w, 10);
    await w.rest('BUY', 99, 10, PERP);
    const { orderID } = await one(w.alice.future(future('SELL', null, 10, { clOrderID: 'mine' })));
    const [row, first] = await v23(w);
    assert.deepEqual(row, {
      tradeId: row.tradeId,
      orderId: orderID,
      username: 'alice',
      side: 'SELL',
      orderType: 77,
      triggerType: null,
      price: 99,
      size: 10,
      filledPrice: 99,
      filledSize: 10,
      avgFilledPrice: 99,
      triggerPrice: 0,
      base: 'BTC',
      quote: 'USDT',
      symbol: PERP,
      feeCurrency: 'USDT',
      // 0.055 % of 0.0099
      feeAmount: 0.00000545,
      wallet: 'CROSS@',
      realizedPnl: -0.0001,
      total: -0.00010545,
      serialId: row.serialId,
      timestamp: START_MS,
      orderDetailType: null,
      contractSize: 0.00001,
      clOrderID: 'mine',
      positionId: 'BTC-PERP-USDT',
      maker: false,
    });
    assert.deepEqual([first.side, first.realizedPnl, first.clOrderID], ['BUY', 0, '']);
    assert.ok(first.serialId < row.serialId);
  });

  it('have newer names on v3, in a bare array', async (w) => {
    await open(w, 10);
    const [row] = await v3(w);
    const [older] = await v23(w);
    const { side, orderType, clOrderID, username: _, ...same } = older;
    assert.deepEqual(row, { ...same, orderSide: side, type: orderType, clOrderId: clOrderID });
  });

  it('after a serial id are the oldest that follow it, before one or between two the newest; newest first always', async (w) => {
    for (let i = 0; i < 6; i++) await open(w, 10);
    const [sixth, fifth, fourth, third, second, first] = (await v23(w)).map((row: Json) => row.serialId);
    const ids = async (query: Query) => {
      const rows: Json[] = await v23(w, { symbol: PERP, count: '2', ...query });
      return rows.map((row) => row.serialId);
    };
    assert.deepEqual(await ids({}), [sixth, fifth]);
    assert.deepEqual(await ids({ afterSerialId: `${first}` }), [third, second]);
    assert.deepEqual(await ids({ beforeSerialId: `${sixth}` }), [fifth, fourth]);
    assert.deepEqual(await ids({ afterSerialId: `${first}`, beforeSerialId: `${sixth}` }), [fifth, fourth]);
  });

  it('say by which wallet and which position', async (w) => {
    await setMode(w, 'ISOLATED');
    const { positionId } = await open(w, 10);
    assert.deepEqual(
      (await v23(w)).map((row: Json) => [row.wallet, row.positionId]),
      [['ISOLATED@BTC-PERP-USDT', positionId]],
    );
    await w.begin();
    await setMode(w, 'HEDGE');
    await open(w, -10);
    assert.deepEqual(
      (await v3(w)).map((row: Json) => [row.wallet, row.positionId, row.orderSide]),
      [['CROSS@', 'BTC-PERP-USDT|SHORT', 'SELL']],
    );
  });

  it('of a trigger have its kind and price', async (w) => {
    await open(w, 10);
    await w.rest('BUY', 94, 10, PERP);
    await ok(w.alice.future(stop('SELL', 95)));
    await w.price(PERP, { mark: 95 });
    const [{ triggerType, triggerPrice, orderType, filledPrice }] = await v23(w);
    assert.deepEqual([triggerType, triggerPrice, orderType, filledPrice], [1001, 95, 77, 94]);
  });

  it('of a liquidation are PARTIAL_LIQUIDATION, then FORCED_MARKET_SELL where the whole goes', {
    rule: ['11.46', '11.48'],
  }, async (w) => {
    await open(w, MILLION);
    await leave(w, '20');
    await w.rest('BUY', 98.4, 2 * MILLION, PERP);
    await w.price(PERP, { mark: 98.49 });
    const rows: Json[] = await v23(w);
    assert.deepEqual(
      rows.map((row) => [row.orderDetailType, row.filledSize, row.realizedPnl, row.feeAmount]),
      [
        ['PARTIAL_LIQUIDATION', MILLION / 4, -4, 0.492],
        ['PARTIAL_LIQUIDATION', MILLION / 4, -4, 0.492],
        [null, MILLION, 0, 0.55],
      ],
    );
    await w.begin();
    await open(w, MILLION);
    await leave(w, '20');
    await w.rest('BUY', 98.1, 2 * MILLION, PERP);
    await w.price(PERP, { mark: 98.1 });
    assert.equal((await v3(w))[0].orderDetailType, 'FORCED_MARKET_SELL');
  });

  it('are picked by market, by order, by serialId; another account has its own', async (w) => {
    await w.price('ETH-PERP', { index: 100 });
    await open(w, 10, { symbol: 'ETH-PERP' });
    const { orderID } = await open(w, 10);
    await open(w, 20);
    assert.equal((await v23(w)).length, 3);
    for (const symbol of [PERP, 'BTC-PERP-USDT', 'BTCPFC']) assert.equal((await v23(w, { symbol })).length, 2);
    assert.equal((await v3(w, { symbol: PERP })).length, 2);
    await refused(w.alice.call('GET', '/futures/api/v3/trade/trade_history', { query: { symbol: 'X' } }), -7006);
    const [only] = await v23(w, { orderID });
    assert.deepEqual([only.orderId, only.filledSize], [orderID, 10]);
    const [newest] = await v3(w, { symbol: PERP });
    const older: Json[] = await v3(w, { symbol: PERP, beforeSerialId: String(newest.serialId) });
    assert.deepEqual(
      older.map((row) => row.orderId),
      [orderID],
    );
    assert.equal((await v23(w, { count: '1' })).length, 1);
    const others: Json[] = await ok(w.bob.call('GET', '/futures/api/v2.3/user/trade_history'));
    assert.deepEqual([others.length, others[0].side, others[0].maker], [3, 'SELL', true]);
  });

  it('reach back seven days, unless includeOld says more', async (w) => {
    await open(w, 10);
    const times = (ms: number) => ({ startTime: String(START_MS), endTime: String(START_MS + ms) });
    await w.advance(8 * DAY_MS);
    assert.deepEqual(await v23(w), []);
    assert.equal((await v23(w, { includeOld: 'true' })).length, 1);
    assert.equal((await v3(w, times(7 * DAY_MS))).length, 1);
    assert.equal((await v3(w, { ...times(7 * DAY_MS + 1), includeOld: 'true' })).length, 1);
  });
});
