/** How fast the venue is: four figures, each with its line of the last ten minutes. */
import { fixed, grouped, lengthText, msText, NONE } from '../format.js';
import { quantile, rate, total } from '../metrics.js';
import { html } from '../ui.js';
import { Line } from './line.js';

/** @param {{ all: readonly any[], last: any }} props */
export function Tiles({ all, last }) {
  const first = all.length > 1 ? all[0] : undefined;
  const series = (/** @type {(from: any, to: any) => number | null} */ of) =>
    all.slice(1).map((to, i) => of(all[i], to));
  const [sync, http] = ['bourse_log_sync_seconds', 'bourse_http_seconds'];
  const quantiles = (/** @type {string} */ name) => series((from, to) => quantile(from, to, name, 0.99));
  const p = (/** @type {string} */ name, /** @type {number} */ q) =>
    last === undefined ? null : (quantile(first, last, name, q) ?? quantile(undefined, last, name, q));
  // The page counts what it saw. Until it has seen something, the figures are those since the start.
  const spanOf = (/** @type {string} */ name) =>
    last === undefined
      ? ''
      : first !== undefined && quantile(first, last, name, 0.5) !== null
        ? `of the last ${lengthText(Math.round((last.atMs - first.atMs) / 1000) * 1000)}, which this page saw`
        : 'since the start';
  const inMemory = last !== undefined && total(last, 'bourse_log_bytes') === null;
  const perSecond = all.length > 1 ? rate(all[Math.max(0, all.length - 6)], last, 'bourse_commands_total') : null;
  const [commands, batches] = [total(last, 'bourse_commands_total'), total(last, 'bourse_batches_total')];
  const before = (total(last, 'bourse_sequence') ?? 0) - (commands ?? 0);
  const waiting = all.map((each) => total(each, 'bourse_queue_length'));
  const most = Math.max(0, ...waiting.map((each) => each ?? 0));
  return html`<section class="tiles" aria-label="The last ten minutes">
    <${Tile} label="Commands" value=${perSecond === null ? NONE : fixed(perSecond, 1)} unit="/ s" points=${series((from, to) => rate(from, to, 'bourse_commands_total'))}
      note=${commands === null ? '' : `${grouped(commands)} since this start${before > 0 ? `, ${grouped(before)} before it` : ''}${batches ? `, ${fixed(commands / batches, 1)} a batch` : ''}`} />
    ${
      inMemory
        ? html`<${Tile} label="Sync to disk, p99" value=${NONE} unit="" points=${[]} note="This venue is in memory: it syncs nothing." />`
        : html`<${Tile} label="Sync to disk, p99" value=${msText(p(sync, 0.99))} unit="ms" points=${quantiles(sync)} note=${`p50 ${msText(p(sync, 0.5))} ms, ${spanOf(sync)} · ${grouped(batches)} ${batches === 1 ? 'batch' : 'batches'}`} />`
    }
    <${Tile} label="Answer to a request, p99" value=${msText(p(http, 0.99))} unit="ms" points=${quantiles(http)} note=${`p50 ${msText(p(http, 0.5))} ms, ${spanOf(http)} · at the gateway`} />
    <${Tile} label="Waiting for the next batch" value=${grouped(total(last, 'bourse_queue_length'))} unit="commands" points=${waiting} note=${`most seen here: ${grouped(most)}`} />
  </section>`;
}

/** @param {{ label: string, value: string, unit: string, points: (number | null)[], note: string }} props */
function Tile({ label, value, unit, points, note }) {
  return html`<div class="tile"><dl class="figure key"><dt>${label}</dt><dd>${value}<span class="unit">${unit}</span></dd></dl>
    <${Line} label=${`${label}, ten minutes`} points=${points} /><p class="ink2">${note}</p></div>`;
}
