/** Recorded files through a whole venue, over HTTP: what users see of them, and what a restart makes of them. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  BourseClient,
  ControlClient,
  type ReplayOptions,
  type StartVenueOptions,
  startVenue,
  type TestVenue,
} from '../../src/index.ts';
import type { MarketEvent } from '../../src/recorded/events.ts';
import { openMarket } from '../../src/recorded/market.ts';
import { recorded } from '../recorded/support.ts';
import { writeMadeUp, writeMadeUpTicker } from './made-up.ts';

const PIECES = ['binance_trades', 'binance_incremental_book_L2'].map((name) =>
  recorded(`${name}_2024-08-08_BTCUSDT.csv.gz`),
);
const SYMBOL = 'BTC-USDT';

/** A folder for the files of a test. */
class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'bourse-replay-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

type Row = readonly [price: string, size: string];

async function json(venue: TestVenue, path: string): Promise<unknown> {
  const reply = await fetch(`${venue.url}${path}`);
  assert.equal(reply.status, 200, `${path}: ${await reply.clone().text()}`);
  return reply.json();
}

/** The book as the market data shows it, best first, without zeros at the end of numbers. */
async function bookOf(venue: TestVenue, depth: number): Promise<{ bids: Row[]; asks: Row[] }> {
  type Side = { price: string; size: string }[];
  const path = `/spot/api/v3.2/orderbook/L2?symbol=${SYMBOL}&depth=${depth}`;
  const { buyQuote, sellQuote } = (await json(venue, path)) as { buyQuote: Side; sellQuote: Side };
  const rows = (side: Side) => side.map(({ price, size }): Row => [String(Number(price)), String(Number(size))]);
  return { bids: rows(buyQuote), asks: rows(sellQuote).sort(([a], [b]) => Number(a) - Number(b)) };
}

async function eventsOf(files: readonly string[]): Promise<MarketEvent[]> {
  const market = await openMarket(files);
  const events: MarketEvent[] = [];
  for await (const batch of market.batches()) events.push(...batch);
  return events;
}

/** The recorded book after each event. */
class Reference {
  readonly #sides = { bids: new Map<string, string>(), asks: new Map<string, string>() };

  add(event: MarketEvent): void {
    if (event.kind !== 'snapshot' && event.kind !== 'levels') return;
    for (const side of ['bids', 'asks'] as const) {
      if (event.kind === 'snapshot') this.#sides[side].clear();
      for (const [price, size] of event[side]) {
        if (size === '0') this.#sides[side].delete(price);
        else this.#sides[side].set(price, size);
      }
    }
  }

  top(depth: number): { bids: Row[]; asks: Row[] } {
    const rows = (levels: ReadonlyMap<string, string>, sign: number) =>
      [...levels].sort(([a], [b]) => sign * (Number(a) - Number(b))).slice(0, depth);
    return { bids: rows(this.#sides.bids, -1), asks: rows(this.#sides.asks, 1) };
  }
}

/** The public trades, oldest first. */
async function tradesOf(venue: TestVenue): Promise<string[]> {
  type Trade = { side: string; price: number; size: number };
  const rows = (await json(venue, `/spot/api/v3.2/trades?symbol=${SYMBOL}&count=500`)) as Trade[];
  return rows.map(({ side, price, size }) => `${side} ${price} ${size}`).reverse();
}

function control(venue: TestVenue): ControlClient {
  return new ControlClient({ url: venue.control, token: venue.controlToken });
}

test('without users, every recorded trade prints, and after each message the book is the recorded one', async () => {
  await using venue = await startVenue({ replay: PIECES });
  const events = await eventsOf(PIECES);
  const reference = new Reference();
  const firstMs = Math.floor(events[0].atUs / 1000);
  let playedMs = 0;
  for (const [i, event] of events.entries()) {
    reference.add(event);
    const isLast = events[i + 1] === undefined || Math.floor(events[i + 1].atUs / 1000) > Math.floor(event.atUs / 1000);
    if (event.kind === 'trade' || !isLast) continue;
    const atMs = Math.floor(event.atUs / 1000) - firstMs;
    if (atMs > playedMs) await venue.advance(atMs - playedMs);
    playedMs = Math.max(playedMs, atMs);
    assert.deepEqual(await bookOf(venue, 20), reference.top(20));
  }
  await venue.advance('1m');
  const want = events.flatMap((event) =>
    event.kind === 'trade' ? [`${event.side.toUpperCase()} ${Number(event.price)} ${Number(event.size)}`] : [],
  );
  assert.deepEqual(await tradesOf(venue), want);
  const metrics = String(await control(venue).request('GET', '/metrics'));
  assert.match(metrics, /^bourse_replay_fits 0\.\d+$/m);
  assert.match(metrics, /^bourse_replay_user_taken_ratio 0$/m);
  const { ok } = await control(venue).audit();
  assert.ok(ok);
});

/** Acts as a user at fixed times, on a clock that `moves` move. Returns the state and the fills. */
async function withUser(options: StartVenueOptions, moves: (target: number) => number[]): Promise<[string, unknown]> {
  await using venue = await startVenue(options);
  const client = new BourseClient({ url: venue.url, ...venue.key });
  let nowMs = 0;
  const to = async (targetMs: number) => {
    for (const ms of moves(targetMs - nowMs)) await venue.advance(ms);
    nowMs = targetMs;
  };
  for (let i = 0; i < 12; i += 1) {
    await to((i + 1) * 2500);
    const { bids, asks } = await bookOf(venue, 3);
    const side = i % 2 === 0 ? 'BUY' : 'SELL';
    const [price] = i % 3 === 0 ? (side === 'BUY' ? asks[2] : bids[2]) : side === 'BUY' ? bids[0] : asks[0];
    await client.send('POST', '/spot/api/v4/trade/orders', {
      body: {
        symbol: SYMBOL,
        orderSide: side,
        orderType: 'LIMIT',
        orderPrice: price,
        orderSize: '0.4',
        clOrderId: `bot-${i}`,
      },
    });
  }
  await to(40_000);
  const fills = await control(venue).fills('test', { limit: 100 });
  assert.ok((await control(venue).audit()).ok);
  return [venue.stateHash(), fills.fills];
}

test('the same bot has the same fills and the same state, however the clock is moved', async () => {
  using folder = new Folder();
  const replay = await writeMadeUp(folder.path, { seconds: 45, seed: 7 });
  const [one, fills] = await withUser({ replay }, (ms) => [ms]);
  assert.ok((fills as unknown[]).length > 5, 'the bot traded');
  assert.deepEqual(await withUser({ replay }, (ms) => [ms]), [one, fills]);
  // Each move is a command, and order ids follow from the numbers of commands: all else is equal.
  const [, inSteps] = await withUser({ replay }, (ms) => Array.from({ length: ms / 100 }, () => 100));
  const bare = (rows: unknown) => (rows as Record<string, unknown>[]).map(({ seq: _, orderId: __, ...rest }) => rest);
  assert.deepEqual(bare(inSteps), bare(fills));
});

test('a restart in the middle goes on where the recording was, and other files are refused', async () => {
  using folder = new Folder();
  const replay = await writeMadeUp(folder.path, { seconds: 30, seed: 3 });
  const masterKeyFile = join(folder.path, 'master.key');
  const options = (name: string): StartVenueOptions => ({ replay, data: join(folder.path, name), masterKeyFile });
  const hashes = [];
  for (const stops of [[], [10, 20]]) {
    let venue = await startVenue(options(`data-${stops.length}`));
    for (let second = 1; second <= 35; second += 1) {
      await venue.advance(1000);
      if (!stops.includes(second)) continue;
      await venue.close();
      venue = await startVenue(options(`data-${stops.length}`));
    }
    hashes.push(JSON.parse(JSON.stringify(await bookOf(venue, 50))), await tradesOf(venue));
    await venue.close();
  }
  assert.deepEqual(hashes.slice(2), hashes.slice(0, 2));
  const others = await writeMadeUp(mkdtempSync(join(folder.path, 'other-')), { seconds: 5, seed: 4 });
  await assert.rejects(startVenue({ ...options('data-0'), replay: others }), /plays other files/);
  await assert.rejects(
    startVenue({ replay: others, data: join(folder.path, 'none'), masterKeyFile }).then(async (venue) => {
      await venue.close();
      await startVenue({ ...options('none'), replay: { files: others, queue: 'proportional' } });
    }),
    /queue/,
  );
});

test('a recording that does not fit is refused before anything is written, and the refusal says what would do', async () => {
  using folder = new Folder();
  const file = join(folder.path, 'candles.csv');
  const rows = [0, 1, 2].map((minute) => `2026-01-01 00:0${minute},100.01,100.05,100.01,100.02,1`);
  writeFileSync(file, `date,open,high,low,close,volume\n${rows.join('\n')}\n`);
  const data = join(folder.path, 'data');
  const start = (replay: ReplayOptions) => startVenue({ replay, data, masterKeyFile: join(folder.path, 'master.key') });
  await assert.rejects(start({ files: [file] }), /the files do not say their symbol: name it with --symbol/);
  const off = start({ files: [file], market: 'BTC-USDT' });
  await assert.rejects(
    off,
    /prices are multiples of 0\.01, and those of BTC-USDT are multiples of 0\.1\. --fit rounds/,
  );
  assert.equal(existsSync(data), false);
  await using fitted = await start({ files: [file], market: 'BTC-USDT', fit: true });
  assert.ok(fitted);
});

test('a reset begins the recording again, and a snapshot goes on from its place', async () => {
  using folder = new Folder();
  const replay = await writeMadeUp(folder.path, { seconds: 20, seed: 5 });
  await using venue = await startVenue({ replay });
  await venue.advance(5000);
  await control(venue).save('early');
  const atFive = await bookOf(venue, 20);
  await venue.advance(5000);
  const atTen = await bookOf(venue, 20);
  assert.notDeepEqual(atTen, atFive);
  await control(venue).restore('early');
  assert.deepEqual(await bookOf(venue, 20), atFive);
  await venue.advance(5000);
  assert.deepEqual(await bookOf(venue, 20), atTen);
  await venue.reset();
  await venue.advance(5000);
  assert.deepEqual(await bookOf(venue, 20), atFive);
});

test('in a gap the market’s prices become stale, users’ orders stay, and the next snapshot brings the book back', async () => {
  using folder = new Folder();
  const files = await writeMadeUp(folder.path, { seconds: 30, seed: 9, gap: [10, 20] });
  await using venue = await startVenue({
    replay: { files, market: SYMBOL, fit: true },
    markets: [{ symbol: SYMBOL, staleAfterMs: 2000 }],
  });
  const client = new BourseClient({ url: venue.url, ...venue.key });
  await venue.advance(9000);
  const order = { symbol: SYMBOL, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: '95', orderSize: '0.5' };
  await client.send('POST', '/spot/api/v4/trade/orders', { body: order });
  await venue.advance(4000);
  assert.deepEqual(await bookOf(venue, 5), { bids: [['95', '0.5']], asks: [] });
  const status = async () => {
    const { markets } = await control(venue).markets();
    return (markets.find(({ symbol }) => symbol === SYMBOL) as unknown as { status: string }).status;
  };
  assert.equal(await status(), 'stale');
  await venue.advance(8000);
  assert.equal(await status(), 'active');
  assert.ok((await bookOf(venue, 5)).asks.length > 0);
  const { orders } = await control(venue).openOrders('test');
  assert.equal(orders.length, 1);
});

test('with gaps skipped, the recording goes on at once', async () => {
  using folder = new Folder();
  const files = await writeMadeUp(folder.path, { seconds: 30, seed: 9, gap: [10, 20] });
  await using venue = await startVenue({ replay: { files, gaps: 'skip' } });
  await venue.advance(10_500);
  assert.ok((await bookOf(venue, 5)).asks.length > 0);
});

test('at the end the market is halted, or the recording begins again', async () => {
  using folder = new Folder();
  const files = await writeMadeUp(folder.path, { seconds: 5, seed: 2 });
  for (const atEnd of ['halt', 'loop'] as const) {
    await using venue = await startVenue({ replay: { files, atEnd } });
    await venue.advance(5500);
    const halted = (await control(venue).markets()).markets.find(({ symbol }) => symbol === SYMBOL);
    assert.equal((halted as unknown as { status: string }).status, atEnd === 'halt' ? 'halted' : 'active');
    if (atEnd === 'halt') continue;
    const before = (await tradesOf(venue)).length;
    await venue.advance(5000);
    assert.ok((await tradesOf(venue)).length > before);
  }
});

test('a perpetual in contracts follows the recorded index and mark, and liquidates where they go', async () => {
  using folder = new Folder();
  const made = { seconds: 30, seed: 11, symbol: 'ABC-PERP' };
  const files = [
    ...(await writeMadeUp(folder.path, made)),
    writeMadeUpTicker(folder.path, made, (second) => (second < 15 ? 100 : 85)),
  ];
  await using venue = await startVenue({
    replay: { files, market: 'ABC-PERP', sizes: 'contracts', fit: true },
    currencies: { ABC: { decimals: 8 } },
    markets: [
      {
        symbol: 'ABC-PERP',
        kind: 'perpetual',
        base: 'ABC',
        quote: 'USDT',
        tick: '0.1',
        maxPrice: '1000',
        step: '1',
        minSize: '1',
        maxSize: '100000',
        contractSize: '0.1',
      },
    ],
    accounts: [
      { name: 'long', balances: { USDT: '11' } },
      { name: 'rich', balances: { USDT: '100000' } },
    ],
  });
  await venue.advance(5000);
  const [key] = venue.keys;
  const client = new BourseClient({ url: venue.url, ...key });
  const order = { symbol: 'ABC-PERP', side: 'BUY', type: 'MARKET', size: 2 };
  await client.send('POST', '/futures/api/v2.3/order', { body: order });
  const positions = async () => ((await control(venue).account('long')) as { positions: unknown[] }).positions;
  assert.equal((await positions()).length, 1);
  await venue.advance(25_000);
  assert.ok((await control(venue).audit()).ok);
});

test('nobody acts for the recorded market: its name is refused everywhere, and no list has it', async () => {
  using folder = new Folder();
  const files = await writeMadeUp(folder.path, { seconds: 10, seed: 6 });
  await using venue = await startVenue({ replay: files });
  await venue.advance(5000);
  const operator = control(venue);
  const { accounts } = await operator.accounts();
  assert.deepEqual(
    accounts.map(({ account }) => account),
    ['test'],
  );
  await assert.rejects(operator.createAccount('replica'), /replica/);
  await assert.rejects(startVenue({ accounts: [{ name: 'replica' }] }), /replica/);
  await assert.rejects(operator.createKey('replica', { permissions: ['trading'] } as never), /replica/);
  await assert.rejects(operator.deposit('replica', 'USDT', 5), /replica/);
  await assert.rejects(operator.account('replica'), /replica/);
  await assert.rejects(operator.openOrders('replica'), /replica/);
  await assert.rejects(operator.fills('replica'), /replica/);
  await assert.rejects(
    operator.placeAs('replica', {
      symbol: SYMBOL,
      orderSide: 'BUY',
      orderType: 'LIMIT',
      orderPrice: '1',
      orderSize: '1',
    }),
    /replica/,
  );
});
