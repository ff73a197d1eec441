/**
 * Small pictures beside words: prices on one line, parts of a TWAP, what is shown and hidden, a place in a queue. Each
 * has its facts as text, so they are hidden from a screen reader.
 */
import { html } from '../ui.js';
import { Cross } from './icons.js';

/** The least distance of two labels, as a share of the line. */
const APART = 0.24;
const LEFT = 0.08;
const RIGHT = 0.9;

/**
 * Prices on one scale, each with its name above and its figure below.
 * @param {{ points: readonly { price: number, name: string, text: string, mark: 'trigger' | 'dot' | 'bar', tone?: string }[] }} props
 */
export function Scale({ points }) {
  const sorted = [...points].sort((a, b) => a.price - b.price);
  const low = sorted[0]?.price ?? 0;
  const span = (sorted.at(-1)?.price ?? 0) - low;
  const placed = sorted.map((point, i) => {
    const at =
      span === 0
        ? LEFT + ((RIGHT - LEFT) * i) / Math.max(1, sorted.length - 1)
        : LEFT + ((point.price - low) / span) * (RIGHT - LEFT);
    return { ...point, at, label: at };
  });
  for (let i = 1; i < placed.length; i++) placed[i].label = Math.max(placed[i].label, placed[i - 1].label + APART);
  for (let i = placed.length - 1, most = RIGHT; i >= 0; i--, most -= APART)
    placed[i].label = Math.min(placed[i].label, most);
  return html`<div class="scale" aria-hidden="true"><i class="line"></i>
    ${placed.map(
      ({ at, label, name, text, mark, tone = '' }) => html`<span key=${name} class="point">
        <i class=${`mark ${mark} ${tone}`} style=${{ left: share(at) }}></i>
        <span class="name ink2" style=${{ left: share(label) }}>${name}</span><b style=${{ left: share(label) }}>${text}</b></span>`,
    )}
  </div>`;
}

/** @param {number} of */
const share = (of) => `${(of * 100).toFixed(2)}%`;

/** Shares of a bar, in order. @param {{ shares: readonly { of: number, kind: string }[] }} props */
export function Bar({ shares }) {
  const whole = shares.reduce((sum, { of }) => sum + of, 0) || 1;
  return html`<div class="bar-track" aria-hidden="true">
    ${shares.map(({ of, kind }, i) => of > 0 && html`<i key=${i} class=${kind} style=${{ width: share(of / whole) }}></i>`)}</div>`;
}

const MOST_PARTS = 60;

/**
 * The parts of a TWAP: those that traded filled, those that were skipped hatched, the next one outlined, then those to come.
 * @param {{ parts: readonly import('../parts-of-twap.js').Part[], done: number, of: number, hasNext: boolean, tone: string }} props
 *   `parts`: as far as they are known, else a done one counts as traded
 */
export function Parts({ parts, done, of, hasNext, tone }) {
  if (of > MOST_PARTS) return html`<${Bar} shares=${[{ of: done, kind: tone }, { of: of - done, kind: 'open' }]} />`;
  const known = new Map(parts.map((each) => [each.part, each]));
  const shown = Array.from({ length: of }, (_, i) => {
    const { state, filled, why } = known.get(i + 1) ?? { state: 'traded', filled: '' };
    if (i > done - 1) return { kind: i === done && hasNext ? 'next' : '', title: `part ${i + 1}, to come` };
    const said = state === 'traded' ? `${filled} filled` : (why ?? state);
    return { kind: state === 'traded' ? tone : state, title: `part ${i + 1}: ${said}` };
  });
  return html`<div class="parts" aria-hidden="true">${shown.map(({ kind, title }, i) => html`<i key=${i} class=${kind} title=${title}></i>`)}</div>`;
}

/**
 * Where the mark is between entry and liquidation.
 * @param {{ entry: number, mark: number, liquidation: number, isNear: boolean }} props
 */
export function Distance({ entry, mark, liquidation, isNear }) {
  const prices = [entry, mark, liquidation];
  const low = Math.min(...prices);
  const span = Math.max(...prices) - low || 1;
  const at = (/** @type {number} */ price) => (0.04 + ((price - low) / span) * 0.92) * 100;
  const [from, to] = [at(mark), at(liquidation)].sort((a, b) => a - b);
  return html`<div class="distance" aria-hidden="true"><i class="line"></i>
    <i class=${isNear ? 'way near' : 'way'} style=${{ left: `${from}%`, width: `${to - from}%` }}></i>
    <i class="entry" style=${{ left: `${at(entry)}%` }}></i><i class="dot" style=${{ left: `${at(mark)}%` }}></i>
    <span class="cross bad" style=${{ left: `${at(liquidation)}%` }}><${Cross} /></span></div>`;
}
