/**
 * The archive of a venue in memory. A look-up builds it from the log in memory, only as far as needed. A venue without
 * look-ups does not pay for it.
 */
import { LogReplayer } from '../engine/replay/log-replayer.ts';
import { newestSnapshot, originOf } from '../engine/replay/snapshots.ts';
import type { LogFollower } from '../log/contract/log-source.ts';
import type { LogStorage } from '../log/contract/storage.ts';
import type { MarketAnswers, MarketQuestion, QuestionOf } from '../market-data/history.ts';
import type { Left } from '../story/facts.ts';
import { Venue } from '../venue/venue.ts';
import type { Archive } from './archive.ts';
import { Projector } from './follow/projector.ts';
import {
  type LedgerPage,
  type LedgerQuery,
  ledgerPage,
  type WalletQuery,
  type WalletRecord,
  walletHistory,
} from './read/account-ledger.ts';
import { type AccountOrders, type AccountOrdersQuery, accountOrders } from './read/account-orders.ts';
import { clientOrderHistory, type EventRange, type OrderHistory, orderHistory } from './read/history.ts';
import { marketAnswer } from './read/market-history.ts';
import { ordersBeginning } from './read/short-ids.ts';
import { type OrderStory, orderStory } from './read/story.ts';
import { findTrades, type Trade, type TradeQuery } from './read/trades.ts';
import type { ClientQuery } from './store/client-ids.ts';
import { ArchiveStore, IN_MEMORY } from './store/store.ts';
import { leftAt } from './store/timeline.ts';

interface Made {
  readonly store: ArchiveStore;
  readonly projector: Projector;
  readonly replayer: LogReplayer;
  readonly log: LogFollower;
  /** The seq of the snapshot in memory that it began from. */
  readonly baseSeq: number | undefined;
}

export class MemoryArchive implements Archive {
  readonly history = undefined;
  readonly hasBegun = true;
  readonly problem = undefined;
  readonly snapshotProblem = undefined;
  readonly #storage: LogStorage;
  #made: Made | undefined;
  /** Look-ups update it one after another. */
  #lastUpdate: Promise<unknown> = Promise.resolve();

  constructor(storage: LogStorage) {
    this.#storage = storage;
  }

  get knownFromSeq(): number {
    return this.#made?.store.state.firstSeq ?? 1;
  }

  async order(key: number): Promise<OrderHistory | undefined> {
    const { store } = await this.#upToDate();
    return orderHistory(store, key);
  }

  async orderStory(of: number | ClientQuery, range: EventRange): Promise<OrderStory | undefined> {
    const { store, replayer } = await this.#upToDate();
    return orderStory(store, replayer.venue, of, range);
  }

  async ordersBeginning(beginning: string): Promise<readonly number[]> {
    const { store, replayer } = await this.#upToDate();
    return ordersBeginning(store, replayer.venue.orderIds, beginning);
  }

  async accountOrders(query: AccountOrdersQuery): Promise<AccountOrders> {
    const { store, replayer } = await this.#upToDate();
    return accountOrders(store, replayer.venue, query);
  }

  async leftAt(seq: number): Promise<Left | null> {
    const { store } = await this.#upToDate();
    return leftAt(store.state, seq);
  }

  async clientOrder(query: ClientQuery): Promise<OrderHistory | undefined> {
    const { store } = await this.#upToDate();
    return clientOrderHistory(store, query);
  }

  async trades(query: TradeQuery): Promise<readonly Trade[]> {
    const { store, replayer } = await this.#upToDate();
    return findTrades(store, replayer.venue.orderIds, query);
  }

  async ledger(query: LedgerQuery): Promise<LedgerPage> {
    const { store } = await this.#upToDate();
    return ledgerPage(store, query);
  }

  async wallet(query: WalletQuery): Promise<readonly WalletRecord[]> {
    const { store } = await this.#upToDate();
    return walletHistory(store, query);
  }

  /** The log in memory has every command that the venue has applied. */
  async market<Type extends MarketQuestion['type']>(question: QuestionOf<Type>): Promise<MarketAnswers[Type]> {
    const { store } = await this.#upToDate();
    return marketAnswer(store, question) as MarketAnswers[Type];
  }

  /** Nothing here keeps the process alive. */
  unref(): void {}

  async close(): Promise<void> {
    this.#drop();
  }

  #upToDate(): Promise<Made> {
    const made = this.#lastUpdate.then(() => this.#extend());
    this.#lastUpdate = made.catch(() => {});
    return made;
  }

  async #extend(): Promise<Made> {
    const [newest] = await this.#storage.snapshots.list();
    if (this.#made?.baseSeq !== newest?.seq) this.#drop();
    try {
      this.#made ??= await make(this.#storage);
      if (await catchUp(this.#made)) return this.#made;
      this.#drop();
      this.#made = await make(this.#storage);
      await catchUp(this.#made);
      return this.#made;
    } catch (error) {
      // A command that makes the venue throw leaves this half-way through it.
      this.#drop();
      throw error;
    }
  }

  #drop(): void {
    this.#made?.store.close();
    this.#made = undefined;
  }
}

/**
 * Applies what the log has gained. A look-up may come between the write of a batch and its application. Then the archive has the
 * batch before the venue. Returns false if a command or timer of such a batch was left out later: the archive must be rebuilt.
 */
async function catchUp({ log, replayer, projector }: Made): Promise<boolean> {
  for await (const entry of log.available()) {
    if (entry.poisoned !== undefined && entry.poisoned.seq <= replayer.venue.seq) return false;
    replayer.take(entry);
  }
  replayer.finish();
  projector.write({ seq: replayer.venue.seq, position: null });
  return true;
}

async function make({ source, snapshots }: LogStorage): Promise<Made> {
  const store = new ArchiveStore(IN_MEMORY);
  const projector = new Projector(store);
  const base = await newestSnapshot(snapshots);
  const venue = base === undefined ? new Venue() : Venue.load(base.text);
  projector.follow(venue);
  if (base !== undefined) projector.begin(venue.seq, null);
  projector.on = true;
  const log = await source.follow(base && originOf(base));
  return { store, projector, replayer: new LogReplayer(venue, { apply: projector.apply }), log, baseSeq: base?.seq };
}
