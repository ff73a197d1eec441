/**
 * Reads the whole state for the control surface: its hash, and its audit. On a small venue at once, in the venue's own
 * thread. On any other beside it, in the archive's thread, because a reading takes seconds on a large one.
 *
 * Invariants:
 * - A reading contains every command that was answered before it was asked.
 * - At most one reading of each kind is in progress. Those who ask meanwhile share the next one, which begins when the
 *   archive's thread has been free of them for as long as the last one took.
 */

import { type Archive, FolderArchive } from './archive/archive.ts';
import { type AuditReading, readAudit, readState, type StateReading } from './archive/follow/whole-state.ts';
import type { Venue } from './venue/venue.ts';

/** The size up to which a state is read at once, which then takes a few milliseconds. */
const MOST_AT_ONCE = 2000;

export class WholeState {
  readonly #engine: { readonly venue: Venue };
  /** Undefined: the venue is in memory, and has nothing beside it. */
  readonly #state: Shared<StateReading> | undefined;
  readonly #audit: Shared<AuditReading> | undefined;

  constructor(engine: { readonly venue: Venue }, archive: Archive) {
    this.#engine = engine;
    if (!(archive instanceof FolderArchive)) return;
    this.#state = new Shared(() => archive.state(engine.venue.seq));
    this.#audit = new Shared(() => archive.audit(engine.venue.seq));
  }

  /** @throws {ArchiveBusy} the archive's thread does not answer, or not in time */
  async state(): Promise<StateReading> {
    const { venue } = this.#engine;
    return this.#state === undefined || isSmall(venue) ? readState(venue) : this.#state.ask();
  }

  /** @throws {ArchiveBusy} the same */
  async audit(): Promise<AuditReading> {
    const { venue } = this.#engine;
    return this.#audit === undefined || isSmall(venue) ? readAudit(venue) : this.#audit.ask();
  }
}

/** Most of what a venue holds came by a command each, the ended orders too, which it does not count. */
function isSmall(venue: Venue): boolean {
  const { orders, accounts, markets } = venue.counts();
  return venue.seq + orders + accounts + markets <= MOST_AT_ONCE;
}

/** One reading at a time. */
class Shared<Reading> {
  readonly #read: () => Promise<Reading>;
  /** Resolves when the last reading is over, and the rest after it. Undefined: it is. */
  #busy: Promise<void> | undefined;
  /** The reading that begins then. */
  #next: Promise<Reading> | undefined;

  constructor(read: () => Promise<Reading>) {
    this.#read = read;
  }

  ask(): Promise<Reading> {
    if (this.#busy === undefined) return this.#begin();
    this.#next ??= this.#busy.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<Reading> {
    const begunMs = performance.now();
    const reading = this.#read();
    const rest = () => new Promise<void>((resolve) => setTimeout(resolve, performance.now() - begunMs).unref());
    const busy = reading.then(rest, rest);
    this.#busy = busy;
    busy.then(() => {
      if (this.#busy === busy) this.#busy = undefined;
    });
    return reading;
  }
}
