/**
 * Reads that wait until the venue has reached a seq, so that a client finds on a standby what the leader answered.
 *
 * - Each reply has the header `Bourse-Seq`: the reply includes every command up to that seq.
 * - A request with the parameter `atLeastSeq` waits until the venue has reached that seq. After WAIT_MS it is refused.
 *
 * Cost: a comparison a batch, however many wait. A request waits before its signature is checked, so anyone can add one.
 */
import type { World } from '../../engine/contract/world.ts';
import type { EngineListener } from '../../engine/listeners.ts';
import { ApiError, malformed, shortened } from './errors.ts';

export const SEQ_HEADER = 'Bourse-Seq';
export const AT_LEAST = 'atLeastSeq';
/** How long a request waits. A standby is a few milliseconds behind. */
export const WAIT_MS = 1000;

interface Followed {
  readonly venue: { readonly seq: number };
  listen(listener: EngineListener): () => void;
}

export class AtLeastSeq {
  readonly #engine: Followed;
  readonly #world: Pick<World, 'timer'>;
  readonly #waiting = new Set<{ readonly seq: number; readonly resolve: () => void }>();
  /** None of them waits for an earlier one. */
  #leastSeq = Number.POSITIVE_INFINITY;

  constructor(engine: Followed, world: Pick<World, 'timer'>) {
    this.#engine = engine;
    this.#world = world;
    engine.listen({ batchApplied: (seq) => this.#reached(seq) });
  }

  /** Resolves when the venue has reached the seq. Undefined: it has already. @throws {ApiError} it is no seq; the promise: after WAIT_MS */
  wait(given: string): Promise<void> | undefined {
    if (!/^\d{1,15}$/.test(given)) throw malformed(AT_LEAST, `is ${shortened(given)}`, 'give a whole number');
    const seq = Number(given);
    if (this.#engine.venue.seq >= seq) return undefined;
    return new Promise((resolve, reject) => {
      const waiting = {
        seq,
        resolve: () => {
          this.#waiting.delete(waiting);
          timer.clear();
          resolve();
        },
      };
      const timer = this.#world.timer(WAIT_MS, () => {
        this.#waiting.delete(waiting);
        reject(new ApiError('behind', { seq: this.#engine.venue.seq, wanted: seq }));
      });
      timer.unref();
      this.#waiting.add(waiting);
      this.#leastSeq = Math.min(this.#leastSeq, seq);
    });
  }

  #reached(seq: number): void {
    if (seq < this.#leastSeq) return;
    this.#leastSeq = Number.POSITIVE_INFINITY;
    for (const waiting of [...this.#waiting]) {
      if (waiting.seq <= seq) waiting.resolve();
      else this.#leastSeq = Math.min(this.#leastSeq, waiting.seq);
    }
  }
}

/** The parameter of a query, and the query without it. The value is undefined if the query has none. */
export function takeAtLeast(query: string): { readonly query: string; readonly atLeast: string | undefined } {
  if (!query.includes(AT_LEAST)) return { query, atLeast: undefined };
  let atLeast: string | undefined;
  const rest = query.split('&').filter((pair) => {
    const isIt = pair === AT_LEAST || pair.startsWith(`${AT_LEAST}=`);
    if (isIt && atLeast !== undefined) throw malformed(AT_LEAST, 'is given twice', 'give it once');
    if (isIt) atLeast = pair.slice(AT_LEAST.length + 1);
    return !isIt;
  });
  return { query: rest.join('&'), atLeast };
}
