/**
 * A market: its specification as listed, the same in integers, and its prices.
 *
 * Order prices are whole ticks, and sizes whole lots. Reference prices (last, mark, index) are "fine": thousandths of a
 * tick, so that a feed may be finer than the order grid. A trigger at t ticks is reached from below when t × FINE ≤
 * reference, and from above when t × FINE ≥ reference, so only when the exact price has reached it.
 *
 * Invariant, checked at listing: maxPriceTicks × maxLots and maxPriceTicks × FINE are below 2^53, and one tick of one
 * lot is a whole number of the quote currency's smallest units. So a notional is exact.
 */

import { type Decimal, decimalText } from '../contract/decimal.ts';
import { frozen } from '../contract/frozen.ts';
import type { FeeRates, MarketSpec, RiskTier } from '../contract/market-spec.ts';
import { type Money, moneyOf, times } from '../contract/money.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { beyond, opposite, type Product, type Reference, type Side } from '../contract/units.ts';
import { Book } from '../structures/order-book.ts';
import { type FundingTerms, ListingProblem, type MarketTerms, type Rates, termsOf } from './market-terms.ts';
import type { Playback } from './playback.ts';
import { TriggerBook } from './trigger-book.ts';

const { BUY, FINE, NONE, PARTS } = units;

/** The largest fine price whose share is computed in doubles. With a share of at most a half, sums stay below 2^53. */
const MOST_SPLIT = 2 ** 52;

/** The terms that `adopt` takes over. */
type ChangingTerms = Pick<MarketTerms, 'minLots' | 'maxLots' | keyof Rates>;

export class Market {
  declare readonly index: number;
  declare spec: MarketSpec;
  declare readonly symbol: string;
  declare readonly product: Product;
  declare readonly base: number;
  declare readonly quote: number;
  /** The price of one tick, and the base (spot) or contracts (futures) of one lot. */
  declare readonly tick: Decimal;
  declare readonly lot: Decimal;
  declare readonly maxPriceTicks: number;
  declare minLots: number;
  declare maxLots: number;
  /** Smallest quote units of one tick × one lot. */
  declare readonly unitsPerTickLot: bigint;
  readonly #tickLot: Money;
  readonly #lot: Money;
  /** Smallest quote units of one fine unit of price × one lot. */
  declare readonly unitsPerFineLot: number;
  /** Smallest base units of one lot. 0n on futures. */
  declare readonly unitsPerLot: bigint;
  declare fees: FeeRates;
  declare band: number;
  declare marketBand: number;
  declare triggerLimitDistance: number | null;
  declare riskTiers: readonly RiskTier[];
  /** The highest maintenance rate of any tier, as a fraction. */
  declare highestMaintenance: number;
  declare readonly quoteDecimals: number;
  /** Parts of the notional that a liquidation pays to the insurance fund in place of the taker fee. */
  declare liquidationRate: bigint;
  /** Parts. */
  declare maxBasis: number;
  declare liquidationBand: number;
  declare indexJump: number;
  /** Parts: the highest funding rate, in either direction. */
  declare fundingCap: number;
  declare fundingIntervalMs: number;
  declare impactLots: number;
  /** The terms of the funding from the next interval on. Null: they stay. */
  nextFunding: FundingTerms | null = null;

  readonly book = new Book();
  readonly triggers = new TriggerBook();
  /** The recording that it plays. Null: none. */
  playback: Playback | null = null;
  /** Fine prices. 0: not known yet. Positions are valued at `valuationMark`, which differs from `mark` in a halt. */
  last = 0;
  mark = 0;
  indexPrice = 0;
  markPinned = false;
  /** A jump of the feed that waits for a second value, fine. 0: there is none. */
  pendingIndex = 0;
  /** Whether the feed of the index has stopped, and when it will count as stopped (epoch ms; 0: nothing to watch). */
  indexStale = false;
  indexStaleAtMs = 0;
  halted = false;
  /** It has ended for ever. Then it is halted, too, without orders and positions. */
  delisted = false;
  nextTradeId = 1;
  /** Perpetuals: lots of all long positions, which are as many as those of all short ones. Not saved. */
  openInterest = 0;
  /** Perpetuals: impact mid − index at the last whole minutes, fine, oldest first, at most 60. */
  readonly basis: number[] = [];
  /** Sum of the premium samples of the present funding interval, in PREMIUM_PARTS of the index. */
  premiumSum = 0n;
  /** Parts: the rate that was last paid. */
  fundingRate = 0;
  /**
   * The mark, fine, at which the accounts with a position were last checked for negative equity: "the mark before" of
   * liquidation.ts and adl.ts. 0: not known.
   */
  checkedMark = 0;
  /** Parts: the lowest 2 × maker + taker fee of any account with special rates. Infinity without one. Not saved. */
  leastPairFee = Number.POSITIVE_INFINITY;
  /** It has traded since its mark was last computed. */
  printed = false;
  /**
   * Numbers of accounts whose liquidation found no orders in the book. It is tried again after each command and due
   * step.
   */
  readonly distressed = new Set<number>();

  /** Called by `listMarket`, which refuses inconsistent terms. */
  constructor(index: number, spec: MarketSpec, terms: MarketTerms) {
    this.index = index;
    this.symbol = spec.symbol;
    this.product = spec.kind === 'spot' ? 'spot' : 'futures';
    this.tick = terms.tick;
    this.lot = terms.lot;
    this.maxPriceTicks = terms.maxPriceTicks;
    this.base = terms.base;
    this.quote = terms.quote;
    this.quoteDecimals = terms.quoteDecimals;
    this.unitsPerTickLot = terms.unitsPerTickLot;
    this.unitsPerFineLot = Number(terms.unitsPerTickLot) / FINE;
    this.unitsPerLot = terms.unitsPerLot;
    this.#tickLot = moneyOf(terms.unitsPerTickLot);
    this.#lot = moneyOf(terms.unitsPerLot);
    this.adopt(spec, terms);
    this.adoptFunding(terms);
  }

  /** Takes over all terms that may change, except those of the funding. */
  adopt(spec: MarketSpec, terms: ChangingTerms): void {
    this.spec = frozen(spec);
    this.minLots = terms.minLots;
    this.maxLots = terms.maxLots;
    this.fees = terms.fees;
    this.band = terms.band;
    this.marketBand = terms.marketBand;
    this.triggerLimitDistance = terms.triggerLimitDistance;
    this.riskTiers = frozen(terms.riskTiers);
    this.highestMaintenance = Math.max(0, ...terms.riskTiers.map(({ maintenance }) => Number(maintenance))) / PARTS;
    this.liquidationRate = terms.liquidationRate;
    this.maxBasis = terms.maxBasis;
    this.liquidationBand = terms.liquidationBand;
    this.indexJump = terms.indexJump;
  }

  /** The market under other terms, to judge them before they are adopted. It shares book, prices and all else. */
  under(spec: MarketSpec, terms: ChangingTerms): Market {
    const other: Market = Object.assign(Object.create(Market.prototype), this);
    other.adopt(spec, terms);
    return other;
  }

  /** Until the present interval ends, `now` holds. After it the present fields hold. */
  deferFunding(now: FundingTerms): void {
    const { fundingCap, fundingIntervalMs, impactLots } = this;
    this.adoptFunding(now);
    this.nextFunding = { fundingCap, fundingIntervalMs, impactLots };
  }

  adoptFunding({ fundingCap, fundingIntervalMs, impactLots }: FundingTerms): void {
    this.fundingCap = fundingCap;
    this.fundingIntervalMs = fundingIntervalMs;
    this.impactLots = impactLots;
    this.nextFunding = null;
  }

  /** An account has special rates here. */
  noteSpecialRates({ maker, taker }: FeeRates): void {
    this.leastPairFee = Math.min(this.leastPairFee, Number(2n * maker + taker));
  }

  /** The reference price, fine. 0 if there is none yet. */
  reference(of: Reference): number {
    return of === 'last' ? this.last : of === 'mark' ? this.mark : this.indexPrice;
  }

  /**
   * Whether a feed has stopped, so that nothing fires on that price. On spot the mark is the index, unless it is set
   * manually.
   */
  stale(of: Reference): boolean {
    if (!this.indexStale) return false;
    return of === 'index' || (of === 'mark' && this.product === 'spot' && !this.markPinned);
  }

  /** The reference price that an order may act on, fine. 0: there is none yet, or it is stale. */
  fresh(of: Reference): number {
    return this.stale(of) ? 0 : this.reference(of);
  }

  /**
   * The mark at which positions are valued, fine. It is `mark`, the present one. But in a halted market it is the mark
   * from when the halt began, because nobody can trade.
   */
  get valuationMark(): number {
    return this.halted && this.checkedMark !== 0 ? this.checkedMark : this.mark;
  }

  /** Whether another price than the present one is foreseeable: a pending index, or a mark that moved during a halt. */
  get priceForeseen(): boolean {
    return this.pendingIndex !== 0 || (this.halted && this.mark !== this.valuationMark);
  }

  /**
   * The price for bands, order values and margins: the index on spot, the mark on futures. Fine; 0 if there is none.
   */
  get bandReference(): number {
    return this.product === 'spot' ? this.indexPrice : this.mark;
  }

  /**
   * The highest BUY price (rounded down) or lowest SELL price (rounded up) within `parts` of a fine price, in ticks.
   */
  limitWithin(side: Side, fine: number, parts: number): number {
    const isSmall = fine <= MOST_SPLIT && parts >= 0 && parts <= PARTS / 2;
    const ticks = isSmall ? ticksWithin(side, fine, parts) : ticksWithinExactly(side, fine, parts);
    return Math.min(Math.max(ticks, 1), this.maxPriceTicks);
  }

  /** The currency that a spot order of `side` pays with. */
  payCurrency(side: Side): number {
    return side === BUY ? this.quote : this.base;
  }

  /** The price at which an order of `side` would trade at once, or NONE. */
  bestOpposite(side: Side): number {
    return this.book.bestPrice(opposite(side));
  }

  crosses(side: Side, limitTicks: number): boolean {
    const best = this.bestOpposite(side);
    return best !== NONE && !beyond(side, best, limitTicks);
  }

  /**
   * The worst price at which a MARKET order may trade: the protection band around the best price and, on futures, also
   * around the mark. NONE if the opposite side of the book is empty.
   */
  marketLimit(side: Side): number {
    const best = this.bestOpposite(side);
    if (best === NONE) return NONE;
    const limit = this.limitWithin(side, best * FINE, this.marketBand);
    if (this.product === 'spot' || this.mark === 0) return limit;
    const byMark = this.limitWithin(side, this.mark, this.marketBand);
    return side === BUY ? Math.min(limit, byMark) : Math.max(limit, byMark);
  }

  /**
   * Whether `reference` has to rise (true) or fall to reach `ticks`. An equal price is reached either way. Null: there
   * is no price yet.
   */
  directionTo(reference: Reference, ticks: number): boolean | null {
    const fine = this.reference(reference);
    return fine === 0 ? null : ticks * FINE >= fine;
  }

  notional(ticks: number, lots: number): bigint {
    return BigInt(ticks * lots) * this.unitsPerTickLot;
  }

  /** The notional as money. */
  worth(ticks: number, lots: number): Money {
    return times(ticks * lots, this.#tickLot);
  }

  /** Spot: the base of so many lots, in its smallest units. */
  baseOf(lots: number): Money {
    return times(lots, this.#lot);
  }

  priceText(ticks: number): string {
    return decimalText(BigInt(ticks) * this.tick.coefficient, this.tick.scale);
  }

  fineText(fine: number): string {
    return decimalText(BigInt(fine) * this.tick.coefficient, this.tick.scale + 3);
  }

  /** An amount of the quote (settlement) currency as decimal text. */
  quoteText(units: bigint): string {
    return decimalText(units, this.quoteDecimals);
  }

  sizeText(lots: number): string {
    return decimalText(BigInt(lots) * this.lot.coefficient, this.lot.scale);
  }
}

/**
 * `limitWithin` in doubles, for a fine price up to 2^52 and a share up to a half: ticks, not yet within the market's prices.
 * Both products are below 2^53, as in feeOn. The share is rounded down to a whole fine unit, which does not change how the
 * limit rounds to a tick.
 */
function ticksWithin(side: Side, fine: number, parts: number): number {
  const whole = Math.floor(fine / PARTS);
  const share = whole * parts + Math.floor(((fine - whole * PARTS) * parts) / PARTS);
  return side === BUY ? Math.floor((fine + share) / FINE) : Math.ceil((fine - share) / FINE);
}

/** The same for any price and share. */
function ticksWithinExactly(side: Side, fine: number, parts: number): number {
  const unit = BigInt(FINE) * BigInt(PARTS);
  if (side === BUY) return Number((BigInt(fine) * BigInt(PARTS + parts)) / unit);
  return Number((BigInt(fine) * BigInt(PARTS - parts) + unit - 1n) / unit);
}

/**
 * Makes a market from its specification, or reports by field what is wrong with that. `asBefore`: the market was
 * already listed, perhaps under older rules. Then an option beyond today's bounds is lowered to them, and not refused.
 */
export function listMarket(
  index: number,
  spec: MarketSpec,
  currencies: readonly { code: string; decimals: number }[],
  asBefore = false,
): Market | Refusal {
  const terms = checkedTerms(spec, currencies, asBefore);
  return 'reason' in terms ? terms : new Market(index, spec, terms);
}

/** The terms of a specification, or what is wrong with it, by field. `asBefore`: see listMarket. */
export function checkedTerms(
  spec: MarketSpec,
  currencies: readonly { code: string; decimals: number }[],
  asBefore: boolean,
): MarketTerms | Refusal {
  try {
    return termsOf(spec, currencies, asBefore);
  } catch (error) {
    if (!(error instanceof ListingProblem)) throw error;
    return refuse('invalidMarket', { field: `${spec.symbol}.${error.field}`, problem: error.message });
  }
}
