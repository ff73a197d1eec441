/**
 * Moves old segments of a running venue's log to a cold folder, on request. The archive's loop calls it once a round.
 *
 * Cost: a step moves one segment, which takes about as long as reading and compressing it, in the archive's thread. A
 * request is answered after MOST_MS at the latest, and then says what is left.
 */
import type { World } from '../../engine/contract/world.ts';
import type { LogPosition } from '../../log/contract/log-source.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import type { MoveOptions, SegmentMover } from '../../log/open.ts';
import type { StateIdentity } from '../follow/follower.ts';
import { type MovedLog, neededRecords, noteOf, nothingMoved } from '../follow/movable.ts';

/** How long one request moves segments. A step that has begun is finished. */
const MOST_MS = 30_000;

/** Makes the archive durable, and opens what moves the segments of this log to the folder `to`. */
export type OpenMover = (to: string, options: MoveOptions) => Promise<SegmentMover>;

/** What a request came to. Text: why nothing more could be moved. */
export interface MoveAnswer {
  readonly id: number;
  readonly moved: MovedLog | string;
}

interface Run {
  readonly mover: SegmentMover;
  readonly untilMs: number;
  moved: number;
}

export interface LogMoverOptions {
  readonly storage: LogStorage;
  readonly identity: StateIdentity;
  readonly world: Pick<World, 'monotonicMs'>;
  /** Undefined: this log cannot be moved. */
  readonly open: OpenMover | undefined;
}

export class LogMover {
  readonly #options: LogMoverOptions;
  #requests: { readonly id: number; readonly to: string }[] = [];
  /** The present one of the first request. */
  #run: Run | undefined;

  constructor(options: LogMoverOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#requests.length > 0;
  }

  take(id: number, to: string): void {
    this.#requests.push({ id, to });
  }

  /** Ends the first request. Returns its id. */
  drop(): number {
    this.#run = undefined;
    return this.#requests.shift()?.id ?? 0;
  }

  /**
   * Moves one segment for the first request. `archived`: the record that the archive continues after. Returns the answer,
   * if the request has one.
   */
  async step(archived: LogPosition | null): Promise<MoveAnswer | undefined> {
    try {
      const moved = await this.#step(this.#requests[0].to, archived);
      return moved && { id: this.drop(), moved };
    } catch (error) {
      return { id: this.drop(), moved: (error as Error).message };
    }
  }

  async #step(to: string, archived: LogPosition | null): Promise<MovedLog | undefined> {
    const { world } = this.#options;
    if (this.#run === undefined) {
      const begun = await this.#begin(to, archived);
      if (!('mover' in begun)) return begun;
      this.#run = begun;
    }
    const run = this.#run;
    await run.mover.step();
    run.moved += 1;
    const { left, seq } = run.mover;
    return left === 0 || world.monotonicMs() >= run.untilMs
      ? { moved: run.moved, left, seq, ...noteOf(run.mover) }
      : undefined;
  }

  async #begin(to: string, archived: LogPosition | null): Promise<Run | MovedLog> {
    const { storage, identity, world, open } = this.#options;
    if (open === undefined) throw new Error('this log has no folder');
    const needed = await neededRecords(storage, identity.rules, archived);
    if (typeof needed === 'string') return nothingMoved((await storage.source.moved())?.seq ?? 0, needed);
    const mover = await open(to, { venueId: identity.venueId, needed });
    if (mover.left === 0) return { ...nothingMoved(mover.seq), ...noteOf(mover) };
    return { mover, untilMs: world.monotonicMs() + MOST_MS, moved: 0 };
  }
}
