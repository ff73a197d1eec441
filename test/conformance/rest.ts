/** spec.md sections 5 to 8: authentication, events, errors and limits. */
import assert from 'node:assert/strict';
import { Client, ok, one, type Reply, refused } from '../support/client.ts';
import { BTC, PERP, type World } from '../support/venue.ts';
import { PEG_BODY, TRAILING_SELL, TWAP_BODY } from './requests.ts';
import type { Section } from './table.ts';

const LIMIT = { symbol: PERP, size: 10, side: 'BUY', type: 'LIMIT', price: 99 };

/** The three operations, as a client calls them. */
const OPERATIONS: ((client: Client) => Promise<Reply>)[] = [
  (client) => client.future(LIMIT),
  (client) => client.spot(PEG_BODY),
  (client) => client.lookup({ clOrderId: 'any' }),
];

async function takesAll(w: World, field: string, body: object, values: readonly unknown[]): Promise<void> {
  for (const value of values) await ok(w.alice.spot({ ...body, [field]: value }));
}

async function takesNone(w: World, field: string, body: object, values: readonly unknown[]): Promise<void> {
  for (const value of values) await refused(w.alice.spot({ ...body, [field]: value }), 400, field);
}

export const sections: readonly Section[] = [
  {
    id: '5',
    title: 'Authentication',
    rows: [
      {
        row: 'All three operations are authenticated and belong to the trading group',
        shows: 'without a key 401, with a key that may only read 403; with the trading permission served',
        async test(w) {
          const stranger = new Client(w.venue.url, { key: 'nobody', secret: 'nothing' });
          const reader = new Client(w.venue.url, { key: 'reader-key', secret: 'reader-secret' });
          for (const call of OPERATIONS) {
            assert.equal((await call(stranger)).status, 401);
            assert.equal((await call(reader)).status, 403);
            assert.notEqual((await call(w.alice)).status, 401);
          }
        },
      },
      {
        row: 'The scheme, the names of the credential headers, signing',
        shows: 'request-api, request-nonce and request-sign over path, nonce and raw body; a wrong secret is 401',
        async test(w) {
          const forger = new Client(w.venue.url, { key: 'alice-key', secret: 'guessed' });
          for (const call of OPERATIONS) assert.equal((await call(forger)).status, 401);
        },
      },
      {
        row: 'BROKER-ID is a tagging identifier, not a credential',
        shows: 'it neither helps a request without a key nor hurts one with it',
        async test(w) {
          const stranger = new Client(w.venue.url, { key: 'nobody', secret: 'nothing' });
          assert.equal((await stranger.spot(PEG_BODY, { 'BROKER-ID': 'partner' })).status, 401);
          await ok(w.alice.spot(PEG_BODY, { 'BROKER-ID': 'partner' }));
        },
      },
    ],
  },
  {
    id: '6',
    title: 'Events',
    rows: [
      {
        row: 'filledSize is the quantity filled in this update',
        shows: 'the reply to a placement carries what that placement filled, a later cancel 0',
        open: 'notification channels are not served yet',
        async test(w) {
          await w.rest('SELL', 99, 4, PERP);
          const order = await one(w.alice.future(LIMIT));
          assert.deepEqual([order.filledSize, order.totalFilledSize], [4, 4]);
          const cancelled = await one(w.alice.cancelFuture({ orderID: order.orderID }));
          assert.deepEqual([cancelled.filledSize, cancelled.totalFilledSize], [0, 4]);
        },
      },
    ],
  },
  {
    id: '7',
    title: 'Errors',
    rows: [
      {
        row: 'Get order (spot): no order matches, or the order is inactive',
        shows: 'HTTP status 404',
        async test(w) {
          await refused(w.alice.lookup('nonsense'), 16, 'Order not found', 404);
          const { orderId } = await one(w.alice.spot(PEG_BODY));
          await ok(w.alice.cancelSpot(orderId));
          await refused(w.alice.lookup(orderId), 16, 'Order not found', 404);
        },
      },
      {
        row: 'A rejected order is reported in a record',
        shows: 'futures status 15; the spot message carries the reason',
        async test(w) {
          await w.rest('SELL', 99, 4, PERP);
          assert.equal((await one(w.alice.future({ ...LIMIT, postOnly: true }))).status, 15);
          await w.rest('SELL', 99, 1);
          const limit = {
            symbol: BTC,
            orderSide: 'BUY',
            orderType: 'LIMIT',
            orderSize: 1,
            orderPrice: 99,
            postOnly: true,
          };
          const { status, message } = await one(w.alice.spot(limit));
          assert.deepEqual([status, message.startsWith('post-only')], [15, true]);
        },
      },
      {
        row: 'Error body shape, error codes, invalid or missing parameters, authentication failure',
        shows: 'futures {status, errorCode, message, extraData}, spot {code, msg, time, data, success}; 400 and 401',
        async test(w) {
          await refused(w.alice.future({}), -2, 'symbol is missing');
          const { time, success } = await refused(
            w.alice.spot({ orderType: 'PEG' }),
            400,
            'BADREQUEST: symbol is missing',
          );
          assert.deepEqual([typeof time, success], ['number', false]);
          const forger = new Client(w.venue.url, { key: 'alice-key', secret: 'guessed' });
          await refused(forger.future(LIMIT), -7, 'Authenticate failed', 401);
          await refused(forger.spot(PEG_BODY), 10002, 'UNAUTHORIZED: Authentication Failed', 401);
        },
      },
    ],
  },
  {
    id: '8',
    title: 'Limits',
    rows: [
      {
        row: 'clOrderId (spot algo)',
        shows: 'at most 64 characters',
        async test(w) {
          await takesAll(w, 'clOrderId', PEG_BODY, ['x'.repeat(64), '😀'.repeat(32)]);
          await takesNone(w, 'clOrderId', PEG_BODY, ['x'.repeat(65), '😀'.repeat(33)]);
        },
      },
      {
        row: 'stealth (PEG)',
        shows: 'between 1 and 100',
        async test(w) {
          await takesAll(w, 'stealth', PEG_BODY, [1, 100]);
          await takesNone(w, 'stealth', PEG_BODY, [0, 0.99999999, 100.00000001, 101]);
        },
      },
      {
        row: 'deviation (PEG)',
        shows: 'between -10 and 10; default 0',
        async test(w) {
          await takesAll(w, 'deviation', PEG_BODY, [-10, 10]);
          await takesNone(w, 'deviation', PEG_BODY, [-10.00000001, 10.00000001]);
          const { orderId } = await one(w.alice.spot(PEG_BODY));
          assert.equal((await ok(w.alice.lookup(orderId))).pegPriceDeviation, 0);
        },
      },
      {
        row: 'maxDistanceThroughBook (TWAP)',
        shows: '0 to 1; negative or omitted means disabled: a child then reaches as far as any market order',
        async test(w) {
          await takesAll(w, 'maxDistanceThroughBook', TWAP_BODY, [0, 1, -1]);
          await takesNone(w, 'maxDistanceThroughBook', TWAP_BODY, [1.00000001, 2]);
          await w.cancelAll();
          await w.rest('BUY', 100, 0.01);
          await w.rest('BUY', 99, 1);
          for (const [distance, filled] of [
            [0, 0.01],
            [-1, 0.05],
            [undefined, 0.05],
          ]) {
            const { orderId } = await one(w.alice.spot({ ...TWAP_BODY, maxDistanceThroughBook: distance }));
            assert.equal((await ok(w.alice.lookup(orderId))).totalFilledBaseSize, filled, `distance ${distance}`);
            await ok(w.alice.cancelSpot(orderId));
            await w.rest('BUY', 100, 0.01);
          }
        },
      },
      {
        row: 'trailValue (TRAILING)',
        shows: 'must be positive',
        async test(w) {
          await takesAll(w, 'trailValue', TRAILING_SELL, [0.1]);
          await takesNone(w, 'trailValue', TRAILING_SELL, [0, -0.1]);
        },
      },
      {
        row: 'size (futures)',
        shows: 'in contract units: whole numbers of 0.00001 BTC',
        async test(w) {
          await refused(w.alice.future({ ...LIMIT, size: 0.5 }), 301, 'size 0.5');
          const { orderID } = await one(w.alice.future(LIMIT));
          const { contractSize, originalOrderSize, orderValue } = await ok(w.alice.futureOrder(orderID));
          assert.deepEqual([contractSize, originalOrderSize, orderValue], [0.00001, 10, 0.0099]);
        },
      },
      {
        row: 'timePeriod (TWAP)',
        shows: 'in seconds: what is left after 60 s is cancelled when 60 was given',
        async test(w) {
          const { orderId } = await one(w.alice.spot(TWAP_BODY));
          await w.advance(59_999);
          assert.equal((await ok(w.alice.lookup(orderId))).orderState, 'ORDER_INSERTED');
          await w.advance(1);
          const { data } = await refused(w.alice.lookup(orderId), 16, 'Order not found', 404);
          assert.equal(data.orderState, 'ORDER_CANCELLED');
        },
      },
    ],
  },
];
