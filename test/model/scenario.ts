/** Small worlds from a seed: few ticks, few lots, little money and coarse currencies, so that everything collides. */
import type { AccountSpec, Genesis } from '../../src/venue/contract/commands.ts';
import type { MarketSpec } from '../../src/venue/contract/market-spec.ts';
import type { Random } from './random.ts';

export const START_MS = Date.UTC(2026, 0, 1);

/** tick, step and contract size such that one tick of one lot is whole in the quote's decimals. */
const GRIDS = [
  { tick: '1', step: '1', contractSize: '1', decimals: { QQ: 0, AA: 0, BB: 1 } },
  { tick: '0.5', step: '0.1', contractSize: '0.1', decimals: { QQ: 2, AA: 2, BB: 1 } },
  { tick: '0.1', step: '0.01', contractSize: '0.1', decimals: { QQ: 3, AA: 2, BB: 4 } },
  { tick: '0.01', step: '0.001', contractSize: '0.001', decimals: { QQ: 8, AA: 8, BB: 8 } },
];

const FEES = [
  { maker: '0', taker: '0' },
  { maker: '0.001', taker: '0.002' },
  { maker: '0.0002', taker: '0.00055' },
  { maker: '-0.0005', taker: '0.0033' },
  { maker: '0.013', taker: '0.05' },
  { maker: '0.02', taker: '0.0001' },
];

const times = (text: string, n: number): string => {
  const decimals = (text.split('.')[1] ?? '').length;
  return ((Number(text.replace('.', '')) * n) / 10 ** decimals).toFixed(decimals);
};

function market(
  r: Random,
  grid: (typeof GRIDS)[number],
  kind: MarketSpec['kind'],
  base: string,
  symbol: string,
  fine: boolean,
): MarketSpec {
  const lot = kind === 'spot' ? grid.step : '1';
  const minLots = r.pick([1, 1, 2, 3]);
  const fees = r.pick(FEES);
  const tiers = kind === 'spot' ? [] : riskTiers(r, grid, fine ? 10 : 1);
  return {
    symbol,
    kind,
    base,
    quote: 'QQ',
    tick: grid.tick,
    maxPrice: times(grid.tick, fine ? 4000 : r.pick([60, 120, 500])),
    step: lot,
    minSize: times(lot, minLots),
    maxSize: times(lot, minLots + r.pick([4, 20, 60])),
    contractSize: kind === 'spot' ? null : grid.contractSize,
    fees,
    band: r.pick(['0.1', '0.2', '0.5']),
    marketBand: r.pick(['0.02', '0.05', '0.3']),
    triggerLimitDistance: r.pick([null, '0.05', '0.2']),
    maxOpenOrders: r.pick([4, 8, 12]),
    riskTiers: tiers,
    funding: kind === 'spot' ? null : funding(r, tiers),
    ...(kind === 'perpetual' && solvencyTerms(r, tiers, fees)),
    liquidationFee: r.pick(['0', '0.002', '0.02']),
    staleAfterMs: r.pick([1000, 60_000, 60_000, 600_000]),
    twapIntervalMs: r.pick([null, null, 1000, 7000]),
    duplicateClientIds: r.pick(['refuse', 'refuse', 'refuse', 'allow']),
  };
}

const rate = (parts: number): string => (Math.floor(parts * 1e8) / 1e8).toFixed(8);
const lowest = (tiers: MarketSpec['riskTiers'], of: 'initial' | 'maintenance'): number =>
  Math.min(...tiers.map((tier) => Number(tier[of])));

/** Short intervals, small impact sizes, and a cap that is reached. */
function funding(r: Random, tiers: MarketSpec['riskTiers']): MarketSpec['funding'] {
  const intervalMs = r.pick([60_000, 120_000, 600_000, 8 * 3_600_000]);
  const cap = rate(lowest(tiers, 'maintenance') * r.pick([0.75, 0.3]));
  return { intervalMs, cap, impactSize: r.pick([0, 1, 3, 10]) };
}

/** At the bounds that maintenance, initial rate and fees set, and below. */
function solvencyTerms(r: Random, tiers: MarketSpec['riskTiers'], fees: MarketSpec['fees']): Partial<MarketSpec> {
  const most = Math.max(0, 2 * Number(fees.maker) + Number(fees.taker));
  return {
    maxBasis: rate((lowest(tiers, 'maintenance') / 2) * r.pick([1, 1, 0.4])),
    liquidationBand: rate(most * r.pick([1, 0.5, 0])),
    indexJump: rate(lowest(tiers, 'initial') * r.pick([1, 1, 0.5])),
  };
}

/** Tiers that a handful of contracts reaches: one contract at 40 ticks is 40 × tick × contract size. */
function riskTiers(r: Random, grid: (typeof GRIDS)[number], scale: number): MarketSpec['riskTiers'] {
  const one = scale * Math.max(1, Math.ceil(Number(grid.tick) * Number(grid.contractSize) * 40));
  const [first, second, third] = r.pick([
    [5, 12, 30],
    [20, 50, 1000],
  ]);
  const [low, middle, high] = r
    .pick([
      ['0.01 0.005', '0.1 0.05', '0.333 0.1'],
      ['0.05 0.025', '0.1 0.06', '0.333 0.2'],
      ['0.1 0.05', '0.125 0.06', '0.2 0.15'],
    ])
    .map((rates) => rates.split(' '));
  return [
    { maxNotional: String(one * first), initial: low[0], maintenance: low[1] },
    { maxNotional: String(one * second), initial: middle[0], maintenance: middle[1] },
    { maxNotional: String(one * third), initial: high[0], maintenance: high[1] },
  ];
}

export function scenario(r: Random): Genesis {
  const grid = r.pick(GRIDS);
  const fine = r.once(2);
  const all = [
    market(r, grid, 'spot', 'AA', 'AA-QQ', fine),
    market(r, grid, 'perpetual', 'AA', 'AA-PERP', fine),
    market(r, grid, 'spot', 'BB', 'BB-QQ', fine),
    market(r, grid, 'perpetual', 'BB', 'BB-PERP', fine),
  ];
  const markets = r.pick([[0, 1], [0, 1], [1, 0, 2], [0], [1], [1, 3], [0, 1, 3], [0, 1, 2, 3]]).map((i) => all[i]);
  return {
    v: 1,
    type: 'genesis',
    seed: r.int(0, 1_000_000),
    clock: r.pick(['manual', 'manual', 'real']),
    idKey: '00112233445566778899aabbccddeeff',
    config: {
      currencies: Object.fromEntries(Object.entries(grid.decimals).map(([code, decimals]) => [code, { decimals }])),
      markets,
      accounts: Array.from({ length: r.pick([2, 3, 4, 4]) }, (_, i) => account(r, grid, markets, i, fine ? 10 : 1)),
      insuranceFund: r.once(2) ? {} : { QQ: '1' },
      selfTrade: r.pick(['cancelIncoming', 'cancelIncoming', 'cancelResting', 'cancelBoth']),
      feeFrom: r.pick(['received', 'received', 'quote']),
    },
  };
}

/** Money for some dozens of lots at a price of about 40 ticks; some accounts are poor. */
function account(
  r: Random,
  grid: (typeof GRIDS)[number],
  markets: readonly MarketSpec[],
  i: number,
  scale: number,
): AccountSpec {
  const rich = r.pick([1, 1, 4, 40]);
  const cash = Math.max(1, Math.round(Number(grid.tick) * Number(grid.step) * 40 * 40 * rich * scale));
  const goods = Math.max(1, Math.round(Number(grid.step) * 40 * rich));
  return {
    name: ['ann', 'bob', 'cyd', 'dan'][i],
    balances: { QQ: String(cash), AA: String(goods), BB: String(goods) },
    fees: r.once(4) ? { [r.pick(markets).symbol]: r.pick(FEES) } : {},
    keys: [],
  };
}
