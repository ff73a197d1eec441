/** Cancels an open order in the name of its account, from wherever the order is shown. */
import { pastSeq } from '../router.js';
import { markets } from '../store.js';
import { html } from '../ui.js';
import { Do, mayDo } from './do.js';
import { Curl } from './parts.js';

/**
 * Nothing at a moment in the past, and without the right only its `curl`. What the venue refuses is said beside it.
 * @param {{ id: string, account: string, symbol: string }} props
 */
export function CancelOrder({ id, account, symbol }) {
  if (pastSeq.value !== null) return null;
  const isSpot = markets.value.get(symbol)?.kind === 'spot';
  const query = new URLSearchParams({ symbol, [isSpot ? 'orderId' : 'orderID']: id });
  const call = /** @type {const} */ ({
    method: 'DELETE',
    path: `/accounts/${encodeURIComponent(account)}/orders?${query}`,
  });
  return html`<span class="cancel-order"><${Do} scope="admin" kind="small" what=${`cancel order ${id} of ${account}`} call=${call}>Cancel</${Do}>
    ${mayDo('admin') && html`<${Curl} call=${call} />`}</span>`;
}

/** Puts the focus on the Cancel of the row in focus, or of the story: Enter presses it. */
export function focusCancel() {
  const row = document.activeElement?.closest('tr, [data-row]');
  const button = (row ?? document.querySelector('.story-head'))?.querySelector('.cancel-order button');
  if (button instanceof HTMLElement) button.focus();
}
