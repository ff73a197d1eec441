/** Places an order in the name of the chosen account. */
import { inBase } from '../orders.js';
import { account, markets, tickers } from '../store.js';
import { html, useSignal } from '../ui.js';
import { AccountPicker } from './account-picker.js';
import { answerOf, Do, Field, useRefusal } from './do.js';
import { OrderId, Pane, Segments } from './parts.js';

/** What the trading surfaces call the two fields. */
const SIZES = ['size', 'orderSize'];
const PRICES = ['price', 'orderPrice', 'triggerPrice'];

/** @param {{ symbol: { value: string }, price: import('@preact/signals').Signal<string> }} props */
export function OrderPane({ symbol, price }) {
  const refusal = useRefusal();
  const kind = useSignal(/** @type {'LIMIT' | 'MARKET' | 'STOP'} */ ('LIMIT'));
  const side = useSignal(/** @type {'BUY' | 'SELL'} */ ('BUY'));
  const size = useSignal('');
  const name = account.value;
  const market = markets.value.get(symbol.value);
  const isSpot = market?.kind === 'spot';
  const ticker = tickers.value.get(symbol.value) ?? {};
  const near = ticker.last ?? ticker.index ?? '';
  const hasPrice = kind.value !== 'MARKET';
  const missing = [size.value.trim() === '' && 'a size', hasPrice && price.value.trim() === '' && 'a price']
    .filter(Boolean)
    .join(' and ');
  const amount = plain(size.value);
  const base = inBase(market, amount === '' ? 1 : amount);
  const words = [
    missing !== '' && `It needs ${missing}.`,
    base !== null && `${amount === '' ? '1 contract' : `${size.value.trim()} contracts`} = ${base}`,
  ]
    .filter(Boolean)
    .join(' ');
  const body = orderOf({
    symbol: symbol.value,
    isSpot,
    kind: kind.value,
    side: side.value,
    size: size.value,
    price: price.value,
  });
  const path = `/accounts/${encodeURIComponent(name ?? 'bot')}/orders`;
  return html`<${Pane} class="order-pane" title="Place an order" label="Place an order" note=${`${symbol.value}, in the name of an account`} call=${{ method: 'POST', path, body }}>
    ${
      name === null
        ? html`<p class="empty-row">There is no account yet: create one below.</p>`
        : html`<div class="body">
      <div class="row"><${AccountPicker} isField />
        <${Segments} label="Side" choices=${[['BUY', '▲ buy'], ['SELL', '▼ sell']]} chosen=${side.value} onChoose=${(
          /** @type {'BUY'} */ choice,
        ) => {
          side.value = choice;
        }} />
        <${Segments} label="Kind" choices=${[['LIMIT', 'limit'], ['MARKET', 'market'], ['STOP', 'stop']]} chosen=${kind.value} onChoose=${(
          /** @type {'STOP'} */ choice,
        ) => {
          kind.value = choice;
        }} /></div>
      <div class="row"><${Field} class="amount" numeric label="Size" value=${size} refusal=${refusal} fields=${SIZES} placeholder=${isSpot ? `size, ${market?.base ?? ''}` : 'contracts'} />
        ${hasPrice && html`<span class="ink2">at</span><${Field} class="amount" numeric label=${kind.value === 'STOP' ? 'Trigger price' : 'Price'} value=${price} refusal=${refusal} fields=${PRICES} placeholder=${near === '' ? 'price' : `e.g. ${near}`} />`}
        <span class="end"><${Do} scope="admin" kind="main" refusal=${refusal} what=${`place an order for ${name}`} call=${{ method: 'POST', path, body }} disabled=${missing !== ''} say=${placed}>Place</${Do}></span></div>
      ${words !== '' && html`<p class="ink2 note order-note">${words}</p>`}
    </div>`
    }
  </${Pane}>`;
}

/** The bodies of the trading surfaces. @param {{ symbol: string, isSpot: boolean, kind: 'LIMIT' | 'MARKET' | 'STOP', side: string, size: string, price: string }} order */
function orderOf({ symbol, isSpot, kind, side, size, price }) {
  const [amount, at] = [plain(size), plain(price)];
  if (!isSpot) {
    if (kind === 'STOP')
      return { symbol, type: 'MARKET', txType: 'STOP', side, size: amount, triggerPrice: at, trigger: 'lastPrice' };
    return { symbol, type: kind, side, size: amount, ...(kind === 'LIMIT' && { price: at }) };
  }
  if (kind === 'STOP') return { symbol, orderType: 'STOP', orderSide: side, orderSize: amount, triggerPrice: at };
  return { symbol, orderType: kind, orderSide: side, orderSize: amount, ...(kind === 'LIMIT' && { orderPrice: at }) };
}

/** What is no number is sent as it is, and refused with the reason. @param {string} text */
function plain(text) {
  const bare = text.replaceAll(',', '').trim();
  return bare !== '' && Number.isFinite(Number(bare)) ? Number(bare) : bare;
}

/** @param {any} reply @param {number | null} seq */
function placed(reply, seq) {
  const [first] = Array.isArray(reply) ? reply : [reply];
  const id = first?.orderID ?? first?.orderId;
  return html`${id !== undefined && html`placed: <${OrderId} id=${id} /> · `}${answerOf(reply, seq)}`;
}
