/** What an unknown name is said to mean: by the sense of its words first, by spelling second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editDistance, nearest, nearestName } from '../../src/config/nearest.ts';
import { KnownPaths } from '../../src/config/nearest-path.ts';

const LIMIT = 'symbol orderSide clOrderId orderType orderSize orderPrice timeInForce postOnly';
const MARKET_BUY = 'symbol orderSide clOrderId orderType quoteOrderSize';
const OCO = `${LIMIT} takeProfitOrderPrice stopLossOrderPrice stopLossTriggerPrice stopLossTriggerPriceType`;
const CONDITIONAL = 'symbol orderSide orderType triggerPrice triggerOrderType triggerPriceType orderSize';

for (const [name, known, meant] of [
  ['orderSize', MARKET_BUY, 'quoteOrderSize'],
  ['ordersize', MARKET_BUY, 'quoteOrderSize'],
  ['size', MARKET_BUY, 'quoteOrderSize'],
  ['amount', MARKET_BUY, 'quoteOrderSize'],
  ['quoteOrderSize', LIMIT, 'orderSize'],
  ['quantity', LIMIT, 'orderSize'],
  ['price', LIMIT, 'orderPrice'],
  ['limitPrice', LIMIT, 'orderPrice'],
  ['side', LIMIT, 'orderSide'],
  ['sde', LIMIT, 'orderSide'],
  ['time_in_force', LIMIT, 'timeInForce'],
  ['clOrderID', LIMIT, 'clOrderId'],
  ['newClientOrderId', LIMIT, 'clOrderId'],
  ['market', LIMIT, 'symbol'],
  ['stopPrice', CONDITIONAL, 'triggerPrice'],
  ['triggerPrice', OCO, 'stopLossTriggerPrice'],
  ['stopPrice', OCO, 'stopLossOrderPrice'],
  ['takeProfitPrice', OCO, 'takeProfitOrderPrice'],
  ['trigerprice', CONDITIONAL, 'triggerPrice'],
  ['acounts', 'accounts markets clock', 'accounts'],
  ['fee', 'fees band liquidationFee', 'fees'],
  ['markets', 'account market clock', 'market'],
  ['stepSize', 'tick step minSize maxSize', 'step'],
] as const) {
  test(`${name} means ${meant}`, () => assert.equal(nearestName(name, known.split(' ')), meant));
}

for (const [why, name, known] of [
  ['it is a size, no misspelt side', 'orderSize', 'symbol orderSide orderPrice'],
  ['a stop must not become a limit', 'stopPrice', LIMIT],
  ['a trigger must not become a limit', 'triggerPrice', LIMIT],
  ['two prices are equally near', 'price', 'takeProfitOrderPrice stopLossOrderPrice'],
  ['nothing is near', 'color', LIMIT],
  ['a long name is no near miss', 'x'.repeat(65), LIMIT],
] as const) {
  test(`${name.slice(0, 20)} means nothing: ${why}`, () => assert.equal(nearestName(name, known.split(' ')), null));
}

const PATHS = [
  '/spot/api/v4/trade/orders',
  '/spot/api/v4/trade/orders/algo',
  '/spot/api/v4/trade/order',
  '/spot/api/v3.3/user/wallet',
  '/spot/api/v3.3/order',
  '/spot/api/v3.2/user/wallet',
  '/futures/api/v2.3/order',
  '/futures/api/v2.3/order/cancelAllAfter',
  '/futures/api/v2.3/user/wallet',
  '/futures/api/v3/trade/orders',
  '/public-api/market/v1/markets',
  '/control/v1/accounts/{account}/keys',
];
for (const [path, ...meant] of [
  ['/spot/api/v4/trade/orders/', '/spot/api/v4/trade/orders'],
  ['//spot/api//v4/trade/orders', '/spot/api/v4/trade/orders'],
  ['/api/v4/trade/orders', '/spot/api/v4/trade/orders'],
  ['/api/v4/trade/order', '/spot/api/v4/trade/order'],
  ['/trade/orders', '/spot/api/v4/trade/orders', '/futures/api/v3/trade/orders'],
  ['/Spot/Api/V4/Trade/Orders', '/spot/api/v4/trade/orders'],
  ['/spot/api/v4/trade/ordres', '/spot/api/v4/trade/orders'],
  ['/spot/api/v4/trade/oders/algo', '/spot/api/v4/trade/orders/algo'],
  ['/futures/api/v3/orders', '/futures/api/v3/trade/orders'],
  ['/futures/api/v2.3/order/cancel_all_after', '/futures/api/v2.3/order/cancelAllAfter'],
  ['/public-api/market/markets', '/public-api/market/v1/markets'],
  ['/control/v1/acounts/bob/keys', '/control/v1/accounts/{account}/keys'],
  ['/control/v1/accounts/bob/key', '/control/v1/accounts/{account}/keys'],
  ['/markets', '/public-api/market/v1/markets'],
  // Too many, or none.
  ['/api'],
  ['/'],
  ['/x'],
  ['/futures/api/v9/some/other/thing'],
  ['/spt/ap/v4/trde/orders'],
  [`/${'spot/'.repeat(30)}`],
  [`/spot/api/v4/trade/${'orders'.repeat(30)}`],
]) {
  const outcome = meant.length === 0 ? 'no path' : meant.join(' and ');
  test(`the path ${path.slice(0, 50)} means ${outcome}`, () =>
    assert.deepEqual(new KnownPaths(PATHS).nearest(path), meant));
}

test('nearest goes by spelling, letter case aside', () => {
  assert.equal(nearest('BTCUSDT', ['ETH-USDT', 'btc-usdt']), 'btc-usdt');
  assert.equal(nearest('XRP-EUR', ['BTC-USDT']), null);
});

test('a distance with a bound is the distance up to the bound, and above it otherwise', () => {
  const words = ['', 'a', 'BTCUSDT', 'BTXUSD', 'USDTBTC', 'ETHPERP', 'BTCPERPUSDT', 'BTCUSDTT'];
  for (const a of words) {
    for (const b of words) {
      const distance = editDistance(a, b);
      for (let most = 0; most <= 12; most++) {
        const bounded = editDistance(a, b, most);
        if (distance <= most) assert.equal(bounded, distance, `${a} ${b} ${most}`);
        else assert.ok(bounded > most, `${a} ${b} ${most}: ${bounded}`);
      }
    }
  }
});

test('a bound of letters refuses words that are further away', () => {
  assert.equal(nearest('BTXUSDT', ['ETHUSDT', 'BTCUSDT'], 2), 'BTCUSDT');
  assert.equal(nearest('XYZUSDT', ['ETHUSDT', 'BTCUSDT'], 2), null);
});
