/** What every player has in hand: a look at the venue, and its commands in short. Prices in ticks, sizes in lots. */
import type { Place, PositionMode, Reference, Side } from '../../src/venue/contract/commands.ts';
import type { PositionView, Reply, Venue } from '../../src/venue/venue.ts';
import type { MarketView } from '../../src/venue/views.ts';
import { BUY, FINE, opposite, SELL } from './model-state.ts';
import type { Random } from './random.ts';
import { isThief, SETTLEMENT, type Test } from './thief-judge.ts';
import type { Act } from './thief-run.ts';

/** A player: yields commands, and gets the reply to each. */
export type Play = Generator<Act, void, Reply>;
type Sub<T = void> = Generator<Act, T, Reply>;

const PARTS = 100_000_000;

export interface Terms {
  readonly reduceOnly?: boolean;
  readonly mode?: PositionMode;
  readonly timeInForce?: 'GTC' | 'IOC' | 'FOK';
  readonly postOnly?: boolean;
}

export class Hand {
  readonly r: Random;
  readonly test: Test;
  readonly #venue: () => Venue;

  constructor(test: Test, r: Random, venue: () => Venue) {
    this.test = test;
    this.r = r;
    this.#venue = venue;
  }

  get venue(): Venue {
    return this.#venue();
  }

  // --- who and where -----------------------------------------------------------------------------------------------

  get thieves(): number[] {
    return this.venue.accountNumbers().filter((number) => isThief(this.venue.account(number)!.name));
  }

  get honest(): number[] {
    return this.venue.accountNumbers().filter((number) => !isThief(this.venue.account(number)!.name));
  }

  /** So many different thieves. */
  some(count: number): number[] {
    const left = this.thieves;
    return Array.from({ length: count }, () => left.splice(this.r.int(0, left.length - 1), 1)[0]);
  }

  thief(): number {
    return this.r.pick(this.thieves);
  }

  perpetual(): MarketView {
    return this.r.pick(this.venue.markets.filter((m) => m.product === 'futures' && !m.delisted));
  }

  spot(): MarketView {
    return this.r.pick(this.venue.markets.filter((m) => m.product === 'spot'));
  }

  side(): Side {
    return this.r.pick([BUY, SELL]);
  }

  // --- prices and sizes --------------------------------------------------------------------------------------------

  /** The mark, on spot the index; in ticks, rounded down. */
  fair(m: MarketView): number {
    return Math.floor((m.product === 'futures' ? m.mark : m.indexPrice) / FINE);
  }

  /** So far from fair as a fraction says; against `side` where positive: a BUY's is higher, a SELL's lower. */
  against(m: MarketView, side: Side, fraction: number): number {
    return Math.max(1, Math.round(this.fair(m) * (1 + (side === BUY ? fraction : -fraction))));
  }

  /** A price that is bad for that side. */
  far(m: MarketView, side: Side): number {
    return this.against(m, side, this.r.pick([0.0005, 0.002, 0.004, 0.005, 0.01, 0.02, 0.05, 0.0999]));
  }

  best(m: MarketView, side: Side): number | null {
    const price = m.bestPrice(side);
    return price < 0 ? null : price;
  }

  /** The currency that a market is paid in. */
  currency(m: MarketView): string {
    return this.venue.currencies[m.quote].code;
  }

  /** The settlement currencies of the perpetuals. */
  get settlements(): string[] {
    return [...new Set(this.venue.markets.filter((m) => m.product === 'futures').map((m) => this.currency(m)))];
  }

  available(account: number, currency = SETTLEMENT): bigint {
    return this.venue.balances(account).find((b) => b.currency.code === currency)?.available ?? 0n;
  }

  /** A spot order with all free money of the currency that a perpetual settles in: it buys coins, or sells them. */
  spending(account: number, m: MarketView): { s: MarketView; side: Side; lots: (ticks: number) => number } {
    const currency = this.currency(m);
    const free = () => Number(this.available(account, currency));
    const coins = this.venue.markets.find(
      (s) => s.product === 'spot' && this.venue.currencies[s.base].code === currency,
    );
    const s = coins ?? this.spot();
    const each = (ticks: number) => Number(coins === undefined ? s.notional(ticks, 1) : s.unitsPerLot);
    const lots = (ticks: number) => Math.max(1, Math.min(s.maxLots, Math.floor(free() / each(ticks))));
    return { s, side: coins === undefined ? BUY : SELL, lots };
  }

  /** As many lots as the account's free money buys at a rate of margin; 1.11 % is the dearest at 100x. */
  lots(account: number, m: MarketView, ticks: number, rate = 0.0112): number {
    const each = Number(m.unitsPerTickLot) * ticks * rate;
    const lots = Math.floor(Number(this.available(account, this.currency(m))) / each);
    return Math.max(1, Math.min(lots, m.maxLots));
  }

  /** Around what it can have at that price, of all tiers. */
  most(account: number, m: MarketView, ticks: number): number {
    const first = this.lots(account, m, ticks);
    const value = (Number(m.unitsPerTickLot) * ticks * first) / 1e8;
    const rate = value <= 100_000 ? 0.0112 : value <= 1_000_000 ? 0.0212 : value <= 10_000_000 ? 0.0512 : 0.102;
    const lots = this.lots(account, m, ticks, rate) * this.r.pick([1, 1, 1, 0.98, 0.5, 0.1, 1.02]);
    return Math.max(1, Math.min(Math.floor(lots), m.maxLots));
  }

  positions(account: number, m: MarketView): readonly PositionView[] {
    return this.venue.positions(account).filter((p) => p.market.index === m.index);
  }

  /** Signed lots of all its positions there. */
  openLots(account: number, m: MarketView): number {
    return this.positions(account, m).reduce((sum, { size }) => sum + size, 0);
  }

  /** The lots in price order that a side of the book holds up to a price. */
  volume(m: MarketView, side: Side): number {
    return m.depth(side, 50).reduce((sum, { sizeLots }) => sum + sizeLots, 0);
  }

  // --- commands ----------------------------------------------------------------------------------------------------

  #base(account: number, m: MarketView, side: Side, mode?: PositionMode) {
    const base = {
      v: 1,
      type: 'place',
      account,
      market: m.index,
      side,
      clientId: null,
      request: null,
      broker: null,
    } as const;
    return mode !== undefined && m.product === 'futures' ? { ...base, positionMode: mode } : base;
  }

  limit(account: number, m: MarketView, side: Side, price: number, size: number, terms: Terms = {}): Place {
    const { timeInForce = 'GTC', postOnly = false, reduceOnly = false, mode } = terms;
    return { ...this.#base(account, m, side, mode), kind: 'limit', price, size, timeInForce, postOnly, reduceOnly };
  }

  market(account: number, m: MarketView, side: Side, size: number, { reduceOnly = false, mode }: Terms = {}): Place {
    const inQuote = m.product === 'spot' && side === BUY;
    const quote = inQuote ? String(m.notional(this.fair(m) || 1, size)) : null;
    return { ...this.#base(account, m, side, mode), kind: 'market', size: inQuote ? null : size, quote, reduceOnly };
  }

  conditional(
    account: number,
    m: MarketView,
    side: Side,
    trigger: { rule: 'stop' | 'profit' | 'reach'; at: number; reference: Reference },
    price: number | null,
    size: number,
    terms: Terms = {},
  ): Place {
    const { timeInForce = 'GTC', postOnly = false, reduceOnly = false, mode } = terms;
    const inQuote = price === null && m.product === 'spot' && side === BUY;
    return {
      ...this.#base(account, m, side, mode),
      ...{ kind: 'conditional', rule: trigger.rule, trigger: trigger.at, reference: trigger.reference, price },
      size: inQuote ? null : size,
      quote: inQuote ? String(m.notional(this.fair(m) || 1, size)) : null,
      ...{ timeInForce, postOnly, reduceOnly },
    };
  }

  peg(
    account: number,
    m: MarketView,
    side: Side,
    price: number,
    size: number,
    deviation: number,
    mode?: PositionMode,
  ): Place {
    const stealth = this.r.pick([10_000_000_000, 10_000_000_000, 1_000_000_000]);
    return {
      ...this.#base(account, m, side, mode),
      kind: 'peg',
      price,
      size,
      stealth,
      deviation: Math.round(deviation * 100 * PARTS),
    };
  }

  oco(account: number, m: MarketView, side: Side, size: number, terms: Terms = {}): Place {
    const { timeInForce = 'GTC', postOnly = false, reduceOnly = false, mode } = terms;
    const away = side === SELL ? 1 : -1;
    const at = Math.floor((m.last || m.indexPrice) / FINE);
    const stopTrigger = at - away * this.r.pick([1, 10, 100]);
    return {
      ...this.#base(account, m, side, mode),
      ...{ kind: 'oco', size, price: at + away * this.r.pick([1, 10, 1000]), stopTrigger },
      stopReference: this.r.pick(['last', 'mark'] as const),
      stopPrice: this.r.pick([stopTrigger, this.far(m, side)]),
      ...{ timeInForce, postOnly, reduceOnly },
    };
  }

  trailing(account: number, m: MarketView, side: Side, size: number, terms: Terms = {}): Place {
    const inQuote = m.product === 'spot' && side === BUY;
    return {
      ...this.#base(account, m, side, terms.mode),
      ...{ kind: 'trailing', distance: this.r.pick([1, 1000, 100_000, 10_000_000]), percent: null },
      reference: this.r.pick(['last', 'mark'] as const),
      size: inQuote ? null : size,
      quote: inQuote ? String(m.notional(this.fair(m) || 1, size)) : null,
      ...{ activation: null, activationReference: null, reduceOnly: terms.reduceOnly ?? false },
    };
  }

  twap(account: number, m: MarketView, side: Side, size: number): Place {
    return {
      ...this.#base(account, m, side),
      ...{ kind: 'twap', size, periodMs: 60_000, makerFirst: this.r.once(2), randomizeSize: this.r.once(3) },
      ...{ maxChildSize: null, maxSpread: null, maxThroughBook: this.r.pick([null, 10_000_000]), pausePrice: null },
      ...{ activation: null, activationReference: null },
    };
  }

  amend(
    account: number,
    order: number,
    product: 'spot' | 'futures',
    change: { price?: number; size?: number; trigger?: number },
  ): Act {
    const { price = null, size = null, trigger = null } = change;
    return {
      ...{ v: 1, type: 'amend', account, product, market: null, order, clientId: null, price, size },
      ...{ totalSize: true, trigger },
    };
  }

  cancelAll(account: number, m: MarketView | null = null, product: 'spot' | 'futures' = m?.product ?? 'futures'): Act {
    return { v: 1, type: 'cancelAll', account, product, market: m?.index ?? null };
  }

  /** Takes out all that it may, or a part. */
  withdraw(account: number, currency = this.r.pick(this.settlements), times = 1): Act {
    const amount = BigInt(Math.floor(Number(this.available(account, currency)) * times));
    const most = this.available(account, currency);
    return this.deposit(account, -(times === 1 ? most : amount), currency);
  }

  deposit(account: number, units: bigint, currency = SETTLEMENT): Act {
    return { v: 1, type: 'deposit', account, currency, amount: String(units === 0n ? 1n : units) };
  }

  leverage(
    account: number,
    m: MarketView,
    leverage: number,
    margin: 'CROSS' | 'ISOLATED',
    position: number | null = null,
  ): Act {
    return { v: 1, type: 'setLeverage', account, market: m.index, margin, leverage, position };
  }

  mode(account: number, m: MarketView, mode: PositionMode): Act {
    return { v: 1, type: 'setPositionMode', account, market: m.index, mode };
  }

  attach(account: number, m: MarketView, position: number, stop: number | null, profit: number | null): Act {
    const reference = this.r.pick(['mark', 'last'] as const);
    const at = (price: number | null) => (price === null ? null : { price: Math.max(1, price), reference });
    return {
      v: 1,
      type: 'attachBrackets',
      account,
      market: m.index,
      position,
      takeProfit: at(profit),
      stopLoss: at(stop),
    };
  }

  advance(ms: number): Act {
    return { v: 1, type: 'advance', toMs: this.venue.timeMs + ms };
  }

  /** To the next whole minute of venue time. */
  minute(): Act {
    return { v: 1, type: 'advance', toMs: (Math.floor(this.venue.timeMs / 60_000) + 1) * 60_000 };
  }

  /** The index times a factor; from a feed or by hand. */
  move(m: MarketView, factor: number, byHand = true): Act {
    return this.index(m, Math.round(m.indexPrice * factor), byHand);
  }

  index(m: MarketView, fine: number, byHand = true): Act {
    return {
      v: 1,
      type: 'setPrices',
      market: m.index,
      index: Math.max(FINE, Math.min(fine, m.maxPriceTicks * FINE)),
      byHand,
    };
  }

  // --- small plays -------------------------------------------------------------------------------------------------

  /** Some order that takes what stands at a price, of whatever kind; where it opens isolated or hedged, `terms` say so. */
  *take(account: number, m: MarketView, side: Side, price: number, size: number, terms: Terms = {}): Sub<Reply> {
    const reference = this.r.pick(['mark', 'last'] as const);
    const now = Math.floor((reference === 'mark' ? m.mark : m.last) / FINE);
    const trigger = {
      rule: 'reach',
      at: m.product === 'spot' ? Math.floor(m.indexPrice / FINE) : now,
      reference,
    } as const;
    switch (
      this.r.weighted({
        limit: 6,
        ioc: 3,
        fok: 1,
        market: 4,
        conditional: 3,
        conditionalMarket: 3,
        peg: 2,
        amend: 3,
        trailing: 1,
        oco: 1,
      })
    ) {
      case 'ioc':
        return yield this.limit(account, m, side, price, size, { ...terms, timeInForce: 'IOC' });
      case 'fok':
        return yield this.limit(account, m, side, price, size, { ...terms, timeInForce: 'FOK' });
      case 'market':
        return yield this.market(account, m, side, size, terms);
      case 'conditional':
        return yield this.conditional(account, m, side, trigger, price, size, terms);
      case 'conditionalMarket':
        return yield this.conditional(account, m, side, trigger, null, size, terms);
      case 'peg':
        if (terms.reduceOnly) return yield this.limit(account, m, side, price, size, terms);
        return yield this.peg(account, m, side, price, size, side === BUY ? 0.1 : -0.1, terms.mode);
      case 'trailing':
        return yield this.trailing(account, m, side, size, terms);
      case 'oco':
        return yield this.oco(account, m, side, size, terms);
      case 'amend': {
        const passive = this.against(m, opposite(side), 0.09);
        const { orders } = yield this.limit(account, m, side, passive, size, terms);
        if (orders.length === 0) return yield this.limit(account, m, side, price, size, terms);
        return yield this.amend(account, orders[0].key, m.product, { price });
      }
      default:
        return yield this.limit(account, m, side, price, size, terms);
    }
  }

  /** An account opens so many lots at a price, from another one. */
  *open(account: number, from: number, m: MarketView, side: Side, price: number, size: number, terms: Terms = {}): Sub {
    yield this.limit(from, m, opposite(side), price, size);
    yield this.limit(account, m, side, price, size, terms);
  }
}
