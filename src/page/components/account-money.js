/** What last moved the money of an account: fills, fees, funding, liquidations, auto-deleveraging, transfers. */

import { moveWord } from '../../story/words.js';
import { grouped, momentText, padded, signed } from '../format.js';
import { useRead } from '../reads.js';
import { pastSeq } from '../router.js';
import { moment } from '../store.js';
import { html } from '../ui.js';
import { OrderId, Pane, Seq, Table } from './parts.js';

const ROWS = 20;

/** Of a past account the time machine says what moved its money. @param {{ name: string }} props */
export function AccountMoney({ name }) {
  const path = `/accounts/${encodeURIComponent(name)}/ledger?newest=true&limit=${ROWS}`;
  const entries = useRead(pastSeq.value === null ? path : null).value?.entries;
  if (pastSeq.value !== null || entries === undefined) return null;
  const nowMs = moment.value?.timeMs ?? 0;
  const columns = [
    { title: 'Seq', cell: (/** @type {any} */ { seq }) => html`<${Seq} seq=${seq} />` },
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
  return html`<${Pane} title="Money" call=${{ method: 'GET', path }} note=${`what moved it last, at most ${grouped(ROWS)}`}>
    <${Table} class="moves" caption=${`Money of ${name}`} rows=${entries} keyOf=${(/** @type {any} */ row) => row.id} columns=${columns}
      empty="No money has moved yet. A deposit moves some." />
  </${Pane}>`;
}
