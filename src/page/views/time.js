/**
 * The time machine: a slider over the log, what a command set off, and what the world was like after it, beside what it is
 * now. Everything is computed from the log, beside the venue.
 */
import { CommandsAround, pathAround } from '../components/commands-around.js';
import { Legend, LogSlider } from '../components/log-slider.js';
import { Loading, Segments } from '../components/parts.js';
import { World } from '../components/then-and-now.js';
import { MOST_LEVELS } from '../components/then-books.js';
import { Why } from '../components/why-pane.js';
import { grouped } from '../format.js';
import { useKeys } from '../keys.js';
import { FOLLOW_MS, useEnd, useFirst, useOwnSeqs } from '../log-range.js';
import { parameter, pastSeq, setParameters } from '../router.js';
import { account, markets, now, pastProblem, pastState } from '../store.js';
import { usePast } from '../time-machine.js';
import { useTimeOfAddress } from '../time-of-day.js';
import { html, useEffect, useSignal } from '../ui.js';

const REST_MS = 120;
const BUCKETS = 120;

const RANGES = /** @type {const} */ ([
  ['all', 'all'],
  ['3600000', '1 h'],
  ['600000', '10 min'],
  ['60000', '1 min'],
]);

export function TimeView() {
  const name = account.value;
  const end = useEnd();
  const range = useSignal('all');
  /** Where the thumb is while the address has not followed yet. */
  const moved = useSignal(/** @type {number | null} */ (null));
  const timer = useSignal(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const first = useFirst(range.value, end);
  const note = useTimeOfAddress();
  const mine = name === null ? '' : `&account=${encodeURIComponent(name)}`;
  const again = useSignal(0);
  const around = usePast(
    {
      summary: end === 0 ? null : `/log/summary?from=${first}&to=${end}&buckets=${BUCKETS}${mine}`,
    },
    again.value,
  );
  const { summary } = around.answers;
  // The venue is still reading its log: a little later more is known.
  useEffect(() => {
    if (summary === undefined || summary.knownTo >= summary.endSeq) return undefined;
    const later = setTimeout(() => {
      again.value += 1;
    }, FOLLOW_MS);
    return () => clearTimeout(later);
  }, [summary]);
  const seq = moved.value ?? pastSeq.value ?? end;
  const isNow = moved.value === null && pastSeq.value === null;
  const move = (/** @type {number} */ to) => {
    const target = Math.max(1, Math.min(to, now.peek()?.seq ?? to));
    moved.value = target;
    clearTimeout(timer.value);
    timer.value = setTimeout(() => setParameters({ seq: target }, pastSeq.peek() !== null), REST_MS);
  };
  // The address has followed, or somebody went back to now. A thumb that has moved on meanwhile is not put back.
  useEffect(() => {
    if (pastSeq.value === null) clearTimeout(timer.peek());
    if (pastSeq.value === null || pastSeq.value === moved.peek()) moved.value = null;
  }, [pastSeq.value]);
  useEffect(() => () => clearTimeout(timer.peek()), []);
  const own = useOwnSeqs(name, summary);
  const before = own.filter((each) => each < seq).at(-1);
  const after = own.find((each) => each > seq);
  useKeys(
    [
      { key: 'ArrowLeft', what: 'one command back', shift: false, act: () => move(seq - 1) },
      { key: 'ArrowRight', what: 'one command on', shift: false, act: () => move(seq + 1) },
      { key: 'ArrowLeft', what: 'a hundred commands back', shift: true, act: () => move(seq - 100) },
      { key: 'ArrowRight', what: 'a hundred commands on', shift: true, act: () => move(seq + 100) },
      { key: 'p', what: `previous of ${name}`, act: () => before !== undefined && move(before) },
      { key: 'n', what: `next of ${name}`, act: () => after !== undefined && move(after) },
    ],
    [seq, before, after, name],
  );
  const known = pastState.value?.seq === seq ? pastState.value.timeMs : isNow ? (now.value?.timeMs ?? null) : null;
  return html`<div class="time">
    <section class="time-head" aria-label="Slider over the log">
      <h1>Time machine</h1>
      <button type="button" class="button" disabled=${seq <= 1} onClick=${() => move(seq - 1)}>‹ command</button>
      <button type="button" class="button" disabled=${isNow || seq >= (now.value?.seq ?? 0)} onClick=${() => move(seq + 1)}>command ›</button>
      ${
        name !== null &&
        html`<span class="c2-inline"><button type="button" class="button" title="a fill or a new order of the account" disabled=${before === undefined} onClick=${() => before !== undefined && move(before)}>‹ of ${name}</button>
      <button type="button" class="button" title="a fill or a new order of the account" disabled=${after === undefined} onClick=${() => after !== undefined && move(after)}>of ${name} ›</button></span>`
      }
      <span class="end">${summary !== undefined && html`<${Legend} summary=${summary} />`}
        <${Segments} label="How much of the log" choices=${RANGES} chosen=${range.value} onChoose=${(
          /** @type {string} */ each,
        ) => {
          range.value = each;
        }} /></span>
      ${
        summary === undefined
          ? around.problem === ''
            ? html`<${Loading} what="the log" rows=${2} />`
            : html`<p class="slide-wait ink2">${around.problem}</p>`
          : html`<${LogSlider} summary=${summary} seq=${seq} time=${known} isNow=${isNow} onMove=${move} />`
      }
      ${note !== '' && html`<p class="ink2 note at-time" role="status">${note}</p>`}
      ${
        summary !== undefined &&
        summary.knownTo < summary.endSeq &&
        html`<p class="ink2 note">The log is still being read: up to seq ${grouped(summary.knownTo)} of ${grouped(summary.endSeq)}.</p>`
      }
    </section>
    <${Moment} seq=${pastSeq.value ?? end} isNow=${isNow} name=${name} move=${move} />
  </div>`;
}

/** @param {{ seq: number, isNow: boolean, name: string | null, move: (seq: number) => void }} props */
function Moment({ seq, isNow, name, move }) {
  /** The market that the command is about, or the one before was. */
  const about = useSignal(/** @type {string | undefined} */ (undefined));
  const symbol = symbolOf(about.value);
  const show = useSignal('differs');
  const of = `/at/${seq}?show=`;
  const isPast = seq > 0 && !isNow;
  const { answers, problem, isBusy } = usePast({
    command: seq === 0 ? null : `/log/${seq}`,
    book: isPast && symbol !== undefined ? `${of}book&symbol=${encodeURIComponent(symbol)}&limit=${MOST_LEVELS}` : null,
    account: isPast && name !== null ? `${of}account&account=${encodeURIComponent(name)}` : null,
    around: seq === 0 ? null : pathAround(seq),
  });
  const { command, book } = answers;
  useEffect(() => {
    about.value = marketOf(command) ?? about.peek();
  }, [command]);
  useEffect(() => {
    pastProblem.value = isPast ? problem : '';
  }, [isPast, problem]);
  useEffect(() => {
    if (book?.seq !== pastSeq.value || book === undefined) return;
    pastState.value = { seq: book.seq, timeMs: book.time, tickers: new Map([[book.symbol, book.market]]) };
  }, [book]);
  if (problem !== '' && command === undefined) return html`<${Elsewhere} seq=${seq} problem=${problem} />`;
  return html`<div class="moment" aria-busy=${isBusy}>
    <${Why} command=${command} seq=${seq} />
    <${World} seq=${seq} isNow=${isNow} symbol=${symbol} name=${name} answers=${answers} show=${show} />
    <${CommandsAround} seq=${seq} answer=${answers.around} move=${move} />
  </div>`;
}

/** The symbol of the market that a command is about, or the first thing that it set off. @param {any} command @returns {string | undefined} */
function marketOf(command) {
  const own = command?.command?.market;
  if (typeof own === 'string' && markets.value.has(own)) return own;
  return marketIn(command?.why ?? []);
}

/** @param {any[]} effects @returns {string | undefined} the first market among effects and what they set off */
function marketIn(effects) {
  for (const { market, effects: below } of effects) {
    const found = markets.value.has(market) ? market : marketIn(below);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The market that is looked at: that of the address first. @param {string | undefined} about @returns {string | undefined} */
function symbolOf(about) {
  const symbols = [...markets.value.keys()];
  const wanted = parameter('symbol') ?? about ?? localStorage.getItem('symbol');
  if (wanted !== null && symbols.includes(wanted)) return wanted;
  return symbols.find((each) => each.includes('PERP')) ?? symbols[0];
}

/** @param {{ seq: number, problem: string }} props */
function Elsewhere({ seq, problem }) {
  return html`<div class="lone elsewhere"><h2>The state at seq ${grouped(seq)} cannot be shown</h2><p class="problem" role="status">${problem}</p>
    <p>A state is computed from the log, with the rules that wrote it. The slider goes as far back as this venue can compute.</p></div>`;
}
