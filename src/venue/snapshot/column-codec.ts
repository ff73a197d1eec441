/**
 * Columns: the values of one field in many records, as plain data, in the shortest of four forms. They are used for
 * saved state, where parsing a list of a hundred thousand texts would take longer than everything else.
 *
 * Invariant: for each place `columnReader` returns what was `put` there, or the blank. A column that was read from text is
 * read once.
 */

import { NumberList } from './json-reader.ts';

const MOST_DIFFERENT = 256;

/**
 * The values, for all places or only for those in `at`. `all` lists them. `of` and `which` list a few different values,
 * and which of them each place has. `steps` lists differences of numbers to the previous one.
 */
export type Column<T> = { readonly at?: Values<number> } & (
  | { readonly all: Values<T> }
  | { readonly of: readonly T[]; readonly which: Values<number> }
  | { readonly steps: Values<number> }
);

/** A list of numbers that was read from text is a NumberList. */
export type Values<T> = readonly T[] | NumberList;

/** Takes the next values, at most `most` and at most TOGETHER. None are left if it returns none. Use them at once. */
export type Take<T> = (most: number) => ArrayLike<T>;

/** So many values are taken together, because they and what they are for fit into the processor's cache. */
export const TOGETHER = 512;

/** Collects the values that are not blank, and chooses the shorter form. */
export class ColumnWriter {
  readonly #length: number;
  readonly #blank: unknown;
  readonly #at: number[] = [];
  readonly #some: unknown[] = [];

  constructor(length: number, blank: unknown = undefined) {
    this.#length = length;
    this.#blank = blank;
  }

  get blank(): boolean {
    return this.#at.length === 0;
  }

  /** Called in ascending order, for all records or for some of them. */
  put(i: number, value: unknown): void {
    if (value === this.#blank) return;
    this.#at.push(i);
    this.#some.push(value);
  }

  done(shortened: (values: readonly unknown[]) => Column<unknown> = fewDifferent): Column<unknown> {
    if (this.#blank === undefined || this.#at.length < this.#length / 4) {
      return { at: this.#at, ...shortened(this.#some) };
    }
    const all: unknown[] = new Array(this.#length).fill(this.#blank);
    this.#at.forEach((i, n) => {
      all[i] = this.#some[n];
    });
    return shortened(all);
  }
}

/** The form for few different texts. Anything else is listed. */
function fewDifferent(values: readonly unknown[]): Column<unknown> {
  const places = new Map<unknown, number>();
  const which: number[] = [];
  for (const value of values) {
    let place = places.get(value);
    if (place === undefined) {
      place = places.size;
      if (place === MOST_DIFFERENT || (typeof value !== 'string' && value !== null)) return { all: values };
      places.set(value, place);
    }
    which.push(place);
  }
  return { of: [...places.keys()], which };
}

/** The form for large numbers that are near each other. */
export function stepsOf(values: readonly unknown[]): Column<unknown> {
  let before = 0;
  return {
    steps: (values as number[]).map((value) => {
      const step = value - before;
      before = value;
      return step;
    }),
  };
}

/** Returns a function that reads the value at a place. Reads the column. */
export function columnReader(column: Column<unknown>, count: number, blank: unknown): (place: number) => unknown {
  const values: unknown[] = new Array(count).fill(blank);
  each(column, (i, value) => {
    values[i] = value;
  });
  return (place) => values[place];
}

/** Calls `act` for each value that is not blank, or for all of them, in order. Reads the column. */
export function each<T>(column: Column<T>, act: (i: number, value: T) => void): void {
  if (column.at !== undefined) {
    eachBefore(column, act)(Number.POSITIVE_INFINITY);
    return;
  }
  const take = takeListed(column);
  for (let begin = 0; ; begin += TOGETHER) {
    const values = take(TOGETHER);
    for (let n = 0; n < values.length; n++) act(begin + n, values[n]);
    if (values.length < TOGETHER) return;
  }
}

/**
 * Returns a function that calls `act` for the next values, as far as their places are before `end`. The column lists its
 * places. Reads the column.
 */
export function eachBefore<T>(column: Column<T>, act: (place: number, value: T) => void): (end: number) => void {
  if (column.at === undefined) throw new Error('a saved column has no places');
  const takePlaces = takeFrom(column.at);
  const takeValues = takeListed(column);
  let places: ArrayLike<number> = [];
  let values: ArrayLike<T> = [];
  let next = 0;
  return (end) => {
    for (;;) {
      for (; next < places.length && places[next] < end; next++) act(places[next], values[next]);
      if (next < places.length) return;
      places = takePlaces(TOGETHER);
      if (places.length === 0) return;
      values = takeValues(places.length);
      if (values.length < places.length) throw new Error('a saved column has more places than values');
      next = 0;
    }
  };
}

/** Returns a function that takes the listed values. */
export function takeListed<T>(column: Column<T>): Take<T> {
  if ('all' in column) return takeFrom(column.all);
  if ('steps' in column) return takeSums(column.steps) as Take<unknown> as Take<T>;
  const { of } = column;
  const take = takeFrom(column.which);
  const values: T[] = [];
  return (most) => {
    const which = take(most);
    values.length = which.length;
    for (let n = 0; n < which.length; n++) values[n] = of[which[n]];
    return values;
  };
}

function takeFrom<T>(values: Values<T>): Take<T> {
  if (values instanceof NumberList) {
    const room = new Float64Array(TOGETHER);
    return (most) => room.subarray(0, values.take(room.subarray(0, most))) as ArrayLike<unknown> as ArrayLike<T>;
  }
  let taken = 0;
  return (most) => {
    const some = values.slice(taken, taken + most);
    taken += some.length;
    return some;
  };
}

function takeSums(steps: Values<number>): Take<number> {
  const take = takeFrom(steps);
  const sums = new Float64Array(TOGETHER);
  let sum = 0;
  return (most) => {
    const some = take(most);
    for (let n = 0; n < some.length; n++) {
      sum += some[n];
      sums[n] = sum;
    }
    return sums.subarray(0, some.length);
  };
}
