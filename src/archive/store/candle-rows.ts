/** What a row of `candles` refers to: its level, and the candle before it. */
import type { CandleLevel } from '../../market-data/history.ts';
import { candleNumber, candleStartMs } from '../../market-data/resolution.ts';

/** In place of the start of a candle: there is none. */
export const NO_CANDLE = -1;

/** When the candle that a time falls into begins. */
export function levelStartMs(level: CandleLevel, timeMs: number): number {
  return candleStartMs(level, candleNumber(level, timeMs));
}
