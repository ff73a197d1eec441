import { account, accounts, chooseAccount } from '../store.js';
import { html } from '../ui.js';

/** Whose fills and orders are shown. */
export function AccountPicker() {
  if (accounts.value.length === 0) return null;
  return html`<select class="pick" aria-label="Account" value=${account.value}
    onChange=${(/** @type {any} */ event) => chooseAccount(event.target.value)}>
    ${accounts.value.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
  </select>`;
}
