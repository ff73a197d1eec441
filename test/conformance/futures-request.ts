/** spec.md section 2.1: the fields of the futures create-order request. */
import assert from 'node:assert/strict';
import { ok, one, refused } from '../support/client.ts';
import { PERP } from '../support/venue.ts';
import { isRequired, NO_FLAGS, NO_NUMBERS, NO_TEXT, type Request, type Section, takes, takesNone } from './table.ts';

const send: Request['send'] = (client, body) => client.future(body);
const malformed = -2;
const LIMIT = { symbol: PERP, size: 10, side: 'BUY', type: 'LIMIT', price: 99 };
const MARKET = { symbol: PERP, size: 10, side: 'BUY', type: 'MARKET' };
const STOP = { ...MARKET, txType: 'STOP', triggerPrice: 105 };
const OCO = { symbol: PERP, size: 10, side: 'SELL', type: 'OCO', price: 105, triggerPrice: 95, stopPrice: 94.5 };
const TRAILING = { ...MARKET, side: 'SELL', trailValue: 5 };

const limit: Request = { send, body: LIMIT, malformed };
const stop: Request = { send, body: STOP, malformed };
const oco: Request = { send, body: OCO, malformed };
const trailing: Request = { send, body: TRAILING, malformed };

const BAD_PRICES = [...NO_NUMBERS, -1];

export const section: Section = {
  id: '2.1',
  title: 'Futures create-order request fields',
  rows: [
    {
      row: 'symbol',
      shows:
        'required; BTC-PERP, BTC-PERP-USDT and BTCPFC name the market, which replies call BTC-PERP; others are unknown',
      async test(w) {
        await isRequired(w, limit, 'symbol');
        await takesNone(w, limit, 'symbol', NO_TEXT);
        const replies = await takes(w, limit, 'symbol', ['BTC-PERP', 'BTC-PERP-USDT', 'BTCPFC']);
        for (const [record] of replies) assert.equal(record.symbol, PERP);
        for (const symbol of ['BTC-USDT', 'DOGE-PERP', 'btc-perp']) {
          await refused(w.alice.future({ ...LIMIT, symbol }), -7006, symbol);
        }
      },
    },
    {
      row: 'size',
      shows:
        'required; whole contracts, as a number or as text; fractions, zero and negatives are refused with figures',
      async test(w) {
        await isRequired(w, limit, 'size');
        await takesNone(w, limit, 'size', NO_NUMBERS);
        const replies = await takes(w, limit, 'size', [7, '7', 7.0, '7.0']);
        for (const [record] of replies) assert.equal(record.originalOrderSize, 7);
        await refused(w.alice.future({ ...LIMIT, size: 1.5 }), 301, 'nearest are 1 and 2');
        await refused(w.alice.future({ ...LIMIT, size: 0 }), 301, 'size 0');
        await refused(w.alice.future({ ...LIMIT, size: -3 }), 301, 'size -3');
        await refused(w.alice.future({ ...LIMIT, size: 7_500_001 }), 4051, '7500000');
      },
    },
    {
      row: 'side',
      shows: 'required; BUY or SELL in any case',
      async test(w) {
        await isRequired(w, limit, 'side');
        await takesNone(w, limit, 'side', ['HOLD', '', 1, null]);
        const replies = await takes(w, limit, 'side', ['BUY', 'Buy', 'buy']);
        for (const [record] of replies) assert.equal(record.side, 'BUY');
        const sell = await one(w.alice.future({ ...LIMIT, side: 'Sell', price: 101 }));
        assert.equal(sell.side, 'SELL');
      },
    },
    {
      row: 'type',
      shows: 'required; LIMIT, MARKET or OCO in any case',
      async test(w) {
        await isRequired(w, limit, 'type');
        await takesNone(w, limit, 'type', ['PEG', 'TWAP', '', 76]);
        assert.equal((await one(w.alice.future({ ...LIMIT, type: 'Limit' }))).orderType, 76);
        assert.equal((await one(w.alice.future({ ...MARKET, type: 'Market' }))).orderType, 77);
        assert.equal((await ok(w.alice.future({ ...OCO, type: 'Oco' }))).length, 2);
      },
    },
    {
      row: 'price',
      shows: 'required when type is LIMIT; on the tick; 0 is no price; a price on MARKET is malformed, 0 there is not',
      async test(w) {
        await isRequired(w, limit, 'price');
        await takesNone(w, limit, 'price', [...BAD_PRICES, 0, '0']);
        assert.equal((await one(w.alice.future({ ...LIMIT, price: '99.1' }))).price, 99.1);
        await refused(w.alice.future({ ...LIMIT, price: 99.15 }), 302, 'nearest are 99.1 and 99.2');
        await refused(w.alice.future({ ...MARKET, price: 99 }), malformed, 'price');
        await ok(w.alice.future({ ...MARKET, price: 0 }));
      },
    },
    {
      row: 'time_in_force',
      shows: 'GTC, IOC, FOK, HALFMIN, FIVEMIN, HOUR, TWELVEHOUR, DAY, WEEK and MONTH are taken and echoed; others not',
      async test(w) {
        await takesNone(w, limit, 'time_in_force', ['GTT', '', 30]);
        const values = ['GTC', 'IOC', 'FOK', 'HALFMIN', 'FIVEMIN', 'HOUR', 'TWELVEHOUR', 'DAY', 'WEEK', 'MONTH'];
        const replies = await takes(w, limit, 'time_in_force', values);
        const echoed = replies.map(([record]) => record.time_in_force);
        assert.deepEqual(echoed, values);
      },
    },
    {
      row: 'txType',
      shows: 'LIMIT is the default; STOP and TRIGGER require triggerPrice and wait with status 9',
      async test(w) {
        await takesNone(w, stop, 'txType', ['HALT', '', 1]);
        assert.equal((await one(w.alice.future(LIMIT))).trigger, false);
        assert.equal((await one(w.alice.future({ ...LIMIT, txType: 'LIMIT' }))).trigger, false);
        await isRequired(w, stop, 'triggerPrice');
        assert.equal((await one(w.alice.future({ ...STOP, txType: 'stop' }))).status, 9);
        await isRequired(w, { ...stop, body: { ...STOP, txType: 'TRIGGER' } }, 'triggerPrice');
        assert.equal((await one(w.alice.future({ ...STOP, txType: 'TRIGGER', triggerPrice: 95 }))).status, 9);
      },
    },
    {
      row: 'stopPrice',
      shows: 'required when type is OCO, where it is the price of the stop leg; ignored elsewhere',
      async test(w) {
        await isRequired(w, oco, 'stopPrice');
        await takesNone(w, oco, 'stopPrice', [...BAD_PRICES, 0]);
        const [stopLeg] = await ok(w.alice.future(OCO));
        assert.equal(stopLeg.price, 94.5);
        await ok(w.alice.future({ ...LIMIT, stopPrice: 95 }));
      },
    },
    {
      row: 'triggerPrice',
      shows: 'required for txType STOP, txType TRIGGER and type OCO; 0 is none; malformed on other orders',
      async test(w) {
        for (const request of [stop, oco]) {
          await isRequired(w, request, 'triggerPrice');
          await takesNone(w, request, 'triggerPrice', [...BAD_PRICES, 0]);
        }
        assert.equal((await one(w.alice.future(STOP))).triggerPrice, 105);
        await refused(w.alice.future({ ...LIMIT, triggerPrice: 105 }), -2, 'txType');
        const record = await one(w.alice.future({ ...LIMIT, triggerPrice: 0 }));
        assert.deepEqual([record.status, record.trigger, record.triggerPrice], [2, false, 0]);
      },
    },
    {
      row: 'trailValue',
      shows: 'with type MARKET a trailing stop; 0 is none; negative is a SELL of that distance; no TP and SL beside it',
      async test(w) {
        await takesNone(w, trailing, 'trailValue', NO_NUMBERS);
        const replies = await takes(w, trailing, 'trailValue', [5, '5', -5]);
        for (const [record] of replies) assert.deepEqual([record.status, record.triggerPrice], [9, 95]);
        await refused(w.alice.future({ ...TRAILING, side: 'BUY', trailValue: -5 }), malformed, 'trailValue');
        await refused(w.alice.future({ ...TRAILING, takeProfitPrice: 90 }), malformed, 'takeProfitPrice');
        await refused(w.alice.future({ ...TRAILING, stopLossPrice: 110 }), malformed, 'stopLossPrice');
        await refused(w.alice.future({ ...LIMIT, trailValue: 5 }), malformed, 'trailValue');
        assert.equal((await one(w.alice.future({ ...LIMIT, trailValue: 0.0 }))).status, 2);
      },
    },
    {
      row: 'postOnly',
      shows: 'a Boolean; rests and is echoed, or is rejected when it would match; the maker fee is charged',
      async test(w) {
        await takesNone(w, limit, 'postOnly', NO_FLAGS);
        assert.equal((await one(w.alice.future({ ...LIMIT, postOnly: false }))).postOnly, false);
        const maker = await one(w.alice.future({ ...LIMIT, postOnly: true, size: 1_000_000 }));
        assert.deepEqual([maker.status, maker.postOnly], [2, true]);
        await w.rest('SELL', 101, 10, PERP);
        const rejected = await one(w.alice.future({ ...LIMIT, price: 101, postOnly: true }));
        assert.deepEqual([rejected.status, rejected.message.startsWith('post-only')], [15, true]);
        const before = await usdt(w);
        await w.cancelAll();
        await one(w.alice.future({ ...LIMIT, postOnly: true, size: 1_000_000 }));
        await one(w.bob.future({ ...MARKET, side: 'SELL', size: 1_000_000 }));
        // 1,000,000 contracts of 0.00001 BTC at 99 are 990 USDT; the maker rate is 0.02 %.
        assert.equal((before - (await usdt(w))).toFixed(6), (990 * 0.0002).toFixed(6));
      },
    },
    {
      row: 'reduceOnly',
      shows: 'a Boolean; refused without a position to reduce, taken with one',
      async test(w) {
        await takesNone(w, limit, 'reduceOnly', NO_FLAGS);
        await ok(w.alice.future({ ...LIMIT, reduceOnly: false }));
        await refused(w.alice.future({ ...LIMIT, reduceOnly: true }), 33199120, PERP);
        await w.rest('SELL', 100, 10, PERP);
        await one(w.alice.future(MARKET));
        const record = await one(w.alice.future({ ...LIMIT, side: 'SELL', price: 101, reduceOnly: true }));
        assert.equal(record.status, 2);
        assert.equal((await ok(w.alice.futureOrder(record.orderID))).reduceOnly, true);
      },
    },
    {
      row: 'clOrderID',
      shows: 'echoed exactly; at most 64 characters; empty is none; a second order with a live id is refused',
      async test(w) {
        await takesNone(w, limit, 'clOrderID', [1, true, 'x'.repeat(65), 'a\nb']);
        const id = 'Ünï-😀 my id'.padEnd(64, '.');
        assert.equal((await one(w.alice.future({ ...LIMIT, clOrderID: id }))).clOrderID, id);
        assert.equal((await one(w.alice.future({ ...LIMIT, clOrderID: '' }))).clOrderID, '');
        assert.equal((await one(w.alice.future(LIMIT))).clOrderID, '');
        await refused(w.alice.future({ ...LIMIT, price: 98, clOrderID: id }), 15, 'belongs to the live order');
      },
    },
    {
      row: 'trigger',
      shows: 'markPrice is the default; with lastPrice only the last price fires the order',
      async test(w) {
        await takesNone(w, stop, 'trigger', ['indexPrice', '', 'LAST_PRICE']);
        const byMark = await one(w.alice.future(STOP));
        const byLast = await one(w.alice.future({ ...STOP, trigger: 'lastPrice' }));
        await w.price(PERP, { mark: 105 });
        assert.equal((await ok(w.alice.futureOrder(byMark.orderID))).triggered, true);
        assert.equal((await ok(w.alice.futureOrder(byLast.orderID))).triggered, false);
        await w.price(PERP, { last: 105 });
        const fired = await ok(w.alice.futureOrder(byLast.orderID));
        assert.deepEqual([fired.triggered, fired.triggerUseLastPrice], [true, true]);
      },
    },
    ...(['takeProfit', 'stopLoss'] as const).flatMap((which) => {
      const good = which === 'takeProfit' ? 110 : 95;
      const wrong = which === 'takeProfit' ? 98 : 99.5;
      const field = `${which}Price`;
      const reference = `${which}Trigger`;
      const order = `${which}Order`;
      const request: Request = { send, body: { ...LIMIT, [field]: good }, malformed };
      return [
        {
          row: field,
          shows: 'attaches to the order; 0 is none; refused on the wrong side of the order price',
          async test(w) {
            await takesNone(w, request, field, BAD_PRICES);
            const record = await one(w.alice.future(request.body));
            const { triggerPrice, side } = (await ok(w.alice.futureOrder(record.orderID)))[order];
            assert.deepEqual([triggerPrice, side], [good, 'SELL']);
            const plain = await one(w.alice.future({ ...LIMIT, [field]: 0 }));
            assert.equal((await ok(w.alice.futureOrder(plain.orderID)))[order], null);
            await refused(w.alice.future({ ...LIMIT, [field]: wrong }), 302, field);
          },
        },
        {
          row: reference,
          shows: 'markPrice is the default; lastPrice is taken',
          async test(w) {
            await takesNone(w, request, reference, ['indexPrice', 'LAST_PRICE', 1]);
            const uses = [];
            for (const value of [undefined, 'markPrice', 'lastPrice']) {
              const record = await one(w.alice.future({ ...request.body, [reference]: value }));
              uses.push((await ok(w.alice.futureOrder(record.orderID)))[order].triggerUseLastPrice);
            }
            assert.deepEqual(uses, [false, false, true]);
          },
        },
      ] satisfies Section['rows'];
    }),
    {
      row: 'positionMode',
      shows:
        'ONE_WAY is the default; HEDGE or ISOLATED switches to it where there is no position and no order, else it is refused with code 133',
      async test(w) {
        await takesNone(w, limit, 'positionMode', ['BOTH', '', 1]);
        assert.equal((await one(w.alice.future(LIMIT))).positionMode, 'ONE_WAY');
        assert.equal((await one(w.alice.future({ ...LIMIT, positionMode: 'one_way' }))).positionMode, 'ONE_WAY');
        for (const positionMode of ['HEDGE', 'ISOLATED']) {
          await refused(w.alice.future({ ...LIMIT, positionMode }), 133, 'the mode is ONE_WAY');
          await ok(w.alice.cancelFuture());
          assert.equal((await one(w.alice.future({ ...LIMIT, positionMode }))).positionMode, positionMode);
          await ok(w.alice.cancelFuture());
          assert.equal((await one(w.alice.future({ ...LIMIT, positionMode: 'ONE_WAY' }))).positionMode, 'ONE_WAY');
        }
      },
    },
  ],
};

async function usdt(w: Parameters<Section['rows'][number]['test']>[0]): Promise<number> {
  const [wallet] = await ok(w.alice.wallet());
  return wallet.assets.find((asset: { currency: string }) => asset.currency === 'USDT').balance;
}
