import { account, accounts, chooseAccount } from '../store.js';
import { html } from '../ui.js';

/**
 * Whose fills and orders are shown, and who acts.
 * @param {{ isField?: boolean, own?: import('@preact/signals').Signal<string | null> }} props `isField`: it looks like the fields
 *   beside it. `own`: a choice that is not that of the page
 */
export function AccountPicker({ isField = false, own }) {
  if (accounts.value.length === 0) return null;
  return html`<select class=${isField ? 'field' : 'pick'} aria-label="Account" value=${own === undefined ? account.value : own.value}
    onChange=${(/** @type {any} */ event) => {
      if (own === undefined) chooseAccount(event.target.value);
      else own.value = event.target.value;
    }}>
    ${accounts.value.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
  </select>`;
}
