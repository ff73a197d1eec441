/** Faults at the gateway: armed, left, hit. */
import { armedIn } from '../faults.js';
import { grouped, lengthText, momentText, NONE, percent } from '../format.js';
import { useRead } from '../reads.js';
import { now } from '../store.js';
import { html, useSignal } from '../ui.js';
import { Choice, Do, Field, mayDo, useRefusal } from './do.js';
import { Pane, Segments, Seq, Table } from './parts.js';

const PATHS = [
  '/spot/api/v4/trade/orders',
  '/spot/api/v4/trade/orders/algo',
  '/futures/api/v2.3/order',
  '/futures/api/v2.3/order/peg',
];
const KINDS = /** @type {const} */ ([
  ['dropReply', 'lose the reply'],
  ['status', 'refuse'],
  ['latencyMs', 'delay'],
]);
const AMOUNTS = /** @type {Record<string, string>} */ ({ status: '503', latencyMs: '2000' });
const ANY = 'any';
/** Which requests meet the fault. */
const OF = /** @type {const} */ ([
  ['path', 'one path'],
  ['/spot/', 'spot'],
  ['/futures/', 'futures'],
  ['', 'all'],
]);

export function FaultsPane() {
  const read = useRead('/faults');
  const rows = (read.value?.faults ?? []).map((/** @type {any} */ fault, /** @type {number} */ i) => ({ ...fault, i }));
  const armed = armedIn(read.value);
  const columns = [
    {
      title: 'Requests',
      class: 'c-code',
      cell: (/** @type {any} */ { match = {} }) =>
        html`<code>${[match.method, match.path ?? (match.pathPrefix && `${match.pathPrefix}…`)].filter(Boolean).join(' ') || 'any'}</code>`,
    },
    {
      title: 'What happens',
      cell: (/** @type {any} */ fault) => html`${wordsOf(fault)} <span class="ink2">${whenOf(fault).join(', ')}</span>`,
    },
    { title: 'Left', right: true, cell: (/** @type {any} */ { left }) => (left === null ? '∞' : grouped(left)) },
    {
      title: 'Hit',
      right: true,
      class: 'nowrap',
      cell: (/** @type {any} */ { hits, lastHits }) =>
        html`${grouped(hits)}${lastHits.map((/** @type {any} */ { seq, what }, /** @type {number} */ i) => html`${i === 0 ? ' · ' : ' '}<span key=${i} title=${what}><${Seq} seq=${seq} /></span>`)}`,
    },
  ];
  return html`<${Pane} title="Faults" note=${`${armed} armed`} call=${{ method: 'GET', path: '/faults' }}
    end=${html`<${Do} what="clear all faults" disabled=${rows.length === 0} call=${{ method: 'DELETE', path: '/faults' }} say=${() => ''}>Clear all</${Do}>`}>
    <${Table} caption="Faults" class="faults" columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ { i }) => i} empty="None. An armed fault shows a bot what a bad day is like. It meets bots of every account, but not orders that this page places." />
    <${Arm} />
  </${Pane}>`;
}

/** @param {any} fault */
function wordsOf({
  latencyMs,
  status,
  dropReply,
  maintenance,
  closeStreams,
  refuseStreams,
  streamLatencyMs,
  dropFrames,
  gapBook,
}) {
  const words = [
    latencyMs !== undefined && `waits ${grouped(latencyMs)} ms`,
    status !== undefined && `refused with ${status}`,
    dropReply && 'carried out, no reply',
    maintenance && 'nothing is served',
    closeStreams && 'closes streams',
    refuseStreams && 'refuses streams',
    streamLatencyMs !== undefined && `streams wait ${grouped(streamLatencyMs)} ms`,
    dropFrames && 'frames are lost',
    gapBook && 'the book has a gap',
  ].filter(Boolean);
  return words.length === 0 ? NONE : words.join(', ');
}

/** Which of them it meets, and when. @param {any} fault */
function whenOf({ probability, skip, from, until, every, for: lasts, inVenueTime }) {
  const nowMs = now.value?.timeMs ?? 0;
  return [
    probability !== undefined && `${percent(probability, 0)} of them`,
    skip > 0 && `not the first ${grouped(skip)}`,
    from !== undefined && every === undefined && from > nowMs && `from ${momentText(from, nowMs)}`,
    until !== undefined && `until ${momentText(until, nowMs)}`,
    every !== undefined && `every ${lengthText(every)}${lasts === undefined ? '' : ` for ${lengthText(lasts)}`}`,
    inVenueTime && 'in venue time',
  ].filter(Boolean);
}

function Arm() {
  const refusal = useRefusal();
  const method = useSignal('POST');
  const path = useSignal(PATHS[0]);
  const of = useSignal(/** @type {'path' | '/spot/' | '/futures/' | ''} */ ('path'));
  const kind = useSignal(/** @type {'dropReply' | 'status' | 'latencyMs'} */ ('dropReply'));
  const amount = useSignal('');
  const times = useSignal('1');
  const match = {
    ...(method.value !== ANY && { method: method.value }),
    ...(of.value === 'path'
      ? path.value.trim() !== '' && { path: path.value.trim() }
      : of.value !== '' && { pathPrefix: of.value }),
  };
  const body = {
    ...(Object.keys(match).length > 0 && { match }),
    [kind.value]: kind.value === 'dropReply' ? true : numberOf(amount.value),
    times: numberOf(times.value),
  };
  if (!mayDo('test')) return null;
  return html`<div class="body">
    <div class="row"><${Choice} label="Method" value=${method} choices=${['POST', 'PUT', 'DELETE', 'GET', ANY]} /><${Segments} label="Of which requests" choices=${OF} chosen=${of.value} onChoose=${(
      /** @type {'path'} */ choice,
    ) => {
      of.value = choice;
    }} /></div>
    ${
      of.value === 'path' &&
      html`<div class="row"><${Field} class="grow code" label="Path" value=${path} refusal=${refusal} fields=${['match.path', 'path']} list="fault-paths" placeholder="any path" />
      <datalist id="fault-paths">${PATHS.map((each) => html`<option key=${each} value=${each}></option>`)}</datalist></div>`
    }
    <div class="row"><${Segments} label="What happens" choices=${KINDS} chosen=${kind.value} onChoose=${(
      /** @type {'status'} */ choice,
    ) => {
      kind.value = choice;
      amount.value = AMOUNTS[choice] ?? '';
    }} />
      ${kind.value !== 'dropReply' && html`<span class="pair"><${Field} class="short" numeric label=${kind.value === 'status' ? 'Status' : 'Milliseconds'} value=${amount} refusal=${refusal} fields=${['status', 'latencyMs']} /><span class="ink2">${kind.value === 'status' ? '' : 'ms'}</span></span>`}
      <span class="pair"><${Field} class="short" numeric label="How often" value=${times} refusal=${refusal} fields=${['times']} /><span class="ink2">${times.value === '1' ? 'time' : 'times'}</span></span>
      <span class="end"><${Do} what="arm a fault" refusal=${refusal} call=${{ method: 'POST', path: '/faults', body }} say=${(/** @type {any} */ reply) => `${reply.armed} armed`}>Arm</${Do}></span></div>
  </div>`;
}

/** What is no number is sent as it is, and refused with the reason. @param {string} text */
const numberOf = (text) => (/^\d+$/.test(text.trim()) ? Number(text) : text);
