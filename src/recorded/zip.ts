/**
 * The one file in a zip archive, from its central directory. ZIP64 is read, encryption and several files are refused.
 * The directory is small, and only the end of the archive is searched for it; the file itself is streamed by the caller.
 */
import type { FileHandle } from 'node:fs/promises';
import { RecordingRefused } from './refused.ts';

const END = 0x06054b50;
const END_LENGTH = 22;
const END64 = 0x06064b50;
const END64_LOCATOR = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const LOCAL_LENGTH = 30;
const MAX_COMMENT = 65_535;
const MAX_DIRECTORY = 1 << 20;
const IN_ZIP64 = 0xffffffff;

export const STORED = 0;
export const DEFLATED = 8;

export interface ZipMember {
  readonly name: string;
  readonly method: typeof STORED | typeof DEFLATED;
  readonly crc32: number;
  /** Where its data is in the archive, and how long that is. */
  readonly start: number;
  readonly compressedSize: number;
  readonly size: number;
}

/** Finds the only file of an archive. Throws RecordingRefused if there are others, or if the archive is damaged. */
export async function zipMember(handle: FileHandle, path: string, archiveSize: number): Promise<ZipMember> {
  const refuse = (reason: string) => new RecordingRefused(path, reason);
  const read = async (at: number, length: number): Promise<Buffer> => {
    if (at < 0 || length < 0 || at + length > archiveSize) throw refuse('the zip archive is damaged');
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, at);
    if (bytesRead < length) throw refuse('the zip archive ends early: it is truncated');
    return buffer;
  };
  const tailLength = Math.min(archiveSize, END_LENGTH + MAX_COMMENT);
  const tail = await read(archiveSize - tailLength, tailLength);
  const end = endOf(tail);
  if (end === undefined) throw refuse('the zip archive has no directory at its end: it is truncated');
  let length = tail.readUInt32LE(end + 12);
  let at = tail.readUInt32LE(end + 16);
  if (length === IN_ZIP64 || at === IN_ZIP64) {
    if (end < 20 || tail.readUInt32LE(end - 20) !== END64_LOCATOR) throw refuse('the zip archive is damaged');
    const end64 = await read(Number(tail.readBigUInt64LE(end - 12)), 56);
    if (end64.readUInt32LE(0) !== END64) throw refuse('the zip archive is damaged');
    length = Number(end64.readBigUInt64LE(40));
    at = Number(end64.readBigUInt64LE(48));
  }
  if (length > MAX_DIRECTORY) throw refuse('the zip archive has too many files: give one file each');

  const members = membersOf(await read(at, length), refuse).filter(({ name }) => !name.endsWith('/'));
  if (members.length !== 1) {
    const names = members.slice(0, 3).map(({ name }) => name);
    throw refuse(`the zip archive has ${members.length} files, and one is needed (${names.join(', ')})`);
  }
  const [member] = members;
  if (member.encrypted) throw refuse('the zip archive is encrypted');
  const { method } = member;
  if (method !== STORED && method !== DEFLATED) throw refuse(`the zip archive uses compression ${method}: use deflate`);
  // Deflated data has at least two bytes, and stored data is the file itself.
  const { size: whole, compressedSize: kept } = member;
  if (method === DEFLATED ? kept === 0 : kept !== whole) throw refuse('the zip archive is damaged');
  const local = await read(member.localAt, LOCAL_LENGTH);
  if (local.readUInt32LE(0) !== LOCAL) throw refuse('the zip archive is damaged');
  const start = member.localAt + LOCAL_LENGTH + local.readUInt16LE(26) + local.readUInt16LE(28);
  if (start + member.compressedSize > archiveSize) throw refuse('the zip archive is damaged');
  const { name, crc32, compressedSize, size } = member;
  return { name, method, crc32, start, compressedSize, size };
}

/** Where the end record is, or undefined. The archive's comment may follow it. */
function endOf(tail: Buffer): number | undefined {
  for (let i = tail.length - END_LENGTH; i >= 0; i--) {
    if (tail.readUInt32LE(i) === END && i + END_LENGTH + tail.readUInt16LE(i + 20) === tail.length) return i;
  }
  return undefined;
}

interface DirectoryEntry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly localAt: number;
}

function membersOf(directory: Buffer, refuse: (reason: string) => RecordingRefused): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  let at = 0;
  try {
    while (at < directory.length) {
      if (directory.readUInt32LE(at) !== ENTRY) throw new RangeError('no entry');
      const nameLength = directory.readUInt16LE(at + 28);
      const extraLength = directory.readUInt16LE(at + 30);
      const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
      const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
      const wide = wideFields(extra);
      const field = (offset: number): number => {
        const value = directory.readUInt32LE(at + offset);
        return value === IN_ZIP64 ? (wide.shift() ?? value) : value;
      };
      // The extra field has the wide values in this order, and only those that did not fit.
      const size = field(24);
      const compressedSize = field(20);
      const localAt = field(42);
      entries.push({
        name,
        method: directory.readUInt16LE(at + 10),
        encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
        crc32: directory.readUInt32LE(at + 16),
        compressedSize,
        size,
        localAt,
      });
      at += 46 + nameLength + extraLength + directory.readUInt16LE(at + 32);
    }
  } catch (error) {
    if (error instanceof RangeError) throw refuse('the zip archive is damaged');
    throw error;
  }
  return entries;
}

/** The 64-bit values of a ZIP64 extra field. */
function wideFields(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) {
      const count = Math.min(3, Math.floor(length / 8));
      return Array.from({ length: count }, (_, i) => Number(extra.readBigUInt64LE(at + 4 + 8 * i)));
    }
    at += 4 + length;
  }
  return [];
}
