import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMarket } from '../../src/api/markets.ts';
import { defaultMarkets } from '../support/markets.ts';
import { refused } from './support.ts';

const { spot, perpetual, venue } = defaultMarkets();

test('markets by the names that each surface knows', () => {
  assert.equal(findMarket(venue, 'spot', 'BTC-USDT'), spot);
  for (const name of ['BTC-PERP', 'BTC-PERP-USDT', 'BTCPFC'])
    assert.equal(findMarket(venue, 'futures', name, true), perpetual);
  assert.equal(findMarket(venue, 'futures', 'BTC-PERP'), perpetual);
  for (const name of ['BTC-PERP-USDT', 'BTCPFC', 'BTC-USDT', 'btc-perp', '']) {
    assert.match(
      refused(() => findMarket(venue, 'futures', name)),
      /unknownMarket/,
    );
  }
  assert.match(
    refused(() => findMarket(venue, 'spot', 'BTC-PERP')),
    /unknownMarket/,
  );
});
