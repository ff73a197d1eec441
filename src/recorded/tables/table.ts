/** A table of columns, as its reader gives it. */

/** Columns by name, then rows in pieces, column by column. */
export interface Table {
  readonly columns: readonly string[];
  pieces(): AsyncIterable<readonly ArrayLike<unknown>[]>;
}
