/**
 * Where the time machine reads: the log of a venue, the states along it from which a later one is computed, and what
 * cannot be computed.
 */
import { baseOf, type StateIdentity } from '../archive/follow/follower.ts';
import { originOf, type Snapshot } from '../engine/replay/snapshots.ts';
import { LogDamaged, LogMoved, RulesMismatch } from '../log/contract/command-log.ts';
import type { LogOrigin } from '../log/contract/log-source.ts';
import type { LogStorage } from '../log/contract/storage.ts';
import { Venue } from '../venue/venue.ts';
import type { Checkpoints } from './checkpoints.ts';

/** Commands between two checkpoints. */
export const CHECKPOINT_EVERY = 20_000;

/** A seq that is not in the log, or whose state cannot be computed. */
export class NoSuchMoment extends Error {
  override readonly name = 'NoSuchMoment';
}

export interface History {
  readonly storage: LogStorage;
  readonly identity: StateIdentity;
  readonly checkpoints: Checkpoints;
}

/** A state to begin with. */
export interface Base {
  readonly venue: Venue;
  /** Where the log continues. Undefined: at its beginning. */
  readonly origin: LogOrigin | undefined;
  readonly kind: 'beginning' | 'snapshot' | 'checkpoint';
}

/**
 * The nearest state at or before `seq`. `endSeq`: the last command that the venue has applied.
 * @throws {NoSuchMoment} other rules made the state there, or the log there is elsewhere
 */
export async function baseBefore(
  { storage, identity, checkpoints }: History,
  seq: number,
  endSeq: number,
): Promise<Base> {
  const checkpoint = await followed(storage, checkpoints, seq);
  if (checkpoint !== undefined && seq - checkpoint.venue.seq <= CHECKPOINT_EVERY) return checkpoint;
  try {
    const base = await snapshotBase(storage, identity, seq, endSeq);
    return checkpoint !== undefined && checkpoint.venue.seq > base.venue.seq ? checkpoint : base;
  } catch (error) {
    if (checkpoint !== undefined && error instanceof NoSuchMoment) return checkpoint;
    throw error;
  }
}

/** The nearest checkpoint of this log. One that names a record which the log does not have is removed. */
async function followed(storage: LogStorage, checkpoints: Checkpoints, seq: number): Promise<Base | undefined> {
  for (;;) {
    const found = checkpoints.read(seq);
    if (found === undefined) return undefined;
    const { origin, text } = found;
    try {
      const log = await storage.source.follow(origin);
      await log.available().next(); // What follows it may have been moved or dropped.
      return { venue: Venue.load(text), origin, kind: 'checkpoint' };
    } catch (error) {
      if (!(error instanceof LogDamaged || error instanceof LogMoved)) throw error;
      checkpoints.remove(found.seq);
    }
  }
}

/** The earliest state that can be computed. @throws {NoSuchMoment} there is none */
export async function firstBase({ storage, identity }: History, endSeq: number): Promise<Base> {
  const snapshot = await snapshotBefore(storage, await droppedSeq(storage), endSeq, identity.rules);
  return baseOfSnapshot(snapshot);
}

async function snapshotBase(storage: LogStorage, { rules }: StateIdentity, seq: number, endSeq: number): Promise<Base> {
  const dropped = await droppedSeq(storage);
  if (seq < dropped) {
    throw new NoSuchMoment(`a log in memory keeps its last commands only, here those after seq ${dropped}`);
  }
  const snapshot = await snapshotBefore(storage, seq, endSeq, rules);
  if (snapshot === undefined || snapshot.seq <= seq) return baseOfSnapshot(snapshot);
  throw new NoSuchMoment(await whyAfter(storage, snapshot.seq, snapshot.head.rules, rules));
}

/** The newest usable snapshot up to `seq`, or the oldest one. Undefined: the log can be read from its beginning. */
function snapshotBefore(
  storage: LogStorage,
  seq: number,
  endSeq: number,
  rules: string,
): Promise<Snapshot | undefined> {
  return baseOf(storage, seq, endSeq, rules).catch((error: unknown) => {
    if (error instanceof RulesMismatch || error instanceof LogMoved) throw new NoSuchMoment(error.message);
    throw error;
  });
}

function baseOfSnapshot(snapshot: Snapshot | undefined): Base {
  if (snapshot === undefined) return { venue: new Venue(), origin: undefined, kind: 'beginning' };
  return { venue: Venue.load(snapshot.text), origin: originOf(snapshot), kind: 'snapshot' };
}

async function whyAfter({ source }: LogStorage, firstSeq: number, made: string, rules: string): Promise<string> {
  const moved = await source.moved();
  if (moved !== undefined) {
    return (
      `the log up to seq ${moved.seq} (${moved.what}) was moved to ${moved.where}, and here the states after seq ` +
      `${firstSeq} can be computed: "bourse replay" and "bourse why" read the earlier ones with --cold`
    );
  }
  const by = made === rules ? 'other rules' : `rules ${made}`;
  return `the commands up to seq ${firstSeq} were made under ${by}, and this version applies rules ${rules}`;
}

/** The last command that a log in memory has dropped. 0: there is none. */
async function droppedSeq({ source, snapshots, where }: LogStorage): Promise<number> {
  if (where !== 'memory') return 0;
  const log = await source.follow();
  try {
    await log.available().next();
    return 0;
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    return (await snapshots.list()).at(-1)?.seq ?? 0;
  }
}
