/** Parquet by the package hyparquet, one group of rows at a time. What it compresses is decompressed by Node, and by lz4.ts. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { lz4Block, MOST_BYTES } from './lz4.ts';
import type { Table } from './table.ts';

/** What is used of the package. */
interface Hyparquet {
  asyncBufferFromFile(path: string): Promise<unknown>;
  parquetMetadataAsync(file: unknown): Promise<Metadata>;
  parquetRead(options: {
    file: unknown;
    metadata: Metadata;
    columns: readonly [string];
    rowStart: number;
    rowEnd: number;
    compressors: Record<string, (input: Uint8Array, length: number) => Uint8Array>;
    parsers: Record<string, (value: bigint) => string>;
    onComplete: (rows: readonly (readonly [unknown])[]) => void;
  }): Promise<void>;
  parquetSchema(metadata: Metadata): { children: readonly { element: { name: string } }[] };
}

interface Metadata {
  readonly row_groups: readonly {
    readonly num_rows: bigint;
    readonly columns: readonly { readonly meta_data?: { readonly num_values: bigint } }[];
  }[];
}

/** Of a group, which is in memory while it is read. */
const MOST_ROWS = 2 ** 24;
const LIMIT = { maxOutputLength: MOST_BYTES };

/** Snappy is in the package. */
const COMPRESSORS = {
  GZIP: (input: Uint8Array) => gunzipSync(input, LIMIT),
  BROTLI: (input: Uint8Array) => brotliDecompressSync(input, LIMIT),
  ZSTD: (input: Uint8Array) => zstdDecompressSync(input, LIMIT),
  LZ4_RAW: lz4Block,
};

/** Exact, in the unit of the column: its magnitude shows which one it is. */
const PARSERS = {
  timestampFromMilliseconds: String,
  timestampFromMicroseconds: String,
  timestampFromNanoseconds: String,
};

const READ = { compressors: COMPRESSORS, parsers: PARSERS };

export async function parquetTable(path: string, reader: unknown): Promise<Table> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetRead, parquetSchema } = reader as Hyparquet;
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  return {
    columns,
    async *pieces() {
      let rowStart = 0;
      for (const { num_rows, columns: chunks } of metadata.row_groups) {
        // The package makes as many rows as the file says.
        if (num_rows > MOST_ROWS || chunks.some(({ meta_data }) => meta_data?.num_values !== num_rows)) {
          throw new RangeError(`a group of ${num_rows} rows has columns of another length, or is too large`);
        }
        const range = { rowStart, rowEnd: rowStart + Number(num_rows) };
        const piece: unknown[][] = [];
        for (const name of columns) {
          // One by one: of several that are damaged, the package rejects some promises that nobody can await.
          const onComplete = (rows: readonly (readonly [unknown])[]) => {
            piece.push(rows.map(([value]) => value));
          };
          await parquetRead({ ...READ, file, metadata, ...range, columns: [name], onComplete });
        }
        yield piece;
        rowStart = range.rowEnd;
      }
    },
  };
}
