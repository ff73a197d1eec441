/** The ribbon under the bar, only for what changes how everything else must be read: past, stale, halted, unhealthy. */

import { connect } from '../feed.js';
import { clockText, grouped, lengthText } from '../format.js';
import { pastSeq, setParameters, view } from '../router.js';
import { link, moment, now, pastProblem, system, topicProblems } from '../store.js';
import { html, useEffect, useSignal } from '../ui.js';

/** What a view shows of now, although the address names a moment in the past. @type {Partial<Record<string, string>>} */
const OF_NOW = {
  operations: 'Operations shows now, not that moment.',
  control: 'Clock and prices are those of that moment. What is due, snapshots and faults are those of now.',
};

export function Ribbon() {
  const at = now.value;
  const { state } = link.value;
  if (state === 'signedOut') return null;
  const reasons = system.value?.health?.reasons ?? [];
  const halted = system.value?.halted ?? [];
  return html`<div class="ribbons">
    ${state === 'stale' && html`<${Stale} />`}
    ${
      pastSeq.value !== null &&
      html`<div class="ribbon violet" role="status"><strong>You are looking at seq ${grouped(pastSeq.value)}${moment.value === null ? '' : `, ${clockText(moment.value.timeMs)}`}</strong>
        <span>${pastProblem.value === '' ? html`${OF_NOW[view.value] ?? 'This view shows that moment.'} The venue goes on${at === null ? '' : `: it is at seq ${grouped(at.seq)}`}.` : pastProblem}</span>
        <span class="end"><button type="button" class="button violet" onClick=${() => setParameters({ seq: null }, false)}>Back to now</button><kbd>Esc</kbd></span></div>`
    }
    ${
      topicProblems.value.size > 0 &&
      html`<div class="ribbon warn" role="status"><strong>Not up to date: ${[...topicProblems.value.keys()].join(', ')}</strong>
        <span>${[...new Set(topicProblems.value.values())].join('; ')}. It is asked for again every few seconds.</span></div>`
    }
    ${
      reasons.length > 0 &&
      html`<div class="ribbon bad" role="status"><strong>The venue is not ready</strong><span>${reasons.join('; ')}</span></div>`
    }
    ${
      halted.length > 0 &&
      html`<div class="ribbon bad" role="status"><strong>${halted.join(', ')} ${halted.length === 1 ? 'is' : 'are'} halted</strong>
        <span>Cancels only. Triggers, TWAPs and pegs wait.</span><span class="end"><a class="button" href="/control">Resume in Control</a></span></div>`
    }
  </div>`;
}

const TRIES = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth'];

function Stale() {
  const { sinceMs, tries, reasons = [] } = link.value;
  const ageMs = useSignal(0);
  useEffect(() => {
    const tick = () => {
      ageMs.value = Math.round((performance.now() - sinceMs) / 100) * 100;
    };
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [sinceMs]);
  const at = now.value;
  const seen =
    at === null ? 'Nothing has arrived yet.' : `What you see is seq ${grouped(at.seq)} of ${clockText(at.timeMs)}.`;
  const tried = tries <= TRIES.length ? `${TRIES[Math.max(0, tries - 1)]} try` : `Try ${tries}`;
  return html`<div class="ribbon warn" role="status"><strong>The stream stopped ${lengthText(Math.round(ageMs.value / 1000) * 1000)} ago</strong>
    <span>${reasons.length > 0 && html`The venue is not ready: ${reasons.join('; ')}. `}${seen} ${tried} to reconnect; on return the page catches up, nothing is lost.</span>
    <span class="end"><button type="button" class="button warning" onClick=${connect}>Try now</button></span></div>`;
}
