/**
 * What the model has found in the venue, shrunk and retold: each case is a fault that was there once. Venue and model
 * have to agree over all of it; where the fault showed in one record, that is asserted, too.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command, Genesis, Place, VenueConfig } from '../../src/venue/contract/commands.ts';
import type { MarketSpec } from '../../src/venue/contract/market-spec.ts';
import { indexOfKey } from '../../src/venue/contract/order-id.ts';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import { Pair, type Step } from './compare.ts';
import { START_MS } from './scenario.ts';

const [ANN, BOB, CYD] = [0, 1, 2];
const [SPOT, PERP] = [0, 1];
const [BUY, SELL] = [0, 1] as const;

const COMMON = {
  base: 'AA',
  quote: 'QQ',
  tick: '1',
  maxPrice: '60',
  step: '1',
  minSize: '1',
  maxSize: '100',
  band: '0.5',
  marketBand: '0.3',
  triggerLimitDistance: null,
  maxOpenOrders: 20,
  liquidationFee: '0',
  staleAfterMs: 60_000,
  twapIntervalMs: null,
  duplicateClientIds: 'refuse',
} as const;

const MARKETS: readonly MarketSpec[] = [
  {
    ...COMMON,
    symbol: 'AA-QQ',
    kind: 'spot',
    contractSize: null,
    fees: { maker: '0', taker: '0' },
    riskTiers: [],
    funding: null,
  },
  {
    ...COMMON,
    symbol: 'AA-PERP',
    kind: 'perpetual',
    contractSize: '1',
    fees: { maker: '0', taker: '0' },
    riskTiers: [{ maxNotional: '1000000', initial: '0.1', maintenance: '0.05' }],
    funding: null,
  },
];

const rich = { QQ: '100000', AA: '1000' };

function genesis(balances: Record<string, string>[], config: Partial<VenueConfig>): Genesis {
  const accounts = balances.map((b, i) => ({ name: ['ann', 'bob', 'cyd'][i], balances: b, fees: {}, keys: [] }));
  return {
    v: 1,
    type: 'genesis',
    seed: 1,
    clock: 'manual',
    idKey: '00112233445566778899aabbccddeeff',
    config: {
      currencies: { QQ: { decimals: 0 }, AA: { decimals: 0 } },
      markets: MARKETS,
      accounts,
      insuranceFund: {},
      selfTrade: 'cancelIncoming',
      feeFrom: 'received',
      ...config,
    },
  };
}

const fees = (maker: string, taker: string) => MARKETS.map((m) => ({ ...m, fees: { maker, taker } }));

/** Runs the commands through both; `find` gives the venue's order that command `seq` placed. */
function agrees(steps: readonly Step[], config: Partial<VenueConfig> = {}, balances = [rich, rich, rich]) {
  const pair = new Pair(genesis(balances, config), START_MS);
  for (const command of steps) assert.equal(pair.run({ atMs: START_MS, command }), null);
  const all = () => pair.venue.accountNumbers().flatMap((a) => find(pair, a));
  return {
    pair,
    find: (step: number, index = 0) =>
      all().find((o) => o.seq === step + 2 && indexOfKey(o.key) === index) as OrderView,
  };
}

const total = (pair: Pair, account: number) =>
  pair.venue.balances(account).find(({ currency }) => currency.code === 'QQ')?.total;

function find(pair: Pair, account: number): OrderView[] {
  const { w } = pair.model;
  return [...w.s.live, ...w.s.ended]
    .filter((o) => o.account === account)
    .map((o) => pair.venue.order(account, o.product, o.key) as OrderView);
}

type Terms = Record<string, unknown>;
const place = (kind: Place['kind'], account: number, market: number, side: 0 | 1, terms: Terms): Step =>
  ({
    v: 1,
    type: 'place',
    kind,
    account,
    market,
    side,
    clientId: null,
    request: null,
    broker: null,
    reduceOnly: false,
    ...terms,
  }) as unknown as Step;
const limit = (account: number, market: number, side: 0 | 1, price: number, size: number, terms: Terms = {}) =>
  place('limit', account, market, side, { price, size, timeInForce: 'GTC', postOnly: false, ...terms });
const market = (account: number, at: number, side: 0 | 1, size: number | null, quote: string | null = null) =>
  place('market', account, at, side, { size, quote });
const prices = (at: number, set: object): Step =>
  ({ v: 1, type: 'setPrices', market: at, byHand: true, ...set }) as Step;
const advance = (ms: number): Step => ({ v: 1, type: 'advance', toMs: START_MS + ms });
const amend = (account: number, step: number, terms: Terms): Step =>
  ({
    v: 1,
    type: 'amend',
    account,
    product: 'futures',
    market: null,
    order: (step + 2) * 65_536,
    clientId: null,
    price: null,
    size: null,
    totalSize: true,
    trigger: null,
    ...terms,
  }) as Step;

describe('FOK', () => {
  it("counts that a maker's other orders take from the position that its reduce-only order closes", () => {
    const { find } = agrees([
      prices(PERP, { index: 43_000 }),
      limit(BOB, PERP, SELL, 43, 4),
      limit(ANN, PERP, BUY, 43, 4),
      limit(ANN, PERP, SELL, 45, 3, { reduceOnly: true }),
      limit(ANN, PERP, SELL, 40, 4),
      limit(BOB, PERP, BUY, 50, 5, { timeInForce: 'FOK' }),
    ]);
    assert.deepEqual([find(5).filled, find(5).ending?.reason], [0, 'fillOrKillUnfilled']);
  });

  it('counts the second fill against the same maker, when margin allows one lot less at once than in two fills', () => {
    const { find } = agrees([
      prices(PERP, { index: 36_000 }),
      { v: 1, type: 'setPositionMode', account: ANN, market: PERP, mode: 'ISOLATED' },
      limit(BOB, PERP, SELL, 36, 6),
      limit(ANN, PERP, BUY, 36, 6),
      prices(PERP, { index: 34_250 }),
      limit(BOB, PERP, BUY, 35, 6),
      limit(ANN, PERP, SELL, 35, 3, { timeInForce: 'FOK', reduceOnly: true }),
    ]);
    assert.deepEqual([find(6).state, find(6).filled], ['filled', 3]);
  });
});

describe('a close at which a contract changes margin by far less than a unit', () => {
  it('is clipped to a number that fits, though not every number below the most does', () => {
    const most = 7_500_000;
    const large = { tick: '1000', maxPrice: '1000000', maxSize: String(most), contractSize: '0.001' };
    const riskTiers = [{ maxNotional: '1000000000000', initial: '0.01', maintenance: '0.0049915' }];
    const { find } = agrees(
      [
        prices(PERP, { index: 61_000, mark: 61_000 }),
        limit(BOB, PERP, SELL, 61, most),
        limit(ANN, PERP, BUY, 61, most),
        prices(PERP, { index: 60_301, mark: 60_301 }),
        limit(BOB, PERP, BUY, 60, most),
        limit(ANN, PERP, SELL, 60, most - 1, { timeInForce: 'FOK', reduceOnly: true }),
        limit(ANN, PERP, SELL, 60, most, { timeInForce: 'IOC', reduceOnly: true }),
      ],
      { markets: [MARKETS[SPOT], { ...MARKETS[PERP], ...large, riskTiers }] },
      // A mark of 60.301 takes 5,242,500 from ann and leaves her 5 units above maintenance.
      [{ ...rich, QQ: '7499949' }, { ...rich, QQ: '100000000000' }, rich],
    );
    assert.deepEqual([find(5).filled, find(5).ending?.reason], [0, 'fillOrKillUnfilled']);
    assert.ok(find(6).filled > 0 && find(6).filled < most, String(find(6).filled));
  });
});

describe('a quote-sized market buy', () => {
  it('that pays a lot but not its fee is refused where fees come from the quote', () => {
    const { pair } = agrees([limit(ANN, SPOT, SELL, 40, 4), market(BOB, SPOT, BUY, null, '40')], {
      feeFrom: 'quote',
      markets: fees('0.001', '0.002'),
    });
    assert.equal(pair.venue.counts().orders, 1);
  });

  it('with nothing filled is cancelled, not partly filled', () => {
    const { find } = agrees(
      [limit(ANN, SPOT, SELL, 40, 1), limit(BOB, SPOT, SELL, 44, 1), market(ANN, SPOT, BUY, null, '40')],
      { selfTrade: 'cancelResting' },
    );
    assert.deepEqual([find(2).state, find(2).filled], ['cancelled', 0]);
  });

  it('is measured by the taker fee, also where the maker fee is the higher one', () => {
    const { find } = agrees([limit(ANN, SPOT, SELL, 40, 9), market(BOB, SPOT, BUY, null, '320')], {
      feeFrom: 'quote',
      markets: fees('0.2', '0'),
    });
    assert.equal(find(1).filled, 8);
  });
});

describe('a quote-sized FOK', () => {
  it('does not count as spent because its own order, which gives way, costs more than what is left', () => {
    const { find } = agrees(
      [
        prices(SPOT, { index: 40_000 }),
        limit(BOB, SPOT, SELL, 40, 1),
        limit(ANN, SPOT, SELL, 41, 4),
        place('market', ANN, SPOT, BUY, { size: null, quote: '80', timeInForce: 'FOK' }),
      ],
      { selfTrade: 'cancelResting' },
    );
    assert.equal(find(3).state, 'cancelled');
  });
});

describe('FOK on spot while a jump of a perpetual is pending', () => {
  const riskTiers = [{ maxNotional: '1000000', initial: '0.06', maintenance: '0.05' }];
  const perp: MarketSpec = { ...MARKETS[PERP], riskTiers, indexJump: '0.06' };
  // A SELL of AA pays with what backs positions in the second one.
  const PERPS = [perp, { ...perp, symbol: 'QQ-PERP', base: 'QQ', quote: 'AA' }];
  const feed = (at: number, index: number): Step => ({ v: 1, type: 'setPrices', market: at, byHand: false, index });

  /**
   * Bob has 10 contracts long at 40, which need 115 at the pending 30, and then the orders rest or wait. Returns what became
   * of the last command's order, if it is one, and the states of the others.
   */
  function fillOrKill(at: 1 | 2, balance: number, orders: Step[], last: Step, config: Partial<VenueConfig> = {}) {
    const [spot] = config.markets ?? MARKETS;
    const before = [
      ...[prices(SPOT, { index: 40_000 }), feed(at, 40_000)],
      ...[limit(CYD, at, SELL, 40, 10), limit(BOB, at, BUY, 40, 10)],
    ];
    const poor = at === 1 ? { QQ: String(balance), AA: '100' } : { QQ: '1000', AA: String(balance) };
    const steps = [...before, ...orders, feed(at, 30_000), last];
    const { find } = agrees(steps, { ...config, markets: [spot, ...PERPS] }, [rich, poor, rich]);
    const order: OrderView | undefined = find(steps.length - 1);
    return [order?.state, order?.filled, ...orders.map((_, i) => find(before.length + i).state)];
  }
  const bid = (price: number, size: number) => limit(BOB, SPOT, BUY, price, size);
  const sell = (size: number) => limit(ANN, SPOT, SELL, 38, size, { timeInForce: 'FOK' });
  const both = [bid(40, 2), bid(39, 2)];

  it('counts an order whose account needs less once the order before it has been cancelled', () => {
    assert.deepEqual(fillOrKill(1, 200, both, sell(2)), ['filled', 2, 'cancelled', 'filled']);
    assert.deepEqual(fillOrKill(1, 200, both, sell(3)), ['cancelled', 0, 'working', 'working']);
    assert.deepEqual(fillOrKill(1, 192, both, sell(2)), ['cancelled', 0, 'working', 'working']);
    const order = place('market', ANN, SPOT, SELL, { size: 2, quote: null, timeInForce: 'FOK' });
    assert.deepEqual(fillOrKill(1, 200, both, order), ['filled', 2, 'cancelled', 'filled']);
  });

  it('counts that the stop leg of an OCO keeps its money when margin ends the other leg', () => {
    const terms = { stopTrigger: 44, stopReference: 'index', timeInForce: 'GTC', postOnly: false };
    const oco = place('oco', BOB, SPOT, BUY, { price: 39, size: 2, stopPrice: 44, ...terms });
    assert.deepEqual(fillOrKill(1, 278, [oco, bid(38, 2)], sell(2)), ['cancelled', 0, 'working', 'working']);
    assert.deepEqual(fillOrKill(1, 279, [oco, bid(38, 2)], sell(2)), ['filled', 2, 'filled', 'working']);
  });

  it('counts that fees rounded up slice by slice take more than was reserved for them', () => {
    const peg = place('peg', BOB, SPOT, BUY, { price: 40, size: 2, stealth: 5_000_000_000, deviation: 0 });
    const config = { feeFrom: 'quote', markets: fees('0.01', '0.01') } as const;
    assert.deepEqual(fillOrKill(1, 196, [peg], sell(2), config), ['cancelled', 0, 'working']);
    assert.deepEqual(fillOrKill(1, 197, [peg], sell(2), config), ['filled', 2, 'filled']);
  });

  it('ends unfilled if its own account needs the money that it would pay with', () => {
    const terms = { rule: 'stop', trigger: 44, reference: 'index', price: 44, size: 2, quote: null, postOnly: false };
    const waiting = place('conditional', BOB, SPOT, BUY, { ...terms, timeInForce: 'FOK' });
    const ask = limit(CYD, SPOT, SELL, 40, 2);
    const fired = prices(SPOT, { index: 44_000 });
    const states = (balance: number) => fillOrKill(1, balance, [ask, waiting], fired).slice(-2);
    assert.deepEqual(states(202), ['working', 'cancelled']);
    assert.deepEqual(states(203), ['filled', 'filled']);
  });

  it('sized in quote, has spent its money where the next lot costs more, even if that order would be cancelled', () => {
    const asks = [limit(CYD, SPOT, SELL, 40, 1), limit(BOB, SPOT, SELL, 41, 6)];
    const buy = (quote: string) => place('market', ANN, SPOT, BUY, { size: null, quote, timeInForce: 'FOK' });
    assert.deepEqual(fillOrKill(2, 120, asks, buy('80')), ['partlyFilled', 1, 'filled', 'working']);
    assert.deepEqual(fillOrKill(2, 120, asks, buy('81')), ['cancelled', 0, 'working', 'working']);
  });
});

describe('PEG', () => {
  it("that sells stays within the market's maximum price", () => {
    const terms = { price: 40, size: 5, stealth: 10_000_000_000, deviation: 1_000_000_000 };
    const { find } = agrees([prices(SPOT, { index: 59_000 }), place('peg', ANN, SPOT, SELL, terms)]);
    assert.equal(find(1).details?.progress.price?.ticks, 60);
  });
});

describe('TWAP', () => {
  it('never buys hidden slices with money that is not there', () => {
    const terms = { price: 40, size: 9, stealth: 1_000_000_000, deviation: 0 };
    const twap = {
      size: 8,
      periodMs: 60_000,
      makerFirst: false,
      randomizeSize: false,
      maxChildSize: null,
      maxSpread: null,
      maxThroughBook: null,
      pausePrice: null,
      activation: null,
      activationReference: null,
    };
    const { find } = agrees(
      [
        prices(SPOT, { index: 40_000 }),
        place('peg', ANN, SPOT, SELL, terms),
        place('twap', BOB, SPOT, BUY, twap),
        limit(BOB, SPOT, BUY, 10, 6),
        advance(30_000),
      ],
      { markets: MARKETS.map((m) => ({ ...m, twapIntervalMs: 30_000, band: '0.9' })) },
      [rich, { QQ: '320', AA: '0' }],
    );
    assert.equal(find(2).details?.progress.pausedBy, 'funds');
  });
});

describe('fees from the quote', () => {
  it('never take a wallet below zero: what an order holds has its fee rounded up once, each fill for itself', () => {
    const sells = Array.from({ length: 5 }, () => limit(ANN, SPOT, SELL, 40, 1));
    const { pair, find } = agrees(
      [...sells, limit(BOB, SPOT, BUY, 40, 5)],
      { feeFrom: 'quote', markets: fees('0.001', '0.001') },
      [rich, { QQ: '201', AA: '0' }],
    );
    assert.equal(find(5).filled, 5);
    assert.equal(pair.venue.balances(BOB).find((b) => b.currency.code === 'QQ')?.total, 0n);
  });
});

describe('an attached order', () => {
  it('that finds no book fires again at the next step, in one advance as in many', () => {
    const perp = { ...MARKETS[PERP], funding: { intervalMs: 60_000, cap: '0.05', impactSize: 1 } };
    const steps = [
      prices(PERP, { index: 40_000 }),
      limit(ANN, PERP, BUY, 40, 3, { stopLoss: { price: 39, reference: 'mark' } }),
      market(BOB, PERP, SELL, 3),
      limit(BOB, PERP, BUY, 36, 1),
      limit(CYD, PERP, SELL, 44, 1),
      prices(PERP, { index: 38_000 }),
      advance(600_000),
    ];
    agrees(steps, { markets: [MARKETS[SPOT], perp] });
  });
});

describe('trailing stops', () => {
  it('follow a price by age, not in the order in which they were armed', () => {
    const trailing = (account: number, activation: number | null) =>
      place('trailing', account, SPOT, SELL, {
        ...{ distance: 2000, percent: null, reference: 'last', size: 1, quote: null, reduceOnly: false },
        ...{ activation, activationReference: null },
      });
    const last = [40, 42, 43].map((ticks) => prices(SPOT, { last: ticks }));
    agrees([last[0], trailing(ANN, 42), trailing(BOB, null), last[1], last[2]]);
  });
});

describe('a market BUY sized in base', () => {
  it('that pays fees from the quote pays them rounded up at each fill, however its next level lies', () => {
    const spot = { ...MARKETS[SPOT], fees: { maker: '0', taker: '0.01' } };
    agrees(
      [limit(BOB, SPOT, SELL, 30, 1), limit(BOB, SPOT, SELL, 38, 1), market(ANN, SPOT, BUY, 2)],
      { markets: [spot, MARKETS[PERP]], feeFrom: 'quote' },
      [{ QQ: '80', AA: '0' }, rich],
    );
  });
});

describe('an amend', () => {
  it('of a futures order asks for the margin that it adds, and says so', () => {
    const { find } = agrees(
      [
        prices(PERP, { index: 40_000 }),
        limit(ANN, PERP, SELL, 40, 5),
        amend(ANN, 1, { size: 100 }),
        amend(ANN, 1, { size: 50 }),
      ],
      {},
      [{ QQ: '200', AA: '0' }, rich],
    );
    assert.equal(find(1).quantity, 50);
  });
});

describe('a liquidation', () => {
  it('that can close nothing leaves no order behind, whatever is refused meanwhile', () => {
    const { pair } = agrees(
      [
        prices(PERP, { index: 40_000 }),
        limit(BOB, PERP, SELL, 40, 10),
        market(ANN, PERP, BUY, 10),
        prices(PERP, { index: 37_000, mark: 37_000 }),
        limit(BOB, PERP, BUY, 5, 1),
      ],
      {},
      [{ QQ: '41', AA: '0' }, rich],
    );
    const before = pair.venue.canonical();
    assert.equal(pair.run({ atMs: START_MS, command: limit(ANN, PERP, BUY, 0, 1) }), null);
    assert.equal(pair.venue.canonical(), before);
  });

  it('of one position makes a counterparty for another one, which is closed in the same step', () => {
    const isolated = { positionMode: 'ISOLATED' };
    const { pair } = agrees([
      prices(PERP, { index: 40_000, mark: 40_000 }),
      limit(CYD, PERP, BUY, 40, 3),
      limit(ANN, PERP, SELL, 40, 3, isolated),
      prices(PERP, { index: 48_000, mark: 40_000 }),
      limit(CYD, PERP, SELL, 48, 3),
      limit(ANN, PERP, BUY, 48, 3),
      // The short has lost more than its margin, the long is below maintenance; there is no book, and no other long.
      prices(PERP, { index: 44_500, mark: 44_500 }),
      limit(BOB, PERP, BUY, 44, 3),
    ]);
    assert.deepEqual(pair.venue.positions(ANN), []);
  });

  it('by auto-deleveraging takes the isolated position away: it counts towards the five no longer', () => {
    const isolated = { positionMode: 'ISOLATED' };
    const open = (i: number) => [limit(BOB, PERP, SELL, 40, 1), limit(ANN, PERP, BUY, 40, 1, i === 0 ? isolated : {})];
    const steps: Command[] = [
      prices(PERP, { index: 40_000 }),
      ...[0, 1, 2, 3, 4].flatMap(open),
      prices(PERP, { index: 30_000, mark: 30_000 }),
      limit(BOB, PERP, SELL, 31, 1),
      limit(ANN, PERP, BUY, 31, 1),
    ];
    const { find } = agrees(steps as Step[]);
    assert.equal(find(13).state, 'filled');
  });

  it('whose maker loses its rest to auto-deleveraging leaves no wallet below zero: the fund makes good the fee', () => {
    const deposit = (account: number, amount: string): Step => ({
      v: 1,
      type: 'deposit',
      account,
      currency: 'QQ',
      amount,
    });
    const perpetual = {
      ...MARKETS[PERP],
      tick: '0.1',
      maxPrice: '400',
      contractSize: '0.1',
      fees: { maker: '0.02', taker: '0.0001' },
      band: '0.1',
      marketBand: '0.02',
      riskTiers: [
        { maxNotional: '50', initial: '0.01', maintenance: '0.005' },
        { maxNotional: '300', initial: '0.333', maintenance: '0.1' },
      ],
      liquidationBand: '0.02005',
      indexJump: '0.01',
    };
    const { pair } = agrees(
      [
        prices(PERP, { index: 402_000 }),
        limit(BOB, PERP, BUY, 402, 8),
        market(ANN, PERP, SELL, 8),
        deposit(ANN, '-15666'),
        limit(ANN, PERP, BUY, 401, 8),
        deposit(BOB, '-639026'),
        // The long is bankrupt: it meets the bid of the short, and what that cannot take is closed against the short itself.
        prices(PERP, { index: 389_940 }),
      ],
      { currencies: { QQ: { decimals: 3 }, AA: { decimals: 2 } }, markets: [MARKETS[SPOT], perpetual] },
      [
        { QQ: '16', AA: '0' },
        { QQ: '640', AA: '0' },
      ],
    );
    assert.deepEqual(pair.venue.positions(ANN), []);
    assert.equal(total(pair, ANN), 0n);
  });
});

describe('funding at the smallest marks', () => {
  it('gives receivers whose value rounds to nothing no share of what a payer could not pay in full', () => {
    const perpetual = (symbol: string, intervalMs: number): MarketSpec => ({
      ...MARKETS[PERP],
      symbol,
      tick: '0.5',
      maxPrice: '2000',
      contractSize: '0.1',
      maxBasis: '0.0125',
      indexJump: '0.05',
      riskTiers: [{ maxNotional: '100000', initial: '0.05', maintenance: '0.025' }],
      funding: { intervalMs, cap: '0.01875', impactSize: 1 },
    });
    const OTHER = 2;
    const { pair } = agrees(
      [
        prices(PERP, { index: 1000 }),
        prices(OTHER, { index: 395_000 }),
        limit(BOB, OTHER, SELL, 398, 20),
        market(ANN, OTHER, BUY, 20),
        limit(ANN, OTHER, SELL, 399, 5),
        prices(OTHER, { index: 1, mark: 1 }),
        prices(PERP, { index: 1000 }),
        limit(BOB, PERP, SELL, 1, 61),
        limit(CYD, PERP, BUY, 1, 61),
        // Bob's equity is below zero by the one short; of the other one, worth next to nothing, funding is due.
        prices(OTHER, { index: 406_000 }),
        prices(PERP, { index: 400_000 }),
        advance(60_000),
        advance(120_000),
        advance(180_000),
      ],
      {
        currencies: { QQ: { decimals: 2 }, AA: { decimals: 2 } },
        markets: [MARKETS[SPOT], perpetual('AA-PERP', 28_800_000), perpetual('BB-PERP', 120_000)],
      },
      [
        { QQ: '800', AA: '4' },
        { QQ: '800', AA: '4' },
        { QQ: '800', AA: '4' },
      ],
    );
    assert.ok(pair.venue.positions(BOB).length > 0);
  });
});

describe('the end of a market', () => {
  it('may cost more than an account has: its position there is closed at the bankruptcy price, the fund pays nothing', () => {
    const [FIRST, SECOND] = [0, 1];
    const { pair } = agrees(
      [
        prices(FIRST, { index: 40_000, mark: 40_000 }),
        prices(SECOND, { index: 40_000, mark: 40_000 }),
        limit(BOB, FIRST, BUY, 40, 10),
        limit(ANN, FIRST, SELL, 40, 10),
        limit(BOB, SECOND, BUY, 40, 1),
        limit(ANN, SECOND, SELL, 40, 1),
        { v: 1, type: 'haltMarket', market: FIRST },
        { v: 1, type: 'delistMarket', market: FIRST, settlementPrice: 60_000 },
      ],
      { markets: [MARKETS[PERP], { ...MARKETS[PERP], symbol: 'BB-PERP' }] },
      [{ QQ: '100', AA: '0' }, rich],
    );
    // Of 10 contracts from 40 the 100 are used up at 50. The short elsewhere has no book, and waits.
    const left = pair.venue.positions(ANN).map(({ market, size }) => [market.index, size]);
    assert.deepEqual([left, total(pair, ANN)], [[[SECOND, -1]], 0n]);
    assert.equal(pair.venue.insurance().find(({ currency }) => currency.code === 'QQ')?.units, 0n);
  });
});

describe('a bankrupt position', () => {
  it('takes the book as far as its own band allows, also where the price band is narrower', () => {
    const perpetual = {
      ...MARKETS[PERP],
      fees: { maker: '0.013', taker: '0.05' },
      liquidationBand: '0.038',
      riskTiers: [{ maxNotional: '1000000', initial: '0.01', maintenance: '0.005' }],
    };
    const { pair } = agrees(
      [
        prices(PERP, { index: 30_000, mark: 30_000 }),
        limit(CYD, PERP, BUY, 30, 8),
        limit(ANN, PERP, SELL, 30, 8),
        { v: 1, type: 'changeMarket', market: PERP, terms: { band: '0.01' }, force: false },
        limit(CYD, PERP, SELL, 51, 2),
        prices(PERP, { index: 50_000, mark: 50_000 }),
      ],
      { markets: [MARKETS[SPOT], perpetual], insuranceFund: { QQ: '1000' } },
      [{ QQ: '50', AA: '0' }, rich, rich],
    );
    assert.equal(pair.venue.markets[PERP].bestPrice(SELL), -1);
    assert.deepEqual(pair.venue.positions(ANN), []);
  });
});

describe('an account that auto-deleveraging takes a position from', () => {
  const OTHER = 2;
  const config: Partial<VenueConfig> = { markets: [...MARKETS, { ...MARKETS[PERP], symbol: 'BB-PERP' }] };
  const balances = [rich, { QQ: '100', AA: '0' }, { QQ: '130', AA: '0' }];
  const opens = [prices(PERP, { index: 40_000 }), prices(OTHER, { index: 40_000 })];
  /**
   * Bob is short 20 from cyd at 40 with 100: bankrupt at 45. Cyd sells ten of them at 41 and pays 205 for it out of the gain
   * that the mark gives her. Of the other ten she gets 45.
   */
  const dearly = (terms: Terms): Step[] => [
    limit(BOB, PERP, SELL, 40, 20),
    limit(CYD, PERP, BUY, 40, 20, terms),
    limit(CYD, PERP, SELL, 41, 10, { reduceOnly: true }),
    {
      v: 1,
      type: 'changeMarket',
      market: PERP,
      terms: { fees: { maker: '0.5', taker: '0.9' } },
      force: false,
    },
    prices(PERP, { mark: 60_000 }),
  ];
  const fundOf = (pair: Pair) => pair.venue.insurance().find(({ currency }) => currency.code === 'QQ')?.units;

  it('and that has nothing left there is closed out in its other market in the same step', () => {
    const steps = [...opens, limit(CYD, OTHER, SELL, 40, 7), limit(ANN, OTHER, BUY, 40, 7), ...dearly({})];
    const { pair } = agrees(steps, config, balances);
    // The fund gets 40 of the ten at 41, and pays the 15 that cyd lacks.
    assert.deepEqual([pair.venue.positions(CYD), total(pair, CYD), fundOf(pair)], [[], 0n, 25n]);
    assert.ok(pair.venue.audit().ok);
  });

  it('pays nothing for a closed isolated position that lacks more than its collateral: the fund does', () => {
    const { pair } = agrees([...opens, ...dearly({ positionMode: 'ISOLATED' })], config, balances);
    // A collateral of 81, less 195 and plus 50.
    assert.deepEqual([pair.venue.positions(CYD), total(pair, CYD), fundOf(pair)], [[], 49n, -24n]);
    assert.ok(pair.venue.audit().ok);
  });

  it('is judged where it has a position: another mode in a market without one hides nothing', () => {
    const { pair } = agrees(
      [
        ...opens,
        limit(ANN, PERP, SELL, 40, 5),
        limit(BOB, PERP, BUY, 40, 5),
        limit(ANN, OTHER, SELL, 40, 18),
        limit(BOB, OTHER, BUY, 40, 18),
        limit(ANN, PERP, BUY, 28, 20),
        prices(PERP, { mark: 28_000 }),
        { v: 1, type: 'setPositionMode', account: BOB, market: PERP, mode: 'ISOLATED' },
        limit(ANN, OTHER, BUY, 40, 20),
      ],
      config,
      balances,
    );
    // One quarter of 18 makes him safe.
    assert.deepEqual(
      pair.venue.positions(BOB).map(({ size }) => size),
      [13],
    );
    assert.ok(pair.venue.audit().ok);
  });

  it('a halt of the market whose terms change shields no position in another one', () => {
    const { pair } = agrees(
      [
        ...opens,
        limit(ANN, PERP, SELL, 40, 10),
        limit(BOB, PERP, BUY, 40, 10),
        limit(ANN, OTHER, SELL, 40, 10),
        limit(BOB, OTHER, BUY, 40, 10),
        limit(ANN, OTHER, BUY, 40, 20),
        { v: 1, type: 'haltMarket', market: PERP },
        {
          v: 1,
          type: 'changeMarket',
          market: PERP,
          terms: { riskTiers: [{ maxNotional: '1000000', initial: '0.9', maintenance: '0.3' }] },
          force: true,
        },
      ],
      config,
      balances,
    );
    assert.deepEqual(
      pair.venue.positions(BOB).map(({ market: { symbol }, size }) => [symbol, size]),
      [['AA-PERP', 10]],
    );
  });
});

it('a market that no longer allows duplicates refuses a third request alike, and names the second order', () => {
  const again = limit(ANN, SPOT, BUY, 40, 1, { timeInForce: 'IOC', clientId: 'd', request: 'r' });
  const terms = { duplicateClientIds: 'refuse' } as const;
  const markets = MARKETS.map((each) => ({ ...each, duplicateClientIds: 'allow' }) as const);
  const { pair } = agrees([again, again, { v: 1, type: 'changeMarket', market: SPOT, terms, force: false }, again], {
    markets,
  });
  const { refusal } = pair.venue.apply(99, START_MS, again as Command);
  assert.deepEqual([refusal?.reason, refusal?.params.order], ['identicalRequest', 3 * 65_536]);
});
