/** Tables for a terminal: columns as wide as their widest cell, numbers to the right. */
import { inColumns } from './output.ts';

export interface Column {
  readonly title: string;
  /** For numbers. */
  readonly right?: boolean;
}

/** A column of text. */
export const left = (title: string): Column => ({ title });
/** A column of numbers. */
export const right = (title: string): Column => ({ title, right: true });

const GAP = '  ';

/** Lines without the last line break. Without rows, one line says so. */
export function tableText(columns: readonly Column[], rows: readonly (readonly string[])[], none = 'none'): string {
  if (rows.length === 0) return none;
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => row.map(inColumns))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (columns[i].right === true ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join(GAP);
  return cells.map((row) => line(row).trimEnd()).join('\n');
}
