import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { controlError, errorBody } from '../../src/api/gateway/error-bodies.ts';
import { ApiError, ERRORS, endingText, malformed, type Reason, refusalError } from '../../src/api/shared/errors.ts';
import { OrderIds } from '../../src/venue/contract/order-id.ts';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import type { EndReason, RefusalReason } from '../../src/venue/contract/reasons.ts';
import type { Reply, Venue } from '../../src/venue/venue.ts';

const NOW_MS = 1_767_225_600_000;
const orderIds = new OrderIds('0123456789abcdef0123456789abcdef');
const venue = { orderIds } as unknown as Venue;

/** Texts that ccxt takes for errors wherever it meets them, also in the message of a record with HTTP 200. */
const READ_AS_ERRORS = [
  'Order not found',
  'Insufficient balance',
  'Insufficient wallet balance',
  'Authentication Failed',
  'Authenticate failed',
  'Signature verification failed',
  'api parameter is mandatory',
  'Invalid nonce',
  'Invalid order size',
  'Invalid order price',
  'Maximum open orders exceeded',
  'Rate limit exceeded',
  'auto-deleveraging',
  'BADREQUEST',
];

/** The reasons, with the names of their figures, as src/venue/contract/reasons.ts lists them. */
function documented(type: string): { reason: string; params: Record<string, string> }[] {
  const source = readFileSync(new URL('../../src/venue/contract/reasons.ts', import.meta.url), 'utf8');
  const union = source.slice(source.indexOf(`export type ${type} =`)).split('\n\n')[0];
  const lines = union.matchAll(/\| '(\w+)';?(?: *\/\/ *(.*))?/g);
  return [...lines].map(([, reason, figures]) => {
    const names = (figures ?? '')
      .replace(/\(.*?\)|;.*/g, '')
      .split(',')
      .map((name) => name.trim().split(' ')[0]);
    return {
      reason,
      params: Object.fromEntries(names.filter((name) => name !== '').map((name) => [name, `<${name}>`])),
    };
  });
}

function body(error: ApiError, envelope: 'A' | 'B') {
  return errorBody(error, envelope, venue, NOW_MS) as Record<string, unknown>;
}

describe('the table', () => {
  test('every refusal of the venue says its figures, and only those it has', () => {
    const refusals = documented('RefusalReason');
    assert.ok(refusals.length > 30);
    for (const { reason, params } of refusals) {
      const error = new ApiError(reason as RefusalReason, params);
      for (const envelope of ['A', 'B'] as const) {
        assert.doesNotMatch(
          JSON.stringify(body(error, envelope)),
          /[{]\w+[}]/,
          `${reason} has figures that are not filled`,
        );
      }
    }
  });

  test('codes are those of the interface', () => {
    const expected: Partial<Record<Reason, readonly [status: number, a: number, b: number]>> = {
      malformed: [400, -2, 400],
      authenticationFailed: [401, -7, 10002],
      nonceOutsideWindow: [401, 401, 401],
      nonceReplayed: [401, 401, 401],
      permissionMissing: [403, -7, 10002],
      tooManyBadSignatures: [429, 303, 303],
      busy: [503, -11, -11],
      readOnly: [503, -11, -11],
      insufficientFunds: [400, 33199101, 51523],
      reduceOnlyWithoutPosition: [400, 33199120, 33199120],
      priceOutsideBand: [400, 33001003, 33001003],
      triggerLimitDistance: [400, 33001001, 33001001],
      sizeAboveMaximum: [400, 4051, 4003],
      sizeBelowMinimum: [400, 301, 301],
      sizeOffStep: [400, 301, 301],
      priceOffTick: [400, 302, 302],
      priceBelowMinimum: [400, 302, 302],
      priceOnWrongSide: [400, 302, 302],
      noReferencePrice: [400, 302, 302],
      noReferenceForSize: [400, 301, 301],
      tooManyOpenOrders: [400, 304, 304],
      positionModeMismatch: [400, 133, 133],
      positionModeUnchangeable: [400, 134, 134],
      unknownPosition: [400, 135, 135],
      noPosition: [400, 33199120, 33199120],
      leverageOutOfRange: [400, 13, 13],
      duplicateClientId: [400, 15, 15],
      identicalRequest: [400, 15, 15],
      unknownMarket: [400, -7006, -7006],
      marketHalted: [400, -7016, -7016],
      orderNotFound: [400, 400, 16],
    };
    for (const [reason, codes] of Object.entries(expected)) {
      const { status, A, B } = ERRORS[reason as Reason];
      assert.deepEqual([status, A, B], codes, reason);
    }
  });
});

describe('envelopes', () => {
  test('A has status, errorCode, message, extraData', () => {
    const error = malformed('side', 'is missing', 'give one of BUY, SELL');
    assert.deepEqual(body(error, 'A'), {
      status: 400,
      errorCode: -2,
      message: 'side is missing: give one of BUY, SELL',
      extraData: null,
    });
  });

  test('B has code, msg with a prefix, time, data, success', () => {
    const error = new ApiError('insufficientFunds', { currency: 'USDT', needed: '5', available: '3' });
    assert.deepEqual(body(error, 'B'), {
      code: 51523,
      msg: 'BADREQUEST: not enough USDT: 5 needed, 3 available',
      time: NOW_MS,
      data: null,
      success: false,
    });
    assert.equal(body(new ApiError('keyExpired'), 'B').msg, 'UNAUTHORIZED: Authentication Failed: the key has expired');
  });

  test('an order that is not there', () => {
    assert.equal(body(new ApiError('orderNotFound'), 'A').message, 'BAD_REQUEST: Order not found');
    const { msg, code, data } = body(new ApiError('orderNotFound', {}, { status: 404 }), 'B');
    assert.deepEqual([msg, code, data], ['BADREQUEST: Order not found', 16, null]);
  });

  test('an own order that ended is not found either, but its end is reported', () => {
    const order = { key: 4711 * 65_536, clientId: 'mine', state: 'cancelled' } as OrderView;
    const error = new ApiError('orderNotFound', {}, { about: order });
    const b = body(error, 'B');
    assert.match(String(b.msg), /^BADREQUEST: Order not found: /);
    assert.deepEqual(b.data, { orderId: orderIds.encode(order.key), clOrderId: 'mine', orderState: 'ORDER_CANCELLED' });
    assert.equal(body(error, 'A').message, 'BAD_REQUEST: Order not found: it ended as ORDER_CANCELLED');
  });

  test('what a client sent is shown shortened', () => {
    const error = new ApiError('unknownMarket', { symbol: '😀'.repeat(30_000) });
    const text = JSON.stringify(body(error, 'B'));
    assert.ok(text.length < 400);
    assert.ok(text.isWellFormed());
  });

  test('a fault that was armed has the code of a real reply of its status', () => {
    const codes = (status: number) => {
      const error = new ApiError('faultInjected', {}, { status });
      return [body(error, 'A').errorCode, body(error, 'B').code];
    };
    assert.deepEqual(codes(503), [-11, -11]);
    assert.deepEqual(codes(429), [303, 303]);
    assert.deepEqual(codes(401), [-7, 10002]);
    assert.deepEqual(codes(502), [-1, -1]);
  });

  test('the control surface names reason and field', () => {
    const error = malformed('name', 'is missing', 'give text');
    const expected = { error: { reason: 'malformed', field: 'name', message: 'name is missing: give text' } };
    assert.deepEqual(controlError(error), { status: 400, body: expected });
    assert.equal(controlError(new ApiError('accountExists', { name: 'x' })).status, 409);
    assert.equal(controlError(new ApiError('unknownAccount', { account: 1 })).status, 404);
  });
});

test("a refusal speaks the surface's field names and order ids", () => {
  const reply = {
    refusal: { reason: 'sizeBelowMinimum', params: { field: 'size', size: '0', minimum: '1' } },
    about: null,
  } as unknown as Reply;
  assert.equal(refusalError(venue, reply, { size: 'orderSize' }).params.field, 'orderSize');
  const duplicate = {
    refusal: { reason: 'duplicateClientId', params: { clientId: 'a', order: 7 } },
    about: null,
  } as unknown as Reply;
  const text = JSON.stringify(body(refusalError(venue, duplicate), 'B'));
  assert.ok(text.includes(orderIds.encode(7)));
});

test("no end of an order reads as an error in a record's message", () => {
  const ends = [...documented('EndReason'), ...documented('RefusalReason')];
  assert.ok(ends.length > 45);
  for (const { reason, params } of ends) {
    for (const figures of [params, {}]) {
      const text = endingText({ reason: reason as EndReason, params: figures });
      assert.ok(text !== null && text.length > 0, reason);
      for (const phrase of READ_AS_ERRORS) {
        assert.ok(!text.toLowerCase().includes(phrase.toLowerCase()), `${reason} says "${phrase}"`);
      }
    }
  }
  assert.equal(endingText(null), null);
});
