/** What came of the venue so far, account by account: a page to read, to keep, to send. */

import { accounts } from '../store.js';
import { html, useSignal } from '../ui.js';
import { Curl, Pane } from './parts.js';

const ALL = '';

export function ReportPane() {
  const chosen = useSignal(ALL);
  const query = chosen.value === ALL ? '' : `?account=${encodeURIComponent(chosen.value)}`;
  return html`<${Pane} title="Report" note="what came of the venue, account by account" call=${{ method: 'GET', path: `/report${query}` }}>
    <div class="body"><p class="ink2">Money by reason, equity over time and its worst fall, fees, funding, fills against the middle of the book, refusals. It is one page without anything from elsewhere, to read, keep or send. The log is applied again for it, which takes a while if it is long.</p>
      <div class="row"><select class="pick" aria-label="Account of the report" value=${chosen.value} onChange=${(
        /** @type {any} */ event,
      ) => {
        chosen.value = event.target.value;
      }}>
        <option value=${ALL}>all accounts</option>
        ${accounts.value.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>
      <a class="button" href=${`/control/v1/report.html${query}`} target="_blank" rel="noopener">Open the report</a>
      <${Curl} call=${{ method: 'GET', path: `/report.html${query}` }} text="curl of the page" /></div></div>
  </${Pane}>`;
}
