/**
 * Which of the waiting questions is answered next: the oldest one of the account that was answered longest ago. So many
 * questions of one account delay another's by one answer each. Questions that are no account's take turns as one.
 *
 * Cost: a pass over the waiting questions, of which there are at most MOST_ASKED.
 */
import { type AnyQuestion, ownerOf } from './messages.ts';

const NOBODY = '';

export class FairTurns {
  /** The turn in which each account was last answered. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  /** Undefined: none is ready. `waiting`: oldest first. */
  next(waiting: readonly AnyQuestion[], isReady: (question: AnyQuestion) => boolean): AnyQuestion | undefined {
    if (waiting.length === 0) this.#turns.clear();
    let next: AnyQuestion | undefined;
    for (const question of waiting) {
      if (isReady(question) && (next === undefined || this.#turnOf(question) < this.#turnOf(next))) next = question;
    }
    if (next !== undefined) {
      this.#turn += 1;
      this.#turns.set(ownerOf(next) ?? NOBODY, this.#turn);
    }
    return next;
  }

  #turnOf(question: AnyQuestion): number {
    return this.#turns.get(ownerOf(question) ?? NOBODY) ?? 0;
  }
}
