/**
 * Turns the events of a replica into rows of the archive. The replica applies the log, so its orders and names are
 * available at each event. The rows are `pending` until a transaction has written them: those of orders (order-rows.ts), of
 * accounts (account-rows.ts) and of markets (market-trades.ts).
 *
 * Invariant: while `on`, every event is in the rows exactly once, in order. `state` is as of the last command.
 */
import type { LogPosition } from '../../log/contract/log-source.ts';
import type { Command } from '../../venue/contract/commands.ts';
import type { EventOf } from '../../venue/contract/events.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import { HOUSE } from '../../venue/contract/units.ts';
import type { LiveReply, Venue } from '../../venue/venue.ts';
import { forgetting, KEEP_ALL, type Kept } from '../store/forgetting.ts';
import type { ArchiveState } from '../store/state.ts';
import type { ArchiveStore } from '../store/store.ts';
import { turned, upTo, WHOLE } from '../store/timeline.ts';
import { AccountRows } from './account-rows.ts';
import { Contexts } from './context.ts';
import { MarketTrades } from './market-trades.ts';
import { OrderRows } from './order-rows.ts';
import { acceptedEvent, accountName, changedEvent, figureTexts, type OrderEvent, sizeText } from './records.ts';

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

export class Projector {
  /** Off while the venue applies what the archive already has. */
  on = false;
  readonly state: ArchiveState;
  readonly #store: ArchiveStore;
  readonly #keep: Kept;
  readonly #orders: OrderRows;
  readonly #accounts: AccountRows;
  readonly #markets: MarketTrades;
  #venue: Venue | undefined;
  #contexts: Contexts | undefined;
  #command: Command | undefined;
  /** The venue's time before the present command. */
  #beforeMs = 0;
  /** While the genesis is applied nothing of the venue can be asked yet: what it says is taken up after. */
  #genesis: Taken[] | undefined;

  constructor(store: ArchiveStore, keep = KEEP_ALL) {
    this.#store = store;
    this.#keep = keep;
    this.state = store.state;
    const options = { store, state: this.state, replica: () => this.#replica() };
    this.#accounts = new AccountRows(options);
    this.#orders = new OrderRows({ ...options, accounts: this.#accounts });
    this.#markets = new MarketTrades(options);
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
    for (const { index } of this.#replica().markets) this.#markets.listed(index);
    for (const order of this.#liveOrders().sort((a, b) => a.key - b.key)) this.#accepted(order);
  }

  /** How the replica applies a command. */
  readonly apply = (venue: Venue, seq: number, timeMs: number, command: Command): LiveReply => {
    this.#command = command;
    this.#beforeMs = venue.timeMs;
    this.#contexts?.begin(command);
    this.#genesis = command.type === 'genesis' ? [] : undefined;
    const reply = venue.apply(seq, timeMs, command);
    const said = this.#genesis;
    this.#genesis = undefined;
    for (const event of said ?? []) this.#take(event);
    this.#orders.closeCommand(seq);
    if (this.on && command.type === 'saveSnapshot' && reply.refusal === null) this.#saved(seq, command.name);
    return reply;
  };

  /** The number of rows that wait for a transaction. */
  get pending(): number {
    return this.#orders.pending + this.#accounts.pending;
  }

  /** Writes the pending rows, as of the end of the last command. Throws as the store does. Then they stay pending. */
  write(end: Pick<ArchiveState, 'seq' | 'position'>): void {
    Object.assign(this.state, end);
    const { timeMs, genesis } = this.#replica();
    const passedMs = timeMs + this.state.setBackMs;
    this.state.forgottenMs = Math.max(this.state.forgottenMs, passedMs - this.#keep.forMs);
    // Before those of accounts: an order may show an account for the first time.
    const orders = this.#orders.toWrite();
    const rows = { ...orders.rows, ...this.#accounts.rows, ...this.#markets.rows };
    const idKey = genesis?.idKey;
    const written = { ...this.state, ...orders.state, ...(idKey !== undefined && { idKey }) };
    this.#store.write(rows, written, [...orders.removed, ...this.#markets.removed]);
    Object.assign(this.state, written);
    this.#orders.written();
    this.#accounts.written();
    this.#markets.written();
  }

  /** Removes some forgotten orders, if nothing waits for a transaction. True: there may be more. Throws as the store does. */
  forget(): boolean {
    if (this.pending > 0) return true;
    const next = forgetting(this.#store, this.state, this.#keep);
    if (next === undefined) return false;
    this.#store.write(next.rows, next.state, next.removed);
    Object.assign(this.state, next.state);
    this.#orders.forgotten();
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
        this.#orders.changed(event);
        break;
      case 'childSkipped': {
        const figures = figureTexts(venue, venue.markets[event.market], event.figures);
        this.#happenedTo(event, { type: 'skipped', time: venue.timeMs, figures });
        break;
      }
      case 'traded': {
        if (event.makerAccount === HOUSE && event.takerAccount === HOUSE) {
          this.#markets.traded(this.#accounts.printed(), event);
          break;
        }
        const { n, orders } = this.#accounts.traded(event);
        for (const { key, event: happened } of orders) this.#orders.traded(key, happened);
        this.#markets.traded(n, event);
        break;
      }
      case 'balanceChanged':
        this.#accounts.moved(event);
        break;
      case 'transferred':
        this.#accounts.transferred(event);
        break;
      case 'deleveraged': {
        const market = venue.markets[event.market];
        const [size, value] = [sizeText(market, event.sizeLots), market.quoteText(event.notional)];
        this.#orders.happened(event.bankruptKey, { type: 'deleveraged', time: venue.timeMs, size, value });
        this.#accounts.deleveraged();
        break;
      }
      case 'fundingSet':
        this.#markets.funded(event);
        break;
      case 'marketListed':
        this.#markets.listed(event.market);
        break;
      case 'stateReplaced':
        this.#replaced();
        break;
    }
  }

  #accepted(order: OrderView): void {
    this.#accounts.of(accountName(this.#replica(), order.account));
    this.#orders.accepted(order);
  }

  #happenedTo({ key, account, market }: Pick<OrderView, 'key' | 'account' | 'market'>, event: OrderEvent): void {
    const context = this.#contexts?.of(key, account, this.#replica().markets[market]);
    this.#orders.happened(key, { ...event, ...context });
  }

  #saved(seq: number, name: string): void {
    this.state.saved[name] = upTo(this.state.lineage, seq);
  }

  /** Another state was restored: everything since is a branch that was left, and live orders are as they were then. */
  #replaced(): void {
    const { state } = this;
    this.#orders.leave();
    const { timeMs, genesis } = this.#replica();
    if (genesis?.clock === 'manual') state.setBackMs += this.#beforeMs - timeMs;
    const name = this.#command?.type === 'restoreSnapshot' ? this.#command.name : undefined;
    const before = state.lineage;
    const saved = name === undefined ? upTo(WHOLE, 1) : (state.saved[name] ?? []);
    const by = name === undefined ? 'reset' : 'restore';
    Object.assign(state, turned(state, by, this.#replica().seq, saved));
    this.#orders.entered(this.#liveOrders());
    this.#markets.entered(before, state.lineage);
  }

  #liveOrders(): OrderView[] {
    const venue = this.#replica();
    return venue
      .accountNumbers()
      .flatMap((index) => (['spot', 'futures'] as const).flatMap((product) => venue.openOrders(index, product, null)));
  }
}
