/** What must hold during and after every life, whatever happened in it. Each violation is returned as a sentence. */
import { Follower, type StateIdentity } from '../../src/archive/follow/follower.ts';
import { orderHistory } from '../../src/archive/read/history.ts';
import { KEEP_ALL, type Kept } from '../../src/archive/store/forgetting.ts';
import type { ArchiveStore } from '../../src/archive/store/store.ts';
import { endedUnfilledMs } from '../../src/archive/store/stored-orders.ts';
import { TABLE_NAMES } from '../../src/archive/store/tables.ts';
import type { Engine } from '../../src/engine/host.ts';
import { LogReplayer, stateHash } from '../../src/engine/replay/log-replayer.ts';
import { originOf, readSnapshot, type Snapshot } from '../../src/engine/replay/snapshots.ts';
import { LogDamaged } from '../../src/log/contract/command-log.ts';
import type { LogEntry } from '../../src/log/contract/log-source.ts';
import type { LogStorage } from '../../src/log/contract/storage.ts';
import type { Command, Genesis } from '../../src/venue/contract/commands.ts';
import type { VenueEvent } from '../../src/venue/contract/events.ts';
import { Venue } from '../../src/venue/venue.ts';
import { Pair, type Step } from '../model/compare.ts';
import { SimPlace } from './archive.ts';
import type { Wish } from './client.ts';
import type { Answer } from './door.ts';

/** Beyond this difference the machine's clock is refused. */
const REFUSED_MS = 10_000;

/** The content of the whole log, applied from its beginning, or from a state that cannot be rebuilt. */
export class History {
  readonly entries: LogEntry[] = [];
  /** By client id: the keys of the orders that were accepted with it. */
  readonly orders = new Map<string, number[]>();
  fills = 0;
  /** Orders that were accepted. */
  accepted = 0;
  readonly #fold: LogReplayer;

  private constructor(base?: Snapshot) {
    const emit = (event: VenueEvent) => this.#take(event);
    this.#fold = new LogReplayer(base === undefined ? new Venue(emit) : Venue.load(base.text, emit));
  }

  /** If a log has only grown since `before`, the replay continues from there. @throws {LogDamaged} */
  static async of({ source }: LogStorage, base?: Snapshot, before?: History): Promise<History> {
    const last = before?.entries.at(-1);
    if (before !== undefined && last !== undefined) {
      try {
        const { position } = last;
        const log = await source.follow({ position, rulesVersion: '', name: 'what was read before' });
        await before.#read(log.available());
        return before;
      } catch (error) {
        if (!(error instanceof LogDamaged)) throw error;
      }
    }
    const history = new History(base);
    await history.#read(source.read(base && originOf(base)));
    return history;
  }

  get venue(): Venue {
    return this.#fold.venue;
  }

  async #read(entries: AsyncGenerator<LogEntry, unknown, void>): Promise<void> {
    for await (const entry of entries) {
      this.#fold.take(entry);
      this.entries.push(entry);
    }
    this.#fold.finish();
  }

  #take(event: VenueEvent): void {
    if (event.type === 'traded') this.fills += 1;
    if (event.type !== 'orderAccepted') return;
    this.accepted += 1;
    const { clientId, key } = event.order;
    if (clientId !== null) this.orders.set(clientId, [...(this.orders.get(clientId) ?? []), key]);
  }
}

/** Compares the venue of a start with the whole log. */
export function compareState(venue: Venue, whole: Venue): string[] {
  if (venue.seq !== whole.seq) return [`the venue is at seq ${venue.seq}, the log at ${whole.seq}`];
  const found: string[] = [];
  if (stateHash(venue) !== stateHash(whole)) found.push(`at seq ${venue.seq} the venue is not what the log makes`);
  if (venue.effects !== whole.effects) found.push(`at seq ${venue.seq} the digest of effects is another one`);
  if (!venue.audit().ok) found.push('the audit fails');
  return found;
}

/** The snapshot of a boundary is part of the log: it must exist as long as a start record names it. */
export async function compareBoundaries({ snapshots }: LogStorage, { entries }: History): Promise<string[]> {
  const found: string[] = [];
  for (const { began } of entries) {
    if (began?.snapshot?.rules === undefined) continue;
    const { seq, hash, rules } = began.snapshot;
    const kept = await readSnapshot(snapshots, seq);
    if (kept?.head.hash !== hash) found.push(`the snapshot at seq ${seq}, where rules ${rules} end, is gone`);
  }
  return found;
}

/** Applies the log to the model, command by command beside a venue, and compares the two. */
export function compareModel({ entries, venue }: History): string[] {
  let pair: Pair | undefined;
  for (const { kind, timeMs, commands } of entries) {
    if (kind !== 'batch') continue;
    for (const command of commands as Command[]) {
      const difference = pair?.run({ atMs: timeMs, command: command as Step });
      if (difference !== undefined && difference !== null) return [`the model says something else: ${difference}`];
      pair ??= new Pair(command as Genesis, timeMs);
    }
  }
  const same = pair === undefined || stateHash(pair.venue) === stateHash(venue);
  return same ? [] : ['the venue beside the model is not what the log makes'];
}

/**
 * Compares the archive with one that is rebuilt from the whole log, up to its seq. Nothing may write it meanwhile. `keep`: which
 * orders without fills it keeps.
 */
export async function compareArchive(
  storage: LogStorage,
  kept: ArchiveStore,
  identity: StateIdentity,
  keep: Kept,
): Promise<string[]> {
  const place = new SimPlace();
  try {
    const store = place.open();
    const follower = await Follower.open(storage, store, kept.state.seq, identity);
    await follower.advance(kept.state.seq, Number.POSITIVE_INFINITY);
    const forgets = keep !== KEEP_ALL;
    if (forgets) {
      const wrong = compareKept(kept, store);
      if (wrong.length > 0) return wrong;
    }
    for (const table of TABLE_NAMES) {
      if (forgets && OF_ORDERS.includes(table)) continue;
      // Names have their numbers in the order of the transactions, and so have the rows of markets.
      const [found, expected] = [kept, store].map((of) =>
        [...of.rows(table)]
          .map((row) => JSON.stringify(row))
          .sort()
          .join(),
      );
      if (found !== expected) return [`the archive's ${table} are not what the log makes: ${found} for ${expected}`];
    }
    return [];
  } finally {
    place.remove();
  }
}

const OF_ORDERS: readonly string[] = ['orders', 'client_ids', 'unfilled', 'order_events'];

/** Compares the orders that an archive has, of which it forgets some, with those of one that forgets none. */
function compareKept(kept: ArchiveStore, whole: ArchiveStore): string[] {
  const found: string[] = [];
  for (const row of whole.rows('orders', 'true ORDER BY orderKey')) {
    const key = row[0] as number;
    const [is, was] = [kept, whole].map((store) => JSON.stringify(orderHistory(store, key)));
    const mayBeForgotten = endedUnfilledMs(row) !== undefined;
    if (is !== was && !(is === undefined && mayBeForgotten)) found.push(`the order ${key} is ${is}, it was ${was}`);
  }
  for (const _ of kept.check());
  return found;
}

/** Compares the answers to clients with the whole log. */
export function compareWishes(wishes: readonly Wish[], { venue, entries, orders }: History): string[] {
  const found: string[] = [];
  for (const { ask, answer, account } of wishes) {
    if (ask.kind === 'spot' || ask.kind === 'future') {
      const keys = orders.get(ask.id) ?? [];
      if (keys.length > 1) found.push(`the order ${ask.id} is there ${keys.length} times`);
      if (isThere(answer) && keys.length === 0) found.push(`the order ${ask.id} was acknowledged and is lost`);
    }
    if (ask.kind === 'cancel' && answer?.status === 200) {
      for (const key of orders.get(ask.of) ?? []) {
        const order = venue.order(account, ask.product === 'spot' ? 'spot' : 'futures', key);
        if (order?.live === true) found.push(`the cancel of ${ask.of} was acknowledged, and it is alive`);
      }
    }
  }
  return [...found, ...repeated(entries)];
}

/** No signed request is carried out twice. */
function repeated(entries: readonly LogEntry[]): string[] {
  const found: string[] = [];
  const nonces = new Set<string>();
  for (const { commands } of entries) {
    for (const { signed } of commands as Command[]) {
      if (signed === undefined) continue;
      const name = `${signed.key} ${signed.nonceMs}`;
      if (nonces.has(name)) found.push(`the request ${name} was carried out twice`);
      nonces.add(name);
    }
  }
  return found;
}

/** True if the venue has accepted the order, or said that it already has it. */
export function isThere(answer: Answer | undefined): boolean {
  return answer?.status === 200 || ['duplicateClientId', 'identicalRequest'].includes(answer?.reason ?? '');
}

/** Compares the time of a running venue with the true time. */
export class TimeCheck {
  readonly #engine: Engine;
  #sinceMs: number;
  #venueMs: number;

  /** `trueMs`: sleep included. */
  constructor(engine: Engine, trueMs: number) {
    this.#engine = engine;
    this.#sinceMs = trueMs;
    this.#venueMs = engine.nowMs();
  }

  /** The operator has accepted the machine's clock, which counts from now on. */
  restart(trueMs: number): void {
    this.#sinceMs = trueMs;
    this.#venueMs = this.#engine.nowMs();
  }

  check(trueMs: number, wallMs: number): string[] {
    const engine = this.#engine;
    const found: string[] = [];
    const passedMs = trueMs - this.#sinceMs;
    const venueMs = engine.nowMs();
    const offMs = venueMs - this.#venueMs - passedMs;
    if (Math.abs(offMs) > 0.011 * passedMs + 30) {
      found.push(`in ${passedMs} ms venue time has gone ${passedMs + offMs} ms`);
    }
    const gapMs = wallMs - venueMs;
    const clock = engine.clock;
    if (Math.abs(gapMs) > REFUSED_MS + 100 && clock?.problem === undefined && clock?.state !== 'slewing') {
      found.push(`the machine's clock is ${gapMs} ms off, and nobody says so`);
    }
    if (Math.abs(gapMs) < REFUSED_MS - 100 && clock?.problem !== undefined) {
      found.push(`the machine's clock is ${gapMs} ms off, and it is said: ${clock.problem}`);
    }
    return found;
  }
}
