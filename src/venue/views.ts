/**
 * What a venue shows to the outside: markets, accounts, balances, positions, order values, and the audit that money is
 * conserved. Everything is read-only. It gives no access to the venue's own objects.
 */

import type { AccountView, Currency } from './contract/account-view.ts';
import type { Genesis, PositionMode } from './contract/commands.ts';
import { ceilDiv, type Decimal, decimalNumber, floorDiv, mulDivCeil } from './contract/decimal.ts';
import { frozen } from './contract/frozen.ts';
import type { FeeRates, MarketSpec, RiskTier } from './contract/market-spec.ts';
import type { OrderView } from './contract/order-view.ts';
import type { Refusal } from './contract/reasons.ts';
import { type DepthLevel, FINE, PARTS, type Product, type Side } from './contract/units.ts';
import { availableOf, marginsOf } from './risk/funds.ts';
import { largestExposure, maintenanceOf, positionMargin, tierOf, worstExposure } from './risk/margin.ts';
import { crossMarginAccount, equityOf, isolatedMarginAccount } from './risk/margin-account.ts';
import type { Account } from './state/ledger.ts';
import { listMarket, Market } from './state/market.ts';
import { MarketPositions } from './state/market-positions.ts';
import { boundsOf } from './state/market-terms.ts';
import { type Position, sizeAtMark, unrealised } from './state/position.ts';
import type { VenueState } from './state/venue-state.ts';

/** Limits that a surface checks before it submits a command. The venue checks them again. */
export { finePriceInLimits, priceInLimits, sizeInLimits } from './risk/limits.ts';
export { boundsOf };

/** What is wrong with the specification of a market, by field. Null: it can be listed. */
export function listingRefusal(spec: MarketSpec, currencies: readonly Currency[]): Refusal | null {
  const listed = listMarket(0, spec, currencies);
  return listed instanceof Market ? null : listed;
}

/**
 * The terms of a market in integers, and its present prices and book. Prices are in ticks or fine (market.ts), sizes in
 * lots.
 */
export class MarketView {
  readonly #market: Market;
  readonly index: number;
  readonly spec: MarketSpec;
  readonly symbol: string;
  readonly product: Product;
  /** Indexes of the venue's currencies. */
  readonly base: number;
  readonly quote: number;
  /** The price of one tick, and the base (spot) or contracts (futures) of one lot. */
  readonly tick: Decimal;
  readonly lot: Decimal;
  readonly maxPriceTicks: number;
  readonly minLots: number;
  readonly maxLots: number;
  /** Smallest quote units of one tick × one lot. */
  readonly unitsPerTickLot: bigint;
  /** Smallest base units of one lot. 0n on futures. */
  readonly unitsPerLot: bigint;
  readonly riskTiers: readonly RiskTier[];
  /** Parts. */
  readonly maxBasis: number;
  readonly liquidationBand: number;
  readonly indexJump: number;

  constructor(market: Market) {
    this.#market = market;
    this.index = market.index;
    this.spec = frozen(market.spec);
    this.symbol = market.symbol;
    this.product = market.product;
    this.base = market.base;
    this.quote = market.quote;
    this.tick = frozen(market.tick);
    this.lot = frozen(market.lot);
    this.maxPriceTicks = market.maxPriceTicks;
    this.minLots = market.minLots;
    this.maxLots = market.maxLots;
    this.unitsPerTickLot = market.unitsPerTickLot;
    this.unitsPerLot = market.unitsPerLot;
    this.riskTiers = frozen(market.riskTiers);
    this.maxBasis = market.maxBasis;
    this.liquidationBand = market.liquidationBand;
    this.indexJump = market.indexJump;
    Object.freeze(this);
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

  /** The feed of the index has stopped. */
  get indexStale(): boolean {
    return this.#market.indexStale;
  }

  get halted(): boolean {
    return this.#market.halted;
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

/**
 * The views of one state. Each view is created once. A reset or a restored snapshot brings a new state and new views.
 */
export class Views {
  readonly #state: VenueState;
  readonly genesis: Genesis;
  #markets: readonly MarketView[] = [];
  readonly #bySymbol = new Map<string, MarketView>();
  #currencies: readonly Currency[] = [];
  /** The views created so far, by account number, with holes. */
  readonly #accounts: AccountView[] = [];

  constructor(state: VenueState) {
    this.#state = state;
    this.genesis = frozen(state.genesis);
  }

  /** A new list after a market was listed. */
  get markets(): readonly MarketView[] {
    const { markets } = this.#state;
    const known = this.#markets;
    if (known.length !== markets.length) {
      this.#markets = Object.freeze(markets.map((market, i) => known[i] ?? new MarketView(market)));
      for (const market of this.#markets) this.#bySymbol.set(market.symbol, market);
    }
    return this.#markets;
  }

  marketBySymbol(symbol: string): MarketView | undefined {
    return this.markets.length === 0 ? undefined : this.#bySymbol.get(symbol);
  }

  get currencies(): readonly Currency[] {
    const { currencies } = this.#state.ledger;
    if (this.#currencies.length !== currencies.length) this.#currencies = Object.freeze([...currencies]);
    return this.#currencies;
  }

  account(index: number): AccountView | undefined {
    return this.#accounts[index] ?? this.#newAccount(index);
  }

  #newAccount(index: number): AccountView | undefined {
    const account = this.#state.accounts.get(index);
    if (account === undefined) return undefined;
    const view = Object.freeze({ index, name: account.name });
    this.#accounts[index] = view;
    return view;
  }

  /** One entry for each currency that the venue knows, including zeros. */
  balances(index: number): Balance[] {
    const account = this.#state.accounts.get(index);
    if (account === undefined) return [];
    return this.#state.ledger.currencies.map((currency, i) => {
      const { margin, unrealised: profit } = marginsOf(this.#state, account, i);
      return {
        currency,
        total: account.totals[i],
        available: availableOf(this.#state, account, i),
        reserved: account.reserved[i],
        margin,
        unrealised: profit,
      };
    });
  }

  /** The open positions. */
  positions(index: number): PositionView[] {
    const account = this.#state.accounts.get(index);
    if (account === undefined) return [];
    return this.#state.markets.flatMap((market, i) => {
      const marketPositions = account.positionsByMarket[i];
      if (marketPositions === undefined) return [];
      const open = marketPositions.positions().filter((position) => position.size !== 0);
      return open.map((position) => ({
        market: this.markets[i],
        ...figuresOf(this.#state, account, market, marketPositions, position),
      }));
    });
  }

  settings(index: number, { index: at }: MarketView): SettingsView {
    const market = this.#state.markets[at];
    const marketPositions = this.#account(index).positionsByMarket[at] ?? new MarketPositions();
    const { mode, net, long, short, pending } = marketPositions;
    const used = mode === 'ONE_WAY' ? [net, net] : mode === 'HEDGE' ? [long, short] : [pending, pending];
    const tier = market.riskTiers.indexOf(
      tierOf(market, largestExposure(market, marketPositions), marketPositions.limit),
    );
    return { mode, longLeverage: used[0].leverage, shortLeverage: used[1].leverage, tier };
  }

  /** What an account pays in a market: its own rates, or the market's. */
  feeRates(index: number, market: MarketView): FeeRates {
    return frozen(this.#account(index).rates(this.#state.markets[market.index]));
  }

  /** The insurance fund in each currency, in smallest units. Negative: a deficit. */
  insurance(): { readonly currency: Currency; readonly units: bigint }[] {
    const { currencies, insurance } = this.#state.ledger;
    return currencies.map((currency, i) => ({ currency, units: insurance[i] }));
  }

  audit(): Audit {
    return auditOf(this.#state, this);
  }

  #account(index: number): Account {
    const account = this.#state.accounts.get(index);
    if (account === undefined) throw new Error(`there is no account ${index}`);
    return account;
  }
}

/** Smallest units. `margin` includes open losses. available = total − reserved − margin + min(0, unrealised). */
export interface Balance {
  readonly currency: Currency;
  readonly total: bigint;
  readonly available: bigint;
  readonly reserved: bigint;
  readonly margin: bigint;
  readonly unrealised: bigint;
}

export interface PositionView {
  readonly market: MarketView;
  readonly mode: PositionMode;
  /** 0 in ONE_WAY, 1 (LONG) or 2 (SHORT) in HEDGE, the number of the position in ISOLATED. */
  readonly id: number;
  /** Signed contracts. Positive is long. */
  readonly size: number;
  /** The exact entry price is entryCost / |size|. Smallest units of the settlement currency. */
  readonly entryCost: bigint;
  readonly unrealised: bigint;
  /** Margin of the position and its opening orders. For an isolated position, its collateral. */
  readonly margin: bigint;
  readonly maintenance: bigint;
  /** 0: the tier's maximum. */
  readonly leverage: number;
  /** Fine price at which it would be liquidated if nothing else changed. Null: there is no such price above 0. */
  readonly liquidationPrice: number | null;
  /** Its liquidation has begun and has not ended. */
  readonly liquidating: boolean;
}

/** The settings of an account in a perpetual market, and its risk tier. */
export interface SettingsView {
  readonly mode: PositionMode;
  /**
   * Leverage in force (0: the tier's maximum). Both are equal in ONE_WAY, and in ISOLATED, where they apply to future
   * positions.
   */
  readonly longLeverage: number;
  readonly shortLeverage: number;
  /** Index of the tier in the market, from 0: the tier of the largest exposure, or the chosen one if that is higher. */
  readonly tier: number;
}

export interface AuditLine {
  readonly accounts: bigint;
  readonly reserved: bigint;
  readonly fees: bigint;
  /** The fund. If it is negative, that amount is the deficit. */
  readonly insurance: bigint;
  readonly deficit: bigint;
  readonly deposits: bigint;
  readonly withdrawals: bigint;
  readonly difference: bigint;
}

/**
 * The accounts, checked by the statements at the end of semantics.md section 5. Each list names the accounts that break
 * one.
 */
export interface AccountsAudit {
  readonly checked: number;
  /** The total is below what spot orders reserve. */
  readonly belowReserved: readonly string[];
  /** The equity is negative and no liquidation is under way, or the total is negative and no unrealised profit covers it. */
  readonly belowZero: readonly string[];
  /** Below maintenance, and the liquidation waits for orders in the book or for the market. This is not an error. */
  readonly waitingLiquidation: readonly string[];
}

/** Contracts of one perpetual. Both sides must have the same size. */
export interface PositionsAudit {
  readonly market: MarketView;
  readonly long: number;
  readonly short: number;
}

export interface Audit {
  readonly ok: boolean;
  readonly currencies: readonly { currency: Currency; line: AuditLine }[];
  readonly orders: { readonly checked: number; readonly bad: readonly string[] };
  readonly accounts: AccountsAudit;
  readonly positions: readonly PositionsAudit[];
}

function figuresOf(
  venue: VenueState,
  account: Account,
  market: Market,
  marketPositions: MarketPositions,
  position: Position,
): Omit<PositionView, 'market'> {
  const isolated = marketPositions.mode === 'ISOLATED';
  return {
    mode: marketPositions.mode,
    id: position.id,
    size: position.size,
    entryCost: position.cost < 0n ? -position.cost : position.cost,
    unrealised: unrealised(position, market),
    margin: isolated
      ? position.margin
      : positionMargin(market, worstExposure(market, position), position, account.rates(market).taker),
    maintenance: maintenanceOf(market, position),
    leverage: position.leverage,
    liquidationPrice: isolated
      ? liquidationPrice(market, [position], position.margin + unrealised(position, market), 0n)
      : crossLiquidationPrice(venue, account, market, marketPositions),
    liquidating: position.liquidationStepLots > 0,
  };
}

/** Positions in other markets count at their present value. */
function crossLiquidationPrice(
  venue: VenueState,
  account: Account,
  market: Market,
  marketPositions: MarketPositions,
): number | null {
  const { quote } = market;
  const equity = equityOf(crossMarginAccount(venue, account, quote));
  let elsewhere = 0n;
  account.positionsByMarket.forEach((other, i) => {
    const counts = other !== undefined && other !== marketPositions && other.mode !== 'ISOLATED';
    if (!counts || venue.markets[i].quote !== quote) return;
    for (const position of other.positions()) elsewhere += maintenanceOf(venue.markets[i], position);
  });
  return liquidationPrice(market, marketPositions.positions(), equity, elsewhere);
}

/**
 * The mark p at which equity + size × (p − mark) is no more than the maintenance at p + the maintenance elsewhere. Each
 * position counts at its present tier (the rate of that, less the saving on the parts below it). Rounded to the side on
 * which the price is certainly reached. Fine. Null: there is no such price above 0.
 */
function liquidationPrice(
  market: Market,
  positions: readonly Position[],
  equity: bigint,
  elsewhere: bigint,
): number | null {
  if (market.valuationMark === 0) return null;
  const parts = BigInt(PARTS);
  let size = 0n;
  let rated = 0n;
  let spared = 0n;
  for (const position of positions) {
    const value = sizeAtMark(position, market);
    const rate = tierOf(market, value, position.limit).maintenance;
    size += BigInt(position.size);
    rated += rate * BigInt(Math.abs(position.size));
    spared += mulDivCeil(value, rate, parts) - maintenanceOf(market, position);
  }
  const slope = (size * parts - rated) * market.unitsPerTickLot;
  if (slope === 0n) return null;
  const worth =
    (size * BigInt(market.valuationMark) * market.unitsPerTickLot - (equity - elsewhere + spared) * BigInt(FINE)) *
    parts;
  const fine = slope > 0n ? floorDiv(worth, slope) : ceilDiv(-worth, -slope);
  return fine > 0n && fine <= BigInt(market.maxPriceTicks * FINE) ? Number(fine) : null;
}

/**
 * price × present size, in smallest quote units. Without a price: at the band reference. For quote-sized orders: the
 * quote.
 */
export function orderValueOf(market: Market, order: OrderView): bigint {
  if (order.quoteOriginal !== null) return order.quoteOriginal;
  if (order.price > 0) return market.notional(order.price, order.quantity);
  const fine = market.bandReference || market.last;
  return floorDiv(BigInt(fine) * BigInt(order.quantity) * market.unitsPerTickLot, BigInt(FINE));
}

function auditOf(venue: VenueState, views: Views): Audit {
  const bad: string[] = [];
  let checked = 0;
  for (const account of venue.accounts.values()) {
    const needed = venue.ledger.currencies.map(() => 0n);
    for (const order of venue.liveOrders(account)) {
      checked++;
      needed[venue.payCurrency(order)] += venue.reservedBy(order);
      if (order.filled > order.quantity && order.quoteOriginal === null)
        bad.push(`order ${order.key}: filled over size`);
      if (venue.reservedBy(order) < 0n) bad.push(`order ${order.key}: reserves ${venue.reservedBy(order)}`);
    }
    needed.forEach((sum, i) => {
      const { code } = venue.ledger.currencies[i];
      if (sum !== account.reserved[i])
        bad.push(`${account.name}: ${code} reserved ${account.reserved[i]}, orders reserve ${sum}`);
    });
  }
  const currencies = venue.ledger.currencies.map((currency, i) => ({ currency, line: auditLine(venue, i) }));
  const accounts = auditAccounts(venue);
  const positions = views.markets
    .filter(({ product }) => product === 'futures')
    .map((market) => auditMarket(venue, market));
  const ok =
    bad.length === 0 &&
    currencies.every(({ line }) => line.difference === 0n) &&
    accounts.belowReserved.length === 0 &&
    accounts.belowZero.length === 0 &&
    positions.every(({ long, short }) => long === short);
  return { ok, currencies, orders: { checked, bad }, accounts, positions };
}

function auditAccounts(venue: VenueState): AccountsAudit {
  const belowReserved: string[] = [];
  const belowZero: string[] = [];
  const waiting: string[] = [];
  for (const account of venue.accounts.values()) {
    const waits = venue.markets.some(({ distressed, halted }, i) => {
      const open = account.positionsByMarket[i]?.flat === false;
      return open && (halted || distressed.has(account.index));
    });
    if (waits) waiting.push(account.name);
    venue.ledger.currencies.forEach(({ code }, currency) => {
      const name = `${account.name}: ${code}`;
      const reserved = account.reserved[currency];
      if (reserved > 0n && account.totals[currency] < reserved) belowReserved.push(name);
      const cross = crossMarginAccount(venue, account, currency);
      const equity = equityOf(cross);
      // Unrealised profit of open positions may cover a negative total. Without a position nothing does.
      if (equity < 0n && (cross.positions.length === 0 || !waits)) belowZero.push(name);
    });
    account.positionsByMarket.forEach((marketPositions, i) => {
      if (marketPositions?.mode !== 'ISOLATED') return;
      for (const position of marketPositions.isolated) {
        const equity = equityOf(isolatedMarginAccount(account, venue.markets[i], position));
        if (equity < 0n && !waits) belowZero.push(`${account.name}: ${venue.markets[i].symbol} ${position.id}`);
      }
    });
  }
  return { checked: venue.accounts.size, belowReserved, belowZero, waitingLiquidation: waiting };
}

function auditMarket(venue: VenueState, market: MarketView): PositionsAudit {
  let long = 0;
  let short = 0;
  for (const account of venue.accounts.values()) {
    for (const { size } of account.positionsByMarket[market.index]?.positions() ?? []) {
      if (size > 0) long += size;
      else short -= size;
    }
  }
  return { market, long, short };
}

function auditLine(venue: VenueState, currency: number): AuditLine {
  let accounts = 0n;
  let reserved = 0n;
  for (const account of venue.accounts.values()) {
    accounts += account.totals[currency];
    reserved += account.reserved[currency];
    account.positionsByMarket.forEach((marketPositions, market) => {
      if (!marketPositions || venue.markets[market].quote !== currency) return;
      for (const position of marketPositions.positions()) accounts += position.margin - position.cost;
    });
  }
  const { fees, insurance, deposits, withdrawals } = venue.ledger;
  const difference = accounts + fees[currency] + insurance[currency] - deposits[currency] + withdrawals[currency];
  return {
    accounts,
    reserved,
    fees: fees[currency],
    insurance: insurance[currency],
    deficit: insurance[currency] < 0n ? -insurance[currency] : 0n,
    deposits: deposits[currency],
    withdrawals: withdrawals[currency],
    difference,
  };
}
