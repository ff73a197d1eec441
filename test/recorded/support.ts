/** Made-up files for the readers of recorded markets: as text, gzip, zstd or zip, in a folder that a test removes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import type { MarketEvent } from '../../src/recorded/events.ts';
import { openRecording, type Recording, type RecordingOptions } from '../../src/recorded/file.ts';

export const FILES = fileURLToPath(new URL('files', import.meta.url));
export const recorded = (name: string) => join(FILES, name);

/** A folder for the files of a test. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'bourse-recorded-'));

  /** Writes a file and returns its path. */
  write(name: string, content: string | Buffer): string {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** The same text as it is, as gzip, and as the only file of two kinds of zip archive. */
  writeAll(name: string, content: string): string[] {
    return [
      this.write(name, content),
      this.write(`${name}.gz`, gzipSync(content)),
      this.write(`${name}.zip`, zip([{ name, content }])),
      this.write(`${name}.stored.zip`, zip([{ name, content, stored: true }])),
      this.write(`${name}.64.zip`, zip([{ name, content, zip64: true }])),
    ];
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

export interface ZipEntry {
  readonly name: string;
  readonly content: string;
  readonly stored?: boolean;
  /** Sizes and places in 64 bits, as archives above 4 GB have them. */
  readonly zip64?: boolean;
  readonly encrypted?: boolean;
}

/** A zip archive. */
export function zip(entries: readonly ZipEntry[], comment = ''): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, stored = false, zip64 = false, encrypted = false } of entries) {
    const bytes = Buffer.from(content);
    const data = stored ? bytes : deflateRawSync(bytes);
    const head = (length: number, signature: number) => {
      const buffer = Buffer.alloc(length);
      buffer.writeUInt32LE(signature, 0);
      return buffer;
    };
    const local = head(30, 0x04034b50);
    local.writeUInt16LE(name.length, 26);
    parts.push(local, Buffer.from(name), data);
    const extra = Buffer.alloc(zip64 ? 28 : 0);
    if (zip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(bytes.length), 4);
      extra.writeBigUInt64LE(BigInt(data.length), 12);
      extra.writeBigUInt64LE(BigInt(at), 20);
    }
    const entry = head(46, 0x02014b50);
    entry.writeUInt16LE(encrypted ? 1 : 0, 8);
    entry.writeUInt16LE(stored ? 0 : 8, 10);
    entry.writeUInt32LE(crc32(bytes), 16);
    entry.writeUInt32LE(zip64 ? 0xffffffff : data.length, 20);
    entry.writeUInt32LE(zip64 ? 0xffffffff : bytes.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(zip64 ? 0xffffffff : at, 42);
    directory.push(entry, Buffer.from(name), extra);
    at += 30 + name.length + data.length;
  }
  const listing = Buffer.concat(directory);
  const wide = entries.some(({ zip64 }) => zip64);
  const end64 = Buffer.alloc(wide ? 76 : 0);
  if (wide) {
    end64.writeUInt32LE(0x06064b50, 0);
    end64.writeBigUInt64LE(BigInt(listing.length), 40);
    end64.writeBigUInt64LE(BigInt(at), 48);
    end64.writeUInt32LE(0x07064b50, 56);
    end64.writeBigUInt64LE(BigInt(at + listing.length), 64);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(wide ? 0xffffffff : listing.length, 12);
  end.writeUInt32LE(wide ? 0xffffffff : at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, listing, end64, end, Buffer.from(comment)]);
}

/** All events of a file. */
export async function eventsOf(path: string, options?: RecordingOptions): Promise<MarketEvent[]> {
  return (await read(path, options)).events;
}

/** All events of a file, and what the pass over it saw. */
export async function read(
  path: string,
  options?: RecordingOptions,
): Promise<{ recording: Recording; events: MarketEvent[] }> {
  const recording = await openRecording(path, options);
  const events: MarketEvent[] = [];
  for await (const batch of recording.batches()) events.push(...batch);
  return { recording, events };
}
