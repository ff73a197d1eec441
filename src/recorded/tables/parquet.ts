/** Parquet by the package hyparquet, one group of rows at a time. What it compresses is decompressed by Node, and by lz4.ts. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { lz4Block } from './lz4.ts';
import type { Table } from './table.ts';

/** What is used of the package. */
interface Hyparquet {
  asyncBufferFromFile(path: string): Promise<unknown>;
  parquetMetadataAsync(file: unknown): Promise<Metadata>;
  parquetRead(options: {
    file: unknown;
    metadata: Metadata;
    rowStart: number;
    rowEnd: number;
    compressors: Record<string, (input: Uint8Array, length: number) => Uint8Array>;
    parsers: Record<string, (value: bigint) => string>;
    onComplete: (rows: readonly (readonly unknown[])[]) => void;
  }): Promise<void>;
  parquetSchema(metadata: Metadata): { children: readonly { element: { name: string } }[] };
}

interface Metadata {
  readonly row_groups: readonly { readonly num_rows: bigint }[];
}

/** Snappy is in the package. */
const COMPRESSORS = {
  GZIP: (input: Uint8Array) => gunzipSync(input),
  BROTLI: (input: Uint8Array) => brotliDecompressSync(input),
  ZSTD: (input: Uint8Array) => zstdDecompressSync(input),
  LZ4_RAW: lz4Block,
};

/** Exact, in the unit of the column: its magnitude shows which one it is. */
const PARSERS = {
  timestampFromMilliseconds: String,
  timestampFromMicroseconds: String,
  timestampFromNanoseconds: String,
};

export async function parquetTable(path: string, reader: unknown): Promise<Table> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetRead, parquetSchema } = reader as Hyparquet;
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  return {
    columns,
    async *pieces() {
      let rowStart = 0;
      for (const { num_rows } of metadata.row_groups) {
        const rowEnd = rowStart + Number(num_rows);
        let rows: readonly (readonly unknown[])[] = [];
        const onComplete = (read: typeof rows) => {
          rows = read;
        };
        await parquetRead({ file, metadata, rowStart, rowEnd, compressors: COMPRESSORS, parsers: PARSERS, onComplete });
        yield columns.map((_, i) => rows.map((row) => row[i]));
        rowStart = rowEnd;
      }
    },
  };
}
