/** What moved the money of an account: fills, fees, funding, liquidations, auto-deleveraging, transfers; and what each adds up to. */

import { moveWord } from '../../story/words.js';
import { grouped, momentText, padded, signed } from '../format.js';
import { readLedger, totalsOf } from '../ledger.js';
import { useRead } from '../reads.js';
import { pastSeq } from '../router.js';
import { moment } from '../store.js';
import { html, useSignal } from '../ui.js';
import { ActionButton, OrderId, Pane, Seq, Table } from './parts.js';

const ROWS = 20;
/** The venue gives no more at once. */
const MOST_ROWS = 1000;

/** @param {{ name: string }} props */
export function AccountMoney({ name }) {
  const seq = pastSeq.value;
  const rows = useSignal(ROWS);
  const path = `/accounts/${encodeURIComponent(name)}/ledger?newest=true&limit=${rows.value}${seq === null ? '' : `&to=${seq}`}`;
  const entries = useRead(path).value?.entries;
  if (entries === undefined) return null;
  const nowMs = moment.value?.timeMs ?? 0;
  const columns = [
    { title: 'Seq', cell: (/** @type {any} */ entry) => html`<${Seq} seq=${entry.seq} />` },
    { title: 'Time', secondary: true, cell: (/** @type {any} */ { timeMs }) => momentText(timeMs, nowMs) },
    { title: 'What moved', cell: (/** @type {any} */ { reason }) => moveWord(reason) },
    {
      title: 'Amount',
      right: true,
      cell: (/** @type {any} */ { amount, currency }) => html`${signed(padded(amount, 2))} ${currency}`,
    },
    {
      title: 'For',
      secondary: true,
      cell: (/** @type {any} */ { market, orderId }) =>
        html`${market ?? ''}${orderId === null ? '' : html` <${OrderId} id=${orderId} />`}`,
    },
  ];
  return html`<${Pane} class="account-money" title="Money" call=${{ method: 'GET', path }} note="what moved it last, the latest first">
    <${Totals} key=${seq} name=${name} seq=${seq} />
    <${Table} class="moves" caption=${`Money of ${name}`} rows=${entries} keyOf=${(/** @type {any} */ row) => row.id} columns=${columns}
      empty="No money has moved yet. A deposit moves some." />
    ${
      entries.length >= rows.value &&
      (rows.value < MOST_ROWS
        ? html`<p class="empty-row"><button type="button" class="button" onClick=${() => {
            rows.value = rows.value === ROWS ? MOST_ROWS / 5 : MOST_ROWS;
          }}>Look further back</button></p>`
        : html`<p class="empty-row">The latest ${grouped(MOST_ROWS)}. <code>npx bourse export data --what ledger</code> prints all of them.</p>`)
    }
  </${Pane}>`;
}

/** Fees and all else, added up when somebody wants to know: the whole ledger is read for it. @param {{ name: string, seq: number | null }} props */
function Totals({ name, seq }) {
  const found = useSignal(/** @type {Awaited<ReturnType<typeof readLedger>> | null} */ (null));
  const act = async () => {
    found.value = await readLedger(name, { to: seq });
    const { entries, isWhole } = found.value;
    return isWhole
      ? `all ${grouped(entries.length)} entries, to seq ${grouped(entries.at(-1)?.seq ?? 0)}`
      : `the first ${grouped(entries.length)} entries: there are more`;
  };
  const columns = [
    { title: 'What moved', cell: (/** @type {any} */ { reason }) => moveWord(reason) },
    { title: 'Entries', right: true, cell: (/** @type {any} */ { count }) => grouped(count) },
    {
      title: 'In all',
      right: true,
      cell: (/** @type {any} */ { amount, currency }) => html`<b>${signed(padded(amount, 2))} ${currency}</b>`,
    },
  ];
  return html`<p class="empty-row"><${ActionButton} act=${act}>Add up fees and all else</${ActionButton}></p>
    ${found.value !== null && html`<${Table} class="money-totals" caption=${`What moved the money of ${name}, added up`} rows=${totalsOf(found.value.entries)} keyOf=${(/** @type {any} */ { reason, currency }) => `${reason} ${currency}`} columns=${columns} empty="No money has moved yet." />`}`;
}
