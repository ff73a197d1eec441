/**
 * The state of a venue: everything that its rules work on, and the life cycle of an order.
 *
 * create → admit → (watch | rest | withdraw)* → end. Rules end an order by `finish` (finish.ts), which calls `end`
 * here. `end` takes the order out of the book, the trigger book and the timers, and releases its reserve. So nothing of
 * it remains.
 *
 * A price move has no effect at once. Trades and price changes are noted in `observations`, which reactions.ts
 * processes after the command's own matching (rules 3.7 and 3.8).
 */

import type { Currency, Key } from '../contract/account-view.ts';
import type { Genesis } from '../contract/commands.ts';
import type { Due } from '../contract/due.ts';
import type { Figures, OrderChanged } from '../contract/events.ts';
import { frozen } from '../contract/frozen.ts';
import { type Money, minus } from '../contract/money.ts';
import type { OrderState } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Product, Reference, Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import { type Timed, Timers } from '../structures/timer-queue.ts';
import { AcceptedRequests } from './accepted-requests.ts';
import { Changes } from './changes.ts';
import type { Effects } from './effects-digest.ts';
import type { Emitter } from './emitter.ts';
import { bind, countUnopened, expose, unexpose } from './exposure.ts';
import { House } from './house.ts';
import { type Account, Ledger } from './ledger.ts';
import { MarginWatches } from './margin-watches.ts';
import type { Market } from './market.ts';
import type { Order } from './order.ts';
import { OrderTable } from './order-table.ts';
import type { Position } from './position.ts';

const { NONE, UNBOUND } = units;

/** One new price: of a trade, or a change of mark or index. `previous` is 0 if there was no price before. */
export interface Observation {
  market: Market;
  reference: Reference;
  fine: number;
  previous: number;
}

/** The timer of a dead man's switch. */
export interface DeadMan extends Timed {
  readonly type: 'deadMan';
  readonly account: number;
  readonly product: Product;
}

/** Marks the index of a market as stale, `staleAfterMs` after the last accepted value. */
export interface FeedTimer extends Timed {
  readonly type: 'feed';
  readonly market: Market;
}

export class VenueState {
  declare readonly genesis: Genesis;
  declare readonly genesisMs: number;
  declare readonly ledger: Ledger;
  declare readonly effects: Effects;
  declare readonly emit: Emitter;
  declare readonly changes: Changes;
  readonly margins = new MarginWatches();
  readonly markets: Market[] = [];
  readonly accounts = new Map<number, Account>();
  /** The other side of the trades of recorded markets. */
  readonly house = new House();
  readonly keys = new Map<string, Key>();
  readonly orders = new OrderTable();
  readonly timers = new Timers();
  readonly requests = new AcceptedRequests();
  /** Prices that are not processed yet: the first `observed` entries of a pool of reused objects. */
  readonly observations: Observation[] = [];
  observed = 0;
  /** Keys of the triggers that the present command placed. Their condition may already be true. */
  readonly entered: number[] = [];
  /** Filled orders that others depend on (after-sweep.ts). */
  readonly touched: Order[] = [];
  /** Futures markets that have traded. Their marks are computed after the match (after-sweep.ts). */
  readonly printed: Market[] = [];
  /** Markets with a new mark. Bankrupt positions are closed out before anything reacts (liquidation.ts). */
  readonly movedMarks: Market[] = [];
  /** Accounts that auto-deleveraging has taken a position from. They are judged in all their markets (liquidation.ts). */
  readonly deleveraged: { readonly market: Market; readonly account: Account }[] = [];
  /** Accounts whose money has fallen below what their spot orders reserve (after-sweep.ts). */
  readonly overReserved = new Set<number>();
  /** By market: numbers of the accounts with a position there. */
  readonly #holders: Set<number>[] = [];
  /** By market: the same, sorted. Null: to be sorted at the next use. */
  readonly #sortedHolders: (readonly number[] | null)[] = [];
  /** All markets with distressed accounts. One that has none any more is removed by `nextDistressed`. */
  readonly #distressed = new Set<Market>();
  /** Markets that are halted or have a pending index: only these can have a foreseeable price. */
  readonly #unsettled = new Set<Market>();
  /** By market: the timer of its feed. */
  readonly feeds: FeedTimer[] = [];
  /** The minute timers of perpetual markets that have had an index. */
  readonly minutes = new Map<Market, Timed>();
  /** Armed dead man's switches, by account and product. */
  readonly deadMen = new Map<string, DeadMan>();

  /**
   * One object of each shape that commands make and nobody keeps. Nothing reads them. When the garbage collector takes the last
   * object of a shape, V8 forgets the shape, and throws away the compiled code that relies on it.
   */
  shapes: readonly object[] = [];

  nowMs = 0;
  seq = 0;
  /** Due items that the present command leaves out, because they failed before (due.ts). */
  leftOut: readonly Due[] = [];
  /** Counts steps within this process. Each command is a step, and so is each timer that falls due. */
  step = 0;
  #nextIndex = 0;
  readonly #accountByName = new Map<string, Account>();
  readonly #marketBySymbol = new Map<string, Market>();
  /** Accounts by number, with holes, for the hot path. */
  readonly #accountAt: (Account | undefined)[] = [];

  constructor(genesis: Genesis, genesisMs: number, emit: Emitter, effects: Effects) {
    this.genesis = genesis;
    this.genesisMs = genesisMs;
    this.nowMs = genesisMs;
    this.emit = emit;
    this.changes = new Changes(emit, this.margins);
    this.effects = effects;
    const currencies: Currency[] = Object.keys(genesis.config.currencies)
      .sort()
      .map((code) => ({ code, decimals: genesis.config.currencies[code].decimals }));
    this.ledger = new Ledger(currencies, effects, this.changes);
  }

  beginCommand(seq: number, leftOut: readonly Due[]): void {
    this.seq = seq;
    this.leftOut = leftOut;
    this.#nextIndex = 0;
    this.orders.beginCommand();
  }

  account(order: Order): Account {
    return this.#accountAt[order.account] as Account;
  }

  /** The account of that number. Undefined if there is none. Faster than `accounts`. */
  accountAt(index: number): Account | undefined {
    return this.#accountAt[index];
  }

  addAccount(account: Account): void {
    this.accounts.set(account.index, account);
    this.#accountByName.set(account.name, account);
    account.feeRates.forEach((rates, market) => {
      if (rates !== undefined) this.markets[market].noteSpecialRates(rates);
    });
    this.#accountAt[account.index] = account;
  }

  /** Called after special rates in the market have changed. Visits all accounts. */
  recountPairFees(market: Market): void {
    market.leastPairFee = Number.POSITIVE_INFINITY;
    for (const { feeRates } of this.accounts.values()) {
      const rates = feeRates[market.index];
      if (rates !== undefined) market.noteSpecialRates(rates);
    }
  }

  accountByName(name: string): Account | undefined {
    return this.#accountByName.get(name);
  }

  marketBySymbol(symbol: string): Market | undefined {
    return this.#marketBySymbol.get(symbol);
  }

  /** The key is frozen, because code outside the venue receives it. */
  addKey(key: Key): void {
    this.keys.set(key.key, frozen(key));
  }

  addCurrencies(currencies: readonly Currency[]): void {
    for (const currency of currencies) this.ledger.add(currency);
  }

  market(order: Order): Market {
    return this.markets[order.market];
  }

  /** `feed`: the timer of the market's index. */
  addMarket(market: Market, feed: FeedTimer): void {
    this.markets.push(market);
    this.#marketBySymbol.set(market.symbol, market);
    this.margins.addMarket();
    this.#holders.push(new Set());
    this.#sortedHolders.push(null);
    this.feeds.push(feed);
  }

  /**
   * Begins to note the changes that listeners want. Called after a load, when the state is complete, because a load
   * emits nothing.
   */
  track(): void {
    this.changes.track(this.markets);
  }

  // --- life cycle -------------------------------------------------------------------------------------------------

  /** A new order of the present command. The caller fills it in, then calls `admit`. */
  create(account: Account, market: Market, side: Side): Order {
    const order = this.orders.create(this.seq, this.#nextIndex++);
    order.begin(account.index, market.index, market.product, side, this.nowMs);
    if (market.product === 'futures') order.positionId = UNBOUND;
    return order;
  }

  /**
   * From now on the order is counted, and look-ups find it. Only `admit` (new-order.ts) calls this. Others call
   * `admit`.
   */
  register(order: Order): void {
    if (order.positionId === UNBOUND) bind(this.account(order), order);
    this.link(order);
    this.orders.indexClientId(order);
    this.#fold(order);
  }

  /** Appends the order to its account's live orders, and counts it. */
  link(order: Order): void {
    const account = this.account(order);
    const { slot } = order;
    const { older, newer } = this.orders;
    older[slot] = account.newestLive;
    newer[slot] = NONE;
    if (account.newestLive === NONE) account.oldestLive = slot;
    else newer[account.newestLive] = slot;
    account.newestLive = slot;
    account.openOrders[order.market] = (account.openOrders[order.market] ?? 0) + 1;
    countUnopened(account, order, 1);
  }

  /** Live orders of an account, oldest first. */
  *liveOrders(account: Account): Generator<Order> {
    const { orders } = this;
    for (let slot = account.oldestLive; slot !== NONE; slot = orders.newer[slot]) yield orders.bySlot(slot);
  }

  /** Live orders of a product, oldest first. `market` null: in all its markets. */
  openOrders(account: number, product: Product, market: number | null): Order[] {
    const found = this.accounts.get(account);
    if (found === undefined) return [];
    const matches = (order: Order) => order.product === product && (market === null || order.market === market);
    return [...this.liveOrders(found)].filter(matches);
  }

  #unlink(order: Order, account: Account): void {
    const { older, newer } = this.orders;
    const { slot } = order;
    const before = older[slot];
    const after = newer[slot];
    if (before === NONE) account.oldestLive = after;
    else newer[before] = after;
    if (after === NONE) account.newestLive = before;
    else older[after] = before;
    older[slot] = NONE;
    newer[slot] = NONE;
    account.openOrders[order.market]--;
    countUnopened(account, order, -1);
  }

  /** Shows `lots` of the order in the book at `ticks`, behind the orders that are there. */
  rest(order: Order, ticks: number, lots: number): void {
    const market = this.market(order);
    if (order.entry !== NONE) throw restsAlready(order);
    this.takeEntry(order, market, market.book.add(order.side, ticks, lots, order.slot));
  }

  /** The order has that new entry in the book of its market. Counts what it may open or close. */
  takeEntry(order: Order, market: Market, entry: number): void {
    order.entry = entry;
    if (market.product === 'futures' && !order.reduceOnly) {
      expose(this.account(order), market, order, order.remaining - order.exposed);
    }
    if (order.reduceOnly) this.positionOf(order)?.reduceOnlyOrders.add(order.key);
  }

  /** The position that a futures order works on, if it exists. */
  positionOf(order: Order): Position | undefined {
    return this.account(order).positionsByMarket[order.market]?.byId(order.positionId);
  }

  /** Takes the order's entry out of the book. The order stays live. */
  withdraw(order: Order): void {
    const { entry } = order;
    if (entry === NONE) return;
    const market = this.market(order);
    if (market.product === 'futures') unexpose(this.account(order), market, order, order.exposed);
    market.book.remove(entry);
    order.entry = NONE;
  }

  /** Takes `lots` off a resting order, which keeps its place. At least one lot must remain. */
  shrink(order: Order, lots: number): void {
    const market = this.market(order);
    unexpose(this.account(order), market, order, lots);
    market.book.reduce(order.entry, lots);
    order.quantity -= lots;
  }

  /** Takes an order out of everything. Only `finish` (finish.ts) calls this. Others call `finish`. */
  end(order: Order, state: OrderState, ending: Ending | null, figures?: Figures): void {
    if (!order.live) throw endedAlready(order);
    this.withdraw(order);
    const market = this.market(order);
    const account = this.account(order);
    market.triggers.unwatch(order);
    market.triggers.unfollow(order);
    this.timers.clear(order);
    if (order.reduceOnly) this.positionOf(order)?.reduceOnlyOrders.delete(order.key);
    this.reserve(order, account, market, 0);
    order.state = state;
    order.ending = ending;
    order.updatedMs = this.nowMs;
    this.#unlink(order, account);
    this.orders.retire(order);
    this.changed(order, 'ended', figures);
  }

  changed(order: Order, change: OrderChanged['change'], figures?: Figures): void {
    this.#fold(order);
    if (this.emit.orderChanged === undefined) return;
    const filled = this.changes.takeFill(order);
    this.emit.orderChanged({
      type: 'orderChanged',
      change,
      key: order.key,
      account: order.account,
      market: order.market,
      state: order.state,
      priceTicks: order.price,
      filledLots: order.filled,
      remainingLots: order.remaining,
      ending: order.ending,
      clientId: order.clientId,
      quantityLots: order.quantity,
      filledCost: order.filledCost,
      triggerTicks: order.trigger?.price ?? 0,
      filledNowLots: filled.lots,
      liquidity: filled.liquidity,
      figures: figures ?? null,
    });
  }

  #fold(order: Order): void {
    this.effects.order(order.key, order.account, order.stateCode, order.filled, order.price);
  }

  /** Records whether an account has a position in a market. Marks and funding concern only these accounts. */
  trackHolder(market: Market, account: Account, flat: boolean): void {
    const holders = this.#holders[market.index];
    if (holders.has(account.index) !== flat) return;
    if (flat) holders.delete(account.index);
    else holders.add(account.index);
    this.margins.trackHolder(market, account, flat);
    this.#sortedHolders[market.index] = null;
  }

  /** The liquidation of an account has found no orders in the book of the market. */
  distress(market: Market, account: number): void {
    market.distressed.add(account);
    this.#distressed.add(market);
  }

  isAnyDistressed(): boolean {
    return this.#distressed.size > 0;
  }

  /** The market with distressed accounts that has the lowest number above `after`. */
  nextDistressed(after: number): Market | null {
    let next: Market | null = null;
    if (this.#distressed.size === 0) return next;
    for (const market of this.#distressed) {
      if (market.distressed.size === 0) this.#distressed.delete(market);
      else if (market.index > after && (next === null || market.index < next.index)) next = market;
    }
    return next;
  }

  /** Called after a change of the market's pending index, or of its halt. */
  noteUnsettled(market: Market): void {
    if (market.pendingIndex !== 0 || market.halted) this.#unsettled.add(market);
    else this.#unsettled.delete(market);
  }

  /** Whether another price than the present one is foreseeable in any market. */
  isPriceForeseen(): boolean {
    if (this.#unsettled.size === 0) return false;
    for (const market of this.#unsettled) if (market.priceForeseen) return true;
    return false;
  }

  /**
   * Numbers of the accounts with a position in the market, ascending. The list does not change while positions open and
   * close.
   */
  holdersOf(market: Market): readonly number[] {
    const sorted = this.#sortedHolders[market.index] ?? [...this.#holders[market.index]].sort((a, b) => a - b);
    this.#sortedHolders[market.index] = sorted;
    return sorted;
  }

  // --- prices -----------------------------------------------------------------------------------------------------

  /**
   * Records a new price. It emits no event for a last price, because `traded` reports trades, and setPrices reports
   * what it sets.
   */
  observe(market: Market, reference: Reference, fine: number): void {
    const previous = market.reference(reference);
    if (reference === 'last') market.last = fine;
    else if (reference === 'mark') {
      market.mark = fine;
      this.movedMarks.push(market);
      this.margins.revalued(market);
    } else market.indexPrice = fine;
    if (this.observed === this.observations.length) {
      this.observations.push({ market, reference, fine, previous });
    } else {
      const seen = this.observations[this.observed];
      seen.market = market;
      seen.reference = reference;
      seen.fine = fine;
      seen.previous = previous;
    }
    this.observed++;
    if (reference !== 'last') {
      this.emit.priceChanged?.({ type: 'priceChanged', market: market.index, reference, fine, previous });
    }
  }

  // --- money ------------------------------------------------------------------------------------------------------

  /** The currency that a spot order pays with. */
  payCurrency(order: Order): number {
    return this.market(order).payCurrency(order.side);
  }

  /** Sets the reserve of a spot order of the account in the market. The caller has checked that an increase is covered. */
  reserve(order: Order, account: Account, market: Market, amount: Money): void {
    const before = order.reserved;
    if (before === amount) return;
    if (amount < 0) throw reservesTooLittle(order, amount);
    const currency = market.payCurrency(order.side);
    this.changes.wallet(account, currency);
    account.addToReserved(currency, minus(amount, before));
    order.reserved = amount;
    if (account.reservesLessThanNothing(currency)) throw accountReservesTooLittle(account, currency, order, before);
  }

  /** Called after money was taken from an account on futures: its spot orders may now reserve more than is left. */
  noteReserve(account: Account, currency: number): void {
    if (!account.hasUnreserved(currency, 0)) this.overReserved.add(account.index);
  }
}

// What the venue cannot do unless it has a bug. The texts are apart, so that V8 inlines what throws them.

function endedAlready({ key, state }: Order): Error {
  return new Error(`order ${key} ended already (${state})`);
}

function restsAlready({ key }: Order): Error {
  return new Error(`order ${key} rests already`);
}

function reservesTooLittle({ key, state }: Order, amount: Money): Error {
  return new Error(`order ${key} (${state}) would reserve ${amount}`);
}

function accountReservesTooLittle(account: Account, currency: number, { key, reserved }: Order, before: Money): Error {
  const change = `after order ${key} reserves ${reserved} in place of ${before}`;
  return new Error(`account ${account.index} reserves ${account.reserved(currency)} of currency ${currency} ${change}`);
}
