/** Where the venue is, and the last thing that this page did to it, below every view. `` ` `` opens the latest ones. */
import { Effects } from './components/do.js';
import { Curl, Seq } from './components/parts.js';
import { clockText } from './format.js';
import { done, now } from './store.js';
import { html, signal } from './ui.js';

const isOpen = signal(false);

export function toggleTape() {
  isOpen.value = !isOpen.value;
}

/** @param {import('./store.js').Done} action */
const words = ({ method, path, body }) => `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;

export function Tape() {
  const [last] = done.value;
  const at = now.value;
  const call = /** @type {import('./api.js').Call} */ (last ?? { method: 'GET', path: '/clock' });
  return html`<footer class="tape" aria-label="Tape: what this page did">
    ${
      isOpen.value &&
      html`<ol class="tape-list">${done.value.slice(0, 30).map(
        (
          action,
          i,
        ) => html`<li key=${`${action.seq} ${i}`}><${Seq} seq=${action.seq} /><span class="ink3">${clockText(action.timeMs)}</span>
          <code>${words(action)}</code></li>`,
      )}${done.value.length === 0 && html`<li class="ink2">This page has done nothing yet. Other commands are in the time machine.</li>`}</ol>`
    }
    <div class="tape-line">
      <span class="ink3">seq</span>${at && html`<${Seq} seq=${at.seq} /><span class="ink3">${clockText(at.timeMs)}</span>`}
      ${last && html`<code>${words(last)}</code>${last.isCommand && html`<span class="ink2 c2">at seq ${last.seq}<${Effects} seq=${last.seq} /></span>`}`}
      <span class="end">${last?.isCommand && html`<${Seq} seq=${last.seq} text="why" />`}<${Curl} call=${{ ...call, path: call.path.replace(/^\/control\/v1/, '') }} text=${last ? 'curl of it' : 'curl of the clock'} />
        <button type="button" class="curl" aria-expanded=${isOpen.value} title="What this page did, the latest first" onClick=${toggleTape}>done here <kbd aria-hidden="true">\`</kbd></button></span>
    </div>
  </footer>`;
}
