/**
 * Candles with what the chosen account did and waits for: its fills as triangles, its orders and its entry as lines with
 * words, which make room for each other. The same facts are in the table below the chart, for those who cannot see it.
 */
import { kindOf } from '../../story/words.js';
import { follow } from '../feed.js';
import { fixed, grouped, momentText, percent } from '../format.js';
import { isWaiting, priceDecimals, priceOf, priceText, sizeOf, sizeText } from '../orders.js';
import { lookBack } from '../past.js';
import { liquidationDistance } from '../positions.js';
import { pastSeq } from '../router.js';
import { moment } from '../store.js';
import { html, useEffect, useLayoutEffect, useRef, useSignal, useSignalEffect } from '../ui.js';
import { CandleChart } from './candle-chart.js';
import { FillMark } from './icons.js';
import { Segments } from './parts.js';

const INTERVALS = /** @type {const} */ ([
  ['1', '1m'],
  ['5', '5m'],
  ['15', '15m'],
  ['60', '1h'],
  ['1440', '1d'],
]);

/**
 * @param {{ symbol: string, market: any, orders: import('@preact/signals').ReadonlySignal<any[]>, fills: import('@preact/signals').Signal<any>,
 *   position: import('@preact/signals').ReadonlySignal<any[]>, flags: import('@preact/signals').ReadonlySignal<readonly Flag[]>, picker: any }} props
 */
export function Chart({ symbol, market, orders, fills, position, flags, picker }) {
  const minutes = useSignal(/** @type {string} */ (localStorage.getItem('minutes') ?? '1'));
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const labels = useRef(/** @type {HTMLElement | null} */ (null));
  const drawn = useRef(/** @type {CandleChart | null} */ (null));
  const off = useSignal('');
  const pointed = useSignal('');
  const isEmpty = useSignal(true);

  useLayoutEffect(() => {
    if (place.current === null || labels.current === null) return undefined;
    const made = new CandleChart(place.current, labels.current, priceDecimals(market), Number(market?.tick ?? 0.01));
    drawn.current = made;
    made.onPointed((candle) => {
      pointed.value = candle === undefined ? '' : candleWords(candle, market);
    });
    const repaint = () => made.paint();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('themechange', repaint);
    scheme.addEventListener('change', repaint);
    return () => {
      removeEventListener('themechange', repaint);
      scheme.removeEventListener('change', repaint);
      made.remove();
      drawn.current = null;
    };
  }, [symbol, market?.tick]);

  const seq = pastSeq.value;
  useEffect(() => {
    const topic = `candles:${symbol}:${minutes.value}`;
    if (seq !== null) {
      return lookBack(topic, seq, (candles) => {
        isEmpty.value = candles.length === 0;
        drawn.current?.setCandles(candles);
      });
    }
    return follow(topic, ({ type, data }) => {
      if (type === 'snapshot') isEmpty.value = !(data?.candles?.length > 0);
      else if (data?.candles?.length > 0) isEmpty.value = false;
      if (type === 'snapshot') drawn.current?.setCandles(data?.candles ?? []);
      else drawn.current?.updateCandles(data?.candles ?? []);
    });
  }, [symbol, minutes.value, seq]);

  useSignalEffect(() => {
    const own = (fills.value ?? []).filter((/** @type {any} */ fill) => fill.symbol === symbol);
    drawn.current?.setFills(own, Number(minutes.value));
  });
  useSignalEffect(() => {
    const [shown, held] = [orders.value, position.value];
    drawn.current?.setLines(linesOf(shown, held, market));
    off.value = liquidationWords(held[0]);
  });
  useSignalEffect(() => {
    drawn.current?.setFlags(flags.value, Number(minutes.value));
  });

  return html`<section class="pane chart" aria-label=${`Chart of ${symbol}`}>
    <div class="pane-head">
      <${Segments} label="Length of a candle" choices=${INTERVALS} chosen=${minutes.value} onChoose=${(
        /** @type {string} */ each,
      ) => {
        minutes.value = each;
        localStorage.setItem('minutes', each);
      }} />
      <span class="note c2 nowrap"><span>hollow rises, filled falls · <span class="buy"><${FillMark} side="BUY" /></span> you bought <span class="sell"><${FillMark} side="SELL" /></span> you sold</span></span>
      <span class="end">${picker}</span>
    </div>
    <div class="chart-place">
      <div class="canvas" ref=${place} role="img" aria-label=${`Candles of ${symbol}. Own orders are in the table below.`}></div>
      <div class="chart-labels" ref=${labels}></div>
      <p class="no-candles ink2" hidden=${!isEmpty.value}>No trade yet, so no candle. Lines of orders appear with the first one.</p>
      <p class="ohlc" hidden=${pointed.value === ''}>${pointed}</p>
      <p class="off-scale ink2" hidden=${off.value === ''}>${off}</p>
    </div>
  </section>`;
}

/** @param {any} candle @param {any} market */
function candleWords({ startMs, open, high, low, close, volume }, market) {
  const price = (/** @type {any} */ value) => priceText(market, value);
  const at = momentText(startMs, moment.peek()?.timeMs ?? startMs);
  return `${at} · open ${price(open)} · high ${price(high)} · low ${price(low)} · close ${price(close)} · volume ${sizeText(market, volume)}`;
}

/** @typedef {import('./chart-labels.js').Flag} Flag @typedef {import('./chart-labels.js').Line} Line */

/** @param {any[]} orders @param {any[]} position @param {any} market @returns {Line[]} */
function linesOf(orders, position, market) {
  const lines = orders.flatMap((order) => {
    const { price } = priceOf(order);
    if (price === null || Number(price) === 0) return [];
    const tone = order.side === 'BUY' ? 'buy' : 'sell';
    const text = `${order.side.toLowerCase()} ${sizeOf(order, market)} ${kindOf(order)} at ${priceText(market, price)}`;
    return [{ price: Number(price), text, tone: /** @type {'buy' | 'sell'} */ (tone), isDashed: isWaiting(order) }];
  });
  for (const held of position) {
    const entry = Number(held.entryPrice);
    const text = `${held.direction.toLowerCase()} ${grouped(held.size)}, entry at ${fixed(entry, priceDecimals(market))}`;
    lines.push({ price: entry, text, tone: /** @type {any} */ ('ink3'), isDashed: true });
  }
  return lines;
}

/** @param {any} held */
function liquidationWords(held) {
  const distance = held === undefined ? null : liquidationDistance(held);
  if (distance === null) return '';
  const [sign, where] = held.direction === 'LONG' ? ['▾', 'below'] : ['▴', 'above'];
  return `${sign} liquidation at ${grouped(held.liquidationPrice)}, ${percent(distance, 1)} ${where}`;
}
