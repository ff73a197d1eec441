/** The positions of an account, each with its way to liquidation. */
import { fixed, grouped, NONE, percent, signed } from '../format.js';
import { inBase, priceDecimals, priceText } from '../orders.js';
import { isNearLiquidation, liquidationDistance } from '../positions.js';
import { markets } from '../store.js';
import { html } from '../ui.js';
import { Warning } from './icons.js';
import { Pane, Table } from './parts.js';
import { Distance } from './tracks.js';

/** @param {{ positions: any, path: string, name: string }} props */
export function Positions({ positions, path, name }) {
  const rows = positions.value ?? [];
  const market = (/** @type {any} */ row) => markets.value.get(row.symbol);
  const isLong = (/** @type {any} */ row) => row.direction === 'LONG';
  const columns = [
    {
      title: 'Market',
      cell: (/** @type {any} */ row) =>
        html`<b>${row.symbol}</b><br /><span class="ink2">${row.positionMode === 'ISOLATED' ? 'isolated' : 'cross'}${row.leverage > 0 ? ` ${grouped(row.leverage)}×` : ''}</span>`,
      class: 'p-market',
    },
    {
      title: 'Size',
      right: true,
      class: 'p-size',
      cell: (/** @type {any} */ row) =>
        html`<span class=${`side ${isLong(row) ? 'buy' : 'sell'}`}><i class=${`tri ${isLong(row) ? '' : 'down'}`} aria-hidden="true"></i>${isLong(row) ? 'long' : 'short'} ${grouped(row.size)}</span><br /><span class="ink2 nowrap">${inBase(market(row), row.size)}</span>`,
    },
    {
      title: 'Entry',
      right: true,
      secondary: true,
      class: 'p-entry',
      cell: (/** @type {any} */ row) =>
        priceText(market(row), Number(row.entryPrice).toFixed(priceDecimals(market(row)))),
    },
    {
      title: 'Mark',
      right: true,
      secondary: true,
      class: 'p-mark',
      cell: (/** @type {any} */ row) => (row.mark === null ? NONE : fixed(row.mark, priceDecimals(market(row)) + 1)),
    },
    {
      title: 'Unrealised',
      right: true,
      class: 'p-result',
      cell: (/** @type {any} */ row) =>
        html`<span class=${Number(row.unrealised) < 0 ? 'sell' : 'buy'}>${signed(Number(row.unrealised).toFixed(2))}</span>`,
    },
    {
      title: 'Liquidation',
      right: true,
      class: 'p-liq strong',
      cell: (/** @type {any} */ row) =>
        row.liquidationInProgress
          ? html`<span class="chip bad">in progress</span>`
          : row.liquidationPrice === null
            ? html`<span class="ink2" title="Its equity stays above the maintenance at every price that this market can have.">none: no price reaches it</span>`
            : fixed(row.liquidationPrice, priceDecimals(market(row))),
    },
    {
      title: 'Distance of mark',
      class: 'p-way',
      cell: (/** @type {any} */ row) =>
        liquidationDistance(row) === null
          ? ''
          : html`<${Distance} entry=${Number(row.entryPrice)} mark=${row.mark} liquidation=${row.liquidationPrice} isNear=${isNearLiquidation(row)} />`,
    },
    {
      title: 'Away',
      right: true,
      class: 'p-away',
      cell: (/** @type {any} */ row) => {
        const far = liquidationDistance(row);
        if (far === null) return NONE;
        return isNearLiquidation(row)
          ? html`<span class="near warn strong"><${Warning} />${percent(far, 1)}</span>`
          : percent(far, 1);
      },
    },
  ];
  return html`<${Pane} title="Positions" call=${{ method: 'GET', path }}
    note=${rows.length > 0 && html`<span class="legend"><i class="x bad" aria-hidden="true">×</i> liquidation · <i class="stroke" aria-hidden="true"></i> entry · <i class="disc" aria-hidden="true"></i> mark</span>`}>
    <${Table} class="positions" caption=${`Positions of ${name}`} rows=${rows} keyOf=${(/** @type {any} */ row) => row.positionId} columns=${columns}
      empty="No open position. A fill in a perpetual opens one." />
  </${Pane}>`;
}
