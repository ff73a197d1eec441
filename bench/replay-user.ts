/** A user of replay.ts, in a thread: places and cancels orders, one request after the other, and measures how long each takes. */
import { parentPort, workerData } from 'node:worker_threads';
import { BourseClient } from '../src/client/client.ts';

export interface UserOrder {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  readonly symbol: string;
  readonly price: string;
  readonly size: string;
}

export interface UserReport {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

const { url, key, secret, symbol, price, size } = workerData as UserOrder;
const client = new BourseClient({ url, key, secret });
const took: number[] = [];
let isOver = false;
parentPort?.once('message', () => {
  isOver = true;
});
const measured = async <T>(act: () => Promise<T>): Promise<T> => {
  const begun = performance.now();
  const reply = await act();
  took.push(performance.now() - begun);
  return reply;
};
while (!isOver) {
  const body = { symbol, orderType: 'LIMIT', orderSide: 'BUY', orderPrice: price, orderSize: size };
  await measured(() => client.send('POST', '/spot/api/v4/trade/orders', { body }));
  const query = { symbol };
  await measured(() => client.request('DELETE', '/spot/api/v4/trade/orders/all', { query }));
  await new Promise((resolve) => setTimeout(resolve, 20));
}
took.sort((a, b) => a - b);
const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))];
const report: UserReport = { requests: took.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: took[took.length - 1] };
parentPort?.postMessage(report);
