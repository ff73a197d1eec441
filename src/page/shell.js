/** The frame around every view: bar, ribbon, the view itself, the tape below, and the dialogs. */
import { curlOf, Refused } from './api.js';
import { CLOCK_KEYS } from './clock.js';
import { focusCancel } from './components/cancel-order.js';
import { Brand } from './components/icons.js';
import { OwnEvents } from './components/own-events.js';
import { copy, Seq } from './components/parts.js';
import { Ribbon } from './components/ribbon.js';
import { armedIn } from './faults.js';
import { clockText, grouped } from './format.js';
import { goTo } from './go-to.js';
import { keysInForce, lettersOn, onViewKey, setLetters, useKeys } from './keys.js';
import { message, say } from './messages.js';
import { useRead } from './reads.js';
import { go, pastSeq, setParameters, subject, VIEWS, view } from './router.js';
import { endSession } from './session.js';
import { done, isManual, link, moment, now, session } from './store.js';
import { Tape, toggleTape } from './tape.js';
import { html, signal, useEffect, useRef } from './ui.js';
import { AccountView } from './views/account.js';
import { ControlView } from './views/control.js';
import { MarketView } from './views/market.js';
import { OperationsView } from './views/operations.js';
import { OrdersView } from './views/orders.js';
import { TimeView } from './views/time.js';

const COMPONENTS = {
  market: MarketView,
  account: AccountView,
  orders: OrdersView,
  time: TimeView,
  control: ControlView,
  operations: OperationsView,
};

/** Which dialog is open. */
const dialog = signal(/** @type {'keys' | 'about' | null} */ (null));

export function Shell() {
  const shown = VIEWS.find((each) => each.view === view.value) ?? VIEWS[0];
  useEffect(() => {
    document.title = `${shown.title} · bourse`;
  }, [shown.title]);
  useEffect(() => onViewKey((number) => go(VIEWS[number - 1].path)), []);
  useKeys(SHELL_KEYS);
  useKeys(CLOCK_KEYS);
  const View = COMPONENTS[shown.view];
  const isOut = link.value.state === 'signedOut';
  return html`
    <a class="skip" href="#main">Skip to the content</a>
    <header class="topbar">
      <a class="brand" href="/" aria-label="bourse, market"><${Brand} /><span>bourse</span></a>
      <${Views} label="Views" class="views" />
      <${GoTo} />
      <${Clock} />
      <${LinkState} />
    </header>
    <${Lost} />
    <${Ribbon} />
    <main id="main" tabindex="-1" data-view=${shown.view} data-link=${link.value.state} aria-label=${shown.title}>
      ${isOut ? html`<${SignedOut} />` : html`<${View} key=${shown.view} />`}
    </main>
    <${Tape} />
    <${Views} label="Views, below" class="bottombar" short />
    <div class="toast" role="status" aria-live="polite" hidden=${message.value === ''}>${message}</div>
    <${OwnEvents} />
    <${KeysDialog} />
    <${AboutDialog} />`;
}

/** @param {{ label: string, class: string, short?: boolean }} props */
function Views({ label, short = false, class: name }) {
  return html`<nav class=${name} aria-label=${label}>
    ${VIEWS.map(
      (
        each,
      ) => html`<a key=${each.view} href=${each.path} aria-current=${each.view === view.value ? 'page' : undefined}>
        ${short ? each.short : each.title}</a>`,
    )}
  </nav>`;
}

/** Why the Go-to box led nowhere. Empty: it did not. */
const lostBecause = signal('');

function GoTo() {
  const problem = lostBecause;
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useKeys([{ key: '/', what: 'go to a seq, order, account or time', act: () => field.current?.focus() }]);
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (field.current === null) return;
    try {
      problem.value = await goTo(field.current.value);
      if (problem.value !== '') return;
      field.current.value = '';
      field.current.blur();
    } catch (error) {
      problem.value = error instanceof Refused ? error.message : 'the venue does not answer';
    }
  };
  return html`<form class="goto" role="search" onSubmit=${submit}>
    <input ref=${field} type="text" aria-label="Go to a seq, order, account or time" title="A seq, an order's id or client id, an account, a market, or a time of the last 24 hours in UTC, such as 14:32:07" placeholder=${matchMedia('(max-width: 720px)').matches ? 'Go to…' : 'Go to seq, order, account, time…'}
      autocomplete="off" spellcheck=${false} aria-invalid=${problem.value !== ''} onInput=${() => {
        problem.value = '';
      }} />
    <kbd aria-hidden="true">/</kbd>
  </form>`;
}

/** Below the bar, where it covers nothing, until something else is shown. */
function Lost() {
  useEffect(() => {
    lostBecause.value = '';
  }, [view.value, subject.value, pastSeq.value]);
  if (lostBecause.value === '') return null;
  return html`<div class="ribbon bad goto-problem" role="status"><span>${lostBecause}</span><span class="end"><button type="button" class="button" onClick=${() => {
    lostBecause.value = '';
  }}>Close</button></span></div>`;
}

function Clock() {
  const at = moment.value;
  const chip =
    pastSeq.value !== null
      ? html`<span class="chip violet">past</span>`
      : isManual.value
        ? html`<span class="chip" title="It is moved by Control or by your test">manual clock</span>`
        : null;
  return html`<div class="clock"><span class="when"><span class="time" aria-label="venue clock">${at === null ? '--:--:--.---' : clockText(at.timeMs)}</span>
    <span class="zone">UTC</span></span><span class="chips">${chip}<${ArmedFaults} /></span></div>`;
}

/** Faults change what bots see, so every view says that some are armed. */
function ArmedFaults() {
  const count = armedIn(useRead('/faults').value);
  if (count === 0) return null;
  return html`<a class="chip warn" href="/control" title="Requests or streams of bots meet a fault on purpose. Control shows and clears them.">${grouped(count)} ${count === 1 ? 'fault' : 'faults'} armed</a>`;
}

const WORDS = { loading: 'connecting', live: 'live', stale: 'reconnecting', signedOut: 'signed out' };

function LinkState() {
  const { state } = link.value;
  return html`<div class=${`link ${state}`} aria-live="polite"><span class="dot" aria-hidden="true"></span>
    <span class="word">${WORDS[state]}</span>
    ${state === 'live' && now.value !== null && html`<span class="at"><span class="word" title="seq, the sequence number: the venue writes each command into its log under the next number">· seq </span><${Seq} seq=${now.value.seq} /></span>`}</div>`;
}

function SignedOut() {
  const title = link.value.isLinkSpent ? 'This link does not open the page any more' : 'This page is signed out';
  return html`<div class="lone"><h1>${title}</h1>
    <p>A link works once, and lasts ten minutes. <code>npm start</code> prints one on a terminal, and this prints another, in the folder of the venue:</p>
    <pre class="code-box">npx bourse page</pre>
    <p>A session ends with the venue's process, or when its token is revoked. Nothing in the venue has changed.</p></div>`;
}

const SHELL_KEYS = [
  { key: '?', what: 'all keys', act: () => openDialog('keys') },
  { key: 't', what: 'light or dark', act: toggleTheme },
  { key: '`', what: 'the tape: latest commands', act: toggleTape },
  { key: 'c', what: 'copy the curl of the region in focus', act: copyFocusedCurl },
  { key: 'w', what: 'why: the command of the row in focus, or the last one', act: showWhy },
  { key: 'x', what: 'to the Cancel of the row in focus, or of the story: Enter presses it', act: focusCancel },
  { key: 'j', what: 'next row', act: () => moveRow(1) },
  { key: 'k', what: 'previous row', act: () => moveRow(-1) },
  {
    key: 'Escape',
    what: 'back to now',
    act: () => (dialog.value === null ? setParameters({ seq: null }, false) : openDialog(null)),
  },
];

/** @param {'keys' | 'about' | null} which */
function openDialog(which) {
  dialog.value = which;
}

function toggleTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset.theme);
  dispatchEvent(new Event('themechange'));
}

function copyFocusedCurl() {
  const region = document.activeElement?.closest('section, main') ?? document.querySelector('main');
  const command =
    region?.querySelector('[data-curl]')?.getAttribute('data-curl') ?? curlOf({ method: 'GET', path: '/clock' });
  void copy(command, 'curl copied');
}

/** The first seq in the row that has the focus, else the last command of this page, else of the venue. */
function showWhy() {
  const row = document.activeElement?.closest('tr, [data-row], li');
  const href = row?.querySelector('a.log')?.getAttribute('href');
  const seq = done.value.find(({ isCommand }) => isCommand)?.seq ?? now.value?.seq;
  if (href !== undefined && href !== null) go(href);
  else if (seq !== undefined) go(`/time?seq=${seq}`);
}

/** @param {1 | -1} step */
function moveRow(step) {
  const rows = [...document.querySelectorAll('main tr[tabindex], main [data-row][tabindex]')];
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step];
  if (next instanceof HTMLElement) next.focus();
}

/** @param {{ name: 'keys' | 'about', title: string, children?: any }} props */
function Dialog({ name, title, children }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const isOpen = dialog.value === name;
  useEffect(() => {
    if (isOpen) element.current?.showModal();
    else element.current?.close();
  }, [isOpen]);
  return html`<dialog ref=${element} aria-label=${title} onClose=${() => isOpen && openDialog(null)}>
    ${
      isOpen &&
      html`<div class="dialog-head"><h2>${title}</h2><button type="button" class="button" onClick=${() => openDialog(null)}>Close</button></div>
      ${children}`
    }
  </dialog>`;
}

function KeysDialog() {
  const rows = keysInForce.value.flat();
  const names = /** @type {Record<string, string>} */ ({
    ' ': 'Space',
    ArrowLeft: '←',
    ArrowRight: '→',
    Escape: 'Esc',
  });
  return html`<${Dialog} name="keys" title="All keys">
    <dl class="keys">
      <div><dt><kbd>g</kbd> <kbd>1</kbd>–<kbd>6</kbd></dt><dd>${VIEWS.map(({ title }) => title).join(', ')}</dd></div>
      ${rows.map(
        ({ key, what, shift }) =>
          html`<div key=${key + what}><dt>${shift && html`<kbd>Shift</kbd> `}<kbd>${names[key] ?? key}</kbd></dt><dd>${what}</dd></div>`,
      )}
      <div><dt><kbd>Enter</kbd></dt><dd>open the row</dd></div>
    </dl>
    <label class="check"><input type="checkbox" checked=${lettersOn.value} onChange=${(/** @type {any} */ event) => setLetters(event.target.checked)} />
      single letters do something</label>
    <p class="dialog-end"><button type="button" class="button" onClick=${() => openDialog('about')}>About this page</button></p>
  </${Dialog}>`;
}

function AboutDialog() {
  const out = async () => {
    openDialog(null);
    await endSession().catch(() => say('the venue does not answer'));
  };
  return html`<${Dialog} name="about" title="About this page">
    <p>bourse, Apache-2.0. Session: ${session.value === null ? 'none' : `${session.value.name}, may ${session.value.scope === 'read' ? 'only look' : session.value.scope}`}.</p>
    <p>Charts: <a href="https://www.tradingview.com/" rel="noreferrer">TradingView Lightweight Charts™</a>, Copyright (c) 2025 TradingView, Inc., Apache-2.0.
      Also Preact and its signals (MIT) and htm (Apache-2.0).</p>
    <p class="dialog-end"><button type="button" class="button" onClick=${out}>Sign out</button></p>
  </${Dialog}>`;
}
