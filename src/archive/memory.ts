/**
 * The archive of a venue in memory: made from what the log in memory still holds, when somebody asks, and no further than
 * it has to. A venue that nobody asks pays nothing.
 */
import { Fold } from '../engine/fold.ts';
import type { MemoryHistory } from '../engine/recovery.ts';
import type { Archive } from './archive.ts';
import { type OrderHistory, orderHistory } from './history.ts';
import { Projector } from './projector.ts';
import { ArchiveStore, IN_MEMORY } from './store.ts';
import { findTrades, type Trade, type TradeQuery } from './trades.ts';

interface Made {
  readonly store: ArchiveStore;
  readonly projector: Projector;
  readonly fold: Fold;
  /** The snapshot in memory that it began from. */
  readonly base: string | undefined;
  /** Records of the log that were taken. */
  taken: number;
}

export class MemoryArchive implements Archive {
  readonly history = undefined;
  readonly problem = undefined;
  readonly snapshotProblem = undefined;
  readonly #memory: MemoryHistory;
  #made: Made | undefined;

  constructor(memory: MemoryHistory) {
    this.#memory = memory;
  }

  async order(key: number): Promise<OrderHistory | undefined> {
    return orderHistory(this.#upToDate().store, key);
  }

  async trades(query: TradeQuery): Promise<readonly Trade[]> {
    const { store, fold } = this.#upToDate();
    return findTrades(store, fold.venue.orderIds, query);
  }

  /** It holds nothing that could. */
  unref(): void {}

  async close(): Promise<void> {
    this.#made?.store.close();
    this.#made = undefined;
  }

  #upToDate(): Made {
    const { base } = this.#memory;
    if (this.#made === undefined || this.#made.base !== base) {
      this.#made?.store.close();
      this.#made = make(base);
    }
    const made = this.#made;
    for (const entry of this.#memory.entries(made.taken)) {
      made.fold.take(entry);
      made.taken += 1;
    }
    made.fold.finish();
    made.projector.write({ seq: made.fold.venue.seq, position: null });
    return made;
  }
}

function make(base: string | undefined): Made {
  const store = new ArchiveStore(IN_MEMORY);
  const projector = new Projector(store);
  const venue = base === undefined ? projector.make.fresh() : projector.make.load(base);
  if (base !== undefined) projector.begin(venue.seq, null);
  projector.on = true;
  return { store, projector, fold: new Fold(venue, { apply: projector.apply }), base, taken: 0 };
}
