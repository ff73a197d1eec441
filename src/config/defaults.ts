/** The venue without a configuration: four markets, four currencies, no accounts. */
import type { CurrencySpec } from '../venue/contract/commands.ts';
import type { MarketSpec } from '../venue/contract/market-spec.ts';

export const DEFAULT_CURRENCIES: Readonly<Record<string, CurrencySpec>> = {
  USDT: { decimals: 8 },
  USD: { decimals: 8 },
  BTC: { decimals: 8 },
  ETH: { decimals: 8 },
};

/** How far the candles of a demo on a real clock go back. At most a month: more would take seconds to make. */
export const DEMO_HISTORY_HOURS = 48;
export const MOST_DEMO_HISTORY_HOURS = 720;

/** The defaults of a market of each kind. */
export const KIND_DEFAULTS = {
  spot: {
    fees: { maker: '0.0002', taker: '0.0002' },
    band: '0.1',
    marketBand: '0.05',
    triggerLimitDistance: '0.05',
    maxOpenOrders: 500,
    contractSize: null,
    riskTiers: [],
    funding: null,
    liquidationFee: '0',
    staleAfterMs: 60_000,
    twapIntervalMs: null,
    duplicateClientIds: 'refuse',
  },
  perpetual: {
    fees: { maker: '0.0002', taker: '0.00055' },
    band: '0.1',
    marketBand: '0.05',
    triggerLimitDistance: null,
    maxOpenOrders: 500,
    contractSize: null,
    riskTiers: [
      { maxNotional: '100000', initial: '0.01', maintenance: '0.005' },
      { maxNotional: '1000000', initial: '0.02', maintenance: '0.01' },
      { maxNotional: '10000000', initial: '0.05', maintenance: '0.025' },
      { maxNotional: '50000000', initial: '0.1', maintenance: '0.05' },
    ],
    funding: { intervalMs: 8 * 3_600_000, cap: '0.00375', impactSize: 50_000 },
    liquidationFee: '0.002',
    staleAfterMs: 60_000,
    twapIntervalMs: null,
    duplicateClientIds: 'refuse',
  },
} as const satisfies Record<MarketSpec['kind'], Partial<MarketSpec>>;

export const DEFAULT_MARKETS: readonly MarketSpec[] = [
  {
    ...KIND_DEFAULTS.spot,
    symbol: 'BTC-USDT',
    kind: 'spot',
    base: 'BTC',
    quote: 'USDT',
    tick: '0.1',
    maxPrice: '10000000',
    step: '0.00001',
    minSize: '0.00001',
    maxSize: '100',
  },
  {
    ...KIND_DEFAULTS.spot,
    symbol: 'ETH-USDT',
    kind: 'spot',
    base: 'ETH',
    quote: 'USDT',
    tick: '0.01',
    maxPrice: '1000000',
    step: '0.0001',
    minSize: '0.0001',
    maxSize: '2000',
  },
  {
    ...KIND_DEFAULTS.perpetual,
    symbol: 'BTC-PERP',
    kind: 'perpetual',
    base: 'BTC',
    quote: 'USDT',
    tick: '0.1',
    maxPrice: '10000000',
    step: '1',
    minSize: '1',
    maxSize: '7500000',
    contractSize: '0.00001',
  },
  {
    ...KIND_DEFAULTS.perpetual,
    symbol: 'ETH-PERP',
    kind: 'perpetual',
    funding: { ...KIND_DEFAULTS.perpetual.funding, impactSize: 100_000 },
    base: 'ETH',
    quote: 'USDT',
    tick: '0.01',
    maxPrice: '1000000',
    step: '1',
    minSize: '1',
    maxSize: '7500000',
    contractSize: '0.0001',
  },
];
