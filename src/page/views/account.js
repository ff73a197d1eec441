/** An account: what it has, what it holds and how far that is from liquidation, and what each of its orders is doing. */
import { useAllOrders } from '../all-orders.js';
import { get } from '../api.js';
import { AccountMoney } from '../components/account-money.js';
import { Warning } from '../components/icons.js';
import { OrderRow } from '../components/order-row.js';
import { Curl, CutOrders, Figure, Loading, OrderId, Pane, Segments, Seq, Table } from '../components/parts.js';
import { Distance } from '../components/tracks.js';
import { fixed, grouped, momentText, NONE, padded, percent, shortId, signed, zerosApart } from '../format.js';
import { byWhatIsNext, endedFilled, inBase, kindOf, priceDecimals, priceText, sizeOf } from '../orders.js';
import { usePastPrices } from '../past.js';
import { isNearLiquidation, liquidationDistance } from '../positions.js';
import { useQueues } from '../queues.js';
import { go, subject } from '../router.js';
import { account, accounts, chooseAccount, markets, moment, tickers } from '../store.js';
import { useTopic } from '../topics.js';
import { html, useComputed, useEffect, useSignal } from '../ui.js';

/** Rows of orders: pictures for more would cost the browser more than anybody reads. */
const MOST_ROWS = 200;

export function AccountView() {
  const name = subject.value ?? account.value;
  useEffect(() => {
    if (subject.value !== null && accounts.value.includes(subject.value)) chooseAccount(subject.value);
  }, [subject.value]);
  if (name === null) return html`<${NoAccount} />`;
  if (accounts.value.length > 0 && !accounts.value.includes(name)) {
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
        ${accounts.value.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
      </select>
      <h1 class="sr">Account ${name}</h1>
      <span class="ink2">${keys}</span>
      <span class="end"><span class="ink2 c2">as of seq</span> <${Seq} seq=${moment.value?.seq} /><${Curl} call=${{ method: 'GET', path }} /></span>
    </section>
    <${Figures} wallets=${wallets} positions=${positions} />
    <div class="holdings">
      <${Balances} name=${name} wallets=${wallets} path=${path} />
      <${Positions} positions=${positions} path=${path} name=${name} />
    </div>
    <${Orders} name=${name} orders=${orders} path=${path} />
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
            ? 'no key'
            : keys.length > 1
              ? `${keys.length} keys`
              : `key ${shortId(first.key)} · ${first.permissions.join(', ')}`;
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
  const code = mainCurrency(balances);
  const main = balances[code];
  if (main === undefined) return html`<div class="figures"><p class="ink2">This account has no money.</p></div>`;
  const [total, unrealised] = [Number(main.total), Number(main.unrealised)];
  const equity = total + unrealised;
  const others = Object.entries(balances)
    .filter(([each, { total: of }]) => each !== code && Number(of) !== 0)
    .map(([each, { total: of }]) => `${grouped(trimmed(of))} ${each}`);
  const inUse = equity <= 0 ? 0 : (Number(main.reserved) + Number(main.margin)) / equity;
  return html`<section class="figures" aria-label="Figures">
    <${Figure} isKey label=${`Equity in ${code}`} value=${fixed(equity, 2)} unit=${code} />
    ${positions.value?.length > 0 && html`<${Figure} isKey label="Unrealised" tone=${unrealised < 0 ? 'sell' : 'buy'} value=${signed(unrealised.toFixed(2))} />`}
    <${Figure} isKey label=${`Available in ${code}`} value=${fixed(Number(main.available), 2)} />
    <${Figure} isKey label="Margin and reserves in use" value=${percent(inUse, 0)} />
    ${others.length > 0 && html`<${Figure} label="Other currencies" value=${others.join(' · ')} />`}
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

/** @param {{ name: string, wallets: any, path: string }} props */
function Balances({ name, wallets, path }) {
  const rows = Object.entries(wallets.value ?? {}).map(([code, balance]) => ({
    code,
    decimals: decimalsIn(balance),
    .../** @type {any} */ (balance),
  }));
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
    <${Table} class="balances" caption=${`Balances of ${name}`} rows=${rows} keyOf=${(/** @type {any} */ row) => row.code} empty="No money has come in yet."
      columns=${[
        { title: 'Coin', cell: (/** @type {any} */ row) => html`<b>${row.code}</b>` },
        column('Total', 'total'),
        column('Available', 'available'),
        column('Reserved', 'reserved', true),
        column('Margin', 'margin'),
      ]} />
  </${Pane}>`;
}

/** @param {{ positions: any, path: string, name: string }} props */
function Positions({ positions, path, name }) {
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

/** @param {{ name: string, orders: any, path: string }} props */
function Orders({ name, orders, path }) {
  const which = useSignal('open');
  const open = useComputed(() => [...(orders.value?.open.values() ?? [])]);
  const queues = useQueues(name, open.value);
  usePastPrices([...new Set(open.value.map((order) => order.symbol))]);
  const nowMs = moment.value?.timeMs ?? 0;
  const tickerOf = (/** @type {string} */ symbol) => tickers.value.get(symbol);
  const withQueue = open.value.map((order) => ({ ...order, queue: queues.value.get(order.orderId) }));
  const byId = new Map(withQueue.map((order) => [order.orderId, order]));
  // The two legs of an OCO are one row: that of the limit.
  const siblingOf = (/** @type {any} */ order) =>
    order.details?.name === 'oco' ? byId.get(order.details.terms.sibling) : undefined;
  const isSecond = (/** @type {any} */ order) =>
    order.details?.name === 'oco' && order.details.terms.role === 'stop' && siblingOf(order) !== undefined;
  const rows = byWhatIsNext(
    withQueue.filter((order) => !isSecond(order)),
    tickerOf,
  );
  const { ended, more, isKnown, isBusy, problem, path: pathOfAll } = useAllOrders(name);
  return html`<${Pane} class="account-orders" title=${which.value === 'open' ? 'Open orders' : 'Ended orders'}
    note=${which.value === 'open' ? `${rows.length}, by what happens next` : `${isKnown ? grouped(ended.length) : '…'}${more === null ? '' : '+'}, the latest first`}
    end=${html`<${Segments} label="Which orders" choices=${
      /** @type {const} */ ([
        ['open', 'open'],
        ['ended', 'ended'],
      ])
    } chosen=${which.value} onChoose=${(/** @type {string} */ each) => {
      which.value = each;
    }} />`} call=${{ method: 'GET', path: which.value === 'ended' ? pathOfAll : `${path}/orders` }}>
    ${
      which.value === 'ended'
        ? isKnown
          ? html`<${Ended} name=${name} rows=${ended} nowMs=${nowMs} />
            ${problem !== '' && html`<p class="problem">${problem}</p>`}
            ${more !== null && html`<p class="empty-row"><button type="button" class="button" aria-busy=${isBusy} onClick=${more}>Look further back</button></p>`}`
          : html`<${Loading} what="the orders" rows=${3} />`
        : rows.length === 0
          ? orders.value === undefined
            ? html`<${Loading} what="the orders" rows=${3} />`
            : html`<p class="empty-row">${name} has no open order. What its bot places appears here at once.</p>`
          : html`<ul class="order-rows">${rows
              .slice(0, MOST_ROWS)
              .map(
                (order) =>
                  html`<${OrderRow} key=${order.orderId} order=${order} sibling=${siblingOf(order)} market=${markets.value.get(order.symbol)} ticker=${tickerOf(order.symbol)} nowMs=${nowMs} />`,
              )}</ul>
            ${rows.length > MOST_ROWS && html`<p class="empty-row">${grouped(rows.length - MOST_ROWS)} more. Each market shows its own.</p>`}
            <${CutOrders} orders=${orders.value} path=${path} />`
    }
  </${Pane}>`;
}

/** @param {{ name: string, rows: any[], nowMs: number }} props */
function Ended({ name, rows, nowMs }) {
  const sorted = [...rows].sort((a, b) => b.updatedMs - a.updatedMs || b.seq - a.seq);
  const market = (/** @type {any} */ row) => markets.value.get(row.symbol);
  return html`<${Table} caption=${`Ended orders of ${name}`} rows=${sorted.slice(0, MOST_ROWS)} keyOf=${(/** @type {any} */ row) => row.orderId} open=${(/** @type {any} */ row) => go(`/orders/${row.orderId}`)}
    empty=${`No order of ${name} that is kept has ended.`}
    columns=${[
      {
        title: 'Order',
        cell: (/** @type {any} */ row) => html`<${OrderId} id=${row.orderId} />`,
      },
      { title: 'Market', cell: (/** @type {any} */ row) => row.symbol },
      { title: 'Kind', cell: kindOf, secondary: true },
      {
        title: 'Side',
        cell: (/** @type {any} */ row) =>
          html`<span class=${row.side === 'BUY' ? 'buy strong' : 'sell strong'}>${row.side}</span>`,
      },
      { title: 'Size', right: true, cell: (/** @type {any} */ row) => sizeOf(row, market(row)) },
      { title: 'Filled', right: true, cell: (/** @type {any} */ row) => endedFilled(row, market(row)) },
      { title: 'How it ended', cell: (/** @type {any} */ row) => row.ended, class: 'ink2' },
      { title: 'At', right: true, cell: (/** @type {any} */ row) => momentText(row.updatedMs, nowMs), class: 'ink2' },
    ]} />`;
}
