/**
 * Numbers, times and ids as text. Prices and amounts arrive as exact decimal text, and stay text: only signs and
 * separators are added. Times are UTC.
 */

export const MINUS = '\u2212';
/** What is not known, or does not apply. */
export const NONE = '\u2013';

/** '-1234567.50' is '−1,234,567.50'. @param {string | number | null | undefined} value */
export function grouped(value) {
  if (value === null || value === undefined || value === '') return NONE;
  const text = String(value);
  const [, sign, whole, rest] = /^(-?)(\d+)(.*)$/.exec(text) ?? ['', '', text, ''];
  return `${sign === '' ? '' : MINUS}${whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')}${rest}`;
}

/** Like `grouped`, with a plus before what is above zero. @param {string | number | null | undefined} value */
export function signed(value) {
  const text = grouped(value);
  return Number(value) > 0 ? `+${text}` : text;
}

/** What rounds to zero has no sign. @param {number} value @param {number} decimals */
const rounded = (value, decimals) => value.toFixed(decimals).replace(/^-(?=[0.]+$)/, '');

/** With exactly so many decimals, rounded. @param {number} value @param {number} decimals */
export function fixed(value, decimals) {
  return grouped(rounded(value, decimals));
}

/** Exact decimal text with so many decimals; more are kept. @param {string | number} value @param {number} decimals */
export function padded(value, decimals) {
  const text = String(value);
  if (/e/i.test(text)) return Number(text).toFixed(decimals);
  const [whole, rest = ''] = text.split('.');
  const filled = rest.padEnd(decimals, '0');
  return filled === '' ? whole : `${whole}.${filled}`;
}

/** The exact sum of decimal texts. @param {readonly string[]} values @returns {string} */
export function sumOf(values) {
  const places = Math.max(0, ...values.map((value) => value.split('.')[1]?.length ?? 0));
  const units = values.reduce((sum, value) => sum + BigInt(padded(value, places).replace('.', '')), 0n);
  const text = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const [whole, rest] = [text.slice(0, text.length - places), text.slice(text.length - places).replace(/0+$/, '')];
  return `${units < 0n ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`;
}

/** How many decimals a step has: '0.05' has 2. @param {string | number} step @returns {number} */
export function decimalsOf(step) {
  const text = String(step);
  const exponent = /e-(\d+)$/i.exec(text);
  if (exponent) return Number(exponent[1]) + decimalsOf(text.slice(0, exponent.index));
  return (text.split('.')[1] ?? '').replace(/0+$/, '').length;
}

/** The text, and its trailing zeros behind the point apart, so that they can be dimmed. @param {string} text */
export function zerosApart(text) {
  const zeros = text.includes('.') ? (/\.?0*$/.exec(text)?.[0] ?? '') : '';
  return [text.slice(0, text.length - zeros.length), zeros];
}

/** @param {number} part @param {number} width */
const digits = (part, width) => String(part).padStart(width, '0');

/** '14:32:07.000'. @param {number} timeMs */
export function clockText(timeMs) {
  return new Date(timeMs).toISOString().slice(11, 23);
}

/** '14:32:07'. @param {number} timeMs */
export function secondsText(timeMs) {
  return new Date(timeMs).toISOString().slice(11, 19);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** '5 Jan 2026'. @param {number} timeMs */
export function dateText(timeMs) {
  const at = new Date(timeMs);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

export const DAY_MS = 86_400_000;

/** Midnight. @param {number} timeMs */
export const startOfDay = (timeMs) => Math.floor(timeMs / DAY_MS) * DAY_MS;

/** '14:32:07', with the date if that is another day than `nowMs`. @param {number} timeMs @param {number} nowMs */
export function momentText(timeMs, nowMs) {
  return startOfDay(timeMs) === startOfDay(nowMs) ? secondsText(timeMs) : `${dateText(timeMs)}, ${secondsText(timeMs)}`;
}

/** A length of time in words: '18.750 s', '3 m 18 s', '1 h 27 m', '2 d 3 h'. @param {number} ms @returns {string} */
export function lengthText(ms) {
  if (ms < 0) return `${MINUS}${lengthText(-ms)}`;
  if (ms < 60_000) return ms % 1000 === 0 ? `${ms / 1000} s` : `${(ms / 1000).toFixed(3)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${digits(seconds % 60, 2)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${digits(minutes % 60, 2)} m`;
  return `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

/** A fraction as a percentage: 0.0001 with four decimals is '0.0100 %'. @param {number} fraction @param {number} decimals */
export function percent(fraction, decimals = 2) {
  return `${grouped(rounded(fraction * 100, decimals))} %`;
}

/** Like `percent`, with a plus before what is above zero. @param {number} fraction @param {number} decimals */
export function signedPercent(fraction, decimals = 2) {
  return `${signed(rounded(fraction * 100, decimals))} %`;
}

/** The first eight characters of an id. @param {string} id */
export function shortId(id) {
  return id.slice(0, 8);
}

/** @param {number | null} bytes */
export function bytesText(bytes) {
  if (bytes === null || Number.isNaN(bytes)) return NONE;
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${fixed(bytes / 1000 ** at, at === 0 ? 0 : 1)} ${units[at]}`;
}

/** Seconds as milliseconds. @param {number | null} seconds */
export const msText = (seconds) => (seconds === null ? NONE : fixed(seconds * 1000, 2));
