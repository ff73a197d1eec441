/** A market's candles, for pictures that need no chart. */
import { follow } from './feed.js';
import { useEffect, useSignal } from './ui.js';

/**
 * @typedef {{ startMs: number, endMs: number, low: number, high: number, close: number }} Candle epoch ms
 * @param {string} symbol @param {number} minutes of a candle @returns {import('@preact/signals').Signal<Candle[]>}
 */
export function useCandles(symbol, minutes) {
  const candles = useSignal(/** @type {Candle[]} */ ([]));
  useEffect(() => {
    /** @type {Map<number, Candle>} */
    const known = new Map();
    return follow(`candles:${symbol}:${minutes}`, ({ type, data }) => {
      if (type === 'snapshot') known.clear();
      for (const { startMs, low, high, close } of data?.candles ?? []) {
        const [least, most, last] = [low, high, close].map(Number);
        known.set(startMs, { startMs, endMs: startMs + minutes * 60_000, low: least, high: most, close: last });
      }
      candles.value = [...known.values()];
    });
  }, [symbol, minutes]);
  return candles;
}
