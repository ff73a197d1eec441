/** A command of the log, and everything that it set off, in order, nested by cause. */

import { visible } from '../../story/words.js';
import { clockText, grouped } from '../format.js';
import { html } from '../ui.js';
import { copy, Loading, OrderId, Pane, Seq } from './parts.js';

const LONGEST = 240;
const MOST_LINES = 300;

/** @param {{ command: any, seq: number }} props `command`: undefined until it has arrived */
export function Why({ command, seq }) {
  const isKnown = command !== undefined;
  const line = `npx bourse why data ${seq}`;
  const lines = flat(command?.why ?? []);
  return html`<${Pane} class="why" note=${isKnown && command.count > 0 && html`<span class="c2-inline">at the right: which of its ${grouped(command.count)} effect${command.count === 1 ? '' : 's'}</span>`} title=${`Why: everything that seq ${grouped(seq)} set off`} call=${{ method: 'GET', path: `/log/${seq}` }}
    end=${html`<button type="button" class="curl" title=${`copies the command of a terminal that tells the same: ${line}`} onClick=${() => copy(line, 'command copied')}>bourse why</button>`}>
    ${!isKnown && html`<${Loading} what="the command" />`}
    ${
      isKnown &&
      html`<ol class="effects">
      <li class="head"><span class="bead"></span><div><p class="strong">${command.sentence}</p><p class="ink2 sub"><code>${commandText(command.command)}</code></p></div><span class="n ink2">command</span></li>
      ${lines
        .slice(0, MOST_LINES)
        .map(
          ({ effect, depth }) =>
            html`<li key=${`${effect.n} ${depth} ${effect.sentence}`} class=${`k-${effect.kind} d${Math.min(depth, 4)}`}><span class="bead"></span><div><p>${effect.time !== command.time && html`<span class="ink2">${clockText(effect.time)}</span> `}${effect.sentence}${effect.order !== undefined && html` <${OrderId} id=${effect.order} />`}</p>${effect.detail !== undefined && html`<p class="ink2 sub">${effect.detail}</p>`}</div><span class="n ink2">${effect.n === effect.last ? effect.n : `${effect.n}–${effect.last}`}</span></li>`,
        )}
      ${lines.length > MOST_LINES && html`<li class="none"><span></span><p class="ink2">${grouped(lines.length - MOST_LINES)} more lines. <code>bourse why</code> prints them all.</p></li>`}
      ${command.count === 0 && html`<li class="none"><span></span><p class="ink2">It set nothing off.</p></li>`}
      ${command.next !== undefined && lines.length <= MOST_LINES && html`<li class="none"><span></span><p class="ink2">The first ${grouped(command.next)} of ${grouped(command.count)} effects. <code>bourse why</code> prints them all.</p></li>`}
    </ol>`
    }
    ${isKnown && command.left !== null && command.left !== undefined && html`<p class="left-note warn"><i class="mark reset" aria-hidden="true"></i> The ${command.left.by} at seq <${Seq} seq=${command.left.at} /> has undone this: the present does not come from it.</p>`}
  </${Pane}>`;
}

/** @param {any[]} effects @param {number} depth @returns {{ effect: any, depth: number }[]} */
const flat = (effects, depth = 0) =>
  effects.flatMap((effect) => [{ effect, depth }, ...flat(effect.effects, depth + 1)]);

/** The command by name, without what every command has. @param {any} command */
function commandText(command) {
  if (command === null || command === undefined) return '';
  const { seq: _seq, time: _time, type, ...rest } = command;
  const text = visible(`${type} ${JSON.stringify(rest)}`);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
