/** An account: what it has, what it holds and how far that is from liquidation, and what each of its orders is doing. */
import { get } from '../api.js';
import { AccountMoney } from '../components/account-money.js';
import { AccountOrders } from '../components/account-orders.js';
import { Curl, Figure, Loading, Pane, Seq, Table } from '../components/parts.js';
import { Positions } from '../components/positions.js';
import { fixed, grouped, NONE, padded, percent, shortId, signed, zerosApart } from '../format.js';
import { usePastPrices } from '../past.js';
import { go, pastSeq, subject } from '../router.js';
import { account, accounts, chooseAccount, moment, tickers } from '../store.js';
import { useTopic } from '../topics.js';
import { html, useEffect, useSignal } from '../ui.js';
import { isMoney, priceMarketOf, WORTH, worthOf } from '../worth.js';

export function AccountView() {
  const name = subject.value ?? account.value;
  useEffect(() => {
    if (subject.value !== null && accounts.value.includes(subject.value)) chooseAccount(subject.value);
  }, [subject.value]);
  if (name === null) return html`<${NoAccount} />`;
  // At a past seq it may be in a branch that was left: then the time machine knows.
  if (pastSeq.value === null && accounts.value.length > 0 && !accounts.value.includes(name)) {
    return html`<div class="lone"><h1>There is no account ${name}</h1><p>There ${accounts.value.length === 1 ? 'is' : 'are'} ${accounts.value.slice(0, 8).map((each, i) => html`${i > 0 ? ', ' : ''}<a class="plain" href=${`/account/${encodeURIComponent(each)}`}>${each}</a>`)}.</p></div>`;
  }
  return html`<${Account} key=${name} name=${name} />`;
}

function NoAccount() {
  const call = /** @type {const} */ ({ method: 'POST', path: '/accounts', body: { name: 'bot' } });
  return html`<div class="lone"><h1>There is no account yet</h1><p>An account has balances, keys and orders. This creates one: <${Curl} call=${call} /></p></div>`;
}

/** @param {{ name: string }} props */
function Account({ name }) {
  const wallets = useTopic(`wallets:${name}`);
  const positions = useTopic(`positions:${name}`);
  const orders = useTopic(`orders:${name}`);
  const keys = useKeysOf(name);
  const path = `/accounts/${encodeURIComponent(name)}`;
  return html`
    <section class="account-head" aria-label="Account">
      <select class="field pick-account strong" aria-label="Account" value=${name} onChange=${(/** @type {any} */ event) => go(`/account/${encodeURIComponent(event.target.value)}`)}>
        ${[...new Set([...accounts.value, name])].map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
      </select>
      <h1 class="sr">Account ${name}</h1>
      <span class="ink2">${pastSeq.value === null ? keys : 'its keys are only known of now'}</span>
      <span class="end"><span class="ink2 c2">as of seq</span> <${Seq} seq=${moment.value?.seq} /><${Curl} call=${{ method: 'GET', path }} /></span>
    </section>
    <${Figures} wallets=${wallets} positions=${positions} />
    <div class="holdings">
      <${Balances} name=${name} wallets=${wallets} path=${path} />
      <${Positions} positions=${positions} path=${path} name=${name} />
    </div>
    <${AccountOrders} name=${name} orders=${orders} path=${path} />
    <${AccountMoney} name=${name} />`;
}

/** @param {string} name */
function useKeysOf(name) {
  const words = useSignal('');
  useEffect(() => {
    get(`/accounts/${encodeURIComponent(name)}/keys`).then(
      ({ keys }) => {
        const [first] = keys;
        words.value =
          first === undefined
            ? 'no API key'
            : keys.length > 1
              ? `${keys.length} API keys`
              : `API key ${shortId(first.key)}, which may do: ${first.permissions.join(', ')}`;
      },
      () => {},
    );
  }, [name]);
  return words;
}

/** The currency in which the account's worth is shown: that of its positions, or USDT, or its largest. @param {any} balances */
function mainCurrency(balances) {
  const codes = Object.keys(balances ?? {});
  const used = codes.find((code) => Number(balances[code].margin) > 0);
  return used ?? (codes.includes('USDT') ? 'USDT' : codes[0]);
}

/** @param {{ wallets: any, positions: any }} props */
function Figures({ wallets, positions }) {
  const balances = wallets.value;
  if (balances === undefined) return html`<${Loading} what="the account" rows=${2} />`;
  return html`<${FiguresOf} balances=${balances} positions=${positions} />`;
}

/** @param {{ balances: any, positions: any }} props */
function FiguresOf({ balances, positions }) {
  const code = mainCurrency(balances);
  const main = balances[code];
  const others = Object.keys(balances).filter((each) => each !== code && Number(balances[each].total) !== 0);
  usePastPrices(others.map(priceMarketOf).filter((symbol) => symbol !== undefined));
  if (main === undefined) return html`<div class="figures"><p class="ink2">This account has no money.</p></div>`;
  const [total, unrealised] = [Number(main.total), Number(main.unrealised)];
  const equity = total + unrealised;
  const worth = others.length === 0 ? null : worthOf(balances, tickers.value);
  const inUse = equity <= 0 ? 0 : (Number(main.reserved) + Number(main.margin)) / equity;
  return html`<section class="figures" aria-label="Figures">
    ${worth !== null && html`<${Figure} isKey label=${`All money in ${WORTH}, at the index`} value=${fixed(worth, 2)} />`}
    <${Figure} isKey label=${others.length === 0 ? `Equity in ${code}` : `Equity, the ${code} alone`} value=${fixed(equity, 2)} unit=${code} />
    ${positions.value?.length > 0 && html`<${Figure} isKey label="Unrealised" tone=${unrealised < 0 ? 'sell' : 'buy'} value=${signed(unrealised.toFixed(2))} />`}
    <${Figure} isKey label=${`Available in ${code}`} value=${fixed(Number(main.available), 2)} />
    <${Figure} isKey label="Margin and reserves in use" value=${percent(inUse, 0)} />
    ${others.length > 0 && html`<${Figure} label="Other currencies" value=${others.map((each) => `${grouped(trimmed(balances[each].total))} ${each}`).join(' · ')} />`}
  </section>`;
}

/** Without zeros at the end. @param {string} amount */
const trimmed = (amount) => zerosApart(amount)[0];

/** The most decimals that any amount of a row has, so that its figures align. @param {any} balance */
function decimalsIn(balance) {
  return Math.max(
    2,
    ...['total', 'available', 'reserved', 'margin'].map((each) => (balance[each].split('.')[1] ?? '').length),
  );
}

/** The currencies with money; the others on request. @param {{ name: string, wallets: any, path: string }} props */
function Balances({ name, wallets, path }) {
  const showsAll = useSignal(false);
  const all = Object.entries(wallets.value ?? {}).map(([code, balance]) => ({
    code,
    decimals: decimalsIn(balance),
    .../** @type {any} */ (balance),
  }));
  const [rich, bare] = [all.filter(isMoney), all.filter((row) => !isMoney(row))];
  const money = (/** @type {any} */ row, /** @type {string} */ which) => {
    if (which === 'margin' && Number(row.margin) === 0) return NONE;
    const [head, zeros] = zerosApart(grouped(padded(row[which], row.decimals)));
    return html`${head}<span class="zeros">${zeros}</span>`;
  };
  const column = (/** @type {string} */ title, /** @type {string} */ which, secondary = false) => ({
    title,
    right: true,
    secondary,
    cell: (/** @type {any} */ row) => money(row, which),
  });
  return html`<${Pane} title="Balances" call=${{ method: 'GET', path }}>
    <${Table} class="balances" caption=${`Balances of ${name}`} rows=${showsAll.value ? [...rich, ...bare] : rich} keyOf=${(/** @type {any} */ row) => row.code} empty="No money has come in yet."
      columns=${[
        { title: 'Coin', cell: (/** @type {any} */ row) => html`<b>${row.code}</b>` },
        column('Total', 'total'),
        column('Available', 'available'),
        column('Reserved', 'reserved', true),
        column('Margin', 'margin'),
      ]} />
    ${
      bare.length > 0 &&
      html`<p class="empty-row"><button type="button" class="button" aria-expanded=${showsAll.value} onClick=${() => {
        showsAll.value = !showsAll.value;
      }}>${showsAll.value ? 'Only those with money' : `and ${grouped(bare.length)} without money`}</button></p>`
    }
  </${Pane}>`;
}
