/** The positions of all accounts that are nearest to their liquidation. */
import { fixed, grouped, NONE, percent, signed } from '../format.js';
import { priceDecimals } from '../orders.js';
import { isNearLiquidation } from '../positions.js';
import { looked, lookFrom, MOST_AT_A_CLICK, MOST_FOLLOWED } from '../risk.js';
import { accounts, markets } from '../store.js';
import { html } from '../ui.js';
import { Warning } from './icons.js';
import { ActionButton, Pane, Seq, Table } from './parts.js';

/** @typedef {import('../risk.js').AtRisk} AtRisk */

export function RiskPane() {
  const found = looked.value;
  const all = accounts.value.length;
  const read = found?.read ?? 0;
  const decimals = (/** @type {AtRisk} */ { position }) => priceDecimals(markets.value.get(position.symbol));
  const columns = [
    {
      title: 'Account',
      class: 'l-account',
      cell: (/** @type {AtRisk} */ { account }) =>
        html`<a class="plain" href=${`/account/${encodeURIComponent(account)}`}>${account}</a>`,
    },
    { title: 'Market', secondary: true, cell: (/** @type {AtRisk} */ { position }) => position.symbol },
    {
      title: 'Position',
      cell: (/** @type {AtRisk} */ { position: { direction, size } }) =>
        html`<span class=${`nowrap ${direction === 'LONG' ? 'buy' : 'sell'}`}>${direction === 'LONG' ? '▲ long' : '▼ short'} ${grouped(size)}</span>`,
    },
    {
      title: 'Mark',
      right: true,
      secondary: true,
      cell: (/** @type {AtRisk} */ row) =>
        row.position.mark === null ? NONE : fixed(row.position.mark, decimals(row) + 1),
    },
    {
      title: 'Liquidation',
      right: true,
      cell: (/** @type {AtRisk} */ row) =>
        row.position.liquidationPrice === null ? NONE : fixed(row.position.liquidationPrice, decimals(row)),
    },
    {
      title: 'Away from mark',
      right: true,
      class: 'nowrap',
      cell: (/** @type {AtRisk} */ { position, far }) =>
        position.liquidationInProgress
          ? html`<span class="chip bad">in progress</span>`
          : isNearLiquidation(position)
            ? html`<span class="near warn strong"><${Warning} />${percent(far, 2)}</span>`
            : percent(far, 2),
    },
    {
      title: html`<span title="What the account could still withdraw or use, in the currency of the market. Below zero, its margin is not covered.">Available</span>`,
      right: true,
      secondary: true,
      cell: (/** @type {AtRisk} */ { available }) =>
        available === null
          ? NONE
          : html`<span class=${Number(available) < 0 ? 'bad strong' : ''}>${Number(available) < 0 ? signed(Number(available).toFixed(2)) : fixed(Number(available), 2)}</span>`,
    },
  ];
  const act = async () => {
    await lookFrom(read < all ? read : 0);
    return '';
  };
  const words = read === 0 || read >= all ? 'Look for accounts at risk' : 'Look further';
  const end = all > MOST_FOLLOWED && html`<${ActionButton} act=${act}>${words}</${ActionButton}>`;
  return html`<${Pane} class="risk" title="Accounts nearest to liquidation" end=${end} call=${{ method: 'GET', path: '/accounts' }}
    note=${found === null ? '' : html`${read < all ? `${grouped(read)} of ` : ''}${grouped(all)} ${all === 1 ? 'account' : 'accounts'}, at seq <${Seq} seq=${found.seq} />`}>
    ${
      found !== null
        ? html`<${Table} caption="Accounts nearest to liquidation" columns=${columns} rows=${found.rows} keyOf=${(/** @type {AtRisk} */ { account, position }) => `${account} ${position.positionId}`} empty="No position that a price could liquidate." />`
        : html`<p class="empty-row ink2">${all > MOST_FOLLOWED ? `These are ${grouped(all)} accounts, so they are read only at a click, ${grouped(MOST_AT_A_CLICK)} at a time.` : all === 0 ? 'There is no account yet.' : '…'}</p>`
    }
  </${Pane}>`;
}
