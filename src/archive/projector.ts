/**
 * Makes rows of the archive from the events of a venue that folds the log: a replica, whose orders and names are at hand
 * when an event comes. What it makes is `pending` until a transaction has taken it.
 *
 * Invariant: while `on`, every event is in the rows exactly once, in order; `state` is as of the last command.
 */
import type { LogPosition } from '../log/log-source.ts';
import type { Command } from '../venue/commands.ts';
import type { VenueEvent } from '../venue/events.ts';
import { feesInQuote } from '../venue/matching.ts';
import type { Order } from '../venue/orders.ts';
import { decimalText } from '../venue/quantity.ts';
import { type Reply, Venue } from '../venue/venue.ts';
import { Candles } from './candles.ts';
import { goOn, includes, upTo, WHOLE } from './lineage.ts';
import {
  acceptedEvent,
  accountName,
  changedEvent,
  type OrderChange,
  orderRow,
  priceText,
  sideText,
  sizeText,
} from './records.ts';
import type { ArchiveState, ArchiveStore, Rows } from './store.ts';
import { columnsOf, type Row, toObject, type Value } from './tables.ts';

type Traded = Extract<VenueEvent, { type: 'traded' }>;
type BalanceChanged = Extract<VenueEvent, { type: 'balanceChanged' }>;

export class Projector {
  /** Off while the venue folds what the archive has already. */
  on = false;
  readonly state: ArchiveState;
  readonly #store: ArchiveStore;
  readonly #candles: Candles;
  #venue: Venue | undefined;
  #command: Command | undefined;
  /** What the command in hand did, by order. */
  #happenings = new Map<number, object[]>();
  /** Live orders whose rows are made when they are written: the venue holds them until then. */
  #touched = new Map<number, Order>();
  #orders = new Map<number, Row>();
  #rows = emptyRows();
  /** What the accounts of the next trade realised by it; they say so before it. */
  #realised = new Map<number, bigint>();
  /** While the genesis is applied nothing of the venue can be asked yet: what it says is taken up after. */
  #genesis: VenueEvent[] | undefined;

  constructor(store: ArchiveStore) {
    this.#store = store;
    this.state = store.state;
    this.#candles = new Candles(store);
  }

  /** How the replica is made; to be made before the first command. */
  readonly make = {
    fresh: (): Venue => this.#adopt(new Venue((event) => this.#take(event))),
    load: (text: string): Venue => this.#adopt(Venue.load(text, (event) => this.#take(event))),
  };

  /** The replica was loaded from a state that the archive has nothing of: its markets and live orders are there from now on. */
  begin(seq: number, position: LogPosition | null): void {
    Object.assign(this.state, { seq, position, firstSeq: seq + 1 });
    for (const { index } of this.#replica.markets) this.#listed(index);
    for (const order of this.#liveOrders().sort((a, b) => a.key - b.key)) this.#accepted(order);
  }

  /** How the replica applies a command. */
  readonly apply = (venue: Venue, seq: number, timeMs: number, command: Command): Reply => {
    this.#command = command;
    this.#genesis = command.type === 'genesis' ? [] : undefined;
    const reply = venue.apply(seq, timeMs, command);
    const said = this.#genesis;
    this.#genesis = undefined;
    for (const event of said ?? []) this.#take(event);
    if (this.#happenings.size > 0) this.#closeCommand(seq);
    if (this.on && command.type === 'saveSnapshot' && reply.refusal === null) this.#saved(seq, command.name);
    return reply;
  };

  /** How many rows wait for a transaction. */
  get pending(): number {
    return this.#rows.order_events.length + this.#rows.movements.length;
  }

  /** Writes what is pending, as of the end of the last command. Throws as the store does: then it is pending still. */
  write(end: Pick<ArchiveState, 'seq' | 'position'>): void {
    Object.assign(this.state, end);
    this.#showTouched();
    const rows: Partial<Rows> = { ...this.#rows, orders: [...this.#orders.values()], candles: this.#candles.changed };
    this.#store.write(rows, this.state, this.#candles.removedFrom);
    this.#orders = new Map();
    this.#rows = emptyRows();
    this.#candles.written();
  }

  #adopt(venue: Venue): Venue {
    this.#venue = venue;
    return venue;
  }

  get #replica(): Venue {
    if (this.#venue === undefined) throw new Error('an event without a venue');
    return this.#venue;
  }

  #take(event: VenueEvent): void {
    if (!this.on) return;
    if (this.#genesis !== undefined) {
      this.#genesis.push(event);
      return;
    }
    const venue = this.#replica;
    switch (event.type) {
      case 'orderAccepted':
        this.#happened(event.order.key, acceptedEvent(venue, event.order, venue.timeMs));
        this.#accepted(event.order);
        break;
      case 'orderChanged':
        this.#happened(event.key, changedEvent(venue, event, venue.timeMs));
        this.#changed(this.#order(event.account, event.market, event.key));
        break;
      case 'traded':
        this.#traded(event);
        break;
      case 'balanceChanged':
        this.#moved(event);
        break;
      case 'deleveraged': {
        const market = venue.markets[event.market];
        const [size, value] = [sizeText(market, event.sizeLots), market.quoteText(event.notional)];
        this.#happened(event.bankruptKey, { type: 'deleveraged', time: venue.timeMs, size, value });
        this.#realised.clear();
        break;
      }
      case 'marketListed':
        this.#listed(event.market);
        break;
      case 'stateReplaced':
        this.#replaced();
        break;
    }
  }

  #order(account: number, market: number, key: number): Order | undefined {
    return this.#replica.order(account, this.#replica.markets[market].product, key);
  }

  #accepted(order: Order): void {
    this.state.lastOrder = order.key;
    this.state.orders += 1;
    this.#touched.set(order.key, order);
  }

  /** An ended order is shown at once: the venue may let go of it any time. */
  #changed(order: Order | undefined): void {
    if (order === undefined) return;
    if (order.live) this.#touched.set(order.key, order);
    else this.#show(order);
  }

  #show(order: Order): void {
    this.#touched.delete(order.key);
    this.#orders.set(order.key, orderRow(this.#replica, order));
  }

  #showTouched(): void {
    for (const order of this.#touched.values()) this.#show(order);
  }

  #happened(key: number, event: object): void {
    const others = this.#happenings.get(key);
    if (others === undefined) this.#happenings.set(key, [event]);
    else others.push(event);
  }

  #closeCommand(seq: number): void {
    for (const [key, events] of this.#happenings) {
      this.state.order_events += 1;
      this.#rows.order_events.push([key, seq, JSON.stringify(events)]);
    }
    this.#happenings = new Map();
  }

  #moved({ account, currency, amount, reason, market }: BalanceChanged): void {
    if (amount === 0n) return;
    const venue = this.#replica;
    const { code, decimals } = venue.currencies[currency];
    const symbol = market < 0 ? null : venue.markets[market].symbol;
    const place = [this.#nextN(), venue.seq, venue.timeMs, accountName(venue, account)];
    this.#rows.movements.push([...place, code, decimalText(amount, decimals), reason, symbol]);
    this.state.movements += 1;
    if (reason === 'realised') this.#realised.set(account, (this.#realised.get(account) ?? 0n) + amount);
  }

  #nextN(): number {
    this.state.lastN += 1;
    return this.state.lastN;
  }

  #traded(event: Traded): void {
    const venue = this.#replica;
    const market = venue.markets[event.market];
    const value = market.notional(event.priceTicks, event.sizeLots);
    const [price, size] = [priceText(market, event.priceTicks), sizeText(market, event.sizeLots)];
    const makerSide = event.takerSide === 0 ? 1 : 0;
    const side = (role: 'maker' | 'taker', key: number, account: number, of: 0 | 1, units: bigint): Value[] => {
      const { code, decimals } = venue.currencies[this.#feeCurrency(event.market, of)];
      const fee = decimalText(units, decimals);
      const { tradeId } = event;
      this.#happened(key, {
        type: 'traded',
        time: venue.timeMs,
        tradeId,
        role,
        price,
        size,
        fee,
        feeCurrency: code,
      });
      this.#changed(this.#order(account, event.market, key));
      const realised = market.product === 'spot' ? null : market.quoteText(this.#realised.get(account) ?? 0n);
      return [accountName(venue, account), venue.orderIds.encode(key), fee, code, realised];
    };
    const maker = side('maker', event.makerKey, event.makerAccount, makerSide, event.makerFee);
    const taker = side('taker', event.takerKey, event.takerAccount, event.takerSide, event.takerFee);
    const place = [this.#nextN(), venue.seq, venue.timeMs, event.tradeId, market.symbol];
    const trade = [price, size, market.quoteText(value), sideText(event.takerSide)];
    const order = this.#order(event.takerAccount, event.market, event.takerKey);
    const liquidation = Number(order !== undefined && order.liquidation !== null);
    this.#rows.fills.push([...place, ...trade, ...maker, ...taker, liquidation]);
    this.state.fills += 1;
    this.#realised.clear();
    this.#candles.add(market, venue.timeMs, event.priceTicks, event.sizeLots, value);
  }

  #feeCurrency(index: number, side: 0 | 1): number {
    const market = this.#replica.markets[index];
    const { feeFrom } = this.#replica.genesis?.config ?? { feeFrom: 'received' };
    return feesInQuote(market, side, feeFrom) ? market.quote : market.base;
  }

  #listed(index: number): void {
    const { kind, base, quote, tick, step, contractSize, symbol } = this.#replica.markets[index].spec;
    this.#rows.markets.push([symbol, kind, base, quote, tick, step, contractSize]);
  }

  #saved(seq: number, name: string): void {
    this.state.saved[name] = { lineage: upTo(this.state.lineage, seq), n: this.state.lastN };
  }

  /** Another state stands now: what was since is a branch that was left, and what lives is as it was then. */
  #replaced(): void {
    const venue = this.#replica;
    const { state } = this;
    this.#showTouched();
    const name = this.#command?.type === 'restoreSnapshot' ? this.#command.name : undefined;
    const began = { lineage: upTo(WHOLE, 1), n: 0 };
    const saved = name === undefined ? began : (state.saved[name] ?? { lineage: [], n: state.lastN });
    state.lineage = goOn(saved.lineage, venue.seq);
    for (const order of this.#liveOrders()) this.#touched.set(order.key, order);
    for (const row of this.#shownLive()) this.#showEnded(row);
    this.#candles.replaced(this.#rows.fills, saved.n, venue.markets, (seq) => includes(state.lineage, seq));
  }

  #liveOrders(): Order[] {
    const venue = this.#replica;
    return [...venue.accounts.keys()].flatMap((index) =>
      (['spot', 'futures'] as const).flatMap((product) => venue.openOrders(index, product, null)),
    );
  }

  /** Orders of the present lineage that the archive shows as live, and that do not live. */
  #shownLive(): Record<string, Value>[] {
    const stored = [...this.#store.rows('orders', `state IN ('${LIVE.join("', '")}')`)];
    const rows = stored.filter(([key]) => !this.#orders.has(key as number)).concat([...this.#orders.values()]);
    const { lineage } = this.state;
    return rows
      .map((row) => toObject('orders', row))
      .filter(({ orderKey, seq, state }) => {
        return LIVE.includes(state) && includes(lineage, seq as number) && !this.#touched.has(orderKey as number);
      });
  }

  /** An order that had ended when the present state was saved, and was live in the branch that was left. */
  #showEnded(row: Record<string, Value>): void {
    const key = row.orderKey as number;
    const account = this.#replica.accountByName(row.account as string);
    const market = this.#replica.marketBySymbol(row.market as string);
    const held = account && market && this.#replica.order(account.index, market.product, key);
    if (held !== undefined) this.#show(held);
    else this.#showAsItEnded(key, row);
  }

  /** The venue has let go of it: the archive knows how it ended. */
  #showAsItEnded(key: number, row: Record<string, Value>): void {
    const pending = this.#rows.order_events.filter(([of]) => of === key);
    const { lineage } = this.state;
    const ended = [...this.#store.rows('order_events', 'orderKey = ? ORDER BY seq', key), ...pending]
      .filter(([, seq]) => includes(lineage, seq as number))
      .flatMap(([, , events]) => JSON.parse(events as string) as OrderChange[])
      .findLast(({ type }) => type === 'ended');
    if (ended === undefined) return;
    const { state, filled: filledSize, remaining: remainingSize, reason = null, time: updatedMs } = ended;
    const shown: Record<string, Value> = { ...row, state, filledSize, remainingSize, reason, updatedMs };
    this.#orders.set(
      key,
      columnsOf('orders').map((name) => shown[name]),
    );
  }
}

function emptyRows(): { [name in 'markets' | 'order_events' | 'fills' | 'movements']: Row[] } {
  return { markets: [], order_events: [], fills: [], movements: [] };
}

const LIVE: readonly Value[] = ['working', 'waiting'];
