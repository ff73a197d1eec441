/**
 * What is due and throws is a bug of the venue. It is named, so that the log can say that it is left out: then whoever
 * applies the same command again does, in its place, only what is sure not to throw. Without that the next command would
 * fail at it, too, and every command after it.
 *
 * Invariant: each time that the same one fails less is done of it, the third time nothing that can throw (clock.ts).
 * What is due again and again and has failed three times is left out to the end of the command: else a long advance, or the
 * first tick after a long stop, would make the venue again once a minute of it.
 */
import {
  TIMER_ALGO,
  TIMER_DEAD_MAN,
  TIMER_EXPIRY,
  TIMER_FEED,
  TIMER_FUNDING,
  TIMER_LIQUIDATION,
  type Timed,
} from './timer-queue.ts';

export const DUE_KINDS = ['minute', 'expiry', 'deadMan', 'algo', 'liquidation', 'feed', 'distressed'] as const;

/** By what a timer is known in every process that comes to it. */
export interface Due {
  readonly kind: (typeof DUE_KINDS)[number];
  /** Epoch milliseconds. */
  readonly dueMs: number;
  /** `Timed.key`: the order's key, or a number of its market or account. */
  readonly key: number;
}

const KIND_OF: { readonly [rank: number]: Due['kind'] } = {
  [TIMER_FUNDING]: 'minute',
  [TIMER_EXPIRY]: 'expiry',
  [TIMER_DEAD_MAN]: 'deadMan',
  [TIMER_ALGO]: 'algo',
  [TIMER_LIQUIDATION]: 'liquidation',
  [TIMER_FEED]: 'feed',
};

export function dueOf({ timerRank, dueMs, key }: Timed): Due {
  return { kind: KIND_OF[timerRank], dueMs, key };
}

export class DueFailed extends Error {
  override readonly name = 'DueFailed';
  readonly due: Due;

  constructor(due: Due, cause: unknown) {
    super(`${due.kind} ${due.key}, due at ${due.dueMs}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.due = due;
  }
}

const MOST_IN_A_COMMAND = 3;

/** How often this one has failed already, where the command in hand was applied before. */
export function failuresOf(leftOut: readonly Due[], { kind, dueMs, key }: Due): number {
  if (leftOut.length === 0) return 0;
  const so = leftOut.filter((other) => other.kind === kind && other.key === key && other.dueMs <= dueMs);
  const now = so.filter((other) => other.dueMs === dueMs).length;
  return now === 0 && so.length >= MOST_IN_A_COMMAND ? 1 : now;
}
