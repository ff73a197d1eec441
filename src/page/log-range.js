/** Which part of the log the time machine shows: its end, where a range begins, a time of the address, what an account did. */
import { replaced } from './follow.js';
import { clockText, dateText, grouped } from './format.js';
import { parameter, pastSeq, setParameters } from './router.js';
import { isManual, now } from './store.js';
import { commandsFrom, forgetAnswers, seqAtTime } from './time-machine.js';
import { useTopic } from './topics.js';
import { useEffect, useSignal } from './ui.js';

/** How often the end of the log is looked at. */
export const FOLLOW_MS = 2000;

/** The last seq, looked at every few seconds. */
export function useEnd() {
  const end = useSignal(now.peek()?.seq ?? 0);
  const newest = now.value?.seq ?? 0;
  const readAt = useSignal(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const wait = end.peek() === 0 ? 0 : Math.max(0, readAt.peek() + FOLLOW_MS - performance.now());
    const timer = setTimeout(() => {
      readAt.value = performance.now();
      end.value = newest;
    }, wait);
    return () => clearTimeout(timer);
  }, [newest]);
  useEffect(() => forgetAnswers(), [replaced.value]);
  return end.value;
}

/** The seq at which a range begins. @param {string} range @param {number} end */
export function useFirst(range, end) {
  const first = useSignal(1);
  useEffect(() => {
    if (range === 'all') {
      first.value = 1;
      return undefined;
    }
    const abort = new AbortController();
    seqAtTime((now.peek()?.timeMs ?? 0) - Number(range), abort.signal).then(
      (seq) => {
        // The last one before the range, which may be much older, is not in it.
        first.value = (seq ?? 0) + 1;
      },
      () => {},
    );
    return () => abort.abort();
  }, [range, end]);
  return Math.max(1, Math.min(first.value, end));
}

const DAY_MS = 86_400_000;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;

/**
 * A time of the venue's day. Without milliseconds it is a whole second, without seconds a whole minute.
 * @param {string} text @param {number} todayMs @returns {{ fromMs: number, toMs: number } | null} both included. Null: it is no time of a day
 */
export function timeOfDay(text, todayMs) {
  const [, hours, minutes, seconds, ms] = TIME.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return null;
  const midnight = Math.floor(todayMs / DAY_MS) * DAY_MS;
  const fromMs =
    midnight +
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds ?? 0)) * 1000 +
    Number((ms ?? '').padEnd(3, '0'));
  const length = ms !== undefined ? 1 : seconds !== undefined ? 1000 : 60_000;
  return { fromMs, toMs: fromMs + length - 1 };
}

/** Why a time cannot be shown yet. Null: it has come. @param {string} text @param {number} fromMs @param {number} nowMs */
export const notComeYet = (text, fromMs, nowMs) =>
  fromMs <= nowMs ? null : `${text} has not come: the venue's clock is at ${clockText(nowMs)}, ${dateText(nowMs)}.`;

/**
 * Where a time leads: to its first command. If it has none, to the one that moved the clock over it, or to the last one before it, and
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
  if (next !== undefined && next.time <= toMs) return { seq: next.seq, note: '' };
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

/** `?at=14:32:07` leads to a seq. @returns {string} what is to be said about the time, while its seq is shown */
export function useTimeOfAddress() {
  const said = useSignal({ seq: /** @type {number | null} */ (null), note: '' });
  const at = parameter('at');
  const isReady = now.value !== null;
  useEffect(() => {
    const today = now.peek()?.timeMs;
    if (at === null || today === undefined) return undefined;
    const time = timeOfDay(at, today);
    const problem = time === null ? `${at} is no time of a day.` : notComeYet(at, time.fromMs, today);
    if (time === null || problem !== null) {
      said.value = { seq: null, note: problem ?? '' };
      setParameters({ at: null, seq: null });
      return undefined;
    }
    const abort = new AbortController();
    commandAt(at, time, abort.signal).then(
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

/** What the account is known to have done: its fills, and its orders. @param {string | null} name @param {any} summary */
export function useOwnSeqs(name, summary) {
  const orders = useTopic(name === null ? null : `orders:${name}`, { isLive: true });
  const fills = useTopic(name === null ? null : `fills:${name}`, { isLive: true });
  const seqs = [
    ...(orders.value?.open.values() ?? []),
    ...(orders.value?.ended ?? []),
    ...(fills.value ?? []),
    ...(summary?.marks ?? []).filter((/** @type {any} */ mark) => mark.kind === 'fill'),
  ].map((each) => each.seq);
  return [...new Set(seqs)].sort((a, b) => a - b);
}
