/** spec.md section 4: the three operations and their rules. */
import assert from 'node:assert/strict';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC, PERP } from '../support/venue.ts';
import { OCO_BODY, PEG_BODY, STOP_LIMIT, STOP_MARKET_BUY, TRAILING_SELL, TWAP_BODY } from './requests.ts';
import { type Section, without } from './table.ts';

const LIMIT = { symbol: PERP, size: 10, side: 'BUY', type: 'LIMIT', price: 99 };
const MARKET = { symbol: PERP, size: 10, side: 'BUY', type: 'MARKET' };
const OCO = {
  symbol: PERP,
  size: 10,
  side: 'SELL',
  type: 'OCO',
  price: 105,
  triggerPrice: 95,
  stopPrice: 94.5,
  txType: 'LIMIT',
  trigger: 'lastPrice',
};
const FUTURES_PATH = '/futures/api/v2.3/order';
const ALGO_PATH = '/spot/api/v4/trade/orders/algo';
const LOOKUP_PATH = '/spot/api/v4/trade/order';

export const sections: readonly Section[] = [
  {
    id: '4.1',
    title: 'Create new order (futures)',
    rows: [
      {
        row: 'Method, path, payload',
        shows: 'POST /futures/api/v2.3/order takes a JSON object and returns an array; unknown fields are ignored',
        async test(w) {
          const body = await ok(w.alice.call('POST', FUTURES_PATH, { body: { ...LIMIT, somethingElse: 1 } }));
          assert.equal(Array.isArray(body) && body.length === 1, true);
          await refused(w.alice.call('POST', FUTURES_PATH, { body: '[]' }), -2);
          await refused(w.alice.call('POST', FUTURES_PATH, { body: '{' }), -2);
        },
      },
      {
        row: 'Rule 1: type LIMIT requires price',
        shows: 'without it, or with 0, the request is malformed',
        async test(w) {
          await refused(w.alice.future(without(LIMIT, 'price')), -2, 'price is missing');
          await refused(w.alice.future({ ...LIMIT, price: 0 }), -2, 'price is missing');
        },
      },
      {
        row: 'Rule 2: txType STOP or TRIGGER requires triggerPrice; trigger selects the reference',
        shows: 'markPrice by default: the last price alone does not fire it; with lastPrice it does',
        async test(w) {
          for (const txType of ['STOP', 'TRIGGER']) {
            await refused(w.alice.future({ ...MARKET, txType }), -2, 'triggerPrice is missing');
          }
          const stop = { ...LIMIT, txType: 'STOP', triggerPrice: 105 };
          const byMark = await one(w.alice.future(stop));
          const byLast = await one(w.alice.future({ ...stop, trigger: 'lastPrice' }));
          await w.price(PERP, { last: 105 });
          assert.equal((await ok(w.alice.futureOrder(byMark.orderID))).status, 9);
          assert.equal((await ok(w.alice.futureOrder(byLast.orderID))).status, 2);
        },
      },
      {
        row: 'Rule 3: type OCO requires stopPrice and triggerPrice, and carries txType and trigger',
        shows: 'the stop leg comes first; txType LIMIT or STOP or none is taken, TRIGGER is malformed',
        async test(w) {
          for (const field of ['stopPrice', 'triggerPrice', 'price']) {
            await refused(w.alice.future(without(OCO, field)), -2, `${field} is missing`);
          }
          for (const body of [OCO, { ...OCO, txType: 'STOP' }, without(OCO, 'txType'), without(OCO, 'trigger')]) {
            const legs = await ok(w.alice.future(body));
            assert.deepEqual(
              legs.map((leg: Json) => [leg.status, leg.price]),
              [
                [9, 94.5],
                [2, 105],
              ],
            );
          }
          await refused(w.alice.future({ ...OCO, txType: 'TRIGGER' }), -2, 'txType');
        },
      },
      {
        row: 'Rule 4: takeProfitPrice and stopLossPrice attach take-profit and stop-loss',
        shows: 'the first fill makes two reduce-only MARKET triggers for what was filled; one done cancels the other',
        async test(w) {
          await w.rest('SELL', 99, 10, PERP);
          const attached = {
            takeProfitPrice: 110,
            takeProfitTrigger: 'markPrice',
            stopLossPrice: 95,
            stopLossTrigger: 'lastPrice',
          };
          const parent = await one(w.alice.future({ ...LIMIT, ...attached }));
          const { takeProfitOrder, stopLossOrder } = await ok(w.alice.futureOrder(parent.orderID));
          const profit = await ok(w.alice.futureOrder(takeProfitOrder.orderId));
          assert.deepEqual([profit.status, profit.orderType, profit.side, profit.reduceOnly], [9, 77, 'SELL', true]);
          assert.deepEqual([profit.currentOrderSize, profit.triggerPrice, profit.clOrderID], [10, 110, '']);
          await w.rest('BUY', 96, 10, PERP);
          await w.price(PERP, { last: 95 });
          assert.equal((await ok(w.alice.futureOrder(stopLossOrder.orderId))).status, 4);
          assert.equal((await ok(w.alice.futureOrder(takeProfitOrder.orderId))).status, 6);
        },
      },
      {
        row: 'Rule 5: when trailValue is set, take-profit and stop-loss are not supported',
        shows: 'the combination is malformed, naming the field',
        async test(w) {
          for (const field of ['takeProfitPrice', 'stopLossPrice']) {
            await refused(w.alice.future({ ...MARKET, trailValue: 5, [field]: 95 }), -2, field);
          }
        },
      },
      {
        row: 'Rule 6: positionMode selects one-way, hedge or isolated handling',
        shows:
          'a BUY and a SELL net in ONE_WAY, are a long and a short in HEDGE, two positions in ISOLATED; positionDirection is absent in ONE_WAY alone',
        async test(w) {
          for (const [positionMode, directions] of [
            ['ONE_WAY', []],
            ['HEDGE', ['LONG', 'SHORT']],
            ['ISOLATED', ['LONG', 'SHORT']],
          ] as const) {
            await w.begin();
            await w.rest('SELL', 100, 10, PERP);
            const bought = await one(w.alice.future({ ...MARKET, positionMode }));
            await w.rest('BUY', 100, 10, PERP);
            const sold = await one(w.alice.future({ ...MARKET, side: 'SELL', positionMode }));
            const { positions } = await w.account();
            assert.deepEqual(
              positions.map(({ direction }: Json) => direction),
              directions,
            );
            const shown = positionMode === 'ONE_WAY' ? [undefined, undefined] : directions;
            assert.deepEqual([bought.positionDirection, sold.positionDirection], shown);
            assert.equal('positionDirection' in bought, positionMode !== 'ONE_WAY');
          }
        },
      },
      {
        row: 'Rule 7: a MARKET request carries only symbol, size, side, type; a LIMIT request adds price',
        shows: 'these fields alone are enough',
        async test(w) {
          await w.rest('SELL', 100, 10, PERP);
          assert.equal((await one(w.alice.future(MARKET))).status, 4);
          assert.equal((await one(w.alice.future(LIMIT))).status, 2);
        },
      },
    ],
  },
  {
    id: '4.2',
    title: 'Place algo order (spot)',
    rows: [
      {
        row: 'Method, path, payload',
        shows:
          'POST /spot/api/v4/trade/orders/algo returns an array: one record, or two for OCO; unknown fields are refused',
        async test(w) {
          assert.equal((await ok(w.alice.call('POST', ALGO_PATH, { body: PEG_BODY }))).length, 1);
          assert.equal((await ok(w.alice.call('POST', ALGO_PATH, { body: OCO_BODY }))).length, 2);
          await refused(w.alice.spot({ ...PEG_BODY, somethingElse: 1 }), 400, 'somethingElse is not a field');
        },
      },
      {
        row: 'Header BROKER-ID',
        shows: 'optional; the order is the same with it',
        async test(w) {
          const { orderId, timestamp, ...without } = await one(w.alice.spot(PEG_BODY));
          const {
            orderId: other,
            timestamp: _,
            ...tagged
          } = await one(w.alice.spot(PEG_BODY, { 'BROKER-ID': 'partner' }));
          assert.notEqual(orderId, other);
          assert.deepEqual(tagged, without);
        },
      },
      {
        row: 'Rule 1: orderType selects which variant table applies',
        shows: 'a field of another variant is refused by name',
        async test(w) {
          const foreign: [Json, string, unknown][] = [
            [PEG_BODY, 'timePeriod', 60],
            [TWAP_BODY, 'stealth', 10],
            [OCO_BODY, 'orderPrice', 99],
            [TRAILING_SELL, 'triggerPrice', 95],
            [STOP_LIMIT, 'trailValue', 5],
          ];
          for (const [body, field, value] of foreign) {
            await refused(w.alice.spot({ ...body, [field]: value }), 400, `${field} is not a field of`);
          }
        },
      },
      {
        row: 'Rule 2: the fields marked required in the variant must be present',
        shows: 'each one left out, in each variant, is refused by name',
        async test(w) {
          for (const body of [PEG_BODY, TWAP_BODY, OCO_BODY, TRAILING_SELL, STOP_LIMIT]) {
            for (const field of Object.keys(body)) {
              await refused(w.alice.spot(without(body, field)), 400, `${field} is missing`);
            }
          }
        },
      },
      {
        row: 'Rule 3: orderCurrency indicates whether base-size or quote-size fields are filled',
        shows: 'base on a SELL, quote on a market BUY',
        async test(w) {
          const base = await one(w.alice.spot(TRAILING_SELL));
          assert.deepEqual(
            [base.orderCurrency, base.originalOrderBaseSize, base.originalOrderQuoteSize],
            ['base', 1, null],
          );
          const quote = await one(w.alice.spot(STOP_MARKET_BUY));
          assert.deepEqual(
            [quote.orderCurrency, quote.originalOrderBaseSize, quote.originalOrderQuoteSize],
            ['quote', null, 50],
          );
        },
      },
    ],
  },
  {
    id: '4.3',
    title: 'Get order (spot)',
    rows: [
      {
        row: 'Method, path, payload',
        shows: 'GET /spot/api/v4/trade/order returns one object',
        async test(w) {
          const { orderId } = await one(w.alice.spot(PEG_BODY));
          const record = await ok(w.alice.call('GET', LOOKUP_PATH, { query: { orderId } }));
          assert.equal(record.orderId, orderId);
        },
      },
      {
        row: 'Request parameters orderId, clOrderId',
        shows: 'either is enough, orderId wins, at least one must be given',
        async test(w) {
          const first = await one(w.alice.spot({ ...PEG_BODY, clOrderId: 'first' }));
          const second = await one(w.alice.spot({ ...PEG_BODY, clOrderId: 'second' }));
          assert.equal((await ok(w.alice.lookup(first.orderId))).orderId, first.orderId);
          assert.equal((await ok(w.alice.lookup({ clOrderId: 'second' }))).orderId, second.orderId);
          const both = { orderId: first.orderId, clOrderId: 'second' };
          assert.equal((await ok(w.alice.lookup(both))).orderId, first.orderId);
          await refused(w.alice.lookup({}), 400, 'orderId');
          await refused(w.alice.lookup({ clOrderId: '' }), 400, 'orderId');
        },
      },
      {
        row: 'Not found or inactive',
        shows:
          'HTTP 404 for an unknown id, another account, a futures order, and a cancelled, filled, expired or rejected order',
        async test(w) {
          const missing = (query: string | Record<string, string>) =>
            refused(w.alice.lookup(query), 16, 'Order not found', 404);
          const absent = ['00000000-0000-4000-8000-000000000000', 'nonsense', '1'];
          for (const id of absent) assert.equal((await missing(id)).data, null);
          await missing({ clOrderId: 'never' });
          const foreign = await w.rest('BUY', 90, 1);
          assert.equal((await missing(foreign.orderId)).data, null);
          const future = await one(w.alice.future(LIMIT));
          assert.equal((await missing(future.orderID)).data, null);

          const limit = { symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderSize: 1, orderPrice: 98 };
          const cancelled = await one(w.alice.spot({ ...limit, clOrderId: 'mine' }));
          await ok(w.alice.cancelSpot(cancelled.orderId));
          assert.deepEqual((await missing(cancelled.orderId)).data, {
            orderId: cancelled.orderId,
            clOrderId: 'mine',
            orderState: 'ORDER_CANCELLED',
          });
          const filled = await one(w.alice.spot(limit));
          await one(w.bob.spot({ ...limit, orderSide: 'SELL' }));
          assert.equal((await missing(filled.orderId)).data.orderState, 'ORDER_FULLY_TRANSACTED');
          await w.rest('SELL', 98, 1);
          const rejected = await one(w.alice.spot({ ...limit, postOnly: true }));
          assert.equal((await missing(rejected.orderId)).data.orderState, 'ORDER_REJECTED');
        },
      },
    ],
  },
];
