/**
 * Decompresses LZ4: frames, as Feather files have them, and single blocks, as Parquet files do. A block is a sequence of
 * literal bytes and of copies of what was decompressed before.
 */

const MAGIC = 0x184d2204;
const UNCOMPRESSED = 0x80000000;
const MIN_MATCH = 4;
/** More is damage: a column of a file has some megabytes. */
export const MOST_BYTES = 2 ** 30;

/** Bits of the frame's flags. */
const BLOCK_CHECKSUMS = 1 << 4;
const CONTENT_SIZE = 1 << 3;
const DICTIONARY = 1;

/** @throws {RangeError} the data is damaged */
export function lz4Frame(input: Uint8Array): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  if (input.length < 7 || view.getUint32(0, true) !== MAGIC) throw damaged();
  const flags = input[4];
  if (flags >> 6 !== 1 || (flags & DICTIONARY) !== 0) throw new RangeError('this kind of LZ4 frame is not read');
  const blockBytes = 1 << (8 + 2 * ((input[5] >> 4) & 7));
  let at = 7 + ((flags & CONTENT_SIZE) !== 0 ? 8 : 0);
  let out = new Uint8Array(Math.max(blockBytes, 4 * input.length));
  let length = 0;
  for (;;) {
    if (at + 4 > input.length) throw damaged();
    const header = view.getUint32(at, true);
    at += 4;
    if (header === 0) return out.subarray(0, length);
    const size = header & ~UNCOMPRESSED;
    if (at + size > input.length || size > blockBytes) throw damaged();
    out = withRoom(out, length + blockBytes);
    const block = input.subarray(at, at + size);
    if (header >= UNCOMPRESSED) {
      out.set(block, length);
      length += size;
    } else length = decompress(block, out, length);
    at += size + ((flags & BLOCK_CHECKSUMS) !== 0 ? 4 : 0);
  }
}

/** `length`: of what it becomes. @throws {RangeError} the data is damaged */
export function lz4Block(input: Uint8Array, length: number): Uint8Array {
  if (length > MOST_BYTES) throw damaged();
  const out = new Uint8Array(length);
  if (decompress(input, out, 0) !== length) throw damaged();
  return out;
}

function withRoom(out: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  if (needed <= out.length) return out;
  if (needed > MOST_BYTES) throw damaged();
  const larger = new Uint8Array(Math.max(needed, 2 * out.length));
  larger.set(out);
  return larger;
}

/** Decompresses a block to `out`, from `to` on. Returns where it ends. What is before `to` may be copied. */
function decompress(input: Uint8Array, out: Uint8Array, to: number): number {
  let at = 0;
  /** 15 means that bytes follow, which are added up to the first that is not 255. */
  const lengthFrom = (four: number) => {
    let length = four;
    if (four < 15) return length;
    for (let byte = 255; byte === 255; at += 1) {
      if (at >= input.length) throw damaged();
      byte = input[at];
      length += byte;
    }
    return length;
  };
  let end = to;
  while (at < input.length) {
    const token = input[at++];
    const literals = lengthFrom(token >> 4);
    if (at + literals > input.length || end + literals > out.length) throw damaged();
    out.set(input.subarray(at, at + literals), end);
    at += literals;
    end += literals;
    // The last sequence has no copy.
    if (at === input.length) return end;
    if (at + 2 > input.length) throw damaged();
    const back = input[at] | (input[at + 1] << 8);
    at += 2;
    const length = lengthFrom(token & 15) + MIN_MATCH;
    if (back === 0 || back > end || end + length > out.length) throw damaged();
    // What is copied may overlap with where it goes, which repeats it.
    for (let i = 0; i < length; i += 1) out[end + i] = out[end + i - back];
    end += length;
  }
  return end;
}

function damaged(): RangeError {
  return new RangeError('the LZ4 data is damaged');
}
