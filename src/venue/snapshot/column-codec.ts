/**
 * Columns: the values that one field has in many records, as plain data, said in the shortest of four ways. For saved state,
 * where a list of a hundred thousand texts takes longer to parse than all else.
 *
 * Invariant: what `columnReader` gives for a place is what `put` was given for it, else the blank.
 */

const MOST_DIFFERENT = 256;

/**
 * Every value, or those that are not blank, with their places: listed; or, of few different ones, which it is; or, of
 * numbers, how far from the one before.
 */
export type Column<T> = { readonly at?: readonly number[] } & (
  | { readonly all: readonly T[] }
  | { readonly of: readonly T[]; readonly which: readonly number[] }
  | { readonly steps: readonly number[] }
);

/** Gathers what is not blank, and says it in the shorter way. */
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

  /** For each order in turn, or for some of them. */
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

/** Of text; anything else is listed. */
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

/** For large numbers near each other. */
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

/** What stands in a place. */
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
