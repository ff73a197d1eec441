/** Named states: saved, and returned to; and back to the beginning. */
import { useRead } from '../reads.js';
import { isManual } from '../store.js';
import { html, useSignal } from '../ui.js';
import { Do, Field, mayDo, useRefusal } from './do.js';
import { Pane } from './parts.js';

const WORD = 'reset';
const MOST = 16;

export function StatesPane() {
  const read = useRead('/snapshots');
  const name = useSignal('');
  const typed = useSignal('');
  const refusal = useRefusal();
  const rows = read.value?.snapshots ?? [];
  const pathOf = (/** @type {string} */ each) => `/snapshots/${encodeURIComponent(each)}`;
  return html`<${Pane} title="Snapshots" note=${`${rows.length} of ${MOST}`} call=${{ method: 'GET', path: '/snapshots' }}>
    ${rows.length === 0 && html`<p class="empty-row">${isManual.value ? 'None. Save the state before a test, and return to it after.' : 'Named states are for a manual clock.'}</p>`}
    <ul class="states">${rows.map(
      (/** @type {any} */ each) => html`<li key=${each.name}><b>${each.name}</b>
        <${Do} what=${`return to ${each.name}`} ask="Everything since then is left." call=${{ method: 'POST', path: `${pathOf(each.name)}/restore` }}>Return</${Do}></li>`,
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
