/** The specification of a market, its risk tiers and its fees, as they are in configuration, commands and log. */
import { type Product, SELL, type Side } from './units.ts';

export interface RiskTierSpec {
  readonly maxNotional: string;
  readonly initial: string;
  readonly maintenance: string;
}

/** A market as configured. Decimals are text, so that no digit is lost. */
export interface MarketSpec {
  readonly symbol: string;
  readonly kind: 'spot' | 'perpetual';
  readonly base: string;
  readonly quote: string;
  readonly tick: string;
  readonly maxPrice: string;
  readonly step: string;
  readonly minSize: string;
  readonly maxSize: string;
  /** Base currency of one contract. Perpetuals only. */
  readonly contractSize: string | null;
  readonly fees: { readonly maker: string; readonly taker: string };
  /** Fractions: "0.1" is 10 %. */
  readonly band: string;
  readonly marketBand: string;
  readonly triggerLimitDistance: string | null;
  readonly maxOpenOrders: number;
  readonly riskTiers: readonly RiskTierSpec[];
  readonly funding: { readonly intervalMs: number; readonly cap: string; readonly impactSize: number } | null;
  readonly liquidationFee: string;
  /**
   * Perpetuals, fractions. maxBasis: how far the mark may be from the index. liquidationBand: how far beyond the mark a
   * bankrupt position may trade.
   */
  readonly maxBasis?: string | null;
  readonly liquidationBand?: string | null;
  /**
   * Fraction. A value of a feed that is further from the index waits for a second value. Logs of rules version 1 lack
   * these three options.
   */
  readonly indexJump?: string | null;
  readonly staleAfterMs: number;
  readonly twapIntervalMs: number | null;
  readonly duplicateClientIds: 'refuse' | 'allow';
}

/** The terms of a market that may change while it runs. Prices, sizes and money keep their grids. */
export const CHANGEABLE_TERMS = [
  'minSize',
  'maxSize',
  'fees',
  'band',
  'marketBand',
  'triggerLimitDistance',
  'maxOpenOrders',
  'riskTiers',
  'funding',
  'liquidationFee',
  'maxBasis',
  'liquidationBand',
  'indexJump',
  'staleAfterMs',
  'twapIntervalMs',
  'duplicateClientIds',
] as const satisfies readonly (keyof MarketSpec)[];

/** New values of some terms. `funding` is replaced as a whole, and so are the risk tiers. */
export type TermsChange = Partial<Pick<MarketSpec, (typeof CHANGEABLE_TERMS)[number]>>;

export interface RiskTier {
  /** Smallest units of the settlement currency. */
  readonly maxNotional: bigint;
  /** Parts. */
  readonly initial: bigint;
  readonly maintenance: bigint;
}

export interface FeeRates {
  /** Parts. Negative: a rebate. */
  readonly maker: bigint;
  readonly taker: bigint;
  /** The same as numbers. */
  readonly makerParts: number;
  readonly takerParts: number;
}

export function feeRates(maker: bigint, taker: bigint): FeeRates {
  return { maker, taker, makerParts: Number(maker), takerParts: Number(taker) };
}

/**
 * Whether a fill of that side pays its fee in the quote (settlement) currency. A spot BUY pays in the currency that it
 * receives, unless `feeFrom` is quote.
 */
export function feesInQuote(product: Product, side: Side, feeFrom: 'received' | 'quote'): boolean {
  return product === 'futures' || side === SELL || feeFrom === 'quote';
}
