/** The commands before and after one, each in a sentence. */
import { clockText, grouped } from '../format.js';
import { html } from '../ui.js';
import { Pane, Seq } from './parts.js';

/** Commands to each side. */
const AROUND = 2;

/** @param {number} seq */
export const pathAround = (seq) => `/log?from=${Math.max(1, seq - AROUND)}&limit=${2 * AROUND + 1}`;

/** @param {{ seq: number, answer: any, move: (seq: number) => void }} props */
export function CommandsAround({ seq, answer, move }) {
  const rows = answer?.commands ?? [];
  return html`<${Pane} class="around" title="Commands around it" note=${html`<span class="c2-inline"><kbd>←</kbd> <kbd>→</kbd> to step, Enter to look</span>`} call=${{ method: 'GET', path: pathAround(seq) }}>
    <table><caption>Commands around seq ${seq}</caption>
      <thead><tr><th scope="col">Seq</th><th scope="col">Venue time</th><th scope="col">Command</th><th scope="col" class="c2">Kind</th><th scope="col" class="r" title="How many things the command set off">Effects</th></tr></thead>
      <tbody>${rows.map(
        (
          /** @type {any} */ row,
        ) => html`<tr key=${row.seq} tabindex="0" class=${row.left ? 'left-branch' : ''} aria-selected=${row.seq === seq ? 'true' : undefined} onClick=${() => move(row.seq)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && move(row.seq)}>
        <td><${Seq} seq=${row.seq} /></td><td class="ink2">${clockText(row.time)}</td><td class=${row.seq === seq ? 'strong sentence-cell' : 'sentence-cell'}>${row.sentence}</td><td class="ink2 c2">${row.command?.type ?? ''}</td><td class="r">${grouped(row.count)}</td></tr>`,
      )}</tbody></table>
  </${Pane}>`;
}
