/** What came of the venue so far, account by account: a page to read, to keep, to send. */
import { accounts } from '../store.js';
import { html, useSignal } from '../ui.js';
import { Pane } from './parts.js';

const ALL = '';

export function ReportPane() {
  const chosen = useSignal(ALL);
  const path = `/report.html${chosen.value === ALL ? '' : `?account=${encodeURIComponent(chosen.value)}`}`;
  const end = html`<select class="pick" aria-label="Account of the report" value=${chosen.value} onChange=${(
    /** @type {any} */ event,
  ) => {
    chosen.value = event.target.value;
  }}>
      <option value=${ALL}>all accounts</option>
      ${accounts.value.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select>
    <a class="button" href=${`/control/v1${path}`} target="_blank" rel="noopener" title="Applies the log again, which takes a while if it is long. The page has nothing from elsewhere: it can be kept and sent.">Open the report</a>`;
  return html`<${Pane} class="report" title="Report" note="money by reason, equity, fees, fills against the middle, refusals, by account" end=${end} call=${{ method: 'GET', path }} />`;
}
