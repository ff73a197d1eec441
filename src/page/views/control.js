/** The view Control. */
import { html } from '../ui.js';

export function ControlView() {
  return html`<div class="lone"><h1>Control</h1></div>`;
}
