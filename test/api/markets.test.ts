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
});

for (const [product, name, hint] of [
  ['spot', 'BTC-PERP', /: it is a perpetual, which the futures routes trade/],
  ['spot', 'BTC-PERP-USDT', /: it is a perpetual, which the futures routes trade/],
  ['futures', 'BTC-USDT', /: it is a spot pair, which the spot routes trade/],
  ['spot', 'BTCUSDT', /; did you mean BTC-USDT\?/],
  ['spot', 'XRP-EUR', /; there are BTC-USDT, ETH-USDT"/],
] as const) {
  test(`${name} on ${product} is told what it may have meant`, () => {
    const text = refused(() => findMarket(venue, product, name));
    assert.match(text, /^unknownMarket/);
    assert.match(text, hint);
  });
}
