/** The figures of /metrics, sampled while the view is shown and the tab is visible, for lines of ten minutes. */
import { request } from './api.js';
import { signal, useEffect } from './ui.js';

/** @type {import('./api.js').Call} */
export const METRICS = { method: 'GET', path: '/metrics' };

const EVERY_MS = 2000;
const MOST_SAMPLES = 300;

/**
 * @typedef {{ name: string, labels: Record<string, string>, value: number }} Sampled
 * @typedef {{ atMs: number, rows: Map<string, Sampled[]> }} Sample `atMs`: of performance.now(); `rows` by name
 */

/** The oldest first. @type {import('@preact/signals').Signal<readonly Sample[]>} */
export const samples = signal(/** @type {readonly Sample[]} */ ([]));

/** @param {string} text @returns {Map<string, Sampled[]>} */
function parseMetrics(text) {
  const rows = new Map();
  for (const line of text.split('\n')) {
    const [, name, inner = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    // The page shows the venue, and of Node's own figures only few: the rest is not kept for ten minutes.
    if (name === undefined || /^nodejs_(?!eventloop_lag_p99|heap_size_used)/.test(name)) continue;
    const labels = Object.fromEntries(
      [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, of]) => [key, of]),
    );
    const known = rows.get(name);
    const row = { name, labels, value: Number(value.replace('+Inf', 'Infinity')) };
    if (known === undefined) rows.set(name, [row]);
    else known.push(row);
  }
  return rows;
}

/** The sum of a metric over its labels. Null: the venue has none of that name. @param {Sample | undefined} sample @param {string} name */
export function total(sample, name) {
  const rows = sample?.rows.get(name);
  return rows === undefined ? null : rows.reduce((sum, { value }) => sum + value, 0);
}

/** How much a counter grew each second between two samples. @param {Sample | undefined} from @param {Sample} to @param {string} name */
export function rate(from, to, name) {
  const [before, after] = [total(from, name), total(to, name)];
  if (from === undefined || before === null || after === null || to.atMs <= from.atMs) return null;
  return Math.max(0, after - before) / ((to.atMs - from.atMs) / 1000);
}

/**
 * A quantile of what a histogram took in between two samples, in its own unit, or since its start. Within a bucket it is a
 * straight line. Null: it took in nothing.
 * @param {Sample | undefined} from @param {Sample} to @param {string} name @param {number} q @returns {number | null}
 */
export function quantile(from, to, name, q) {
  const before = bucketsOf(from, name);
  const buckets = [...bucketsOf(to, name)].map(([end, count]) => ({ end, count: count - (before.get(end) ?? 0) }));
  buckets.sort((a, b) => a.end - b.end);
  const all = buckets[buckets.length - 1]?.count ?? 0;
  if (all <= 0) return null;
  const wanted = all * q;
  let [start, passed] = [0, 0];
  for (const { end, count } of buckets) {
    if (count >= wanted)
      return end === Number.POSITIVE_INFINITY ? start : start + ((end - start) * (wanted - passed)) / (count - passed);
    [start, passed] = [end, count];
  }
  return start;
}

/** The counts up to the end of each bucket. @param {Sample | undefined} sample @param {string} name */
function bucketsOf(sample, name) {
  /** @type {Map<number, number>} */
  const buckets = new Map();
  for (const { labels, value } of sample?.rows.get(`${name}_bucket`) ?? []) {
    const end = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    buckets.set(end, (buckets.get(end) ?? 0) + value);
  }
  return buckets;
}

/** Samples while the component is shown. */
export function useSampling() {
  useEffect(() => {
    let isOver = false;
    const sample = async () => {
      if (document.hidden) return;
      try {
        const text = await request('GET', '/metrics');
        if (isOver) return;
        samples.value = [...samples.value, { atMs: performance.now(), rows: parseMetrics(text) }].slice(-MOST_SAMPLES);
      } catch {
        // The link says that the venue does not answer.
      }
    };
    void sample();
    const timer = setInterval(sample, EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, []);
}
