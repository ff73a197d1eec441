/** Buttons that do something to the venue. The one that has the focus is shown as `curl` beside them. */
import { act as carryOut, Refused } from '../api.js';
import { grouped } from '../format.js';
import { pastSeq } from '../router.js';
import { link, mayAdminister, mayTest } from '../store.js';
import { useEffectCount } from '../time-machine.js';
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
 *   say?: (reply: any, seq: number | null) => any, then?: (reply: any) => void, refusal?: Refusal, children?: any }} props
 *   `what`: in words, for the panel beside; `ask`: what a first press says before a second one does it; `refusal`: has what the
 *   venue refused, for the field that it is about
 */
export function Do({
  call,
  what,
  scope = 'test',
  kind,
  disabled,
  ask = null,
  say = answerOf,
  then,
  refusal,
  children,
}) {
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
      return `Not done yet. ${ask} Press again to do it.`;
    }
    asked.value = null;
    try {
      const { reply, seq } = await carryOut(call);
      then?.(reply);
      return say(reply, seq);
    } catch (error) {
      if (refusal !== undefined && error instanceof Refused) refusal.value = error;
      throw error;
    }
  };
  const isAway = link.value.state !== 'live';
  return html`<span class="do" onFocusIn=${show} onPointerEnter=${show}>
    <${ActionButton} kind=${kind} disabled=${disabled || isAway} act=${act}>${children}</${ActionButton}></span>`;
}

/** 'seq 43,118 · 14 effects · why' @param {any} _reply @param {number | null} seq */
export function answerOf(_reply, seq) {
  return seq === null ? 'done' : html`seq ${grouped(seq)}<${Effects} seq=${seq} /> · <${Seq} seq=${seq} text="why" />`;
}

/** ' · 14 effects', once that is known. @param {{ seq: number }} props */
export function Effects({ seq }) {
  const { value: count } = useEffectCount(seq);
  return count === null
    ? null
    : html` · <span title="What the command set off: orders, trades, balances, prices. “why” lists it.">${grouped(count)} ${count === 1 ? 'effect' : 'effects'}</span>`;
}

/**
 * What the venue refused last, for the fields of a form.
 * @typedef {import('@preact/signals').Signal<Refused | null>} Refusal
 * @returns {Refusal}
 */
export const useRefusal = () => useSignal(/** @type {Refused | null} */ (null));

/**
 * A labelled text field. It is marked, and says why, while what the venue refused is about it.
 * @param {{ label: string, value: import('@preact/signals').Signal<string>, class?: string, numeric?: boolean, placeholder?: string, list?: string,
 *   refusal?: Refusal, fields?: readonly string[] }} props `fields`: what the venue calls it
 */
export function Field({ label, value, class: name = '', numeric = false, placeholder, list, refusal, fields = [] }) {
  const refused = refusal?.value ?? null;
  const isRefused = refused !== null && refused.field !== null && fields.includes(refused.field);
  return html`<input class=${`field ${numeric ? 'number' : ''} ${name}`} aria-label=${label} value=${value.value} placeholder=${placeholder}
    aria-invalid=${isRefused ? 'true' : undefined} title=${isRefused ? refused.message : undefined} aria-description=${isRefused ? refused.message : undefined}
    inputmode=${numeric ? 'decimal' : undefined} list=${list} autocomplete="off" spellcheck="false"
    onInput=${(/** @type {any} */ event) => {
      value.value = event.target.value;
      if (isRefused && refusal !== undefined) refusal.value = null;
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
