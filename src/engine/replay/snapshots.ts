/**
 * Snapshots: the whole state of a venue after a record of its log. A start reads the newest one and the log after it,
 * not the log from its beginning. src/log decides where they are stored (`snapshot-store.ts`).
 *
 * Invariants:
 * - Two are kept. An older one is removed only when a newer one was loaded and its state hash was right. The log before
 *   both may be moved away (`passedPosition`).
 * - The last one that other rules made is a boundary: these rules cannot rebuild that state from the log. It is part of
 *   the log, whose start record holds its hash. It is never removed or replaced.
 * - A damaged one is set aside if these rules can rebuild its state from the log. Otherwise it is refused.
 * - A start trusts the store alone, because hashing a large state takes as long as loading it.
 *
 * Cost of writing one: the state's text, about 100 bytes per order, in one string. V8 limits a string to half a
 * gigabyte, and so the state to about five million orders. Beyond that, no snapshot can be written.
 */
import { LogDamaged, LogUnsupported, SnapshotDamaged } from '../../log/contract/command-log.ts';
import type { LogOrigin, LogPosition } from '../../log/contract/log-source.ts';
import type { SnapshotEntry, SnapshotStore } from '../../log/contract/snapshot-store.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { Venue } from '../../venue/venue.ts';
import { hashOf, stateHash } from './log-replayer.ts';

/** Also raised whenever the output of `Venue.save` changes. */
export const FORMAT = 3;
/** The format before the digest of effects. */
const OLDEST_FORMAT = 2;
const KEPT = 2;
const REMEDY = 'without it, a start uses the snapshot before it, or else the whole log';

export interface SnapshotHead {
  readonly format: number;
  /** The rules that made the state. */
  readonly rules: string;
  /** The last command in the state, and the frame of the log up to which it is complete. */
  readonly seq: number;
  readonly position: LogPosition;
  /** Venue time, epoch milliseconds. */
  readonly timeMs: number;
  /** The state hash. */
  readonly hash: string;
  /** The id of the venue. Absent in snapshots of versions that had no id. */
  readonly venueId?: string;
}

export interface Snapshot extends SnapshotEntry {
  readonly head: SnapshotHead;
  /** The input of `Venue.load`. */
  readonly text: Buffer;
}

/** A snapshot that was written. */
export interface SnapshotWritten extends SnapshotEntry {
  /** The state hash. */
  readonly hash: string;
}

/**
 * Writes a snapshot of `venue`, which holds everything up to `position`. If a boundary already holds that state, it
 * writes none. Rejects with the store's errors.
 */
export async function writeSnapshot(
  store: SnapshotStore,
  rules: string,
  venue: Venue,
  position: LogPosition,
  venueId?: string,
): Promise<SnapshotWritten> {
  const { seq } = position;
  const { timeMs } = venue;
  if (venue.seq !== seq) throw new Error(`the venue is at seq ${venue.seq}, and the snapshot would say ${seq}`);
  const canonical = venue.canonical();
  const head: SnapshotHead = { format: FORMAT, rules, seq, position, timeMs, hash: hashOf(canonical), venueId };
  const text = venue.save(canonical); // Before any await, because the venue may change meanwhile.
  const [newest] = await store.list();
  if (newest?.seq === seq && (await rulesOf(store, seq)) !== rules) return { ...newest, hash: head.hash };
  knownRules(store).set(seq, rules);
  return { ...(await store.write(head, text)), hash: head.hash };
}

/** Undefined if there is none of that seq. @throws {SnapshotDamaged} @throws {LogUnsupported} */
export async function readSnapshot(store: SnapshotStore, seq: number): Promise<Snapshot | undefined> {
  const stored = await store.read(seq);
  if (stored === undefined) return undefined;
  const { name, text } = stored;
  const head = stored.head as SnapshotHead;
  if (head.format < OLDEST_FORMAT || head.format > FORMAT) {
    const known = `this version knows ${OLDEST_FORMAT} to ${FORMAT}`;
    throw new LogUnsupported(name, `snapshot format ${head.format}, ${known}; ${REMEDY}`);
  }
  return { seq, name, head, text };
}

/** A listed snapshot that cannot be used, and why. */
export interface DamagedSnapshot extends SnapshotEntry {
  readonly error: SnapshotDamaged;
}

/**
 * The newest sound snapshot. Undefined if there is none. Adds newer ones that are damaged to `damaged`. Throws as
 * `readSnapshot`, except for damage.
 */
export async function newestSnapshot(
  store: SnapshotStore,
  damaged: DamagedSnapshot[] = [],
): Promise<Snapshot | undefined> {
  let missed: number | undefined;
  for (;;) {
    const entry = (await store.list()).find(({ seq }) => !damaged.some((other) => other.seq === seq));
    if (entry === undefined) return undefined;
    try {
      const snapshot = await readSnapshot(store, entry.seq);
      if (snapshot !== undefined) return snapshot;
      // A running venue may have replaced this snapshot by a newer one since the list was read. Does not try the same
      // one twice.
      if (entry.seq === missed) throw new SnapshotDamaged(entry.name, 'the file does not exist');
      missed = entry.seq;
    } catch (error) {
      if (!(error instanceof SnapshotDamaged)) throw error;
      damaged.push({ ...entry, error });
    }
  }
}

/**
 * Sets aside a damaged snapshot that is not needed, because of `why`: the log rebuilds its state, unless given. Returns a
 * notice for the operator.
 */
export async function setAside(
  store: SnapshotStore,
  { seq, error }: DamagedSnapshot,
  why = 'the log rebuilds the same state',
): Promise<string> {
  const kept = await store.setAside(seq);
  knownRules(store).delete(seq);
  return `${error.message}; it was set aside as ${kept}; ${why}`;
}

/** Where the log continues after a snapshot. */
export function originOf({ head, name }: Pick<Snapshot, 'name' | 'head'>): LogOrigin {
  return { position: head.position, rulesVersion: head.rules, name };
}

/** The venue that a snapshot holds. @throws {SnapshotDamaged} it is another one than the snapshot says */
export function loadSnapshot(snapshot: Snapshot, rules: string): Venue {
  const venue = Venue.load(snapshot.text);
  // Other rules may have another state hash for the same state: then the checksum alone vouches for it.
  if (snapshot.head.rules === rules) checkState(snapshot, venue);
  return venue;
}

/** @throws {SnapshotDamaged} the venue, at the snapshot's seq, has another state than the snapshot says */
export function checkState({ name, head }: Pick<Snapshot, 'name' | 'head'>, venue: Venue): void {
  const found = stateHash(venue);
  if (found === head.hash) return;
  throw new SnapshotDamaged(
    name,
    `the state at seq ${head.seq} has the hash ${found}, but the snapshot says ${head.hash}`,
  );
}

/**
 * Removes all snapshots except the two newest and the boundaries. Call it when the newest was loaded and had the right
 * hash. Unreadable snapshots stay: they may be boundaries.
 */
export async function pruneSnapshots(store: SnapshotStore): Promise<void> {
  const all = await store.list();
  const old: number[] = [];
  for (let i = KEPT; i < all.length; i += 1) {
    const rules = await rulesOf(store, all[i].seq);
    if (rules !== undefined && rules === (await rulesOf(store, all[i - 1].seq))) old.push(all[i].seq);
  }
  await store.remove(old);
}

/**
 * The record that the log may be moved away before: two snapshots with verified states are at it or after it, so a
 * start needs nothing earlier even if one of them is lost. Undefined: there are no two yet.
 * @throws {LogDamaged} a snapshot is ahead of the log, or belongs to another one
 */
export async function passedPosition(
  { snapshots, source }: LogStorage,
  rules: string,
): Promise<LogPosition | undefined> {
  let passed = 0;
  for (const { seq } of await snapshots.list()) {
    const snapshot = await verifiedSnapshot(snapshots, seq, rules);
    if (snapshot === undefined) continue;
    await source.follow(originOf(snapshot));
    passed += 1;
    if (passed === KEPT) return snapshot.head.position;
  }
  return undefined;
}

/** Undefined: it is damaged, or other rules made it, so that its state cannot be verified. */
async function verifiedSnapshot(store: SnapshotStore, seq: number, rules: string): Promise<Snapshot | undefined> {
  try {
    const snapshot = await readSnapshot(store, seq);
    if (snapshot?.head.rules !== rules) return undefined;
    loadSnapshot(snapshot, rules);
    return snapshot;
  } catch (error) {
    if (error instanceof SnapshotDamaged) return undefined;
    throw error;
  }
}

/** By seq. A snapshot is replaced only by one of the same rules. */
const RULES_BY_STORE = new WeakMap<SnapshotStore, Map<number, string>>();

function knownRules(store: SnapshotStore): Map<number, string> {
  const known = RULES_BY_STORE.get(store) ?? new Map<number, string>();
  RULES_BY_STORE.set(store, known);
  return known;
}

/** The rules that made a snapshot. Undefined if it cannot be read. Each is read only once, because it may be large. */
async function rulesOf(store: SnapshotStore, seq: number): Promise<string | undefined> {
  const known = knownRules(store);
  if (known.has(seq)) return known.get(seq);
  try {
    const stored = await store.read(seq);
    if (stored === undefined) return undefined;
    const { rules } = stored.head as SnapshotHead;
    known.set(seq, rules);
    return rules;
  } catch (error) {
    if (error instanceof LogDamaged) return undefined;
    throw error;
  }
}
