/** The last command and what it set off, below every view. `` ` `` opens the latest ones. */
import { Curl, Seq } from './components/parts.js';
import { clockText } from './format.js';
import { now } from './store.js';
import { html, signal } from './ui.js';

/**
 * @typedef {{ seq: number, timeMs: number, command: string, effects: string }} Entry `command`: as a request, or in words
 */

/** The newest first. @type {import('@preact/signals').Signal<readonly Entry[]>} */
export const entries = signal(/** @type {readonly Entry[]} */ ([]));
const isOpen = signal(false);

export function toggleTape() {
  isOpen.value = !isOpen.value;
}

export function Tape() {
  const [last] = entries.value;
  const at = last ?? now.value;
  return html`<footer class="tape" aria-label="Tape: the latest commands">
    ${
      isOpen.value &&
      html`<ol class="tape-list">${entries.value.slice(1, 12).map(
        (
          entry,
        ) => html`<li key=${entry.seq}><${Seq} seq=${entry.seq} /><span class="ink3">${clockText(entry.timeMs)}</span>
          <code>${entry.command}</code><span class="ink2">${entry.effects}</span></li>`,
      )}</ol>`
    }
    <div class="tape-line">
      <span class="ink3">seq</span>${at && html`<${Seq} seq=${at.seq} /><span class="ink3">${clockText(at.timeMs)}</span>`}
      ${last && html`<code>${last.command}</code><span class="ink2 effects">${last.effects}</span>`}
      <span class="end">${last && html`<${Seq} seq=${last.seq} text="why" />`}<${Curl} call=${{ method: 'GET', path: '/clock' }} />
        <button type="button" class="curl" aria-expanded=${isOpen.value} aria-label="Latest commands" onClick=${toggleTape}>\`</button></span>
    </div>
  </footer>`;
}
