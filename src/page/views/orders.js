/** The view Orders. */
import { html } from '../ui.js';

export function OrdersView() {
  return html`<div class="lone"><h1>Orders</h1></div>`;
}
