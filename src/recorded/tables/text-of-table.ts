/**
 * Tables of columns, Parquet and Feather, as the text of a CSV file with the names of the columns in its first line. So the
 * readers of rows need not know them. Each is read by a package that is not installed by default.
 *
 * Numbers of the file become their shortest decimals, times whole numbers of their unit, and nothing an empty cell.
 */
import { RecordingRefused, RowProblem, shown } from '../refused.ts';
import { featherTable } from './feather.ts';
import { parquetTable } from './parquet.ts';

export type TableKind = keyof typeof KINDS;

/** `package`: what reads it. */
const KINDS = {
  Parquet: { magic: 'PAR1', package: 'hyparquet', open: parquetTable },
  Feather: { magic: 'ARROW1', package: 'apache-arrow', open: featherTable },
} as const;

/** What the first bytes of a file say. Undefined: it is no table. */
export function tableKind(magic: Buffer): TableKind | undefined {
  const text = magic.toString('latin1');
  return (Object.keys(KINDS) as TableKind[]).find((kind) => text.startsWith(KINDS[kind].magic));
}

/** Throws RecordingRefused if the package is missing or cannot read the file, RowProblem for a cell that no row can have. */
export async function* textOfTable(path: string, kind: TableKind): AsyncGenerator<string> {
  const { open } = KINDS[kind];
  try {
    const { columns, pieces } = await open(path, await packageFor(path, kind));
    yield `${columns.map(cellText).join(',')}\n`;
    for await (const piece of pieces()) yield linesOf(piece);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The file system's own errors say what is wrong with the file.
    if (error instanceof RecordingRefused || error instanceof RowProblem || code === 'EACCES') throw error;
    throw new RecordingRefused(path, `the ${kind} file is damaged, or of a kind that is not read (${message})`);
  }
}

async function packageFor(path: string, kind: TableKind): Promise<unknown> {
  const { package: name } = KINDS[kind];
  try {
    return await import(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new RecordingRefused(
      path,
      `this is ${kind}, which the package ${name} reads: npm install ${name}. It is not installed with bourse`,
    );
  }
}

function linesOf(columns: readonly ArrayLike<unknown>[]): string {
  const count = columns.at(0)?.length ?? 0;
  let text = '';
  for (let row = 0; row < count; row += 1) {
    for (let i = 0; i < columns.length; i += 1) text += (i === 0 ? '' : ',') + cellText(columns[i][row]);
    text += '\n';
  }
  return text;
}

function cellText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  const text = String(value);
  if (/[",\r\n]/.test(text) || typeof value === 'object')
    throw new RowProblem(`a cell is ${shown(text)}, which no row can have`);
  return text;
}
