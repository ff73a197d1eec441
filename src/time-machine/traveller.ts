/**
 * Takes a venue to any seq of its log, and keeps it there: the next question is often about the same seq, or one of the
 * next ones.
 *
 * Invariant: a moment is the state after its command, as `bourse replay --seq` computes it, and what that command did.
 *
 * Cost: a base of 7 MB takes about 100 ms to load, and 20,000 commands as long to apply. The state hash, which is
 * computed when it is first asked for, takes several times as long.
 */
import { type Apply, endsBatch, LogReplayer, stateHash } from '../engine/replay/log-replayer.ts';
import { LogDamaged, LogMoved } from '../log/contract/command-log.ts';
import type { LogEntry, LogFollower, LogOrigin } from '../log/contract/log-source.ts';
import type { Venue } from '../venue/venue.ts';
import { Happenings } from './happenings.ts';
import { type Base, baseBefore, type History, NoSuchMoment } from './history.ts';

/** A moment is continued, and not computed anew, for at most so many commands: its venue reports events, which costs. */
const MOST_CONTINUED = 5000;

/** Lets others have the thread. Throws when the question is not wanted any more. */
export type Turn = () => Promise<void>;

export class Moment {
  readonly seq: number;
  readonly venue: Venue;
  /** The record of the log that holds the command. */
  readonly entry: LogEntry;
  readonly happenings: Happenings;
  /** What it was computed from. */
  readonly from: { readonly kind: Base['kind'] | 'moment'; readonly seq: number };
  /** Where the record is read again. Undefined: at the beginning of the log. */
  readonly origin: LogOrigin | undefined;
  #hash: string | undefined;

  constructor(fields: Pick<Moment, 'seq' | 'venue' | 'entry' | 'happenings' | 'from' | 'origin'>) {
    this.seq = fields.seq;
    this.venue = fields.venue;
    this.entry = fields.entry;
    this.happenings = fields.happenings;
    this.from = fields.from;
    this.origin = fields.origin;
  }

  get hash(): string {
    this.#hash ??= stateHash(this.venue);
    return this.#hash;
  }
}

export class Traveller {
  readonly #history: History;
  #moment: Moment | undefined;

  constructor(history: History) {
    this.#history = history;
  }

  /**
   * The moment after the command `seq`. `endSeq`: the last command that the venue has applied.
   * @throws {NoSuchMoment} it cannot be computed @throws {LogDamaged} @throws {CommandFailed} and what `turn` throws
   */
  async to(seq: number, endSeq: number, turn: Turn): Promise<Moment> {
    const kept = this.#moment;
    if (kept?.seq === seq) return kept;
    this.#moment = undefined;
    const near = kept !== undefined && kept.seq < seq && seq - kept.seq <= MOST_CONTINUED;
    this.#moment =
      (near ? await this.#continued(seq, endSeq, kept, turn) : undefined) ??
      (await this.#computed(seq, endSeq, await baseBefore(this.#history, seq - 1, endSeq), turn));
    return this.#moment;
  }

  /** Undefined: the log after that moment was moved or dropped meanwhile. */
  async #continued(seq: number, endSeq: number, kept: Moment, turn: Turn): Promise<Moment | undefined> {
    const { venue, origin, happenings } = kept;
    try {
      return await this.#computed(seq, endSeq, { venue, origin, happenings, kind: 'moment' }, turn);
    } catch (error) {
      if (error instanceof LogDamaged || error instanceof LogMoved) return undefined;
      throw error;
    }
  }

  /** Forgets the venue that it holds. */
  drop(): void {
    this.#moment = undefined;
  }

  async #computed(seq: number, endSeq: number, base: Started, turn: Turn): Promise<Moment> {
    const { venue } = base;
    const from = { kind: base.kind, seq: venue.seq };
    const happenings = base.happenings ?? new Happenings();
    happenings.clear();
    const apply: Apply<unknown> = (of, at, timeMs, command) => {
      if (at === seq) happenings.during(of, command, () => of.apply(at, timeMs, command));
      else of.applySilently(at, timeMs, command);
    };
    const replayer = new LogReplayer(venue, { lastSeq: seq, apply });
    const { rules } = this.#history.identity;
    const log = await this.#history.storage.source.follow(base.origin);
    let origin = base.origin;
    let lastSeq = venue.seq;
    let held: { entry: LogEntry; origin: LogOrigin | undefined } | undefined;
    for await (const entry of log.available(endSeq)) {
      if (held !== undefined && endsBatch(entry)) break;
      replayer.take(entry);
      if (entry.kind === 'batch' && entry.lastSeq >= seq) held = { entry, origin };
      origin = { position: entry.position, rulesVersion: rules, name: `the record up to seq ${entry.lastSeq}` };
      lastSeq = entry.lastSeq;
      await turn();
    }
    if (held === undefined) {
      if (Number.isFinite(endSeq)) await refuseDamage(log, endSeq);
      throw new NoSuchMoment(`the log has the seqs 1 to ${lastSeq}`);
    }
    replayer.finish();
    return new Moment({ seq, venue, ...held, happenings, from });
  }
}

/** Reading ended before a seq that is durable. @throws {LogDamaged} with the place where it ended */
async function refuseDamage(log: LogFollower, endSeq: number): Promise<void> {
  await log.take(endSeq).next();
}

interface Started extends Pick<Base, 'venue' | 'origin'> {
  readonly kind: Base['kind'] | 'moment';
  /** Listens to the venue already. */
  readonly happenings?: Happenings;
}
