/**
 * Says to those who do not see the page what the chosen account has traded: politely, and at most once a second. And keeps the
 * account's orders, so that every view knows which have ended since the page was opened.
 */
import { grouped } from '../format.js';
import { account } from '../store.js';
import { useTopic } from '../topics.js';
import { html, useEffect, useSignal } from '../ui.js';

const PAUSE_MS = 1000;

export function OwnEvents() {
  const name = account.value;
  const fills = useTopic(name === null ? null : `fills:${name}`, { isLive: true });
  useTopic(name === null ? null : `orders:${name}`, { isLive: true });
  const said = useSignal('');
  /** Up to which seq it was said. Null: what had happened before is not said. */
  const heard = useSignal(/** @type {number | null} */ (null));
  const isDue = useSignal(false);
  useEffect(() => {
    heard.value = null;
  }, [name]);
  const rows = fills.value;
  const newest = rows?.[0]?.seq ?? 0;
  const say = () => {
    isDue.value = false;
    const latest = fills.peek() ?? [];
    const since = heard.peek();
    heard.value = latest[0]?.seq ?? 0;
    const fresh = since === null ? [] : latest.filter((/** @type {any} */ { seq }) => seq > since);
    if (fresh.length > 0) said.value = textOf(name ?? '', fresh);
  };
  useEffect(() => {
    if (rows === undefined || isDue.peek()) return;
    if (heard.peek() === null) {
      heard.value = newest;
      return;
    }
    isDue.value = true;
    setTimeout(say, PAUSE_MS);
  }, [newest, rows === undefined]);
  return html`<p class="sr" role="status" aria-live="polite">${said}</p>`;
}

/** @param {string} name @param {any[]} fills the newest first */
function textOf(name, fills) {
  const [{ side, size, symbol, price }] = fills;
  const more = fills.length === 1 ? '' : `, and ${fills.length - 1} more`;
  return `${name} ${side === 'BUY' ? 'bought' : 'sold'} ${grouped(size)} ${symbol} at ${grouped(price)}${more}`;
}
