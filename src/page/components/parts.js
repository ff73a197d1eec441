/** The small parts of every view: panes, figures, tables, groups of choices, links into the log, and the `curl` chip. */

import { visible } from '../../story/words.js';
import { curlOf } from '../api.js';
import { grouped, shortId } from '../format.js';
import { say } from '../messages.js';
import { html, useRef, useSignal } from '../ui.js';

/** @typedef {import('../api.js').Call} Call */
/** @typedef {any} Content */

/**
 * A region with a head of 36: its title, a note, and at the end its `curl`. `c` copies the `curl` of the region that has
 * the focus.
 * @param {{ title: Content, note?: Content, end?: Content, call?: Call, class?: string, label?: string, children?: Content }} props
 */
export function Pane({ title, note, end, call, label, children, class: name = '' }) {
  return html`
    <section class=${`pane ${name}`} aria-label=${label ?? (typeof title === 'string' ? title : undefined)}>
      <div class="pane-head">
        <h2>${title}</h2>
        ${note !== undefined && html`<span class="note">${note}</span>`}
        ${
          (end !== undefined || call !== undefined) &&
          html`<span class="end">${end}${call !== undefined && html`<${Curl} call=${call} />`}</span>`
        }
      </div>
      ${children}
    </section>`;
}

/**
 * Rows without text, in place of what is being read. They appear after a moment, so that what arrives at once does not flicker.
 * @param {{ what: string, rows?: number }} props `what`: for those who do not see it
 */
export function Loading({ what, rows = 6 }) {
  return html`<div class="loading" role="status" aria-busy="true"><p class="ink2">Loading ${what}…</p>
    ${Array.from({ length: rows }, (_, i) => html`<i key=${i} class="skeleton" aria-hidden="true"></i>`)}</div>`;
}

/** Says that an account has more open orders than the stream sends. @param {{ orders: any, path: string }} props `orders`: of its topic. `path`: of the account */
export function CutOrders({ orders, path }) {
  if (orders?.complete !== false) return null;
  return html`<p class="empty-row">These are the newest of its open orders. All of them: <${Curl} call=${{ method: 'GET', path: `${path}/orders` }} text="GET …/orders" /></p>`;
}

/** Copies the command that does the same. @param {{ call: Call, text?: string }} props */
export function Curl({ call, text = 'curl' }) {
  const command = curlOf(call);
  return html`<button type="button" class="curl" data-curl=${command} title=${`copies the command of a terminal that does the same: ${command}`}
    aria-label=${text === 'curl' ? `copy curl: ${call.method} ${call.path}` : undefined} aria-description=${text === 'curl' ? undefined : `copies the curl of ${call.method} ${call.path}`}
    onClick=${() => copy(command, 'curl copied')}>${text}</button>`;
}

/** @param {string} text @param {string} done */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say('the browser did not allow to copy');
  }
}

/**
 * A label and its value. `value` may be a signal: then only its text changes.
 * @param {{ label: Content, value: Content, unit?: string, tone?: string, isKey?: boolean }} props
 */
export function Figure({ label, value, unit, tone = '', isKey = false }) {
  return html`<dl class=${isKey ? 'figure key' : 'figure'}><dt>${label}</dt>
    <dd class=${tone}>${value}${unit !== undefined && html`<span class="unit">${unit}</span>`}</dd></dl>`;
}

/** A link to a seq: "what happened there". @param {{ seq: number | null | undefined, text?: Content }} props */
export function Seq({ seq, text }) {
  if (seq === null || seq === undefined) return null;
  return html`<a class="log" href=${`/time?seq=${seq}`} title=${`command ${grouped(seq)} of the log: what it set off, and the world then`}>${text ?? grouped(seq)}</a>`;
}

/** A link to the story of an order. The whole id shows on focus, and is what a copy takes. @param {{ id: string }} props */
export function OrderId({ id }) {
  return html`<a class="id" href=${`/orders/${encodeURIComponent(id)}`} title=${id}>${shortId(id)}</a>`;
}

/** Somebody's text in a line of ours: it cannot turn the order of what is beside it. @param {{ text: string | null }} props */
export function Foreign({ text }) {
  if (text === null) return null;
  const shown = visible(text);
  return html`<bdi title=${shown}>${shown}</bdi>`;
}

/**
 * One choice of a few.
 * @template {string} Choice
 * @param {{ label: string, choices: readonly (readonly [Choice, string])[], chosen: Choice, onChoose: (choice: Choice) => void }} props
 */
export function Segments({ label, choices, chosen, onChoose }) {
  return html`<div class="segments" role="group" aria-label=${label}>
    ${choices.map(
      ([choice, text]) => html`<button type="button" key=${choice} data-text=${text} aria-pressed=${choice === chosen}
        onClick=${() => onChoose(choice)}>${text}</button>`,
    )}
  </div>`;
}

/**
 * @typedef {{ title: Content, cell: (row: any) => Content, right?: boolean, secondary?: boolean, class?: string, width?: string }} Column
 *   `secondary`: a narrow screen does without it
 */

/**
 * A real table with a caption. `j` and `k` go through its rows, Enter opens one.
 * @param {{ caption: string, columns: readonly Column[], rows: readonly any[], keyOf: (row: any) => string | number,
 *   open?: (row: any) => void, empty?: Content, class?: string, selected?: string | number | null }} props
 */
export function Table({ caption, columns, rows, keyOf, open, empty, selected = null, class: name = '' }) {
  if (rows.length === 0 && empty !== undefined) return html`<p class="empty-row">${empty}</p>`;
  const classOf = (/** @type {Column} */ { right, secondary, class: own = '' }) =>
    `${right ? 'r ' : ''}${secondary ? 'c2 ' : ''}${own}`.trim();
  return html`
    <table class=${name}>
      <caption>${caption}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col" class=${classOf(column)}>${column.title}</th>`)}</tr></thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr key=${keyOf(row)} aria-selected=${selected === keyOf(row) ? 'true' : undefined}
            ...${open === undefined ? {} : rowProps(() => open(row))}>
            ${columns.map((column) => html`<td class=${classOf(column)}>${column.cell(row)}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>`;
}

/** A row that a click or Enter opens. Links and buttons in it work as elsewhere. @param {() => void} open */
export function rowProps(open) {
  const isOwn = (/** @type {Event} */ event) =>
    !(event.target instanceof Element) || event.target.closest('a, button, input, select') === null;
  return {
    tabIndex: 0,
    onClick: (/** @type {Event} */ event) => isOwn(event) && open(),
    onKeyDown: (/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && isOwn(event) && open(),
  };
}

/**
 * A button that makes a request: it keeps its label, shows a bar while the request runs, and the answer is one line
 * beside it.
 * @param {{ children?: Content, kind?: string, disabled?: boolean, act: () => Promise<Content> }} props
 *   `act` resolves with what to say
 */
export function ActionButton({ children, kind = '', disabled = false, act }) {
  const busy = useSignal(false);
  const answer = useSignal(/** @type {Content} */ (null));
  const isBad = useSignal(false);
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const press = async () => {
    if (busy.value) return;
    busy.value = true;
    try {
      answer.value = await act();
      isBad.value = false;
    } catch (error) {
      answer.value = error instanceof Error ? error.message : String(error);
      isBad.value = true;
    }
    busy.value = false;
  };
  return html`<span class="action">
    <button type="button" class=${`button ${kind}`} ref=${button} disabled=${disabled} aria-busy=${busy.value} onClick=${press}>${children}</button>
    <span class=${isBad.value ? 'answer problem' : 'answer ink2'} role="status">${answer}</span>
  </span>`;
}
