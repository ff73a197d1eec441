/**
 * A venue with a live order of every kind is killed and started again, several times, beside a twin that is not: two
 * processes on two copies of one folder, with the same input. Every reply, the state hash after every step and the end
 * of each order must be the same.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, type Json, ok } from '../support/client.ts';
import { EVERY_KIND, type Kind } from './every-kind.ts';
import { bourse, printed, scratch, VenueProcess } from './process.ts';

const SPOT = 'BTC-USDT';
const PERP = 'BTC-PERP';
const ETH = 'ETH-PERP';
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const CONFIGURATION = {
  accounts: ['alice', 'bob', 'carol', 'dave'].map((name) => ({
    name,
    balances: { USDT: 1_000_000, BTC: 1000 },
    keys: [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read', 'trading'] }],
  })),
  insuranceFund: { USDT: 1000 },
};

/** An order of one of the kinds, or one that it created: how it is looked up, and how it must end. */
interface Watched {
  readonly name: string;
  readonly by: string;
  readonly product: 'spot' | 'futures';
  readonly orderId: string;
  /** According to the archive. */
  readonly ends: string;
  ended: boolean;
}

class Twins {
  /** The folder of the twin that is not killed, and of the other. */
  readonly folders: readonly [string, string];
  readonly watched: Watched[] = [];
  readonly #flags: readonly string[];
  readonly #undisturbed: VenueProcess;
  #killed: VenueProcess;

  private constructor(
    folders: [string, string],
    flags: readonly string[],
    undisturbed: VenueProcess,
    killed: VenueProcess,
  ) {
    this.folders = folders;
    this.#flags = flags;
    this.#undisturbed = undisturbed;
    this.#killed = killed;
  }

  static async start(): Promise<Twins> {
    const configFile = join(scratch, 'twin.json');
    fs.writeFileSync(configFile, JSON.stringify(CONFIGURATION));
    const flags = ['--config', configFile, '--clock', 'manual'];
    const [one, other] = [join(scratch, 'undisturbed'), join(scratch, 'killed')];
    await (await VenueProcess.start(one, ...flags)).stop();
    fs.cpSync(one, other, { recursive: true });
    return new Twins(
      [one, other],
      flags,
      await VenueProcess.start(one, ...flags),
      await VenueProcess.start(other, ...flags),
    );
  }

  /** Does the same to both. The results must be equal. */
  async both<T>(act: (venue: VenueProcess) => Promise<T>): Promise<T> {
    const [expected, found] = await Promise.all([act(this.#undisturbed), act(this.#killed)]);
    assert.deepEqual(found, expected);
    return expected;
  }

  call(by: string, method: string, path: string, body?: Json, query?: Record<string, string>): Promise<Json> {
    return this.both((venue) => ok(clientOf(venue, by).call(method, path, { body, query })));
  }

  control(method: string, path: string, body?: Json): Promise<Json> {
    return this.both((venue) => venue.control.request(method, path, body) as Promise<Json>);
  }

  advance(ms: number): Promise<Json> {
    return this.control('POST', '/clock', { advance: ms });
  }

  /** Seq, time, hash and counts. Only the number of starts differs. */
  state(): Promise<Json> {
    return this.both(async (venue) => {
      const { epoch: _, ...state } = await venue.control.state();
      return state;
    });
  }

  /** Kills one of the two as a power cut would, and starts it again. */
  async kill(): Promise<void> {
    const before = await this.state();
    await this.#killed.kill();
    this.#killed = await VenueProcess.start(this.folders[1], ...this.#flags);
    assert.deepEqual(await this.state(), before);
  }

  /** A snapshot of the one that is killed. */
  async snapshot(): Promise<void> {
    await this.#killed.control.request('POST', '/snapshot');
  }

  async stop(): Promise<void> {
    assert.deepEqual(await Promise.all([this.#undisturbed.stop(), this.#killed.stop()]), [0, 0]);
  }
}

function clientOf(venue: VenueProcess, name: string): Client {
  return new Client(venue.ready.http, { key: `${name}-key`, secret: `${name}-secret` });
}

/** Bob fills the books: one tick on either side, and more after it. Crossing orders of others trade with it. */
async function quote(twins: Twins, price: number): Promise<void> {
  for (const away of [1, 2]) {
    for (const side of ['BUY', 'SELL']) {
      const at = side === 'BUY' ? price - away : price + away;
      const spot = { symbol: SPOT, orderType: 'LIMIT', orderSide: side, orderPrice: at, orderSize: 8 };
      await twins.call('bob', 'POST', '/spot/api/v4/trade/orders', spot);
      const future = { symbol: PERP, side, type: 'LIMIT', price: at, size: 800_000 };
      await twins.call('bob', 'POST', '/futures/api/v2.3/order', future);
      await twins.call('bob', 'POST', '/futures/api/v2.3/order', { ...future, symbol: ETH, size: 40_000 });
    }
  }
}

async function withdrawQuotes(twins: Twins): Promise<void> {
  await twins.call('bob', 'DELETE', '/spot/api/v4/trade/orders/all', undefined, { symbol: SPOT });
  for (const symbol of [PERP, ETH]) await twins.call('bob', 'DELETE', '/futures/api/v2.3/order', undefined, { symbol });
}

async function setPrices(twins: Twins, price: number): Promise<void> {
  await twins.control('POST', '/prices', { symbol: SPOT, index: price, last: price });
  for (const symbol of [PERP, ETH]) {
    await twins.control('POST', '/prices', { symbol, index: price, mark: price, last: price });
  }
}

/** Moves the market to a price, and time with it. */
async function move(twins: Twins, price: number): Promise<void> {
  await setPrices(twins, price);
  await twins.advance(3 * SECOND_MS);
  await withdrawQuotes(twins);
  await quote(twins, price);
  await twins.advance(4 * SECOND_MS);
}

/** Positions in every mode: alice's in one way, carol's long and short, and two isolated ones. */
async function openPositions(twins: Twins): Promise<void> {
  const take = (by: string, fields: Json): Promise<Json> =>
    twins.call(by, 'POST', '/futures/api/v2.3/order', { symbol: PERP, type: 'MARKET', size: 200_000, ...fields });
  await twins.call('carol', 'POST', '/futures/api/v2.3/position_mode', { symbol: PERP, positionMode: 'HEDGE' });
  await twins.call('carol', 'POST', '/futures/api/v2.3/position_mode', { symbol: ETH, positionMode: 'ISOLATED' });
  await take('alice', { side: 'BUY' });
  await take('carol', { side: 'BUY' });
  await take('carol', { side: 'SELL' });
  await take('carol', { symbol: ETH, side: 'BUY', size: 10_000 });
  await take('carol', { symbol: ETH, side: 'SELL', size: 20_000 });
  await twins.call('carol', 'POST', '/futures/api/v2.3/order/bind/tpsl', {
    ...{ symbol: PERP, side: 'SELL', positionMode: 'HEDGE', takeProfitPrice: 115, stopLossPrice: 94 },
  });
  const modes = [];
  for (const by of ['alice', 'carol']) {
    const { positions } = await twins.control('GET', `/accounts/${by}`);
    for (const { symbol, positionMode, direction } of positions) modes.push(`${symbol} ${positionMode} ${direction}`);
  }
  assert.deepEqual(modes, [
    'BTC-PERP ONE_WAY LONG',
    'BTC-PERP HEDGE LONG',
    'BTC-PERP HEDGE SHORT',
    'ETH-PERP ISOLATED LONG',
    'ETH-PERP ISOLATED SHORT',
  ]);
}

async function place(twins: Twins, { name, by, path, body, alive, ends }: Kind): Promise<void> {
  const records: Json[] = await twins.call(by, 'POST', path, body);
  assert.deepEqual(
    records.map(({ status }) => status),
    alive,
    name,
  );
  const product = path.startsWith('/spot') ? 'spot' : 'futures';
  records.forEach((record, i) => {
    const orderId: string = record.orderId ?? record.orderID;
    twins.watched.push({
      name: `${name}${i === 0 ? '' : ', second leg'}`,
      by,
      product,
      orderId,
      ends: ends[i],
      ended: false,
    });
  });
}

/** True if an order lives. Its trader sees its state, or its end, in the same words on both. */
async function lives(twins: Twins, { name, by, product, orderId }: Watched): Promise<boolean> {
  const { status, body } = await twins.both(async (venue) => {
    const client = clientOf(venue, by);
    const { status, body } = await (product === 'spot' ? client.lookup(orderId) : client.futureOrder(orderId));
    return { status, body: { ...body, time: null } };
  });
  if (product === 'spot') {
    assert.ok(status === 200 || body.data !== null, `${name} is known`);
    return status === 200;
  }
  assert.equal(status, 200, `${name} is known`);
  return ![4, 6, 15].includes(body.status);
}

/** Names of the watched orders that live. */
async function living(twins: Twins): Promise<string[]> {
  const names: string[] = [];
  for (const watched of twins.watched.filter(({ ended }) => !ended)) {
    watched.ended = !(await lives(twins, watched));
    if (!watched.ended) names.push(watched.name);
  }
  return names;
}

/** Partly fills two orders, and creates the attached take-profit and stop-loss of one of them. */
async function fillInPart(twins: Twins): Promise<void> {
  const sell = { orderType: 'LIMIT', orderSide: 'SELL', orderPrice: 99.5, orderSize: 1, timeInForce: 'IOC' };
  await twins.call('dave', 'POST', '/spot/api/v4/trade/orders', { symbol: SPOT, ...sell });
  const short = { symbol: PERP, side: 'SELL', type: 'LIMIT', price: 99.5, size: 40_000, time_in_force: 'IOC' };
  await twins.call('dave', 'POST', '/futures/api/v2.3/order', short);
  const parent = twins.watched.find(({ name }) => name === 'futures LIMIT with TP and SL, partly filled') as Watched;
  const query = { orderID: parent.orderId };
  const found = await twins.call(parent.by, 'GET', '/futures/api/v2.3/order', undefined, query);
  for (const [which, ends] of [
    ['takeProfitOrder', 'filled'],
    ['stopLossOrder', 'cancelled bracketSiblingDone'],
  ] as const) {
    twins.watched.push({ ...parent, name: `futures attached ${which}`, orderId: found[which].orderId, ends });
  }
}

/** Moves the market from price to price. */
async function go(twins: Twins, prices: readonly number[]): Promise<void> {
  for (const price of prices) {
    await move(twins, price);
    await twins.state();
  }
}

/** Moves time, with a stop right after each deadline. An ended order is found for half an hour. */
async function pass(twins: Twins, times: readonly number[]): Promise<void> {
  for (const ms of times) {
    await twins.advance(ms);
    await twins.state();
    await living(twins);
  }
}

function exported(folder: string, what: string): Json[] {
  const { status, stdout, stderr } = bourse('export', folder, '--what', what, '--format', 'json');
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('an order of every kind ends as it would have without the kills', async () => {
  const twins = await Twins.start();
  await setPrices(twins, 100);
  await quote(twins, 100);
  await openPositions(twins);
  for (const kind of EVERY_KIND) await place(twins, kind);
  await fillInPart(twins);
  await twins.call('dave', 'POST', '/spot/api/v4/trade/orders/cancel_all_after', { timeout: 4 * MINUTE_MS });
  await twins.call('dave', 'POST', '/futures/api/v2.3/order/cancelAllAfter', { timeout: 4 * MINUTE_MS + 1 });
  const all = twins.watched.map(({ name }) => name);
  assert.deepEqual(await living(twins), all, 'all live before the first kill');
  await twins.kill();
  await twins.snapshot();
  await twins.kill();
  assert.deepEqual(await living(twins), all, 'all live after it');

  await go(twins, [102, 104, 105, 106, 107]);
  await twins.kill();
  await go(twins, [109, 110, 108, 106]);
  await twins.snapshot();
  await go(twins, [103, 100, 98, 97]);
  await twins.kill();
  await go(twins, [96, 95, 94, 93, 92, 91, 90, 89]);
  const sale = { orderType: 'LIMIT', orderSide: 'SELL', orderPrice: 86, orderSize: 20, timeInForce: 'IOC' };
  await twins.call('dave', 'POST', '/spot/api/v4/trade/orders', { symbol: SPOT, ...sale });
  const left = await living(twins);
  assert.ok(left.length > 10 && left.length < all.length / 2, `${left.length} of ${all.length} live after the fall`);
  await twins.kill();

  await pass(twins, [2 * MINUTE_MS, 3 * MINUTE_MS, 55 * MINUTE_MS]);
  await twins.kill();
  await pass(twins, [7 * HOUR_MS, 4 * HOUR_MS, 12 * HOUR_MS, 6 * DAY_MS]);
  await twins.snapshot();
  await twins.kill();
  await pass(twins, [23 * DAY_MS]);
  await withdrawQuotes(twins);
  await twins.call('alice', 'DELETE', '/spot/api/v4/trade/orders/all', undefined, { symbol: SPOT });
  await twins.call('alice', 'DELETE', '/futures/api/v2.3/order', undefined, { symbol: PERP });

  assert.equal((await twins.state()).orders, 0, 'all have ended');
  const ended = await Promise.all(
    twins.watched.map(async ({ name, orderId }) => {
      const { order } = await twins.control('GET', `/orders/${orderId}`);
      return [name, order.reason === null ? order.state : `${order.state} ${order.reason}`];
    }),
  );
  assert.deepEqual(
    ended,
    twins.watched.map(({ name, ends }) => [name, ends]),
  );
  for (const account of ['alice', 'bob', 'carol', 'dave']) await twins.control('GET', `/accounts/${account}`);
  const audit = await twins.control('GET', '/audit');
  assert.equal(audit.ok, true);
  await twins.stop();
  const [undisturbed, killed] = twins.folders;
  for (const what of ['orders', 'fills', 'ledger'])
    assert.deepEqual(exported(killed, what), exported(undisturbed, what));
  const reasons = new Set(exported(killed, 'ledger').map(({ reason }) => reason));
  assert.ok(reasons.has('funding') && reasons.has('liquidationFee'), [...reasons].join(', '));
  assert.equal(printed(bourse('verify', killed)).ok, true);
});
