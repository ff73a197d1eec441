/** spec.md section 2.5 with the table of semantics.md section 14: the record that the spot lookup returns. */
import assert from 'node:assert/strict';
import { type Json, ok, one } from '../support/client.ts';
import { BTC, START_MS, type World } from '../support/venue.ts';
import {
  OCO_BODY,
  PEG_BODY,
  STOP_LIMIT,
  STOP_MARKET,
  STOP_MARKET_BUY,
  TRAILING_BUY,
  TRAILING_SELL,
  TWAP_BODY,
} from './requests.ts';
import type { Row, Section } from './table.ts';

const LIMIT = { symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderSize: 1, orderPrice: 98 };
const PROFIT_MARKET = { ...STOP_MARKET, triggerOrderType: 'TAKE_PROFIT', triggerPrice: 105 };
const PROFIT_LIMIT = { ...STOP_LIMIT, triggerOrderType: 'TAKE_PROFIT_LIMIT', triggerPrice: 105, orderPrice: 104 };
const TRAIL_PERCENT = {
  ...TRAILING_SELL,
  trailValueType: 'PERCENTAGE',
  trailValue: '2.5',
  triggerPriceType: 'MARK_PRICE',
};
const TRAIL_ACTIVATED = { ...TRAILING_SELL, activationTriggerPrice: 104, activationTriggerPriceType: 'INDEX_PRICE' };
const TWAP_ACTIVATED = { ...TWAP_BODY, activationTriggerPrice: 104 };
const PEG_SELL = { ...PEG_BODY, orderSide: 'SELL', orderPrice: 101, deviation: 2 };

/** One live order of every kind, all of size 1 or of 50 quote. */
const ALL = {
  limit: LIMIT,
  limitLeg: OCO_BODY,
  stopLeg: OCO_BODY,
  stopSell: STOP_MARKET,
  stopBuy: STOP_MARKET_BUY,
  stopLimit: STOP_LIMIT,
  profitSell: PROFIT_MARKET,
  profitLimit: PROFIT_LIMIT,
  trailSell: TRAILING_SELL,
  trailBuy: TRAILING_BUY,
  trailPercent: TRAIL_PERCENT,
  trailUnarmed: TRAIL_ACTIVATED,
  pegBuy: PEG_BODY,
  pegSell: PEG_SELL,
  twap: TWAP_BODY,
  twapWaiting: TWAP_ACTIVATED,
};
type Kind = keyof typeof ALL;
const KINDS = Object.keys(ALL) as Kind[];

async function lookups(w: World): Promise<Record<Kind, Json>> {
  const found: Partial<Record<Kind, Json>> = {};
  for (const kind of KINDS) {
    const reply = await ok(w.alice.spot(ALL[kind]));
    found[kind] = await ok(w.alice.lookup(reply[kind === 'stopLeg' ? 1 : 0].orderId));
  }
  return found as Record<Kind, Json>;
}

/** A field of every kind of order: `others` but for those named. */
function fieldRow(row: string, shows: string, others: unknown, named: Partial<Record<Kind, unknown>> = {}): Row {
  return {
    row,
    shows,
    async test(w) {
      const all = await lookups(w);
      const values = Object.fromEntries(KINDS.map((kind) => [kind, all[kind][row]]));
      assert.deepEqual(values, { ...Object.fromEntries(KINDS.map((kind) => [kind, others])), ...named });
    },
  };
}

/** A released trigger at rest: the order of `body`, fired by last at `price`. */
async function released(w: World, body: Json, price: number): Promise<Json> {
  const { orderId } = await one(w.alice.spot(body));
  await w.price(BTC, { last: price });
  return ok(w.alice.lookup(orderId));
}

function sizeRow(name: 'original' | 'current' | 'remaining', meaning: string, partly: number): Row {
  const [base, quote] = [`${name}OrderBaseSize`, `${name}OrderQuoteSize`];
  return {
    row: `${base}, ${quote}`,
    shows: `${meaning}; populated for the matching orderCurrency, the other is null`,
    async test(w) {
      const all = await lookups(w);
      for (const kind of KINDS) {
        const inQuote = kind === 'stopBuy' || kind === 'trailBuy';
        assert.deepEqual([all[kind][base], all[kind][quote]], inQuote ? [null, 50] : [1, null], kind);
      }
      await w.cancelAll();
      assert.equal((await partlyFilled(w))[base], partly);
    },
  };
}

/** A LIMIT that took 0.1 at 97 and 0.3 at 98 of its 1, and rests. */
async function partlyFilled(w: World): Promise<Json> {
  await w.rest('SELL', 97, 0.1);
  await w.rest('SELL', 98, 0.3);
  const { orderId } = await one(w.alice.spot(LIMIT));
  return ok(w.alice.lookup(orderId));
}

const TRAILS = { trailSell: 95, trailBuy: 105, trailPercent: 97.5 };

export const section: Section = {
  id: '2.5',
  title: 'Spot order record returned by lookup',
  rows: [
    {
      row: 'requestId',
      shows: 'a whole number of the request, shared by both OCO legs, growing from request to request',
      async test(w) {
        const all = await lookups(w);
        assert.equal(Number.isSafeInteger(all.limit.requestId), true);
        const [limitLeg, stopLeg] = await ok(w.alice.spot(OCO_BODY));
        const ids = [];
        for (const { orderId } of [limitLeg, stopLeg]) ids.push((await ok(w.alice.lookup(orderId))).requestId);
        assert.equal(ids[0], ids[1]);
        assert.ok(ids[0] > all.twap.requestId);
      },
    },
    {
      row: 'orderId',
      shows: 'the id that the placement returned',
      async test(w) {
        const { orderId } = await one(w.alice.spot(LIMIT));
        assert.equal((await ok(w.alice.lookup(orderId))).orderId, orderId);
      },
    },
    {
      row: 'clOrderId',
      shows: 'the client id as sent; null when none was given',
      async test(w) {
        await one(w.alice.spot({ ...LIMIT, clOrderId: 'é😀' }));
        assert.equal((await ok(w.alice.lookup({ clOrderId: 'é😀' }))).clOrderId, 'é😀');
        const { orderId } = await one(w.alice.spot(LIMIT));
        assert.equal((await ok(w.alice.lookup(orderId))).clOrderId, null);
      },
    },
    fieldRow('symbol', 'the trading pair', BTC),
    fieldRow('quote', 'the quote currency of the pair', 'USDT'),
    {
      row: 'orderState',
      shows:
        'ORDER_INSERTED, ORDER_PARTIALLY_TRANSACTED, TRIGGER_INSERTED while live; a released stop-limit is inserted',
      async test(w) {
        const all = await lookups(w);
        const waiting: Kind[] = ['stopLeg', 'stopSell', 'stopBuy', 'stopLimit', 'profitSell', 'profitLimit'];
        const trails: Kind[] = ['trailSell', 'trailBuy', 'trailPercent', 'trailUnarmed'];
        for (const kind of KINDS) {
          const state = [...waiting, ...trails].includes(kind) ? 'TRIGGER_INSERTED' : 'ORDER_INSERTED';
          assert.equal(all[kind].orderState, state, kind);
        }
        await w.cancelAll();
        assert.equal((await partlyFilled(w)).orderState, 'ORDER_PARTIALLY_TRANSACTED');
        await w.cancelAll();
        const stop = await released(w, STOP_LIMIT, 95);
        assert.deepEqual([stop.orderState, stop.triggered], ['ORDER_INSERTED', true]);
      },
    },
    fieldRow(
      'orderType',
      'LIMIT, OCO legs and limit triggers 76, market triggers 77, TRAILING 84, PEG 80, TWAP 82',
      76,
      {
        stopSell: 77,
        stopBuy: 77,
        profitSell: 77,
        trailSell: 84,
        trailBuy: 84,
        trailPercent: 84,
        trailUnarmed: 84,
        pegBuy: 80,
        pegSell: 80,
        twap: 82,
        twapWaiting: 82,
      },
    ),
    fieldRow('orderSide', 'BUY or SELL', 'SELL', { limit: 'BUY', stopBuy: 'BUY', trailBuy: 'BUY', pegBuy: 'BUY' }),
    fieldRow('orderPrice', 'the limit price, the cap of a PEG; zero for those without', 0, {
      limit: 98,
      limitLeg: 105,
      stopLeg: 94,
      stopLimit: 94,
      profitLimit: 104,
      pegBuy: 99,
      pegSell: 101,
    }),
    fieldRow('orderValue', 'price × current size, in USDT; without a price of its own, at the index', 100, {
      limit: 98,
      limitLeg: 105,
      stopLeg: 94,
      stopBuy: 50,
      stopLimit: 94,
      profitLimit: 104,
      trailBuy: 50,
      pegBuy: 99,
      pegSell: 101,
    }),
    {
      row: 'timestamp',
      shows: 'the time of creation, which a later fill does not move',
      async test(w) {
        const { orderId } = await one(w.alice.spot(LIMIT));
        await w.advance(1000);
        await one(w.bob.spot({ ...LIMIT, orderSide: 'SELL', orderSize: 0.1 }));
        assert.equal((await ok(w.alice.lookup(orderId))).timestamp, START_MS);
      },
    },
    {
      row: 'timeInForce',
      shows:
        'as given, GTC by default; null for market triggers, TRAILING, TWAP and a waiting stop leg, GTC once released',
      async test(w) {
        const expected = {
          limit: 'GTC',
          limitLeg: 'GTC',
          stopLimit: 'GTC',
          profitLimit: 'GTC',
          pegBuy: 'GTC',
          pegSell: 'GTC',
        };
        await fieldRow('timeInForce', '', null, expected).test(w);
        await w.cancelAll();
        const [, { orderId }] = await ok(w.alice.spot(OCO_BODY));
        await w.price(BTC, { last: 95 });
        assert.equal((await ok(w.alice.lookup(orderId))).timeInForce, 'GTC');
      },
    },
    fieldRow('orderCurrency', '"quote" for orders sized in quote, else "base"', 'base', {
      stopBuy: 'quote',
      trailBuy: 'quote',
    }),
    sizeRow('original', 'the size as placed', 1),
    sizeRow('current', 'filled plus unfilled', 1),
    sizeRow('remaining', 'what is unfilled', 0.6),
    {
      row: 'totalFilledBaseSize',
      shows: 'the cumulative filled quantity',
      async test(w) {
        await fieldRow('totalFilledBaseSize', '', 0).test(w);
        await w.cancelAll();
        assert.equal((await partlyFilled(w)).totalFilledBaseSize, 0.4);
      },
    },
    {
      row: 'avgFilledPrice',
      shows: 'the average of the executions weighted by size; 0 without any',
      async test(w) {
        await fieldRow('avgFilledPrice', '', 0).test(w);
        await w.cancelAll();
        assert.equal((await partlyFilled(w)).avgFilledPrice, 97.75);
      },
    },
    fieldRow('orderDetailType', 'TWAP for a TWAP, null for the others; liquidations are orders on futures', null, {
      twap: 'TWAP',
      twapWaiting: 'TWAP',
    }),
    fieldRow('orderDetail', 'where a TWAP, PEG or TRAILING stands; null for the others', null, {
      trailSell: { armed: true, extreme: 100 },
      trailBuy: { armed: true, extreme: 100 },
      trailPercent: { armed: true, extreme: 100 },
      trailUnarmed: { armed: false, extreme: null },
      pegBuy: { displayedSize: 0.1, waitingFor: null },
      pegSell: { displayedSize: 0.1, waitingFor: null },
      twap: { children: 20, childrenDone: 1, nextChildAt: START_MS + 3000, pausedBy: 'ownOrder' },
      twapWaiting: { children: 20, childrenDone: 0, nextChildAt: null, pausedBy: 'activation' },
    }),
    fieldRow('triggerOrder', 'true for CONDITIONAL, TRAILING and the OCO stop leg', true, {
      limit: false,
      limitLeg: false,
      pegBuy: false,
      pegSell: false,
      twap: false,
      twapWaiting: false,
    }),
    {
      row: 'triggered',
      shows: 'false while waiting and on other orders, true once released',
      async test(w) {
        await fieldRow('triggered', '', false).test(w);
        await w.cancelAll();
        assert.equal((await released(w, STOP_LIMIT, 95)).triggered, true);
      },
    },
    fieldRow('triggerUseLastPrice', 'true for LAST_PRICE alone', true, {
      limit: false,
      limitLeg: false,
      trailPercent: false,
      pegBuy: false,
      pegSell: false,
      twap: false,
      twapWaiting: false,
    }),
    fieldRow(
      'triggerPrice',
      'the trigger price, of a TRAILING its present stop (null unarmed); null on other orders',
      null,
      {
        stopLeg: 95,
        stopSell: 95,
        stopBuy: 105,
        stopLimit: 95,
        profitSell: 105,
        profitLimit: 105,
        ...TRAILS,
      },
    ),
    {
      row: 'triggerOriginalPrice',
      shows: 'the trigger price as submitted, of a TRAILING its first stop; null on other orders',
      async test(w) {
        const expected = {
          stopLeg: 95,
          stopSell: 95,
          stopBuy: 105,
          stopLimit: 95,
          profitSell: 105,
          profitLimit: 105,
          ...TRAILS,
        };
        await fieldRow('triggerOriginalPrice', '', null, expected).test(w);
        await w.cancelAll();
        const trail = await released(w, TRAILING_SELL, 103);
        assert.deepEqual([trail.triggerOriginalPrice, trail.triggerPrice], [95, 98]);
      },
    },
    fieldRow('triggerOrderType', '1001 stop kinds and TRAILING, 1002 profit kinds, 0 in a non-trigger order', 1001, {
      limit: 0,
      limitLeg: 0,
      profitSell: 1002,
      profitLimit: 1002,
      pegBuy: 0,
      pegSell: 0,
      twap: 0,
      twapWaiting: 0,
    }),
    fieldRow('triggerStopPrice', 'the limit price of a trigger order; null on market triggers and others', null, {
      stopLeg: 94,
      stopLimit: 94,
      profitLimit: 104,
    }),
    fieldRow('triggerTrailingStopDeviation', 'the percentage as a fraction; null for DISTANCE and others', null, {
      trailPercent: 0.025,
    }),
    fieldRow('trailValue', 'as submitted; null unless TRAILING', null, {
      trailSell: 5,
      trailBuy: 5,
      trailPercent: 2.5,
      trailUnarmed: 5,
    }),
    fieldRow('trailValueType', 'DISTANCE or PERCENTAGE; null unless TRAILING', null, {
      trailSell: 'DISTANCE',
      trailBuy: 'DISTANCE',
      trailPercent: 'PERCENTAGE',
      trailUnarmed: 'DISTANCE',
    }),
    fieldRow('pegPriceMin', 'the cap of a SELL peg, else null', null, { pegSell: 101 }),
    fieldRow('pegPriceMax', 'the cap of a BUY peg, else null', null, { pegBuy: 99 }),
    fieldRow('pegPriceDeviation', 'deviation / 100; null unless PEG', null, { pegBuy: 0, pegSell: 0.02 }),
    fieldRow('currentPegPrice', 'the effective price; null unless PEG', null, { pegBuy: 99, pegSell: 102 }),
    fieldRow('wrapperOrder', 'true on OCO legs', false, { limitLeg: true, stopLeg: true }),
    fieldRow('activationPrice', 'as submitted, where one was given; else null', null, {
      trailUnarmed: 104,
      twapWaiting: 104,
    }),
    fieldRow('activationPriceType', 'a PriceType where an activation price was given; else null', null, {
      trailUnarmed: 'INDEX_PRICE',
      twapWaiting: 'LAST_PRICE',
    }),
    {
      row: 'Gaps in the record shapes',
      shows: 'orderDetail, orderState and triggerOrderType as the rows above say: exactly the fields listed, no others',
      async test(w) {
        const listed = section.rows.flatMap(({ row }) => row.split(', ')).filter((row) => !row.includes(' '));
        for (const record of Object.values(await lookups(w)))
          assert.deepEqual(Object.keys(record).sort(), [...listed].sort());
      },
    },
  ],
};
