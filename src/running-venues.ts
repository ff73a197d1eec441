/** The parts behind the venues that `startVenue` returned, for `bourse scenario`, which drives one from inside. */
import type { RunningVenue } from './start.ts';

const RUNNING = new WeakMap<object, RunningVenue>();

export function remember(venue: object, running: RunningVenue): void {
  RUNNING.set(venue, running);
}

export function partsOf(venue: object): RunningVenue {
  const running = RUNNING.get(venue);
  if (running === undefined) throw new Error('this is no venue of startVenue');
  return running;
}
