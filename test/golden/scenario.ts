/**
 * What happens in a golden log: every kind of order, every position mode, all markets up from 100 to 110 and down to 89,
 * a liquidation, funding, a halt, refusals, named snapshots, and a reset at the very beginning.
 *
 * `every-kind.ts` says which orders there are. They live through most of it; what is left alive at the end has timers.
 */
import assert from 'node:assert/strict';
import type { BourseClient } from '../../src/client/client.ts';
import type { ControlClient } from '../../src/client/control.ts';
import { VenueError } from '../../src/client/request.ts';
import { EVERY_KIND } from '../crash/every-kind.ts';

const SPOT = 'BTC-USDT';
const PERP = 'BTC-PERP';
const ETH = 'ETH-PERP';
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;

type Name = (typeof NAMES)[number];

export const CONFIGURATION = {
  accounts: NAMES.map((name) => ({
    name,
    balances: name === 'erin' ? { USDT: 150 } : { USDT: 1_000_000, BTC: 1000 },
    keys: [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read', 'trading'] }],
  })),
  insuranceFund: { USDT: 1000 },
};

export interface Actors {
  readonly control: ControlClient;
  client(name: string): BourseClient;
}

/** The first part; the caller writes a snapshot behind it, and lets the second one follow. */
export async function risingMarket(venue: Actors): Promise<void> {
  await venue.control.deposit('alice', 'USDT', 1);
  await venue.control.reset();
  await setPrices(venue, 100);
  await quote(venue, 100);
  await openPositions(venue);
  for (const { by, path, body } of EVERY_KIND) await venue.client(by).send('POST', path, { body });
  await changeOrders(venue);
  await venue.control.save('base');
  for (const price of [102, 104]) await move(venue, price);
  await venue.control.restore('base');
  for (const price of [104, 106, 108, 110]) await move(venue, price);
}

export async function fallingMarket(venue: Actors): Promise<void> {
  for (const price of [106, 100, 97]) await move(venue, price);
  await venue.control.haltMarket(PERP);
  await venue.control.advance(SECOND_MS);
  await venue.control.resumeMarket(PERP);
  for (const price of [94, 91, 89]) await move(venue, price);
  await venue.control.advance(9 * HOUR_MS);
  const twap = { orderType: 'TWAP', orderSide: 'BUY', orderSize: 1, timePeriod: 600, randomizeSize: true } as const;
  await venue.client('dave').placeAlgoOrder({ symbol: SPOT, ...twap });
  await venue.control.advance(30 * SECOND_MS);
  await future(venue, 'dave', { side: 'BUY', type: 'LIMIT', price: 70, size: 100_000, time_in_force: 'DAY' });
}

/** Bob makes the books: one tick either side, more behind it. */
async function quote(venue: Actors, price: number): Promise<void> {
  for (const away of [1, 2]) {
    for (const side of ['BUY', 'SELL'] as const) {
      const at = side === 'BUY' ? price - away : price + away;
      const terms = { orderType: 'LIMIT', orderSide: side, orderPrice: at, orderSize: 8 } as const;
      await venue.client('bob').placeSpotOrder({ symbol: SPOT, ...terms });
      await future(venue, 'bob', { side, type: 'LIMIT', price: at, size: 800_000 });
      await future(venue, 'bob', { symbol: ETH, side, type: 'LIMIT', price: at, size: 40_000 });
    }
  }
}

/** All markets go to a price, and time with them. */
async function move(venue: Actors, price: number): Promise<void> {
  await setPrices(venue, price);
  await venue.control.advance(3 * SECOND_MS);
  const bob = venue.client('bob');
  await bob.request('DELETE', '/spot/api/v4/trade/orders/all', { query: { symbol: SPOT } });
  for (const symbol of [PERP, ETH]) await bob.cancelFuturesOrder(symbol);
  await quote(venue, price);
  await venue.control.advance(4 * SECOND_MS);
}

async function setPrices({ control }: Actors, price: number): Promise<void> {
  await control.setPrices(SPOT, { index: price, last: price });
  for (const symbol of [PERP, ETH]) await control.setPrices(symbol, { index: price, mark: price, last: price });
}

/** Alice's in one way, carol's long and short, two isolated ones of hers, and erin's, which her money does not carry far. */
async function openPositions(venue: Actors): Promise<void> {
  const take = (by: Name, fields: object) => future(venue, by, { type: 'MARKET', size: 200_000, ...fields });
  const carol = venue.client('carol');
  for (const [symbol, positionMode] of [
    [PERP, 'HEDGE'],
    [ETH, 'ISOLATED'],
  ] as const) {
    await carol.request('POST', '/futures/api/v2.3/position_mode', { body: { symbol, positionMode } });
  }
  await take('alice', { side: 'BUY' });
  await take('carol', { side: 'BUY' });
  await take('carol', { side: 'SELL' });
  await take('carol', { symbol: ETH, side: 'BUY', size: 10_000 });
  await take('carol', { symbol: ETH, side: 'SELL', size: 20_000 });
  await take('erin', { symbol: ETH, side: 'SELL', size: 100_000 });
  await carol.request('POST', '/futures/api/v2.3/order/bind/tpsl', {
    body: { symbol: PERP, side: 'SELL', positionMode: 'HEDGE', takeProfitPrice: 115, stopLossPrice: 94 },
  });
}

/** A fill in part, amends and cancels, switches, and refusals that are in the log for all that. */
async function changeOrders(venue: Actors): Promise<void> {
  const alice = venue.client('alice');
  const dave = venue.client('dave');
  const order = { symbol: SPOT, orderType: 'LIMIT', orderSide: 'SELL', orderPrice: 99.5, orderSize: 1 } as const;
  await dave.placeSpotOrder({ ...order, timeInForce: 'IOC' });
  await future(venue, 'dave', { side: 'SELL', type: 'LIMIT', price: 99.5, size: 40_000, time_in_force: 'IOC' });

  await alice.placeSpotOrder({ ...order, orderSide: 'BUY', orderPrice: 80, clOrderId: 'changed' });
  const changes = { symbol: SPOT, clOrderId: 'changed', orderPrice: 81, orderSize: 0.5 };
  await alice.request('PUT', '/spot/api/v4/trade/orders', { body: changes });
  await alice.cancelSpotOrder(SPOT, { clOrderId: 'changed' });
  await assert.rejects(alice.cancelSpotOrder(SPOT, { clOrderId: 'changed' }), VenueError);
  await assert.rejects(venue.client('erin').placeSpotOrder({ ...order, orderSide: 'BUY', orderSize: 100 }), VenueError);
  await dave.request('POST', '/spot/api/v4/trade/orders/cancel_all_after', { body: { timeout: 240_000 } });
  await dave.request('POST', '/futures/api/v2.3/order/cancelAllAfter', { body: { timeout: 240_001 } });
}

async function future(venue: Actors, by: Name, body: object): Promise<void> {
  await venue.client(by).send('POST', '/futures/api/v2.3/order', { body: { symbol: PERP, ...body } });
}
