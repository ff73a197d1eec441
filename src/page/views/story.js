/**
 * The story of an order, as the venue tells it: one sentence that says why, a picture of the price, then what happened, row
 * by row. Beside it, what moved the account's money meanwhile, and what else the same commands set off.
 */
import { moveWord } from '../../story/words.js';
import { get, post, Refused } from '../api.js';
import { CancelOrder } from '../components/cancel-order.js';
import { Cross, Diamond, DiamondFull, Disc, Pause, Rests, Ring, SideMark, Square, Steps } from '../components/icons.js';
import {
  ActionButton,
  Curl,
  copy,
  Foreign,
  Loading,
  OrderId,
  Pane,
  rowProps,
  Segments,
  Seq,
} from '../components/parts.js';
import { PricePicture } from '../components/price-picture.js';
import { Parts } from '../components/tracks.js';
import { clockText, fixed, grouped, momentText, padded, secondsText, signed } from '../format.js';
import { readLedger } from '../ledger.js';
import { doingText, priceDecimals, priceText, sizeText } from '../orders.js';
import { go, parameter, pastSeq } from '../router.js';
import { account, chooseAccount, isManual, markets, mayTest, moment, now } from '../store.js';
import { useTopic } from '../topics.js';
import { html, useEffect, useSignal } from '../ui.js';

const PAUSE_MS = 1000;
const MOST_ROWS = 200;
const RELATIONS = /** @type {Record<string, string>} */ ({
  otherLeg: 'the other leg',
  parent: 'the order it belongs to',
  takeProfit: 'its take-profit',
  stopLoss: 'its stop-loss',
  ownTaker: 'an own order that would have traded with it',
  ownMaker: 'the own order that it met',
});

/** @param {{ id: string }} props */
export function Story({ id }) {
  const found = useSignal(/** @type {any} */ (undefined));
  const problem = useSignal('');
  const path = pathOf(id);
  const owner = found.value?.order.account ?? null;
  // The stream says when something happened to it.
  const live = useTopic(owner === null ? null : `orders:${owner}`);
  const record = live.value?.open.get(found.value?.order.orderId) ?? endedIn(live.value, found.value?.order.orderId);
  const readAt = useSignal(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      readAt.value = performance.now();
      try {
        found.value = await get(path, abort.signal);
        problem.value = '';
      } catch (error) {
        if (abort.signal.aborted) return;
        problem.value = error instanceof Refused ? error.message : 'The venue does not answer.';
      }
    };
    const timer = setTimeout(read, Math.max(0, readAt.peek() + PAUSE_MS - performance.now()));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [path, record]);
  if (found.value === undefined) {
    if (problem.value === '') return html`<${Loading} what="the story" />`;
    return html`<div class="lone"><h1>There is no such story</h1><p class="problem">${problem}</p>
      <p><a class="plain" href="/orders">Orders</a> lists those of an account. A client id needs its account in the address: <code>/orders/ID?account=NAME</code>.</p></div>`;
  }
  return html`<${Told} story=${found.value} path=${path} problem=${problem.value} known=${live.value} />`;
}

/** A client id has its account in the address, and the market if orders of both products have it. @param {string} id */
function pathOf(id) {
  const [name, symbol] = [parameter('account'), parameter('symbol')];
  const path = `/orders/${encodeURIComponent(id)}?limit=1`;
  if (name === null) return path;
  const owner = `${path}&account=${encodeURIComponent(name)}`;
  return symbol === null ? owner : `${owner}&symbol=${encodeURIComponent(symbol)}`;
}

/** @param {any} orders @param {string} id */
const endedIn = (orders, id) => orders?.ended.find((/** @type {any} */ order) => order.orderId === id);

const TONES = /** @type {Record<string, string>} */ ({ paused: 'warn', cancelled: '', rejected: 'bad', filled: 'ok' });

/** @param {{ story: any, path: string, problem: string, known: any }} props `known`: the orders of its account at the seq of the address */
function Told({ story, path, problem, known }) {
  const { order, title, status, sentence, rows, parts, siblings, alongside, ledger, totals, events } = story;
  const market = markets.value.get(order.symbol);
  const then = wordsThen(order, known?.open.get(order.orderId), known !== undefined, market);
  const isOpen = order.live;
  const tone = TONES[status.split(/[ ,]/)[0]] ?? '';
  useEffect(() => {
    document.title = `${title} · bourse`;
    if (account.peek() !== order.account) chooseAccount(order.account);
  }, [title, order.account]);
  const flat = rows.flatMap((/** @type {any} */ row) => row.each ?? [row]);
  return html`<div class="story">
    <article class="told" aria-label=${title}>
      <header class="story-head">
        <h1>${title}</h1><span class=${`chip ${tone}`}>${pastSeq.value !== null && 'now: '}${status.startsWith('paused') && html`<${Pause} />`}${status}</span>
        <span class="end">${isOpen && html`<${CancelOrder} id=${order.orderId} account=${order.account} symbol=${order.symbol} />`}<${Curl} call=${{ method: 'GET', path }} />
          <button type="button" class="curl" title=${`copies the command of a terminal that tells the same: npx bourse story ${order.orderId}`} onClick=${() => copy(`npx bourse story ${order.orderId}`, 'command copied')}>bourse story</button></span>
      </header>
      <p class="story-of ink2"><code class="whole-id">${order.orderId}</code> · ${order.symbol} · <a class="plain" href=${`/account/${encodeURIComponent(order.account)}`}>${order.account}</a>${order.clientId !== null && html` · client id <code><${Foreign} text=${order.clientId} /></code>`} · placed at seq <${Seq} seq=${order.seq} /></p>
      ${problem !== '' && html`<p class="problem">${problem}</p>`}
      ${
        pastSeq.value === null
          ? html`<p class="sentence">${sentence}</p>`
          : html`<p class="sentence">At seq <${Seq} seq=${pastSeq.value} />: ${then}</p>
            <p class="story-of ink2">As it is now: ${sentence} What came after that seq is grey.</p>`
      }
      ${parts !== undefined && html`<${TwapStrip} parts=${parts} of=${Number(events[0]?.twap?.children ?? 0)} hasNext=${rows.at(-1)?.kind === 'next'} side=${order.side} />`}
      <${PricePicture} order=${order} accepted=${events[0]} rows=${flat} market=${market} />
      <${Rows} order=${order} rows=${rows} market=${market} />
    </article>
    <aside class="beside" aria-label="Beside the story">
      <${Money} order=${order} ledger=${ledger} />
      <${Totals} order=${order} totals=${totals} market=${market} />
      ${
        siblings.length > 0 &&
        html`<${Pane} title="Orders that belong to it"><ul class="facts">${siblings.map(
          (/** @type {any} */ each) =>
            html`<li key=${each.orderId}><${OrderId} id=${each.orderId} /> <span>${RELATIONS[each.relation] ?? each.relation}, ${each.side.toLowerCase()} ${each.size === null ? '' : sizeText(market, each.size)}, <b>${each.ended ?? each.state}</b></span></li>`,
        )}</ul></${Pane}>`
      }
      ${
        alongside.length > 0 &&
        html`<${Pane} title="Set off by the same command"><ul class="facts">${alongside.flatMap(
          (/** @type {any} */ { seq, time, sentences }) =>
            sentences.map(
              (/** @type {string} */ text) =>
                html`<li key=${`${seq} ${text}`}><span class="ink2">${secondsText(time)}</span> <${Seq} seq=${seq} /> <span>${text}</span></li>`,
            ),
        )}</ul></${Pane}>`
      }
    </aside>
  </div>`;
}

/**
 * What the order was doing at the seq of the address. `isKnown`: the open orders of that moment are.
 * @param {any} order @param {any} open as it was then. Undefined: it was not open @param {boolean} isKnown @param {any} market
 */
function wordsThen(order, open, isKnown, market) {
  const at = pastSeq.value ?? Number.POSITIVE_INFINITY;
  if (order.seq > at) return 'it was not placed yet.';
  if (open !== undefined) return `${doingText(open, market, moment.value?.timeMs ?? 0)}.`;
  return isKnown ? 'it had ended.' : '…';
}

/** @param {{ parts: readonly import('../parts-of-twap.js').Part[], of: number, hasNext: boolean, side: string }} props */
function TwapStrip({ parts, of, hasNext, side }) {
  const done = parts.at(-1)?.part ?? 0;
  return html`<div class="twap-strip"><${Parts} parts=${parts} done=${done} of=${Math.max(of, done)} hasNext=${hasNext} tone=${side === 'BUY' ? 'buy' : 'sell'} /></div>`;
}

/** @param {{ kind: string, side: string }} props */
function Shape({ kind, side }) {
  switch (kind) {
    case 'taken':
      return html`<${Disc} />`;
    case 'trade':
      return html`<span class=${side === 'BUY' ? 'buy' : 'sell'}><${SideMark} side=${side} size=${10} /></span>`;
    case 'fired':
    case 'started':
      return html`<${DiamondFull} />`;
    case 'moved':
      return html`<${Steps} />`;
    case 'changed':
      return html`<${Diamond} />`;
    case 'paused':
      return html`<span class="warn"><${Pause} /></span>`;
    case 'done':
      return html`<${Square} />`;
    case 'ended':
      return html`<${Cross} />`;
    case 'next':
      return html`<${Ring} />`;
    default:
      return html`<${Rests} />`;
  }
}

/** @param {{ order: any, rows: any[], market: any }} props */
function Rows({ order, rows, market }) {
  const opened = useSignal(/** @type {ReadonlySet<string>} */ (new Set()));
  const isAll = useSignal(false);
  const keyOf = (/** @type {any} */ row) => `${row.seq} ${row.n} ${row.kind}`;
  const toggle = (/** @type {any} */ row) => {
    const next = new Set(opened.value);
    if (!next.delete(keyOf(row))) next.add(keyOf(row));
    opened.value = next;
  };
  const shown = rows.flatMap((row) => {
    if (row.each === undefined || !opened.value.has(keyOf(row))) return [row];
    return [row, ...row.each.map((/** @type {any} */ each) => ({ ...each, isPart: true }))];
  });
  const cut = isAll.value ? shown : shown.slice(0, MOST_ROWS);
  const isLeftShown = order.size !== null && order.kind !== 'twap';
  const size = (/** @type {string | null} */ value) => (value === null ? '' : sizeText(market, value));
  const past = pastSeq.value;
  return html`<table class="events">
    <caption>What happened to ${order.orderId}, and why</caption>
    <thead><tr><th scope="col">Venue time</th><th scope="col">Seq</th><th scope="col">What happened, and why</th><th scope="col" class="r">Last then</th><th scope="col" class="r">${isLeftShown ? 'Left' : 'Filled'}</th></tr></thead>
    <tbody>${cut.map(
      (
        row,
      ) => html`<tr key=${`${keyOf(row)}${row.isPart ? ' part' : ''}`} ...${row.seq === null ? {} : rowProps(() => go(`/time?seq=${row.seq}`))} class=${`${row.isPart ? 'part ' : ''}${past !== null && (row.seq === null || row.seq > past) ? 'later ' : ''}${row.leftBranch ? 'left-branch' : ''}`}>
        <td class="e-time ink2">${clockText(row.time)}</td>
        <td class="e-seq"><${Seq} seq=${row.seq} /></td>
        <td class="e-what"><div class="what-line"><span class="shape"><${Shape} kind=${row.kind} side=${order.side} /></span><div><p>${row.sentence}</p>
          ${
            (row.detail !== undefined || row.each !== undefined || row.leftBranch) &&
            html`<p class="ink2 sub">${row.leftBranch ? 'in a branch that a reset or a restore has left' : ''}${row.leftBranch && row.detail ? ' · ' : ''}${row.detail}${row.each !== undefined && html`${row.detail ? ' · ' : ''}<button type="button" class="as-link" aria-expanded=${opened.value.has(keyOf(row))} onClick=${() => toggle(row)}>${opened.value.has(keyOf(row)) ? 'show as one' : 'show each'}</button>`}</p>`
          }
          ${row.kind === 'next' && isManual.value && mayTest.value && past === null && html`<${AdvanceTo} time=${row.time} />`}
        </div></div></td>
        <td class="e-price r">${row.price === null ? '' : priceText(market, row.price)}</td>
        <td class="e-left r">${size(isLeftShown ? row.left : row.filled)}</td></tr>`,
    )}</tbody>
  </table>
  ${cut.length < shown.length && html`<p class="empty-row"><button type="button" class="as-link" onClick=${() => (isAll.value = true)}>show ${grouped(shown.length - cut.length)} more rows</button></p>`}`;
}

/** @param {{ time: number }} props */
function AdvanceTo({ time }) {
  const advance = Math.max(0, time - (now.value?.timeMs ?? time));
  const act = async () => {
    const { seq } = await post('/clock', { advance });
    return html`seq <${Seq} seq=${seq} />`;
  };
  return html`<p class="advance"><${ActionButton} act=${act}>Advance to it</${ActionButton}> <${Curl} call=${{ method: 'POST', path: '/clock', body: { advance } }} /></p>`;
}

/** What moved the account's money while the order lived. Rows of other orders are dimmed. @param {{ order: any, ledger: any }} props */
function Money({ order, ledger }) {
  const rest = useSignal({ entries: /** @type {any[]} */ ([]), isWhole: false, asOfMs: 0 });
  // The story comes again when something happens to the order, with the same first entries.
  const entries = [...ledger.entries, ...rest.value.entries];
  const readOn = async () => {
    const { entries: more, isWhole } = await readLedger(order.account, {
      after: entries.at(-1)?.id,
      until: ({ timeMs }) => !order.live && timeMs > order.updatedMs,
    });
    rest.value = { entries: [...rest.peek().entries, ...more], isWhole, asOfMs: order.updatedMs };
    return isWhole ? '' : 'there are more';
  };
  const own = (/** @type {any} */ entry) => entry.orderId === order.orderId;
  const codes = /** @type {string[]} */ ([...new Set(entries.map((/** @type {any} */ each) => each.currency))]);
  const chosen = useSignal(/** @type {string | null} */ (null));
  const usual = entries.find(own)?.currency ?? (codes.includes('USDT') ? 'USDT' : codes[0]);
  const code = chosen.value !== null && codes.includes(chosen.value) ? chosen.value : usual;
  const inCode = entries.filter((/** @type {any} */ each) => each.currency === code);
  const others = inCode.filter((/** @type {any} */ each) => !own(each));
  const isAll = useSignal(false);
  const rows = isAll.value ? inCode : inCode.filter(own);
  const decimals = Math.min(
    8,
    Math.max(2, ...rows.map((/** @type {any} */ { amount }) => (amount.split('.')[1] ?? '').length)),
  );
  const path = `/accounts/${encodeURIComponent(order.account)}/ledger`;
  return html`<${Pane} class="money" title=${`Money of ${order.account} while it lived`} call=${{ method: 'GET', path }}
    end=${
      codes.length > 1 &&
      html`<${Segments} label="Currency" choices=${codes.slice(0, 4).map((each) => [each, each])} chosen=${code} onChoose=${(
        /** @type {string} */ each,
      ) => {
        chosen.value = each;
      }} />`
    }>
    ${
      rows.length === 0
        ? html`<p class="empty-row">${others.length === 0 ? 'No money moved while it lived. A fill moves some.' : `It moved no ${code} itself. A fill moves some.`}</p>`
        : html`<div class="money-rows"><table><caption>Money of ${order.account} in ${code}</caption>
      <thead><tr><th scope="col">Seq</th><th scope="col">What moved</th><th scope="col" class="r">Amount, ${code}</th></tr></thead>
      <tbody>${rows.map(
        (
          /** @type {any} */ entry,
        ) => html`<tr key=${entry.id} class=${own(entry) ? '' : 'other'}><td><${Seq} seq=${entry.seq} /></td>
          <td>${own(entry) || entry.orderId === null ? '' : 'other: '}${moveWord(entry.reason)}${own(entry) || entry.orderId === null ? '' : html` of <${OrderId} id=${entry.orderId} />`}</td>
          <td class="r">${signed(padded(entry.amount, decimals))}</td></tr>`,
      )}</tbody></table></div>`
    }
    ${others.length > 0 && html`<p class="empty-row"><button type="button" class="as-link" aria-expanded=${isAll.value} onClick=${() => (isAll.value = !isAll.value)}>${isAll.value ? 'show only those of this order' : `show ${grouped(others.length)} of other orders, too`}</button></p>`}
    ${ledger.more && !(rest.value.isWhole && rest.value.asOfMs === order.updatedMs) && html`<p class="empty-row">From the first ${grouped(entries.length)} entries of the account's ledger while it lived. <${ActionButton} act=${readOn}>Read the rest</${ActionButton}></p>`}
  </${Pane}>`;
}

/** @param {{ order: any, totals: any, market: any }} props */
function Totals({ order, totals, market }) {
  const unit = market?.kind === 'spot' ? ` ${market.base}` : '';
  const lines = [
    [order.side === 'BUY' ? 'Bought' : 'Sold', `${sizeText(market, totals.filled)}${unit}`],
    totals.average !== null && ['Average', fixed(Number(totals.average), priceDecimals(market) + 1)],
    ...Object.entries(totals.fees).map(([code, fee]) => ['Fees', `${grouped(fee)} ${code}`]),
    totals.realised !== null && ['Realised', `${signed(totals.realised)} ${market?.quote ?? ''}`],
    ['Last change', momentText(order.updatedMs, now.value?.timeMs ?? order.updatedMs)],
  ].filter((line) => line !== false);
  return html`<dl class="totals">${lines.map(([name, value]) => html`<div key=${name + value}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
