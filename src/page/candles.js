/** Closes of a market's candles, for pictures that need no chart. */
import { follow } from './feed.js';
import { useEffect, useSignal } from './ui.js';

/** @param {string} symbol @param {number} minutes of a candle @returns {import('@preact/signals').Signal<{ time: number, price: number }[]>} `time`: its end, epoch ms */
export function useCloses(symbol, minutes) {
  const closes = useSignal(/** @type {{ time: number, price: number }[]} */ ([]));
  useEffect(() => {
    /** @type {Map<number, number>} */
    const known = new Map();
    return follow(`candles:${symbol}:${minutes}`, ({ type, data }) => {
      if (type === 'snapshot') known.clear();
      for (const { startMs, close } of data?.candles ?? []) known.set(startMs + minutes * 60_000, Number(close));
      closes.value = [...known].map(([time, price]) => ({ time, price }));
    });
  }, [symbol, minutes]);
  return closes;
}
