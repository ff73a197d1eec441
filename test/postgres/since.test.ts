/** Topics with `@SEQ` on a log in PostgreSQL: at the leader, at its standby, and across a take-over. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { SpotLimit } from '../../src/client/types.ts';
import { scratch, type VenueProcess } from '../crash/process.ts';
import { Client } from '../support/client.ts';
import { type Frame, StreamClient } from '../support/stream-client.ts';
import { endServers, PostgresServer, skipLong } from './server.ts';
import { started, starting, untilReady } from './venue.ts';

const SINGLE = '--accept-single-node';
const ALICE = { key: 'alice-key', secret: 'alice-secret' };
const ORDERS = 'notificationApiV3';
const ORDER: SpotLimit = {
  symbol: 'ETH-USDT',
  orderSide: 'BUY',
  orderType: 'LIMIT',
  orderPrice: 5000,
  orderSize: 0.01,
};

interface Fill {
  readonly serialId: number;
  readonly orderId: string;
}

describe('topics after a seq, on a log in PostgreSQL', { skip: skipLong }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(endServers);

  test('a client that gives the seq of its last frame misses nothing and gets nothing twice, at a standby and at the next leader', async () => {
    const address = server.database('since');
    const leader = await started(address, join(scratch, 'since-1'), SINGLE);
    await leader.control.setPrices('ETH-USDT', { index: 5000 });
    const node = starting(address, join(scratch, 'since-2'), SINGLE, '--standby');
    const { ready: standby, errors } = await node.outcome;
    assert.ok(standby !== undefined, errors);
    await untilReady(standby);
    const { seq: begin } = (await leader.control.state()) as { seq: number };

    const live = await signedIn(leader, `fills@${begin}`, `${ORDERS}@${begin}`);
    await trade(leader, 5);
    const first = await framesUpTo(live, await seqOf(leader));
    const there = await signedIn(standby, `fills@${begin}`, `${ORDERS}@${begin}`);
    assert.deepEqual(byTopic(await frames(there, first.length)), byTopic(first), 'the standby sends the same frames');

    const known = Math.max(...first.map(({ seq }) => seq));
    live.close();
    await trade(leader, 5);
    const last = await seqOf(leader);
    const followed = await framesUpTo(there, last);
    await leader.kill();
    const led = await node.leading;
    assert.ok(led !== undefined, node.errors);
    const again = await signedIn(led, `fills@${known}`, `${ORDERS}@${known}`);
    await trade(led, 5);
    const rest = await framesUpTo(again, await seqOf(led));
    assert.ok(rest.every(({ seq }) => seq > known));
    // Not frame by frame: two batches of the old leader may be one of the past.
    const missed = contentsOf(rest.filter(({ seq }) => seq <= last));
    assert.deepEqual(missed, contentsOf(followed), 'what the follower got live, the late client gets from the log');

    const got = [...first, ...rest].filter(({ topic }) => topic === 'fills').flatMap(({ data }) => data as Fill[]);
    assert.deepEqual(idsOf(got), idsOf(await historyOf(led)), 'the fills are those of trade_history, each once');
    assert.ok(got.length >= 15);
    assert.equal(await led.stop(), 0);
  });
});

async function signedIn(venue: VenueProcess, ...topics: string[]): Promise<StreamClient> {
  const client = await StreamClient.open(venue.ready.http, '/ws/spot');
  assert.equal((await client.login(ALICE)).success, true);
  assert.deepEqual(await client.subscribe(...topics), topics);
  return client;
}

/** A trade of alice, who buys, with bob, so many times. */
async function trade(venue: VenueProcess, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await venue.alice.placeSpotOrder(ORDER);
    await venue.bob.placeSpotOrder({ ...ORDER, orderSide: 'SELL' });
  }
}

async function seqOf(venue: VenueProcess): Promise<number> {
  return ((await venue.control.state()) as { seq: number }).seq;
}

async function frames(client: StreamClient, count: number): Promise<Frame[]> {
  const found: Frame[] = [];
  while (found.length < count) found.push(await client.next());
  return found;
}

/** All frames until both topics have reached the seq. */
async function framesUpTo(client: StreamClient, seq: number): Promise<Frame[]> {
  const found: Frame[] = [];
  const reached = new Map<string, number>();
  while ([ORDERS, 'fills'].some((topic) => (reached.get(topic) ?? 0) < seq)) {
    const frame = await client.next();
    found.push(frame);
    reached.set(frame.topic, frame.seq);
  }
  return found;
}

function byTopic(all: readonly Frame[]): Record<string, Frame[]> {
  return Object.fromEntries([ORDERS, 'fills'].map((topic) => [topic, all.filter((frame) => frame.topic === topic)]));
}

/** What the frames of each topic hold, without how it is divided into frames. */
function contentsOf(all: readonly Frame[]): Record<string, unknown[]> {
  const topics = Object.entries(byTopic(all));
  return Object.fromEntries(topics.map(([topic, found]) => [topic, found.flatMap(({ data }) => data)]));
}

const idsOf = (fills: readonly Fill[]) => fills.map(({ serialId, orderId }) => [serialId, orderId]);

/** Oldest first. */
async function historyOf(venue: VenueProcess): Promise<Fill[]> {
  const reader = new Client(venue.ready.http, ALICE);
  for (;;) {
    const query = { symbol: 'ETH-USDT', count: '500' };
    const { status, body } = await reader.call('GET', '/spot/api/v3.3/user/trade_history', { query });
    if (status === 200) return (body as Fill[]).toReversed();
    assert.equal(status, 503);
  }
}
