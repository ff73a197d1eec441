/** The view Time. */
import { html } from '../ui.js';

export function TimeView() {
  return html`<div class="lone"><h1>Time</h1></div>`;
}
