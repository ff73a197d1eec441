import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMarket, marketId, unknownMarket } from '../../src/api/shared/markets.ts';
import { defaultMarkets } from '../support/markets.ts';
import { refused } from './support.ts';

const { spot, perpetual, venue } = defaultMarkets();

test('markets by the names that each surface knows', () => {
  assert.equal(findMarket(venue, 'spot', 'BTC-USDT'), spot);
  for (const name of ['BTC-PERP', 'BTC-PERP-USDT', 'BTCPFC'])
    assert.equal(findMarket(venue, 'futures', name, { legacyNames: true }), perpetual);
  assert.equal(findMarket(venue, 'futures', 'BTC-PERP'), perpetual);
  for (const name of ['BTC-PERP-USDT', 'BTCPFC', 'BTC-USDT', 'btc-perp', '']) {
    assert.match(
      refused(() => findMarket(venue, 'futures', name)),
      /unknownMarket/,
    );
  }
});

for (const [product, name, hint] of [
  ['spot', 'BTC-PERP', /: it is a perpetual, use the futures routes; these routes have BTC-USDT"/],
  ['spot', 'BTC-PERP-USDT', /: it is a perpetual, use the futures routes; these routes have BTC-USDT"/],
  ['spot', 'BTCPERP', /: it is a perpetual, use the futures routes/],
  ['futures', 'BTC-USDT', /: it is a spot pair, use the spot routes; these routes have BTC-PERP"/],
  ['futures', 'BTCUSDT', /: it is a spot pair, use the spot routes; these routes have BTC-PERP"/],
  ['futures', 'BTC/USDT:USDT', /; did you mean BTC-PERP\?/],
  ['futures', 'BTCPERP', /; did you mean BTC-PERP\?/],
  ['futures', 'BTC-PERP-USDT', /; did you mean BTC-PERP\?/],
  ['futures', 'BTCPFC', /; did you mean BTC-PERP\?/],
  ['spot', 'BTCUSDT', /; did you mean BTC-USDT\?/],
  ['spot', 'eth_usdt', /; did you mean ETH-USDT\?/],
  ['spot', 'ETH/USDT', /; did you mean ETH-USDT\?/],
  ['spot', 'ETH', /; did you mean ETH-USDT\?/],
  ['spot', 'ETH-USD', /; did you mean ETH-USDT\?/],
  ['spot', 'ETH-USDC', /; did you mean ETH-USDT\?/],
  ['spot', 'BTC-UDST', /; did you mean BTC-USDT\?/],
  ['spot', 'XRP-EUR', /; there are BTC-USDT, ETH-USDT"/],
  ['spot', 'SOL-USDT', /; there are BTC-USDT, ETH-USDT"/],
  ['spot', '', /; there are BTC-USDT, ETH-USDT"/],
] as const) {
  test(`${name} on ${product} gets a hint of what it may have meant`, () => {
    const text = refused(() => findMarket(venue, product, name));
    assert.match(text, /^unknownMarket/);
    assert.match(text, hint);
  });
}

for (const [name, meant] of [
  ['BTCUSDT', 'BTC-USDT'],
  ['BTCPERP', 'BTC-PERP-USDT'],
  ['BTC-PERP-USD', 'BTC-PERP-USDT'],
  ['ETHPFC', 'ETH-PERP-USDT'],
  ['eth/usdt', 'ETH-USDT'],
] as const) {
  test(`${name} on market v1 gets the hint ${meant}`, () => {
    assert.deepEqual(unknownMarket(venue, name, null, marketId).params, {
      symbol: name,
      hint: `; did you mean ${meant}?`,
    });
  });
}
