/**
 * The time machine: a slider over the log, what a command set off, and what the world was like after it, beside what it is
 * now. Everything is computed from the log, beside the venue.
 */
import { AccountPicker } from '../components/account-picker.js';
import { Legend, LogSlider } from '../components/log-slider.js';
import { copy, OrderId, Pane, Segments, Seq } from '../components/parts.js';
import { replaced } from '../follow.js';
import { clockText, fixed, grouped, NONE, padded, signed } from '../format.js';
import { useKeys } from '../keys.js';
import { doingOf, kindOf, priceDecimals, priceOf, priceText, sizeOf, sizeText } from '../orders.js';
import { parameter, pastSeq, setParameters } from '../router.js';
import { account, liveTickers, markets, now, pastProblem, pastState } from '../store.js';
import { forgetAnswers, seqAtTime, usePast } from '../time-machine.js';
import { useTopic } from '../topics.js';
import { html, useEffect, useSignal } from '../ui.js';

const REST_MS = 120;
const BUCKETS = 120;
/** How often the end of the log is looked at. */
const FOLLOW_MS = 2000;
const LEVELS = 8;
const AROUND = 2;

const RANGES = /** @type {const} */ ([
  ['all', 'all'],
  ['3600000', '1 h'],
  ['600000', '10 min'],
  ['60000', '1 min'],
]);

export function TimeView() {
  const name = account.value;
  const end = useEnd();
  const range = useSignal('all');
  /** Where the thumb is while the address has not followed yet. */
  const moved = useSignal(/** @type {number | null} */ (null));
  const timer = useSignal(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const first = useFirst(range.value, end);
  useTimeOfAddress();
  const mine = name === null ? '' : `&account=${encodeURIComponent(name)}`;
  const again = useSignal(0);
  const around = usePast(
    {
      summary: end === 0 ? null : `/log/summary?from=${first}&to=${end}&buckets=${BUCKETS}${mine}`,
    },
    again.value,
  );
  const { summary } = around.answers;
  // The venue is still reading its log: a little later more is known.
  useEffect(() => {
    if (summary === undefined || summary.knownTo >= summary.endSeq) return undefined;
    const later = setTimeout(() => {
      again.value += 1;
    }, FOLLOW_MS);
    return () => clearTimeout(later);
  }, [summary]);
  const seq = moved.value ?? pastSeq.value ?? end;
  const isNow = moved.value === null && pastSeq.value === null;
  const move = (/** @type {number} */ to) => {
    moved.value = Math.max(1, Math.min(to, now.peek()?.seq ?? to));
    clearTimeout(timer.value);
    timer.value = setTimeout(() => {
      setParameters({ seq: moved.peek() }, pastSeq.peek() !== null);
    }, REST_MS);
  };
  useEffect(() => {
    moved.value = null;
  }, [pastSeq.value]);
  useEffect(() => () => clearTimeout(timer.peek()), []);
  const own = useOwnSeqs(name, summary);
  const before = own.filter((each) => each < seq).at(-1);
  const after = own.find((each) => each > seq);
  useKeys(
    [
      { key: 'ArrowLeft', what: 'one command back', shift: false, act: () => move(seq - 1) },
      { key: 'ArrowRight', what: 'one command on', shift: false, act: () => move(seq + 1) },
      { key: 'ArrowLeft', what: 'a hundred commands back', shift: true, act: () => move(seq - 100) },
      { key: 'ArrowRight', what: 'a hundred commands on', shift: true, act: () => move(seq + 100) },
      { key: 'p', what: `previous of ${name}`, act: () => before !== undefined && move(before) },
      { key: 'n', what: `next of ${name}`, act: () => after !== undefined && move(after) },
    ],
    [seq, before, after, name],
  );
  const known = pastState.value?.seq === seq ? pastState.value.timeMs : isNow ? (now.value?.timeMs ?? null) : null;
  return html`<div class="time">
    <section class="time-head" aria-label="Slider over the log">
      <h1>Time machine</h1>
      <button type="button" class="button" disabled=${seq <= 1} onClick=${() => move(seq - 1)}>‹ command</button>
      <button type="button" class="button" disabled=${isNow || seq >= (now.value?.seq ?? 0)} onClick=${() => move(seq + 1)}>command ›</button>
      ${
        name !== null &&
        html`<span class="c2-inline"><button type="button" class="button" title="a fill or a new order of the account" disabled=${before === undefined} onClick=${() => before !== undefined && move(before)}>‹ of ${name}</button>
      <button type="button" class="button" title="a fill or a new order of the account" disabled=${after === undefined} onClick=${() => after !== undefined && move(after)}>of ${name} ›</button></span>`
      }
      <span class="end">${summary !== undefined && html`<${Legend} marks=${summary.marks} />`}
        <${Segments} label="How much of the log" choices=${RANGES} chosen=${range.value} onChoose=${(
          /** @type {string} */ each,
        ) => {
          range.value = each;
        }} /></span>
      ${
        summary === undefined
          ? html`<p class="slide-wait ink2">${around.problem}</p>`
          : html`<${LogSlider} summary=${summary} seq=${seq} time=${known} isNow=${isNow} onMove=${move} />`
      }
      ${
        summary !== undefined &&
        summary.knownTo < summary.endSeq &&
        html`<p class="ink2 note">The log is still being read: up to seq ${grouped(summary.knownTo)} of ${grouped(summary.endSeq)}.</p>`
      }
    </section>
    <${Moment} seq=${pastSeq.value ?? end} isNow=${isNow} name=${name} move=${move} />
  </div>`;
}

/** The last seq, looked at every few seconds. */
function useEnd() {
  const end = useSignal(now.peek()?.seq ?? 0);
  const newest = now.value?.seq ?? 0;
  const readAt = useSignal(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const wait = end.peek() === 0 ? 0 : Math.max(0, readAt.peek() + FOLLOW_MS - performance.now());
    const timer = setTimeout(() => {
      readAt.value = performance.now();
      end.value = newest;
    }, wait);
    return () => clearTimeout(timer);
  }, [newest]);
  useEffect(() => forgetAnswers(), [replaced.value]);
  return end.value;
}

/** The seq at which a range begins. @param {string} range @param {number} end */
function useFirst(range, end) {
  const first = useSignal(1);
  useEffect(() => {
    if (range === 'all') {
      first.value = 1;
      return undefined;
    }
    const abort = new AbortController();
    seqAtTime((now.peek()?.timeMs ?? 0) - Number(range), abort.signal).then(
      (seq) => {
        first.value = Math.max(1, seq ?? 1);
      },
      () => {},
    );
    return () => abort.abort();
  }, [range, end]);
  return Math.max(1, Math.min(first.value, end));
}

/** `?at=14:32:07`: the last command up to that time of the venue's day. */
function useTimeOfAddress() {
  const at = parameter('at');
  const isReady = now.value !== null;
  useEffect(() => {
    const today = now.peek()?.timeMs;
    const parts = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/.exec(at ?? '');
    if (at === null || today === undefined) return undefined;
    if (parts === null) {
      setParameters({ at: null });
      return undefined;
    }
    const [hours, minutes, seconds, ms] = [parts[1], parts[2], parts[3] ?? '0', (parts[4] ?? '').padEnd(3, '0')];
    const midnight = Math.floor(today / 86_400_000) * 86_400_000;
    // A whole second means all of it.
    const rest = parts[4] === undefined ? 999 : Number(ms);
    const timeMs = midnight + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + rest;
    const abort = new AbortController();
    seqAtTime(timeMs, abort.signal).then(
      (seq) => setParameters({ at: null, seq: seq ?? 1 }),
      () => {},
    );
    return () => abort.abort();
  }, [at, isReady]);
}

/** What the account is known to have done: its fills, and its orders. @param {string | null} name @param {any} summary */
function useOwnSeqs(name, summary) {
  const orders = useTopic(name === null ? null : `orders:${name}`, { isLive: true });
  const fills = useTopic(name === null ? null : `fills:${name}`, { isLive: true });
  const seqs = [
    ...(orders.value?.open.values() ?? []),
    ...(orders.value?.ended ?? []),
    ...(fills.value ?? []),
    ...(summary?.marks ?? []).filter((/** @type {any} */ mark) => mark.kind === 'fill'),
  ].map((each) => each.seq);
  return [...new Set(seqs)].sort((a, b) => a - b);
}

/** @param {{ seq: number, isNow: boolean, name: string | null, move: (seq: number) => void }} props */
function Moment({ seq, isNow, name, move }) {
  const symbol = useSymbol();
  const show = useSignal('differs');
  const of = `/at/${seq}?show=`;
  const isPast = seq > 0 && !isNow;
  const { answers, problem, isBusy } = usePast({
    command: seq === 0 ? null : `/log/${seq}`,
    book: isPast && symbol !== undefined ? `${of}book&symbol=${encodeURIComponent(symbol)}&limit=${LEVELS}` : null,
    account: isPast && name !== null ? `${of}account&account=${encodeURIComponent(name)}` : null,
    around: seq === 0 ? null : `/log?from=${Math.max(1, seq - AROUND)}&limit=${2 * AROUND + 1}`,
  });
  const { command, book } = answers;
  useEffect(() => {
    pastProblem.value = isPast ? problem : '';
  }, [isPast, problem]);
  useEffect(() => {
    if (book?.seq !== pastSeq.value || book === undefined) return;
    pastState.value = { seq: book.seq, timeMs: book.time, tickers: new Map([[book.symbol, book.market]]) };
  }, [book]);
  if (problem !== '' && command === undefined) return html`<${Elsewhere} seq=${seq} problem=${problem} />`;
  return html`<div class="moment" aria-busy=${isBusy}>
    <${Why} command=${command} seq=${seq} />
    <${World} seq=${seq} isNow=${isNow} symbol=${symbol} name=${name} answers=${answers} show=${show} />
    <${Around} seq=${seq} answer=${answers.around} move=${move} />
  </div>`;
}

/** The market that is looked at. */
function useSymbol() {
  const symbols = [...markets.value.keys()];
  const wanted = parameter('symbol') ?? localStorage.getItem('symbol');
  if (wanted !== null && symbols.includes(wanted)) return wanted;
  return symbols.find((each) => each.includes('PERP')) ?? symbols[0];
}

/** @param {{ seq: number, problem: string }} props */
function Elsewhere({ seq, problem }) {
  return html`<div class="lone elsewhere"><h2>The state at seq ${grouped(seq)} cannot be shown</h2><p class="problem" role="status">${problem}</p>
    <p>A state is computed from the log, with the rules that wrote it. The slider goes as far back as this venue can compute.</p></div>`;
}

/** @param {{ command: any, seq: number }} props */
function Why({ command, seq }) {
  const isKnown = command !== undefined;
  const line = `npx bourse why data ${seq}`;
  const lines = flat(command?.why ?? []);
  return html`<${Pane} class="why" title=${`Why: everything that seq ${grouped(seq)} set off`} call=${{ method: 'GET', path: `/log/${seq}` }}
    end=${html`<button type="button" class="curl" title=${line} onClick=${() => copy(line, 'command copied')}>bourse why</button>`}>
    ${
      isKnown &&
      html`<ol class="effects">
      <li class="head"><span class="bead"></span><div><p class="strong">${command.sentence}</p><p class="ink2 sub"><code>${commandText(command.command)}</code></p></div><span class="n ink2">command</span></li>
      ${lines
        .slice(0, MOST_LINES)
        .map(
          ({ effect, depth }) =>
            html`<li key=${`${effect.n} ${depth}`} class=${`k-${effect.kind} d${Math.min(depth, 4)}`}><span class="bead"></span><div><p>${effect.sentence}${effect.order !== undefined && html` <${OrderId} id=${effect.order} />`}</p>${effect.detail !== undefined && html`<p class="ink2 sub">${effect.detail}</p>`}</div><span class="n ink2">${effect.n === effect.last ? effect.n : `${effect.n}–${effect.last}`}</span></li>`,
        )}
      ${lines.length > MOST_LINES && html`<li class="none"><span></span><p class="ink2">${grouped(lines.length - MOST_LINES)} more lines. <code>bourse why</code> prints them all.</p></li>`}
      ${command.count === 0 && html`<li class="none"><span></span><p class="ink2">It set nothing off.</p></li>`}
      ${command.next !== undefined && html`<li class="none"><span></span><p class="ink2">The first ${grouped(command.next)} of ${grouped(command.count)} effects. <code>bourse why</code> prints them all.</p></li>`}
    </ol>`
    }
    ${isKnown && command.left !== null && command.left !== undefined && html`<p class="left-note warn"><i class="mark reset" aria-hidden="true"></i> In a branch that the ${command.left.by} at seq <${Seq} seq=${command.left.at} /> has left: the present does not come from it.</p>`}
  </${Pane}>`;
}

/** @param {any[]} effects @param {number} depth @returns {{ effect: any, depth: number }[]} */
const flat = (effects, depth = 0) =>
  effects.flatMap((effect) => [{ effect, depth }, ...flat(effect.effects, depth + 1)]);

const LONGEST = 240;
const MOST_LINES = 300;

/** The command by name, without what every command has. @param {any} command */
function commandText(command) {
  if (command === null || command === undefined) return '';
  const { seq: _seq, time: _time, type, ...rest } = command;
  const text = `${type} ${JSON.stringify(rest)}`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** @param {{ seq: number, isNow: boolean, symbol: string | undefined, name: string | null, answers: any, show: import('@preact/signals').Signal<string> }} props */
function World({ seq, isNow, symbol, name, answers, show }) {
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
          ? html`<p class="empty-row" aria-busy="true"></p>`
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
  return codes.flatMap((code) => {
    const [a, b] = [then[code], present[code]];
    const decimals = code.startsWith('USD') ? 2 : 8;
    const row = (/** @type {string} */ label, /** @type {(balance: any) => number} */ of) => {
      const [x, y] = [a === undefined ? 0 : of(a), b === undefined ? 0 : of(b)];
      return {
        name: `${label}, ${code}`,
        was: fixed(x, decimals),
        now: fixed(y, decimals),
        since: since(x, y, decimals),
      };
    };
    return [
      row('Equity', (balance) => Number(balance.total) + Number(balance.unrealised)),
      row('Unrealised', (balance) => Number(balance.unrealised)),
    ];
  });
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
      const gone = ended.get(id)?.state ?? 'ended';
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

/** @param {{ then: any, present: any, market: any, seq: number }} props */
function Books({ then, present, market, seq }) {
  if (then === undefined) return null;
  const side = (/** @type {'bids' | 'asks'} */ which) => {
    const rows = [...(present?.[which] ?? [])].sort(
      (a, b) => (which === 'bids' ? 1 : -1) * (Number(b[0]) - Number(a[0])),
    );
    return rows.slice(0, LEVELS);
  };
  const pairs = (/** @type {'bids' | 'asks'} */ which) => {
    const [a, b] = [then[which].slice(0, LEVELS), side(which)];
    const rows = Array.from({ length: LEVELS }, (_, i) => [a[i], b[i]]);
    return which === 'asks' ? rows.reverse() : rows;
  };
  const cells = (/** @type {any} */ level, /** @type {string} */ tone) =>
    html`<td class=${`r ${tone}`}>${level === undefined ? '' : priceText(market, level[0])}</td><td class="r">${level === undefined ? '' : sizeText(market, level[1])}</td>`;
  const row =
    (/** @type {string} */ tone) =>
    (/** @type {any[]} */ [a, b], /** @type {number} */ i) =>
      html`<tr key=${`${tone} ${i}`}>${cells(a, tone)}${cells(b, tone)}</tr>`;
  return html`<table class="books"><caption>Book at seq ${seq} and now</caption>
    <thead><tr><th scope="col" class="r log-head">price, seq ${grouped(seq)}</th><th scope="col" class="r log-head">size</th><th scope="col" class="r">price now</th><th scope="col" class="r">size</th></tr></thead>
    <tbody>${pairs('asks').map(row('sell'))}</tbody><tbody class="bids">${pairs('bids').map(row('buy'))}</tbody></table>`;
}

/** @param {{ rows: any[], nowMs: number }} props */
function Orders({ rows, nowMs }) {
  if (rows.length === 0) return html`<p class="empty-row">The account had no open order then.</p>`;
  const market = (/** @type {any} */ order) => markets.value.get(order.symbol);
  return html`<table class="orders-then"><caption>Open orders then</caption>
    <thead><tr><th scope="col">Order</th><th scope="col">Kind</th><th scope="col" class="r">Size</th><th scope="col" class="r">Price</th><th scope="col">What it was doing</th></tr></thead>
    <tbody>${rows.slice(0, 100).map((order) => html`<tr key=${order.orderId}><td><${OrderId} id=${order.orderId} /></td><td class=${order.side === 'BUY' ? 'buy' : 'sell'}>${order.side} ${kindOf(order)}</td><td class="r">${sizeOf(order, market(order))}</td><td class="r">${priceText(market(order), priceOf(order).price)}</td><td class="ink2">${doingOf(order, market(order), nowMs)}</td></tr>`)}</tbody></table>`;
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

/** @param {{ seq: number, answer: any, move: (seq: number) => void }} props */
function Around({ seq, answer, move }) {
  const rows = answer?.commands ?? [];
  return html`<${Pane} class="around" title="Commands around it" note=${html`<span class="c2-inline"><kbd>←</kbd> <kbd>→</kbd> to step, Enter to look</span>`} call=${{ method: 'GET', path: `/log?from=${Math.max(1, seq - AROUND)}&limit=${2 * AROUND + 1}` }}>
    <table><caption>Commands around seq ${seq}</caption>
      <thead><tr><th scope="col">Seq</th><th scope="col">Venue time</th><th scope="col">Command</th><th scope="col" class="c2">Kind</th><th scope="col" class="r">Effects</th></tr></thead>
      <tbody>${rows.map(
        (
          /** @type {any} */ row,
        ) => html`<tr key=${row.seq} tabindex="0" class=${row.left ? 'left-branch' : ''} aria-selected=${row.seq === seq ? 'true' : undefined} onClick=${() => move(row.seq)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && move(row.seq)}>
        <td><${Seq} seq=${row.seq} /></td><td class="ink2">${clockText(row.time)}</td><td class=${row.seq === seq ? 'strong sentence-cell' : 'sentence-cell'}>${row.sentence}</td><td class="ink2 c2">${row.command?.type ?? ''}</td><td class="r">${grouped(row.count)}</td></tr>`,
      )}</tbody></table>
  </${Pane}>`;
}
