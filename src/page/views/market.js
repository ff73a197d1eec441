/** The view Market. */
import { html } from '../ui.js';

export function MarketView() {
  return html`<div class="lone"><h1>Market</h1></div>`;
}
