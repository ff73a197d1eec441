/** Accounts: new ones, deposits, keys. */
import { readAccounts } from '../follow.js';
import { account, accounts, chooseAccount, markets } from '../store.js';
import { html, useEffect, useSignal } from '../ui.js';
import { AccountPicker } from './account-picker.js';
import { Choice, Do, Field, mayDo, useRefusal } from './do.js';
import { copy, Pane } from './parts.js';

export function AccountsPane() {
  const amount = useSignal('1000');
  const currency = useSignal('USDT');
  const fresh = useSignal('');
  const secret = useSignal(/** @type {{ key: string, secret: string } | null} */ (null));
  const [ofDeposit, ofName] = [useRefusal(), useRefusal()];
  // Not the account of the page: who places an order need not be who gets money.
  const own = useSignal(account.value);
  useEffect(() => {
    if (own.value === null || !accounts.value.includes(own.value)) own.value = account.value;
  }, [accounts.value]);
  const name = own.value;
  const codes = [...new Set([...markets.value.values()].flatMap(({ base, quote }) => [quote, base]))];
  const path = `/accounts/${encodeURIComponent(name ?? 'bot')}`;
  return html`<${Pane} title="Accounts" call=${{ method: 'GET', path: '/accounts' }}>
    <div class="body">
      ${
        name !== null &&
        html`<div class="row"><${AccountPicker} isField own=${own} />${mayDo('admin') && html`<${Field} class="amount" numeric label="Amount" value=${amount} refusal=${ofDeposit} fields=${['amount']} /><${Choice} label="Currency" value=${currency} choices=${codes} />`}
        <${Do} scope="admin" what=${`deposit for ${name}`} refusal=${ofDeposit} call=${{ method: 'POST', path: `${path}/deposits`, body: { currency: currency.value, amount: amount.value.replaceAll(',', '').trim() } }} say=${(/** @type {any} */ { balances }) => `has ${balances[currency.value]?.total ?? 0} ${currency.value}`}>Deposit</${Do}>
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
          }}>Hide for good</button></p></div>`
      }
      <div class="row">${mayDo('admin') && html`<${Field} class="amount" label="Name of a new account" value=${fresh} placeholder="name" refusal=${ofName} fields=${['name']} />`}
        <${Do} scope="admin" what="create an account" refusal=${ofName} disabled=${fresh.value.trim() === ''} call=${{ method: 'POST', path: '/accounts', body: { name: fresh.value.trim() } }} say=${(/** @type {any} */ reply) => `${reply.account} exists`} then=${(
          /** @type {any} */ reply,
        ) => {
          fresh.value = '';
          own.value = reply.account;
          void readAccounts().then(() => chooseAccount(reply.account));
        }}>Create account</${Do}></div>
    </div>
  </${Pane}>`;
}
