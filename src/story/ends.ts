/** How an order has ended, in the same words everywhere: stories, lists of orders, effects of a command, the terminal. */
import type { Figures, Left, MarketFacts } from './facts.ts';
import { because } from './reasons.ts';
import { grouped } from './text.ts';

/** Why a BUY for an amount of money is done, though some of the money is left. Its state is `partlyFilled`. */
export const SPENT = 'what is left of its money buys no further lot';

/** Whether an order in that state is not ended. */
export function isLiveState(state: string): boolean {
  return state === 'working' || state === 'waiting';
}

/** A state that an order ended in, as a word. */
export function endWord(state: string): string {
  return state === 'partlyFilled' ? 'done' : state;
}

/** "cancelled: the client asked for it". `reason`: null or undefined if it has none. */
export function endText(state: string, reason: unknown, figures?: Figures, market?: MarketFacts): string {
  if (state === 'partlyFilled') return `${endWord(state)}: ${SPENT}`;
  return reason === null || reason === undefined
    ? endWord(state)
    : `${endWord(state)}: ${because(reason, figures, market)}`;
}

/** "the reset at seq 43,118". */
export function leftBy({ by, at }: Left): string {
  return `the ${by === 'reset' ? 'reset' : 'return to a snapshot'} at seq ${grouped(String(at))}`;
}

/** Of an order that had not ended when its branch was left: "removed by the reset at seq 43,118". */
export function removedText(left: Left): string {
  return `removed by ${leftBy(left)}`;
}
