/**
 * Times of a file: their unit, which their magnitude shows, and their order.
 *
 * A time between 1990 and 2100 has another number of digits in each unit, so no file has to say which it uses, and a file that
 * says the wrong one is read correctly. All rows of a file must have the same unit.
 */
import { RowProblem, shown } from './refused.ts';

export type TimeUnit = 's' | 'ms' | 'µs' | 'ns' | 'text';

/** 1990 and 2100, in seconds. */
const EARLIEST_S = 631_152_000;
const LATEST_S = 4_102_444_800;
/** How far a row may be before the latest one above it. Recordings are in the order of arrival, which is not exactly that of time. */
const MAX_LATE_US = 600e6;
const DAY_S = 86_400;

const PER_SECOND: readonly (readonly [TimeUnit, number])[] = [
  ['s', 1],
  ['ms', 1e3],
  ['µs', 1e6],
  ['ns', 1e9],
];

/** Reads the times of one column. */
export class Times {
  unit: TimeUnit | undefined;
  /** The latest time as text: many rows have the same one. */
  #text: string | undefined;
  #us = 0;

  /** Microseconds since 1970. */
  us(text: string, column: string): number {
    if (text === this.#text) return this.#us;
    const [unit, us] = timeOf(text) ?? [];
    if (unit === undefined || us === undefined) {
      throw new RowProblem(
        text === '' ? `${column} is empty` : `${column} is ${shown(text)}, which is no time between 1990 and 2100`,
      );
    }
    this.unit ??= unit;
    if (unit !== this.unit) {
      throw new RowProblem(`${column} ${shown(text)} is a time in ${unit}, and the rows above have ${this.unit}`);
    }
    this.#text = text;
    this.#us = us;
    return us;
  }
}

/** Checks that rows come in the order of time, or in its reverse, but for small differences, which it counts. */
export class TimeOrder {
  readonly #sign: number;
  #latest = Number.NEGATIVE_INFINITY;
  /** Rows before one above them, and by how much at most. */
  late = 0;
  latestByUs = 0;

  constructor(newestFirst: boolean) {
    this.#sign = newestFirst ? -1 : 1;
  }

  see(atUs: number): void {
    const at = atUs * this.#sign;
    if (at >= this.#latest) {
      this.#latest = at;
      return;
    }
    const by = this.#latest - at;
    this.late += 1;
    this.latestByUs = Math.max(this.latestByUs, by);
    if (by > MAX_LATE_US) {
      const where = this.#sign > 0 ? 'before' : 'after';
      throw new RowProblem(`its time is ${Math.round(by / 1e6)} s ${where} that of a row above: sort the file by time`);
    }
  }
}

/** A number in the unit of its magnitude, or a date as text. */
export function timeOf(text: string): readonly [TimeUnit, number] | undefined {
  if (!/^\d+(\.\d+)?(e\d+)?$/i.test(text)) return textTime(text);
  const value = Number(text);
  for (const [unit, perSecond] of PER_SECOND) {
    if (value < EARLIEST_S * perSecond || value > LATEST_S * perSecond) continue;
    // A double has no room for nanoseconds, so they are cut from the text.
    if (unit === 'ns' && /^\d+$/.test(text)) return [unit, Number(text.slice(0, -3))];
    return [unit, Math.round(value * (1e6 / perSecond))];
  }
  return undefined;
}

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?$/;

/** `2024-08-08`, `2024-08-08 23:54:14.206` or the same with `T` and a zone. Without a zone it is UTC. */
function textTime(text: string): readonly [TimeUnit, number] | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const days = Date.UTC(year, month - 1, day) / 1000 / DAY_S;
  const back = new Date(days * DAY_S * 1000);
  if (back.getUTCMonth() !== month - 1 || back.getUTCDate() !== day) return undefined;
  const zone = match[8];
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? [];
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
  const seconds = days * DAY_S + hour * 3600 + minute * 60 + second - offset;
  if (seconds < EARLIEST_S || seconds > LATEST_S) return undefined;
  return ['text', seconds * 1e6 + Number((match[7] ?? '').padEnd(6, '0').slice(0, 6))];
}

/** As a report shows it: ISO, with as many digits as are needed. */
export function timeText(us: number): string {
  const millis = Math.floor(us / 1000);
  const rest = us - millis * 1000;
  const iso = new Date(millis).toISOString();
  return rest === 0 ? iso.replace('.000Z', 'Z') : iso.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
