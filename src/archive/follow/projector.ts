/**
 * Turns the events of a replica into rows of the archive. The replica applies the log, so its orders and names are
 * available at each event. The rows are `pending` until a transaction has written them.
 *
 * Invariant: while `on`, every event is in the rows exactly once, in order. `state` is as of the last command.
 */

import type { LogPosition } from '../../log/contract/log-source.ts';
import type { Command } from '../../venue/contract/commands.ts';
import { decimalText } from '../../venue/contract/decimal.ts';
import type { EventOf } from '../../venue/contract/events.ts';
import { seqOfKey } from '../../venue/contract/order-id.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import { sideText } from '../../venue/contract/units.ts';
import type { Reply, Venue } from '../../venue/venue.ts';
import { levelStartMs } from '../store/candle-rows.ts';
import { type ClientOrder, linkedClients, productOf } from '../store/client-ids.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import { forgetting, KEEP_ALL, type Kept } from '../store/forgetting.ts';
import type { ArchiveState } from '../store/state.ts';
import type { ArchiveStore, Numbers, RemovedRows, Rows } from '../store/store.ts';
import {
  BEFORE,
  EVENT_ROWS,
  EVENTS,
  endedUnfilledMs,
  isLive,
  orderBehind,
  storedEvents,
  storedOrder,
  storedOrders,
  TRADED,
} from '../store/stored-orders.ts';
import { type Bounds, numberedRows } from '../store/stretches.ts';
import { columnsOf, type Row, toObject, type Value } from '../store/tables.ts';
import { extend, includes, lastCommon, type Timeline, upTo, WHOLE } from '../store/timeline.ts';
import { Candles, type CandleTrade } from './candles.ts';
import { Contexts } from './context.ts';
import { MarketRows } from './market-rows.ts';
import {
  acceptedEvent,
  accountName,
  changedEvent,
  figureTexts,
  type OrderChange,
  type OrderEvent,
  type OrderPlace,
  orderRow,
  placeOf,
  priceText,
  sizeText,
} from './records.ts';

type Traded = EventOf<'traded'>;
const TAKEN = [
  'causeChanged',
  'orderAccepted',
  'orderChanged',
  'childSkipped',
  'traded',
  'balanceChanged',
  'transferred',
  'deleveraged',
  'fundingSet',
  'marketListed',
  'stateReplaced',
] as const;
type Taken = EventOf<(typeof TAKEN)[number]>;
type BalanceChanged = EventOf<'balanceChanged'>;
type Transferred = EventOf<'transferred'>;
type Moved = Pick<BalanceChanged, 'account' | 'currency' | 'amount'>;

/** What a trade says of one of its sides. */
interface TradeSide {
  readonly fee: bigint;
  readonly currency: number;
}

export class Projector {
  /** Off while the venue applies what the archive already has. */
  on = false;
  readonly state: ArchiveState;
  readonly #store: ArchiveStore;
  readonly #keep: Kept;
  readonly #markets: MarketRows;
  readonly #candles: Candles;
  #venue: Venue | undefined;
  #contexts: Contexts | undefined;
  #command: Command | undefined;
  /** What the present command did, by order. */
  #happenings = new Map<number, OrderEvent[]>();
  /** What happened to new orders in the command that accepted them, until they are written. */
  #acceptances = new Map<number, OrderEvent[]>();
  /** Orders with trades since the last transaction. */
  #tradedOrders = new Set<number>();
  /** Live orders as they were at their last event. Their rows are built when they are written. */
  #touched = new Map<number, { readonly order: OrderView; readonly place: OrderPlace }>();
  #orders = new Map<number, Row>();
  /** Orders that got attached orders by the present command. Their rows are shown when it is done. */
  #parents: { account: number; market: number; key: number }[] = [];
  #rows = emptyRows();
  /** The largest key that was written. */
  #writtenOrder: number;
  /** Accounts that were written, and those that were not. */
  readonly #known: ReadonlyMap<string, Numbers>;
  #accounts = new Map<string, Numbers>();
  /** Orders that the rows show as live, in any branch, with their seqs. Built when first needed. */
  #live: Map<number, number> | undefined;
  /** What the accounts of the next trade realised, and the rows that say so. Those events come before the trade. */
  #realised = new Map<number, bigint>();
  #realisedRows: Row[] = [];
  /** While the genesis is applied nothing of the venue can be asked yet: what it says is taken up after. */
  #genesis: Taken[] | undefined;

  constructor(store: ArchiveStore, keep = KEEP_ALL) {
    this.#store = store;
    this.#keep = keep;
    this.state = store.state;
    this.#markets = new MarketRows(store);
    this.#candles = new Candles(store, this.#markets);
    this.#writtenOrder = store.lastOrder;
    this.#known = store.accounts;
  }

  /** The replica whose events are made into rows; to be given before its next command. */
  follow(venue: Venue): void {
    this.#venue = venue;
    this.#contexts = new Contexts(venue);
    venue.listen(Object.fromEntries(TAKEN.map((kind) => [kind, (event: Taken) => this.#take(event)])));
  }

  /** The replica was loaded from a state that the archive knows nothing of. Its markets and live orders are added. */
  begin(seq: number, position: LogPosition | null): void {
    Object.assign(this.state, { seq, position, firstSeq: seq + 1 });
    for (const { index } of this.#replica().markets) this.#listed(index);
    for (const order of this.#liveOrders().sort((a, b) => a.key - b.key)) this.#accepted(order);
  }

  /** How the replica applies a command. */
  readonly apply = (venue: Venue, seq: number, timeMs: number, command: Command): Reply => {
    this.#command = command;
    this.#contexts?.begin(command);
    this.#genesis = command.type === 'genesis' ? [] : undefined;
    const reply = venue.apply(seq, timeMs, command);
    const said = this.#genesis;
    this.#genesis = undefined;
    for (const event of said ?? []) this.#take(event);
    if (this.#happenings.size > 0) this.#closeCommand(seq);
    if (this.on && command.type === 'saveSnapshot' && reply.refusal === null) this.#saved(seq, command.name);
    return reply;
  };

  /** The number of rows that wait for a transaction. */
  get pending(): number {
    return this.#acceptances.size + this.#rows.order_events.length + this.#rows.movements.length;
  }

  /** Writes the pending rows, as of the end of the last command. Throws as the store does. Then they stay pending. */
  write(end: Pick<ArchiveState, 'seq' | 'position'>): void {
    Object.assign(this.state, end);
    for (const { order, place } of this.#touched.values())
      this.#show(this.#order(order.account, order.market, order.key) ?? order, place);
    this.state.forgottenMs = Math.max(this.state.forgottenMs, this.#replica().timeMs - this.#keep.forMs);
    const { orders, inserted, named, unfilled, filled } = this.#linkedOrders();
    const [clientIds, lastClientOrder] = linkedClients(this.#store, named);
    const accounts = [...this.#accounts].map(([name, { account, trades, moves }]) => [account, name, trades, moves]);
    const [markets, candles] = [this.#markets.changed, this.#candles.changed];
    const rows: Partial<Rows> = { ...this.#rows, orders, client_ids: clientIds, unfilled, accounts, markets, candles };
    const counts = {
      orders: this.state.orders + inserted,
      client_ids: this.state.client_ids + named.length,
      unfilled: this.state.unfilled + unfilled.length - filled.length,
    };
    const idKey = this.#replica().genesis?.idKey;
    const written = { ...this.state, ...counts, lastClientOrder, ...(idKey !== undefined && { idKey }) };
    this.#store.write(rows, written, [...filled, ...this.#candles.removed]);
    Object.assign(this.state, written);
    this.#writtenOrder = this.state.lastOrder;
    this.#orders = new Map();
    this.#acceptances = new Map();
    this.#tradedOrders = new Set();
    this.#accounts = new Map();
    this.#rows = emptyRows();
    this.#markets.written();
    this.#candles.written();
  }

  /**
   * The rows of `orders` to write, each with the order before it and the number of its events. `inserted`: how many of
   * them are older than written orders, because they come from a saved state older than the archive. `named`: those that
   * were not written before and have a client id. `unfilled`, `filled`: those that may be forgotten from now on, and
   * those that may be no longer.
   */
  #linkedOrders(): {
    orders: Row[];
    inserted: number;
    named: ClientOrder[];
    unfilled: Row[];
    filled: RemovedRows[];
  } {
    const events = new Map<number, number>();
    for (const [key] of this.#rows.order_events) events.set(key as number, (events.get(key as number) ?? 0) + 1);
    const keys = [...new Set([...this.#orders.keys(), ...events.keys()])].sort((a, b) => a - b);
    const linked = new Map<number, Row>();
    let last = this.#writtenOrder;
    let inserted = 0;
    const named: ClientOrder[] = [];
    const unfilled: Row[] = [];
    const filled: RemovedRows[] = [];
    for (const key of keys) {
      const isNew = key > this.#writtenOrder;
      const stored = isNew ? undefined : (linked.get(key) ?? storedOrder(this.#store, key));
      const shown = this.#orders.get(key) ?? stored;
      if (shown === undefined) throw new ArchiveDamaged(`the order ${key} is missing`);
      const counted = ((stored?.[EVENT_ROWS] as number | undefined) ?? 0) + (events.get(key) ?? 0);
      let before = isNew ? last : (stored?.[BEFORE] as number | undefined);
      if (before === undefined) {
        before = this.#linkBehind(key, linked);
        inserted += 1;
      }
      if (isNew) last = key;
      const accepted = this.#acceptances.get(key) ?? stored?.[EVENTS] ?? null;
      const traded = Number(stored?.[TRADED] === 1 || this.#tradedOrders.has(key));
      const row = [...shown.slice(0, EVENTS), accepted, traded, before, counted];
      linked.set(key, row);
      const [was, is] = [stored && endedUnfilledMs(stored), endedUnfilledMs(row)];
      if (was !== undefined && was !== is) filled.push({ table: 'unfilled', key: [was, key] });
      if (is !== undefined && was !== is) unfilled.push([is, key]);
      if (stored === undefined && shown[CLIENT] !== null) named.push(this.#clientOrderOf(shown));
    }
    return { orders: [...linked.values()], inserted, named, unfilled, filled };
  }

  /** Makes the order after `key` name it as the one before. Returns the key that it named. */
  #linkBehind(key: number, linked: Map<number, Row>): number {
    const stored = orderBehind(this.#store, key);
    if (stored === undefined) throw new ArchiveDamaged(`the order after ${key} is missing`);
    const behind = linked.get(stored[0] as number) ?? stored;
    linked.set(behind[0] as number, behind.with(BEFORE, key));
    return behind[BEFORE] as number;
  }

  /** Removes some forgotten orders, if nothing waits for a transaction. True: there may be more. Throws as the store does. */
  forget(): boolean {
    if (this.pending > 0) return true;
    const next = forgetting(this.#store, this.state, this.#keep);
    if (next === undefined) return false;
    this.#store.write(next.rows, next.state, next.removed);
    Object.assign(this.state, next.state);
    this.#writtenOrder = this.state.lastOrder;
    return true;
  }

  #replica(): Venue {
    if (this.#venue === undefined) throw new Error('an event without a venue');
    return this.#venue;
  }

  #take(event: Taken): void {
    if (!this.on) return;
    if (this.#genesis !== undefined) {
      this.#genesis.push(event);
      return;
    }
    const venue = this.#replica();
    switch (event.type) {
      case 'causeChanged':
        this.#contexts?.caused(event.cause);
        break;
      case 'orderAccepted':
        this.#happenedTo(event.order, acceptedEvent(venue, event.order, venue.timeMs));
        this.#accepted(event.order);
        break;
      case 'orderChanged':
        this.#happenedTo(event, changedEvent(venue, event, venue.timeMs));
        this.#changed(this.#order(event.account, event.market, event.key));
        break;
      case 'childSkipped': {
        const figures = figureTexts(venue, venue.markets[event.market], event.figures);
        this.#happenedTo(event, { type: 'skipped', time: venue.timeMs, figures });
        break;
      }
      case 'traded':
        this.#traded(event);
        break;
      case 'balanceChanged':
        this.#moved(event);
        break;
      case 'transferred':
        this.#transferred(event);
        break;
      case 'deleveraged': {
        const market = venue.markets[event.market];
        const [size, value] = [sizeText(market, event.sizeLots), market.quoteText(event.notional)];
        this.#happened(event.bankruptKey, { type: 'deleveraged', time: venue.timeMs, size, value });
        for (const row of this.#realisedRows) row[REASON] = 'autoDeleveraging';
        this.#realisedWasTraded();
        break;
      }
      case 'fundingSet':
        this.#funded(venue.markets[event.market].symbol, event.rateParts);
        break;
      case 'marketListed':
        this.#listed(event.market);
        break;
      case 'stateReplaced':
        this.#replaced();
        break;
    }
  }

  #order(account: number, market: number, key: number): OrderView | undefined {
    return this.#replica().order(account, this.#replica().markets[market].product, key);
  }

  #accepted(order: OrderView): void {
    this.#accountOf(accountName(this.#replica(), order.account));
    this.state.lastOrder = Math.max(this.state.lastOrder, order.key);
    this.state.orders += 1;
    this.#touch(order);
    const parent = order.details?.terms.parent;
    if (typeof parent !== 'object' || parent === null || !('order' in parent) || parent.order === null) return;
    this.#parents.push({ account: order.account, market: order.market, key: parent.order });
  }

  /** An ended order is written at once, because the venue may drop it at any time. */
  #changed(order: OrderView | undefined): void {
    if (order === undefined) return;
    if (order.live) this.#touch(order);
    else this.#show(order);
  }

  #touch(order: OrderView): void {
    this.#touched.set(order.key, { order, place: placeOf(this.#replica(), order) });
  }

  #show(order: OrderView, place = placeOf(this.#replica(), order)): void {
    this.#touched.delete(order.key);
    this.#put(order.key, orderRow(this.#replica(), order, place));
  }

  #put(key: number, row: Row): void {
    this.#orders.set(key, row);
    if (isLive(row)) this.#live?.set(key, row[SEQ] as number);
    else this.#live?.delete(key);
  }

  #happenedTo({ key, account, market }: Pick<OrderView, 'key' | 'account' | 'market'>, event: OrderEvent): void {
    const context = this.#contexts?.of(key, account, this.#replica().markets[market]);
    this.#happened(key, { ...event, ...context });
  }

  #happened(key: number, event: OrderEvent): void {
    const others = this.#happenings.get(key);
    if (others === undefined) this.#happenings.set(key, [event]);
    else others.push(event);
  }

  #closeCommand(seq: number): void {
    for (const [key, events] of this.#happenings) {
      if (events[0].type === 'accepted' && seqOfKey(key) === seq) {
        this.#acceptances.set(key, events);
        continue;
      }
      this.state.order_events += 1;
      this.#rows.order_events.push([key, seq, events]);
    }
    this.#happenings = new Map();
    for (const { account, market, key } of this.#parents) this.#changed(this.#order(account, market, key));
    this.#parents = [];
  }

  #moved(event: BalanceChanged): void {
    const { account, amount, reason, market } = event;
    if (amount === 0n) return;
    const venue = this.#replica();
    const symbol = market < 0 ? null : venue.markets[market].symbol;
    const row = this.#movement(event, reason, symbol, walletOf(venue, event));
    if (reason !== 'realised') return;
    this.#realised.set(account, (this.#realised.get(account) ?? 0n) + amount);
    this.#realisedRows.push(row);
  }

  #transferred(event: Transferred): void {
    const { amount, from, to } = event;
    this.#movement({ ...event, amount: -amount }, 'transferOut', null, from.toUpperCase());
    this.#movement(event, 'transferIn', null, to.toUpperCase());
  }

  #movement({ account, currency, amount }: Moved, reason: string, market: string | null, wallet: string): Row {
    const venue = this.#replica();
    const { code, decimals } = venue.currencies[currency];
    const name = accountName(venue, account);
    const [n, when] = [this.#nextN(), [venue.seq, venue.timeMs]];
    const row = [n, ...when, name, code, decimalText(amount, decimals), reason, market, wallet];
    this.#rows.movements.push(row);
    this.state.movements += 1;
    this.#rows.moves.push([...this.#next('moves', name), n, ...when]);
    this.state.moves += 1;
    return row;
  }

  /** What was realised belongs to the trade that has come. */
  #realisedWasTraded(): void {
    this.#realised.clear();
    this.#realisedRows = [];
  }

  #nextN(): number {
    this.state.lastN += 1;
    return this.state.lastN;
  }

  #traded(event: Traded): void {
    const venue = this.#replica();
    const market = venue.markets[event.market];
    const value = market.notional(event.priceTicks, event.sizeLots);
    const [price, size] = [priceText(market, event.priceTicks), sizeText(market, event.sizeLots)];
    const side = (role: 'maker' | 'taker', key: number, account: number, of: TradeSide): Value[] => {
      const { code, decimals } = venue.currencies[of.currency];
      const fee = decimalText(of.fee, decimals);
      const { tradeId } = event;
      const realised = market.product === 'spot' ? null : market.quoteText(this.#realised.get(account) ?? 0n);
      const happened = { type: 'traded', time: venue.timeMs, tradeId, role, price, size, fee, feeCurrency: code };
      this.#happened(key, realised === null || realised === '0' ? happened : { ...happened, realised });
      this.#tradedOrders.add(key);
      const name = accountName(venue, account);
      const trade = [n, venue.seq, venue.timeMs, market.symbol, tradeId, role, key];
      this.#rows.trades.push([...this.#next('trades', name), ...trade]);
      this.state.trades += 1;
      return [name, venue.orderIds.encode(key), fee, code, realised];
    };
    const n = this.#nextN();
    const maker = side('maker', event.makerKey, event.makerAccount, {
      fee: event.makerFee,
      currency: event.makerFeeCurrency,
    });
    const taker = side('taker', event.takerKey, event.takerAccount, {
      fee: event.takerFee,
      currency: event.takerFeeCurrency,
    });
    const place = [n, venue.seq, venue.timeMs, event.tradeId, market.symbol];
    const trade = [price, size, market.quoteText(value), sideText(event.takerSide)];
    this.#rows.fills.push([...place, ...trade, ...maker, ...taker, Number(event.liquidation)]);
    this.state.fills += 1;
    if (event.liquidation) {
      const liquidated = accountName(venue, event.takerAccount);
      for (const row of this.#realisedRows) if (row[ACCOUNT] === liquidated) row[REASON] = 'liquidation';
    }
    this.#realisedWasTraded();
    this.#tradedInMarket(market.symbol, n, event);
  }

  #tradedInMarket(symbol: string, n: number, { tradeId, priceTicks, sizeLots, takerSide }: Traded): void {
    const { seq, timeMs } = this.#replica();
    const place = [symbol, this.#markets.next('trades', symbol), n, seq, timeMs];
    this.#rows.market_trades.push([...place, tradeId, priceTicks, sizeLots, sideText(takerSide)]);
    this.state.market_trades += 1;
    this.#candles.add(symbol, { timeMs, priceTicks, sizeLots });
  }

  #funded(symbol: string, rateParts: number): void {
    const { seq, timeMs } = this.#replica();
    this.#rows.funding.push([symbol, this.#markets.next('rates', symbol), seq, timeMs, rateParts]);
    this.state.funding += 1;
  }

  /** The account's number, and the number of its next trade or movement. */
  #next(what: 'trades' | 'moves', name: string): [account: number, number: number] {
    const { account, trades, moves } = this.#accountOf(name);
    const next = { account, trades, moves, [what]: { trades, moves }[what] + 1 };
    this.#accounts.set(name, next);
    return [account, next[what]];
  }

  /** The numbers of an account, which it gets when it first appears. */
  #accountOf(name: string): Numbers {
    const known = this.#accounts.get(name) ?? this.#known.get(name);
    if (known !== undefined) return known;
    this.state.accounts += 1;
    const numbers = { account: this.state.accounts, trades: 0, moves: 0 };
    this.#accounts.set(name, numbers);
    return numbers;
  }

  #clientOrderOf(row: Row): ClientOrder {
    const { account: name, ...order } = toObject('orders', row);
    const { account } = this.#accountOf(name as string);
    const { clientId, orderKey, seq } = order;
    return { account, product: productOf(order), clientId, orderKey, seq } as ClientOrder;
  }

  #listed(index: number): void {
    this.#markets.list(this.#replica().markets[index].spec);
  }

  #saved(seq: number, name: string): void {
    this.state.saved[name] = upTo(this.state.lineage, seq);
  }

  /** Another state was restored: everything since is a branch that was left, and live orders are as they were then. */
  #replaced(): void {
    const venue = this.#replica();
    const { state } = this;
    for (const { order, place } of this.#touched.values()) this.#show(order, place);
    const name = this.#command?.type === 'restoreSnapshot' ? this.#command.name : undefined;
    const before = state.lineage;
    const saved = name === undefined ? upTo(WHOLE, 1) : (state.saved[name] ?? []);
    state.lineage = extend(saved, venue.seq);
    for (const order of this.#liveOrders()) this.#touch(order);
    for (const row of this.#shownLive()) this.#showEnded(row);
    for (const symbol of this.#markets.symbols) this.#replaceCandles(symbol, before, state.lineage);
  }

  /** Candles from the first trade on that counts in only one of both timelines. */
  #replaceCandles(symbol: string, left: Timeline, entered: Timeline): void {
    const unwritten = this.#rows.market_trades.filter(([market]) => market === symbol);
    const since = lastCommon(left, entered) + 1;
    const times = [left, entered].flatMap((timeline) => {
      const [first] = this.#marketTrades(symbol, unwritten, timeline, ['seq', since, Number.POSITIVE_INFINITY]);
      return first === undefined ? [] : [first.timeMs];
    });
    if (times.length === 0) return;
    // From the beginning of the minute: it may have trades that both have.
    const fromMs = levelStartMs(1, Math.min(...times));
    const counted = this.#marketTrades(symbol, unwritten, entered, ['timeMs', fromMs, Number.POSITIVE_INFINITY]);
    this.#candles.replaced(symbol, fromMs, counted);
  }

  /** The trades of a market in a timeline, oldest first, written or not. */
  *#marketTrades(
    symbol: string,
    unwritten: readonly Row[],
    timeline: Timeline,
    bounds: Bounds,
  ): Generator<CandleTrade> {
    const rows = this.#markets.writtenTrades(symbol);
    const query = { table: 'market_trades', key: [symbol], rows, bounds: [bounds], oldestFirst: true } as const;
    for (const row of numberedRows(this.#store, query, timeline)) yield candleTradeOf(toObject('market_trades', row));
    const [column, least] = bounds;
    for (const row of unwritten) {
      const trade = toObject('market_trades', row);
      if (includes(timeline, trade.seq as number) && (trade[column] as number) >= least) yield candleTradeOf(trade);
    }
  }

  #liveOrders(): OrderView[] {
    const venue = this.#replica();
    return venue
      .accountNumbers()
      .flatMap((index) => (['spot', 'futures'] as const).flatMap((product) => venue.openOrders(index, product, null)));
  }

  /** Orders of the present timeline that the archive shows as live although they are not. */
  #shownLive(): Record<string, Value>[] {
    if (this.#live === undefined) {
      this.#live = new Map();
      for (const row of storedOrders(this.#store)) {
        if (isLive(row)) this.#live.set(row[0] as number, row[SEQ] as number);
      }
      for (const [key, row] of this.#orders) this.#put(key, row);
    }
    const timeline = this.state.lineage;
    return [...this.#live]
      .filter(([key, seq]) => includes(timeline, seq) && !this.#touched.has(key))
      .map(([key]) => toObject('orders', this.#orders.get(key) ?? this.#store.known('orders', key)));
  }

  /** An order that had ended when the present state was saved, and was live in the branch that was left. */
  #showEnded(row: Record<string, Value>): void {
    const key = row.orderKey as number;
    const account = this.#replica().accountByName(row.account as string);
    const market = this.#replica().marketBySymbol(row.market as string);
    const order = account && market && this.#replica().order(account.index, market.product, key);
    if (order !== undefined) this.#show(order);
    else this.#showAsItEnded(key, row);
  }

  /** The venue has dropped it, but the archive knows how it ended. */
  #showAsItEnded(key: number, row: Record<string, Value>): void {
    const pending = this.#rows.order_events.filter(([of]) => of === key);
    const timeline = this.state.lineage;
    const stored = key > this.#writtenOrder ? undefined : storedOrder(this.#store, key);
    const written = stored === undefined ? [] : storedEvents(this.#store, stored);
    const accepted = this.#acceptances.get(key) ?? stored?.[EVENTS] ?? null;
    const first: Row[] = accepted === null ? [] : [[key, row.seq, accepted]];
    const ended = [...first, ...written, ...pending]
      .filter(([, seq]) => includes(timeline, seq as number))
      .flatMap(([, , events]) => events as unknown as OrderChange[])
      .findLast(({ type }) => type === 'ended');
    if (ended === undefined) return;
    const { state, filled: filledSize, remaining: remainingSize, reason = null, time: updatedMs } = ended;
    const shown: Record<string, Value> = { ...row, state, filledSize, remainingSize, reason, updatedMs };
    this.#put(
      key,
      columnsOf('orders').map((name) => shown[name]),
    );
  }
}

function candleTradeOf({ timeMs, priceTicks, sizeLots }: Record<string, Value>): CandleTrade {
  return { timeMs: timeMs as number, priceTicks: priceTicks as number, sizeLots: sizeLots as number };
}

/** The wallet of a movement, by the mode of its position. Deposits and withdrawals are of the spot wallet. */
function walletOf(venue: Venue, { account, market, reason }: BalanceChanged): string {
  if (reason === 'deposit' || reason === 'withdrawal') return 'SPOT';
  if (market < 0) return 'CROSS';
  return venue.settings(account, venue.markets[market]).mode === 'ISOLATED' ? 'ISOLATED' : 'CROSS';
}

type RowsOfEvents = 'order_events' | 'fills' | 'movements' | 'moves' | 'trades' | 'market_trades' | 'funding';

function emptyRows(): { [name in RowsOfEvents]: Row[] } {
  return { order_events: [], fills: [], movements: [], moves: [], trades: [], market_trades: [], funding: [] };
}

const [ACCOUNT, REASON] = ['account', 'reason'].map((name) => columnsOf('movements').indexOf(name));

const [SEQ, CLIENT] = ['seq', 'clientId'].map((name) => columnsOf('orders').indexOf(name));
