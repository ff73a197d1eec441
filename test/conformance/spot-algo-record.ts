/** spec.md section 2.4: the fields of the record that spot algo placements return. */
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
import { fieldsRow, type Row, type Section } from './table.ts';

/** One placement of every kind and size: the OCO's records are two. */
const ALL = {
  limitLeg: OCO_BODY,
  stopLeg: OCO_BODY,
  peg: PEG_BODY,
  stopLimit: STOP_LIMIT,
  stopSell: STOP_MARKET,
  stopBuy: STOP_MARKET_BUY,
  trailSell: TRAILING_SELL,
  trailBuy: TRAILING_BUY,
  twap: TWAP_BODY,
};

async function records(w: World): Promise<Record<keyof typeof ALL, Json>> {
  const found: Record<string, Json> = {};
  for (const [name, body] of Object.entries(ALL)) {
    const reply = await ok(w.alice.spot(body));
    found[name] = name === 'stopLeg' ? reply[1] : reply[0];
    assert.equal(reply.length, body === OCO_BODY ? 2 : 1);
  }
  return found as Record<keyof typeof ALL, Json>;
}

async function fieldOfAll(w: World, field: string): Promise<Json> {
  const all = Object.entries(await records(w));
  return Object.fromEntries(all.map(([name, record]) => [name, record[field]]));
}

const ALL_NULL = Object.fromEntries(Object.keys(ALL).map((name) => [name, null]));
const every = (value: unknown) => Object.fromEntries(Object.keys(ALL).map((name) => [name, value]));

/** An OCO whose take-profit leg took 0.4 of 1 at 105.1 and 105.3 before it came to rest. */
async function partlyFilledLeg(w: World): Promise<Json> {
  await w.rest('BUY', 105.3, 0.1);
  await w.rest('BUY', 105.1, 0.3);
  return (await ok(w.alice.spot(OCO_BODY)))[0];
}

function sizeRow(name: 'original' | 'current' | 'remaining', meaning: string, partly: number): Row {
  const [base, quote] = [`${name}OrderBaseSize`, `${name}OrderQuoteSize`];
  return {
    row: `${base} / ${quote}`,
    shows: `${meaning}; base or quote, the other is null`,
    async test(w) {
      const all = await records(w);
      for (const [kind, record] of Object.entries(all)) {
        const inQuote = kind === 'stopBuy' || kind === 'trailBuy';
        assert.deepEqual([record[base], record[quote]], inQuote ? [null, 50] : [1, null], kind);
      }
      await w.cancelAll();
      assert.equal((await partlyFilledLeg(w))[base], partly);
    },
  };
}

export const section: Section = {
  id: '2.4',
  title: 'Spot algo order record (response element)',
  rows: [
    {
      row: 'orderId',
      shows: 'text, a UUID, different for every order, both OCO legs too',
      async test(w) {
        const ids: string[] = Object.values(await fieldOfAll(w, 'orderId'));
        assert.equal(new Set(ids).size, ids.length);
        for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      },
    },
    {
      row: 'clOrderId',
      shows: 'the client id as sent, on both OCO legs; empty text when none was given',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'clOrderId'), every(''));
        const legs = await ok(w.alice.spot({ ...OCO_BODY, clOrderId: 'pair' }));
        assert.deepEqual(
          legs.map((leg: Json) => leg.clOrderId),
          ['pair', 'pair'],
        );
      },
    },
    {
      row: 'status',
      shows: 'the codes of section 3.2',
      async test(w) {
        const waiting = { stopLeg: 9, stopLimit: 9, stopSell: 9, stopBuy: 9, trailSell: 9, trailBuy: 9 };
        assert.deepEqual(await fieldOfAll(w, 'status'), { ...every(2), ...waiting });
      },
    },
    {
      row: 'market',
      shows: 'the trading pair',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'market'), every(BTC));
      },
    },
    {
      row: 'type',
      shows: '76 for OCO legs, 84 TRAILING, 77 CONDITIONAL (its limit variants too), 80 PEG, 82 TWAP',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'type'), {
          limitLeg: 76,
          stopLeg: 76,
          peg: 80,
          stopLimit: 77,
          stopSell: 77,
          stopBuy: 77,
          trailSell: 84,
          trailBuy: 84,
          twap: 82,
        });
      },
    },
    {
      row: 'orderSide',
      shows: 'BUY or SELL',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'orderSide'), {
          ...every('SELL'),
          peg: 'BUY',
          stopBuy: 'BUY',
          trailBuy: 'BUY',
        });
      },
    },
    {
      row: 'orderPrice',
      shows: 'the limit price of each leg or order; the cap of a PEG; 0 for those without',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'orderPrice'), {
          ...every(0),
          limitLeg: 105,
          stopLeg: 94,
          peg: 99,
          stopLimit: 94,
        });
      },
    },
    {
      row: 'postOnly',
      shows: 'as submitted; of an OCO it belongs to the limit leg',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'postOnly'), every(false));
        const legs = await ok(w.alice.spot({ ...OCO_BODY, postOnly: true }));
        assert.deepEqual(
          legs.map((leg: Json) => leg.postOnly),
          [true, false],
        );
        assert.equal((await one(w.alice.spot({ ...STOP_LIMIT, postOnly: true }))).postOnly, true);
      },
    },
    {
      row: 'timestamp',
      shows: 'venue time in epoch milliseconds',
      async test(w) {
        await w.advance(5);
        assert.deepEqual(await fieldOfAll(w, 'timestamp'), every(START_MS + 5));
      },
    },
    {
      row: 'orderDetailType',
      shows: 'TWAP for a TWAP, null for the others',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'orderDetailType'), { ...ALL_NULL, twap: 'TWAP' });
      },
    },
    {
      row: 'message',
      shows: 'null when there is nothing to say, else the reason',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'message'), ALL_NULL);
        await w.cancelAll();
        await w.rest('BUY', 105, 1);
        const legs = await ok(w.alice.spot({ ...OCO_BODY, postOnly: true }));
        assert.match(legs[0].message, /^post-only/);
        assert.match(legs[1].message, /^OCO/);
      },
    },
    {
      row: 'userQuoteCurrency',
      shows: 'USDT',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'userQuoteCurrency'), every('USDT'));
      },
    },
    {
      row: 'orderCurrency',
      shows: '"quote" for orders sized in quote, else "base"',
      async test(w) {
        const expected = { ...every('base'), stopBuy: 'quote', trailBuy: 'quote' };
        assert.deepEqual(await fieldOfAll(w, 'orderCurrency'), expected);
      },
    },
    sizeRow('original', 'the size as placed', 1),
    sizeRow('current', 'filled plus unfilled', 1),
    sizeRow('remaining', 'what is unfilled', 0.6),
    {
      row: 'filledBaseSize',
      shows: 'the most recent match, the last one of a sweep; 0 without any',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'filledBaseSize'), every(0));
        await w.cancelAll();
        assert.equal((await partlyFilledLeg(w)).filledBaseSize, 0.3);
      },
    },
    {
      row: 'totalFilledBaseSize',
      shows: 'the cumulative base size filled',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'totalFilledBaseSize'), every(0));
        await w.cancelAll();
        assert.equal((await partlyFilledLeg(w)).totalFilledBaseSize, 0.4);
      },
    },
    {
      row: 'avgFilledPrice',
      shows: 'the average weighted by size; 0 without fills',
      async test(w) {
        assert.deepEqual(await fieldOfAll(w, 'avgFilledPrice'), every(0));
        await w.cancelAll();
        assert.equal((await partlyFilledLeg(w)).avgFilledPrice, 105.15);
      },
    },
    {
      row: 'time_in_force',
      shows: 'as given, GTC by default; null for TWAP, TRAILING, CONDITIONAL market and the waiting OCO stop leg',
      async test(w) {
        const expected = { ...ALL_NULL, limitLeg: 'GTC', peg: 'GTC', stopLimit: 'GTC' };
        assert.deepEqual(await fieldOfAll(w, 'time_in_force'), expected);
        assert.equal((await one(w.alice.spot({ ...STOP_LIMIT, timeInForce: 'IOC' }))).time_in_force, 'IOC');
        const legs = await ok(w.alice.spot({ ...OCO_BODY, timeInForce: 'FOK' }));
        assert.deepEqual(
          legs.map((leg: Json) => leg.time_in_force),
          ['FOK', null],
        );
      },
    },
    fieldsRow(
      () => section,
      {},
      async (w) => Object.values(await records(w)).map((record) => ({ record, absent: [] })),
    ),
  ],
};
