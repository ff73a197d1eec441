/** What the venue uses: of the disk, of the machine. */
import { bytesText, fixed, grouped, lengthText, msText, NONE } from '../format.js';
import { METRICS, rate, total } from '../metrics.js';
import { html } from '../ui.js';
import { Pane, Table } from './parts.js';

/** @param {{ title: string, note?: any, call?: any, rows: { what: string, note?: any, value: string, more?: string }[], empty?: string }} props */
export function Facts({ title, note, call, rows, empty }) {
  const columns = [
    { title: 'Of', cell: (/** @type {any} */ { what }) => what },
    { title: 'Now', right: true, class: 'nowrap', cell: (/** @type {any} */ { value }) => value },
    { title: '', class: 'ink2', cell: (/** @type {any} */ { note }) => note ?? '' },
  ];
  return html`<${Pane} class="measures" title=${title} note=${note} call=${call}><${Table} caption=${title} columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ { what }) => what} empty=${empty} /></${Pane}>`;
}

/** @param {{ all: readonly any[], last: any }} props */
export function Disk({ all, last }) {
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
export function Process({ all, last }) {
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
            what: 'WebSocket connections of bots',
            value: grouped(connections),
            note: `${grouped(of('bourse_stream_topics'))} subscriptions`,
          },
          { what: 'Open orders', value: grouped(of('bourse_open_orders')), note: '' },
        ];
  return html`<${Facts} title="Process" call=${METRICS} rows=${rows} empty="" />`;
}
