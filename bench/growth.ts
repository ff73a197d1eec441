/**
 * What a command costs as the venue grows: holders of positions, markets, accounts, resting orders. Each grows alone,
 * by factors of ten, and all sizes are measured in turn in the same process, so that the growth is a ratio within one
 * run. A command's cost should depend on what it does, not on what else there is.
 *
 * - holders, markets: nothing that the command does depends on them.
 * - accounts, resting orders: memory grows, and with it cache misses. The bare book of the yardstick with as many
 *   resting orders shows how much that is.
 * - A move of the index that wakes accounts is shown beside: it costs by the account.
 * - requests: spot orders with client ids a minute, each of which is remembered for a minute.
 *
 * usage: node bench/growth.ts [--json] [--small] [--axis holders|mixed|markets|accounts|resting|requests]
 *   --small: the sizes up to a tenth of the largest
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { DEFAULT_MARKETS } from '../src/config/defaults.ts';
import type { Command, Genesis, PositionMode, Side } from '../src/venue/contract/commands.ts';
import type { MarketSpec } from '../src/venue/contract/market-spec.ts';
import { KEYS_PER_SEQ } from '../src/venue/contract/order-id.ts';
import { Book } from '../src/venue/structures/order-book.ts';
import { Venue } from '../src/venue/venue.ts';
import { threadSeconds } from './thread-seconds.ts';
import { genesis as spotGenesis } from './venue.ts';
import { median } from './yardstick.ts';

const START_MS = 1_767_225_600_000;
const MINUTE_MS = 60_000;
const FINE = 1000;
const INDEX_TICKS = 600_000;
/** While trades are measured, a price between the index and the basis, so that each trade moves the mark. */
const BASIS_TICKS = 200;
const ROUNDS = 5;
const TRADES = 3_000;
const ORDERS = 10_000;
const MOVES = 10_000;
const BOOK_ORDERS = 200_000;
const SWEEPS = 6;
/** A move of the index that wakes every holder: it costs what they cost, so its growth says nothing. */
const WAKING = 'waking all';
const SWEPT = 500;
/** Smallest units of each account that trades. */
const WEALTH = '10000000000000';
/** Of the account whose orders rest. */
const MAKER_WEALTH = '900000000000000000';

const PERP = DEFAULT_MARKETS.find(({ symbol }) => symbol === 'BTC-PERP') as MarketSpec;
const BUY: Side = 0;
const SELL: Side = 1;

interface Size {
  readonly holders: number;
  readonly mixed: boolean;
  readonly markets: number;
  readonly accounts: number;
  readonly resting: number;
}

const SMALLEST: Size = { holders: 10, mixed: false, markets: 5, accounts: 100, resting: 1_000 };

interface Axis {
  readonly values: readonly number[];
  readonly measure: (value: number) => Costs;
}

const AXES: Readonly<Record<string, Axis>> = {
  holders: { values: [10, 1_000, 10_000, 100_000], measure: (holders) => beside('waking', { holders }) },
  mixed: { values: [40, 1_000, 10_000, 100_000], measure: (holders) => beside('waking', { holders, mixed: true }) },
  markets: { values: [5, 100, 1_000], measure: (markets) => beside('waking', { markets }) },
  accounts: { values: [100, 10_000, 1_000_000], measure: (accounts) => beside('book', { accounts }) },
  resting: { values: [1_000, 100_000, 1_000_000], measure: (resting) => beside('book', { resting }) },
  requests: { values: [1_000, 10_000, 240_000], measure: withClientIds },
};

/** What the pairs of holders have: a position mode, and in how many markets. */
const FORMS: readonly { readonly mode: PositionMode; readonly markets: number }[] = [
  { mode: 'ONE_WAY', markets: 1 },
  { mode: 'HEDGE', markets: 1 },
  { mode: 'ISOLATED', markets: 1 },
  { mode: 'ONE_WAY', markets: 5 },
];

function genesis({ markets }: Size): Genesis {
  const specs = Array.from({ length: markets }, (_, i) => {
    const symbol = i === 0 ? PERP.symbol : `M${i}-PERP`;
    return { ...PERP, symbol, maxOpenOrders: 2_000_000, indexJump: null };
  });
  const rules = { insuranceFund: {}, selfTrade: 'cancelIncoming', feeFrom: 'received' } as const;
  const currencies = { [PERP.quote]: { decimals: 8 }, [PERP.base]: { decimals: 8 } };
  const config = { currencies, markets: specs, accounts: [], ...rules };
  return { v: 1, type: 'genesis', config, seed: 1, clock: 'manual', idKey: '000102030405060708090a0b0c0d0e0f' };
}

/** A venue of one size, and what is measured on it. */
class Scene {
  readonly venue = new Venue();
  readonly #size: Size;
  readonly #traders: readonly [number, number];
  readonly #maker: number;
  #seq = 0;
  #nowMs = START_MS;

  constructor(size: Size) {
    this.#size = size;
    this.#apply(genesis(size));
    for (let market = 0; market < size.markets; market++) this.index(market, INDEX_TICKS);
    for (let i = 0; i < size.holders; i += 2) this.#pairOfHolders(i);
    this.#traders = [this.#account(WEALTH), this.#account(WEALTH)];
    this.#maker = this.#account(MAKER_WEALTH);
    for (let i = size.holders + 3; i < size.accounts; i++) this.#account('0');
    this.#raiseBasis();
    for (let i = 0; i < size.resting; i++) {
      const side = i % 2 === 0 ? SELL : BUY;
      const distance = 2_000 + ((i >> 1) % 20_000);
      this.limit(this.#maker, 0, side, INDEX_TICKS + (side === SELL ? distance : -distance), 1);
    }
    // Judges everybody once.
    for (let market = 0; market < size.markets; market++) this.index(market, INDEX_TICKS + 1);
  }

  #apply(command: Command): ReturnType<Venue['apply']> {
    const reply = this.venue.apply(++this.#seq, this.#nowMs, command);
    if (reply.refusal !== null) throw new Error(`${command.type}: ${JSON.stringify(reply.refusal)}`);
    return reply;
  }

  #account(units: string): number {
    const { account } = this.#apply({ v: 1, type: 'createAccount', name: `account-${this.#seq}` });
    if (account === null) throw new Error('no account');
    if (units !== '0') this.#apply({ v: 1, type: 'deposit', account, currency: PERP.quote, amount: units });
    return account;
  }

  /** Two accounts on the two sides of the same positions. Every fourth pair has another form, if the sizes are mixed. */
  #pairOfHolders(i: number): void {
    const form = this.#size.mixed ? FORMS[(i >> 1) % FORMS.length] : FORMS[0];
    const pair = [this.#account(WEALTH), this.#account(WEALTH)];
    for (let market = 0; market < form.markets; market++) {
      for (const account of form.mode === 'ONE_WAY' ? [] : pair) {
        this.#apply({ v: 1, type: 'setPositionMode', account, market, mode: form.mode });
      }
      this.#cross(pair[0], pair[1], market, INDEX_TICKS);
      // The other leg of a pair.
      if (form.mode === 'HEDGE') this.#cross(pair[1], pair[0], market, INDEX_TICKS);
    }
  }

  /** After an hour of a book far above the index, the basis is positive. The book then goes away. */
  #raiseBasis(): void {
    const { impactSize } = PERP.funding ?? { impactSize: 1 };
    this.limit(this.#maker, 0, SELL, INDEX_TICKS + BASIS_TICKS + 10, impactSize);
    this.limit(this.#maker, 0, BUY, INDEX_TICKS + BASIS_TICKS - 10, impactSize);
    this.#nowMs += 61 * MINUTE_MS;
    this.#apply({ v: 1, type: 'advance', toMs: this.#nowMs });
    this.#apply({ v: 1, type: 'cancelAll', account: this.#maker, product: 'futures', market: 0 });
  }

  #cross(seller: number, buyer: number, market: number, ticks: number): void {
    this.limit(seller, market, SELL, ticks, 1);
    this.limit(buyer, market, BUY, ticks, 1);
  }

  index(market: number, ticks: number): void {
    this.#apply({ v: 1, type: 'setPrices', market, index: ticks * FINE, byHand: true });
  }

  /** Returns the key of the order. */
  limit(account: number, market: number, side: Side, price: number, size: number): number {
    const terms = { kind: 'limit', price, size, timeInForce: 'GTC', postOnly: false, reduceOnly: false } as const;
    const head = { v: 1, type: 'place', account, market, side, clientId: null, request: null, broker: null } as const;
    return this.#apply({ ...head, ...terms }).seq * KEYS_PER_SEQ;
  }

  cancel(account: number, order: number): void {
    this.#apply({ v: 1, type: 'cancel', account, product: 'futures', market: null, order, clientId: null });
  }

  // --- what is measured, microseconds ---------------------------------------------------------------------------------

  /** A trade of one lot that moves the mark: both orders. */
  trade(): number {
    const [a, b] = this.#traders;
    const at = (i: number) => INDEX_TICKS + 50 + (i % 100);
    const before = this.venue.marketBySymbol(PERP.symbol)?.mark;
    const cost = timed(TRADES, (i) => (i % 2 === 0 ? this.#cross(a, b, 0, at(i)) : this.#cross(b, a, 0, at(i))));
    if (this.venue.marketBySymbol(PERP.symbol)?.mark === before) throw new Error('the trades have not moved the mark');
    return cost;
  }

  /** The first move of the index after all holders have become unjudged, as after a restart. */
  wakingMove(): number {
    const image = Venue.load(this.venue.save());
    const command = { v: 1, type: 'setPrices', market: 0, index: (INDEX_TICKS + 5) * FINE, byHand: true } as const;
    return timed(1, () => image.apply(this.#seq + 1, this.#nowMs, command));
  }

  /** An order that rests, and its cancel. */
  restAndCancel(): { readonly rest: number; readonly cancel: number } {
    const [account] = this.#traders;
    const keys: number[] = [];
    const rest = timed(ORDERS, (i) => keys.push(this.limit(account, 0, BUY, INDEX_TICKS - 2_000 - (i % 500), 1)));
    const cancel = timed(ORDERS, (i) => this.cancel(account, keys[i]));
    return { rest, cancel };
  }

  /** A move of the index that wakes nobody. */
  quietMove(): number {
    return timed(MOVES, (i) => this.index(0, INDEX_TICKS + (i % 2)));
  }

  /** One order that takes 500 others. */
  sweep(): number {
    const [taker] = this.#traders;
    let total = 0;
    for (let round = 0; round < SWEEPS; round++) {
      const [makes, takes] = round % 2 === 0 ? [SELL, BUY] : [BUY, SELL];
      for (let i = 0; i < SWEPT; i++) {
        this.limit(this.#maker, 0, makes, INDEX_TICKS + (makes === SELL ? 1 : -1) * (200 + i), 1);
      }
      const limit = INDEX_TICKS + (makes === SELL ? 1 : -1) * 1_000;
      total += timed(1, () => this.limit(taker, 0, takes, limit, SWEPT));
    }
    return total / SWEEPS;
  }
}

/** Processor time of this thread, microseconds a call: other work on the machine counts little. */
function timed(calls: number, call: (i: number) => unknown): number {
  const before = threadSeconds();
  for (let i = 0; i < calls; i++) call(i);
  return ((threadSeconds() - before) * 1e6) / calls;
}

/** The same on the book alone, with as many resting orders: how much cache misses cost. */
function bareBook(resting: number): number {
  const book = new Book();
  for (let i = 0; i < resting; i++) {
    const side = i % 2 === 0 ? SELL : BUY;
    const distance = 2_000 + ((i >> 1) % 20_000);
    book.add(side, INDEX_TICKS + (side === SELL ? distance : -distance), 1, i);
  }
  const handles: number[] = [];
  const add = timed(BOOK_ORDERS, (i) => handles.push(book.add(BUY, INDEX_TICKS - 2_000 - (i % 500), 1, i)));
  const remove = timed(BOOK_ORDERS, (i) => book.remove(handles[i]));
  return add + remove;
}

type Costs = Readonly<Record<string, number>>;

/** What commands cost in a venue of that size; beside that, moves that wake everybody, or the book alone. */
function beside(what: 'waking' | 'book', of: Partial<Size>): Costs {
  const size = { ...SMALLEST, ...of };
  const scene = new Scene({ ...size, accounts: Math.max(size.accounts, size.holders + 3) });
  const { rest, cancel } = scene.restAndCancel();
  const [trade, quietMove, sweep] = [scene.trade(), scene.quietMove(), scene.sweep()];
  const costs = { trade, rest, cancel, 'index move': quietMove, 'sweep of 500': sweep };
  if (what === 'book') return { ...costs, 'bare book': bareBook(Math.max(size.resting, size.accounts)) };
  return { ...costs, [WAKING]: scene.wakingMove() };
}

/** An order with a client id, in the second minute and later: each one forgets those of a minute ago. */
function withClientIds(perMinute: number): Costs {
  const venue = new Venue();
  venue.apply(1, START_MS, spotGenesis());
  const terms = { kind: 'limit', size: 10, timeInForce: 'IOC', postOnly: false, reduceOnly: false } as const;
  let placed = 0;
  const place = () => {
    const atMs = START_MS + Math.floor((placed * MINUTE_MS) / perMinute);
    const clientId = `order ${placed}`;
    const head = { v: 1, type: 'place', market: 0, clientId, request: clientId, broker: null } as const;
    placed += 1;
    venue.apply(placed + 1, atMs, { ...head, ...terms, account: placed % 128, side: BUY, price: 60_000 });
  };
  for (let i = 0; i < 1.5 * perMinute; i++) place();
  return { 'with client id': timed(Math.max(perMinute, ORDERS), place) };
}

/** The costs at each value of one axis: medians of rounds that measure all values in turn. */
function grow({ measure }: Axis, values: readonly number[]): Costs[] {
  const rounds: Costs[][] = values.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    values.forEach((value, i) => {
      rounds[i].push(measure(value));
    });
  }
  return rounds.map((costs) => {
    const names = Object.keys(costs[0]);
    return Object.fromEntries(names.map((name) => [name, median(costs.map((each) => each[name]))]));
  });
}

function main(): void {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, small: { type: 'boolean' }, axis: { type: 'string' } },
  });
  const chosen = Object.entries(AXES).filter(([name]) => values.axis === undefined || values.axis === name);
  if (chosen.length === 0) throw new Error(`--axis takes one of ${Object.keys(AXES).join(', ')}`);
  if (!values.json)
    console.log(
      `Node ${process.version}, ${availableParallelism()} cores; microseconds of processor time, medians of ${ROUNDS} rounds`,
    );
  // Once unmeasured, so that the first size has no cold code.
  beside('book', SMALLEST);
  for (const [name, axis] of chosen) {
    const sizes = values.small ? axis.values.slice(0, -1) : axis.values;
    const costs = grow(axis, sizes);
    if (values.json) {
      for (const [i, size] of sizes.entries())
        console.log(JSON.stringify({ case: `growth-${name}`, size, ...costs[i] }));
      continue;
    }
    const names = Object.keys(costs[0]);
    console.log(`\n${name.padEnd(12)}${names.map((name) => name.padStart(14)).join('')}`);
    const row = (head: string, cells: string[]) =>
      console.log(head.padEnd(12) + cells.map((cell) => cell.padStart(14)).join(''));
    for (const [i, size] of sizes.entries()) {
      row(
        String(size),
        names.map((name) => costs[i][name].toFixed(2)),
      );
    }
    const [first, last] = [costs[0], costs[costs.length - 1]];
    row(
      'growth',
      names.map((name) => (name === WAKING ? '' : `${(last[name] / first[name]).toFixed(2)} ×`)),
    );
  }
}

if (import.meta.main) main();
