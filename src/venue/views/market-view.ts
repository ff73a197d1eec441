/** What code outside the venue sees of a market. */
import type { PlayedMarket } from '../contract/commands.ts';
import { type Decimal, decimalNumber } from '../contract/decimal.ts';
import { frozen } from '../contract/frozen.ts';
import type { MarketSpec, RiskTier } from '../contract/market-spec.ts';
import type { DepthLevel, Product, Side } from '../contract/units.ts';
import type { Market } from '../state/market.ts';

/** How far a market has played its recording. */
export interface PlaybackView extends PlayedMarket {
  /** Events of the recording that were played. */
  readonly position: number;
  /** The time of the last of them in the recording, and when it was played here, epoch ms. */
  readonly recordedMs: number;
  readonly playedMs: number;
  /** Recorded trades, and those of them that the recorded book could fill as it was. */
  readonly trades: number;
  readonly tradesFit: number;
}

/**
 * The terms of a market in integers, and its present prices and book. Prices are in ticks or fine (market.ts), sizes in
 * lots.
 */
export class MarketView {
  readonly #market: Market;
  readonly index: number;
  readonly symbol: string;
  readonly product: Product;
  /** Indexes of the venue's currencies. */
  readonly base: number;
  readonly quote: number;
  /** The price of one tick, and the base (spot) or contracts (futures) of one lot. */
  readonly tick: Decimal;
  readonly lot: Decimal;
  readonly maxPriceTicks: number;
  /** Smallest quote units of one tick × one lot. */
  readonly unitsPerTickLot: bigint;
  /** Smallest base units of one lot. 0n on futures. */
  readonly unitsPerLot: bigint;

  constructor(market: Market) {
    this.#market = market;
    this.index = market.index;
    this.symbol = market.symbol;
    this.product = market.product;
    this.base = market.base;
    this.quote = market.quote;
    this.tick = frozen(market.tick);
    this.lot = frozen(market.lot);
    this.maxPriceTicks = market.maxPriceTicks;
    this.unitsPerTickLot = market.unitsPerTickLot;
    this.unitsPerLot = market.unitsPerLot;
    Object.freeze(this);
  }

  /** The specification as it is now: terms may change while the market runs. */
  get spec(): MarketSpec {
    return this.#market.spec;
  }

  get minLots(): number {
    return this.#market.minLots;
  }

  get maxLots(): number {
    return this.#market.maxLots;
  }

  get riskTiers(): readonly RiskTier[] {
    return this.#market.riskTiers;
  }

  /** Parts. */
  get maxBasis(): number {
    return this.#market.maxBasis;
  }

  /** Parts. */
  get liquidationBand(): number {
    return this.#market.liquidationBand;
  }

  /** Parts. */
  get indexJump(): number {
    return this.#market.indexJump;
  }

  /** It has ended for ever. */
  get delisted(): boolean {
    return this.#market.delisted;
  }

  /** Fine prices. 0: not known yet. */
  get last(): number {
    return this.#market.last;
  }

  get mark(): number {
    return this.#market.mark;
  }

  get indexPrice(): number {
    return this.#market.indexPrice;
  }

  /** The mark at which positions are valued. In a halted market it is the mark from when the halt began. */
  get valuationMark(): number {
    return this.#market.valuationMark;
  }

  /** A jump of the feed that waits for a second value. 0: there is none. */
  get pendingIndex(): number {
    return this.#market.pendingIndex;
  }

  /** Parts: the rate that was last paid. */
  get fundingRate(): number {
    return this.#market.fundingRate;
  }

  /** The mark was set manually. */
  get markPinned(): boolean {
    return this.#market.markPinned;
  }

  /** The index was set manually, so no feed is watched. */
  get indexPinned(): boolean {
    const { indexPrice, indexStale, indexStaleAtMs, delisted } = this.#market;
    return indexPrice !== 0 && !indexStale && indexStaleAtMs === 0 && !delisted;
  }

  /** The feed of the index has stopped. */
  get indexStale(): boolean {
    return this.#market.indexStale;
  }

  /** Perpetuals: lots of all long positions. */
  get openInterest(): number {
    return this.#market.openInterest;
  }

  get halted(): boolean {
    return this.#market.halted;
  }

  /** The recording that it plays, and how far. Null: none. */
  get playback(): PlaybackView | null {
    const { playback } = this.#market;
    if (playback === null) return null;
    const { terms, position, recordedMs, playedMs, trades, tradesFit } = playback;
    return { ...terms, position, recordedMs, playedMs, trades, tradesFit };
  }

  /** The best price of a side, in ticks. NONE if nothing rests there. */
  bestPrice(side: Side): number {
    return this.#market.book.bestPrice(side);
  }

  /** The best `limit` levels of a side, best first. */
  depth(side: Side, limit: number): readonly DepthLevel[] {
    return this.#market.book.depth(side, limit);
  }

  /** In smallest quote units. */
  notional(ticks: number, lots: number): bigint {
    return this.#market.notional(ticks, lots);
  }

  /** An order price as a JSON number, correctly rounded. */
  priceNumber(ticks: number): number {
    return decimalNumber(ticks * Number(this.tick.coefficient), this.tick.scale);
  }

  priceText(ticks: number): string {
    return this.#market.priceText(ticks);
  }

  fineText(fine: number): string {
    return this.#market.fineText(fine);
  }

  fineNumber(fine: number): number {
    return Number(this.fineText(fine));
  }

  /** An amount of the quote (settlement) currency as decimal text. */
  quoteText(units: bigint): string {
    return this.#market.quoteText(units);
  }

  sizeNumber(lots: number): number {
    return decimalNumber(lots * Number(this.lot.coefficient), this.lot.scale);
  }

  sizeText(lots: number): string {
    return this.#market.sizeText(lots);
  }
}
