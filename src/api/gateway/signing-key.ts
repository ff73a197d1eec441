/**
 * HMAC-SHA384 by RFC 2104, over the hash of OpenSSL. Two one-shot hashes take 0.66 of the time of `createHmac`, which
 * makes an object of OpenSSL for each message. A test compares the two.
 */
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

const ALGORITHM = 'sha384';
const BLOCK_BYTES = 128;
const DIGEST_BYTES = 48;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** A placement has some 200 bytes. Longer messages get a buffer of their length. */
const SCRATCH = Buffer.alloc(4096);
const OUTER = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
const DIGEST = Buffer.alloc(DIGEST_BYTES);

export class SigningKey {
  /** The first block of either hash. */
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(secret: Buffer) {
    const bytes = secret.length > BLOCK_BYTES ? hash(ALGORITHM, secret, 'buffer') : secret;
    this.#inner = padded(bytes, INNER_PAD);
    this.#outer = padded(bytes, OUTER_PAD);
  }

  /** The HMAC of the text as UTF-8, with the bytes behind it. It is valid until the next call on any key. */
  hmac(text: string, bytes: Uint8Array): Buffer {
    const most = BLOCK_BYTES + 3 * text.length + bytes.length;
    const message = most <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(most);
    message.set(this.#inner, 0);
    const textEnd = BLOCK_BYTES + message.write(text, BLOCK_BYTES, 'utf8');
    message.set(bytes, textEnd);
    // Digests as text, because making a buffer for each takes as long as hashing.
    const inner = hash(ALGORITHM, message.subarray(0, textEnd + bytes.length), 'binary');
    OUTER.set(this.#outer, 0);
    OUTER.write(inner, BLOCK_BYTES, 'binary');
    DIGEST.write(hash(ALGORITHM, OUTER, 'binary'), 0, 'binary');
    return DIGEST;
  }
}

function padded(secret: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  for (let i = 0; i < secret.length; i++) block[i] ^= secret[i];
  return block;
}
