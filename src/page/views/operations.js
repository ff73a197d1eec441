/** The view Operations. */
import { html } from '../ui.js';

export function OperationsView() {
  return html`<div class="lone"><h1>Operations</h1></div>`;
}
