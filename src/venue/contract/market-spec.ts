/** A market as configured, its risk tiers and its fees: what commands, logs and configuration say of it. */

export interface RiskTierSpec {
  readonly maxNotional: string;
  readonly initial: string;
  readonly maintenance: string;
}

/** A market as configured: decimals as text, so that nothing is lost on the way. */
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
  /** Base currency a contract stands for; perpetuals only. */
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
  /** Perpetuals: how far the mark may lie from the index; how far beyond the mark a bankrupt position takes the book. */
  readonly maxBasis?: string | null;
  readonly liquidationBand?: string | null;
  /** A feed's value that lies further from the index waits for a second one. (A log of rules version 1 has none of the three.) */
  readonly indexJump?: string | null;
  readonly staleAfterMs: number;
  readonly twapIntervalMs: number | null;
  readonly duplicateClientIds: 'refuse' | 'allow';
}

export interface RiskTier {
  /** Smallest units of the settlement currency. */
  readonly maxNotional: bigint;
  /** Parts. */
  readonly initial: bigint;
  readonly maintenance: bigint;
}

export interface FeeRates {
  /** Parts; negative is a rebate. */
  readonly maker: bigint;
  readonly taker: bigint;
}
