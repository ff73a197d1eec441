/** How the venue is, in a sentence; and what somebody should look at. */
import { bytesText, grouped, lengthText, percent } from '../format.js';
import { total } from '../metrics.js';
import { looked, MOST_FOLLOWED, MOST_ROWS, urgentOf } from '../risk.js';
import { accounts, liveTickers, system } from '../store.js';
import { html } from '../ui.js';
import { Check, Warning } from './icons.js';
import { Curl } from './parts.js';
import { useRecordingNeed } from './recording.js';

/** @param {{ health: any, last: any }} props */
export function Health({ health, last }) {
  const epoch = total(last, 'bourse_epoch');
  const since = total(last, 'process_start_time_seconds');
  const up = since === null ? null : Math.max(0, Math.floor(Date.now() / 1000 - since) * 1000);
  const ready = health?.ready === true;
  const inMemory = last !== undefined && total(last, 'bourse_log_bytes') === null;
  return html`<section class="health" aria-label="Health" aria-busy=${health === undefined}>
    ${health !== undefined && html`<span class=${`chip ${ready ? 'ok' : 'bad'}`} title=${CHECKS}>${ready ? html`<${Check} />healthy` : html`<${Warning} />not ready`}</span><p class="strong">${sentenceOf(health, total(last, 'bourse_archive_lag_commands'))}</p>`}
    <span class="end"><span class="ink2">${inMemory && html`<b class="ink" title="Its log and its archive are not on a disk.">in memory: a stop forgets everything</b> · `}${epoch !== null && html`<span title="The number of this start of the venue. The first start of a log is epoch 1.">epoch ${grouped(epoch)}</span>`}${up === null ? '' : ` · up ${lengthText(up)}`}</span><${Curl} call=${{ method: 'GET', path: '/health' }} /></span>
  </section>`;
}

const HISTORY = /** @type {Record<string, string>} */ ({
  checking: 'the rest of the log is being checked',
  sound: 'the log is sound',
  damaged: 'the history is damaged',
});

/** @param {any} health @param {number | null} behind */
function sentenceOf({ ready, reasons, history, archive, snapshot, deficit, clock }, behind) {
  const parts = [
    ...(ready ? ['commands are taken'] : reasons),
    history && (HISTORY[history.state] ?? history.state) + (history.problem ? `: ${history.problem}` : ''),
    archive
      ? `the archive is out of service: ${wordsOf(archive)}`
      : behind !== null && `the archive is ${grouped(behind)} ${behind === 1 ? 'command' : 'commands'} behind`,
    snapshot && `the last snapshot failed: ${wordsOf(snapshot)}`,
    deficit &&
      Object.keys(deficit).length > 0 &&
      `the insurance fund is below zero in ${Object.keys(deficit).join(', ')}`,
    clock?.problem,
  ].filter(Boolean);
  const text = parts.join(', ');
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

const CHECKS =
  'Healthy: commands are taken, and the log, its history, the archive, the last snapshot, the clock and the insurance fund have no problem.';

/** Less free space than this, in bytes, needs attention. */
const LEAST_FREE = 1e9;

/** What somebody should look at, each in a sentence. @param {any} health @param {any} last @param {string | false} ofRecording @returns {string[]} */
function needsOf(health, last, ofRecording) {
  const rows = last?.rows.get('bourse_http_requests_total') ?? [];
  const failed = rows.reduce(
    (/** @type {number} */ sum, /** @type {any} */ { labels, value }) => sum + (labels.status >= '500' ? value : 0),
    0,
  );
  const free = total(last, 'bourse_disk_free_bytes');
  const stale = [...liveTickers.value].filter(([, { status }]) => status === 'stale').map(([symbol]) => symbol);
  const halted = system.value?.halted ?? [];
  return [
    ...(health.ready ? [] : ['the venue is not ready']),
    health.history?.state === 'damaged' && 'the history is damaged',
    health.archive && 'the archive is out of service',
    health.snapshot && 'the last snapshot failed',
    Object.keys(health.deficit ?? {}).length > 0 && 'the insurance fund is below zero',
    health.clock?.problem,
    failed > 0 && `${grouped(failed)} ${failed === 1 ? 'request' : 'requests'} failed with 5xx since the start`,
    halted.length > 0 && `${halted.join(', ')} ${halted.length === 1 ? 'is' : 'are'} halted`,
    stale.length > 0 && `the index of ${stale.join(', ')} is stale`,
    ofRecording,
    ...riskWords(),
    free !== null && free < LEAST_FREE && `only ${bytesText(free)} of the disk are free`,
  ].filter(Boolean);
}

const MOST_NAMED = 3;

/** Positions that are about to be liquidated, the nearest ones by name. */
function riskWords() {
  const urgent = looked.value === null ? [] : urgentOf(looked.value);
  return [
    ...urgent.slice(0, MOST_NAMED).map(({ account, position, far }) => {
      const { symbol, liquidationInProgress } = position;
      return liquidationInProgress
        ? `${account} is being liquidated in ${symbol}`
        : `${account} is ${percent(far, 2)} from liquidation in ${symbol}`;
    }),
    urgent.length > MOST_NAMED &&
      `${urgent.length - MOST_NAMED}${urgent.length === MOST_ROWS ? ' or more' : ''} others are nearer than 1 %`,
  ];
}

/** @param {{ health: any, last: any }} props */
export function Needs({ health, last }) {
  const ofRecording = useRecordingNeed();
  const isUnseen = looked.value === null && accounts.value.length > 0;
  const isMany = accounts.value.length > MOST_FOLLOWED;
  if (health === undefined || last === undefined || (isUnseen && !isMany)) return html`<p class="needs ink2">…</p>`;
  const needs = needsOf(health, last, ofRecording);
  const nothing = `Nothing needs you.${isUnseen ? ' Nobody has looked for accounts at risk.' : ''}`;
  return html`<p class=${`needs ${needs.length === 0 ? 'ink2' : 'warn strong'}`} role="status">${needs.length === 0 ? nothing : `Look at this: ${needs.join('; ')}.`}</p>`;
}

/** @param {any} value */
const wordsOf = (value) =>
  typeof value === 'string' ? value : (value.problem ?? value.reason ?? JSON.stringify(value));
