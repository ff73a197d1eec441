/** The request of the control in focus, and what this page has done, which can be copied as a test. */
import { curlOf } from '../api.js';
import { pastSeq } from '../router.js';
import { done } from '../store.js';
import { html, useSignal } from '../ui.js';
import { inHand, mayDo } from './do.js';
import { copy, Pane, Segments, Seq } from './parts.js';

/** @typedef {import('../api.js').Call} Call */
/** @typedef {import('../store.js').Done} Done */

const CLOCK = /** @type {const} */ ({ what: 'read the clock', call: { method: 'GET', path: '/clock' } });

export function SamePane() {
  const form = useSignal(/** @type {'curl' | 'js'} */ ('curl'));
  const { what, call } = inHand.value ?? CLOCK;
  const text = form.value === 'curl' ? curlOf(call) : scriptOf(call);
  return html`<${Pane} class="same-pane" title="The same from your test" label="The same from your test" end=${html`<${Segments} label="Language" choices=${[['curl', 'curl'], ['js', 'JS']]} chosen=${form.value} onChoose=${(
    /** @type {'js'} */ choice,
  ) => {
    form.value = choice;
  }} />`}>
    <div class="body">
      ${!mayDo('test') && html`<p class="ink2">${pastSeq.value === null ? 'This session only looks. What it could do from a terminal is behind each name.' : 'Control acts on now, not on the past: Esc goes back to now.'}</p>`}
      <p class="ink2">Follows the control that you point at. Now: <b class="ink">${what}</b></p>
      <pre class="code-box">${text}</pre>
      <div class="row"><button type="button" class="button" onClick=${() => copy(text, 'copied')}>Copy</button><span class="ink2 note">the token stays in its file, it is never shown here</span></div>
    </div>
  </${Pane}>
  <${DonePane} />`;
}

/** @param {Call} call */
const scriptOf = ({ method, path, body }) =>
  `await control.request('${method}', '${path}'${body === undefined ? '' : `, ${JSON.stringify(body)}`});`;

function DonePane() {
  const rows = done.value;
  return html`<${Pane} title="Done from this page" note=${rows.length === 0 ? '' : String(rows.length)} end=${rows.length > 0 && html`<button type="button" class="button" onClick=${() => copy(testOf(rows), 'a test was copied')}>Copy as a test</button>`}>
    ${rows.length === 0 && html`<p class="empty-row">Nothing yet. What you do here is listed with its seq, and can be copied as a test.</p>`}
    <ol class="done">${rows.slice(0, 20).map((action, i) => html`<li key=${`${action.seq} ${rows.length - i}`}><${Seq} seq=${action.seq} /><code>${wordsOf(action)}</code></li>`)}</ol>
  </${Pane}>`;
}

/** @param {Done} action */
function wordsOf({ method, path, body }) {
  const what = path.replace('/control/v1/', '');
  return `${method === 'POST' ? '' : `${method} `}${what}${body === undefined ? '' : ` ${JSON.stringify(body).replaceAll('"', '')}`}`;
}

/** A test that does the same to a fresh venue. @param {readonly Done[]} actions the latest first */
function testOf(actions) {
  const names = [...new Set(actions.map(({ path }) => /\/accounts\/([^/]+)\//.exec(path)?.[1]).filter(Boolean))];
  const created = actions.filter(({ path }) => path.endsWith('/accounts')).map(({ body }) => body?.name);
  const accounts = names
    .filter((name) => !created.includes(name))
    .map((name) => `{ name: '${name}', balances: { USDT: '100000', BTC: '5' } }`);
  const lines = [...actions].reverse().map(({ method, path, body }) => {
    return `  ${scriptOf({ method: /** @type {import('../api.js').Method} */ (method), path: path.replace('/control/v1', ''), body })}`;
  });
  return [
    `import { test } from 'node:test';`,
    `import { ControlClient, startVenue } from 'bourse';`,
    '',
    `test('what was done on the page', async (t) => {`,
    `  const venue = await startVenue({ accounts: [${accounts.join(', ')}] });`,
    '  t.after(() => venue.close());',
    '  const control = new ControlClient({ url: venue.control, token: venue.controlToken });',
    ...lines,
    '});',
    '',
  ].join('\n');
}
