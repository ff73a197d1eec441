/** The world after a command, beside what it is now: what differs, the book, the orders, the balances; and the hash that proves it. */
import { kindOf } from '../../story/words.js';
import { grouped, NONE, padded } from '../format.js';
import { doingText, priceOf, priceText, sizeOf } from '../orders.js';
import { setParameters } from '../router.js';
import { liveTickers, markets } from '../store.js';
import { useTopic } from '../topics.js';
import { html } from '../ui.js';
import { isMoney } from '../worth.js';
import { AccountPicker } from './account-picker.js';
import { copy, Loading, OrderId, Pane, Segments } from './parts.js';
import { Books } from './then-books.js';
import { Differs } from './then-differs.js';

/** @param {{ seq: number, isNow: boolean, symbol: string | undefined, name: string | null, answers: any, show: import('@preact/signals').Signal<string> }} props */
export function World({ seq, isNow, symbol, name, answers, show }) {
  const book = useTopic(symbol === undefined ? null : `book:${symbol}`, { isLive: true });
  const wallets = useTopic(name === null ? null : `wallets:${name}`, { isLive: true });
  const orders = useTopic(name === null ? null : `orders:${name}`, { isLive: true });
  const market = markets.value.get(symbol ?? '');
  const present = {
    ticker: liveTickers.value.get(symbol ?? ''),
    balances: wallets.value,
    orders: [...(orders.value?.open.values() ?? [])],
    ended: orders.value?.ended ?? [],
  };
  const then = {
    ticker: answers.book?.market,
    balances: answers.account?.balances,
    orders: answers.account?.orders ?? [],
  };
  const path = `/at/${seq}?show=${show.value === 'book' ? `book&symbol=${symbol}` : `account&account=${name}`}`;
  const line = `npx bourse replay data --seq ${seq} --show ${show.value === 'book' ? `book --symbol ${symbol}` : `account --account ${name}`}`;
  const isReady = answers.book?.seq === seq || answers.account?.seq === seq;
  return html`<${Pane} class="world" title="The world then, and now" call=${{ method: 'GET', path }} end=${html`<${Segments} label="What of it" choices=${
    /** @type {const} */ ([
      ['differs', 'what differs'],
      ['book', 'book'],
      ['orders', 'orders'],
      ['balances', 'balances'],
    ])
  } chosen=${show.value} onChoose=${(/** @type {string} */ each) => {
    show.value = each;
  }} />`}>
    <div class="world-of"><select class="pick" aria-label="Market" value=${symbol} onChange=${(/** @type {any} */ event) => setParameters({ symbol: event.target.value })}>${[...markets.value.keys()].map((each) => html`<option key=${each} value=${each}>${each}</option>`)}</select><${AccountPicker} /></div>
    ${
      isNow
        ? html`<p class="empty-row">This is now. Drag the slider, click a mark, or press <kbd>←</kbd>: what was different then appears here.</p>`
        : answers.book === undefined && answers.account === undefined
          ? html`<${Loading} what="the state then" />`
          : html`<div class=${isReady ? '' : 'waits'}>
        ${show.value === 'differs' && html`<${Differs} then=${then} present=${present} market=${market} seq=${answers.book?.seq ?? seq} />`}
        ${show.value === 'book' && html`<${Books} then=${answers.book} present=${book.value} market=${market} seq=${answers.book?.seq ?? seq} />`}
        ${show.value === 'orders' && html`<${Orders} rows=${then.orders} nowMs=${answers.account?.time ?? 0} />`}
        ${show.value === 'balances' && html`<${Balances} then=${then.balances} present=${present.balances} seq=${answers.account?.seq ?? seq} />`}
      </div>
      <${Proof} answer=${answers.book ?? answers.account} line=${line} />`
    }
  </${Pane}>`;
}

/** The hash of the state, what it was computed from, and the command that computes it elsewhere. @param {{ answer: any, line: string }} props */
function Proof({ answer, line }) {
  if (answer === undefined) return null;
  const { hash, from, seq, tookMs } = answer;
  const steps = seq - from.seq;
  const words = {
    beginning: 'the beginning',
    moment: `the last look, seq ${grouped(from.seq)},`,
    snapshot: `snapshot ${grouped(from.seq)}`,
    checkpoint: `checkpoint ${grouped(from.seq)}`,
  };
  const text =
    steps === 0
      ? 'already there'
      : `from ${words[/** @type {'moment'} */ (from.kind)] ?? from.kind} and ${grouped(steps)} command${steps === 1 ? '' : 's'}`;
  return html`<div class="proof"><p class="ink2"><span title="SHA-256 over the whole state: two venues with the same hash are in the same state">Fingerprint of the whole state (its hash)</span> <button type="button" class="as-link code" title=${hash} onClick=${() => copy(hash, 'hash copied')}>${hash.slice(0, 6)}…${hash.slice(-4)}</button>, computed in ${(tookMs / 1000).toFixed(2)} s ${text}</p>
    <pre class="code-box">${line}</pre></div>`;
}

/** @param {{ rows: any[], nowMs: number }} props */
function Orders({ rows, nowMs }) {
  if (rows.length === 0) return html`<p class="empty-row">The account had no open order then.</p>`;
  const market = (/** @type {any} */ order) => markets.value.get(order.symbol);
  return html`<table class="orders-then"><caption>Open orders then</caption>
    <thead><tr><th scope="col">Order</th><th scope="col">Kind</th><th scope="col" class="r">Size</th><th scope="col" class="r">Price</th><th scope="col">What it was doing</th></tr></thead>
    <tbody>${rows.slice(0, 100).map((order) => html`<tr key=${order.orderId}><td><${OrderId} id=${order.orderId} /></td><td class=${order.side === 'BUY' ? 'buy' : 'sell'}>${order.side} ${kindOf(order)}</td><td class="r">${sizeOf(order, market(order))}</td><td class="r">${priceText(market(order), priceOf(order).price)}</td><td class="ink2">${doingText(order, market(order), nowMs)}</td></tr>`)}</tbody></table>`;
}

/** @param {{ then: any, present: any, seq: number }} props */
function Balances({ then = {}, present = {}, seq }) {
  const all = [...new Set([...Object.keys(then), ...Object.keys(present)])];
  const codes = all.filter((code) => isMoney(then[code]) || isMoney(present[code]));
  const amount = (/** @type {any} */ balance, /** @type {string} */ which) =>
    balance === undefined ? NONE : grouped(padded(balance[which], 2));
  return html`<table class="balances-then"><caption>Balances at seq ${seq} and now</caption>
    <thead><tr><th scope="col">Coin</th><th scope="col" class="r log-head">total, seq ${grouped(seq)}</th><th scope="col" class="r log-head c2">available</th><th scope="col" class="r">total now</th><th scope="col" class="r c2">available</th></tr></thead>
    <tbody>${codes.map((code) => html`<tr key=${code}><td><b>${code}</b></td><td class="r then">${amount(then[code], 'total')}</td><td class="r c2">${amount(then[code], 'available')}</td><td class="r">${amount(present[code], 'total')}</td><td class="r c2">${amount(present[code], 'available')}</td></tr>`)}</tbody></table>
    ${codes.length < all.length && html`<p class="empty-row">${codes.length === 0 ? 'No money then and now' : `and ${grouped(all.length - codes.length)} without money then and now`}</p>`}`;
}
