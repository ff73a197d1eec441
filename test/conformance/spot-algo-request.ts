/** spec.md section 2.3: the fields of the spot algo requests, kind by kind. */
import assert from 'node:assert/strict';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC } from '../support/venue.ts';
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
import {
  algo,
  BAD_PRICE_TYPES,
  flagRow,
  foreign,
  PRICE_TYPES,
  priceRow,
  priceTypeRow,
  sizeRow,
  timeRow,
} from './spot-rows.ts';
import { isRequired, NO_NUMBERS, NO_TEXT, type Section, takes, takesNone } from './table.ts';

const KINDS = [
  { name: 'CONDITIONAL', request: algo(STOP_LIMIT) },
  { name: 'OCO', request: algo(OCO_BODY) },
  { name: 'PEG', request: algo(PEG_BODY) },
  { name: 'TRAILING', request: algo(TRAILING_SELL) },
  { name: 'TWAP', request: algo(TWAP_BODY) },
];

const common: Section = {
  id: '2.3',
  title: 'Spot algo request: common fields',
  rows: [
    {
      row: 'orderType',
      shows: 'required; TWAP, PEG, OCO, TRAILING and CONDITIONAL are taken here, LIMIT, MARKET and others are not',
      async test(w) {
        const path = '/spot/api/v4/trade/orders/algo';
        for (const { request } of KINDS) await ok(w.alice.call('POST', path, { body: request.body }));
        for (const orderType of ['LIMIT', 'MARKET', 'peg', 'STOP', '', 76]) {
          await refused(w.alice.call('POST', path, { body: { ...PEG_BODY, orderType } }), 400, 'orderType');
        }
        await isRequired(w, algo(PEG_BODY), 'orderType');
      },
    },
    {
      row: 'symbol',
      shows: 'required by every kind; an unknown pair is refused',
      async test(w) {
        for (const { request } of KINDS) {
          await isRequired(w, request, 'symbol');
          await takesNone(w, request, 'symbol', NO_TEXT);
          await refused(w.alice.spot({ ...request.body, symbol: 'BTC-DOGE' }), -7006, 'BTC-DOGE');
        }
      },
    },
    {
      row: 'orderSide',
      shows: 'required by every kind; BUY or SELL, exactly',
      async test(w) {
        for (const { request } of KINDS) {
          await isRequired(w, request, 'orderSide');
          await takesNone(w, request, 'orderSide', ['buy', 'Sell', 'HOLD', '', 1]);
        }
      },
    },
    {
      row: 'clOrderId',
      shows: 'optional on every kind; at most 64 characters, no control characters, echoed exactly',
      async test(w) {
        for (const { name, request } of KINDS) {
          await takesNone(w, request, 'clOrderId', [1, true, 'x'.repeat(65), 'tab\there']);
          const id = `${name} é😀`.padEnd(64, '-');
          for (const record of await ok(w.alice.spot({ ...request.body, clOrderId: id }))) {
            assert.equal(record.clOrderId, id);
          }
        }
      },
    },
    {
      row: 'PriceType',
      shows: 'LAST_PRICE, MARK_PRICE and INDEX_PRICE, exactly, in every "…PriceType" field',
      async test(w) {
        const users: [string, Json][] = [
          ['triggerPriceType', STOP_LIMIT],
          ['stopLossTriggerPriceType', OCO_BODY],
          ['triggerPriceType', TRAILING_SELL],
          ['activationTriggerPriceType', { ...TRAILING_SELL, activationTriggerPrice: 104 }],
          ['activationTriggerPriceType', { ...TWAP_BODY, activationTriggerPrice: 104 }],
        ];
        for (const [field, body] of users) {
          await takes(w, algo(body), field, PRICE_TYPES);
          await takesNone(w, algo(body), field, BAD_PRICE_TYPES);
        }
      },
    },
  ],
};

const conditional: Section = {
  id: '2.3',
  title: 'Spot algo request: CONDITIONAL',
  rows: [
    priceRow('triggerPrice', algo(STOP_LIMIT), true, 95, 'required; a price on the tick'),
    {
      row: 'triggerOrderType',
      shows: 'required; STOP_LOSS, TAKE_PROFIT, STOP_LOSS_LIMIT, TAKE_PROFIT_LIMIT',
      async test(w) {
        await isRequired(w, algo(STOP_LIMIT), 'triggerOrderType');
        await takesNone(w, algo(STOP_LIMIT), 'triggerOrderType', ['STOP', 'stop_loss', '', 1001]);
        await takes(w, algo(STOP_LIMIT), 'triggerOrderType', ['STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT']);
        await takes(w, algo(STOP_MARKET), 'triggerOrderType', ['STOP_LOSS', 'TAKE_PROFIT']);
      },
    },
    priceTypeRow('triggerPriceType', algo(STOP_LIMIT), true, 'required; a PriceType'),
    {
      row: 'orderSize',
      shows: 'required for a SELL market order and the limit variants; refused on a market BUY',
      async test(w) {
        await sizeRow(algo(STOP_LIMIT), '').test(w);
        await isRequired(w, algo(STOP_MARKET), 'orderSize');
        await foreign(w, STOP_MARKET_BUY, 'orderSize', 1);
      },
    },
    {
      row: 'quoteOrderSize',
      shows: 'required for a market BUY, refused on every other variant',
      async test(w) {
        await isRequired(w, algo(STOP_MARKET_BUY), 'quoteOrderSize');
        await takesNone(w, algo(STOP_MARKET_BUY), 'quoteOrderSize', NO_NUMBERS);
        await refused(w.alice.spot({ ...STOP_MARKET_BUY, quoteOrderSize: 0 }), 301, 'quoteOrderSize');
        await takes(w, algo(STOP_MARKET_BUY), 'quoteOrderSize', [50, '50.00000001']);
        await foreign(w, STOP_MARKET, 'quoteOrderSize', 50);
        await foreign(w, STOP_LIMIT, 'quoteOrderSize', 50);
        await foreign(w, { ...STOP_LIMIT, orderSide: 'BUY' }, 'quoteOrderSize', 50);
      },
    },
    {
      row: 'orderPrice',
      shows: 'required for the limit variants, refused on the market ones',
      async test(w) {
        await priceRow('orderPrice', algo(STOP_LIMIT), true, 94, '').test(w);
        await foreign(w, STOP_MARKET, 'orderPrice', 94);
        await foreign(w, STOP_MARKET_BUY, 'orderPrice', 94);
      },
    },
    {
      row: 'timeInForce',
      shows: 'GTC, IOC or FOK for the limit variants, refused on the market ones',
      async test(w) {
        await timeRow(algo(STOP_LIMIT), '').test(w);
        await foreign(w, STOP_MARKET, 'timeInForce', 'GTC');
      },
    },
    {
      row: 'postOnly',
      shows: 'a released limit order that would match is rejected (15); refused on the market variants',
      async test(w) {
        await flagRow('postOnly', algo(STOP_LIMIT), '').test(w);
        await foreign(w, STOP_MARKET, 'postOnly', true);
        await refused(w.alice.spot({ ...STOP_LIMIT, postOnly: true, timeInForce: 'IOC' }), 400, 'postOnly');
        await w.cancelAll();
        await w.rest('BUY', 94.5, 1);
        const { orderId } = await one(w.alice.spot({ ...STOP_LIMIT, postOnly: true }));
        await w.price(BTC, { last: 95 });
        const { data } = await refused(w.alice.lookup(orderId), 16, 'Order not found', 404);
        assert.equal(data.orderState, 'ORDER_REJECTED');
      },
    },
  ],
};

const oco: Section = {
  id: '2.3',
  title: 'Spot algo request: OCO',
  rows: [
    sizeRow(algo(OCO_BODY), 'required; base currency, on the step'),
    priceRow('takeProfitOrderPrice', algo(OCO_BODY), true, 105, 'required; the price of the first leg'),
    priceRow('stopLossOrderPrice', algo(OCO_BODY), true, 94, 'required; the limit price of the second leg'),
    priceRow('stopLossTriggerPrice', algo(OCO_BODY), true, 95, 'required; the price that fires the second leg'),
    priceTypeRow('stopLossTriggerPriceType', algo(OCO_BODY), true, 'required; a PriceType'),
    timeRow(algo(OCO_BODY), 'GTC, IOC or FOK, for the take-profit leg'),
    {
      row: 'postOnly',
      shows: 'a take-profit leg that would match at once is rejected, and the stop leg with it',
      async test(w) {
        await flagRow('postOnly', algo(OCO_BODY), '').test(w);
        await w.cancelAll();
        await w.rest('BUY', 105, 1);
        const legs = await ok(w.alice.spot({ ...OCO_BODY, postOnly: true }));
        assert.deepEqual(
          legs.map((leg: Json) => leg.status),
          [15, 15],
        );
        assert.match(legs[0].message, /^post-only/);
      },
    },
  ],
};

const peg: Section = {
  id: '2.3',
  title: 'Spot algo request: PEG',
  rows: [
    priceRow('orderPrice', algo(PEG_BODY), true, 99, 'required; the worst price of the pegged order'),
    sizeRow(algo(PEG_BODY), 'required; base currency, on the step'),
    {
      row: 'stealth',
      shows: 'required; 1 to 100, both included',
      async test(w) {
        await isRequired(w, algo(PEG_BODY), 'stealth');
        await takesNone(w, algo(PEG_BODY), 'stealth', [...NO_NUMBERS, 0, 0.99, 100.01, -1]);
        await takes(w, algo(PEG_BODY), 'stealth', [1, '12.5', 100]);
      },
    },
    {
      row: 'deviation',
      shows: '-10 to 10, both included; 0 by default',
      async test(w) {
        await takesNone(w, algo(PEG_BODY), 'deviation', [...NO_NUMBERS, -10.01, 10.01]);
        await takes(w, algo(PEG_BODY), 'deviation', [-10, 0, '0.5', 10]);
        const { orderId } = await one(w.alice.spot(PEG_BODY));
        assert.equal((await ok(w.alice.lookup(orderId))).pegPriceDeviation, 0);
      },
    },
  ],
};

const trailing: Section = {
  id: '2.3',
  title: 'Spot algo request: TRAILING',
  rows: [
    {
      row: 'trailValue',
      shows: 'required; positive; a percentage below 100',
      async test(w) {
        await isRequired(w, algo(TRAILING_SELL), 'trailValue');
        await takesNone(w, algo(TRAILING_SELL), 'trailValue', [...NO_NUMBERS, 0, -5]);
        await takes(w, algo(TRAILING_SELL), 'trailValue', [5, '0.1']);
        const percent = algo({ ...TRAILING_SELL, trailValueType: 'PERCENTAGE' });
        await takesNone(w, percent, 'trailValue', [0, -5, 100, 250]);
        await takes(w, percent, 'trailValue', [5, '0.01', 99.99]);
      },
    },
    {
      row: 'trailValueType',
      shows: 'required; DISTANCE or PERCENTAGE (5 means 5 %)',
      async test(w) {
        await isRequired(w, algo(TRAILING_SELL), 'trailValueType');
        await takesNone(w, algo(TRAILING_SELL), 'trailValueType', ['PERCENT', 'distance', '', 1]);
        await w.price(BTC, { last: 200 });
        const replies = await takes(w, algo(TRAILING_SELL), 'trailValueType', ['DISTANCE', 'PERCENTAGE']);
        const stops = [];
        for (const [{ orderId }] of replies) stops.push((await ok(w.alice.lookup(orderId))).triggerPrice);
        assert.deepEqual(stops, [195, 190]);
      },
    },
    priceTypeRow('triggerPriceType', algo(TRAILING_SELL), false, 'a PriceType; LAST_PRICE by default'),
    {
      row: 'orderSize',
      shows: 'required on SELL, refused on BUY',
      async test(w) {
        await sizeRow(algo(TRAILING_SELL), '').test(w);
        await foreign(w, TRAILING_BUY, 'orderSize', 1);
      },
    },
    {
      row: 'quoteOrderSize',
      shows: 'required on BUY, refused on SELL',
      async test(w) {
        await isRequired(w, algo(TRAILING_BUY), 'quoteOrderSize');
        await takesNone(w, algo(TRAILING_BUY), 'quoteOrderSize', NO_NUMBERS);
        await refused(w.alice.spot({ ...TRAILING_BUY, quoteOrderSize: 0 }), 301, 'quoteOrderSize');
        await takes(w, algo(TRAILING_BUY), 'quoteOrderSize', [50, '0.1']);
        await foreign(w, TRAILING_SELL, 'quoteOrderSize', 50);
      },
    },
    priceRow(
      'activationTriggerPrice',
      algo(TRAILING_SELL),
      false,
      104,
      'optional; the stop is unarmed until it is reached',
    ),
    priceTypeRow(
      'activationTriggerPriceType',
      algo({ ...TRAILING_SELL, activationTriggerPrice: 104 }),
      false,
      'a PriceType; the trigger type by default',
    ),
  ],
};

const twap: Section = {
  id: '2.3',
  title: 'Spot algo request: TWAP',
  rows: [
    sizeRow(algo(TWAP_BODY), 'required; total base-currency quantity, on the step'),
    {
      row: 'timePeriod',
      shows: 'required; whole seconds from 60 to 86,400',
      async test(w) {
        await isRequired(w, algo(TWAP_BODY), 'timePeriod');
        await takesNone(w, algo(TWAP_BODY), 'timePeriod', [...NO_NUMBERS, 0, 59, 60.5, 86_401, -60]);
        await takes(w, algo(TWAP_BODY), 'timePeriod', [60, '61', 86_400]);
      },
    },
    flagRow('makerFirst', algo(TWAP_BODY), 'a Boolean; false by default'),
    flagRow('randomizeSize', algo(TWAP_BODY), 'a Boolean; false by default'),
    {
      row: 'subTwapMaxOrderSize',
      shows: 'a size on the step, the cap of a child; one that no schedule can keep is refused',
      async test(w) {
        await takesNone(w, algo(TWAP_BODY), 'subTwapMaxOrderSize', NO_NUMBERS);
        await refused(w.alice.spot({ ...TWAP_BODY, subTwapMaxOrderSize: 0 }), 301, 'subTwapMaxOrderSize');
        await refused(w.alice.spot({ ...TWAP_BODY, subTwapMaxOrderSize: 0.00001 }), 301);
        await takes(w, algo(TWAP_BODY), 'subTwapMaxOrderSize', [0.05, '1']);
      },
    },
    {
      row: 'maxSpread',
      shows: 'a fraction from 0 to 1',
      async test(w) {
        await takesNone(w, algo(TWAP_BODY), 'maxSpread', [...NO_NUMBERS, -0.01, 1.01]);
        await takes(w, algo(TWAP_BODY), 'maxSpread', [0, '0.01', 1]);
      },
    },
    {
      row: 'maxDistanceThroughBook',
      shows: '0 to 1; negative disables it',
      async test(w) {
        await takesNone(w, algo(TWAP_BODY), 'maxDistanceThroughBook', [...NO_NUMBERS, 1.01]);
        await takes(w, algo(TWAP_BODY), 'maxDistanceThroughBook', [0, '0.05', 1, -1, -7]);
      },
    },
    priceRow('pausePrice', algo(TWAP_BODY), false, 90, 'optional; a price on the tick'),
    priceRow('activationTriggerPrice', algo(TWAP_BODY), false, 104, 'optional; the start waits until it is reached'),
    priceTypeRow(
      'activationTriggerPriceType',
      algo({ ...TWAP_BODY, activationTriggerPrice: 104 }),
      false,
      'a PriceType; LAST_PRICE by default',
    ),
  ],
};

export const sections: readonly Section[] = [common, conditional, oco, peg, trailing, twap];
