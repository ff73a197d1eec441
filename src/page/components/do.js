/** Buttons that do something to the venue. The one that has the focus is shown as `curl` beside them. */
import { call as request } from '../api.js';
import { grouped } from '../format.js';
import { pastSeq } from '../router.js';
import { mayAdminister, mayTest } from '../store.js';
import { html, signal, useSignal } from '../ui.js';
import { ActionButton, Curl, Seq } from './parts.js';

/** @typedef {import('../api.js').Call} Call */

/** What the control with the focus, or under the pointer, would do. @type {import('@preact/signals').Signal<{ what: string, call: Call } | null>} */
export const inHand = signal(/** @type {{ what: string, call: Call } | null} */ (null));

/** Whether this session may press the button: never in the past. @param {'test' | 'admin'} scope */
export const mayDo = (scope) => pastSeq.value === null && (scope === 'admin' ? mayAdminister.value : mayTest.value);

/**
 * A button for one call. Without the right there is no button, but its `curl` stays.
 * @param {{ call: Call, what: string, scope?: 'test' | 'admin', kind?: string, disabled?: boolean, ask?: string | null,
 *   say?: (reply: any) => any, then?: (reply: any) => void, children?: any }} props
 *   `what`: in words, for the panel beside; `ask`: what a first press says before a second one does it
 */
export function Do({ call, what, scope = 'test', kind, disabled, ask = null, say = answerOf, then, children }) {
  const asked = useSignal(/** @type {string | null} */ (null));
  if (!mayDo(scope)) return html`<span class="only-curl"><${Curl} call=${call} text=${children} /></span>`;
  const show = () => {
    inHand.value = { what, call };
  };
  const act = async () => {
    show();
    const whole = JSON.stringify(call);
    if (ask !== null && asked.value !== whole) {
      asked.value = whole;
      return `${ask} Press again to do it.`;
    }
    asked.value = null;
    const reply = await request(call.method, call.path, call.body);
    then?.(reply);
    return say(reply);
  };
  return html`<span class="do" onFocusIn=${show} onPointerEnter=${show}>
    <${ActionButton} kind=${kind} disabled=${disabled} act=${act}>${children}</${ActionButton}></span>`;
}

/** 'seq 43,118 · why' @param {any} reply */
function answerOf(reply) {
  const seq = reply?.seq;
  return seq === undefined ? 'done' : html`seq ${grouped(seq)} · <${Seq} seq=${seq} text="why" />`;
}

/** A labelled text field. @param {{ label: string, value: import('@preact/signals').Signal<string>, class?: string, numeric?: boolean, placeholder?: string, list?: string }} props */
export function Field({ label, value, class: name = '', numeric = false, placeholder, list }) {
  return html`<input class=${`field ${numeric ? 'number' : ''} ${name}`} aria-label=${label} value=${value.value} placeholder=${placeholder}
    inputmode=${numeric ? 'decimal' : undefined} list=${list} autocomplete="off" spellcheck="false"
    onInput=${(/** @type {any} */ event) => {
      value.value = event.target.value;
    }} />`;
}

/** A labelled choice. @param {{ label: string, value: import('@preact/signals').Signal<string>, choices: readonly string[] }} props */
export function Choice({ label, value, choices }) {
  return html`<select class="field" aria-label=${label} value=${value.value} onChange=${(/** @type {any} */ event) => {
    value.value = event.target.value;
  }}>
    ${choices.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
  </select>`;
}
