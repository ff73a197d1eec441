/**
 * What a venue shows to the outside, folded from its events alone: books, positions, wallets and live orders. It begins with
 * what is there, and again when all state was replaced.
 */
import type { EventHandlers, OrderChanged, PositionChanged } from '../../src/venue/contract/events.ts';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import { maintenanceAt } from '../../src/venue/risk/margin.ts';
import { notionalAt, valueAt } from '../../src/venue/state/position.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { liveState } from '../support/live-state.ts';

type Texts = Map<string, string>;

const ALL_LEVELS = 1e9;

export class Follower {
  #venue: Venue;
  readonly #books = new Map<string, number>();
  readonly #positions = new Map<string, PositionChanged>();
  readonly #wallets: Texts = new Map();
  readonly #orders = new Map<number, string>();
  readonly #filled = new Map<number, number>();
  /** What an event says that does not go with those before it. */
  complaint: string | null = null;

  /** Its handlers are to be given to the venue. */
  constructor(venue: Venue) {
    this.#venue = venue;
    if (venue.genesis !== null) this.#begin();
  }

  /** Goes on with a venue that is equal to the one before: a restart. */
  on(venue: Venue): this {
    this.#venue = venue;
    return this;
  }

  readonly handlers: EventHandlers = {
    stateReplaced: () => this.#begin(),
    bookChanged: ({ market, levels }) => {
      for (const { side, priceTicks, sizeLots } of levels) {
        const place = `${market} ${side} ${priceTicks}`;
        if (this.#books.get(place) === sizeLots) this.complaint = `the level ${place} is told without a change`;
        if (sizeLots > 0) this.#books.set(place, sizeLots);
        else if (!this.#books.delete(place)) this.complaint = `the level ${place} goes and was not there`;
      }
    },
    positionChanged: (event) => {
      const { account, market, mode, positionId } = event;
      const place = `${account} ${market} ${mode} ${positionId}`;
      if (event.sizeLots !== 0) this.#positions.set(place, event);
      else if (!this.#positions.delete(place)) this.complaint = `the position ${place} closes and was not there`;
    },
    walletChanged: ({ account, currency, total, reserved }) => {
      this.#setWallet(account, currency, total, reserved);
    },
    orderAccepted: ({ order }) => {
      this.#orders.set(order.key, toldOf(order, 0));
      this.#filled.set(order.key, 0);
    },
    orderChanged: (event) => {
      const { key, filledLots, filledNowLots, liquidity } = event;
      const before = this.#filled.get(key) ?? Number.NaN;
      if (before + filledNowLots !== filledLots) {
        this.complaint = `order ${key} has ${filledLots} filled, ${filledNowLots} of them now, and had ${before}`;
      }
      if (filledNowLots === 0 && liquidity !== null) this.complaint = `order ${key} was filled for 0 as ${liquidity}`;
      this.#filled.set(key, filledLots);
      if (event.change === 'ended') this.#orders.delete(key);
      else this.#orders.set(key, toldBy(event));
    },
  };

  #begin(): void {
    for (const fold of [this.#books, this.#positions, this.#wallets, this.#orders, this.#filled]) fold.clear();
    const venue = this.#venue;
    for (const [place, lots] of booksOf(venue)) this.#books.set(place, lots);
    for (const account of venue.accountNumbers()) {
      for (const position of venue.positions(account)) {
        const { mode, size, entryCost, margin, leverage, liquidating } = position;
        const market = position.market.index;
        this.#positions.set(`${account} ${market} ${mode} ${position.id}`, {
          type: 'positionChanged',
          account,
          market,
          mode,
          positionId: position.id,
          sizeLots: size,
          entryCost,
          collateral: mode === 'ISOLATED' ? margin : 0n,
          leverage,
          leastTier: liveState(venue).accounts.get(account)?.positionsByMarket[market]?.limit.leastTier ?? 0,
          liquidating,
        });
      }
      venue.balances(account).forEach(({ total, reserved }, i) => {
        this.#setWallet(account, i, total, reserved);
      });
    }
    for (const order of liveOrders(venue)) {
      this.#orders.set(order.key, toldOf(order, order.filledCost));
      this.#filled.set(order.key, order.filled);
    }
  }

  #setWallet(account: number, currency: number, total: bigint, reserved: bigint): void {
    const place = `${account} ${currency}`;
    const text = `${total} ${reserved}`;
    if (text === '0 0') this.#wallets.delete(place);
    else this.#wallets.set(place, text);
  }

  /** What differs from the venue's reads; null: nothing. */
  compare(): string | null {
    const venue = this.#venue;
    const wallets: Texts = new Map();
    const positions: Texts = new Map();
    for (const account of venue.accountNumbers()) {
      venue.balances(account).forEach(({ total, reserved }, i) => {
        if (total !== 0n || reserved !== 0n) wallets.set(`${account} ${i}`, `${total} ${reserved}`);
      });
      for (const p of venue.positions(account)) {
        const collateral = p.mode === 'ISOLATED' ? p.margin : 0n;
        const stored = [p.size, p.entryCost, collateral, p.leverage, p.liquidating, p.unrealised, p.maintenance].join();
        positions.set(`${account} ${p.market.index} ${p.mode} ${p.id}`, stored);
      }
    }
    const orders = new Map(liveOrders(venue).map((order) => [order.key, toldOf(order, order.filledCost)]));
    const folded: Texts = new Map(
      [...this.#positions].map(([place, event]) => [place, this.#positionText(venue, event)]),
    );
    return (
      this.complaint ??
      apart('book', this.#books, booksOf(venue)) ??
      apart('wallet', this.#wallets, wallets) ??
      apart('position', folded, positions) ??
      apart('order', this.#orders, orders)
    );
  }

  /** An event of a position and the market's mark give what the views say of it. */
  #positionText(venue: Venue, event: PositionChanged): string {
    const { sizeLots, entryCost, collateral, leverage, leastTier, liquidating } = event;
    const market = liveState(venue).markets[event.market];
    const mark = market.valuationMark;
    const cost = sizeLots < 0 ? -entryCost : entryCost;
    const unrealised = mark === 0 ? 0n : valueAt(market, sizeLots, mark) - cost;
    const value = mark === 0 ? entryCost : notionalAt(market, sizeLots, mark);
    const maintenance = maintenanceAt(market, value, { leastTier });
    return [sizeLots, entryCost, collateral, leverage, liquidating, unrealised, maintenance].join();
  }
}

function booksOf(venue: Venue): Map<string, number> {
  const levels = new Map<string, number>();
  for (const market of venue.markets) {
    for (const side of [0, 1] as const) {
      for (const { priceTicks, sizeLots } of market.depth(side, ALL_LEVELS)) {
        levels.set(`${market.index} ${side} ${priceTicks}`, sizeLots);
      }
    }
  }
  return levels;
}

function liveOrders(venue: Venue) {
  return venue
    .accountNumbers()
    .flatMap((account) =>
      (['spot', 'futures'] as const).flatMap((product) => venue.openOrders(account, product, null)),
    );
}

const toldOf = (order: OrderView, filledCost: number): string =>
  [
    order.state,
    order.price,
    order.quantity,
    order.filled,
    order.remaining,
    filledCost,
    order.trigger?.price ?? 0,
    order.clientId,
  ].join();

const toldBy = (event: OrderChanged): string =>
  [
    event.state,
    event.priceTicks,
    event.quantityLots,
    event.filledLots,
    event.remainingLots,
    event.filledCost,
    event.triggerTicks,
    event.clientId,
  ].join();

function apart<Key, Value>(what: string, folded: Map<Key, Value>, there: Map<Key, Value>): string | null {
  for (const [place, value] of there) {
    if (folded.get(place) !== value) return `${what} ${place}: ${value}, by the events ${folded.get(place)}`;
  }
  for (const [place, value] of folded) if (!there.has(place)) return `${what} ${place}: gone, by the events ${value}`;
  return null;
}
