/** The books of the venue, added up when somebody wants to know. */
import { get } from '../api.js';
import { grouped } from '../format.js';
import { html, signal } from '../ui.js';
import { Check, Warning } from './icons.js';
import { ActionButton, Pane, Seq, Table } from './parts.js';

const AUDIT = /** @type {const} */ ({ method: 'GET', path: '/audit' });

/** The last answer, which stays while the page is there. @type {import('@preact/signals').Signal<any>} */
const audit = signal(null);

export function Audit() {
  const act = async () => {
    audit.value = await get('/audit');
    return html`as of seq <${Seq} seq=${audit.value.seq} />`;
  };
  const money = (/** @type {string} */ name, secondary = false) => ({
    right: true,
    secondary,
    cell: (/** @type {any} */ row) => grouped(row[name]),
  });
  const columns = [
    { title: 'Currency', cell: (/** @type {any} */ { code }) => html`<b>${code}</b>` },
    { title: 'Accounts', ...money('accounts') },
    { title: 'of it reserved', ...money('reserved', true), class: 'ink2' },
    { title: 'Fees', ...money('fees', true) },
    { title: 'Insurance', ...money('insurance', true) },
    { title: 'Deposits', ...money('deposits', true) },
    { title: 'Withdrawals', ...money('withdrawals', true) },
    {
      title: 'Difference',
      right: true,
      cell: (/** @type {any} */ { difference }) =>
        html`<span class=${Number(difference) === 0 ? 'ok strong' : 'bad strong'}>${grouped(difference)}</span>`,
    },
  ];
  const value = audit.value;
  const rows = Object.entries(value?.currencies ?? {}).map(([code, row]) => ({ code, ...row }));
  const words =
    value === null
      ? 'adds up all money, orders and positions, beside the venue'
      : `as of seq ${grouped(value.seq)}: ${grouped(value.orders.checked)} orders, ${grouped(value.accounts.checked)} accounts checked, ${grouped(value.orders.bad + value.accounts.belowReserved + value.accounts.belowZero + value.accounts.watchedUnsafe)} bad`;
  const unequal = Object.entries(value?.positions ?? {}).filter(([, { difference }]) => Number(difference) !== 0);
  return html`<${Pane} class="audit" title="Audit" label="Audit" note=${html`${value !== null && html`<span class=${`chip ${value.ok ? 'ok' : 'bad'}`}>${value.ok ? html`<${Check} />the books balance` : html`<${Warning} />the books do not balance`}</span> `}<span>${words}</span>`}
    end=${html`<${ActionButton} act=${act}>Run the audit</${ActionButton}>`} call=${AUDIT}>
    ${value !== null && html`<${Table} caption="Money of the venue by currency" columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ { code }) => code} />`}
    ${value !== null && html`<p class="empty-row ink2">Deposits include what the insurance fund began with.</p>`}
    ${unequal.length > 0 && html`<p class="empty-row bad">Positions that do not sum to zero: ${unequal.map(([symbol]) => symbol).join(', ')}</p>`}
  </${Pane}>`;
}
