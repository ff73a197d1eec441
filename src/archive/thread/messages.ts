/** The messages between the venue's thread and the archive's thread. */
import type { NoticeLevel } from '../../engine/contract/notice.ts';
import type { SnapshotWritten } from '../../engine/replay/snapshots.ts';
import type { MarketAnswers, MarketQuestion } from '../../market-data/history.ts';
import type { Left } from '../../story/facts.ts';
import type { Checked } from '../follow/check.ts';
import type { StateIdentity } from '../follow/follower.ts';
import type { MovedLog } from '../follow/movable.ts';
import type { AuditReading, StateReading } from '../follow/whole-state.ts';
import type { LedgerPage, LedgerQuery, WalletQuery, WalletRecord } from '../read/account-ledger.ts';
import type { AccountOrders, AccountOrdersQuery } from '../read/account-orders.ts';
import type { EventRange, OrderHistory } from '../read/history.ts';
import type { OrderStory } from '../read/story.ts';
import type { Trade, TradeQuery } from '../read/trades.ts';
import type { ClientQuery } from '../store/client-ids.ts';
import type { Kept } from '../store/forgetting.ts';
import type { FolderSizes } from './folder-sizes.ts';

/** Indexes into the shared memory. */
export const APPLIED = 0;
export const ARCHIVED = 1;
export const KNOWN_FROM = 2;
/** How many numbers the shared memory has. */
export const SHARED = 3;

export interface ThreadData {
  readonly folder: string;
  /** The address of the log, if it is not in the folder. */
  readonly log: string | undefined;
  /**
   * BigInt64: the last durable and applied command (the venue's thread writes it, and notifies), the last command
   * in the archive, and the first one (the archive's thread writes both).
   */
  readonly shared: SharedArrayBuffer;
  /** Commands between two snapshots. */
  readonly snapshotEvery: number;
  readonly identity: StateIdentity;
  /** The key of the venue's order ids. */
  readonly idKey: string | undefined;
  readonly keep: Kept;
  /** Undefined: another process leads. */
  readonly lead: LeadRequest | undefined;
}

/** Time that never goes back, and is the same in every thread of the process. */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** The progress of venue and archive, in memory that both share. */
export interface SharedProgress {
  /** The seq of the last command that is durable and applied to the venue. */
  readonly applied: number;
  /** False: another process leads, and writes the snapshots. */
  readonly leads: boolean;
  /** Resolves when the venue has applied more commands than up to `applied`. Undefined: it already has. */
  changed(applied: number): Promise<unknown> | undefined;
  /** The seq of the last command in the archive. */
  archived: number;
  /** The seq of the first command whose effects are in the archive. */
  set knownFrom(seq: number);
}

/** Answered when the archive is at `seq`. After `untilMs` (of `elapsedMs`) nobody waits any more. */
interface Question {
  readonly id: number;
  readonly seq: number;
  readonly untilMs: number;
}

export type Request =
  | (Question & { readonly type: 'order'; readonly key: number })
  | (Question & { readonly type: 'orderStory'; readonly of: number | ClientQuery; readonly range: EventRange })
  | (Question & { readonly type: 'ordersBeginning'; readonly beginning: string })
  | (Question & { readonly type: 'accountOrders'; readonly query: AccountOrdersQuery })
  | (Question & { readonly type: 'leftAt'; readonly of: number })
  | (Question & { readonly type: 'clientOrder'; readonly query: ClientQuery })
  | (Question & { readonly type: 'trades'; readonly query: TradeQuery })
  | (Question & { readonly type: 'ledger'; readonly query: LedgerQuery })
  | (Question & { readonly type: 'wallet'; readonly query: WalletQuery })
  | (Question & { readonly type: 'market'; readonly question: MarketQuestion })
  | (Question & { readonly type: 'state' })
  | (Question & { readonly type: 'audit' })
  | (Question & { readonly type: 'snapshot' })
  | (Question & { readonly type: 'moveLog'; readonly to: string })
  | { readonly type: 'close' };

/** The process leads from now on. `ownerId`: that of its log's storage (`LogStorage.ownerId`). */
export interface LeadRequest {
  readonly type: 'lead';
  readonly ownerId: string | undefined;
}

/** Answered at once, by the thread itself and not by its loop, so that figures of a disk in trouble arrive too. */
export interface SizesRequest {
  readonly type: 'sizes';
}

export type AnyQuestion = Exclude<Request, { type: 'close' }>;

/** Whose question it is: an account's name. Undefined: it is nobody's in particular. */
export function ownerOf(question: Pick<AnyQuestion, 'type'> & { readonly query?: unknown }): string | undefined {
  return (question.query as { readonly account?: string } | undefined)?.account;
}

/** The state of the check of everything that the start did not read. */
export type HistoryCheck =
  | { readonly state: 'checking' }
  | ({ readonly state: 'sound' } & Readonly<Checked>)
  | { readonly state: 'damaged'; readonly problem: string };

export type Reply =
  | { readonly type: 'order'; readonly id: number; readonly history: OrderHistory | undefined }
  | { readonly type: 'orderStory'; readonly id: number; readonly story: OrderStory | undefined }
  | { readonly type: 'ordersBeginning'; readonly id: number; readonly keys: readonly number[] }
  | { readonly type: 'accountOrders'; readonly id: number; readonly page: AccountOrders }
  | { readonly type: 'leftAt'; readonly id: number; readonly left: Left | null }
  | { readonly type: 'trades'; readonly id: number; readonly trades: readonly Trade[] }
  | { readonly type: 'ledger'; readonly id: number; readonly page: LedgerPage }
  | { readonly type: 'wallet'; readonly id: number; readonly records: readonly WalletRecord[] }
  | { readonly type: 'market'; readonly id: number; readonly answer: MarketAnswers[MarketQuestion['type']] }
  | { readonly type: 'state'; readonly id: number; readonly reading: StateReading }
  | { readonly type: 'audit'; readonly id: number; readonly reading: AuditReading }
  | { readonly type: 'snapshot'; readonly id: number; readonly written: SnapshotWritten }
  /** Text: why no more of the log could be moved. */
  | { readonly type: 'moved'; readonly id: number; readonly moved: MovedLog | string }
  | { readonly type: 'failed'; readonly id: number; readonly message: string; readonly noRoom: boolean }
  /** Undefined: the folder could not be read. */
  | { readonly type: 'sizes'; readonly sizes: FolderSizes | undefined }
  | { readonly type: 'checked'; readonly history: HistoryCheck }
  /** The archive is open, being converted, or out of service. Sent once, when the thread first knows. */
  | { readonly type: 'begun' }
  /** Why the archive is out of service. Undefined: it works. */
  | { readonly type: 'archive'; readonly problem: string | undefined }
  /** Why the last snapshot failed. Undefined: it did not. */
  | { readonly type: 'snapshots'; readonly problem: string | undefined }
  | { readonly type: 'notice'; readonly text: string; readonly level: NoticeLevel };
