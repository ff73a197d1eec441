/**
 * Follows a book and the own orders, places an order, reads it, and cancels it.
 *
 *     BOURSE_KEY=… BOURSE_SECRET=… npx node example.mjs
 */
import { BourseClient } from 'bourse/client';

const { BOURSE_URL: url = 'http://127.0.0.1:8080', BOURSE_KEY: key, BOURSE_SECRET: secret } = process.env;
const symbol = 'BTC-USDT';
const client = new BourseClient({ url, key, secret });

let book;
await client.subscribeBook('spot', symbol, (now) => {
  book = now;
});
console.log('bid', ...book.bids[0], 'ask', ...book.asks[0]);

const cancelled = Promise.withResolvers();
await client.subscribe('spot', 'notificationApiV3', ({ clOrderID, status }) => {
  console.log('notified of', clOrderID, 'status', status);
  if (status === 6) cancelled.resolve();
});

// The worst bid of the book: an order there waits.
const [orderPrice] = book.bids.at(-1);
const clOrderId = `example-${Date.now()}`;
const order = { symbol, orderSide: 'BUY', orderType: 'LIMIT', orderSize: '0.001', orderPrice, clOrderId };
const [{ orderId }] = await client.placeSpotOrder(order);
console.log('placed', clOrderId, 'at', orderPrice);

const { orderState } = await client.spotOrder({ orderId });
console.log('read', orderState);

await client.cancelSpotOrder(symbol, { orderId });
await cancelled.promise;
client.close();
