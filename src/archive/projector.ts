/**
 * Makes rows of the archive from the events of a venue that folds the log: a replica, whose orders and names are at hand
 * when an event comes. What it makes is `pending` until a transaction has taken it.
 *
 * Invariant: while `on`, every event is in the rows exactly once, in order; `state` is as of the last command.
 */
import type { Command } from '../venue/commands.ts';
import type { VenueEvent } from '../venue/events.ts';
import { feesInQuote } from '../venue/matching.ts';
import type { Order } from '../venue/orders.ts';
import { decimalText } from '../venue/quantity.ts';
import { type Reply, Venue } from '../venue/venue.ts';
import { Candles } from './candles.ts';
import { goOn, includes, upTo, WHOLE } from './lineage.ts';
import { acceptedData, accountName, changedData, orderRow, sideText } from './records.ts';
import type { ArchiveState, ArchiveStore, Rows } from './store.ts';
import { columnsOf, type Row, toObject, type Value } from './tables.ts';

type Traded = Extract<VenueEvent, { type: 'traded' }>;

/** One side of a trade. */
interface Party {
  readonly role: 'maker' | 'taker';
  readonly key: number;
  readonly account: number;
  readonly side: 0 | 1;
  readonly fee: bigint;
  readonly order: Order | undefined;
}

export class Projector {
  /** Off while the venue folds what the archive has already. */
  on = false;
  readonly state: ArchiveState;
  readonly #store: ArchiveStore;
  readonly #candles: Candles;
  #venue: Venue | undefined;
  #command: Command | undefined;
  #orders = new Map<number, Row>();
  #rows = { markets: [] as Row[], order_events: [] as Row[], fills: [] as Row[], ledger: [] as Row[] };
  /** While the genesis is applied nothing of the venue can be asked yet: what it says is taken up after. */
  #genesis: VenueEvent[] | undefined;

  constructor(store: ArchiveStore) {
    this.#store = store;
    this.state = store.state;
    this.#candles = new Candles(store);
  }

  /** The replica; to be set before the first command. */
  readonly make = {
    fresh: (): Venue => this.#adopt(new Venue((event) => this.#take(event))),
    load: (text: string): Venue => this.#adopt(Venue.load(text, (event) => this.#take(event))),
  };

  /** How the replica applies a command. */
  readonly apply = (venue: Venue, seq: number, timeMs: number, command: Command): Reply => {
    this.#command = command;
    this.#genesis = command.type === 'genesis' ? [] : undefined;
    const reply = venue.apply(seq, timeMs, command);
    const said = this.#genesis;
    this.#genesis = undefined;
    for (const event of said ?? []) this.#take(event);
    if (this.on && command.type === 'saveSnapshot' && reply.refusal === null) this.#saved(seq, command.name);
    return reply;
  };

  /** How many rows wait for a transaction. */
  get pending(): number {
    const { order_events, ledger } = this.#rows;
    return order_events.length + ledger.length;
  }

  /** Writes what is pending, as of the end of the last command. Throws as the store does: then it is pending still. */
  write(end: Pick<ArchiveState, 'seq' | 'position'>): void {
    Object.assign(this.state, end);
    const rows: Partial<Rows> = { ...this.#rows, orders: [...this.#orders.values()], candles: this.#candles.changed };
    this.#store.write(rows, this.state, this.#candles.removedFrom);
    this.#orders = new Map();
    this.#rows = { markets: [], order_events: [], fills: [], ledger: [] };
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
    switch (event.type) {
      case 'orderAccepted':
        this.#happened(event.order.key, 'accepted', acceptedData(this.#replica, event.order));
        this.#shown(event.order);
        break;
      case 'orderChanged': {
        this.#happened(event.key, event.change, changedData(this.#replica, event));
        const order = this.#order(event.account, event.market, event.key);
        if (order !== undefined) this.#shown(order);
        break;
      }
      case 'traded':
        this.#traded(event);
        break;
      case 'balanceChanged':
        this.#moved(event.account, event.currency, event.amount, event.reason, event.market);
        break;
      case 'deleveraged': {
        const market = this.#replica.markets[event.market];
        const data = { size: market.sizeText(event.sizeLots), value: market.quoteText(event.notional) };
        this.#happened(event.bankruptKey, 'deleveraged', data);
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

  /** The order as it is now. */
  #shown(order: Order): void {
    const { state } = this;
    if (order.key > state.lastOrder) {
      state.lastOrder = order.key;
      state.orders += 1;
    }
    this.#orders.set(order.key, orderRow(this.#replica, order));
  }

  #happened(key: number, type: string, data: object): void {
    const { seq, timeMs } = this.#replica;
    this.state.order_events += 1;
    this.#rows.order_events.push([key, this.state.order_events, seq, timeMs, type, JSON.stringify(data)]);
  }

  #moved(
    account: number,
    currency: number,
    amount: bigint,
    reason: string,
    market = -1,
    orderId: string | null = null,
  ): void {
    if (amount === 0n) return;
    const { seq, timeMs, currencies, markets } = this.#replica;
    const { code, decimals } = currencies[currency];
    const symbol = market < 0 ? null : markets[market].symbol;
    const name = accountName(this.#replica, account);
    this.state.ledger += 1;
    const text = decimalText(amount, decimals);
    this.#rows.ledger.push([this.state.ledger, seq, timeMs, name, code, text, reason, symbol, orderId]);
  }

  #traded(event: Traded): void {
    const venue = this.#replica;
    const market = venue.markets[event.market];
    const makerSide = event.takerSide === 0 ? 1 : 0;
    const party = (role: Party['role'], key: number, account: number, side: 0 | 1, fee: bigint): Party => {
      return { role, key, account, side, fee, order: this.#order(account, event.market, key) };
    };
    const maker = party('maker', event.makerKey, event.makerAccount, makerSide, event.makerFee);
    const taker = party('taker', event.takerKey, event.takerAccount, event.takerSide, event.takerFee);
    const value = market.notional(event.priceTicks, event.sizeLots);
    const [price, size] = [market.priceText(event.priceTicks), market.sizeText(event.sizeLots)];
    const sides = [maker, taker].flatMap((one) => {
      const currency = this.#feeCurrency(event.market, one.side);
      const { code, decimals } = venue.currencies[currency];
      const fee = decimalText(one.fee, decimals);
      const id = venue.orderIds.encode(one.key);
      const { role } = one;
      this.#happened(one.key, 'traded', { tradeId: event.tradeId, role, price, size, fee, feeCurrency: code });
      if (one.order !== undefined) this.#shown(one.order);
      this.#paid(event, one, id, value, currency);
      return [accountName(venue, one.account), id, fee, code];
    });
    this.state.fills += 1;
    const place = [this.state.fills, venue.seq, venue.timeMs, event.tradeId, market.symbol];
    this.#rows.fills.push([...place, price, size, market.quoteText(value), sideText(event.takerSide), ...sides]);
    this.#candles.add(market, venue.timeMs, event.priceTicks, event.sizeLots, value);
  }

  #feeCurrency(market: number, side: 0 | 1): number {
    const { base, quote } = this.#replica.markets[market];
    const { feeFrom } = this.#replica.genesis?.config ?? { feeFrom: 'received' };
    return feesInQuote(this.#replica.markets[market], side, feeFrom) ? quote : base;
  }

  /** What a trade moves in the ledger; what a futures trade realises is an event of its own. */
  #paid(event: Traded, { account, side, fee, order }: Party, id: string, value: bigint, feeCurrency: number): void {
    const market = this.#replica.markets[event.market];
    const sign = side === 0 ? 1n : -1n;
    if (market.product === 'spot') {
      this.#moved(account, market.quote, -sign * value, 'trade', event.market, id);
      this.#moved(account, market.base, sign * BigInt(event.sizeLots) * market.unitsPerLot, 'trade', event.market, id);
    }
    const liquidation = order?.orderDetailType !== undefined && LIQUIDATIONS.includes(order.orderDetailType);
    this.#moved(account, feeCurrency, -fee, liquidation ? 'liquidationFee' : 'fee', event.market, id);
  }

  #listed(index: number): void {
    const { kind, base, quote, tick, step, contractSize, symbol } = this.#replica.markets[index].spec;
    this.#rows.markets.push([symbol, kind, base, quote, tick, step, contractSize]);
  }

  #saved(seq: number, name: string): void {
    this.state.saved[name] = { lineage: upTo(this.state.lineage, seq), fills: this.state.fills };
  }

  /** Another state stands now: what was since is a branch that was left, and what lives is as it was then. */
  #replaced(): void {
    const venue = this.#replica;
    const { state } = this;
    const name = this.#command?.type === 'restoreSnapshot' ? this.#command.name : undefined;
    const began = { lineage: upTo(WHOLE, 1), fills: 0 };
    const saved = name === undefined ? began : (state.saved[name] ?? { lineage: [], fills: state.fills });
    state.lineage = goOn(saved.lineage, venue.seq);
    const live = new Set<number>();
    for (const { index } of venue.accounts.values()) {
      for (const product of ['spot', 'futures'] as const) {
        for (const order of venue.openOrders(index, product, null)) {
          live.add(order.key);
          this.#shown(order);
        }
      }
    }
    for (const row of this.#shownLive()) if (!live.has(row.orderKey as number)) this.#showEnded(row);
    this.#candles.replaced(this.#rows.fills, saved.fills, venue.markets, (seq) => includes(state.lineage, seq));
  }

  /** Orders of the present lineage that the archive shows as live. */
  #shownLive(): Record<string, Value>[] {
    const stored = [...this.#store.rows('orders', `state IN ('${LIVE.join("', '")}')`)];
    const rows = stored.filter(([key]) => !this.#orders.has(key as number)).concat([...this.#orders.values()]);
    const { lineage } = this.state;
    return rows
      .map((row) => toObject('orders', row))
      .filter(({ seq, state }) => LIVE.includes(state) && includes(lineage, seq as number));
  }

  /** An order that had ended when the present state was saved, and was live in the branch that was left. */
  #showEnded(row: Record<string, Value>): void {
    const key = row.orderKey as number;
    const account = this.#replica.accountByName(row.account as string);
    const market = this.#replica.marketBySymbol(row.market as string);
    const held = account && market && this.#replica.order(account.index, market.product, key);
    if (held !== undefined) {
      this.#shown(held);
      return;
    }
    // The venue has let go of it: the archive knows how it ended.
    const pending = this.#rows.order_events.filter(([of]) => of === key);
    const events = [...this.#store.rows('order_events', 'orderKey = ? ORDER BY n', key), ...pending];
    const { lineage } = this.state;
    const ended = events
      .map((event) => toObject('order_events', event))
      .findLast(({ seq, type }) => type === 'ended' && includes(lineage, seq as number));
    if (ended === undefined) return;
    const { state, filled, remaining, reason = null } = JSON.parse(ended.data as string) as Record<string, Value>;
    const changes = { state, filledSize: filled, remainingSize: remaining, reason, updatedMs: ended.timeMs };
    const shown: Record<string, Value> = { ...row, ...changes };
    this.#orders.set(
      key,
      columnsOf('orders').map((name) => shown[name]),
    );
  }
}

const LIVE: readonly Value[] = ['working', 'waiting'];
const LIQUIDATIONS: readonly unknown[] = ['PARTIAL_LIQUIDATION', 'FORCED_MARKET_BUY', 'FORCED_MARKET_SELL'];
