/** The latest trades of a market, in rows that are made once. Own ones are marked, and so is a liquidation. */
import { clockText } from '../format.js';
import { priceText, sizeText } from '../orders.js';
import { html, put, useLayoutEffect, useRef, useSignalEffect } from '../ui.js';
import { Pane } from './parts.js';

const ROWS = 22;

/** @param {{ symbol: string, market: any, trades: import('@preact/signals').Signal<any>, fills: import('@preact/signals').Signal<any> }} props */
export function Trades({ symbol, market, trades, fills }) {
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  const draw = () => {
    const [shown, own] = [trades.value ?? [], fills.value ?? []];
    if (body.current === null) return;
    const ownIds = new Set(
      own.filter((/** @type {any} */ fill) => fill.symbol === symbol).map((/** @type {any} */ fill) => fill.tradeId),
    );
    const rows = body.current.querySelectorAll('.trade');
    for (let i = 0; i < ROWS; i++) write(/** @type {HTMLElement} */ (rows[i]), shown[i], ownIds, market);
  };
  useSignalEffect(draw);
  useLayoutEffect(draw, [market]);
  return html`<${Pane} class="trades" title="Trades" label=${`Trades of ${symbol}`}>
    <div class="trade-list" ref=${body} role="table" aria-label=${`The latest ${ROWS} trades of ${symbol}`}>
      <div class="head" role="row"><span role="columnheader">Time</span><span role="columnheader">Price</span><span role="columnheader">Size</span></div>
      ${Array.from(
        { length: ROWS },
        (_, i) => html`<div class="trade" role="row" key=${i}><span class="time ink2" role="cell"></span>
          <span class="price" role="cell"><i class="tri" aria-hidden="true"></i><span class="sr word"></span><b></b></span>
          <span class="size" role="cell"><em title="a trade of a liquidation: it does not move last"></em><span class="sr"></span><b></b></span></div>`,
      )}
    </div>
  </${Pane}>`;
}

/** @param {HTMLElement} row @param {any} trade @param {Set<number>} ownIds @param {any} market */
function write(row, trade, ownIds, market) {
  const isOwn = trade !== undefined && ownIds.has(trade.tradeId);
  const name = `trade${trade === undefined ? ' none' : trade.side === 'BUY' ? ' up' : ' down'}${isOwn ? ' mine' : ''}`;
  if (row.className !== name) row.className = name;
  put(row, '.time', trade === undefined ? '' : clockText(trade.time));
  put(row, '.word', trade === undefined ? '' : trade.side === 'BUY' ? 'bought at' : 'sold at');
  put(row, '.price b', trade === undefined ? '' : priceText(market, trade.price));
  put(row, '.size b', trade === undefined ? '' : sizeText(market, trade.size));
  put(row, '.size em', trade?.liquidation ? 'liq' : '');
  put(row, '.size .sr', isOwn ? 'own, ' : '');
}
