/**
 * The same bot has the same day: equal state hashes of runs, whatever moves the clock and with a restart in the middle; and
 * unmodified ccxt on a recorded market, twice.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { BourseClient, ControlClient, type StartVenueOptions, startVenue, type TestVenue } from '../../src/index.ts';
import { openMarket } from '../../src/recorded/market.ts';
import { connect, SPOT } from '../clients/support.ts';
import { Folder, recorded } from '../recorded/support.ts';
import { writeMadeUp } from './made-up.ts';

const SYMBOL = 'BTC-USDT';
const ACTIONS = 8;
const BETWEEN_MS = 1000;
/** How many commands move the clock between two actions. Each is a command, and order ids follow from the numbers of commands. */
const MOVES = 50;

/** The moves of the clock that make a second, from so many ms after the start on. */
type Moves = (fromMs: number) => readonly number[];

const atOnce: Moves = () => padded([BETWEEN_MS]);
const inParts =
  (parts: number): Moves =>
  () =>
    padded(Array.from({ length: parts }, () => BETWEEN_MS / parts));

/** To each event of the files, one after the other. */
async function singly(files: readonly string[]): Promise<Moves> {
  const times = new Set<number>();
  const market = await openMarket(files);
  for await (const batch of market.batches()) for (const { atUs } of batch) times.add(Math.floor(atUs / 1000));
  const [first] = times;
  return (fromMs) => {
    const stops = [...times].map((ms) => ms - first).filter((ms) => ms > fromMs && ms < fromMs + BETWEEN_MS);
    return padded([...stops, fromMs + BETWEEN_MS].map((ms, i) => ms - (i === 0 ? fromMs : stops[i - 1])));
  };
}

function padded(moves: readonly number[]): number[] {
  assert.ok(moves.length <= MOVES, `${moves.length} moves`);
  return [...moves, ...Array.from({ length: MOVES - moves.length }, () => 0)];
}

type Bot = (venue: TestVenue, action: number) => Promise<unknown>;

/** Buys and sells at the best prices and beyond them, over HTTP. */
const plain: Bot = async (venue, action) => {
  const { bids, asks } = await venue.book(SYMBOL);
  const isBuy = action % 2 === 0;
  const levels = action % 3 === 0 ? (isBuy ? asks : bids) : isBuy ? bids : asks;
  const [price] = levels[Math.min(2, levels.length - 1)];
  const client = new BourseClient({ url: venue.url, ...venue.key });
  return client.send('POST', '/spot/api/v4/trade/orders', {
    body: {
      symbol: SYMBOL,
      orderType: 'LIMIT',
      orderSide: isBuy ? 'BUY' : 'SELL',
      orderPrice: price,
      orderSize: '0.4',
    },
  });
};

/** Lets the bot act, and closes the venue. `restartBefore`: the action before which the venue stops and starts again. */
async function dayOf(
  options: StartVenueOptions,
  moves: Moves,
  { bot = plain, restartBefore }: { bot?: Bot; restartBefore?: number } = {},
): Promise<{ hash: string; fills: unknown[] }> {
  let venue = await startVenue(options);
  let nowMs = 0;
  const move = async () => {
    for (const ms of moves(nowMs)) {
      await venue.advance(ms);
      nowMs += ms;
    }
  };
  try {
    for (let action = 0; action < ACTIONS; action += 1) {
      await move();
      if (action === restartBefore) {
        await venue.close();
        venue = await startVenue(options);
      }
      await bot(venue, action);
    }
    await move();
    const control = new ControlClient({ url: venue.control, token: venue.controlToken });
    const { fills } = await control.fills(venue.key.account, { limit: 100 });
    assert.ok((await venue.audit()).ok);
    // In which command a fill was is another number if the clock is moved otherwise.
    return { hash: venue.stateHash(), fills: fills.map(({ seq: _, ...fill }) => fill) };
  } finally {
    await venue.close();
  }
}

test('a state hash is the same, however the clock is moved', async () => {
  using folder = new Folder();
  const replay = await writeMadeUp(folder.path, { seconds: 10, seed: 7 });
  const days = [];
  for (const moves of [atOnce, inParts(10), inParts(50), await singly(replay)]) {
    days.push(await dayOf({ replay }, moves));
  }
  const [first, ...others] = days;
  assert.ok(first.fills.length >= 3, 'the bot traded');
  for (const day of others) assert.deepEqual(day, first);
});

test('a state hash is the same with a restart in the middle', async () => {
  using folder = new Folder();
  const replay = await writeMadeUp(folder.path, { seconds: 10, seed: 8 });
  const masterKeyFile = join(folder.path, 'master.key');
  const keys = [{ key: 'bot-key', secret: 'bot-secret', permissions: ['read', 'trading'] }] as const;
  const accounts = [{ name: 'bot', balances: { USDT: '100000', BTC: '100' }, keys: [...keys] }];
  const options = (name: string): StartVenueOptions => ({
    ...{ replay, accounts, masterKeyFile, data: join(folder.path, name) },
  });
  const whole = await dayOf(options('whole'), atOnce);
  assert.deepEqual(await dayOf(options('restarted'), atOnce, { restartBefore: 4 }), whole);
  assert.ok(whole.fills.length >= 3, 'the bot traded');
});

/** What ccxt sees decides what it does: it asks for the ticker, the book, its orders and its trades. */
const withCcxt: Bot = async (venue, action) => {
  const btse = connect(venue, venue.key);
  const { bids, asks } = await btse.fetchOrderBook(SPOT, 5);
  const side = action % 2 === 0 ? 'buy' : 'sell';
  if (action % 4 < 2) await btse.createOrder(SPOT, 'market', side, 0.02, Number(asks[0][0]));
  else await btse.createOrder(SPOT, 'limit', side, 0.05, Number(side === 'buy' ? bids[0][0] : asks[0][0]));
  for (const { id } of await btse.fetchOpenOrders(SPOT)) if (action % 3 === 0) await btse.cancelOrder(String(id), SPOT);
  return btse.fetchMyTrades(SPOT);
};

test('an unmodified ccxt bot trades against recorded files, and has the same fills the second time', async () => {
  const replay = ['binance_trades', 'binance_incremental_book_L2'].map((name) =>
    recorded(`${name}_2024-08-08_BTCUSDT.csv.gz`),
  );
  const moves: Moves = () => [40];
  const first = await dayOf({ replay }, moves, { bot: withCcxt });
  assert.ok(first.fills.length >= 4, `${first.fills.length} fills`);
  assert.deepEqual(await dayOf({ replay }, moves, { bot: withCcxt }), first);
});
