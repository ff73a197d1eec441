/** What an unknown name is said to mean: by the sense of its words first, by spelling second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest, nearestName } from '../../src/config/nearest.ts';

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

test('nearest goes by spelling, letter case aside', () => {
  assert.equal(nearest('BTCUSDT', ['ETH-USDT', 'btc-usdt']), 'btc-usdt');
  assert.equal(nearest('XRP-EUR', ['BTC-USDT']), null);
});
