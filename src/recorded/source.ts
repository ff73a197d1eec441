/**
 * The text of a file, decompressed and streamed: plain, gzip, zstd, the one file of a zip archive, or a table of columns as if it
 * were CSV. What it is shows in its first bytes, whatever its name says. Damage and truncation are refused, never read as an end.
 */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, type Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { crc32, createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { RecordingRefused, RowProblem } from './refused.ts';
import { type TableKind, tableKind, textOfTable } from './tables/text-of-table.ts';
import { DEFLATED, type ZipMember, zipMember } from './zip.ts';

export type Compression = 'none' | 'gzip' | 'zip' | 'zstd';

const CHUNK = 1 << 18;

export interface Source {
  readonly path: string;
  /** Of the file in the archive, or of the file itself without the ending of its compression. */
  readonly name: string;
  readonly compression: Compression;
  /** It is no text, but a table of columns. */
  readonly table: TableKind | undefined;
  /** Bytes of the file itself. */
  readonly size: number;
  readonly member: ZipMember | undefined;
  /** The first bytes of the file itself. */
  readonly magic: Buffer;
}

/** Looks at a file. Throws RecordingRefused, or the error of the file system if it cannot be read. */
export async function openSource(path: string): Promise<Source> {
  // Before it is opened: the opening of a pipe waits for who writes into it.
  if (!(await stat(path)).isFile()) throw new RecordingRefused(path, 'this is not a file');
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const magic = Buffer.alloc(Math.min(8, size));
    await handle.read(magic, 0, magic.length, 0);
    const compression = compressionOf(magic);
    if (compression !== 'zip') {
      const name = compression === 'none' ? basename(path) : basename(path).replace(/\.(gz|zst|zstd)$/i, '');
      return { path, name, compression, table: tableKind(magic), size, member: undefined, magic };
    }
    const member = await zipMember(handle, path, size);
    return { path, name: basename(member.name), compression, table: undefined, size, member, magic };
  } finally {
    await handle.close();
  }
}

function compressionOf(magic: Buffer): Compression {
  const starts = (...bytes: number[]) => bytes.every((byte, i) => magic[i] === byte);
  if (starts(0x1f, 0x8b)) return 'gzip';
  if (starts(0x50, 0x4b, 0x03, 0x04)) return 'zip';
  if (starts(0x28, 0xb5, 0x2f, 0xfd)) return 'zstd';
  return 'none';
}

/**
 * The text of a source in chunks, from its beginning. `onBytes` gets how many bytes of the file itself have been read.
 * Throws RowProblem if the data is damaged.
 */
export async function* textOf(source: Source, onBytes?: (bytes: number) => void): AsyncGenerator<string> {
  const { path, member, table, size } = source;
  if (table !== undefined) {
    yield* textOfTable(path, table);
    onBytes?.(size);
    return;
  }
  const range = member === undefined ? {} : { start: member.start, end: member.start + member.compressedSize - 1 };
  if (member?.compressedSize === 0) return;
  const input = createReadStream(path, { ...range, highWaterMark: CHUNK });
  const transform = decompressor(source);
  const bytes = transform === undefined ? input : pipeline(input, transform, () => {});
  const decoder = new StringDecoder('utf8');
  const check = { crc: 0, size: 0 };
  let first = true;
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      if (member !== undefined) {
        check.crc = crc32(chunk, check.crc);
        check.size += chunk.length;
      }
      onBytes?.(input.bytesRead);
      let text = decoder.write(chunk);
      if (first && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
      first = false;
      yield text;
    }
  } catch (error) {
    throw new RowProblem(damage(error as NodeJS.ErrnoException, source));
  }
  if (member !== undefined && (check.size !== member.size || check.crc !== member.crc32)) {
    throw new RowProblem('the checksum of the zip archive does not fit: the file is damaged');
  }
  const rest = decoder.end();
  if (rest !== '') yield rest;
}

function decompressor({ compression, member }: Source): Transform | undefined {
  if (compression === 'gzip') return createGunzip({ chunkSize: CHUNK });
  if (compression === 'zstd') return createZstdDecompress({ chunkSize: CHUNK });
  return member?.method === DEFLATED ? createInflateRaw({ chunkSize: CHUNK }) : undefined;
}

/** Errors of zlib become a reason; others are passed on. */
function damage(error: NodeJS.ErrnoException, { compression }: Source): string {
  const { code = '', message } = error;
  if (code === 'Z_BUF_ERROR' || (code.startsWith('ZSTD') && message.includes('end of file'))) {
    return `the ${compression} data ends early: the file is truncated`;
  }
  if (/^(Z_|ZSTD)/.test(code)) return `the ${compression} data is damaged (${message})`;
  throw error;
}
