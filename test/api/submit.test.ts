import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestDigest } from '../../src/api/shared/submit.ts';
import { value } from './support.ts';

describe('the digest of a request', () => {
  const one = { symbol: 'BTC-USDT', size: value('0.010'), clOrderId: 'a' };

  test('is the same for the same values, however they were written or ordered', () => {
    const other = { clOrderId: 'a', size: value('1e-2'), symbol: 'BTC-USDT', postOnly: undefined };
    assert.equal(requestDigest('place', one, 'a'), requestDigest('place', other, 'a'));
  });

  test('is another for another operation, value or field', () => {
    const digests = [
      requestDigest('place', one, 'a'),
      requestDigest('algo', one, 'a'),
      requestDigest('place', { ...one, size: value('0.1') }, 'a'),
      requestDigest('place', { ...one, clOrderId: '0.1' }, '0.1'),
      requestDigest('place', { ...one, clOrderId: '0.10' }, '0.10'),
      requestDigest('place', { ...one, postOnly: false }, 'a'),
    ];
    assert.equal(new Set(digests).size, digests.length);
    for (const digest of digests) assert.match(digest ?? '', /^[\w-]{43}$/);
  });

  test('is absent without a client id', () => {
    assert.equal(requestDigest('place', one, null), null);
    assert.equal(requestDigest('place', one, undefined), null);
  });
});
