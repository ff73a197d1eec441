/** The world after a command, beside what it is now: what differs, the book, the orders, the balances; and the hash that proves it. */
import { fixed, grouped, NONE, padded, signed } from '../format.js';
import { doingText, kindOf, priceDecimals, priceOf, priceText, sizeDecimals, sizeOf, sizeText } from '../orders.js';
import { setParameters } from '../router.js';
import { liveTickers, markets } from '../store.js';
import { useTopic } from '../topics.js';
import { html } from '../ui.js';
import { AccountPicker } from './account-picker.js';
import { copy, Loading, OrderId, Pane, Segments } from './parts.js';

/** The best levels of each side of a book, then and now. Those behind them are counted. */
const LEVELS = 8;
/** The levels of a side that are known of a moment, and of now. */
export const MOST_LEVELS = 1000;

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
  return html`<div class="proof"><p class="ink2">state hash <button type="button" class="as-link code" title=${hash} onClick=${() => copy(hash, 'hash copied')}>${hash.slice(0, 6)}…${hash.slice(-4)}</button> computed in ${(tookMs / 1000).toFixed(2)} s ${text}</p>
    <pre class="code-box">${line}</pre></div>`;
}

/** @param {{ then: any, present: any, market: any, seq: number }} props */
function Differs({ then, present, market, seq }) {
  const finer = priceDecimals(market) + 1;
  const price = (/** @type {any} */ value, decimals = priceDecimals(market)) =>
    value === null || value === undefined ? NONE : fixed(Number(value), decimals);
  const rows = [
    priceRow('Last', then.ticker?.last, present.ticker?.last, priceDecimals(market)),
    priceRow('Index', then.ticker?.index, present.ticker?.index, finer),
    priceRow('Mark', then.ticker?.mark, present.ticker?.mark, finer),
    {
      name: 'Best bid × ask',
      was: `${price(then.ticker?.bid?.price)} × ${price(then.ticker?.ask?.price)}`,
      now: `${price(present.ticker?.bid?.price)} × ${price(present.ticker?.ask?.price)}`,
      since: '',
    },
    ...moneyRows(then.balances ?? {}, present.balances ?? {}),
    {
      name: 'Open orders',
      was: String(then.orders.length),
      now: String(present.orders.length),
      since: since(then.orders.length, present.orders.length, 0),
    },
    ...orderRows(then.orders, present),
  ].filter((row) => row.was !== row.now);
  if (rows.length === 0)
    return html`<p class="empty-row">Nothing that this page compares: prices, money and orders are as now.</p>`;
  return html`<table class="differs"><caption>What differs between seq ${seq} and now</caption>
    <thead><tr><th scope="col"></th><th scope="col" class="r log-head">seq ${grouped(seq)}</th><th scope="col" class="r">now</th><th scope="col" class="r c2">since</th></tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${row.key ?? row.name}><td>${row.name}</td><td class="r then">${row.was}</td><td class="r">${row.now}</td><td class="r c2 ink2">${row.since}</td></tr>`)}</tbody></table>`;
}

/** @typedef {{ key?: string, name: any, was: string, now: string, since: string }} Difference */

/** @param {string} name @param {any} a @param {any} b @param {number} decimals @returns {Difference} */
function priceRow(name, a, b, decimals) {
  const text = (/** @type {any} */ value) =>
    value === null || value === undefined ? NONE : fixed(Number(value), decimals);
  return { name, was: text(a), now: text(b), since: a && b ? since(Number(a), Number(b), decimals) : '' };
}

/** @param {number} a @param {number} b @param {number} decimals */
const since = (a, b, decimals) => signed((b - a).toFixed(decimals));

/** @param {any} then @param {any} present @returns {Difference[]} */
function moneyRows(then, present) {
  const codes = [...new Set([...Object.keys(then), ...Object.keys(present)])];
  const each = codes.flatMap((code) => {
    const [a, b] = [then[code], present[code]];
    const decimals = code.startsWith('USD') ? 2 : 8;
    const row = (/** @type {string} */ label, /** @type {(balance: any) => number} */ of) => {
      const [x, y] = [a === undefined ? 0 : of(a), b === undefined ? 0 : of(b)];
      return {
        name: `${label} ${code}`,
        was: fixed(x, decimals),
        now: fixed(y, decimals),
        since: since(x, y, decimals),
      };
    };
    return [
      row('Equity in', (balance) => Number(balance.total) + Number(balance.unrealised)),
      row('Unrealised in', (balance) => Number(balance.unrealised)),
    ];
  });
  const [a, b] = [worthOf(then), worthOf(present)];
  if (a === null || b === null) return each;
  const name = `All money in ${WORTH}, at the prices of now`;
  return [{ name, was: fixed(a, 2), now: fixed(b, 2), since: since(a, b, 2) }, ...each];
}

/** What all money is counted in. */
const WORTH = 'USDT';

/** All money at the prices of now, so that a purchase is no loss. Null: a currency has no price. @param {any} balances @returns {number | null} */
function worthOf(balances) {
  let worth = 0;
  for (const [code, { total, unrealised }] of Object.entries(balances)) {
    const amount = Number(total) + Number(unrealised);
    const price = code === WORTH ? 1 : priceIn(code);
    if (amount !== 0 && price === null) return null;
    worth += amount * (price ?? 0);
  }
  return worth;
}

/** @param {string} code @returns {number | null} */
function priceIn(code) {
  const pair = [...markets.value.values()].find(
    ({ kind, base, quote }) => kind === 'spot' && base === code && quote === WORTH,
  );
  const { index, last } = liveTickers.value.get(pair?.symbol ?? '') ?? {};
  return index || last ? Number(index ?? last) : null;
}

/** Orders that were different, or are not there any more. @param {any[]} then @param {any} present @returns {Difference[]} */
function orderRows(then, present) {
  const live = new Map(present.orders.map((/** @type {any} */ order) => [order.orderId, order]));
  const ended = new Map(present.ended.map((/** @type {any} */ order) => [order.orderId, order]));
  const before = new Map(then.map((order) => [order.orderId, order]));
  const ids = [...new Set([...before.keys(), ...live.keys()])];
  return ids
    .map((id) => {
      const [a, b] = [before.get(id), live.get(id)];
      const order = a ?? b;
      const gone = ended.get(id)?.ended ?? 'ended';
      return {
        key: id,
        name: html`${kindOf(order)} <${OrderId} id=${id} />`,
        was: a === undefined ? 'not there yet' : briefly(a),
        now: b === undefined ? gone : briefly(b),
        since: '',
      };
    })
    .slice(0, 40);
}

/** @param {any} order */
function briefly(order) {
  const { progress = {} } = order.details ?? {};
  const market = markets.value.get(order.symbol);
  if (order.kind === 'twap')
    return progress.pausedBy
      ? `paused at part ${progress.childrenDone + 1}`
      : `${progress.childrenDone} of ${progress.children}`;
  if (order.trigger !== null && !order.trigger.fired) return `waits at ${priceText(market, order.trigger.price)}`;
  return Number(order.filled) > 0 ? `${order.state}, ${sizeText(market, order.filled)} filled` : order.state;
}

/** Both books by price. @param {{ then: any, present: any, market: any, seq: number }} props */
function Books({ then, present, market, seq }) {
  if (then === undefined) return null;
  const sides = /** @type {const} */ (['asks', 'bids']).map((which) => {
    const [was, is] = [new Map(then[which]), new Map(present?.[which] ?? [])];
    const best = (/** @type {Map<any, any>} */ levels) =>
      [...levels.keys()].sort((a, b) => (which === 'bids' ? b - a : a - b)).slice(0, LEVELS);
    const prices = [...new Set([...best(was), ...best(is)])].sort((a, b) => Number(b) - Number(a));
    return { which, prices, was, is };
  });
  const size = (/** @type {any} */ value) => (value === undefined ? '' : sizeText(market, value));
  const row = (/** @type {any} */ { which, was, is }, /** @type {any} */ price) =>
    html`<tr key=${price}><td class=${`r ${which === 'asks' ? 'sell' : 'buy'}`}>${priceText(market, price)}</td><td class="r then">${size(was.get(price))}</td><td class="r">${size(is.get(price))}</td></tr>`;
  const behind = (/** @type {any} */ { which, prices, was, is }) => {
    const [before, after] = [was, is].map((levels) => notShown(levels, prices, market));
    return html`<tr class="ink2 behind"><td class="r">other ${which}</td><td class="r">${before}</td><td class="r">${after}</td></tr>`;
  };
  const [asks, bids] = sides;
  return html`<table class="books"><caption>Book at seq ${seq} and now</caption>
    <thead><tr><th scope="col" class="r">price</th><th scope="col" class="r log-head">size, seq ${grouped(seq)}</th><th scope="col" class="r">size now</th></tr></thead>
    <tbody>${behind(asks)}${asks.prices.map((price) => row(asks, price))}</tbody><tbody class="bids">${bids.prices.map((price) => row(bids, price))}${behind(bids)}</tbody></table>`;
}

/** How many levels are at other prices, and the sum of their sizes. @param {Map<any, any>} levels @param {any[]} prices @param {any} market */
function notShown(levels, prices, market) {
  const others = [...levels].filter(([price]) => !prices.includes(price));
  if (others.length === 0) return 'none';
  const sum = others.reduce((total, [, size]) => total + Number(size), 0);
  const count = `${grouped(others.length)}${levels.size >= MOST_LEVELS ? ' or more' : ''} level${others.length === 1 ? '' : 's'}`;
  return `${count}, ${fixed(sum, sizeDecimals(market))}`;
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
  const codes = [...new Set([...Object.keys(then), ...Object.keys(present)])];
  const amount = (/** @type {any} */ balance, /** @type {string} */ which) =>
    balance === undefined ? NONE : grouped(padded(balance[which], 2));
  return html`<table class="balances-then"><caption>Balances at seq ${seq} and now</caption>
    <thead><tr><th scope="col">Coin</th><th scope="col" class="r log-head">total, seq ${grouped(seq)}</th><th scope="col" class="r log-head c2">available</th><th scope="col" class="r">total now</th><th scope="col" class="r c2">available</th></tr></thead>
    <tbody>${codes.map((code) => html`<tr key=${code}><td><b>${code}</b></td><td class="r then">${amount(then[code], 'total')}</td><td class="r c2">${amount(then[code], 'available')}</td><td class="r">${amount(present[code], 'total')}</td><td class="r c2">${amount(present[code], 'available')}</td></tr>`)}</tbody></table>`;
}
