/**
 * A market: its prices, the chart with what the chosen account has done and waits for, the book with its own orders, the
 * trades, and its own orders in words.
 */
import { kindOf } from '../../story/words.js';
import { get, Refused } from '../api.js';
import { AccountPicker } from '../components/account-picker.js';
import { Chart } from '../components/chart.js';
import { mayDo } from '../components/do.js';
import { Ladder } from '../components/ladder.js';
import { OrderPane } from '../components/order-pane.js';
import { OwnOrders } from '../components/own-orders.js';
import { Curl, Figure, Loading, OrderId } from '../components/parts.js';
import { RecordingLine } from '../components/recording.js';
import { Trades } from '../components/trades.js';
import { fixed, lengthText, NONE, secondsText, signedPercent } from '../format.js';
import { isWaiting, priceDecimals, priceText, sizeText } from '../orders.js';
import { parameter, pastSeq, setParameters } from '../router.js';
import { account, done, markets, moment, tickers } from '../store.js';
import { useTopic } from '../topics.js';
import { html, useComputed, useEffect, useSignal } from '../ui.js';
import { EmptyMarket } from './market-empty.js';

const SUMMARY_MS = 5000;
const MOST_NAMED = 3;

export function MarketView() {
  const symbols = [...markets.value.keys()];
  const wanted = parameter('symbol');
  const symbol = wanted !== null && markets.value.has(wanted) ? wanted : preferred(symbols);
  if (symbol === undefined) return html`<${Loading} what="the markets" />`;
  return html`<${Market} key=${symbol} symbol=${symbol} />`;
}

/** A perpetual shows more than a spot market. @param {string[]} symbols */
function preferred(symbols) {
  const kept = localStorage.getItem('symbol');
  if (kept !== null && symbols.includes(kept)) return kept;
  return symbols.find((symbol) => symbol.includes('PERP')) ?? symbols[0];
}

/** @param {{ symbol: string }} props */
function Market({ symbol }) {
  useEffect(() => localStorage.setItem('symbol', symbol), [symbol]);
  const book = useTopic(`book:${symbol}`);
  const trades = useTopic(`trades:${symbol}`);
  const name = account.value;
  const orders = useTopic(name === null ? null : `orders:${name}`);
  const fills = useTopic(name === null ? null : `fills:${name}`);
  const positions = useTopic(name === null ? null : `positions:${name}`);
  const day = useSummary(symbol);
  const market = markets.value.get(symbol);
  const price = useSignal('');
  const pick = (/** @type {string} */ at) => {
    price.value = at;
  };
  const isEmpty = useComputed(
    () => trades.value?.length === 0 && book.value?.bids.size === 0 && book.value?.asks.size === 0,
  );
  const own = useComputed(() => [...(orders.value?.open.values() ?? [])].filter((order) => order.symbol === symbol));
  // Violet: what Control did to this market from this page, and the moment that is shown.
  const flags = useComputed(() => [
    ...done.value
      .filter(({ path, body }) => path.endsWith('/prices') && body?.symbol === symbol)
      .map(({ seq, timeMs }) => ({ seq, timeMs, text: `prices set ${secondsText(timeMs)}` })),
    ...(pastSeq.value === null || moment.value === null
      ? []
      : [{ ...moment.value, text: `you are at ${secondsText(moment.value.timeMs)}` }]),
  ]);
  const isStale = useComputed(() => tickers.value.get(symbol)?.status === 'stale');
  const isCut = useComputed(() => orders.value?.complete === false);
  const position = useComputed(() =>
    (positions.value ?? []).filter((/** @type {any} */ each) => each.symbol === symbol),
  );
  if (isEmpty.value) {
    return html`<${StateBar} symbol=${symbol} market=${market} day=${day} /><${RecordingLine} symbol=${symbol} /><${EmptyMarket} symbol=${symbol} market=${market} />`;
  }
  return html`
    <${StateBar} symbol=${symbol} market=${market} day=${day} />
    <${RecordingLine} symbol=${symbol} />
    ${isStale.value && html`<${StaleIndex} symbol=${symbol} orders=${own.value} />`}
    <div class="market">
      <${Chart} symbol=${symbol} market=${market} orders=${own} fills=${fills} position=${position} flags=${flags} picker=${html`<${AccountPicker} />`} />
      <${Ladder} symbol=${symbol} market=${market} book=${book} orders=${own} onPick=${mayDo('admin') ? pick : undefined} />
      <${Trades} symbol=${symbol} market=${market} trades=${trades} fills=${fills} />
      ${mayDo('admin') && html`<${OrderPane} symbol=${{ value: symbol }} price=${price} />`}
      <${OwnOrders} symbol=${symbol} market=${market} name=${name} orders=${own} position=${position} isCut=${isCut.value} />
    </div>`;
}

/** What waits for the index, by name. @param {{ symbol: string, orders: any[] }} props */
function StaleIndex({ symbol, orders }) {
  const waiting = orders.filter(
    (order) => order.kind === 'peg' || (isWaiting(order) && order.trigger.reference !== 'last'),
  );
  const named = waiting.slice(0, MOST_NAMED).map((order) => html` ${kindOf(order)} <${OrderId} id=${order.orderId} />`);
  return html`<p class="stale-index warn" role="status"><span>The index of ${symbol} is stale: its feed has stopped.</span>
    <span>${waiting.length === 0 ? 'None of these orders waits for it.' : html`It holds up${named}${waiting.length > MOST_NAMED ? ` and ${waiting.length - MOST_NAMED} more` : ''}.`}</span></p>`;
}

/** The last 24 hours, which no stream carries. @param {string} symbol */
function useSummary(symbol) {
  const day = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    let isOver = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const read = async () => {
      try {
        const { markets: rows } = await get('/markets/summary?limit=1000');
        day.value = rows.find((/** @type {any} */ row) => row.symbol === symbol)?.day ?? null;
      } catch (error) {
        if (error instanceof Refused && error.status === 404) return;
      }
      if (!isOver) timer = setTimeout(read, SUMMARY_MS);
    };
    void read();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [symbol]);
  return day;
}

const STATUSES = /** @type {Record<string, { tone: string, text: string }>} */ ({
  active: { tone: 'ok', text: 'active' },
  halted: { tone: 'bad', text: 'halted' },
  stale: { tone: 'warn', text: 'index stale' },
  delisted: { tone: '', text: 'delisted' },
});

/** @param {{ symbol: string, market: any, day: import('@preact/signals').Signal<any> }} props */
function StateBar({ symbol, market, day }) {
  const ticker = useComputed(() => tickers.value.get(symbol) ?? {});
  const shown = (/** @type {string | null} */ price, /** @type {string} */ missing, finer = 0) =>
    price ? fixed(Number(price), priceDecimals(market) + finer) : tickers.value.has(symbol) ? missing : NONE;
  // Index and mark are finer than the tick: one more decimal is shown.
  const index = useComputed(() => shown(ticker.value.index, 'never set', 1));
  const mark = useComputed(() => shown(ticker.value.mark, 'follows the index', 1));
  const last = useComputed(() => shown(ticker.value.last, 'none yet'));
  const lastSide = useComputed(() =>
    pastSeq.value !== null ? '' : Number(day.value?.change ?? 0) < 0 ? 'sell' : 'buy',
  );
  const rate = useComputed(() => signedPercent(Number(ticker.value.fundingRate ?? 0), 4));
  const due = useComputed(() => {
    const at = ticker.value.nextFundingMs;
    return at && moment.value
      ? ` in ${lengthText(Math.max(0, Math.floor((at - moment.value.timeMs) / 1000) * 1000))}`
      : '';
  });
  const dueAt = useComputed(() => {
    const at = ticker.value.nextFundingMs;
    return at ? `Funding, due ${new Date(at).toISOString().slice(11, 16)}` : 'Funding';
  });
  const interest = useComputed(() => `${sizeText(market, ticker.value.openInterest ?? 0)}`);
  // What is rendered, and not only written as text, changes seldom.
  const status = useComputed(() => ticker.value.status ?? market?.status);
  const isFuture = useComputed(() => ticker.value.fundingRate !== undefined);
  const isIndexSet = useComputed(() => ticker.value.indexByHand === true);
  const isMarkSet = useComputed(() => ticker.value.markByHand === true);
  const lastTone = useComputed(() => (ticker.value.last ? lastSide.value : 'ink2'));
  const { tone, text } = STATUSES[status.value] ?? STATUSES.active;
  const figures = day.value;
  return html`<section class="state-bar" aria-label=${`${symbol}, prices`}>
    <div class="lead">
      <select class="pick symbol" aria-label="Market" value=${symbol}
        onChange=${(/** @type {any} */ event) => {
          localStorage.setItem('symbol', event.target.value);
          setParameters({ symbol: event.target.value }, false);
        }}>
        ${[...markets.value.keys()].map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
      </select>
      <span class=${`chip ${tone}`}><span class="bullet" aria-hidden="true"></span>${text}</span>
      <h1 class=${`last ${lastTone.value}`} aria-label="last price">${last}</h1>
    </div>
    <${Figure} label=${isIndexSet.value ? 'Index, set by Control' : 'Index'} value=${index} tone=${status.value === 'stale' ? 'warn' : ''} />
    <${Figure} label=${isMarkSet.value ? 'Mark, set by Control' : 'Mark'} value=${mark} />
    ${isFuture.value && html`<${Figure} label=${dueAt} value=${html`<span>${rate}</span><span class="ink2">${due}</span>`} />`}
    ${pastSeq.value !== null && html`<${Figure} label="24 h figures" value=${html`<span class="ink2">only known of now</span>`} />`}
    ${
      figures !== null &&
      pastSeq.value === null &&
      html`<${Figure} label="24 h change" tone=${figures.change < 0 ? 'sell' : figures.change > 0 ? 'buy' : ''} value=${signedPercent(figures.change)} />
      <${Figure} label="24 h low – high" value=${figures.low ? `${priceText(market, figures.low)} – ${priceText(market, figures.high)}` : NONE} />
      <${Figure} label="24 h volume" value=${`${sizeText(market, figures.volume)}${market?.kind === 'spot' ? ` ${market.base}` : ''}`} />`
    }
    ${isFuture.value && html`<${Figure} label="Open interest" value=${interest} />`}
    <span class="end"><${Curl} call=${{ method: 'GET', path: '/markets' }} /></span>
  </section>`;
}
