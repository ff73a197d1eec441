/** Small worlds from a seed: few ticks, few lots, little money and coarse currencies, so that everything collides. */
import type { AccountSpec, Genesis } from '../../src/venue/commands.ts';
import type { MarketSpec } from '../../src/venue/market.ts';
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
): MarketSpec {
  const lot = kind === 'spot' ? grid.step : '1';
  const minLots = r.pick([1, 1, 2, 3]);
  return {
    symbol,
    kind,
    base,
    quote: 'QQ',
    tick: grid.tick,
    maxPrice: times(grid.tick, r.pick([60, 120, 500])),
    step: lot,
    minSize: times(lot, minLots),
    maxSize: times(lot, minLots + r.pick([4, 20, 60])),
    contractSize: kind === 'spot' ? null : grid.contractSize,
    fees: r.pick(FEES),
    band: r.pick(['0.1', '0.2', '0.5']),
    marketBand: r.pick(['0.02', '0.05', '0.3']),
    triggerLimitDistance: r.pick([null, '0.05', '0.2']),
    maxOpenOrders: r.pick([4, 8, 12]),
    riskTiers: kind === 'spot' ? [] : riskTiers(r, grid),
    funding: kind === 'spot' ? null : funding(r),
    liquidationFee: r.pick(['0', '0.002', '0.02']),
    staleAfterMs: r.pick([1000, 60_000]),
    twapIntervalMs: r.pick([null, null, 1000, 7000]),
    duplicateClientIds: r.pick(['refuse', 'refuse', 'refuse', 'allow']),
  };
}

/** Short intervals, small impact sizes, and a cap that is reached. */
function funding(r: Random): MarketSpec['funding'] {
  const intervalMs = r.pick([60_000, 120_000, 600_000, 8 * 3_600_000]);
  return { intervalMs, cap: r.pick(['0.0075', '0.05']), impactSize: r.pick([0, 1, 3, 10]) };
}

/** Tiers that a handful of contracts reaches: one contract at 40 ticks is 40 × tick × contract size. */
function riskTiers(r: Random, grid: (typeof GRIDS)[number]): MarketSpec['riskTiers'] {
  const one = Math.max(1, Math.ceil(Number(grid.tick) * Number(grid.contractSize) * 40));
  const [first, second, third] = r.pick([
    [5, 12, 30],
    [20, 50, 1000],
  ]);
  return [
    { maxNotional: String(one * first), initial: '0.01', maintenance: '0.005' },
    { maxNotional: String(one * second), initial: '0.1', maintenance: '0.05' },
    { maxNotional: String(one * third), initial: '0.333', maintenance: '0.1' },
  ];
}

export function scenario(r: Random): Genesis {
  const grid = r.pick(GRIDS);
  const all = [
    market(r, grid, 'spot', 'AA', 'AA-QQ'),
    market(r, grid, 'perpetual', 'AA', 'AA-PERP'),
    market(r, grid, 'spot', 'BB', 'BB-QQ'),
    market(r, grid, 'perpetual', 'BB', 'BB-PERP'),
  ];
  const markets = r.pick([[0, 1], [0, 1], [1, 0, 2], [0], [1], [1, 3], [0, 1, 2, 3]]).map((i) => all[i]);
  return {
    v: 1,
    type: 'genesis',
    seed: r.int(0, 1_000_000),
    clock: r.pick(['manual', 'manual', 'real']),
    idKey: '00112233445566778899aabbccddeeff',
    config: {
      currencies: Object.fromEntries(Object.entries(grid.decimals).map(([code, decimals]) => [code, { decimals }])),
      markets,
      accounts: Array.from({ length: r.pick([2, 3, 4, 4]) }, (_, i) => account(r, grid, markets, i)),
      insuranceFund: r.once(2) ? {} : { QQ: '1' },
      selfTrade: r.pick(['cancelIncoming', 'cancelIncoming', 'cancelResting', 'cancelBoth']),
      feeFrom: r.pick(['received', 'received', 'quote']),
    },
  };
}

/** Money for some dozens of lots at a price of about 40 ticks; some accounts are poor. */
function account(r: Random, grid: (typeof GRIDS)[number], markets: readonly MarketSpec[], i: number): AccountSpec {
  const rich = r.pick([1, 1, 4, 40]);
  const cash = Math.max(1, Math.round(Number(grid.tick) * Number(grid.step) * 40 * 40 * rich));
  const goods = Math.max(1, Math.round(Number(grid.step) * 40 * rich));
  return {
    name: ['ann', 'bob', 'cyd', 'dan'][i],
    balances: { QQ: String(cash), AA: String(goods), BB: String(goods) },
    fees: r.once(4) ? { [r.pick(markets).symbol]: r.pick(FEES) } : {},
    keys: [],
  };
}
