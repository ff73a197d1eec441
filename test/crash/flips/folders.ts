/**
 * Small data folders to damage, all of one venue with orders of every kind, fills, positions, a reset to a saved state,
 * several segments and a spare one, two snapshots and an archive.
 *
 * - `sealed`: stopped.
 * - `killed`: as on the disk while the venue ran.
 * - `torn`: killed in the middle of its last batch, whose beginning is on the disk.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { answered } from '../../support/answered.ts';
import { Client } from '../../support/client.ts';
import { EVERY_KIND } from '../every-kind.ts';
import { VenueProcess } from '../venue-process.ts';

export const VARIANTS = ['sealed', 'killed', 'torn'] as const;
export type Variant = (typeof VARIANTS)[number];

const SEGMENT_BYTES = 16_384;
const SECTOR_BYTES = 512;
const SPOT = 'BTC-USDT';
const PERPS = ['BTC-PERP', 'ETH-PERP'];
export const ACCOUNTS = ['alice', 'bob', 'carol', 'dave'] as const;
const NEW_MARKET = {
  ...{ symbol: 'XRP-USDT', kind: 'spot', base: 'XRP', quote: 'USDT', tick: '0.0001', maxPrice: '1000' },
  ...{ step: '0.1', minSize: '1', maxSize: '1000000', currencies: { XRP: { decimals: 6 } } },
};
const CONFIGURATION = {
  accounts: ACCOUNTS.map((name) => ({
    name,
    balances: { USDT: 1_000_000, BTC: 1000 },
    keys: [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read', 'trading'] }],
  })),
  insuranceFund: { USDT: 1000 },
};

/** The flags for a venue on one of the folders. */
export function flagsIn(scratch: string): string[] {
  const configFile = join(scratch, 'flips.json');
  fs.writeFileSync(configFile, JSON.stringify(CONFIGURATION));
  return ['--config', configFile, '--clock', 'manual', '--segment-size', String(SEGMENT_BYTES)];
}

export interface Folders {
  readonly paths: Readonly<Record<Variant, string>>;
  /** Of orders that the venue accepted. */
  readonly orderIds: readonly string[];
}

/** Creates the three folders in `scratch`. */
export async function makeFolders(scratch: string): Promise<Folders> {
  const orderIds: string[] = [];
  const paths = { sealed: join(scratch, 'sealed'), killed: join(scratch, 'killed'), torn: join(scratch, 'torn') };
  const venue = await VenueProcess.start(paths.sealed, ...flagsIn(scratch));
  await trade(venue, 100, orderIds);
  await venue.control.request('POST', '/snapshot');
  await venue.control.save('before');
  await trade(venue, 110, orderIds);
  await venue.control.restore('before');
  await trade(venue, 89, orderIds);
  await venue.control.request('POST', '/snapshot');
  await trade(venue, 95, orderIds);
  await untilSpare(venue, paths.sealed);
  await untilArchived(venue);
  copyFolder(paths.sealed, paths.torn);
  // A batch of several sectors. The torn folder has only its beginning.
  await venue.control.request('POST', '/markets', NEW_MARKET);
  copyFolder(paths.sealed, paths.killed);
  tearLastBatch(paths.sealed, paths.torn);
  assert.equal(await venue.stop(), 0);
  for (const path of Object.values(paths)) assert.ok(hasSpare(path), `${path} has a segment that was made ahead`);
  return { paths, orderIds };
}

/** Moves the market to a price, places one order of each kind, cancels some, and lets some fire as the price moves. */
async function trade(venue: VenueProcess, price: number, orderIds: string[]): Promise<void> {
  const clients = Object.fromEntries(
    ACCOUNTS.map((name) => [name, new Client(venue.ready.http, { key: `${name}-key`, secret: `${name}-secret` })]),
  );
  for (const symbol of [SPOT, ...PERPS]) {
    await venue.control.request('POST', '/prices', { symbol, index: price, last: price });
  }
  for (const away of [-1, 1]) {
    const side = away < 0 ? 'BUY' : 'SELL';
    const quote = { symbol: SPOT, orderType: 'LIMIT', orderSide: side, orderPrice: price + away, orderSize: 8 };
    await clients.bob.call('POST', '/spot/api/v4/trade/orders', { body: quote });
    for (const symbol of PERPS) {
      const future = { symbol, side, type: 'LIMIT', price: price + away, size: 40_000 };
      await clients.bob.call('POST', '/futures/api/v2.3/order', { body: future });
      const taken = { symbol, side, type: 'MARKET', size: 10_000 };
      await clients.carol.call('POST', '/futures/api/v2.3/order', { body: taken });
    }
  }
  for (const [i, { by, path, body }] of EVERY_KIND.entries()) {
    // Orders that are refused at this price are in the log as well.
    const { status, body: records } = await clients[by].call('POST', path, { body });
    if (status !== 200) continue;
    orderIds.push(records[0].orderId ?? records[0].orderID);
    if (i % 5 !== 0) continue;
    const query = { symbol: body.symbol as string, orderId: records[0].orderId, orderID: records[0].orderID };
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    const orders = path.startsWith('/spot') ? '/spot/api/v4/trade/orders' : '/futures/api/v2.3/order';
    await clients[by].call('DELETE', orders, { query: given });
  }
  await venue.control.advance('90s');
}

/** Sends small commands until the next segment exists, which is when half of the present one is full. */
async function untilSpare(venue: VenueProcess, folder: string): Promise<void> {
  for (let index = 95; !hasSpare(folder); index += 0.1) {
    await venue.control.request('POST', '/prices', { symbol: SPOT, index: index.toFixed(1) });
  }
}

function hasSpare(folder: string): boolean {
  const last = logsIn(folder).at(-1) as string;
  return fs.readFileSync(join(folder, last)).every((byte) => byte === 0);
}

function logsIn(folder: string): string[] {
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .sort();
}

/** Makes the archive catch up, by a look-up. */
async function untilArchived(venue: VenueProcess): Promise<void> {
  const query = { symbol: SPOT };
  await answered(() => venue.alice.request('GET', '/spot/api/v3.3/user/trade_history', { query }));
}

/** Copies a folder in use. Its lock ends with the process. */
export function copyFolder(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true });
  for (const name of fs.readdirSync(from)) {
    if (!name.startsWith('lock')) fs.copyFileSync(join(from, name), join(to, name));
  }
}

/** `folder` is as before the batch. It gets all sectors of the batch except the last. */
function tearLastBatch(whole: string, folder: string): void {
  assert.deepEqual(logsIn(folder), logsIn(whole), 'the last batch is in the segment of the one before');
  const last = logsIn(whole).at(-2) as string;
  const bytes = fs.readFileSync(join(whole, last));
  const end = bytes.findLastIndex((byte) => byte !== 0);
  bytes.fill(0, end - (end % SECTOR_BYTES));
  assert.notDeepEqual(bytes, fs.readFileSync(join(folder, last)), 'the last batch has more than one sector');
  fs.writeFileSync(join(folder, last), bytes);
}
