/**
 * The rules of solvency as scenarios for the model alone: what a stranger may try with two accounts, and what comes out.
 * After every command the five statements of rules 5.49 to 5.53 hold.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command, Genesis, Place } from '../../src/venue/contract/commands.ts';
import type { MarketSpec } from '../../src/venue/contract/market-spec.ts';
import { Model, type ModelReply } from './model.ts';
import { equityOf, marginAccountOf } from './model-equity.ts';
import { balanceOf } from './model-funds.ts';
import { positionsIn, positionsOf } from './model-positions.ts';
import { FINE, type ModelOrder, type ModelPosition } from './model-state.ts';
import { START_MS } from './scenario.ts';
import { brokenInModel } from './statements.ts';

const [BUY, SELL] = [0, 1] as const;
const [SPOT, PERP, OTHER] = [0, 1, 2];
const UNITS = 100_000_000;
const MINUTE_MS = 60_000;
const TICKS = 10;

const COMMON = {
  quote: 'USDT',
  band: '0.1',
  marketBand: '0.05',
  maxOpenOrders: 500,
  liquidationFee: '0.002',
  staleAfterMs: 60_000,
  twapIntervalMs: null,
  duplicateClientIds: 'refuse',
} as const;

const BTC = { ...COMMON, base: 'BTC', tick: '0.1', maxPrice: '10000000' };

const perpetual = (symbol: string): MarketSpec => ({
  ...BTC,
  symbol,
  kind: 'perpetual',
  step: '1',
  minSize: '1',
  maxSize: '7500000',
  contractSize: '0.00001',
  fees: { maker: '0.0002', taker: '0.00055' },
  triggerLimitDistance: null,
  riskTiers: [
    { maxNotional: '100000', initial: '0.01', maintenance: '0.005' },
    { maxNotional: '1000000', initial: '0.02', maintenance: '0.01' },
    { maxNotional: '10000000', initial: '0.05', maintenance: '0.025' },
    { maxNotional: '50000000', initial: '0.1', maintenance: '0.05' },
  ],
  funding: { intervalMs: 8 * 60 * MINUTE_MS, cap: '0.00375', impactSize: 50_000 },
});

const MARKETS: readonly MarketSpec[] = [
  {
    ...BTC,
    symbol: 'BTC-USDT',
    kind: 'spot',
    step: '0.00001',
    minSize: '0.00001',
    maxSize: '100',
    contractSize: null,
    fees: { maker: '0.0002', taker: '0.0002' },
    triggerLimitDistance: '0.05',
    riskTiers: [],
    funding: null,
  },
  perpetual('BTC-PERP'),
  perpetual('XBT-PERP'),
];

type Step = Exclude<Command, Genesis>;
type Terms = Record<string, unknown>;

/** Accounts by name with their USDT, and a fund. Prices in USDT, sizes in contracts. */
class Play {
  readonly model: Model;
  readonly #names: string[];
  #seq = 1;

  constructor(balances: Record<string, number>, fund = 0) {
    this.#names = Object.keys(balances);
    const accounts = Object.entries(balances).map(([name, usdt]) => ({
      name,
      balances: { USDT: String(usdt), BTC: '10' },
      fees: {},
      keys: [],
    }));
    const genesis: Genesis = {
      v: 1,
      type: 'genesis',
      seed: 1,
      clock: 'manual',
      idKey: '00112233445566778899aabbccddeeff',
      config: {
        currencies: { USDT: { decimals: 8 }, BTC: { decimals: 8 } },
        markets: MARKETS,
        accounts,
        insuranceFund: { USDT: String(fund) },
        selfTrade: 'cancelIncoming',
        feeFrom: 'received',
      },
    };
    this.model = new Model(genesis, 1, START_MS);
  }

  run(command: Step): ModelReply {
    const reply = this.model.apply(++this.#seq, START_MS, command);
    assert.equal(brokenInModel(this.model.w), null);
    return reply;
  }

  index(usdt: number, market = PERP): ModelReply {
    return this.run({ v: 1, type: 'setPrices', market, index: usdt * TICKS * FINE, byHand: true });
  }

  /** A value of a feed, which may be held. */
  fed(usdt: number, market = PERP): ModelReply {
    return this.run({ v: 1, type: 'setPrices', market, index: usdt * TICKS * FINE, byHand: false });
  }

  place(kind: Place['kind'], name: string, side: 0 | 1, terms: Terms): ModelReply {
    const base = { market: PERP, clientId: null, request: null, broker: null, reduceOnly: false };
    const account = this.#names.indexOf(name);
    return this.run({ v: 1, type: 'place', kind, account, side, ...base, ...terms } as unknown as Step);
  }

  limit(name: string, side: 0 | 1, size: number, usdt: number, terms: Terms = {}): ModelReply {
    const price = Math.round(usdt * TICKS);
    return this.place('limit', name, side, { price, size, timeInForce: 'GTC', postOnly: false, ...terms });
  }

  market(name: string, side: 0 | 1, size: number, terms: Terms = {}): ModelReply {
    return this.place('market', name, side, { size, quote: null, ...terms });
  }

  /** A stop on the mark that releases a market order. */
  stop(name: string, side: 0 | 1, size: number, trigger: number, terms: Terms = {}): ModelReply {
    return this.place('conditional', name, side, {
      rule: 'stop',
      trigger: trigger * TICKS,
      reference: 'mark',
      price: null,
      size,
      quote: null,
      timeInForce: 'GTC',
      postOnly: false,
      ...terms,
    });
  }

  amend(name: string, order: ModelOrder, terms: Terms): ModelReply {
    const base = { product: order.product, market: null, order: order.key, clientId: null };
    const what = { price: null, size: null, totalSize: true, trigger: null };
    const account = this.#names.indexOf(name);
    return this.run({ v: 1, type: 'amend', account, ...base, ...what, ...terms } as Step);
  }

  minutes(n: number): void {
    this.run({ v: 1, type: 'advance', toMs: this.model.w.s.now + n * MINUTE_MS });
  }

  leverage(name: string, margin: 'CROSS' | 'ISOLATED', leverage: number): void {
    const account = this.#names.indexOf(name);
    const reply = this.run({ v: 1, type: 'setLeverage', account, market: PERP, margin, leverage, position: null });
    assert.equal(reply.refusal, null);
  }

  /** `seller` sells to `buyer` at the price: a pair of positions. */
  trade(buyer: string, seller: string, size: number, usdt: number, terms: Terms = {}): void {
    const before = this.size(buyer);
    this.limit(seller, SELL, size, usdt);
    const reply = this.limit(buyer, BUY, size, usdt, terms);
    assert.equal(reply.refusal, null);
    assert.equal(this.size(buyer) - before, size);
  }

  #account(name: string) {
    return this.model.w.s.accounts.get(this.#names.indexOf(name))!;
  }

  get mark(): number {
    return this.model.w.s.markets[PERP].mark / FINE / TICKS;
  }

  positions(name: string, market = PERP): ModelPosition[] {
    const { w } = this.model;
    return positionsOf(positionsIn(this.#account(name), w.s.markets[market])).filter((p) => p.size !== 0);
  }

  size(name: string, market = PERP): number {
    return this.positions(name, market).reduce((sum, p) => sum + p.size, 0);
  }

  total(name: string): number {
    return Number(this.#account(name).totals[0]) / UNITS;
  }

  available(name: string): number {
    return Number(balanceOf(this.model.w, this.#account(name), 0).available) / UNITS;
  }

  /** What the account is worth at the mark: wallet, cross positions, and what isolated ones have. */
  worth(name: string): number {
    const { w } = this.model;
    const account = this.#account(name);
    const { total, unrealised } = balanceOf(w, account, 0);
    const isolated = [PERP, OTHER].flatMap((at) => {
      const market = w.s.markets[at];
      return positionsIn(account, market).isolated.map((p) => equityOf(w, marginAccountOf(w, account, market, p)));
    });
    return Number(isolated.reduce((a, b) => a + b, total + unrealised)) / UNITS;
  }

  get fund(): number {
    return Number(this.model.w.s.insurance[0]) / UNITS;
  }

  /** The order as it is now, or as it ended. */
  now(order: ModelOrder): ModelOrder {
    const { live, ended } = this.model.w.s;
    return [...live, ...ended].find((o) => o.key === order.key)!;
  }
}

const reason = (o: ModelOrder) => o.ending?.reason;

describe('a close at far prices', () => {
  /** a is long 130,000 at 60,000 on 1,000 USDT; b bids for all of it at 54,000. */
  function longOn1000(): Play {
    const play = new Play({ a: 1000, b: 10_000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('a', 'mm', 130_000, 60_000);
    play.limit('b', BUY, 130_000, 54_000);
    return play;
  }

  for (const reduceOnly of [false, true]) {
    it(`by a LIMIT beyond the bankruptcy price is refused${reduceOnly ? ', reduce-only' : ''}`, () => {
      const play = longOn1000();
      const { refusal } = play.limit('a', SELL, 130_000, 54_000, { reduceOnly });
      assert.equal(refusal?.reason, 'beyondBankruptcy');
      assert.equal(play.size('a'), 130_000);
    });
  }

  it('by IOC or FOK is no reason to refuse: the sweep clips it', () => {
    for (const timeInForce of ['IOC', 'FOK']) {
      const play = longOn1000();
      const [o] = play.limit('a', SELL, 130_000, 54_000, { timeInForce }).orders;
      assert.equal(o.state, 'cancelled');
      assert.ok(play.total('a') > 0);
    }
  });

  /** Equity of a pays for so many lots at that price and for the maintenance of those that are left. */
  function clipped(play: Play, price: number): number {
    const equity = play.worth('a');
    const left = (lots: number) => {
      const fee = (lots * price * 0.00055) / 100_000;
      const value = ((130_000 - lots) * play.mark) / 100_000;
      return equity - (lots * (play.mark - price)) / 100_000 - fee - value * 0.005;
    };
    let lots = 130_000;
    while (left(lots) < 0) lots--;
    return lots;
  }

  for (const reduceOnly of [false, true]) {
    it(`by MARKET into a thin book fills what equity covers${reduceOnly ? ', as a close of the position' : ''}`, () => {
      const play = new Play({ a: 1000, b: 10_000, mm: 10_000_000 });
      play.index(60_000);
      play.trade('a', 'mm', 130_000, 60_000);
      play.limit('b', BUY, 130_000, 57_500);
      const expected = clipped(play, 57_500);
      assert.ok(expected > 0 && expected < 130_000);
      const [o] = play.market('a', SELL, 130_000, { reduceOnly }).orders;
      assert.deepEqual([o.filled, o.state, reason(o)], [expected, 'cancelled', 'margin']);
      assert.ok(play.worth('a') >= 0);
      assert.ok(Math.abs(play.worth('b') - 10_000) < 1000);
    });
  }

  it('by STOP is clipped as a market order is', () => {
    const play = new Play({ a: 1000, b: 10_000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('a', 'mm', 130_000, 60_000);
    play.limit('b', BUY, 130_000, 57_500);
    const [o] = play.stop('a', SELL, 130_000, 60_000, { reduceOnly: true }).orders;
    assert.equal(reason(play.now(o)), 'margin');
    assert.ok(play.now(o).filled < 130_000);
    assert.ok(play.worth('a') >= 0);
  });

  it('in HEDGE is clipped, and its LIMIT refused', () => {
    const play = new Play({ a: 1000, b: 10_000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('a', 'mm', 130_000, 60_000, { positionMode: 'HEDGE' });
    play.limit('b', BUY, 130_000, 57_500);
    const refused = play.limit('a', SELL, 130_000, 57_500, { reduceOnly: true });
    assert.equal(refused.refusal?.reason, 'beyondBankruptcy');
    const [o] = play.market('a', SELL, 130_000, { reduceOnly: true }).orders;
    assert.equal(reason(o), 'margin');
    assert.ok(play.worth('a') >= 0);
  });

  it('as a maker is refused, and an ask that the mark has left is cancelled at the fill', () => {
    const play = new Play({ a: 1000, b: 10_000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('a', 'mm', 130_000, 60_000);
    const [ask] = play.limit('a', SELL, 130_000, 59_900).orders;
    play.index(60_550);
    assert.equal(play.now(ask).state, 'working');
    const [buy] = play.limit('b', BUY, 130_000, 60_200, { timeInForce: 'IOC' }).orders;
    const sold = play.now(ask).filled;
    assert.equal(play.now(buy).filled, sold);
    assert.ok(play.worth('a') >= 0);
  });
});

describe('ISOLATED', () => {
  it('never loses more than its margin', () => {
    const play = new Play({ a: 1000, b: 10_000, mm: 10_000_000 });
    play.index(60_000);
    play.leverage('a', 'ISOLATED', 100);
    play.trade('a', 'mm', 9000, 60_000, { positionMode: 'ISOLATED' });
    const wallet = play.total('a');
    play.limit('b', BUY, 9000, 57_500);
    const refused = play.limit('a', SELL, 9000, 57_500, { reduceOnly: true });
    assert.equal(refused.refusal?.reason, 'beyondBankruptcy');
    const [o] = play.market('a', SELL, 9000, { reduceOnly: true }).orders;
    assert.equal(reason(o), 'margin');
    assert.ok(play.total('a') >= wallet);
  });

  it('holds the entry fee beside the margin', () => {
    const play = new Play({ a: 60.5 + 2.9, mm: 10_000_000 });
    play.index(60_000);
    play.leverage('a', 'ISOLATED', 100);
    // Margin 5,400 × (1 % + 2 × 0.055 %) × 1.01 = 60.54: with the fee of 2.97 it is more than 63.4.
    const { refusal } = play.limit('a', BUY, 9000, 60_000, { positionMode: 'ISOLATED' });
    assert.equal(refusal?.reason, 'insufficientFunds');
    const [o] = play.limit('a', BUY, 8900, 60_000, { positionMode: 'ISOLATED' }).orders;
    play.market('mm', SELL, 8900);
    assert.equal(play.now(o).filled, 8900);
    assert.ok(play.total('a') >= 0);
  });

  it('holds a SELL at the dearest price at which it may be filled', () => {
    const play = new Play({ a: 66.6, mm: 10_000_000 });
    play.index(60_000);
    play.leverage('a', 'ISOLATED', 100);
    play.limit('mm', BUY, 9000, 60_600);
    const terms = { positionMode: 'ISOLATED' };
    assert.equal(play.limit('a', SELL, 9500, 60_000, terms).refusal?.reason, 'insufficientFunds');
    const [o] = play.limit('a', SELL, 9000, 60_000, terms).orders;
    assert.equal(o.filled, 9000);
    assert.ok(play.total('a') >= 0);
  });

  it('opens at the highest leverage, at the touch', () => {
    const play = new Play({ a: 1000, mm: 10_000_000 });
    play.index(60_000);
    play.leverage('a', 'ISOLATED', 100);
    play.limit('mm', SELL, 100_000, 60_003);
    const [o] = play.market('a', BUY, 9000, { positionMode: 'ISOLATED' }).orders;
    assert.deepEqual([o.state, o.filled], ['filled', 9000]);
  });
});

describe('an order that would lose at once', () => {
  function market() {
    const play = new Play({ a: 1000, b: 10_000, mm: 10_000_000 }, 20_000);
    play.index(60_000);
    return play;
  }

  it('needs its open loss beside its margin: BUY above the mark, SELL below', () => {
    const play = market();
    assert.equal(play.limit('a', BUY, 130_000, 66_000).refusal?.reason, 'insufficientFunds');
    assert.equal(play.limit('a', SELL, 130_000, 54_000).refusal?.reason, 'insufficientFunds');
    assert.equal(play.fund, 20_000);
  });

  it('at an amend, too', () => {
    const play = market();
    const [o] = play.limit('a', BUY, 130_000 / 2, 59_000).orders;
    assert.equal(play.amend('a', o, { price: 66_000 * TICKS }).refusal?.reason, 'insufficientFunds');
    assert.equal(play.now(o).price, 59_000 * TICKS);
  });

  it('as MARKET into far asks', () => {
    const play = market();
    play.limit('b', SELL, 100_000, 62_900);
    assert.equal(play.market('a', BUY, 65_000).refusal?.reason, 'insufficientFunds');
  });

  it('as PEG and in ISOLATED', () => {
    const play = market();
    const peg = { price: 66_000 * TICKS, size: 65_000, stealth: 10_000_000_000, deviation: 0 };
    assert.equal(play.place('peg', 'a', BUY, peg).refusal?.reason, 'insufficientFunds');
    const isolated = play.limit('a', BUY, 65_000, 66_000, { positionMode: 'ISOLATED' });
    assert.equal(isolated.refusal?.reason, 'insufficientFunds');
  });

  it('that rests where the mark has left it is cancelled at the fill', () => {
    const play = market();
    const [bid] = play.limit('a', BUY, 65_000, 60_000).orders;
    play.index(57_000);
    const [sell] = play.limit('b', SELL, 65_000, 60_000, { timeInForce: 'IOC' }).orders;
    const ended = play.now(bid);
    assert.deepEqual([ended.state, reason(ended)], ['cancelled', 'margin']);
    assert.equal(sell.filled, ended.filled);
    assert.ok(play.worth('a') >= 0);
    assert.equal(play.fund, 20_000);
  });

  it('in eight rounds with fresh accounts takes nothing from the fund', () => {
    const names = Array.from({ length: 8 }, (_, i) => `a${i}`);
    const play = new Play({ ...Object.fromEntries(names.map((n) => [n, 1000])), b: 100_000 }, 50_000);
    play.index(60_000);
    for (const name of names) {
      play.limit('b', SELL, 65_000, 62_900);
      play.limit(name, BUY, 65_000, 62_900);
      play.market(name, BUY, 65_000);
      play.limit(name, BUY, 10_000, 62_900);
      play.minutes(1);
    }
    assert.ok(play.fund >= 50_000);
    assert.ok(play.worth('b') <= 100_000 + 8 * 1000);
  });
});

describe('a gap of the mark', () => {
  it('closes the bankrupt at its bankruptcy price, which is no worse for anybody than the mark before', () => {
    const play = new Play({ a: 1000, short: 10_000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('a', 'short', 90_000, 60_000);
    const before = play.worth('short');
    play.index(58_000);
    assert.equal(play.size('a'), 0);
    assert.equal(play.size('short'), 0);
    assert.ok(play.worth('short') > before);
    assert.ok(Math.abs(play.total('a')) < 0.001);
    assert.equal(play.fund, 0);
  });

  it('is paid for by what it gave, whatever a wash trade has made of the entry prices', () => {
    const play = new Play({ c: 100_000, d: 100_000, a: 1000, mm: 10_000_000 });
    play.index(60_000);
    // C sells to its friend D at 54,000, D sells on to A at 60,000.
    play.limit('d', BUY, 90_000, 54_000);
    play.limit('c', SELL, 90_000, 54_000);
    assert.equal(play.size('c'), -90_000);
    play.trade('a', 'd', 90_000, 60_000);
    const before = { c: play.worth('c'), d: play.worth('d') };
    play.index(57_000);
    assert.equal(play.fund, 0);
    assert.equal(play.size('a'), 0);
    assert.ok(play.worth('c') >= before.c);
    assert.ok(play.worth('d') >= before.d);
    // A's 1,000 and no more went to C.
    assert.ok(play.worth('c') - before.c <= 1000);
  });

  it('lets no take-profit leave with the gain before the bankrupt is closed', () => {
    const play = new Play({ a: 1000, short: 10_000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('a', 'short', 90_000, 60_000);
    play.limit('mm', SELL, 200_000, 58_010);
    play.stop('short', BUY, 90_000, 59_000, { rule: 'profit', reduceOnly: true });
    play.index(58_000);
    assert.equal(play.fund, 0);
    assert.equal(play.size('a'), 0);
    assert.equal(play.size('mm'), 0);
  });
});

describe('hedge legs', () => {
  /** p is long and short 100,000 at 60,000 in HEDGE: nothing to win or lose. */
  function pair(balances: Record<string, number>): Play {
    const play = new Play({ p: 10_000, mm: 10_000_000, ...balances });
    play.index(60_000);
    play.trade('p', 'mm', 100_000, 60_000, { positionMode: 'HEDGE' });
    play.limit('mm', BUY, 100_000, 60_000);
    play.limit('p', SELL, 100_000, 60_000);
    assert.deepEqual(
      play.positions('p').map(({ size }) => size),
      [100_000, -100_000],
    );
    return play;
  }

  it('that are equal are not taken to close a bankrupt: the change of the mark gave them nothing', () => {
    const play = pair({ a: 1000, long: 100_000 });
    play.trade('long', 'a', 90_000, 60_000);
    const before = play.worth('p');
    play.index(62_000);
    assert.equal(play.size('a'), 0);
    assert.equal(play.positions('p').length, 2);
    assert.ok(Math.abs(play.worth('p') - before) < 0.001);
    assert.equal(play.fund, 0);
  });

  it('of a bankrupt close each other first, and what is left at its own bankruptcy price', () => {
    const play = new Play({ p: 1500, long: 100_000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('p', 'mm', 3000, 60_000, { positionMode: 'HEDGE' });
    play.limit('long', BUY, 93_000, 60_000);
    play.limit('p', SELL, 93_000, 60_000);
    play.index(62_000);
    assert.equal(play.positions('p').length, 0);
    assert.equal(play.fund, 0);
    assert.ok(play.total('p') >= 0);
  });

  it('win and lose in one account: it lives on what both come to', () => {
    const play = pair({});
    for (const index of [55_000, 50_000, 60_000, 70_000]) play.index(index);
    assert.equal(play.positions('p').length, 2);
  });
});

describe('reserved money', () => {
  it('is no equity: a liquidation comes earlier, and cancels spot orders before it closes positions', () => {
    const play = new Play({ u: 1000, b: 100_000, mm: 10_000_000 });
    play.index(60_000);
    play.index(60_000, SPOT);
    play.trade('u', 'b', 50_000, 60_000);
    const [spot] = play.limit('u', BUY, 1000, 59_000, { market: SPOT }).orders;
    play.index(58_900);
    assert.equal(reason(play.now(spot)), 'liquidation');
    assert.ok(play.worth('u') > 0);
    assert.equal(play.size('u'), 50_000);
  });

  it('that a loss no longer covers is freed: spot orders go, newest first', () => {
    const play = new Play({ u: 1000, b: 100_000, mm: 10_000_000 });
    play.index(60_000);
    play.index(60_000, SPOT);
    play.index(60_000, OTHER);
    play.trade('u', 'b', 20_000, 60_000);
    play.limit('b', SELL, 20_000, 60_000, { market: OTHER });
    play.limit('u', BUY, 20_000, 60_000, { market: OTHER });
    const [older] = play.limit('u', BUY, 100, 59_000, { market: SPOT }).orders;
    const [newer] = play.limit('u', BUY, 1000, 59_000, { market: SPOT }).orders;
    play.index(61_000, OTHER);
    play.index(59_000);
    play.limit('mm', BUY, 20_000, 58_000);
    play.market('u', SELL, 20_000);
    assert.equal(play.size('u'), 0);
    assert.equal(play.now(older).state, 'working');
    assert.equal(reason(play.now(newer)), 'reserveLost');
  });
});

describe('a TWAP between its children', () => {
  it('goes where the wallet falls below zero, though it holds nothing', () => {
    const play = new Play({ u: 1000, b: 1_000_000, mm: 10_000_000 });
    for (const market of [SPOT, PERP, OTHER]) play.index(60_000, market);
    play.limit('mm', SELL, 100_000, 60_000, { market: SPOT });
    play.trade('u', 'b', 20_000, 60_000);
    play.limit('b', SELL, 60_000, 60_000, { market: OTHER });
    play.limit('u', BUY, 60_000, 60_000, { market: OTHER });
    const terms = {
      market: SPOT,
      size: 10,
      periodMs: 60_000,
      makerFirst: false,
      randomizeSize: false,
      maxChildSize: null,
    };
    const paused = {
      maxSpread: 0,
      maxThroughBook: null,
      pausePrice: null,
      activation: null,
      activationReference: null,
    };
    const [twap] = play.place('twap', 'u', BUY, { ...terms, ...paused }).orders;
    play.index(66_000, OTHER);
    play.index(54_500);
    play.limit('mm', BUY, 20_000, 54_400);
    play.market('u', SELL, 20_000);
    assert.equal(play.size('u'), 0);
    assert.ok(play.total('u') < 0);
    assert.equal(reason(play.now(twap)), 'reserveLost');
  });
});

describe('the mark', () => {
  it('is moved neither by one contract on both sides nor by a wash print', () => {
    const play = new Play({ v: 1000, a: 10_000, b: 10_000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('v', 'mm', 90_000, 60_000);
    play.limit('a', SELL, 2, 65_400);
    play.limit('b', BUY, 1, 65_399);
    play.market('b', BUY, 1);
    play.limit('b', BUY, 1, 65_400);
    play.minutes(1);
    assert.ok(Math.abs(play.mark - 60_000) <= 60_000 * 0.0025);
    assert.equal(play.size('v'), 90_000);
  });

  it('stays within maxBasis / 60 of the index after a first minute of large quotes', () => {
    const play = new Play({ a: 1_000_000, b: 1_000_000 });
    play.index(60_000);
    play.limit('a', BUY, 60_000, 64_800);
    play.limit('b', SELL, 60_000, 64_900);
    play.limit('b', SELL, 1, 64_800, { timeInForce: 'IOC' });
    play.minutes(1);
    assert.ok(play.mark - 60_000 <= (60_000 * 0.0025) / 60 + 0.1, `${play.mark}`);
  });

  it('is on a tick, the one nearer the index', () => {
    const play = new Play({ a: 1000 });
    play.run({ v: 1, type: 'setPrices', market: PERP, index: 600_000_400, byHand: true });
    assert.equal(play.mark, 60_000);
    play.run({ v: 1, type: 'setPrices', market: PERP, index: 600_000_600, byHand: true });
    assert.equal(play.mark, 60_000.1);
  });
});

describe('funding', () => {
  /** Quotes for an interval at +2.27 %, of so many contracts; the rate at its end. */
  function rateFor(size: number, minutes: number): number {
    const play = new Play({ a: 1_000_000, b: 1_000_000 });
    play.index(60_000);
    play.limit('a', BUY, size, 61_362);
    play.minutes(minutes);
    play.run({ v: 1, type: 'cancelAll', account: 0, product: 'futures', market: null });
    play.minutes(480 - minutes);
    return play.model.w.s.markets[PERP].settledRate / UNITS;
  }

  it('is nothing for a bid that is smaller than the impact size', () => assert.equal(rateFor(10_000, 480), 0));
  it('is capped at 0.375 %', () => assert.equal(rateFor(50_000, 480), 0.00375));
  it('counts a minute without a sample as nothing', () => {
    assert.ok(Math.abs(rateFor(50_000, 60) - 0.0227 / 3 / 8) < 0.00001);
  });
});

describe('a halted market', () => {
  it('shields nobody: positions elsewhere are closed', () => {
    const play = new Play({ a: 1100, b: 100_000, mm: 10_000_000 });
    play.index(60_000);
    play.index(60_000, OTHER);
    play.limit('b', SELL, 100, 60_000, { market: OTHER });
    play.limit('a', BUY, 100, 60_000, { market: OTHER });
    play.trade('a', 'b', 90_000, 60_000);
    play.run({ v: 1, type: 'haltMarket', market: OTHER });
    play.index(59_000);
    play.index(57_000);
    assert.equal(play.size('a'), 0);
    assert.equal(play.size('a', OTHER), 100);
  });
});

describe('a loss in a halted market', () => {
  it('waits for the market to go on: no other position is closed for it, and the fund pays nothing', () => {
    const play = new Play({ a: 10_000, b: 100_000, c: 1_000_000 }, 50_000);
    play.index(60_000);
    play.index(60_000, OTHER);
    play.trade('a', 'b', 700_000, 60_000);
    play.limit('c', SELL, 5000, 60_000, { market: OTHER });
    play.limit('a', BUY, 5000, 60_000, { market: OTHER });
    play.run({ v: 1, type: 'haltMarket', market: PERP });
    play.index(57_000);
    play.index(59_999, OTHER);
    assert.equal(play.size('a', OTHER), 5000);
    assert.equal(play.fund, 50_000);
    play.run({ v: 1, type: 'resumeMarket', market: PERP });
    assert.equal(play.size('a'), 0);
    assert.equal(play.size('b'), 0);
    assert.equal(play.fund, 50_000);
  });
});

describe('a friend who waits with a bid', () => {
  it('beyond the bankruptcy price is not paid by the fund', () => {
    const play = new Play({ a: 1000, friend: 10_000, mm: 10_000_000 }, 10_000);
    play.index(60_000);
    play.trade('a', 'mm', 130_000, 60_000);
    play.limit('friend', BUY, 65_000, 57_500);
    play.market('a', SELL, 65_000);
    assert.ok(play.worth('a') >= 0);
    play.limit('friend', BUY, 130_000, 54_600);
    play.index(59_900);
    play.index(59_700);
    play.minutes(1);
    assert.ok(play.fund >= 10_000);
    assert.ok(play.worth('friend') <= 11_000);
  });

  it('2 % below a mark that drifts is not served once equity is gone', () => {
    const play = new Play({ a: 1000, friend: 10_000, short: 100_000 }, 10_000);
    play.index(60_000);
    play.trade('a', 'short', 90_000, 60_000);
    play.limit('friend', BUY, 90_000, 58_300);
    for (let i = 1; i <= 250; i++) play.index(60_000 - 6 * i);
    assert.equal(play.size('a'), 0);
    assert.equal(play.size('friend'), 0);
    assert.ok(play.fund >= 10_000);
  });
});

describe('a pending index of a feed', () => {
  it('counts against orders that open: a BUY if it is below, a SELL if it is above', () => {
    const play = new Play({ a: 1000, b: 1000, mm: 10_000_000 }, 10_000);
    play.index(60_000);
    play.fed(60_000 * 0.96);
    assert.equal(play.limit('a', BUY, 65_000, 60_000).refusal?.reason, 'insufficientFunds');
    assert.equal(play.limit('a', SELL, 65_000, 60_000).refusal, null);
    play.run({ v: 1, type: 'cancelAll', account: 0, product: 'futures', market: null });
    play.fed(60_000);
    play.fed(60_000 * 1.04);
    assert.equal(play.limit('b', SELL, 65_000, 60_000).refusal?.reason, 'insufficientFunds');
  });

  it('leaves a poor maker no fill at the old price', () => {
    const play = new Play({ a: 10_000, b: 1000, mm: 10_000_000 }, 10_000);
    play.index(60_000);
    const [ask] = play.limit('b', SELL, 65_000, 60_000).orders;
    play.fed(60_000 * 1.04);
    play.market('a', BUY, 65_000);
    assert.equal(reason(play.now(ask)), 'margin');
    play.fed(60_000 * 1.04);
    assert.ok(play.worth('b') >= 0);
    assert.equal(play.fund, 10_000);
  });
});

describe('without a price to go by', () => {
  it('a perpetual takes no order before its first index', () => {
    const play = new Play({ a: 1000 });
    assert.equal(play.limit('a', BUY, 1, 60_000).refusal?.reason, 'noMark');
    assert.equal(play.stop('a', BUY, 1, 60_000).refusal?.reason, 'noMark');
    play.index(60_000);
    assert.equal(play.limit('a', BUY, 1, 60_000).refusal, null);
  });

  it('while a feed is stale, orders may only reduce', () => {
    const play = new Play({ a: 1000, mm: 10_000_000 });
    play.fed(60_000);
    play.trade('a', 'mm', 100, 60_000);
    play.minutes(2);
    assert.equal(play.limit('a', BUY, 1, 60_000).refusal?.reason, 'staleIndex');
    assert.equal(play.limit('a', SELL, 101, 60_000).refusal?.reason, 'staleIndex');
    assert.equal(play.limit('a', SELL, 100, 60_000).refusal, null);
  });
});

describe('normal trading', () => {
  it('a stop of a 100x long in a fast market closes all of it', () => {
    const play = new Play({ a: 950, mm: 10_000_000 });
    play.index(60_000);
    play.limit('mm', SELL, 140_000, 60_000);
    play.market('a', BUY, 140_000);
    const bought = play.size('a');
    assert.ok(bought * 0.6 > 900 * 80, `${bought}`);
    const [stop] = play.stop('a', SELL, bought, 59_760, { reduceOnly: true }).orders;
    play.limit('mm', BUY, bought, 60_000 * 0.9935 * 0.9998);
    play.limit('mm', BUY, bought, 60_000 * 0.9935 * 0.9995);
    play.index(60_000 * 0.9935);
    assert.equal(play.now(stop).state, 'filled');
    assert.equal(play.size('a'), 0);
    assert.ok(play.total('a') > 0);
    assert.equal(play.fund, 0);
  });

  it('a close 5 bp below the mark is taken with available below zero, and so is an amend that lowers what the order needs', () => {
    const play = new Play({ a: 1000, mm: 10_000_000 });
    play.index(60_000);
    play.trade('a', 'mm', 130_000, 60_000);
    const [add] = play.limit('a', BUY, 5000, 59_000).orders;
    play.index(59_750);
    assert.ok(play.available('a') < 0);
    assert.equal(play.amend('a', add, { size: 2500 }).refusal, null);
    assert.equal(play.amend('a', add, { price: 58_900 * TICKS }).refusal, null);
    play.limit('mm', BUY, 130_000, 59_750 * 0.9995);
    const [close] = play.market('a', SELL, 130_000).orders;
    assert.deepEqual([close.state, close.filled], ['filled', 130_000]);
  });

  it('a short whose value passes the edge of a tier lives', () => {
    const play = new Play({ a: 1200, mm: 10_000_000 });
    play.index(60_000);
    play.limit('mm', BUY, 166_000, 60_000);
    play.leverage('a', 'CROSS', 100);
    const [o] = play.market('a', SELL, 166_000).orders;
    assert.equal(o.filled, 166_000);
    play.index(60_000 * 1.0042);
    assert.equal(play.size('a'), -166_000);
    assert.ok(play.worth('a') < 100_000 * 0.0075);
  });
});

describe('a winner and a loser in one cross account', () => {
  it('are closed either first, as long as both together are solvent', () => {
    const play = new Play({ a: 2000, b: 1_000_000, mm: 10_000_000 });
    for (const market of [PERP, OTHER]) play.index(60_000, market);
    play.trade('a', 'b', 50_000, 60_000);
    play.limit('b', BUY, 50_000, 60_000, { market: OTHER });
    play.limit('a', SELL, 50_000, 60_000, { market: OTHER });
    for (const index of [57_000, 55_000]) for (const market of [PERP, OTHER]) play.index(index, market);
    assert.equal(play.size('a'), 50_000);
    play.limit('mm', BUY, 50_000, 54_990);
    const [loser] = play.market('a', SELL, 50_000).orders;
    assert.equal(loser.state, 'filled');
    assert.ok(play.total('a') < 0);
    play.limit('mm', SELL, 50_000, 55_010, { market: OTHER });
    const [winner] = play.market('a', BUY, 50_000, { market: OTHER }).orders;
    assert.equal(winner.state, 'filled');
    assert.ok(play.total('a') > 1900);
  });
});

describe('FOK', () => {
  it('against a maker that solvency clips ends without touching anything', () => {
    const play = new Play({ a: 1000, b: 100_000, mm: 10_000_000 });
    play.index(60_000);
    const [bid] = play.limit('a', BUY, 65_000, 60_000).orders;
    play.index(58_500);
    const [o] = play.limit('b', SELL, 65_000, 59_500, { timeInForce: 'FOK' }).orders;
    assert.deepEqual([o.state, o.filled, reason(o)], ['cancelled', 0, 'fillOrKillUnfilled']);
    assert.equal(play.now(bid).state, 'working');
    assert.equal(play.now(bid).filled, 0);
  });
});
