/** The orders of an account; and of one order, its story. */
import { AccountPicker } from '../components/account-picker.js';
import { SideMark } from '../components/icons.js';
import { CutOrders, Loading, OrderId, Pane, Segments, Seq, Table } from '../components/parts.js';
import { grouped, momentText } from '../format.js';
import { doingText, filledOf, kindOf, priceOf, priceText, sizeOf, sizeText } from '../orders.js';
import { go, subject } from '../router.js';
import { account, markets, moment, now } from '../store.js';
import { commandsBefore } from '../time-machine.js';
import { useTopic } from '../topics.js';
import { html, useEffect, useSignal } from '../ui.js';
import { Story } from './story.js';

const MOST_ROWS = 200;

export function OrdersView() {
  const id = subject.value;
  if (id !== null) return html`<${Story} key=${id} id=${id} />`;
  const name = account.value;
  if (name === null)
    return html`<div class="lone"><h1>No orders yet</h1><p>There is no account yet. An account comes first: <a class="plain" href="/account">Account</a> shows how.</p></div>`;
  return html`<${List} key=${name} name=${name} />`;
}

/** @param {{ name: string }} props */
function List({ name }) {
  const orders = useTopic(`orders:${name}`);
  const which = useSignal('all');
  const nowMs = moment.value?.timeMs ?? 0;
  const market = (/** @type {any} */ order) => markets.value.get(order.symbol);
  const open = [...(orders.value?.open.values() ?? [])];
  const placed = usePlaced(name);
  const known = [...open, ...(orders.value?.ended ?? [])];
  const ids = new Set(known.map(({ orderId }) => orderId));
  const ended = [
    ...(orders.value?.ended ?? []),
    ...placed.rows.filter(({ orderId, symbol }) => !ids.has(orderId) && markets.value.has(symbol)),
  ];
  const all = { all: [...open, ...ended], open, ended }[/** @type {'all'} */ (which.value)];
  const rows = [...all].sort((a, b) => b.seq - a.seq || (a.orderId < b.orderId ? 1 : -1));
  const price = (/** @type {any} */ order) => {
    const shown = order.live ? priceOf(order).price : (order.trigger?.price ?? order.price);
    return priceText(market(order), Number(shown) === 0 ? null : shown);
  };
  const columns = [
    { title: 'Placed at', cell: (/** @type {any} */ order) => html`<${Seq} seq=${order.seq} />`, class: 'o-seq' },
    {
      title: 'Venue time',
      secondary: true,
      class: 'ink2',
      cell: (/** @type {any} */ order) => momentText(order.createdMs, nowMs),
    },
    { title: 'Order', cell: (/** @type {any} */ order) => html`<${OrderId} id=${order.orderId} />`, class: 'o-id' },
    {
      title: 'Client id',
      secondary: true,
      class: 'ink2 o-client',
      cell: (/** @type {any} */ order) => order.clientId ?? '',
    },
    { title: 'Market', class: 'o-market', cell: (/** @type {any} */ order) => order.symbol },
    { title: 'Kind', cell: kindOf, class: 'o-kind' },
    {
      title: 'Side',
      class: 'o-side',
      cell: (/** @type {any} */ order) =>
        html`<span class=${`side ${order.side === 'BUY' ? 'buy' : 'sell'}`}><${SideMark} side=${order.side} />${order.side}</span>`,
    },
    { title: 'Size', right: true, cell: (/** @type {any} */ order) => sizeOf(order, market(order)), class: 'o-size' },
    {
      title: 'Filled',
      right: true,
      secondary: true,
      cell: (/** @type {any} */ order) =>
        order.live ? filledOf(order, market(order)) : sizeText(market(order), order.filled ?? null),
    },
    { title: 'Price or trigger', right: true, cell: price, class: 'o-price strong' },
    {
      title: 'How it is',
      class: 'o-state',
      cell: (/** @type {any} */ order) =>
        order.live ? doingText(order, market(order), nowMs) : html`<span class="ink2">${order.ended}</span>`,
    },
  ];
  return html`<${Pane} class="order-list" label=${`Orders of ${name}`} title=${html`<span>Orders of </span><${AccountPicker} />`}
    note="the latest first; each has its story"
    end=${html`<${Segments} label="Which orders" choices=${[
      ['all', `all ${grouped(open.length + ended.length)}`],
      ['open', `open ${grouped(open.length)}`],
      ['ended', `ended ${grouped(ended.length)}`],
    ]} chosen=${which.value} onChoose=${(/** @type {string} */ each) => {
      which.value = each;
    }} />`}
    call=${{ method: 'GET', path: `/accounts/${encodeURIComponent(name)}/orders` }}>
    ${
      orders.value === undefined || (placed.from === null && placed.problem === '')
        ? html`<${Loading} what="the orders" />`
        : html`<${Table} class="stories" caption=${`Orders of ${name}`} columns=${columns} rows=${rows.slice(0, MOST_ROWS)} keyOf=${(/** @type {any} */ order) => order.orderId}
      open=${(/** @type {any} */ order) => go(`/orders/${order.orderId}`)}
      empty=${emptyText(name, which.value, open.length + ended.length)} />`
    }
    <${CutOrders} orders=${orders.value} path=${`/accounts/${encodeURIComponent(name)}`} />
    ${rows.length > MOST_ROWS && html`<p class="empty-row">${grouped(rows.length - MOST_ROWS)} older ones. The Go-to box finds each by its id.</p>`}
  </${Pane}>
  <div class="list-note ink2"><p>${
    placed.from === null
      ? placed.problem === ''
        ? 'The log is being read.'
        : 'Orders from before this page was opened are not known:'
      : placed.from <= 1
        ? 'These are all orders that the log knows.'
        : html`Open orders, and those that were placed since seq <${Seq} seq=${placed.from} />. The Go-to box (<kbd>/</kbd>) finds any order by its id, however long ago it ended.`
  }</p>
    ${placed.problem !== '' && html`<p class="problem">${placed.problem}</p>`}
    ${placed.from !== null && placed.from > 1 && html`<button type="button" class="button" aria-busy=${placed.isBusy} onClick=${placed.more}>Look further back</button>`}</div>`;
}

/** @param {string} name @param {string} which @param {number} all */
function emptyText(name, which, all) {
  if (which === 'ended')
    return `No order of ${name} that is known here has ended. The Go-to box finds older ones by their id.`;
  if (all > 0) return `${name} has no open order, but ${grouped(all)} that ended: choose all.`;
  return `${name} has no order yet. What its bot places appears here at once.`;
}

/**
 * Orders that were placed before the page was opened, from the log, the last commands first.
 * @param {string} name @returns {{ rows: any[], from: number | null, problem: string, isBusy: boolean, more: () => void }}
 *   `from`: the first command that was looked at
 */
function usePlaced(name) {
  const rows = useSignal(/** @type {any[]} */ ([]));
  const from = useSignal(/** @type {number | null} */ (null));
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const isReady = (now.value?.seq ?? 0) > 0;
  const look = async (/** @type {AbortSignal} */ abort) => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      const commands = await commandsBefore(from.peek() ?? (now.peek()?.seq ?? 0) + 1, abort);
      rows.value = [...rows.peek(), ...commands.flatMap((command) => placedBy(name, command))];
      from.value = commands[0]?.seq ?? 1;
      problem.value = '';
    } catch (error) {
      if (!abort.aborted) problem.value = error instanceof Error ? error.message : String(error);
    }
    isBusy.value = false;
  };
  useEffect(() => {
    const abort = new AbortController();
    if (isReady) void look(abort.signal);
    return () => abort.abort();
  }, [isReady]);
  return {
    rows: rows.value,
    from: from.value,
    problem: problem.value,
    isBusy: isBusy.value,
    more: () => void look(new AbortController().signal),
  };
}

/** The orders of a command, as it asked for them. @param {string} name @param {any} line */
function placedBy(name, { seq, time, command }) {
  if (command?.type !== 'place' || command.account !== name || command.refusal !== undefined) return [];
  const { market, side, size = null, kind, price = null, trigger = null, clientId = null, orders } = command;
  return (orders ?? []).map((/** @type {string} */ orderId) => ({
    orderId,
    clientId,
    symbol: market,
    side,
    kind: kind === 'oco' ? 'OCO' : kind,
    size,
    price: trigger ?? price,
    trigger: null,
    filled: null,
    seq,
    createdMs: time,
    live: false,
    ended: 'ended; its story says how',
  }));
}
