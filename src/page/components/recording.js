/** The recording that a market plays: what it is, where in it the market is, how fast, and what to know of it. */
import { clockText, dateText, fixed, grouped, lengthText, NONE, percent } from '../format.js';
import { useRead } from '../reads.js';
import { pastSeq } from '../router.js';
import { system } from '../store.js';
import { html } from '../ui.js';
import { Warning } from './icons.js';
import { Curl } from './parts.js';
import { Facts } from './resources.js';

/** @type {import('../api.js').Call} */
const CALL = { method: 'GET', path: '/replay' };
/** Between two events, ms. Less is how a quiet market is. */
const LONG_MS = 5000;
/** Of the recorded volume. Above it, users get fills that the market would not have given. */
const MUCH = 0.05;

/** Undefined: there is none, or it is not read yet. */
function useRecording() {
  return useRead(system.value?.recording ? CALL.path : null).value?.replay ?? undefined;
}

/** @param {number} ms */
const recordedText = (ms) => `${dateText(ms)}, ${clockText(ms)}`;

/** @param {any} replay */
function paceOf({ speed }) {
  if (speed === null) return 'it goes on when the clock is moved';
  return speed === 1 ? 'as fast as it was' : `${grouped(speed)}× as fast as it was`;
}

/** What is out of the ordinary, in words. Null: nothing. @param {any} replay */
function noteOf({ state, problem, status, speed, lagMs, recordedMs, nextRecordedMs, symbol }) {
  if (state === 'broken') return { tone: 'bad', text: `It cannot be played any further: ${problem}.` };
  if (state === 'notPlayed') {
    return {
      tone: 'warn',
      text: 'This start was not given its files, so it stops here: start with --replay and those files.',
    };
  }
  if (state === 'ended') {
    const now = status === 'halted' ? `${symbol} is halted` : `${symbol} has only the orders of accounts`;
    const again = speed === null ? ' A reset plays it again.' : '';
    return { tone: 'warn', text: `It has ended: ${now}.${again}` };
  }
  if (state === 'handedOver') return { tone: 'ink2', text: 'It has ended: the synthetic traders go on.' };
  if (state === 'behind') return { tone: 'warn', text: `It is ${lengthText(lagMs)} behind. Nothing is left out.` };
  if (recordedMs === null || nextRecordedMs === null || nextRecordedMs - recordedMs < LONG_MS) return null;
  const length = lengthText(Math.round((nextRecordedMs - recordedMs) / 1000) * 1000);
  const until = `Nothing is recorded for ${length}, until ${clockText(nextRecordedMs)}.`;
  return { tone: 'warn', text: status === 'stale' ? `${until} Meanwhile prices are stale, and triggers wait.` : until };
}

/** Under the prices of the market that plays it. @param {{ symbol: string }} props */
export function RecordingLine({ symbol }) {
  const replay = useRecording();
  if (replay?.symbol !== symbol || pastSeq.value !== null) return null;
  const { files, recordedMs } = replay;
  const note = noteOf(replay);
  const names = files.map((/** @type {any} */ { name }) => name).join(', ');
  return html`<p class="recording" role="status"><strong>Plays a recording</strong>
    <span class="names ink2">${names}</span>
    <span>${recordedMs === null ? 'from its beginning' : html`at <b class="recorded-at">${recordedText(recordedMs)}</b>`}${replay.state === 'playing' && `, ${paceOf(replay)}`}</span>
    ${note !== null && html`<span class=${note.tone}>${note.tone !== 'ink2' && html`<${Warning} />`}${note.text}</span>`}
    <span class="end"><${Curl} call=${CALL} /></span></p>`;
}

const NEEDS = /** @type {Record<string, string>} */ ({
  broken: 'cannot be played any further',
  notPlayed: 'is not played',
  ended: 'has ended',
  behind: 'is behind',
});

/** What is out of the ordinary, for the sentence of Operations. @returns {string | false} */
export function useRecordingNeed() {
  const replay = useRecording();
  const need = replay === undefined ? undefined : NEEDS[replay.state];
  return need !== undefined && `the recording of ${replay.symbol} ${need}`;
}

/** All that is known of it. */
export function RecordingPane() {
  const replay = useRecording();
  if (replay === undefined) return null;
  const { symbol, files, recordedMs, playedMs, events, trades, tradesFit, userTakenRatio: taken } = replay;
  const { queue, healAfterMs, state } = replay;
  const note = noteOf(replay);
  const rows = [
    ...files.map((/** @type {any} */ { name, sha256 }) => ({
      what: name,
      value: sha256.slice(0, 12),
      note: 'SHA-256',
    })),
    {
      what: 'Is at',
      value: recordedMs === null ? 'its beginning' : recordedText(recordedMs),
      note: [playedMs !== null && `here ${recordedText(playedMs)}`, state === 'playing' && paceOf(replay)]
        .filter(Boolean)
        .join('; '),
    },
    { what: 'Events', value: grouped(events), note: 'so far' },
    {
      what: 'Trades that fit its book',
      value: trades === 0 ? NONE : percent(tradesFit / trades, 1),
      note: `${grouped(tradesFit)} of ${grouped(trades)}: your fills are no better than this`,
    },
    {
      what: 'Taken by users',
      value: percent(taken ?? 0, 1),
      note: (taken ?? 0) > MUCH ? 'of a minute: such fills never were' : 'of what was recorded in a minute',
    },
    {
      what: 'A level that shrinks',
      value: queue,
      note: queue === 'back' ? 'what is behind you goes first' : 'goes before and behind you, by size',
    },
    {
      what: 'What you took is back',
      value: healAfterMs === null ? 'with the record' : `after ${fixed(healAfterMs / 1000, 1)} s`,
      note: 'or when the recording changes that level',
    },
  ];
  return html`<${Facts} title=${`The recording that ${symbol} plays`} note=${note === null ? undefined : html`<span class=${note.tone}>${note.text}</span>`} call=${CALL} rows=${rows} />`;
}
