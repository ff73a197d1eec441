/**
 * The requests of the HTTP benchmark: signed placements of small spot LIMIT GTC orders by many accounts, as whole HTTP
 * requests ready for a socket.
 *
 * A SELL and a BUY of the same price and size follow each other, over a handful of prices. About half of the orders
 * rest, the others trade with them, and the book stays as long as the number of requests in progress, however long the
 * benchmark runs. Sellers and buyers are different accounts, so nobody meets an own order.
 */
import { createHmac } from 'node:crypto';

export interface Trader {
  readonly name: string;
  readonly key: string;
  readonly secret: string;
}

export const TARGET = '/spot/api/v4/trade/orders';
/** The part of the path that is signed. */
export const SIGNED_PATH = '/api/v4/trade/orders';
const TRADERS = 128;
const PRICES = 16;
const SIZES = 5;

/** Every other one sells. */
export const traders: readonly Trader[] = Array.from({ length: TRADERS }, (_, i) => {
  const digits = String(i).padStart(60, '0');
  return { name: `trader-${i}`, key: `key-${digits}`, secret: `secret-${digits}` };
});

/** Listens to the streams, and never trades. */
export const listener: Trader = { name: 'listener', key: 'key-of-the-listener', secret: 'secret-of-the-listener' };

/** The `i`-th request of a run that begins at `startMs`. Its nonce is unique, and grows when every trader has sent. */
export function requestBytes(i: number, startMs: number, host: string): Buffer {
  const trader = traders[i % TRADERS];
  const body = JSON.stringify(orderOf(i));
  const nonce = String(startMs + Math.floor(i / TRADERS));
  const signature = createHmac('sha384', trader.secret).update(`${SIGNED_PATH}${nonce}${body}`).digest('hex');
  return Buffer.from(
    `POST ${TARGET} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `request-api: ${trader.key}\r\nrequest-nonce: ${nonce}\r\nrequest-sign: ${signature}\r\n\r\n${body}`,
  );
}

export function orderOf(i: number) {
  const pair = Math.floor(i / 2);
  return {
    symbol: 'BTC-USDT',
    orderSide: i % 2 === 0 ? 'SELL' : 'BUY',
    orderType: 'LIMIT',
    orderPrice: (500_000 + (pair % PRICES)) / 10,
    orderSize: (10 + (pair % SIZES)) / 100_000,
    timeInForce: 'GTC',
  };
}
