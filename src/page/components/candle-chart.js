/** The candles and what lies over them, on a canvas. The words beside lines and flags are elements over it (chart-labels.js). */
import {
  CandlestickSeries,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  LineStyle,
} from 'lightweight-charts';
import { grouped } from '../format.js';
import { isHurried } from '../hurry.js';
import { ChartLabels, NARROW_PX } from './chart-labels.js';

/** @typedef {import('./chart-labels.js').Flag} Flag @typedef {import('./chart-labels.js').Line} Line */

/** A line that is farther from the candles than this share of the price would press them flat. */
const NEAR = 0.006;
/** Each change has all canvases drawn, which is dear: while nobody does anything, what has changed is drawn twice a second. */
const DRAW_MS = 400;
/** The next change of the stream comes within this: both are drawn in one frame. */
const NEXT_MS = 150;

const COLOURS = /** @type {const} */ (['panel', 'line', 'ink', 'ink3', 'buy', 'sell', 'buyb', 'sellb']);

/** @param {number} startMs */
const timeOf = (startMs) => /** @type {import('lightweight-charts').UTCTimestamp} */ (startMs / 1000);

export class CandleChart {
  /** @param {HTMLElement} place @param {HTMLElement} labels @param {number} decimals @param {number} tick */
  constructor(place, labels, decimals, tick) {
    const priceOf = (/** @type {number} */ price) => grouped(price.toFixed(decimals));
    /** @type {Line[]} */
    this.lines = [];
    /** @type {import('lightweight-charts').IPriceLine[]} */
    this.priceLines = [];
    /** By start. @type {Map<number, any>} */
    this.candles = new Map();
    this.lastMs = 0;
    /** Candles that are not drawn yet. @type {Map<number, any>} */
    this.changed = new Map();
    /** What is to be drawn, by what it is. @type {Map<string, () => void>} */
    this.waiting = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.drawnAtMs = Number.NEGATIVE_INFINITY;
    /** @type {[any[], number]} */
    this.fills = [[], 1];
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
      localization: { priceFormatter: priceOf },
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
    const { chart, series } = this;
    this.labels = new ChartLabels(labels, {
      lines: () => this.lines,
      yOf: (price) => series.priceToCoordinate(price),
      priceAt: (y) => Number(series.coordinateToPrice(y)),
      xOf: (timeMs, lengthMs) => {
        if (this.candles.size === 0) return null;
        const startMs = Math.floor(timeMs / lengthMs) * lengthMs;
        if (startMs <= this.lastMs) return chart.timeScale().timeToCoordinate(timeOf(startMs));
        // A moment after the last trade has no candle: it is as far to the right as its candle would be.
        const last = /** @type {import('lightweight-charts').Logical} */ (this.candles.size - 1);
        const later = (startMs - this.lastMs) / lengthMs;
        return chart.timeScale().logicalToCoordinate(/** @type {typeof last} */ (last + later));
      },
      axes: () => ({ right: chart.priceScale('right').width(), bottom: chart.timeScale().height() }),
    });
    // The scale moved: the labels move with it.
    this.series.attachPrimitive({ updateAllViews: () => this.labels.schedule() });
    this.paint();
  }

  /** The colours of the theme. */
  paint() {
    const style = getComputedStyle(document.documentElement);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    this.colours = /** @type {Record<typeof COLOURS[number], string>} */ (
      Object.fromEntries(COLOURS.map((name) => [name, colour(name)]))
    );
    const { panel, line, ink3, ink, buy, sell } = this.colours;
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
    this.drawFills();
    this.drawLines();
  }

  /** @param {'candles' | 'fills' | 'lines'} what @param {() => void} draw */
  drawSoon(what, draw) {
    this.waiting.set(what, draw);
    const waitMs = isHurried() ? 0 : this.drawnAtMs + DRAW_MS - performance.now();
    if (waitMs <= 0) this.drawWaiting();
    else this.timer ??= setTimeout(() => this.drawWaiting(), waitMs + NEXT_MS);
  }

  drawWaiting() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.drawnAtMs = performance.now();
    for (const draw of this.waiting.values()) draw();
    this.waiting.clear();
  }

  /** @param {any} candle */
  volumeOf({ startMs, open, close, volume }) {
    const color = this.colours?.[Number(close) >= Number(open) ? 'buyb' : 'sellb'];
    return { time: timeOf(startMs), value: Number(volume), color };
  }

  /** @param {any[]} rows in order of time */
  setCandles(rows) {
    this.changed.clear();
    this.candles = new Map(rows.map((row) => [row.startMs, row]));
    this.lastMs = rows.at(-1)?.startMs ?? 0;
    this.series.setData(rows.map(barOf));
    this.volume.setData(rows.map((row) => this.volumeOf(row)));
    this.drawFills();
    this.chart.timeScale().scrollToRealTime();
  }

  /** @param {any[]} rows in order of time */
  updateCandles(rows) {
    for (const row of rows) this.changed.set(row.startMs, row);
    this.drawSoon('candles', () => this.drawChanged());
  }

  drawChanged() {
    for (const row of this.changed.values()) {
      const isLate = row.startMs < this.lastMs;
      this.lastMs = Math.max(this.lastMs, row.startMs);
      this.candles.set(row.startMs, row);
      this.series.update(barOf(row), isLate);
      this.volume.update(this.volumeOf(row), isLate);
    }
    this.changed.clear();
  }

  /** @param {any[]} fills @param {number} minutes */
  setFills(fills, minutes) {
    this.fills = [fills, minutes];
    this.drawSoon('fills', () => this.drawFills());
  }

  drawFills() {
    const [fills, minutes] = this.fills;
    const lengthMs = minutes * 60_000;
    const [first] = this.candles.keys();
    /** @type {Map<string, any>} */
    const shown = new Map();
    for (const { time, side, price: text } of fills) {
      const startMs = Math.floor(time / lengthMs) * lengthMs;
      if (first === undefined || startMs < first) continue;
      const isBuy = side === 'BUY';
      const price = Number(text);
      const before = shown.get(`${startMs} ${side}`);
      const count = (before?.count ?? 0) + 1;
      // One mark for a candle and side, outside of its fills: its tip is at the outermost price.
      const outermost =
        before === undefined ? price : isBuy ? Math.min(price, before.price) : Math.max(price, before.price);
      shown.set(`${startMs} ${side}`, {
        count,
        text: count === 1 ? undefined : String(count),
        time: timeOf(startMs),
        position: isBuy ? 'atPriceBottom' : 'atPriceTop',
        price: outermost,
        shape: isBuy ? 'arrowUp' : 'arrowDown',
        color: this.colours?.[isBuy ? 'buy' : 'sell'],
        size: 0.7,
      });
    }
    this.markers.setMarkers([...shown.values()].sort((a, b) => a.time - b.time));
  }

  /** @param {Line[]} lines */
  setLines(lines) {
    if (JSON.stringify(lines) === JSON.stringify(this.lines)) return;
    this.lines = lines;
    this.drawSoon('lines', () => this.drawLines());
  }

  drawLines() {
    for (const line of this.priceLines) this.series.removePriceLine(line);
    this.priceLines = this.lines.map(({ price, tone, isDashed }) =>
      this.series.createPriceLine({
        price,
        color: this.colours?.[tone],
        lineWidth: 1,
        lineStyle: tone === 'ink3' ? LineStyle.Dotted : isDashed ? LineStyle.Dashed : LineStyle.Solid,
        axisLabelVisible: false,
        title: '',
      }),
    );
    this.labels.schedule();
  }

  /** Says which candle the pointer is over. @param {(candle: any) => void} take undefined: none */
  onPointed(take) {
    this.chart.subscribeCrosshairMove(({ time }) => take(this.candles.get(Number(time) * 1000)));
  }

  /** @param {readonly Flag[]} flags @param {number} minutes of a candle */
  setFlags(flags, minutes) {
    this.labels.setFlags(flags, minutes);
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

  remove() {
    clearTimeout(this.timer);
    this.labels.remove();
    this.chart.remove();
  }
}

/** @param {any} candle */
function barOf({ startMs, open, high, low, close }) {
  return { time: timeOf(startMs), open: Number(open), high: Number(high), low: Number(low), close: Number(close) };
}
