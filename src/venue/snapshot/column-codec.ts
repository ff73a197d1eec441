/**
 * Columns: the values of one field in many records, as plain data, in the shortest of four forms. They are used for
 * saved state, where parsing a list of a hundred thousand texts would take longer than everything else.
 *
 * Invariant: for each place `columnReader` returns what was `put` there, or the blank.
 */

const MOST_DIFFERENT = 256;

/**
 * The values, for all places or only for those in `at`. `all` lists them. `of` and `which` list a few different values,
 * and which of them each place has. `steps` lists differences of numbers to the previous one.
 */
export type Column<T> = { readonly at?: readonly number[] } & (
  | { readonly all: readonly T[] }
  | { readonly of: readonly T[]; readonly which: readonly number[] }
  | { readonly steps: readonly number[] }
);

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

/** Returns a function that reads the value at a place. */
export function columnReader(column: Column<unknown>, count: number, blank: unknown): (place: number) => unknown {
  if (column.at !== undefined) {
    const values = new Array(count).fill(blank);
    each(column, (i, value) => {
      values[i] = value;
    });
    return (place) => values[place];
  }
  if ('of' in column) {
    const { of, which } = column;
    return (place) => of[which[place]];
  }
  const values = 'steps' in column ? sumsOf(column.steps) : column.all;
  return (place) => values[place];
}

function sumsOf(steps: readonly number[]): Float64Array {
  const sums = new Float64Array(steps.length);
  let value = 0;
  for (let i = 0; i < steps.length; i++) {
    value += steps[i];
    sums[i] = value;
  }
  return sums;
}

/** Calls `act` for each value that is not blank, or for all of them, in order. */
export function each<T>(column: Column<T>, act: (i: number, value: T) => void): void {
  const { at } = column;
  const values = listed(column);
  for (let n = 0; n < values.length; n++) act(at === undefined ? n : at[n], values[n]);
}

function listed<T>(column: Column<T>): ArrayLike<T> {
  if ('all' in column) return column.all;
  return 'of' in column
    ? column.which.map((place) => column.of[place])
    : (sumsOf(column.steps) as ArrayLike<unknown> as ArrayLike<T>);
}
