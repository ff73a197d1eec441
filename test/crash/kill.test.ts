/**
 * Twenty rounds of load and SIGKILL at a random moment. An acknowledged order is found once, by both ids and in the
 * balances. Any other is there once or not at all. The state equals what another process gets from the log.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { VenueError } from '../../src/client/request.ts';
import type { SpotLimit, SpotOpenOrder, SpotOrder } from '../../src/client/types.ts';
import { replay } from '../../src/engine/replay/inspect.ts';
import { seeded } from '../sim/seeded.ts';
import { bourse, printed, scratch, VenueProcess } from './process.ts';

const ROUNDS = 20;
const WORKERS = 12;
const SEED = 20_260_101;

interface Sent {
  request: SpotLimit;
  /** The id in the venue's acknowledgement. */
  orderId?: string;
}

/** A resting BUY with a unique size and price, far below the index of 100,000. */
function restingOrder(id: number): SpotLimit {
  return {
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'LIMIT',
    orderPrice: (950_000 + (id % 997)) / 10,
    orderSize: 0.001,
    clOrderId: `order-${id}`,
    timeInForce: 'GTC',
  };
}

/** Workers that place one order after the other until the venue is gone. */
class Load {
  readonly sent: Sent[] = [];
  acknowledged = 0;
  traded = 0;
  /** Resolves at the first acknowledgement, so that a slow machine is not killed before it has done anything. */
  readonly begun = Promise.withResolvers<void>();
  /** The same for the first trade. */
  readonly hasTraded = Promise.withResolvers<void>();
  readonly #venue: VenueProcess;
  readonly #firstId: number;

  constructor(venue: VenueProcess, firstId: number) {
    this.#venue = venue;
    this.#firstId = firstId;
  }

  async run(): Promise<void> {
    const resting = Array.from({ length: WORKERS }, () => this.#rest());
    await Promise.all([...resting, this.#trade()]);
  }

  async #rest(): Promise<void> {
    for (;;) {
      const order: Sent = { request: restingOrder(this.#firstId + this.sent.length) };
      this.sent.push(order);
      try {
        const [record] = await this.#venue.alice.placeSpotOrder(order.request);
        assert.equal(record.status, 2);
        order.orderId = record.orderId;
        this.acknowledged += 1;
        this.begun.resolve();
      } catch (error) {
        if (error instanceof VenueError || error instanceof assert.AssertionError) throw error;
        return;
      }
    }
  }

  /** Trades between the two accounts, so that a crash falls among fills and fees as well. */
  async #trade(): Promise<void> {
    const order: SpotLimit = {
      symbol: 'ETH-USDT',
      orderSide: 'BUY',
      orderType: 'LIMIT',
      orderPrice: 5000,
      orderSize: 0.01,
    };
    for (;;) {
      try {
        await this.#venue.alice.placeSpotOrder(order);
        const [taken] = await this.#venue.bob.placeSpotOrder({ ...order, orderSide: 'SELL' });
        this.traded += taken.totalFilledBaseSize;
        this.hasTraded.resolve();
      } catch (error) {
        if (error instanceof VenueError) throw error;
        return;
      }
    }
  }
}

async function allOf(orders: Sent[], check: (order: Sent) => Promise<void>): Promise<void> {
  const waiting = [...orders];
  const worker = async (): Promise<void> => {
    for (let order = waiting.pop(); order !== undefined; order = waiting.pop()) await check(order);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function foundByBothIds(venue: VenueProcess, { request, orderId }: Sent): Promise<void> {
  const byId = await venue.alice.spotOrder({ orderId });
  const byClientId = await venue.alice.spotOrder({ clOrderId: request.clOrderId });
  assert.deepEqual([byId.orderId, byId.clOrderId], [orderId, request.clOrderId]);
  assert.deepEqual([byClientId.orderId, byClientId.orderPrice], [orderId, request.orderPrice]);
}

/** A blind retry: the identical request is refused if the first one was carried out, and carried out if not. */
async function retried(venue: VenueProcess, order: Sent): Promise<void> {
  try {
    const [record]: SpotOrder[] = await venue.alice.placeSpotOrder(order.request);
    order.orderId = record.orderId;
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    order.orderId = (await venue.alice.spotOrder({ clOrderId: order.request.clOrderId })).orderId;
  }
}

/** In tenths of a cent, so that sums are exact: price × 10 times size × 1,000 is USDT × 10,000. */
function reservedFor(orders: readonly { orderPrice: number }[]): number {
  return orders.reduce((sum, { orderPrice }) => sum + Math.round(orderPrice * 10), 0) / 10_000;
}

/** The state that this process gets from the log of another one. */
async function stateOf(folder: string): Promise<{ seq: number; hash: string }> {
  const { seq, hash } = await replay(folder);
  return { seq, hash };
}

test(`${ROUNDS} rounds of concurrent orders and SIGKILL lose no acknowledged order and double none (seed ${SEED})`, async () => {
  const folder = join(scratch, 'killed');
  const random = seeded(SEED);
  const all: Sent[] = [];
  let traded = 0;
  let inFlight = 0;
  let venue = await VenueProcess.start(folder, '--segment-size', '65536');
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  await venue.control.setPrices('ETH-USDT', { index: 5000 });
  for (let round = 1; round <= ROUNDS; round += 1) {
    const load = new Load(venue, all.length);
    const over = load.run();
    await load.begun.promise;
    if (round === 1) await load.hasTraded.promise;
    await new Promise((resolve) => setTimeout(resolve, random() * 300));
    await venue.kill();
    await over;
    venue = await VenueProcess.start(folder, '--segment-size', '65536');
    assert.equal(venue.ready.epoch, round + 1);

    const state = await venue.control.state();
    assert.deepEqual({ seq: state.seq, hash: state.hash }, await stateOf(folder), `round ${round}`);
    const acknowledged = load.sent.filter(({ orderId }) => orderId !== undefined);
    const lost = load.sent.filter(({ orderId }) => orderId === undefined);
    assert.ok(acknowledged.length > 0, `round ${round}: nothing was acknowledged`);
    await allOf(acknowledged, (order) => foundByBothIds(venue, order));
    await allOf(lost, (order) => retried(venue, order));
    await allOf(lost, (order) => foundByBothIds(venue, order));
    inFlight += lost.length;
    traded += load.traded;
    all.push(...load.sent);

    const open: SpotOpenOrder[] = await venue.alice.openSpotOrders('BTC-USDT');
    const ids = (orders: { orderId?: string }[]) => orders.map(({ orderId }) => orderId).sort();
    assert.deepEqual(ids(open), ids(all), `round ${round}: each order is open, once`);
    const account = (await venue.control.account('alice')) as { balances: { USDT: { reserved: string } } };
    const ethOrders = await venue.alice.openSpotOrders('ETH-USDT');
    const reserved =
      reservedFor(all.map(({ request }) => ({ orderPrice: Number(request.orderPrice) }))) + ethOrders.length * 50;
    assert.equal(Number(account.balances.USDT.reserved), Math.round(reserved * 10_000) / 10_000, `round ${round}`);
    const audit = await venue.control.audit();
    assert.equal(audit.ok, true, JSON.stringify(audit));
  }
  const bob = (await venue.control.account('bob')) as { balances: { ETH: { total: string } } };
  const sold = 1_000_000 - Number(bob.balances.ETH.total);
  assert.ok(
    traded > 0 && sold >= traded - 1e-9 && sold <= traded + ROUNDS * 0.01 + 1e-9,
    `${sold} sold, ${traded} reported`,
  );
  assert.ok(inFlight > 0);
  assert.equal(await venue.stop(), 0);
  const { ok, seq, hash } = printed(bourse('verify', folder));
  assert.deepEqual({ ok, seq, hash }, { ok: true, ...(await stateOf(folder)) });
});
