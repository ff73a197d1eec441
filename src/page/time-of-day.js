/** A time of day, as people say when something happened: which moment it means, and where in the log that is. */
import { clockText, DAY_MS, grouped, momentText, startOfDay } from './format.js';
import { parameter, pastSeq, setParameters } from './router.js';
import { isManual, now } from './store.js';
import { commandsFrom, seqAtTime } from './time-machine.js';
import { useEffect, useSignal } from './ui.js';

/** Commands of one time that are looked at. */
const MOST_LOOKED_AT = 50;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;

/**
 * A time of day in UTC is the last one that has come, as on the command line. Without milliseconds it is a whole second, without seconds a
 * whole minute.
 * @param {string} text @param {number} nowMs the venue's time @returns {{ fromMs: number, toMs: number } | null} both included. Null: it is no time of a day
 */
export function timeOfDay(text, nowMs) {
  const [, hours, minutes, seconds, ms] = TIME.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return null;
  const ofDayMs =
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds ?? 0)) * 1000 + Number((ms ?? '').padEnd(3, '0'));
  const todayMs = startOfDay(nowMs) + ofDayMs;
  const fromMs = todayMs <= nowMs ? todayMs : todayMs - DAY_MS;
  const length = ms !== undefined ? 1 : seconds !== undefined ? 1000 : 60_000;
  return { fromMs, toMs: fromMs + length - 1 };
}

/**
 * Where a time leads: to its first command, or the first after the clock was moved there. If it has none, to the one that moved the clock over it, or to the last one before it, and
 * `note` says so.
 * @param {string} text @param {{ fromMs: number, toMs: number }} time @param {AbortSignal} abort
 * @returns {Promise<{ seq: number, note: string }>}
 */
async function commandAt(text, { fromMs, toMs }, abort) {
  const before = (await seqAtTime(fromMs - 1, abort)) ?? 0;
  const from = Math.max(1, before);
  const { commands } = await commandsFrom(from, 2, abort);
  const last = commands.find(({ seq }) => seq === before);
  const next = commands.find(({ seq }) => seq > before);
  if (next !== undefined && next.time <= toMs)
    return amongSome(toMs - fromMs < 1000 ? `at ${text}` : `in the minute from ${text}`, next, toMs, abort);
  const named = (/** @type {any} */ { seq, time, sentence }) =>
    `seq ${grouped(seq)} at ${clockText(time)} (${sentence})`;
  if (next !== undefined && next.command?.type === 'advance' && isManual.peek()) {
    const since = last === undefined ? '' : ` from ${clockText(last.time)}`;
    const note = `${text} is within a move of the clock${since} to ${clockText(next.time)}, by seq ${grouped(next.seq)}. What was due on the way is part of that command, and no moment within it can be shown.`;
    return { seq: next.seq, note };
  }
  const after = next === undefined ? 'nothing came after it' : `the next is ${named(next)}`;
  if (last === undefined) return { seq: next?.seq ?? 1, note: `Nothing had happened at ${text}: ${after}.` };
  return {
    seq: last.seq,
    note: `Nothing happened at ${text}. The last command before it is ${named(last)}, ${after}.`,
  };
}

/**
 * Of several commands within the time, the first that is no move of the clock: a move to that time is about what was due before.
 * @param {string} when @param {any} first of the commands @param {number} toMs @param {AbortSignal} abort
 * @returns {Promise<{ seq: number, note: string }>}
 */
async function amongSome(when, first, toMs, abort) {
  const { commands } = await commandsFrom(first.seq, MOST_LOOKED_AT, abort);
  const within = commands.filter(({ time }) => time <= toMs);
  const at = within.find(({ command }) => command?.type !== 'advance') ?? first;
  if (within.length < 2) return { seq: at.seq, note: '' };
  const many = `${within.length}${within.length === MOST_LOOKED_AT ? ' or more' : ''}`;
  const which = at.seq === first.seq ? 'the first' : 'the first after the clock had come there';
  const note = `${many} commands came ${when}, seq ${grouped(first.seq)} to ${grouped(within[within.length - 1].seq)}. This is ${which}.`;
  return { seq: at.seq, note };
}

/** `?at=14:32:07` leads to a seq. @returns {string} what is to be said about the time, while its seq is shown */
export function useTimeOfAddress() {
  const said = useSignal({ seq: /** @type {number | null} */ (null), note: '' });
  const at = parameter('at');
  const isReady = now.value !== null;
  useEffect(() => {
    const today = now.peek()?.timeMs;
    if (at === null || today === undefined) return undefined;
    const time = timeOfDay(at, today);
    if (time === null) {
      said.value = { seq: null, note: `${at} is no time of a day.` };
      setParameters({ at: null, seq: null });
      return undefined;
    }
    const abort = new AbortController();
    commandAt(`${momentText(time.fromMs, today)} UTC`, time, abort.signal).then(
      ({ seq, note }) => {
        said.value = { seq, note };
        setParameters({ at: null, seq });
      },
      (error) => {
        if (!abort.signal.aborted) said.value = { seq: pastSeq.peek(), note: String(error?.message ?? error) };
      },
    );
    return () => abort.abort();
  }, [at, isReady]);
  return said.value.seq === pastSeq.value ? said.value.note : '';
}
