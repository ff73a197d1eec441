/**
 * The frame: one record (batch, start, seal, end of segment, or what is left out) as a whole number of 512-byte
 * sectors.
 *
 *     0 magic(4) · 4 length(4) · 8 format(2) · 10 kind(2) · 12 segment size(4) · 16 epoch(8) · 24 first seq(8)
 *     32 last seq(8) · 40 time ms(8) · 48 durable up to seq(8) · 56 hash of the previous frame(32)
 *     88 digest of the effects up to here(8) · 96 payload: one format byte, content, spaces up to the end
 *     length − 36 SHA-256 of all before it(32) · length − 4 end mark(4)
 *
 * All integers are little-endian. The digest covers all commands before the frame (venue/state/effects-digest.ts).
 * Zero: the writer did not know it. Frame format 1 has no digest, and its payload begins at 88. It is read, but no longer
 * written.
 *
 * The content is a JSON array in UTF-8 (payload format 1), or the commands of a batch, field by field (2, payload/encode.ts).
 * Batches were JSON once, and still are read.
 *
 * Invariants that recovery depends on (`torn.ts`):
 * - The hash covers every bit that is not constant.
 * - The header fits into one sector, which a disk writes whole or not at all.
 * - A payload has no zero byte, and magic and end mark have bytes that no payload has (0xFE, 0xFF). So no command can
 *   imitate a frame, and a sector that was never written (zeros) differs from a written one.
 *
 * Cost: one SHA-256 over the frame on write and on read, and at most 511 spaces per batch.
 */
import { hash } from 'node:crypto';
import type { EncodedCommands } from '../contract/command-log.ts';

export const SECTOR_BYTES = 512;
/** The largest frame. Recovery must know how far an unfinished one can reach. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** A frame without a payload takes one sector. */
export const EMPTY_FRAME_BYTES = SECTOR_BYTES;
export const MAGIC = Buffer.from([0x42, 0xff, 0x4c, 0xfe]);
export const END_MARK = Buffer.from([0xfe, 0x4c, 0xff, 0x42]);
/** The same as numbers: comparing them needs no call of native code. */
const [MAGIC_NUMBER, END_NUMBER] = [MAGIC.readUInt32LE(), END_MARK.readUInt32LE()];
export const TRAILER_BYTES = 36;

/** By frame format. */
const HEADER_BYTES = { 1: 88, 2: 96 } as const;
const DIGEST_AT = 88;
const DIGEST_BYTES = Buffer.alloc(8);
const HASH_BYTES = 32;
const FORMAT = 2;
const PAYLOAD_FORMATS = [1, 2] as const;
/** Fills up the last sector. */
export const FILLER = 0x20;
const NO_DIGEST = '0'.repeat(16);
const WORD = 2 ** 32;
const KINDS = ['start', 'batch', 'seal', 'next', 'poisoned', 'leftOut'] as const;
/** The previous hash in the first frame of a log. */
export const NO_HASH = '0'.repeat(2 * HASH_BYTES);

export interface FrameHeader {
  /**
   * `next` ends a segment: the log continues in the next one. `poisoned` names a command that is left out, `leftOut` a
   * timer.
   */
  readonly kind: (typeof KINDS)[number];
  /** The size of the segment file that holds the frame. A shorter file has lost something. */
  readonly segmentBytes: number;
  readonly epoch: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly timeMs: number;
  /** The last durable seq when this frame was written. It proves that no frame up to it is a torn tail. */
  readonly durableSeq: number;
  /** The hash of the previous frame, in lower-case hex. */
  readonly prevHash: string;
  /** The digest of the effects of all commands before this frame, 16 hex digits. Undefined: unknown. */
  readonly effects: string | undefined;
}

export interface Payload {
  readonly format: (typeof PAYLOAD_FORMATS)[number];
  /** Read back, it ends in the spaces that fill the last sector. */
  readonly bytes: Buffer;
}

export interface Frame extends FrameHeader {
  readonly length: number;
  /** In lower-case hex. */
  readonly hash: string;
  readonly payload: Payload;
}

/** A frame with its position and its bytes. */
export interface PlacedFrame {
  readonly segment: number;
  readonly offset: number;
  readonly frame: Frame;
  readonly bytes: Buffer;
}

/** The JSON array of the values. */
export function jsonPayload(...values: readonly object[]): Payload {
  return { format: 1, bytes: Buffer.from(JSON.stringify(values), 'utf8') };
}

export function commandsPayload({ bytes }: EncodedCommands): Payload {
  return { format: 2, bytes };
}

/** The length of a frame with that payload. */
export function frameLength({ bytes }: Payload): number {
  return Math.ceil((HEADER_BYTES[FORMAT] + 1 + bytes.length + TRAILER_BYTES) / SECTOR_BYTES) * SECTOR_BYTES;
}

/** @throws {RangeError} the payload is larger than a frame can hold */
export function encodeFrame(header: FrameHeader, payload: Payload): { bytes: Buffer; hash: string } {
  const length = frameLength(payload);
  if (length > MAX_FRAME_BYTES) throw new RangeError(`a batch of ${length} bytes is larger than ${MAX_FRAME_BYTES}`);
  const bytes = Buffer.allocUnsafe(length);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(length, 4);
  bytes.writeUInt16LE(FORMAT, 8);
  bytes.writeUInt16LE(KINDS.indexOf(header.kind) + 1, 10);
  bytes.writeUInt32LE(header.segmentBytes, 12);
  bytes.writeBigUInt64LE(BigInt(header.epoch), 16);
  bytes.writeBigUInt64LE(BigInt(header.firstSeq), 24);
  bytes.writeBigUInt64LE(BigInt(header.lastSeq), 32);
  bytes.writeBigInt64LE(BigInt(header.timeMs), 40);
  bytes.writeBigUInt64LE(BigInt(header.durableSeq), 48);
  bytes.write(header.prevHash, 56, 'hex');
  bytes.writeBigUInt64LE(BigInt(`0x${header.effects ?? NO_DIGEST}`), DIGEST_AT);
  const payloadAt = HEADER_BYTES[FORMAT];
  bytes[payloadAt] = payload.format;
  payload.bytes.copy(bytes, payloadAt + 1);
  bytes.fill(FILLER, payloadAt + 1 + payload.bytes.length, length - TRAILER_BYTES);
  const own = hash('sha256', bytes.subarray(0, length - TRAILER_BYTES), 'hex');
  bytes.write(own, length - TRAILER_BYTES, 'hex');
  END_MARK.copy(bytes, length - END_MARK.length);
  return { bytes, hash: own };
}

/** A frame with a matching hash, a frame of an unknown format, or no complete frame. */
export type Decoded = { frame: Frame } | { unsupported: string } | undefined;

/** Reads the frame at `offset`. Checks the frame itself, not its neighbours. */
export function decodeFrame(bytes: Buffer, offset: number): Decoded {
  if (offset + SECTOR_BYTES > bytes.length) return undefined;
  if (bytes.readUInt32LE(offset) !== MAGIC_NUMBER) return undefined;
  const length = bytes.readUInt32LE(offset + 4);
  if (!isFrameLength(length) || offset + length > bytes.length) return undefined;
  const at = bytes.subarray(offset, offset + length);
  if (at.readUInt32LE(length - END_MARK.length) !== END_NUMBER) return undefined;
  const stored = at.toString('hex', length - TRAILER_BYTES, length - END_MARK.length);
  if (stored !== hash('sha256', at.subarray(0, length - TRAILER_BYTES), 'hex')) return undefined;
  const format = at.readUInt16LE(8);
  if (format !== 1 && format !== FORMAT)
    return { unsupported: `frame format ${format}, this version knows 1 to ${FORMAT}` };
  const payloadAt = HEADER_BYTES[format];
  const kind = KINDS[at.readUInt16LE(10) - 1];
  if (kind === undefined) return { unsupported: `record kind ${at.readUInt16LE(10)}` };
  const payloadFormat = PAYLOAD_FORMATS.find((known) => known === at[payloadAt]);
  if (payloadFormat === undefined)
    return { unsupported: `payload format ${at[payloadAt]}, this version knows ${PAYLOAD_FORMATS.join(' and ')}` };
  return {
    frame: {
      kind,
      length,
      segmentBytes: at.readUInt32LE(12),
      epoch: numberAt(at, 16),
      firstSeq: numberAt(at, 24),
      lastSeq: numberAt(at, 32),
      timeMs: at.readUInt32LE(40) + at.readInt32LE(44) * WORD,
      durableSeq: numberAt(at, 48),
      prevHash: at.toString('hex', 56, 56 + HASH_BYTES),
      effects: format === 1 ? undefined : digestAt(at),
      hash: stored,
      payload: { format: payloadFormat, bytes: at.subarray(payloadAt + 1, length - TRAILER_BYTES) },
    },
  };
}

function digestAt(frame: Buffer): string | undefined {
  frame.copy(DIGEST_BYTES, 0, DIGEST_AT, DIGEST_AT + DIGEST_BYTES.length);
  const digest = DIGEST_BYTES.swap64().toString('hex');
  return digest === NO_DIGEST ? undefined : digest;
}

/** An unsigned number of 64 bits, which is below 2^53 in every frame that this code writes. */
function numberAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * WORD;
}

export function isFrameLength(length: number): boolean {
  return length >= EMPTY_FRAME_BYTES && length <= MAX_FRAME_BYTES && length % SECTOR_BYTES === 0;
}
