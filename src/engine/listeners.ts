/**
 * Those who follow the venue while it runs: metrics, market data, streams. They come and go at any time, and a rebuilt
 * venue keeps them.
 *
 * Invariants:
 * - A listener never harms a command. If it throws, the error is reported, it gets nothing more of this command, and
 *   then `stateReplaced`: it starts over. After MOST_FAILURES failures it is detached for good.
 * - Every event belongs to one command. Either `commandApplied` follows, or `commandUndone` and `stateReplaced`: the
 *   command threw half-way and had no effect.
 *
 * Cost: one call per event and listener that wants its kind. A kind is built by the venue from the first time that
 * somebody wants it. It is then built until the venue is rebuilt or started again, even if nobody wants it any more.
 */
import type { EventHandlers, EventKind, VenueEvent } from '../venue/contract/events.ts';
import type { Venue } from '../venue/venue.ts';
import type { OnNotice } from './contract/notice.ts';

/** How often a listener may throw before it is detached. */
export const MOST_FAILURES = 16;

/** Functions that must neither throw nor give the venue a command. They may read the venue. */
export interface EngineListener extends EventHandlers {
  /** The command is durable and applied, and all its events were given. */
  readonly commandApplied?: (seq: number) => void;
  /** The events since the last `commandApplied` did not happen. `stateReplaced` follows. */
  readonly commandUndone?: () => void;
  /** After each batch: everything up to `seq` is durable and applied. */
  readonly batchApplied?: (seq: number) => void;
}

interface Attached {
  readonly listener: EngineListener;
  failures: number;
  /** It threw during the present command. */
  behind: boolean;
  detached: boolean;
}

export class Listeners {
  readonly #onNotice: OnNotice;
  #venue: Venue;
  /** Replaced, never changed: a listener may come or go while events are given. */
  #attached: readonly Attached[] = [];
  /** The kinds that the present venue builds. */
  #built = new Set<EventKind>();
  #anyBehind = false;

  constructor(venue: Venue, onNotice: OnNotice) {
    this.#venue = venue;
    this.#onNotice = onNotice;
  }

  /** Attaches a listener, between two commands. Returns what detaches it. */
  add(listener: EngineListener): () => void {
    const attached: Attached = { listener, failures: 0, behind: false, detached: false };
    this.#attached = [...this.#attached, attached];
    this.#build(listener);
    return () => this.#remove(attached);
  }

  /** A command is done. */
  commandApplied(seq: number): void {
    if (this.#anyBehind) this.#startOver();
    for (const attached of this.#attached) {
      if (attached.listener.commandApplied !== undefined) {
        this.#call(attached, ({ commandApplied }) => commandApplied?.(seq));
      }
    }
    if (this.#anyBehind) this.#startOver();
  }

  batchApplied(seq: number): void {
    for (const attached of this.#attached) this.#call(attached, ({ batchApplied }) => batchApplied?.(seq));
    if (this.#anyBehind) this.#startOver();
  }

  /** The venue was rebuilt. The command or timer that threw is left out. */
  rebuilt(venue: Venue): void {
    this.#venue = venue;
    this.#built = new Set();
    for (const { listener } of this.#attached) this.#build(listener);
    for (const attached of this.#attached) {
      this.#call(attached, ({ commandUndone }) => commandUndone?.());
      this.#call(attached, ({ stateReplaced }) => stateReplaced?.({ type: 'stateReplaced' }));
    }
    if (this.#anyBehind) this.#startOver();
  }

  /** Has the venue build the kinds that the listener wants. */
  #build(listener: EngineListener): void {
    const { commandApplied, commandUndone, batchApplied, ...handlers } = listener;
    const fresh = (Object.keys(handlers) as EventKind[]).filter((kind) => !this.#built.has(kind));
    if (fresh.length === 0) return;
    for (const kind of fresh) this.#built.add(kind);
    this.#venue.listen(Object.fromEntries(fresh.map((kind) => [kind, (event: VenueEvent) => this.#give(kind, event)])));
  }

  #give(kind: EventKind, event: VenueEvent): void {
    for (const attached of this.#attached) {
      const handler = attached.listener[kind] as ((event: VenueEvent) => void) | undefined;
      if (handler === undefined || attached.behind || attached.detached) continue;
      try {
        handler(event);
      } catch (error) {
        this.#failed(attached, error);
      }
    }
  }

  #call(attached: Attached, act: (listener: EngineListener) => void): void {
    if (attached.behind || attached.detached) return;
    try {
      act(attached.listener);
    } catch (error) {
      this.#failed(attached, error);
    }
  }

  #failed(attached: Attached, error: unknown): void {
    attached.failures += 1;
    attached.behind = true;
    this.#anyBehind = true;
    const isLast = attached.failures >= MOST_FAILURES;
    if (isLast) this.#remove(attached);
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const outcome = isLast ? 'it is detached' : 'it starts over from the state of the venue';
    this.#onNotice(`a listener of the venue threw at seq ${this.#venue.seq}; ${outcome}: ${what}`, 'error');
  }

  /** Those that threw start over. One that throws again starts over again, until it is detached. */
  #startOver(): void {
    for (let again = true; again; ) {
      again = false;
      for (const attached of this.#attached) {
        if (!attached.behind) continue;
        attached.behind = false;
        this.#call(attached, ({ stateReplaced }) => stateReplaced?.({ type: 'stateReplaced' }));
        if (attached.behind) again = true;
      }
    }
    this.#anyBehind = false;
  }

  #remove(attached: Attached): void {
    attached.detached = true;
    this.#attached = this.#attached.filter((each) => each !== attached);
  }
}
