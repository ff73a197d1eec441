/** The view Account. */
import { html } from '../ui.js';

export function AccountView() {
  return html`<div class="lone"><h1>Account</h1></div>`;
}
