/** A market without a price and without orders: three steps that bring it to life, by button and by code. */
import { post } from '../api.js';
import { AccountPicker } from '../components/account-picker.js';
import { ActionButton, Curl, copy } from '../components/parts.js';
import { grouped } from '../format.js';
import { account, mayAdminister, mayTest } from '../store.js';
import { html, useSignal } from '../ui.js';

/** @param {{ symbol: string, market: any }} props */
export function EmptyMarket({ symbol, market }) {
  const price = useSignal(symbol.startsWith('BTC') ? '60000' : symbol.startsWith('ETH') ? '3000' : '100');
  const prices = { symbol, index: price.value, last: price.value };
  const isSpot = market?.kind === 'spot';
  const size = isSpot ? '0.5' : '1000';
  const ordersPath = `/accounts/${encodeURIComponent(account.value ?? 'bot')}/orders`;
  // A thousandth of the price away, on whole units: every tick divides them.
  const orderOf = (/** @type {'BUY' | 'SELL'} */ side) => {
    const away = Math.max(1, Math.round(Number(price.value) / 1000));
    const at = Math.round(Number(price.value)) + (side === 'BUY' ? -away : away);
    return isSpot
      ? { symbol, orderType: 'LIMIT', orderSide: side, orderSize: Number(size), orderPrice: at }
      : { symbol, type: 'LIMIT', side, size: Number(size), price: at };
  };
  const quote = async () => {
    for (const side of /** @type {const} */ (['BUY', 'SELL'])) await post(ordersPath, orderOf(side));
    return 'both rest in the book';
  };
  const code = `// url is the address for clients: see npm start\nconst btse = new ccxt.btse({ apiKey, secret });\nbtse.urls.api = { public: url, private: url };\nawait btse.createOrder('${market?.base ?? 'BTC'}/${market?.quote ?? 'USDT'}', 'limit', 'buy', 0.001, ${price.value});`;
  return html`<div class="lone"><h1>Nothing has traded here yet</h1>
    <p>${symbol} is open, but it has no price and no orders. Three steps bring it to life; each can be done from here or from your test.</p>
    <ol class="steps">
      <li><h2>Give it a price</h2><p>Without an index and a last price, triggers and pegs wait.</p>
        <div class="row"><input class="field number" inputmode="decimal" aria-label="Price" value=${price.value} onInput=${(
          /** @type {any} */ event,
        ) => {
          price.value = event.target.value;
        }} />
          <${ActionButton} kind="main" disabled=${!mayTest.value} act=${async () => {
            const { seq } = await post('/prices', prices);
            return html`seq ${grouped(seq)}`;
          }}>Set index and last</${ActionButton}>
          <${Curl} call=${{ method: 'POST', path: '/prices', body: prices }} /></div>
        ${!mayTest.value && html`<p>This session only looks.</p>`}
      </li>
      <li><h2>Put something in the book</h2><p>One order on each side, of an account that you choose. Or start the venue with <code>--demo</code>: synthetic traders keep the books moving.</p>
        <div class="row"><${AccountPicker} /><${ActionButton} disabled=${!mayAdminister.value || account.value === null} act=${quote}>Quote ${size} ${isSpot ? market.base : 'contracts'} on each side</${ActionButton}>
          <${Curl} call=${{ method: 'POST', path: ordersPath, body: orderOf('BUY') }} /></div></li>
      <li><h2>Connect your bot</h2><p>Only the address changes. The keys of a demo are in <code>data/demo-keys.json</code>.</p>
        ${isSpot && html`<pre class="code-box">${code}</pre><button type="button" class="button" onClick=${() => copy(code, 'copied')}>Copy</button>`}</li>
    </ol>
    <p>As soon as the first order arrives this page shows the chart, the book and its story. Press <kbd>?</kbd> for all keys.</p>
  </div>`;
}
