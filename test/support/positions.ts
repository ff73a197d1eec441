/** Positions for tests, in BTC-PERP at 100: a million contracts are 10 BTC, or 1,000 USDT. */
import assert from 'node:assert/strict';
import { future } from './bodies.ts';
import { Client, type Json, ok, one } from './client.ts';
import { PERP, type World } from './venue.ts';

export const MILLION = 1_000_000;

/** Alice opens `size` contracts at `price` from bob: long when positive. Returns the record of her order. */
export async function open(w: World, size: number, extra: Json = {}, price = 100): Promise<Json> {
  const symbol = extra.symbol ?? PERP;
  await w.rest(size > 0 ? 'SELL' : 'BUY', price, Math.abs(size), symbol);
  return one(w.alice.future(future(size > 0 ? 'BUY' : 'SELL', null, Math.abs(size), extra)));
}

export async function setMode(w: World, positionMode: 'ONE_WAY' | 'HEDGE' | 'ISOLATED', client = w.alice) {
  await ok(client.call('POST', '/futures/api/v2.3/position_mode', { body: { symbol: PERP, positionMode } }));
}

export async function setLeverage(w: World, body: Json, client = w.alice): Promise<void> {
  await ok(client.call('POST', '/futures/api/v2.3/leverage', { body: { symbol: PERP, ...body } }));
}

/** [positionId, size] of alice's open positions, shorts negative. */
export async function held(w: World): Promise<[string, number][]> {
  const rows: Json[] = await ok(w.alice.positions());
  return rows.map(({ positionId, side, size }) => [positionId, side === 'BUY' ? size : -size]);
}

const UNITS = 8;

function units(text: string): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(UNITS, '0')}`);
}

/** Withdraws money until the total of a wallet is `total` USDT. */
export async function leave(w: World, total: string, name = 'alice'): Promise<void> {
  const excess = units((await w.balance('USDT', name)).total) - units(total);
  assert.ok(excess > 0n, `${name} has less than ${total}`);
  const digits = String(excess).padStart(UNITS + 1, '0');
  await w.venue.deposit(name, 'USDT', `-${digits.slice(0, -UNITS)}.${digits.slice(-UNITS)}`);
}

/** Adds an account, with money and a client. */
export async function join(w: World, name: string, USDT: string): Promise<Client> {
  await w.control.createAccount(name);
  await w.venue.deposit(name, 'USDT', USDT);
  return new Client(w.venue.url, await w.control.createKey(name, { permissions: ['read', 'trading'] }));
}

/** The balance of the insurance fund, USDT. */
export async function fund(w: World): Promise<string> {
  const { currencies } = (await w.control.audit()) as Json;
  return currencies.USDT.insurance;
}
