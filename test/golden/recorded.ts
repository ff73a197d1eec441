/**
 * What happens in a golden log with recorded markets: every step of the command `market`, with users in the queues: fills by
 * recorded trades and by crossing levels, both queue rules, what users take and when it heals, a gap, a halt, a snapshot that is
 * restored; on the perpetual a position, funding, a liquidation into the recorded book, and one that the house is closed against.
 */
import { FUNDING, GAP, LEVELS, REFERENCES, SNAPSHOT, TRADE } from '../../src/venue/contract/market-steps.ts';
import type { Actors } from './scenario.ts';

const SPOT = 'BTC-USDT';
const PERP = 'BTC-PERP';
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
/** Ticks of 0.1 at a price of 100. */
const MIDDLE = 1000;
const FINE = 1000;

export interface RecordedActors extends Actors {
  /** A message of a market's recording, so long after the last. */
  play(symbol: string, steps: readonly number[], afterMs?: number): Promise<void>;
}

type Row = readonly [ticks: number, lots: number];

const rows = (bids: readonly Row[], asks: readonly Row[]): number[] => [
  ...[bids.length + asks.length, ...bids.flat()],
  ...asks.flatMap(([ticks, lots]) => [-ticks, lots]),
];
const snapshot = (bids: readonly Row[], asks: readonly Row[]) => [SNAPSHOT, ...rows(bids, asks)];
const levels = (bids: readonly Row[], asks: readonly Row[] = []) => [LEVELS, ...rows(bids, asks)];
const bought = (ticks: number, lots: number) => [TRADE, ticks, lots];
const sold = (ticks: number, lots: number) => [TRADE, -ticks, lots];
const references = (ticks: number, mark = 0) => [REFERENCES, ticks * FINE, mark * FINE];

/** Five levels a side. */
function book(middle: number, lots: number, apart = 10): number[] {
  const side = (sign: number) => [1, 2, 3, 4, 5].map((n): Row => [middle + sign * n * apart, lots * n]);
  return snapshot(side(-1), side(1));
}

/** The first part; the caller writes a snapshot behind it, and lets the second one follow. */
export async function recordedRise(venue: RecordedActors): Promise<void> {
  const { play } = venue;
  await play(SPOT, [...references(MIDDLE), ...book(MIDDLE, 400_000)]);
  await play(PERP, [...references(MIDDLE, MIDDLE), ...book(MIDDLE, 3_000_000)]);
  await limit(venue, 'alice', 'BUY', 99, 1);
  await play(SPOT, levels([[990, 500_000]], [[1010, 300_000]]), 100);
  await play(SPOT, levels([[990, 300_000]]), 100); // It moves alice forward; the trade that comes is the same.
  await play(SPOT, [...sold(990, 250_000), ...bought(1010, 10_000)], 100);
  await play(SPOT, sold(990, 200_000), 100);
  await limit(venue, 'bob', 'SELL', 99.5, 0.5);
  await play(SPOT, levels([[997, 20_000]]), 100); // A recorded buyer above bob's price.
  await limit(venue, 'bob', 'BUY', 101, 2); // Takes from the recorded asks.
  await limit(venue, 'carol', 'BUY', 103, 4, { timeInForce: 'FOK' });
  await play(SPOT, levels([], [[1030, 1_300_000]]), 2 * SECOND_MS); // What was taken heals.
  await venue.control.save('base');
  await play(SPOT, [...bought(1020, 900_000), ...sold(1005, 7000), ...levels([[1012, 5000]])], 100);
  await play(SPOT, [GAP], 100);
  await limit(venue, 'carol', 'SELL', 98, 0.3);
  await limit(venue, 'dave', 'BUY', 98, 0.3);
  await play(SPOT, book(980, 200_000), 70 * SECOND_MS);
  await venue.control.restore('base');
  await play(SPOT, [...references(1020), ...book(1020, 100_000)], SECOND_MS);
  await limit(venue, 'dave', 'BUY', 104, 3, { timeInForce: 'IOC' });
  await future(venue, 'alice', { side: 'BUY', size: 300_000 });
  for (let twice = 0; twice < 2; twice += 1) await future(venue, 'erin', { side: 'BUY', size: 2_500_000 });
  await play(PERP, [...references(1002, 1002), ...book(1002, 300_000)], SECOND_MS);
}

export async function recordedFall(venue: RecordedActors): Promise<void> {
  const { play } = venue;
  await venue.control.haltMarket(SPOT);
  await play(SPOT, [...sold(1000, 10), ...levels([[1000, 40_000]])], SECOND_MS);
  await venue.control.resumeMarket(SPOT);
  await play(SPOT, levels([[990, 50_000]]), SECOND_MS);
  for (let hour = 0; hour < 9; hour += 1) await play(PERP, [...references(1000), ...book(1004, 300_000)], HOUR_MS);
  for (let hour = 0; hour < 8; hour += 1) await play(PERP, [FUNDING, -12_345, ...references(1000)], HOUR_MS);
  for (const middle of [990, 988, 982, 974]) {
    for (let twice = 0; twice < 2; twice += 1) await play(PERP, references(middle, middle), SECOND_MS);
    await play(PERP, book(middle, 2000, 1), SECOND_MS); // Too little for erin.
  }
  await play(PERP, [GAP], SECOND_MS);
  for (let twice = 0; twice < 2; twice += 1) await play(PERP, references(900, 900), SECOND_MS);
  await play(PERP, book(900, 300_000), SECOND_MS);
  await future(venue, 'alice', { side: 'SELL', size: 100_000 });
  await limit(venue, 'carol', 'BUY', 90, 1);
  await play(SPOT, [...references(985), ...book(985, 50_000), ...sold(985, 10)], SECOND_MS);
}

async function limit(
  venue: Actors,
  by: string,
  orderSide: 'BUY' | 'SELL',
  orderPrice: number,
  orderSize: number,
  more: object = {},
): Promise<void> {
  const terms = { orderType: 'LIMIT', orderSide, orderPrice, orderSize } as const;
  await venue.client(by).placeSpotOrder({ symbol: SPOT, ...terms, ...more });
}

async function future(venue: Actors, by: string, body: object): Promise<void> {
  await venue.client(by).send('POST', '/futures/api/v2.3/order', { body: { symbol: PERP, type: 'MARKET', ...body } });
}
