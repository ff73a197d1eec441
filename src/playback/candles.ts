/** Candles of a recording as trades and books, whose candles are the same again. */
import type { MarketEvent } from '../recorded/events.ts';
import { RecordingRefused } from '../recorded/refused.ts';

export interface CandleOptions {
  readonly paths: readonly string[];
}

/** The events, with trades and books in the places of candles. */
export function* candleEvents(events: readonly MarketEvent[], { paths }: CandleOptions): Generator<MarketEvent> {
  for (const event of events) {
    if (event.kind === 'candle') throw new RecordingRefused(paths[0], 'candles cannot be played yet');
    yield event;
  }
}
