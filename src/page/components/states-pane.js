/** Named states: saved, and returned to; and back to the beginning. */

import { get } from '../api.js';
import { armedIn } from '../faults.js';
import { grouped, momentText } from '../format.js';
import { useRead } from '../reads.js';
import { done, isManual, now } from '../store.js';
import { html, useEffect, useSignal } from '../ui.js';
import { answerOf, Do, Field, mayDo, useRefusal } from './do.js';
import { Pane, Seq } from './parts.js';

const WORD = 'reset';
const MOST = 16;
const MARKS = '/log/summary?buckets=1000';

export function StatesPane() {
  const read = useRead('/snapshots');
  const name = useSignal('');
  const typed = useSignal('');
  const refusal = useRefusal();
  const rows = read.value?.snapshots ?? [];
  const pathOf = (/** @type {string} */ each) => `/snapshots/${encodeURIComponent(each)}`;
  const saved = useSaved(rows);
  const faults = armedIn(useRead('/faults').value);
  const stay = faults === 0 ? '' : ` ${grouped(faults)} armed ${faults === 1 ? 'fault stays' : 'faults stay'}.`;
  const returned = (/** @type {any} */ reply, /** @type {number | null} */ seq) =>
    html`${answerOf(reply, seq)}${stay === '' ? '' : ` ·${stay}`}`;
  return html`<${Pane} title="Snapshots" note=${`${rows.length} of ${MOST}`} call=${{ method: 'GET', path: '/snapshots' }}>
    ${rows.length === 0 && html`<p class="empty-row">${isManual.value ? 'None. Save the state before a test, and return to it after.' : 'Named states are for a manual clock.'}</p>`}
    <ul class="states">${rows.map(
      (
        /** @type {any} */ each,
      ) => html`<li key=${each.name}><span><b>${each.name}</b>${savedWords(saved.get(each.name))}</span>
        <${Do} what=${`return to ${each.name}`} ask=${`It undoes everything since then.${stay}`} say=${returned} call=${{ method: 'POST', path: `${pathOf(each.name)}/restore` }}>Return</${Do}></li>`,
    )}</ul>
    <div class="body">
      ${
        isManual.value &&
        html`<div class="row">${mayDo('test') && html`<${Field} class="amount" label="Name of the snapshot" value=${name} placeholder="name" refusal=${refusal} fields=${['name']} />`}
        <${Do} what="save a snapshot" refusal=${refusal} disabled=${name.value.trim() === ''} call=${{ method: 'POST', path: pathOf(name.value.trim() || 'NAME') }} then=${() => {
          name.value = '';
        }}>Save now</${Do}></div>`
      }
      <div class="row">${mayDo('test') && html`<${Field} class="amount" label=${`Type ${WORD} to allow it`} value=${typed} placeholder=${`type ${WORD}`} />`}
        <${Do} kind="danger" what="reset the venue" disabled=${typed.value !== WORD} call=${{ method: 'POST', path: '/reset' }} then=${() => {
          typed.value = '';
        }}>Reset the venue</${Do}></div>
    </div>
  </${Pane}>`;
}

/**
 * When each state was saved, from the marks of the log. A name that is not in the answer is not known.
 * @param {readonly { name: string }[]} rows @returns {ReadonlyMap<string, { seq: number, time: number }>}
 */
function useSaved(rows) {
  const saved = useSignal(/** @type {ReadonlyMap<string, { seq: number, time: number }>} */ (new Map()));
  const saves = done.value.filter(({ path }) => path.startsWith('/snapshots/')).length;
  useEffect(() => {
    if (rows.length === 0) return undefined;
    const abort = new AbortController();
    get(MARKS, abort.signal).then(
      ({ marks }) => {
        const own = marks.filter((/** @type {any} */ { kind, name }) => kind === 'snapshot' && name !== undefined);
        saved.value = new Map(own.map((/** @type {any} */ mark) => [mark.name, mark]));
      },
      // The name says enough.
      () => {},
    );
    return () => abort.abort();
  }, [rows.map(({ name }) => name).join(), saves]);
  return saved.value;
}

/** @param {{ seq: number, time: number } | undefined} saved */
const savedWords = (saved) =>
  saved === undefined
    ? ''
    : html` <span class="ink2">${momentText(saved.time, now.value?.timeMs ?? saved.time)} · seq <${Seq} seq=${saved.seq} /></span>`;
