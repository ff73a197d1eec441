/**
 * Feather, version 2, which is an Arrow file, by the package apache-arrow. The file is in memory while it is read, and one of
 * its batches is decompressed at a time: LZ4, freqtrade's and pandas' default, by lz4.ts, ZSTD by Node.
 */
import { readFile } from 'node:fs/promises';
import { zstdDecompressSync } from 'node:zlib';
import { lz4Frame, MOST_BYTES } from './lz4.ts';
import type { Table } from './table.ts';

interface Column extends Iterable<unknown> {
  readonly type: { readonly typeId: number };
  readonly data: readonly { readonly values: ArrayLike<bigint> }[];
}

interface Batch {
  getChildAt(index: number): Column | null;
}

/** What is used of the package. */
interface Arrow {
  readonly Type: { readonly Timestamp: number };
  readonly CompressionType: { readonly LZ4_FRAME: number; readonly ZSTD: number };
  readonly compressionRegistry: {
    set(type: number, codec: { decode: (data: Uint8Array) => Uint8Array }): void;
  };
  readonly RecordBatchReader: {
    from(file: Uint8Array): Iterable<Batch> & {
      open(): unknown;
      readonly schema: { readonly fields: readonly { readonly name: string }[] };
    };
  };
}

export async function featherTable(path: string, reader: unknown): Promise<Table> {
  const { Type, CompressionType, compressionRegistry, RecordBatchReader } = reader as Arrow;
  compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: lz4Frame });
  compressionRegistry.set(CompressionType.ZSTD, {
    decode: (data) => zstdDecompressSync(data, { maxOutputLength: MOST_BYTES }),
  });
  const file = await readFile(path);
  const open = () => {
    const batches = RecordBatchReader.from(file);
    batches.open();
    return batches;
  };
  const columns = open().schema.fields.map(({ name }) => name);
  return {
    columns,
    async *pieces() {
      for (const batch of open()) {
        yield columns.map((_, i) => {
          const column = batch.getChildAt(i) as Column;
          const values = Array.from(column);
          if (column.type.typeId !== Type.Timestamp) return values;
          // The package gives milliseconds: here is the exact number, in the unit of the column.
          return values.map((value, row) => (value === null ? null : column.data[0].values[row]));
        });
      }
    },
  };
}
