import { account, accounts, chooseAccount } from '../store.js';
import { html } from '../ui.js';

/** Whose fills and orders are shown, and who acts. @param {{ isField?: boolean }} props `isField`: it looks like the fields beside it */
export function AccountPicker({ isField = false }) {
  if (accounts.value.length === 0) return null;
  return html`<select class=${isField ? 'field' : 'pick'} aria-label="Account" value=${account.value}
    onChange=${(/** @type {any} */ event) => chooseAccount(event.target.value)}>
    ${accounts.value.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
  </select>`;
}
