/** Accounts: deposits, keys, and an order in the name of one. */
import { readAccounts } from '../follow.js';
import { account, accounts, chooseAccount, markets, tickers } from '../store.js';
import { html, useSignal } from '../ui.js';
import { Choice, Do, Field, mayDo } from './do.js';
import { copy, Pane, Segments } from './parts.js';

/** @param {{ symbol: import('@preact/signals').Signal<string> }} props */
export function OrderPane({ symbol }) {
  const kind = useSignal(/** @type {'LIMIT' | 'MARKET' | 'STOP'} */ ('LIMIT'));
  const side = useSignal(/** @type {'BUY' | 'SELL'} */ ('BUY'));
  const size = useSignal('');
  const price = useSignal('');
  const name = account.value;
  const market = markets.value.get(symbol.value);
  const isSpot = market?.kind === 'spot';
  const ticker = tickers.value.get(symbol.value) ?? {};
  const near = ticker.last ?? ticker.index ?? '';
  const hasPrice = kind.value !== 'MARKET';
  const body = orderOf({
    symbol: symbol.value,
    isSpot,
    kind: kind.value,
    side: side.value,
    size: size.value,
    price: price.value,
  });
  const path = `/accounts/${encodeURIComponent(name ?? 'bot')}/orders`;
  return html`<${Pane} class="order-pane" title="Place an order" label="Place an order" note=${`${symbol.value}, in the name of an account`} call=${{ method: 'GET', path }}>
    ${
      name === null
        ? html`<p class="empty-row">There is no account yet: create one below.</p>`
        : html`<div class="body">
      <div class="row"><${AccountChoice} />
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
      <div class="row"><${Field} class="amount" numeric label="Size" value=${size} placeholder=${isSpot ? `size, ${market?.base ?? ''}` : 'contracts'} />
        ${hasPrice && html`<span class="ink2">at</span><${Field} class="amount" numeric label=${kind.value === 'STOP' ? 'Trigger price' : 'Price'} value=${price} placeholder=${near || 'price'} />`}
        <span class="end"><${Do} scope="admin" kind="main" what=${`place an order for ${name}`} call=${{ method: 'POST', path, body }} disabled=${size.value.trim() === '' || (hasPrice && price.value.trim() === '')} say=${placed}>Place</${Do}></span></div>
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

/** @param {any} reply */
function placed(reply) {
  const [first] = Array.isArray(reply) ? reply : [reply];
  const id = first?.orderID ?? first?.orderId;
  return id === undefined
    ? 'done'
    : html`placed: <a class="id" href=${`/orders/${id}`} title=${id}>${id.slice(0, 8)}</a>`;
}

function AccountChoice() {
  return html`<select class="field" aria-label="Account" value=${account.value} onChange=${(/** @type {any} */ event) => chooseAccount(event.target.value)}>
    ${accounts.value.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
  </select>`;
}

export function AccountsPane() {
  const amount = useSignal('1000');
  const currency = useSignal('USDT');
  const fresh = useSignal('');
  const secret = useSignal(/** @type {{ key: string, secret: string } | null} */ (null));
  const name = account.value;
  const codes = [...new Set([...markets.value.values()].flatMap(({ base, quote }) => [quote, base]))];
  const path = `/accounts/${encodeURIComponent(name ?? 'bot')}`;
  return html`<${Pane} title="Accounts" call=${{ method: 'GET', path: '/accounts' }}>
    <div class="body">
      ${
        name !== null &&
        html`<div class="row"><${AccountChoice} />${mayDo('admin') && html`<${Field} class="amount" numeric label="Amount" value=${amount} /><${Choice} label="Currency" value=${currency} choices=${codes} />`}
        <${Do} scope="admin" what=${`deposit for ${name}`} call=${{ method: 'POST', path: `${path}/deposits`, body: { currency: currency.value, amount: amount.value.replaceAll(',', '').trim() } }} say=${(/** @type {any} */ { balances }) => `has ${balances[currency.value]?.total ?? 0} ${currency.value}`}>Deposit</${Do}>
        <${Do} scope="admin" what=${`a new key for ${name}`} call=${{ method: 'POST', path: `${path}/keys`, body: { permissions: ['read', 'trading'] } }} say=${() => ''} then=${(
          /** @type {any} */ reply,
        ) => {
          secret.value = reply;
        }}>New key</${Do}></div>`
      }
      ${
        secret.value !== null &&
        html`<div class="secret" role="status"><p><b>The secret is shown once.</b> It is not kept anywhere in readable form.</p>
          <dl><dt>key</dt><dd><code>${secret.value.key}</code></dd><dt>secret</dt><dd><code>${secret.value.secret}</code></dd></dl>
          <p class="row"><button type="button" class="button" onClick=${() => copy(`${secret.value?.key}:${secret.value?.secret}`, 'key and secret copied')}>Copy both</button>
          <button type="button" class="button" onClick=${() => {
            secret.value = null;
          }}>Hide for ever</button></p></div>`
      }
      <div class="row">${mayDo('admin') && html`<${Field} class="amount" label="Name of a new account" value=${fresh} placeholder="name" />`}
        <${Do} scope="admin" what="create an account" disabled=${fresh.value.trim() === ''} call=${{ method: 'POST', path: '/accounts', body: { name: fresh.value.trim() } }} say=${(/** @type {any} */ reply) => `${reply.account} exists`} then=${(
          /** @type {any} */ reply,
        ) => {
          fresh.value = '';
          void readAccounts().then(() => chooseAccount(reply.account));
        }}>Create account</${Do}></div>
    </div>
  </${Pane}>`;
}
