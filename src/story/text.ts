/** How numbers, times and lists are written in sentences. Numbers come and go as exact decimals in text. */
import type { MarketFacts } from './facts.ts';

const MINUS = '\u2212';

/** With thousands commas, a real minus, and at least `decimals` decimals. Digits behind these stay. */
export function grouped(number: string, decimals = 0): string {
  const negative = number.startsWith('-');
  const [whole, fraction = ''] = (negative ? number.slice(1) : number).split('.');
  const thousands = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  const padded = fraction.padEnd(decimals, '0');
  return `${negative ? MINUS : ''}${thousands}${padded === '' ? '' : `.${padded}`}`;
}

export function priceIn(market: MarketFacts | undefined, price: unknown): string {
  return grouped(String(price), market?.priceDecimals);
}

/** "59,788.5", or "59,786.0 to 59,788.5". */
export function pricesText(prices: readonly string[], market: MarketFacts | undefined): string {
  const sorted = [...prices].sort(compared);
  const [low, high] = [sorted[0], sorted[sorted.length - 1]];
  return low === high ? priceIn(market, low) : `${priceIn(market, low)} to ${priceIn(market, high)}`;
}

/** A size with its unit: the base currency on spot, contracts on futures. */
export function sizeIn(market: MarketFacts | undefined, size: unknown): string {
  const number = grouped(String(size));
  return market?.kind === 'spot' ? `${number} ${market.base}` : number;
}

/** The same with a unit for contracts too. */
export function amountIn(market: MarketFacts | undefined, size: unknown): string {
  if (market?.kind !== 'perpetual') return sizeIn(market, size);
  return `${grouped(String(size))} ${size === '1' ? 'contract' : 'contracts'}`;
}

/** An average price, rounded to two decimals more than prices have. */
export function averageIn(market: MarketFacts | undefined, price: string): string {
  return grouped(rounded(price, (market?.priceDecimals ?? 6) + 2), market?.priceDecimals);
}

/** A fraction as a percentage with two to four decimals: 0.0031 is "0.31 %". */
export function percent(fraction: string): string {
  return `${grouped(rounded(shifted(fraction, 2), 4), 2)} %`;
}

/** At most this many decimals. */
function rounded(number: string, decimals: number): string {
  const [, fraction = ''] = number.split('.');
  return fraction.length <= decimals
    ? number
    : Number(number)
        .toFixed(decimals)
        .replace(/\.?0+$/, '');
}

/** Times ten to the power of `places`, exactly. */
export function shifted(number: string, places: number): string {
  const negative = number.startsWith('-');
  const [whole, fraction = ''] = (negative ? number.slice(1) : number).split('.');
  const digits = whole + fraction.padEnd(places, '0');
  const point = whole.length + places;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const after = digits.slice(point).replace(/0+$/, '');
  return `${negative ? '-' : ''}${before}${after === '' ? '' : `.${after}`}`;
}

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

export function counted(count: number, one: string, more = `${one}s`): string {
  return `${grouped(String(count))} ${count === 1 ? one : more}`;
}

/** UTC, as "14:32:07" with milliseconds if there are any. */
export function clock(ms: number): string {
  const text = new Date(ms).toISOString().slice(11, 23);
  return text.endsWith('.000') ? text.slice(0, 8) : text;
}

/** A time, with its day if that is not the day of `from`. */
export function clockFrom(from: number, ms: number): string {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return day(from) === day(ms) ? clock(ms) : `${clock(ms)} on ${day(ms)}`;
}

/** "30 s", "2 min", "3 h": in the largest unit that it is a whole number of. */
export function duration(ms: number): string {
  if (ms % HOUR_MS === 0) return `${grouped(String(ms / HOUR_MS))} h`;
  if (ms % MINUTE_MS === 0) return `${grouped(String(ms / MINUTE_MS))} min`;
  return `${grouped(String(ms / 1000))} s`;
}
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The first letter as a capital. */
export function sentence(text: string): string {
  return text === '' ? text : text[0].toUpperCase() + text.slice(1);
}

export function shortId(id: unknown): string {
  return String(id).slice(0, 8);
}

/** The exact sum of decimals. */
export function sumOf(numbers: readonly string[]): string {
  const places = numbers.reduce((most, number) => Math.max(most, number.split('.')[1]?.length ?? 0), 0);
  return decimalOf(
    numbers.reduce((sum, number) => sum + unitsOf(number, places), 0n),
    places,
  );
}

export function difference(a: string, b: string): string {
  return sumOf([a, b.startsWith('-') ? b.slice(1) : `-${b}`]);
}

/** Below zero: `a` is less than `b`. Above zero: it is more. */
export function compared(a: string, b: string): number {
  const places = Math.max(...[a, b].map((number) => number.split('.')[1]?.length ?? 0));
  const [x, y] = [unitsOf(a, places), unitsOf(b, places)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function unitsOf(number: string, places: number): bigint {
  const [whole, fraction = ''] = number.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

function decimalOf(units: bigint, places: number): string {
  const negative = units < 0n;
  const digits = String(negative ? -units : units).padStart(places + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - places), digits.slice(digits.length - places)];
  const kept = fraction.replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${kept === '' ? '' : `.${kept}`}`;
}
