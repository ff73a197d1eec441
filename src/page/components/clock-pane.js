/** The clock: where it is, what is due next, and how it moves. */
import { pace, run, TO_NEXT } from '../clock.js';
import { clockText, dateText, lengthText, momentText } from '../format.js';
import { useRead } from '../reads.js';
import { pastSeq } from '../router.js';
import { isManual, moment, now, system } from '../store.js';
import { html, useComputed, useSignal } from '../ui.js';
import { Do, Field, mayDo, useRefusal } from './do.js';
import { Pane, Segments } from './parts.js';

const STEPS = /** @type {const} */ ([
  ['1s', '+1 s'],
  ['1m', '+1 min'],
  ['1h', '+1 h'],
  ['8h', '+8 h'],
]);
const PACES = /** @type {const} */ ([
  ['0', 'stopped'],
  ['1', '1×'],
  ['10', '10×'],
  ['60', '60×'],
  ['600', '600×'],
]);
const SPEEDS = /** @type {const} */ ([
  ['0.1', '0.1×'],
  ['1', '1×'],
  ['10', '10×'],
  ['60', '60×'],
  ['1000', '1,000×'],
]);
const MOST_DUE = 8;
const DUE = `/due?limit=${MOST_DUE}`;

export function ClockPane() {
  const due = useRead(DUE);
  const date = useComputed(() => (moment.value === null ? '' : dateText(moment.value.timeMs)));
  const time = useComputed(() => (moment.value === null ? '' : clockText(moment.value.timeMs)));
  const chip = isManual.value ? 'manual' : 'real';
  return html`
    <${Pane} class="clock-pane" title="Clock" label="Clock" note=${html`<span class="chip">${chip}</span>`} call=${{ method: 'GET', path: '/clock' }}>
      <div class="body">
        <p class="big"><span class="nowrap">${date}, ${time}</span></p>
        ${isManual.value ? html`<${Manual} due=${due.value?.due ?? []} />` : html`<${Real} />`}
      </div>
    </${Pane}>
    <${Due} due=${due} />`;
}

/** @param {{ due: any[] }} props */
function Manual({ due }) {
  const to = useSignal('');
  const refusal = useRefusal();
  const [next] = due;
  const nowMs = now.value?.timeMs ?? 0;
  const others = due.filter(({ time }) => time === next?.time).length - 1;
  return html`
    <p class="ink2 note">UTC · ${pace.value > 0 ? `this page moves it, ${pace.value} × as fast as the machine` : 'stands still until you move it'}</p>
    <div class="next-due"><${Do} kind="main wide" what="go to what is due next" call=${TO_NEXT} disabled=${next === undefined} say=${saidDue}>
      <span>Go to what is due next</span>${' '}<span class="what">${next === undefined ? 'nothing is due' : `${momentText(next.time, nowMs)} (+${lengthText(next.time - nowMs)})`}</span></${Do}>
      ${next !== undefined && html`<p class="ink2 note due-what"><b>Next:</b> <span title=${explained(next.sentence)}>${next.sentence}</span>${others > 0 && `, and ${others}${due.length === MOST_DUE && others === MOST_DUE - 1 ? ' or more' : ''} more at that time`}</p>`}</div>
    <div class="row">${STEPS.map(
      ([advance, text]) =>
        html`<${Do} key=${advance} what=${`advance ${text}`} call=${{ method: 'POST', path: '/clock', body: { advance } }}>${text}</${Do}>`,
    )}</div>
    <div class="row"><span class="ink2 label">Go to</span><${Field} class="time-field" label="Go to a time" value=${to} refusal=${refusal} fields=${['to']} placeholder=${isoOf(nowMs + 3_600_000)} />
      <${Do} what="go to a time" refusal=${refusal} disabled=${to.value === ''} call=${{ method: 'POST', path: '/clock', body: { to: timeOf(to.value, nowMs) } }}>Go</${Do}></div>
    ${
      mayDo('test') &&
      html`<div class="row"><span class="ink2 label">Run at</span><${Segments} label="Run at" choices=${PACES} chosen=${String(pace.value)} onChoose=${(/** @type {string} */ choice) => run(Number(choice))} />
        <span class="ink2 c2"><kbd>Space</kbd></span></div>`
    }`;
}

/** Words for a sentence with terms that not everybody knows. @param {string} sentence */
const explained = (sentence) =>
  sentence.includes('premium')
    ? 'Each minute the venue notes how far the market is from its index. The mark follows the average of these distances (the basis), and funding that of the premium.'
    : undefined;

/** Only the seconds are shown: a clock is set by whole ones. @param {number} timeMs */
const isoOf = (timeMs) => `${new Date(timeMs).toISOString().slice(0, 19)}Z`;

/** '14:33' is today's. @param {string} text @param {number} nowMs */
function timeOf(text, nowMs) {
  const trimmed = text.trim();
  if (!/^\d{1,2}:\d{2}(:\d{2})?(\.\d{1,3})?$/.test(trimmed)) return trimmed;
  const [hours, ...rest] = trimmed.split(':');
  const clock = [hours.padStart(2, '0'), ...rest, ...(rest.length === 1 ? ['00'] : [])].join(':');
  return `${new Date(nowMs).toISOString().slice(0, 10)}T${clock}Z`;
}

/** @param {any} reply */
function saidDue({ due, time }) {
  return html`<${JustDone} time=${time} text=${due.map((/** @type {any} */ item) => item.sentence).join('; ')} />`;
}

/** What the button did, until the clock has moved on. @param {{ time: number, text: string }} props */
function JustDone({ time, text }) {
  if (now.value !== null && now.value.timeMs > time) return null;
  return html`<span class="ink"><b>Done:</b> ${text}</span>`;
}

function Real() {
  const { speed = 1 } = system.value?.clock ?? {};
  // How far it is from the machine's is in no topic: it changes all the time.
  const { state, offsetMs, problem } = useRead('/health').value?.clock ?? {};
  const chosen = String(speed);
  const call = (/** @type {string} */ choice) =>
    /** @type {const} */ ({ method: 'POST', path: '/clock', body: { speed: Number(choice) } });
  return html`
    <p class="ink2 note">UTC · runs with the machine: nobody moves it. Start with <code>--clock manual</code> to move it from here.</p>
    ${problem ? html`<p class="warn">${problem}</p>` : html`<p class="ink2 note">${state ?? ''}${offsetMs ? `, ${lengthText(offsetMs)} behind the machine` : ''}</p>`}
    <div class="row"><span class="ink2 label">Speed</span>${SPEEDS.map(
      ([choice, text]) =>
        html`<${Do} key=${choice} kind=${choice === chosen ? 'chosen' : ''} what=${`speed ${text}`} call=${call(choice)} say=${() => ''}>${text}</${Do}>`,
    )}</div>`;
}

/** @param {{ due: import('@preact/signals').Signal<any> }} props */
function Due({ due }) {
  const rows = due.value?.due ?? [];
  const nowMs = due.value?.time ?? 0;
  return html`<${Pane} title="Due" note=${due.value === undefined ? '' : `${rows.length === MOST_DUE ? `the next ${MOST_DUE}` : rows.length}${pastSeq.value === null ? '' : ', as of now'}`} call=${{ method: 'GET', path: DUE }}>
    ${rows.length === 0 && html`<p class="empty-row">${due.value === undefined ? '' : 'Nothing is due. A TWAP, a timed order, or a market with a price puts something here.'}</p>`}
    <ol class="due">${rows.map(
      (/** @type {any} */ item, /** @type {number} */ i) => html`<li key=${`${item.time} ${i}`}>
        <span class="ink3">${momentText(item.time, nowMs)}</span><span title=${explained(item.sentence)}>${item.sentence}</span>
        <span class="in ink2">${lengthText(Math.max(0, item.time - nowMs))}</span>
        ${isManual.value && html`<${Do} kind="small" what=${`go to ${momentText(item.time, nowMs)}`} say=${() => ''} call=${{ method: 'POST', path: '/clock', body: { to: item.time } }}>go</${Do}>`}
      </li>`,
    )}</ol>
  </${Pane}>`;
}
