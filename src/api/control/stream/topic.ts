/**
 * What a topic of the control stream is: it begins with a whole, and then says what has changed.
 *
 * Invariants:
 * - Whoever has the whole and every change after it has what a new whole would be. A row of a change may repeat what the
 *   whole already had: rows have a seq or an id, and the later one counts.
 * - A topic is followed only while somebody has subscribed it.
 */
import type { Trade, TradeQuery } from '../../../archive/read/trades.ts';
import type { ClockReading } from '../../../engine/clock/venue-clock.ts';
import type { EngineListener } from '../../../engine/listeners.ts';
import type { MarketData } from '../../../market-data/market-data.ts';
import type { EventHandlers } from '../../../venue/contract/events.ts';
import type { Venue } from '../../../venue/venue.ts';

/** The part of the engine that the stream needs. `venue` may be replaced, so never keep it. */
export interface StreamedEngine {
  readonly venue: Venue;
  /** Set while `venue` must not be read. */
  readonly unreadable: Error | undefined;
  readonly clock: ClockReading | null;
  readonly epoch: number;
  nowMs(): number;
  listen(listener: EngineListener): () => void;
}

/** What the topics read. */
export interface Sources {
  readonly engine: StreamedEngine;
  readonly marketData: Pick<MarketData, 'newest' | 'candles'>;
  /** @throws {ArchiveBusy} */
  trades(query: TradeQuery): Promise<readonly Trade[]>;
  /** Empty if the venue is ready. */
  notReadyBecause(): readonly string[];
  /** The command that last replaced the state in this process. Null: none has. */
  replacedSeq(): number | null;
}

export type Data = object | null;

/** Too much has changed to say it row by row: everybody gets the whole again. */
export const TOO_MUCH = Symbol('too much');

export interface Topic {
  /** What the command in progress does. They may read the venue. */
  readonly on: EventHandlers;
  /** Everything. `after`: the reader has what happened up to this seq, if the topic can continue from there. */
  whole(after: number | null): Data | Promise<Data>;
  /** What has changed since the last call. Undefined: nothing. */
  changes(): Data | undefined | typeof TOO_MUCH | Promise<Data>;
  /** Another state: what was noted so far does not count. A whole follows. */
  begin(): void;
  /** Something of it may have changed without an event. Called each second, before `changes`. */
  look?(): void;
}
