/**
 * SIGKILL under streams: whatever a client was sent is in the history after the restart, and a client that connects again
 * begins with a snapshot that continues to be true.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { VenueError } from '../../src/client/request.ts';
import type { SpotLimit } from '../../src/client/types.ts';
import { seeded } from '../sim/seeded.ts';
import { Client } from '../support/client.ts';
import { HeldBook, StreamClient } from '../support/stream-client.ts';
import { scratch, VenueProcess } from './process.ts';

const ROUNDS = 5;
const SEED = 20_260_102;
const ALICE = { key: 'alice-key', secret: 'alice-secret' };
const ORDER: SpotLimit = {
  symbol: 'ETH-USDT',
  orderSide: 'BUY',
  orderType: 'LIMIT',
  orderPrice: 5000,
  orderSize: 0.01,
};

/** Trades, and a growing book, until the venue is gone. */
async function trade(venue: VenueProcess, onTraded: () => void): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      await venue.alice.placeSpotOrder(ORDER);
      await venue.alice.placeSpotOrder({ ...ORDER, orderPrice: 4000 + (i % 80) });
      await venue.bob.placeSpotOrder({ ...ORDER, orderSide: 'SELL' });
      onTraded();
    } catch (error) {
      if (error instanceof VenueError) throw error;
      return;
    }
  }
}

/** What the book holds, from the request for it. */
async function bookOf(venue: VenueProcess) {
  const response = await fetch(`${venue.ready.http}/spot/api/v3.3/orderbook/L2?symbol=ETH-USDT&depth=50`);
  const { buyQuote, sellQuote } = (await response.json()) as Record<string, { price: string; size: string }[]>;
  const levels = (quotes: { price: string; size: string }[]) => quotes.map(({ price, size }) => [price, size]);
  return { bids: levels(buyQuote), asks: levels(sellQuote) };
}

test(`${ROUNDS} rounds of SIGKILL: no fill was sent that the history does not have (seed ${SEED})`, async () => {
  const folder = join(scratch, 'streamed');
  const random = seeded(SEED);
  const notified = new Map<number, string>();
  for (let round = 0; round < ROUNDS; round++) {
    const venue = await VenueProcess.start(folder);
    const client = await StreamClient.open(venue.ready.http, '/ws/spot');
    assert.equal((await client.login(ALICE)).success, true);
    await client.subscribe('fills');
    const books = await StreamClient.open(venue.ready.http, '/ws/oss/spot');
    await books.subscribe('update:ETH-USDT_0');
    const snapshot = await books.next();
    const held = new HeldBook();
    held.fold(snapshot);
    assert.deepEqual([snapshot.data.type, snapshot.data.seqNum], ['snapshot', 1], 'the numbers begin again');
    assert.deepEqual(held.sides(), await bookOf(venue), 'the snapshot is the book');

    let trades = 0;
    const enough = Promise.withResolvers<void>();
    const most = 5 + Math.floor(random() * 60);
    const load = trade(venue, () => {
      trades += 1;
      if (trades === most) enough.resolve();
    });
    await enough.promise;
    venue.child.kill('SIGKILL');
    await Promise.all([venue.ended, load, client.closed, books.closed]);
    for (const { data } of client.taken()) {
      for (const { serialId, orderId } of data) notified.set(serialId, orderId);
    }
    for (const frame of books.taken()) held.fold(frame);
  }
  assert.ok(notified.size >= ROUNDS * 5);

  const venue = await VenueProcess.start(folder);
  const reader = new Client(venue.ready.http, ALICE);
  const history = new Map<number, string>();
  for (let beforeSerialId = '999999999'; ; ) {
    const query = { symbol: 'ETH-USDT', count: '500', beforeSerialId };
    const { status, body } = await reader.call('GET', '/spot/api/v3.3/user/trade_history', { query });
    // The archive is not where the venue is yet. Each such reply has waited for it.
    if (status === 503) continue;
    if (body.length === 0) break;
    for (const { serialId, orderId } of body) history.set(serialId, orderId);
    beforeSerialId = String(body.at(-1).serialId);
  }
  for (const [serialId, orderId] of notified) assert.equal(history.get(serialId), orderId, `trade ${serialId}`);
});
