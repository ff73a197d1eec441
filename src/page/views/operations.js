/** How the venue itself is: its health in a sentence, what needs attention, its speed, what it refused and why, its books, its disk and process. */
import { get } from '../api.js';
import { Check, Warning } from '../components/icons.js';
import { Line } from '../components/line.js';
import { ActionButton, Curl, Pane, Seq, Table } from '../components/parts.js';
import { fixed, grouped, lengthText, momentText, NONE } from '../format.js';
import { quantile, rate, samples, total, useSampling } from '../metrics.js';
import { useRead } from '../reads.js';
import { liveTickers, now, system } from '../store.js';
import { useTimes } from '../times.js';
import { html, signal } from '../ui.js';

const METRICS = /** @type {const} */ ({ method: 'GET', path: '/metrics' });

export function OperationsView() {
  useSampling();
  const health = useRead('/health');
  const refusals = useRead('/refusals');
  const all = samples.value;
  const last = all[all.length - 1];
  return html`<h1 class="sr">Operations</h1>
    <${Health} health=${health.value} last=${last} />
    <${Needs} health=${health.value} last=${last} />
    <${Tiles} all=${all} last=${last} />
    <div class="operations">
      <${Requests} last=${last} />
      <${Refusals} rows=${refusals.value?.refusals} />
    </div>
    <${Solvency} last=${last} />
    <${Audit} />
    <div class="operations">
      <${Disk} all=${all} last=${last} />
      <${Process} all=${all} last=${last} />
    </div>`;
}

/** @param {{ health: any, last: any }} props */
function Health({ health, last }) {
  const epoch = total(last, 'bourse_epoch');
  const since = total(last, 'process_start_time_seconds');
  const up = since === null ? null : Math.max(0, Math.floor(Date.now() / 1000 - since) * 1000);
  const ready = health?.ready === true;
  return html`<section class="health" aria-label="Health" aria-busy=${health === undefined}>
    ${health !== undefined && html`<span class=${`chip ${ready ? 'ok' : 'bad'}`} title=${CHECKS}>${ready ? html`<${Check} />healthy` : html`<${Warning} />not ready`}</span><p class="strong">${sentenceOf(health, total(last, 'bourse_archive_lag_commands'))}</p>`}
    <span class="end"><span class="ink2">${epoch === null ? '' : `epoch ${grouped(epoch)}`}${up === null ? '' : ` · up ${lengthText(up)}`}</span><${Curl} call=${{ method: 'GET', path: '/health' }} /></span>
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

/** What somebody should look at, each in a sentence. @param {any} health @param {any} last @returns {string[]} */
function needsOf(health, last) {
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
    free !== null && free < LEAST_FREE && `only ${bytesText(free)} of the disk are free`,
  ].filter(Boolean);
}

/** @param {{ health: any, last: any }} props */
function Needs({ health, last }) {
  if (health === undefined || last === undefined) return html`<p class="needs ink2">…</p>`;
  const needs = needsOf(health, last);
  return html`<p class=${`needs ${needs.length === 0 ? 'ink2' : 'warn strong'}`} role="status">${needs.length === 0 ? 'Nothing needs you.' : `Look at this: ${needs.join('; ')}.`}</p>`;
}

/** @param {any} value */
const wordsOf = (value) =>
  typeof value === 'string' ? value : (value.problem ?? value.reason ?? JSON.stringify(value));

/** @param {number | null} seconds */
const msText = (seconds) => (seconds === null ? NONE : fixed(seconds * 1000, 2));

/** @param {{ all: readonly any[], last: any }} props */
function Tiles({ all, last }) {
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

/** @param {{ last: any }} props */
function Requests({ last }) {
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
    ${rows.some(({ refused }) => refused > 0) && html`<p class="empty-row ink2">4xx counts every answer: also a wrong signature, a wrong field or a rate limit, which never became a command.</p>`}
  </${Pane}>`;
}

/** @param {{ rows: any[] | undefined }} props */
function Refusals({ rows = [] }) {
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
  </${Pane}>`;
}

/** @param {number | null | undefined} timeMs */
const momentOf = (timeMs) => (timeMs ? momentText(timeMs, now.value?.timeMs ?? timeMs) : '');

/** What liquidation did, and the fund that pays for it. @param {{ last: any }} props */
function Solvency({ last }) {
  const rowsOf = (/** @type {string} */ name) =>
    /** @type {import('../metrics.js').Sampled[]} */ (last?.rows.get(name) ?? []);
  const funds = new Map(fundsOf(last));
  const moved = (/** @type {string} */ what) =>
    new Map(rowsOf(`bourse_insurance_${what}_total`).map(({ labels, value }) => [labels.currency, value]));
  const shown = [...funds].filter(([code, amount]) => amount !== 0 || moved('received').has(code));
  const liquidations = rowsOf('bourse_liquidations_total').filter(({ value }) => value > 0);
  const rows = [
    {
      what: 'Liquidations',
      value: grouped(liquidations.reduce((sum, { value }) => sum + value, 0)),
      note:
        liquidations.length === 0
          ? 'since this start'
          : liquidations.map(({ labels, value }) => `${labels.market}: ${grouped(value)} ${labels.kind}`).join(', '),
    },
    {
      what: 'Positions closed by auto-deleveraging',
      value: grouped(total(last, 'bourse_deleveraged_total') ?? 0),
      note: 'since this start',
    },
    ...(shown.length === 0 ? [{ what: 'Insurance fund', value: '0', note: 'in every currency' }] : []),
    ...shown.map(([code, amount]) => {
      const [received, paid] = ['received', 'paid'].map((name) =>
        grouped(Number((moved(name).get(code) ?? 0).toFixed(8))),
      );
      return {
        what: `Insurance fund, ${code}`,
        value: grouped(amount),
        note: `received ${received} and paid ${paid} since this start`,
      };
    }),
  ];
  return html`<${Facts} title="Liquidations and the insurance fund" call=${METRICS} rows=${last === undefined ? [] : rows} empty="" />`;
}

/** By currency: the balance, below zero for a deficit. @param {any} sample @returns {[string, number][]} */
function fundsOf(sample) {
  const deficits = new Map(
    (sample?.rows.get('bourse_insurance_deficit') ?? []).map((/** @type {any} */ { labels, value }) => [
      labels.currency,
      value,
    ]),
  );
  return (sample?.rows.get('bourse_insurance_fund') ?? []).map((/** @type {any} */ { labels, value }) => [
    labels.currency,
    value - (deficits.get(labels.currency) ?? 0),
  ]);
}

/** 'insufficientFunds' is 'insufficient funds'. @param {string} reason */
const inWords = (reason) => reason.replace(/([a-z0-9])([A-Z])/g, (_all, a, b) => `${a} ${b.toLowerCase()}`);

const AUDIT = /** @type {const} */ ({ method: 'GET', path: '/audit' });

/** The last answer, which stays while the page is there. @type {import('@preact/signals').Signal<any>} */
const audit = signal(null);

function Audit() {
  const act = async () => {
    audit.value = await get('/audit');
    return html`as of seq <${Seq} seq=${audit.value.seq} />`;
  };
  const money = (/** @type {string} */ name, secondary = false) => ({
    right: true,
    secondary,
    cell: (/** @type {any} */ row) => grouped(row[name]),
  });
  const columns = [
    { title: 'Currency', cell: (/** @type {any} */ { code }) => html`<b>${code}</b>` },
    { title: 'Accounts', ...money('accounts') },
    { title: 'of it reserved', ...money('reserved', true), class: 'ink2' },
    { title: 'Fees', ...money('fees', true) },
    { title: 'Insurance', ...money('insurance', true) },
    { title: 'Deposits', ...money('deposits', true) },
    { title: 'Withdrawals', ...money('withdrawals', true) },
    {
      title: 'Difference',
      right: true,
      cell: (/** @type {any} */ { difference }) =>
        html`<span class=${Number(difference) === 0 ? 'ok strong' : 'bad strong'}>${grouped(difference)}</span>`,
    },
  ];
  const value = audit.value;
  const rows = Object.entries(value?.currencies ?? {}).map(([code, row]) => ({ code, ...row }));
  const words =
    value === null
      ? 'adds up all money, orders and positions, beside the venue'
      : `as of seq ${grouped(value.seq)}: ${grouped(value.orders.checked)} orders, ${grouped(value.accounts.checked)} accounts checked, ${grouped(value.orders.bad + value.accounts.belowReserved + value.accounts.belowZero + value.accounts.watchedUnsafe)} bad`;
  const unequal = Object.entries(value?.positions ?? {}).filter(([, { difference }]) => Number(difference) !== 0);
  return html`<${Pane} class="audit" title="Audit" label="Audit" note=${html`${value !== null && html`<span class=${`chip ${value.ok ? 'ok' : 'bad'}`}>${value.ok ? html`<${Check} />the books balance` : html`<${Warning} />the books do not balance`}</span> `}<span>${words}</span>`}
    end=${html`<${ActionButton} act=${act}>Run the audit</${ActionButton}>`} call=${AUDIT}>
    ${value !== null && html`<${Table} caption="Money of the venue by currency" columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ { code }) => code} />`}
    ${value !== null && html`<p class="empty-row ink2">Deposits include what the insurance fund began with.</p>`}
    ${unequal.length > 0 && html`<p class="empty-row bad">Positions that do not sum to zero: ${unequal.map(([symbol]) => symbol).join(', ')}</p>`}
  </${Pane}>`;
}

/** @param {number | null} bytes */
function bytesText(bytes) {
  if (bytes === null || Number.isNaN(bytes)) return NONE;
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${fixed(bytes / 1000 ** at, at === 0 ? 0 : 1)} ${units[at]}`;
}

/** @param {{ title: string, call?: any, rows: { what: string, note?: any, value: string, more?: string }[], empty?: string }} props */
function Facts({ title, call, rows, empty }) {
  const columns = [
    { title: 'Of', cell: (/** @type {any} */ { what }) => what },
    { title: 'Now', right: true, class: 'nowrap', cell: (/** @type {any} */ { value }) => value },
    { title: '', class: 'ink2', cell: (/** @type {any} */ { note }) => note ?? '' },
  ];
  return html`<${Pane} class="measures" title=${title} call=${call}><${Table} caption=${title} columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ { what }) => what} empty=${empty} /></${Pane}>`;
}

/** @param {{ all: readonly any[], last: any }} props */
function Disk({ all, last }) {
  const of = (/** @type {string} */ name) => total(last, name);
  const growth = (/** @type {string} */ name) => {
    const perSecond = all.length > 1 ? rate(all[0], last, name) : null;
    return perSecond ? `+${bytesText(perSecond * 3600)} / h` : '';
  };
  const age = of('bourse_snapshot_age_seconds');
  const lag = of('bourse_snapshot_lag_commands');
  const behind = of('bourse_archive_lag_commands');
  const known = of('bourse_log_bytes') !== null;
  const rows = !known
    ? []
    : [
        { what: 'Command log', value: bytesText(of('bourse_log_bytes')), note: growth('bourse_log_bytes') },
        {
          what: 'Archive',
          value: bytesText(of('bourse_archive_bytes')),
          note: [behind === null ? '' : `${grouped(behind)} commands behind`, growth('bourse_archive_bytes')]
            .filter(Boolean)
            .join(', '),
        },
        {
          what: 'Snapshots',
          value: bytesText(of('bourse_snapshot_bytes')),
          note:
            age === null || Number.isNaN(age)
              ? 'none yet'
              : `newest ${lengthText(Math.round(age) * 1000)} old, ${grouped(lag)} commands ago`,
        },
        { what: 'Free', value: bytesText(of('bourse_disk_free_bytes')), note: '' },
      ];
  return html`<${Facts} title="Disk" call=${METRICS} rows=${rows} empty=${last === undefined ? '' : 'This venue is in memory: it writes nothing.'} />`;
}

/** @param {{ all: readonly any[], last: any }} props */
function Process({ all, last }) {
  const of = (/** @type {string} */ name) => total(last, name);
  const used = all.length > 1 ? rate(all[Math.max(0, all.length - 6)], last, 'process_cpu_seconds_total') : null;
  const connections = of('bourse_stream_connections');
  const rows =
    last === undefined
      ? []
      : [
          {
            what: 'Processor',
            value: used === null ? NONE : `${fixed(used * 100, 0)} %`,
            note: 'of one core, last 10 s',
          },
          {
            what: 'Memory',
            value: bytesText(of('process_resident_memory_bytes')),
            note: `heap ${bytesText(of('nodejs_heap_size_used_bytes'))}`,
          },
          { what: 'Event loop lag, p99', value: `${msText(of('nodejs_eventloop_lag_p99_seconds'))} ms`, note: '' },
          {
            what: 'Streams of bots',
            value: grouped(connections),
            note: `${grouped(of('bourse_stream_topics'))} topics`,
          },
          { what: 'Open orders', value: grouped(of('bourse_open_orders')), note: '' },
        ];
  return html`<${Facts} title="Process" call=${METRICS} rows=${rows} empty="" />`;
}
