/** spec.md section 3: states and transitions. */
import assert from 'node:assert/strict';
import { type Json, ok, one } from '../support/client.ts';
import { BTC, PERP } from '../support/venue.ts';
import { OCO_BODY, PEG_BODY, STOP_LIMIT, STOP_MARKET, TRAILING_BUY, TRAILING_SELL, TWAP_BODY } from './requests.ts';
import type { Section } from './table.ts';

const LIMIT = { symbol: PERP, size: 10, side: 'BUY', type: 'LIMIT', price: 100 };
const MARKET = { symbol: PERP, size: 10, side: 'BUY', type: 'MARKET' };
const STOP = { ...MARKET, txType: 'STOP', triggerPrice: 105 };

export const sections: readonly Section[] = [
  {
    id: '3.1',
    title: 'Futures order status codes',
    rows: [
      {
        row: '2 ORDER_INSERTED',
        shows: 'a LIMIT that rests, in the reply and in the lookup',
        async test(w) {
          const { status, orderID } = await one(w.alice.future(LIMIT));
          assert.deepEqual([status, (await ok(w.alice.futureOrder(orderID))).status], [2, 2]);
        },
      },
      {
        row: '4 FULLY_MATCHED',
        shows: 'an order that filled at once, as LIMIT or MARKET; one that filled later, in the lookup',
        async test(w) {
          await w.rest('SELL', 100, 20, PERP);
          assert.equal((await one(w.alice.future(LIMIT))).status, 4);
          assert.equal((await one(w.alice.future(MARKET))).status, 4);
          const { orderID } = await one(w.alice.future(LIMIT));
          await one(w.bob.future({ ...MARKET, side: 'SELL' }));
          assert.equal((await ok(w.alice.futureOrder(orderID))).status, 4);
        },
      },
      {
        row: '5 PARTIAL_FILL',
        shows: 'an order that is partly filled and rests with the remainder',
        async test(w) {
          await w.rest('SELL', 100, 4, PERP);
          const { status, orderID } = await one(w.alice.future(LIMIT));
          assert.deepEqual([status, (await ok(w.alice.futureOrder(orderID))).status], [5, 5]);
        },
      },
      {
        row: '6 CANCELLED',
        shows: 'a cancelled order; the unfilled remainder of MARKET and IOC; a FOK that cannot fill',
        async test(w) {
          const { orderID } = await one(w.alice.future(LIMIT));
          assert.equal((await one(w.alice.cancelFuture({ orderID }))).status, 6);
          assert.equal((await ok(w.alice.futureOrder(orderID))).status, 6);
          await w.rest('SELL', 100, 4, PERP);
          assert.equal((await one(w.alice.future({ ...LIMIT, time_in_force: 'FOK' }))).status, 6);
          const immediate = await one(w.alice.future({ ...LIMIT, time_in_force: 'IOC' }));
          assert.deepEqual([immediate.status, immediate.totalFilledSize, immediate.remainingSize], [6, 4, 6]);
          const market = await one(w.alice.future(MARKET));
          assert.deepEqual([market.status, market.totalFilledSize], [6, 0]);
        },
      },
      {
        row: '9 TRIGGER_INSERTED',
        shows: 'STOP, TRIGGER, a trailing stop and the stop leg of an OCO, also when the condition holds already',
        async test(w) {
          assert.equal((await one(w.alice.future(STOP))).status, 9);
          assert.equal((await one(w.alice.future({ ...STOP, txType: 'TRIGGER' }))).status, 9);
          assert.equal((await one(w.alice.future({ ...MARKET, trailValue: 5 }))).status, 9);
          const oco = { ...LIMIT, type: 'OCO', price: 95, triggerPrice: 105, stopPrice: 106 };
          assert.deepEqual(
            (await ok(w.alice.future(oco))).map((leg: Json) => leg.status),
            [9, 2],
          );
        },
      },
      {
        row: '10 TRIGGER_ACTIVATED',
        shows: 'a trigger that fired has left 9 for the status of the released order, and says triggered',
        open: 'the event with status 10 is on the streams, which are not served yet',
        async test(w) {
          const { orderID } = await one(w.alice.future({ ...STOP, type: 'LIMIT', price: 100 }));
          assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, false);
          await w.price(PERP, { mark: 105 });
          const { status, triggered } = await ok(w.alice.futureOrder(orderID));
          assert.deepEqual([status, triggered], [2, true]);
        },
      },
      {
        row: '15 REJECTED',
        shows: 'a post-only order that would match: HTTP 200, the reason in the message',
        async test(w) {
          await w.rest('SELL', 100, 4, PERP);
          const { status, message, orderID } = await one(w.alice.future({ ...LIMIT, postOnly: true }));
          assert.deepEqual([status, message.length > 0], [15, true]);
          assert.equal((await ok(w.alice.futureOrder(orderID))).status, 15);
        },
      },
    ],
  },
  {
    id: '3.2',
    title: 'Spot algo status codes',
    rows: [
      {
        row: '2, an accepted resting order',
        shows: 'PEG, TWAP and the take-profit leg of an OCO',
        async test(w) {
          assert.equal((await one(w.alice.spot(PEG_BODY))).status, 2);
          assert.equal((await one(w.alice.spot(TWAP_BODY))).status, 2);
          assert.equal((await ok(w.alice.spot(OCO_BODY)))[0].status, 2);
        },
      },
      {
        row: '9, a trigger order that is inserted and waiting',
        shows: 'the stop leg of an OCO, TRAILING and CONDITIONAL, also when the condition holds already',
        async test(w) {
          assert.equal((await ok(w.alice.spot(OCO_BODY)))[1].status, 9);
          for (const body of [TRAILING_SELL, TRAILING_BUY, STOP_LIMIT, STOP_MARKET]) {
            assert.equal((await one(w.alice.spot(body))).status, 9);
          }
          const holds = await one(w.alice.spot({ ...STOP_LIMIT, triggerPrice: 100, orderPrice: 101 }));
          assert.equal(holds.status, 9);
          assert.equal((await ok(w.alice.lookup(holds.orderId))).triggered, true);
        },
      },
      {
        row: 'otherwise the list of section 3.1',
        shows: '4 filled, 5 partly filled and resting, 6 ended, 15 rejected, in the replies to placements and cancels',
        async test(w) {
          await w.rest('SELL', 99, 0.6);
          assert.equal((await one(w.alice.spot({ ...PEG_BODY, orderSize: 0.4 }))).status, 4);
          const rests = await one(w.alice.spot(PEG_BODY));
          assert.deepEqual([rests.status, rests.totalFilledBaseSize], [5, 0.2]);
          assert.equal((await one(w.alice.cancelSpot(rests.orderId))).status, 6);
          await w.rest('BUY', 105, 1);
          const legs = await ok(w.alice.spot({ ...OCO_BODY, postOnly: true }));
          assert.deepEqual(
            legs.map((leg: Json) => [leg.status, leg.message.length > 0]),
            [
              [15, true],
              [15, true],
            ],
          );
        },
      },
    ],
  },
  {
    id: '3.3',
    title: 'Moves: what holds at creation time',
    rows: [
      {
        row: 'Spot algo placement, OCO',
        shows: 'two records: a take-profit leg with status 2, then a stop-loss leg with status 9',
        async test(w) {
          const legs = await ok(w.alice.spot(OCO_BODY));
          assert.deepEqual(
            legs.map((leg: Json) => [leg.status, leg.orderPrice]),
            [
              [2, 105],
              [9, 94],
            ],
          );
        },
      },
      {
        row: 'Spot algo placement, TRAILING or CONDITIONAL',
        shows: 'one record with status 9',
        async test(w) {
          for (const body of [TRAILING_SELL, TRAILING_BUY, STOP_LIMIT, STOP_MARKET]) {
            assert.equal((await one(w.alice.spot(body))).status, 9);
          }
        },
      },
      {
        row: 'Spot algo placement, PEG or TWAP',
        shows: 'one record with status 2',
        async test(w) {
          assert.equal((await one(w.alice.spot(PEG_BODY))).status, 2);
          assert.equal((await one(w.alice.spot(TWAP_BODY))).status, 2);
          await w.price(BTC, { index: 101 });
          assert.equal((await one(w.alice.spot({ ...TWAP_BODY, activationTriggerPrice: 110 }))).status, 2);
        },
      },
    ],
  },
];
