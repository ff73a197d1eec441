/**
 * Candles with what the chosen account did and waits for: its fills as triangles, its orders and its entry as lines with
 * words, which make room for each other. The same facts are in the table below the chart, for those who cannot see it.
 */
import {
  CandlestickSeries,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  LineStyle,
} from 'lightweight-charts';
import { follow } from '../feed.js';
import { grouped, momentText, percent } from '../format.js';
import { isWaiting, kindOf, priceDecimals, priceOf, priceText, sizeOf, sizeText } from '../orders.js';
import { lookBack } from '../past.js';
import { liquidationDistance } from '../positions.js';
import { pastSeq } from '../router.js';
import { moment, tickers } from '../store.js';
import { html, useEffect, useLayoutEffect, useRef, useSignal, useSignalEffect } from '../ui.js';
import { FillMark } from './icons.js';
import { Segments } from './parts.js';

const INTERVALS = /** @type {const} */ ([
  ['1', '1m'],
  ['5', '5m'],
  ['15', '15m'],
  ['60', '1h'],
  ['1440', '1d'],
]);
/** The height of a label and its distance to the next. */
const LABEL_PX = 17;
const NARROW_PX = 560;
/** A line that is farther from the candles than this share of the price would press them flat. */
const NEAR = 0.006;

/** @param {string} name */
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/**
 * @param {{ symbol: string, market: any, orders: import('@preact/signals').ReadonlySignal<any[]>, fills: import('@preact/signals').Signal<any>,
 *   position: import('@preact/signals').ReadonlySignal<any[]>, flags: import('@preact/signals').ReadonlySignal<readonly Flag[]>, picker: any }} props
 */
export function Chart({ symbol, market, orders, fills, position, flags, picker }) {
  const minutes = useSignal(/** @type {string} */ (localStorage.getItem('minutes') ?? '1'));
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const labels = useRef(/** @type {HTMLElement | null} */ (null));
  const drawn = useRef(/** @type {Drawn | null} */ (null));
  const off = useSignal('');
  const pointed = useSignal('');
  const isEmpty = useSignal(true);

  useLayoutEffect(() => {
    if (place.current === null || labels.current === null) return undefined;
    const made = new Drawn(place.current, labels.current, priceDecimals(market), Number(market?.tick ?? 0.01));
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
  useSignalEffect(() => {
    drawn.current?.setLast(Number(tickers.value.get(symbol)?.last ?? 0));
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

/** @typedef {{ seq: number, timeMs: number, text: string }} Flag a point in the log */
/** @typedef {{ price: number, text: string, tone: 'buy' | 'sell' | 'ink3', isDashed: boolean }} Line */
/** @typedef {{ text: string, tone: string, at: number, isEdge: boolean }} Edge */

/** @param {any[]} orders @param {any[]} position @param {any} market @returns {Line[]} */
function linesOf(orders, position, market) {
  const lines = orders.flatMap((order) => {
    const { price } = priceOf(order);
    if (price === null || Number(price) === 0) return [];
    const tone = order.side === 'BUY' ? 'buy' : 'sell';
    const text = `${order.side.toLowerCase()} ${sizeOf(order, market)} ${kindOf(order)}`;
    return [{ price: Number(price), text, tone: /** @type {'buy' | 'sell'} */ (tone), isDashed: isWaiting(order) }];
  });
  for (const held of position) {
    const text = `${held.direction.toLowerCase()} ${grouped(held.size)}, entry`;
    lines.push({ price: Number(held.entryPrice), text, tone: /** @type {any} */ ('ink3'), isDashed: true });
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

/** @param {number} startMs */
const timeOf = (startMs) => /** @type {import('lightweight-charts').UTCTimestamp} */ (startMs / 1000);

/** The chart itself, which draws on a canvas. */
class Drawn {
  /** @param {HTMLElement} place @param {HTMLElement} labels @param {number} decimals @param {number} tick */
  constructor(place, labels, decimals, tick) {
    this.labels = labels;
    this.priceOf = (/** @type {number} */ price) => grouped(price.toFixed(decimals));
    /** @type {Line[]} */
    this.lines = [];
    /** @type {readonly Flag[]} */
    this.flags = [];
    this.minutes = 1;
    /** @type {import('lightweight-charts').IPriceLine[]} */
    this.priceLines = [];
    /** @type {Map<number, any>} */
    this.candles = new Map();
    /** @type {[any[], number]} */
    this.fills = [[], 1];
    this.isScheduled = false;
    this.isGone = false;
    this.chart = createChart(place, {
      autoSize: true,
      layout: { attributionLogo: false, fontSize: 11 },
      rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.18 } },
      timeScale: {
        timeVisible: true,
        borderVisible: false,
        rightOffset: place.clientWidth > NARROW_PX ? 25 : 4,
        barSpacing: 8,
        minBarSpacing: 2,
      },
      crosshair: { mode: CrosshairMode.Normal },
      localization: { priceFormatter: this.priceOf },
    });
    this.series = this.chart.addSeries(CandlestickSeries, {
      priceFormat: { type: 'price', precision: decimals, minMove: tick },
      priceLineStyle: LineStyle.Dotted,
      autoscaleInfoProvider: (/** @type {() => any} */ usual) => this.withLines(usual()),
    });
    this.volume = this.chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.88, bottom: 0 } });
    this.markers = createSeriesMarkers(this.series, []);
    // The scale moved: the labels move with it.
    this.series.attachPrimitive({ updateAllViews: () => this.schedule() });
    this.paint();
  }

  /** The colours of the theme. */
  paint() {
    const [panel, line, ink3, ink] = ['panel', 'line', 'ink3', 'ink'].map(token);
    const [buy, sell] = ['buy', 'sell'].map(token);
    this.chart.applyOptions({
      layout: { background: { color: panel }, textColor: ink3, fontFamily: getComputedStyle(document.body).fontFamily },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
      crosshair: {
        vertLine: { color: ink3, labelBackgroundColor: ink },
        horzLine: { color: ink3, labelBackgroundColor: ink },
      },
    });
    this.series.applyOptions({
      upColor: panel,
      borderUpColor: buy,
      wickUpColor: buy,
      downColor: sell,
      borderDownColor: sell,
      wickDownColor: sell,
      priceLineColor: ink,
    });
    this.volume.setData([...this.candles.values()].map((candle) => this.volumeOf(candle)));
    this.setFills(...this.fills);
    this.setLines(this.lines, true);
  }

  /** @param {any} candle */
  volumeOf({ startMs, open, close, volume }) {
    const color = token(Number(close) >= Number(open) ? 'buyb' : 'sellb');
    return { time: timeOf(startMs), value: Number(volume), color };
  }

  /** @param {any[]} rows */
  setCandles(rows) {
    this.candles = new Map(rows.map((row) => [row.startMs, row]));
    this.series.setData(rows.map(barOf));
    this.volume.setData(rows.map((row) => this.volumeOf(row)));
    this.setFills(...this.fills);
    this.chart.timeScale().scrollToRealTime();
  }

  /** @param {any[]} rows in order of time */
  updateCandles(rows) {
    for (const row of rows) {
      const latest = [...this.candles.keys()].at(-1) ?? 0;
      const isLate = row.startMs < latest;
      this.candles.set(row.startMs, row);
      this.series.update(barOf(row), isLate);
      this.volume.update(this.volumeOf(row), isLate);
    }
  }

  /** @param {any[]} fills @param {number} minutes */
  setFills(fills, minutes) {
    this.fills = [fills, minutes];
    const lengthMs = minutes * 60_000;
    const [first] = this.candles.keys();
    /** @type {Map<string, any>} */
    const shown = new Map();
    for (const { time, side, price } of fills) {
      const startMs = Math.floor(time / lengthMs) * lengthMs;
      if (first === undefined || startMs < first) continue;
      const isBuy = side === 'BUY';
      // The tip is at the price.
      shown.set(`${startMs} ${side} ${price}`, {
        time: timeOf(startMs),
        position: isBuy ? 'atPriceBottom' : 'atPriceTop',
        price: Number(price),
        shape: isBuy ? 'arrowUp' : 'arrowDown',
        color: token(isBuy ? 'buy' : 'sell'),
        size: 0.7,
      });
    }
    this.markers.setMarkers([...shown.values()].sort((a, b) => a.time - b.time));
  }

  /** @param {Line[]} lines @param {boolean} [force] */
  setLines(lines, force = false) {
    if (!force && JSON.stringify(lines) === JSON.stringify(this.lines)) return;
    this.lines = lines;
    for (const line of this.priceLines) this.series.removePriceLine(line);
    this.priceLines = lines.map(({ price, tone, isDashed }) =>
      this.series.createPriceLine({
        price,
        color: token(tone),
        lineWidth: 1,
        lineStyle: tone === 'ink3' ? LineStyle.Dotted : isDashed ? LineStyle.Dashed : LineStyle.Solid,
        axisLabelVisible: false,
        title: '',
      }),
    );
    this.schedule();
  }

  /** Says which candle the pointer is over. @param {(candle: any) => void} take undefined: none */
  onPointed(take) {
    this.chart.subscribeCrosshairMove(({ time }) => take(this.candles.get(Number(time) * 1000)));
  }

  /** @param {readonly Flag[]} flags @param {number} minutes */
  setFlags(flags, minutes) {
    this.flags = flags;
    this.minutes = minutes;
    this.schedule();
  }

  /** @param {number} last */
  setLast(last) {
    if (last > 0) this.schedule();
  }

  /** The scale has room for the lines that are near the candles. @param {any} info */
  withLines(info) {
    if (info === null || info.priceRange === null) return info;
    const { minValue, maxValue } = info.priceRange;
    const near = this.lines
      .map(({ price }) => price)
      .filter((price) => price > minValue * (1 - NEAR) && price < maxValue * (1 + NEAR));
    return { ...info, priceRange: { minValue: Math.min(minValue, ...near), maxValue: Math.max(maxValue, ...near) } };
  }

  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      if (!this.isGone) this.place();
    });
  }

  /** Puts each label beside its line, and apart from the others. */
  place() {
    const { labels } = this;
    const width = labels.clientWidth;
    const height = labels.clientHeight - this.chart.timeScale().height();
    const seen = this.lines.flatMap((line) => {
      const y = this.series.priceToCoordinate(line.price);
      return y === null || y < 0 || y > height ? [] : [{ ...line, y: Number(y), at: Number(y), isEdge: false }];
    });
    seen.sort((a, b) => a.y - b.y);
    const edges = this.edges(height);
    const [top, bottom] = edges.map((edge) => (edge === null ? 0 : LABEL_PX));
    if (seen.length > 0) seen[0].at = Math.max(seen[0].at, LABEL_PX / 2 + 1 + top);
    for (let i = 1; i < seen.length; i++) seen[i].at = Math.max(seen[i].at, seen[i - 1].at + LABEL_PX);
    // None is cut at the top, nor at the bottom.
    const below = (seen.at(-1)?.at ?? 0) + LABEL_PX / 2 - (height - bottom);
    if (below > 0) for (const each of seen) each.at -= below;
    const isNarrow = width < NARROW_PX;
    const right = this.chart.priceScale('right').width() + 6;
    const beyond = edges.filter((edge) => edge !== null);
    const nodes = [...(isNarrow ? [] : seen), ...beyond].map(({ at, text, tone, isEdge }) => {
      const node = document.createElement('span');
      node.className = `chart-label ${tone} ${isEdge ? 'edge' : ''}`;
      node.textContent = text;
      node.style.top = `${Math.round(at - LABEL_PX / 2)}px`;
      node.style.right = `${Math.round(right)}px`;
      return node;
    });
    labels.replaceChildren(...nodes, ...this.flagNodes(height));
  }

  /**
   * What lies above and below the prices that are shown: the nearest, with its price, and how many others.
   * @param {number} height @returns {[above: Edge | null, below: Edge | null]}
   */
  edges(height) {
    const [high, low] = [this.series.coordinateToPrice(0), this.series.coordinateToPrice(height)].map(Number);
    const edge = (/** @type {Line[]} */ lines, /** @type {string} */ sign, /** @type {number} */ at) => {
      const [nearest] = lines;
      if (nearest === undefined) return null;
      const others = lines.length > 1 ? `, and ${lines.length - 1} more` : '';
      return {
        text: `${sign} ${nearest.text} at ${this.priceOf(nearest.price)}${others}`,
        tone: nearest.tone,
        at,
        isEdge: true,
      };
    };
    const sorted = [...this.lines].sort((a, b) => a.price - b.price);
    const above = sorted.filter(({ price }) => price > high);
    const below = sorted.filter(({ price }) => price < low).reverse();
    return [edge(above, '▴', LABEL_PX / 2 + 1), edge(below, '▾', height - LABEL_PX / 2)];
  }

  /** Each flag as a line over the candle of its time, with a link to its seq. @param {number} height */
  flagNodes(height) {
    if (this.candles.size === 0) return [];
    const lengthMs = this.minutes * 60_000;
    // A moment after the last trade is at the last candle.
    const last = /** @type {number} */ ([...this.candles.keys()].at(-1));
    return this.flags.flatMap(({ seq, timeMs, text }) => {
      const startMs = Math.min(last, Math.floor(timeMs / lengthMs) * lengthMs);
      const x = this.chart.timeScale().timeToCoordinate(timeOf(startMs));
      if (x === null) return [];
      const line = document.createElement('i');
      line.className = 'flag-line';
      line.style.left = `${Math.round(x)}px`;
      line.style.height = `${height}px`;
      const label = document.createElement('a');
      label.className = 'flag log';
      label.href = `/time?seq=${seq}`;
      label.textContent = text;
      label.style.right = `calc(100% - ${Math.round(x) - 4}px)`;
      return [line, label];
    });
  }

  remove() {
    this.isGone = true;
    this.chart.remove();
  }
}

/** @param {any} candle */
function barOf({ startMs, open, high, low, close }) {
  return { time: timeOf(startMs), open: Number(open), high: Number(high), low: Number(low), close: Number(close) };
}
