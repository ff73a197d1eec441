/**
 * The command of a recorded market. It is refused as a whole, or played as a whole.
 */

import { afterSweep } from '../algos/after-sweep.ts';
import type { PlayMarket } from '../contract/commands.ts';
import { stepsProblem } from '../contract/market-steps.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import { playSteps } from '../execution/play-steps.ts';
import type { Market } from '../state/market.ts';
import type { Playback } from '../state/playback.ts';
import type { VenueState } from '../state/venue-state.ts';
import { setPrices } from './admin.ts';

/** Null: it can be played. */
export function playRefusal(venue: VenueState, command: PlayMarket): Refusal | null {
  const market = venue.markets[command.market];
  if (market === undefined) return refuse('unknownMarket', { symbol: command.market });
  const { symbol, playback } = market;
  if (playback === null) return refuse('marketNotRecorded', { symbol });
  const { position, recordedMs, toMs } = command;
  const isTime = (ms: number) => Number.isSafeInteger(ms) && ms >= 0;
  if (!isTime(position) || position < playback.position || !isTime(recordedMs) || !isTime(toMs)) {
    return refuse('recordingUnfit', { symbol, problem: `position ${position} at ${recordedMs} is not after the last` });
  }
  const problem = stepsProblem(command.steps, market.maxPriceTicks);
  return problem === null ? null : refuse('recordingUnfit', { symbol, problem });
}

/** Time has passed, and the command is not refused. */
export function playMarket(venue: VenueState, { market: index, steps, position, recordedMs, toMs }: PlayMarket): void {
  const market = venue.markets[index];
  const playback = market.playback as Playback;
  playSteps(venue, market, playback, steps, (fine, mark) => setReferences(venue, market, fine, mark));
  playback.position = position;
  playback.recordedMs = recordedMs;
  playback.playedMs = toMs;
  afterSweep(venue);
}

/** As if a feed had sent them. A mark of the record holds until the next one. */
function setReferences(venue: VenueState, market: Market, index: number, mark: number): void {
  const of = { v: 1, type: 'setPrices', market: market.index, byHand: false } as const;
  setPrices(venue, { ...of, ...(index > 0 && { index }), ...(mark > 0 && { mark }) });
}
