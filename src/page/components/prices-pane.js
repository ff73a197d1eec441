/** Index, mark and last of a market: typed or dragged, with what the change would set off before it is done. */
import { kindOf } from '../../story/words.js';
import { request } from '../api.js';
import { grouped, shortId } from '../format.js';
import { priceDecimals, priceText } from '../orders.js';
import { markets, tickers } from '../store.js';
import { html, useComputed, useEffect, useSignal } from '../ui.js';
import { Choice, Do, mayDo } from './do.js';
import { Warning } from './icons.js';
import { Pane } from './parts.js';

const PREVIEW_MS = 150;
/** A slider reaches so far from the price that is. */
const REACH = 0.1;
const MOST_NAMED = 2;
const KINDS = /** @type {const} */ (['index', 'mark', 'last']);

/** @param {{ symbol: import('@preact/signals').Signal<string> }} props */
export function PricesPane({ symbol }) {
  const name = symbol.value;
  const market = markets.value.get(name);
  const isHalted = market?.status === 'halted';
  const path = `/markets/${encodeURIComponent(name)}/${isHalted ? 'resume' : 'halt'}`;
  return html`<${Pane} class="prices-pane" title="Prices" label="Prices" note=${html`<${Choice} label="Market" value=${symbol} choices=${[...markets.value.keys()]} />`}
    end=${html`<${Do} scope="admin" what=${isHalted ? 'resume' : 'halt'} kind=${isHalted ? 'main' : ''} call=${{ method: 'POST', path }} say=${() => ''}>${isHalted ? 'Resume market' : 'Halt market'}</${Do}>`}
    call=${{ method: 'GET', path: '/markets' }}>
    <div class="body">${KINDS.map((kind) => html`<${Price} key=${`${name} ${kind}`} symbol=${name} market=${market} kind=${kind} />`)}</div>
  </${Pane}>`;
}

/** @param {{ symbol: string, market: any, kind: 'index' | 'mark' | 'last' }} props */
function Price({ symbol, market, kind }) {
  // What was typed. Null: the price as it is.
  const typed = useSignal(/** @type {string | null} */ (null));
  const ticker = useComputed(() => tickers.value.get(symbol) ?? {});
  const current = ticker.value[kind] ?? null;
  const value = typed.value ?? current ?? '';
  const plain = value.replaceAll(',', '').trim();
  const body = { symbol, [kind]: plain };
  const effect = usePreview(typed.value === null || plain === '' ? null : body);
  const middle = Number(current ?? ticker.value.index ?? ticker.value.last ?? 0);
  const decimals = priceDecimals(market);
  const id = `price-${kind}`;
  const label = `${kind[0].toUpperCase()}${kind.slice(1)}`;
  const isByHand = kind === 'mark' && (ticker.value.markByHand ?? market?.markByHand);
  const may = mayDo('test');
  return html`<div class="price">
    <label for=${id}>${label}</label>
    <input id=${id} class="field number" inputmode="decimal" autocomplete="off" value=${value} placeholder="not set" disabled=${!may}
      aria-invalid=${effect.value?.isRefused ? 'true' : undefined}
      onInput=${(/** @type {any} */ event) => {
        typed.value = event.target.value;
      }} />
    <input type="range" aria-label=${`${label}, slider`} disabled=${!may || middle === 0} min=${(middle * (1 - REACH)).toFixed(decimals)} max=${(middle * (1 + REACH)).toFixed(decimals)}
      step=${10 ** -decimals} value=${plain === '' ? middle : plain} aria-valuetext=${grouped(plain)}
      onInput=${(/** @type {any} */ event) => {
        typed.value = Number(event.target.value).toFixed(decimals);
      }} />
    <${Do} what=${`set ${kind}`} call=${{ method: 'POST', path: '/prices', body }} disabled=${plain === ''} ask=${effect.value?.ask ?? null} then=${() => {
      typed.value = null;
    }}>Set</${Do}>
    <p class=${`effect note ${effect.value?.tone ?? 'ink2'}`} role="status">${effect.value !== null ? html`${effect.value.tone === 'warn' && html`<${Warning} />`}<span>${effect.value.text}</span>` : html`<span>${hintOf(kind, isByHand)}</span>`}
      ${isByHand && typed.value === null && html`<${Do} kind="small" what="release the mark" say=${() => ''} call=${{ method: 'POST', path: '/prices', body: { symbol, mark: null } }}>let it follow again</${Do}>`}</p>
  </div>`;
}

/** @param {string} kind @param {boolean} isByHand */
function hintOf(kind, isByHand) {
  if (kind === 'index') return 'pegs follow it, and so does the mark';
  if (kind === 'last') return 'fires triggers as a trade would, without one';
  return isByHand ? 'set from Control: it stands still' : 'fires triggers of mark, and liquidates';
}

/** @param {Record<string, string> | null} body @returns {import('@preact/signals').Signal<{ text: string, tone: string, ask: string | null, isRefused?: boolean } | null>} */
function usePreview(body) {
  const effect = useSignal(/** @type {any} */ (null));
  const key = JSON.stringify(body);
  useEffect(() => {
    if (body === null) {
      effect.value = null;
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        effect.value = wordsOf(await request('POST', '/prices?preview=true', body, stop.signal));
      } catch (error) {
        if (stop.signal.aborted) return;
        effect.value = {
          text: error instanceof Error ? error.message : String(error),
          tone: 'bad',
          ask: null,
          isRefused: true,
        };
      }
    }, PREVIEW_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key]);
  return effect;
}

/** @param {any} preview */
function wordsOf({ orders, positions, halted, cut }) {
  const more = cut ? 'more than ' : '';
  const parts = [];
  if (orders.length > 0) {
    const named = orders.slice(0, MOST_NAMED).map((/** @type {any} */ order) => {
      const { price: triggerPrice } = order.trigger ?? {};
      const at = triggerPrice ? `, at ${priceText(markets.value.get(order.symbol), triggerPrice)}` : '';
      return `${kindOf(order)} ${shortId(order.orderId)} of ${order.account}${at}`;
    });
    parts.push(`fires ${more}${orders.length}: ${named.join('; ')}${orders.length > MOST_NAMED ? ' …' : ''}`);
  }
  if (positions.length > 0) {
    const names = positions.slice(0, MOST_NAMED).map((/** @type {any} */ each) => each.account);
    parts.push(
      `puts ${more}${positions.length} below maintenance: ${names.join(', ')}${positions.length > MOST_NAMED ? ' …' : ''}`,
    );
  }
  if (parts.length === 0)
    return {
      text: halted ? 'nothing: the market is halted, triggers wait' : 'fires nothing, liquidates nothing',
      tone: 'ink2',
      ask: null,
    };
  // What the first of them trades may close the position of the next, which then does not fire.
  if (orders.length > 1) parts.push('one may end another before it fires');
  return { text: parts.join('; '), tone: 'warn', ask: positions.length > 0 ? `This liquidates.` : null };
}
