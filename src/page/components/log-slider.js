/**
 * The log from its beginning to its end, as a slider over sequence numbers. Bars say how fast the commands came, marks
 * what is worth a look. While it is dragged, only the thumb and its label move.
 */
import { clockText, grouped } from '../format.js';
import { html, useEffect, useRef, useSignal } from '../ui.js';

/** Nearer marks are one: the gravest. */
const APART = 11;
/** The label of the thumb needs this much beside it. */
const LABEL_PX = 200;
/** How near a click has to be to a mark to mean it. */
const SNAPS = 7;
/** The gravest first. */
const MARKS = /** @type {const} */ ([
  ['leftOut', 'a command that failed'],
  ['liquidation', 'liquidation'],
  ['fault', 'fault'],
  ['reset', 'reset'],
  ['restore', 'restore'],
  ['snapshot', 'snapshot'],
  ['prices', 'prices set'],
  ['fill', 'own fills'],
]);
const KINDS = MARKS.map(([kind]) => /** @type {string} */ (kind));

/**
 * @typedef {{ from: number, to: number, buckets: any[], marks: any[], left: any[] }} Summary
 * @param {{ summary: Summary, seq: number, time: number | null, isNow: boolean, onMove: (seq: number) => void }} props
 *   `time`: of `seq`. Null: not known yet
 */
export function LogSlider({ summary, seq, time, isNow, onMove }) {
  const strip = useRef(/** @type {HTMLElement | null} */ (null));
  const width = useSignal(1000);
  const { from, to, buckets, left } = summary;
  useEffect(() => {
    const element = strip.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(([entry]) => {
      width.value = entry.contentRect.width || 1000;
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const span = Math.max(1, to - from + 1);
  const x = (/** @type {number} */ at) => (Math.min(Math.max(at, from), to) - from + 0.5) / span;
  const marks = merged(summary.marks, (at) => x(at) * width.value);
  const seqAt = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {HTMLElement} */ (strip.current).getBoundingClientRect();
    const at = event.clientX - box.left;
    const near = marks.find((mark) => Math.abs(x(mark.seq) * box.width - at) <= SNAPS);
    if (near !== undefined) return near.seq;
    return Math.min(to, Math.max(from, from + Math.floor((at / box.width) * span)));
  };
  const drag = (/** @type {PointerEvent} */ event) => {
    if (event.type === 'pointerdown') {
      if (event.button !== 0) return;
      /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    } else if (event.buttons === 0) return;
    onMove(seqAt(event));
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const steps = /** @type {Record<string, number>} */ ({
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -100,
      PageUp: 100,
      Home: from - seq,
      End: to - seq,
    });
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onMove(Math.min(to, Math.max(from, seq + step * (event.shiftKey && Math.abs(step) === 1 ? 100 : 1))));
  };
  const heights = heightsOf(buckets);
  const at = `${(x(seq) * 100).toFixed(3)}%`;
  const label = time === null ? grouped(seq) : `${grouped(seq)} · ${clockText(time)}`;
  return html`<div class="log-slider">
    <div class="slide" ref=${strip} role="slider" tabindex="0" aria-label="Sequence number" aria-valuemin=${from} aria-valuemax=${to} aria-valuenow=${seq}
      aria-valuetext=${`seq ${grouped(seq)}${time === null ? '' : `, ${clockText(time).slice(0, 8)}`}`}
      onPointerDown=${drag} onPointerMove=${drag} onKeyDown=${key}>
      <div class="bars" aria-hidden="true">${buckets.map((bucket, i) => html`<i key=${i} class=${bucket.from > seq ? 'after' : ''} style=${{ height: `${heights[i]}%` }}></i>`)}</div>
      ${left.map((/** @type {any} */ branch) => html`<i key=${branch.from} class="left-range" title=${`left by the ${branch.by} at seq ${grouped(branch.at)}`} style=${{ left: `${(((branch.from - from) / span) * 100).toFixed(3)}%`, width: `${(((branch.to - branch.from + 1) / span) * 100).toFixed(3)}%` }}></i>`)}
      <i class="thumb" style=${{ left: at }} aria-hidden="true"></i>
    </div>
    <div class="marks" aria-hidden="true">${marks.map((mark) => html`<i key=${`${mark.seq} ${mark.kind}`} class=${`mark ${mark.kind}`} title=${titleOf(mark)} style=${{ left: `${(x(mark.seq) * 100).toFixed(3)}%` }}></i>`)}</div>
    <div class="slide-labels" aria-hidden="true"><span class="first ink2">${grouped(from)}${buckets.length > 0 && x(seq) * width.value > LABEL_PX ? ` · ${clockText(buckets[0].time).slice(0, 8)}` : ''}</span>
      ${!isNow && html`<b class="here" style=${{ left: `clamp(0px, calc(${at} - 80px), calc(100% - 190px))` }}>${label}</b>`}<span class="last ink2">${isNow ? `${label} · now` : (1 - x(seq)) * width.value < LABEL_PX ? '' : `now · ${grouped(to)}`}</span></div>
  </div>`;
}

/** How dense commands are in time, as per cent of the height. Commands of one moment are as dense as it gets. @param {any[]} buckets */
function heightsOf(buckets) {
  const rates = buckets.map(({ commands, time }, i) => {
    const count = Object.values(commands).reduce((sum, each) => sum + each, 0);
    const lengthMs = i === 0 ? null : time - buckets[i - 1].time;
    return lengthMs === null ? null : Math.log1p((count * 1000) / Math.max(1, lengthMs));
  });
  const most = Math.max(0.001, ...rates.map((rate) => rate ?? 0));
  return rates.map((rate) => Math.round(18 + 82 * ((rate ?? most) / most)));
}

/** @param {any[]} marks by seq @param {(seq: number) => number} pixel */
function merged(marks, pixel) {
  const byWeight = [...marks].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.seq - b.seq);
  /** @type {any[]} */
  const kept = [];
  for (const mark of byWeight) {
    if (kept.every((other) => Math.abs(pixel(other.seq) - pixel(mark.seq)) >= APART)) kept.push(mark);
  }
  return kept;
}

/** @param {any} mark */
function titleOf({ kind, seq, count, symbol, name }) {
  const words = MARKS.find(([each]) => each === kind)?.[1] ?? kind;
  const of = symbol ?? name;
  return `${words}${of === undefined ? '' : ` of ${of}`}${count > 1 ? `, ${count} near here` : ''}: seq ${grouped(seq)}`;
}

/** What bars and marks mean: those that there are. @param {{ summary: Summary }} props */
export function Legend({ summary: { from, to, buckets, marks } }) {
  const each = Math.round((to - from + 1) / Math.max(1, buckets.length));
  const there = MARKS.filter(([kind]) => marks.some((mark) => mark.kind === kind));
  return html`<span class="legend ink2"><span title="From left to right: commands in their order, not time. The sooner they came one after the other, the higher the bar.">a bar: ${each === 1 ? 'one command' : `about ${grouped(each)} commands`}, high if they came fast</span>${there.map(([kind, words]) => html`<span key=${kind}>${' · '}<i class=${`mark ${kind}`} aria-hidden="true"></i> ${words}</span>`)}</span>`;
}
