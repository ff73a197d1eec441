/** What bots asked for, what was refused, and why. */
import { inWords } from '../../story/words.js';
import { grouped, momentText } from '../format.js';
import { METRICS } from '../metrics.js';
import { useRead } from '../reads.js';
import { now } from '../store.js';
import { useTimes } from '../times.js';
import { html } from '../ui.js';
import { Foreign, Pane, Seq, Table } from './parts.js';

/** @param {{ last: any }} props */
export function Requests({ last }) {
  /** @type {Map<string, { surface: string, count: number, refused: number, failed: number }>} */
  const bySurface = new Map();
  for (const { labels, value } of last?.rows.get('bourse_http_requests_total') ?? []) {
    const row = bySurface.get(labels.surface) ?? { surface: labels.surface, count: 0, refused: 0, failed: 0 };
    row.count += value;
    if (labels.status >= '500') row.failed += value;
    else if (labels.status >= '400') row.refused += value;
    bySurface.set(labels.surface, row);
  }
  const rows = [...bySurface.values()].sort((a, b) => b.count - a.count);
  const columns = [
    { title: 'Surface', cell: (/** @type {any} */ { surface }) => html`<code>${surface}</code>` },
    { title: 'Count', right: true, cell: (/** @type {any} */ { count }) => grouped(count) },
    { title: 'Refused, 4xx', right: true, cell: (/** @type {any} */ { refused }) => grouped(refused) },
    {
      title: 'Failed, 5xx',
      right: true,
      cell: (/** @type {any} */ { failed }) =>
        html`<span class=${failed > 0 ? 'bad strong' : ''}>${grouped(failed)}</span>`,
    },
  ];
  return html`<${Pane} title="Requests" note="of bots, since the start" call=${METRICS}>
    <${Table} caption="Requests by surface" columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ { surface }) => surface} empty="No bot has asked for anything yet." />
    ${rows.some(({ refused }) => refused > 0) && html`<p class="empty-row ink2">4xx counts answers to bots: also a wrong signature, a wrong field or a rate limit, which never became a command. What this page places is not among them.</p>`}
  </${Pane}>`;
}

export function Refusals() {
  const rows = /** @type {any[]} */ (useRead('/refusals').value?.refusals ?? []);
  const times = useTimes(rows.map(({ lastSeq }) => lastSeq).filter((seq) => seq !== null));
  const columns = [
    { title: 'Reason', class: 'c-code', cell: (/** @type {any} */ { reason }) => html`<code>${reason}</code>` },
    { title: 'In words', secondary: true, class: 'ink2', cell: (/** @type {any} */ { reason }) => inWords(reason) },
    { title: 'Count', right: true, cell: (/** @type {any} */ { count }) => grouped(count) },
    {
      title: 'Latest',
      right: true,
      cell: (/** @type {any} */ { lastSeq }) =>
        lastSeq === null
          ? html`<span class="ink3">not logged</span>`
          : html`<span class="ink2 nowrap">${momentOf(times.get(lastSeq))}</span> <${Seq} seq=${lastSeq} />`,
    },
  ];
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  return html`<${Pane} title="Refused commands, and why" note=${`${grouped(all)} since this start`} call=${{ method: 'GET', path: '/refusals' }}>
    <${Table} caption="Refusals by reason" columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ { reason }) => reason} empty="No command was refused since this start. A post-only order that would have traded is taken and ends as rejected: its account lists it under ended orders." />
    ${all > 0 && html`<p class="empty-row ink2">Counts commands that the venue refused, from bots and from Control.</p>`}
  </${Pane}>`;
}

const LATEST = /** @type {const} */ ({ method: 'GET', path: '/refusals/latest' });

/** Each with its time and what the answer said, so that a bot's mistake is found by looking. */
export function LatestRefusals() {
  const rows = /** @type {any[] | undefined} */ (useRead(LATEST.path).value?.requests);
  const columns = [
    { title: 'Time', class: 'ink2 nowrap', cell: (/** @type {any} */ { time }) => momentOf(time) },
    {
      title: 'Account',
      class: 'l-account',
      cell: (/** @type {any} */ { account }) => account ?? html`<span class="ink3">not signed</span>`,
    },
    {
      title: 'Request',
      secondary: true,
      class: 'l-request',
      cell: (/** @type {any} */ { method, path }) => html`<code>${method} <${Foreign} text=${path} /></code>`,
    },
    {
      title: 'Status, code',
      secondary: true,
      class: 'nowrap',
      cell: (/** @type {any} */ { status, code }) => `${status}, ${code}`,
    },
    {
      title: 'Why',
      class: 'l-why',
      cell: (/** @type {any} */ { reason, message }) =>
        html`<code>${reason}</code> <span class="ink2"><${Foreign} text=${message} /></span>`,
    },
    { title: 'Seq', right: true, cell: (/** @type {any} */ { seq }) => html`<${Seq} seq=${seq} />` },
  ];
  return html`<${Pane} class="latest-refusals" title="Refused requests, the latest" note=${rows === undefined || rows.length === 0 ? '' : `${rows.length === MOST_LATEST ? 'the last ' : ''}${rows.length}, the newest first; those without a seq never became a command`} call=${LATEST}>
    ${rows !== undefined && html`<${Table} caption="Refused requests" columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ row) => rows.indexOf(row)} empty="No request was refused since this start." />`}
  </${Pane}>`;
}

/** The venue keeps no more. */
const MOST_LATEST = 100;

/** @param {number | null | undefined} timeMs */
const momentOf = (timeMs) => (timeMs ? momentText(timeMs, now.value?.timeMs ?? timeMs) : '');
