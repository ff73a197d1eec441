/** spec.md section 2.2: the fields of the futures order record. */
import assert from 'node:assert/strict';
import { type Json, ok, one } from '../support/client.ts';
import { PERP, START_MS, type World } from '../support/venue.ts';
import { fieldsRow, type Section } from './table.ts';

const LIMIT = { symbol: PERP, size: 10, side: 'BUY', type: 'LIMIT', price: 99 };
const MARKET = { symbol: PERP, size: 10, side: 'BUY', type: 'MARKET' };
const STOP = { ...MARKET, txType: 'STOP', triggerPrice: 105 };
const OCO = { symbol: PERP, size: 10, side: 'SELL', type: 'OCO', price: 105, triggerPrice: 95, stopPrice: 94.5 };

const PEG: Json = { symbol: PERP, size: 10, side: 'BUY', price: 99, stealth: 50, deviation: -0.5 };

function placedPeg(w: World): Promise<Json> {
  return one(w.alice.call('POST', '/futures/api/v2.3/order/peg', { body: PEG }));
}

/** A record's field for a few requests of alice's, in order. */
async function field(w: World, name: string, ...requests: Json[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const request of requests) values.push((await one(w.alice.future(request)))[name]);
  return values;
}

/** An order that took 4 of its 10 contracts at 100, and rests with 6. */
async function partlyFilled(w: World, extra: Json = {}): Promise<Json> {
  await w.rest('SELL', 100, 4, PERP);
  return one(w.alice.future({ ...LIMIT, price: 100, ...extra }));
}

const ALGO = ['stealth', 'deviation'];
const DIRECTION = 'positionDirection';

/** Of each kind of order, in each position mode, from a placement, an amend and a cancel; with what does not belong to it. */
async function everyRecord(w: World): Promise<{ record: Json; absent: string[] }[]> {
  const found: { record: Json; absent: string[] }[] = [];
  const trailing = { ...MARKET, side: 'SELL', trailValue: 5 };
  for (const positionMode of ['ONE_WAY', 'HEDGE', 'ISOLATED']) {
    await w.begin();
    const absent = positionMode === 'ONE_WAY' ? [DIRECTION] : [];
    for (const body of [LIMIT, MARKET, STOP, { ...STOP, type: 'LIMIT', price: 105 }, trailing, OCO]) {
      const records: Json[] = await ok(w.alice.future({ ...body, positionMode }));
      found.push(...records.map((record) => ({ record, absent: [...absent, ...ALGO] })));
      await ok(w.alice.cancelFuture());
    }
    found.push({ record: await placedPeg(w), absent });
    const { orderID } = await one(w.alice.future(LIMIT));
    const amended = await one(w.alice.amendFuture(orderID, { type: 'PRICE', value: 98 }));
    const cancelled = await one(w.alice.cancelFuture({ orderID }));
    for (const record of [amended, cancelled]) found.push({ record, absent: [...absent, ...ALGO] });
  }
  return found;
}

export const section: Section = {
  id: '2.2',
  title: 'Futures order record (response)',
  rows: [
    {
      row: 'symbol',
      shows: 'the market symbol, BTC-PERP whatever name was sent',
      async test(w) {
        assert.deepEqual(await field(w, 'symbol', LIMIT, { ...LIMIT, symbol: 'BTC-PERP-USDT' }), [PERP, PERP]);
      },
    },
    {
      row: 'orderID',
      shows: 'text, a lower-case UUID, different for every order, by which the order is found',
      async test(w) {
        const [first, second] = await field(w, 'orderID', LIMIT, LIMIT);
        assert.match(String(first), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        assert.notEqual(first, second);
        assert.equal((await ok(w.alice.futureOrder(String(first)))).orderID, first);
      },
    },
    {
      row: 'clOrderID',
      shows: 'the client id as sent; empty text when none was given; both OCO legs share it',
      async test(w) {
        assert.deepEqual(await field(w, 'clOrderID', { ...LIMIT, clOrderID: 'mine' }, LIMIT), ['mine', '']);
        const legs = await ok(w.alice.future({ ...OCO, clOrderID: 'pair' }));
        assert.deepEqual(
          legs.map((leg: Json) => leg.clOrderID),
          ['pair', 'pair'],
        );
      },
    },
    {
      row: 'orderType',
      shows: '76 limit, 77 market (triggers by what they release, a trailing stop 77), 80 a PEG',
      async test(w) {
        const stopLimit = { ...STOP, type: 'LIMIT', price: 105 };
        const trailing = { ...MARKET, side: 'SELL', trailValue: 5 };
        const types = await field(w, 'orderType', LIMIT, MARKET, STOP, stopLimit, trailing);
        assert.deepEqual(types, [76, 77, 77, 76, 77]);
        const legs = await ok(w.alice.future(OCO));
        assert.deepEqual(
          legs.map((leg: Json) => leg.orderType),
          [76, 76],
        );
        assert.equal((await placedPeg(w)).orderType, 80);
      },
    },
    {
      row: 'side',
      shows: 'BUY or SELL',
      async test(w) {
        assert.deepEqual(await field(w, 'side', LIMIT, { ...LIMIT, side: 'SELL', price: 101 }), ['BUY', 'SELL']);
      },
    },
    {
      row: 'price',
      shows: 'the limit price; of a MARKET order the average of its fills, 0 without any; of an OCO stop leg its limit',
      async test(w) {
        assert.deepEqual(await field(w, 'price', LIMIT, MARKET, STOP), [99, 0, 0]);
        await w.cancelAll();
        await w.rest('SELL', 100, 5, PERP);
        await w.rest('SELL', 101, 5, PERP);
        assert.deepEqual(await field(w, 'price', MARKET), [100.5]);
        const legs = await ok(w.alice.future(OCO));
        assert.deepEqual(
          legs.map((leg: Json) => leg.price),
          [94.5, 105],
        );
      },
    },
    {
      row: 'status',
      shows: 'the codes of section 3.1',
      async test(w) {
        assert.deepEqual(await field(w, 'status', LIMIT, MARKET, STOP), [2, 6, 9]);
        await w.cancelAll();
        assert.equal((await partlyFilled(w)).status, 5);
      },
    },
    {
      row: 'time_in_force',
      shows: 'as given; GTC where none was given, on MARKET too',
      async test(w) {
        const timed = { ...LIMIT, time_in_force: 'HOUR' };
        assert.deepEqual(await field(w, 'time_in_force', timed, LIMIT, MARKET, STOP), ['HOUR', 'GTC', 'GTC', 'GTC']);
      },
    },
    {
      row: 'timestamp',
      shows: 'venue time in epoch milliseconds',
      async test(w) {
        assert.deepEqual(await field(w, 'timestamp', LIMIT), [START_MS]);
        await w.advance(1234);
        assert.deepEqual(await field(w, 'timestamp', LIMIT), [START_MS + 1234]);
      },
    },
    {
      row: 'trigger',
      shows: 'true for STOP, TRIGGER, trailing stops and an OCO stop leg, false for others',
      async test(w) {
        const profit = { ...STOP, txType: 'TRIGGER', triggerPrice: 95 };
        const trailing = { ...MARKET, side: 'SELL', trailValue: 5 };
        const shown = await field(w, 'trigger', LIMIT, MARKET, STOP, profit, trailing);
        assert.deepEqual(shown, [false, false, true, true, true]);
        const legs = await ok(w.alice.future(OCO));
        assert.deepEqual(
          legs.map((leg: Json) => leg.trigger),
          [true, false],
        );
      },
    },
    {
      row: 'triggerPrice',
      shows: 'the trigger price; 0 when the order is not a trigger order',
      async test(w) {
        assert.deepEqual(await field(w, 'triggerPrice', LIMIT, STOP), [0, 105]);
        const legs = await ok(w.alice.future(OCO));
        assert.deepEqual(
          legs.map((leg: Json) => leg.triggerPrice),
          [95, 0],
        );
      },
    },
    {
      row: 'avgFilledPrice',
      shows: 'the average weighted by size; 0 without fills',
      async test(w) {
        assert.deepEqual(await field(w, 'avgFilledPrice', LIMIT), [0]);
        await w.cancelAll();
        await w.rest('SELL', 100, 1, PERP);
        await w.rest('SELL', 101, 2, PERP);
        // (100 + 2 × 101) / 3, to eight decimals beyond the tick
        assert.deepEqual(await field(w, 'avgFilledPrice', { ...MARKET, size: 3 }), [100.666666667]);
      },
    },
    {
      row: 'message',
      shows: 'empty text when there is nothing to say, else why the order ended or was rejected',
      async test(w) {
        await w.rest('SELL', 100, 1, PERP);
        const postOnly = { ...LIMIT, price: 100, postOnly: true };
        const fillOrKill = { ...LIMIT, price: 100, time_in_force: 'FOK' };
        const [none, rejected, killed] = await field(w, 'message', LIMIT, postOnly, fillOrKill);
        assert.equal(none, '');
        assert.match(String(rejected), /^post-only/);
        assert.match(String(killed), /^fill-or-kill/);
        const { orderID } = await one(w.alice.future(LIMIT));
        assert.equal((await one(w.alice.cancelFuture({ orderID }))).message, '');
      },
    },
    ...['stealth', 'deviation'].map((name) => ({
      row: name,
      shows: 'on a PEG alone, as a percentage',
      async test(w: World) {
        for (const request of [LIMIT, MARKET, STOP]) assert.equal(name in (await one(w.alice.future(request))), false);
        assert.equal((await placedPeg(w))[name], PEG[name]);
      },
    })),
    {
      row: 'remainingSize',
      shows: 'current size less what is filled, in ended orders too',
      async test(w) {
        assert.deepEqual(await field(w, 'remainingSize', LIMIT, MARKET, STOP), [10, 10, 10]);
        await w.cancelAll();
        const order = await partlyFilled(w);
        assert.equal(order.remainingSize, 6);
        assert.equal((await one(w.alice.cancelFuture({ orderID: order.orderID }))).remainingSize, 6);
      },
    },
    {
      row: 'originalOrderSize',
      shows: 'the size as placed, whatever happens to the order',
      async test(w) {
        const order = await partlyFilled(w);
        assert.equal(order.originalOrderSize, 10);
        assert.equal((await one(w.alice.cancelFuture({ orderID: order.orderID }))).originalOrderSize, 10);
      },
    },
    {
      row: 'currentOrderSize',
      shows: 'filled plus remaining',
      async test(w) {
        const order = await partlyFilled(w);
        assert.equal(order.currentOrderSize, order.totalFilledSize + order.remainingSize);
        assert.equal(order.currentOrderSize, 10);
      },
    },
    {
      row: 'filledSize',
      shows: 'what this request filled; 0 in the record of a later cancel',
      async test(w) {
        await w.rest('SELL', 99.9, 2, PERP);
        const order = await partlyFilled(w);
        assert.equal(order.filledSize, 6);
        assert.equal((await one(w.alice.cancelFuture({ orderID: order.orderID }))).filledSize, 0);
      },
    },
    {
      row: 'totalFilledSize',
      shows: 'the cumulative filled quantity',
      async test(w) {
        const order = await partlyFilled(w);
        assert.equal(order.totalFilledSize, 4);
        await one(w.bob.future({ ...MARKET, side: 'SELL', size: 1 }));
        assert.equal((await one(w.alice.cancelFuture({ orderID: order.orderID }))).totalFilledSize, 5);
      },
    },
    {
      row: 'postOnly',
      shows: 'true when post-only',
      async test(w) {
        assert.deepEqual(await field(w, 'postOnly', LIMIT, { ...LIMIT, postOnly: true }, MARKET), [false, true, false]);
      },
    },
    {
      row: 'positionMode',
      shows: 'the mode in which the order was accepted',
      async test(w) {
        assert.deepEqual(await field(w, 'positionMode', LIMIT, STOP), ['ONE_WAY', 'ONE_WAY']);
        for (const positionMode of ['HEDGE', 'ISOLATED']) {
          await w.begin();
          assert.deepEqual(await field(w, 'positionMode', { ...LIMIT, positionMode }, STOP), [
            positionMode,
            positionMode,
          ]);
        }
      },
    },
    {
      row: 'positionDirection',
      shows: 'left out in ONE_WAY mode; LONG for a BUY and SHORT for a SELL in HEDGE and ISOLATED',
      async test(w) {
        assert.equal('positionDirection' in (await one(w.alice.future(LIMIT))), false);
        for (const positionMode of ['HEDGE', 'ISOLATED']) {
          await w.begin();
          const sell = { ...LIMIT, side: 'SELL', price: 101 };
          const directions = await field(w, 'positionDirection', { ...LIMIT, positionMode }, sell);
          assert.deepEqual(directions, ['LONG', 'SHORT']);
        }
      },
    },
    {
      row: 'positionId',
      shows: 'the market in ONE_WAY, with the direction in HEDGE, with a number in ISOLATED from the first fill on',
      async test(w) {
        assert.deepEqual(await field(w, 'positionId', LIMIT), ['BTC-PERP-USDT']);
        await w.begin();
        assert.deepEqual(await field(w, 'positionId', { ...LIMIT, positionMode: 'HEDGE' }), ['BTC-PERP-USDT|LONG']);
        await w.begin();
        await w.rest('SELL', 100, 10, PERP);
        assert.deepEqual(await field(w, 'positionId', { ...MARKET, positionMode: 'ISOLATED' }, LIMIT), [
          'BTC-PERP-USDT|1#1',
          '',
        ]);
      },
    },
    fieldsRow(
      () => section,
      { orderDetailType: "null but for the venue's own orders; BTSE's samples have it" },
      everyRecord,
    ),
  ],
};
