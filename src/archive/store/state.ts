/**
 * The archive's state: up to which command of the log its tables are complete, how many rows they have, and the
 * timelines. It is one row of the table `meta`, with a checksum, written in each transaction.
 */

import { hash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LogPosition } from '../../log/contract/log-source.ts';
import { ArchiveDamaged } from './errors.ts';
import { type Branch, type Timeline, WHOLE } from './timeline.ts';

export const FORMAT = 10;
/** The format before, whose rows are the same (previous.ts). */
export const PREVIOUS_FORMAT = 9;
/** The format before that, which `older.ts` can read. */
export const OLD_FORMAT = 8;

export interface ArchiveState {
  readonly format: number;
  /** The last command in the archive. 0 if there is none. */
  seq: number;
  /** The frame of the log up to which it is complete. Null before the first, and for a log in memory. */
  position: LogPosition | null;
  /** The first seq whose events are here: 1, unless other rules made the earlier part. */
  firstSeq: number;
  /** The id of the venue. Absent in archives of versions without ids. */
  venueId?: string;
  /** The key of the venue's order ids. Absent before the first command. */
  idKey?: string;
  /** The timeline. Named as it is stored. */
  lineage: Timeline;
  /** What was left. Absent in archives of versions that did not keep it. */
  branches?: readonly Branch[];
  /** The timelines of the named snapshots. */
  saved: Record<string, Timeline>;
  /**
   * How far resets and restored snapshots have turned a manual clock back, all together. The venue's time plus this is the
   * time that passed, which never goes back.
   */
  setBackMs: number;
  /** Orders that ended without a fill at this time or before are forgotten, in time that passed. −1: none is. */
  forgottenMs: number;
  /** The largest key in `orders`. */
  lastOrder: number;
  /** The order of the last row of `client_ids`. 0 if there is none. */
  lastClientOrder: number;
  /** The largest number of a fill or movement. */
  lastN: number;
  /** Numbers of rows. */
  orders: number;
  client_ids: number;
  unfilled: number;
  order_events: number;
  fills: number;
  movements: number;
  accounts: number;
  trades: number;
  moves: number;
  market_trades: number;
  funding: number;
  former_terms: number;
  /** Numbers of rows, counted by the store. */
  names: number;
  markets: number;
  candles: number;
}

/** A copy. Both states may share what is only replaced as a whole: timeline, branches and position. */
export function copied(state: ArchiveState): ArchiveState {
  return { ...state, saved: { ...state.saved } };
}

export function emptyState(): ArchiveState {
  const rows = {
    orders: 0,
    client_ids: 0,
    unfilled: 0,
    order_events: 0,
    fills: 0,
    movements: 0,
    accounts: 0,
    trades: 0,
    moves: 0,
  };
  const marketRows = { market_trades: 0, funding: 0, former_terms: 0, names: 0, markets: 0, candles: 0 };
  const begun = {
    seq: 0,
    position: null,
    firstSeq: 1,
    lineage: WHOLE,
    branches: [],
    saved: {},
    setBackMs: 0,
    forgottenMs: -1,
    lastOrder: 0,
    lastClientOrder: 0,
    lastN: 0,
  };
  return { format: FORMAT, ...begun, ...rows, ...marketRows };
}

/** The row of `meta`. */
export type SavedState = { value?: string; sum?: string };

/** The state of an archive, of whatever format. Undefined if the file is new. @throws {ArchiveDamaged} */
export function savedState(database: DatabaseSync): ArchiveState | undefined {
  const known = database.prepare(`SELECT count(*) AS tables FROM sqlite_schema`).get() as { tables: number };
  if (known.tables === 0) return undefined;
  return parsedState(database.prepare(`SELECT value, sum FROM meta WHERE name = 'state'`).get());
}

function parsedState({ value, sum }: SavedState = {}): ArchiveState {
  if (value === undefined || sum !== hash('sha256', value, 'hex')) {
    throw new ArchiveDamaged('its state does not match its checksum');
  }
  return JSON.parse(value) as ArchiveState;
}

/** The state in that row. @throws {ArchiveDamaged} */
export function stateOf(saved?: SavedState): ArchiveState {
  return ofThisFormat(parsedState(saved));
}

/** @throws {ArchiveDamaged} */
export function ofThisFormat(state: ArchiveState): ArchiveState {
  if (state.format !== FORMAT) throw new ArchiveDamaged(`its format is ${state.format}, this version knows ${FORMAT}`);
  return state;
}

export function insertOfState(database: DatabaseSync): StatementSync {
  return database.prepare(`INSERT OR REPLACE INTO meta VALUES ('state', ?, ?)`);
}

export function writeState(insert: StatementSync, state: ArchiveState): void {
  const value = JSON.stringify(state);
  insert.run(value, hash('sha256', value, 'hex'));
}
