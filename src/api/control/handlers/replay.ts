/** The recording that the venue plays: what it is, how far it has come, how good it is. */
import type { ControlContext } from '../context.ts';
import { marketStatus } from '../views.ts';

/** `replay` is null for a venue without a recording. */
export async function showReplay(context: ControlContext): Promise<object> {
  const { venue, clock, player } = context;
  const { recording } = venue;
  if (recording === null) return { seq: venue.seq, replay: null };
  const { market, files } = recording;
  const { queue, healAfterMs, position, recordedMs, playedMs, trades, tradesFit } = market.playback!;
  const { next } = player ?? {};
  return {
    seq: venue.seq,
    replay: {
      symbol: market.symbol,
      files,
      state: stateOf(context),
      problem: player?.problem ?? null,
      status: marketStatus(market),
      recordedMs: position === 0 ? null : recordedMs,
      playedMs: position === 0 ? null : playedMs,
      nextRecordedMs: next?.recordedMs ?? null,
      nextDueMs: next?.dueMs ?? null,
      lagMs: Math.round(player?.lagMs ?? 0),
      speed: clock?.speed ?? null,
      events: position,
      trades,
      tradesFit,
      fits: player?.fits ?? null,
      userTakenRatio: player?.takenRatio ?? null,
      queue,
      healAfterMs,
    },
  };
}

function stateOf({ player }: ControlContext): string {
  if (player === null) return 'notPlayed';
  if (player.problem !== undefined) return 'broken';
  if (player.hasEnded) return player.hasHandedOver ? 'handedOver' : 'ended';
  return player.isBehind ? 'behind' : 'playing';
}
