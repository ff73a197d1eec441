/**
 * Seals the secrets of API keys under the master key before they enter a command, so that neither log nor snapshot ever
 * holds a secret in the clear, and opens them to check signatures.
 *
 * A sealed secret is "v1." and base64url of nonce (12 bytes), tag (16) and ciphertext of AES-256-GCM. The version is
 * authenticated too. The nonce is derived from key and secret, so a secret has one sealed form: sealed secrets are
 * venue state, and venues with the same input have the same state hash. No nonce is used for two plaintexts.
 * Invariant: `open` returns exactly what was sealed under this master key, or throws. Cost: one decryption per key
 * while it is in use. After that, a Map look-up.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const VERSION = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How many signing keys are kept in memory. Beyond that, all are dropped, and return when they are used. */
const CACHE_LIMIT = 100_000;

/** The sealed text was changed, or was sealed under another master key. */
export class SealBroken extends Error {
  override name = 'SealBroken';
}

export class Keyring {
  readonly #master: KeyObject;
  readonly #ready = new Map<string, KeyObject>();

  /** `master`: 32 bytes as 64 hex digits. Absent: a temporary key, for venues with a log in memory. */
  constructor(master?: string) {
    if (master !== undefined && !/^[0-9a-fA-F]{64}$/.test(master)) {
      throw new RangeError('a master key is 64 hex digits (32 bytes)');
    }
    this.#master = createSecretKey(master === undefined ? randomBytes(32) : Buffer.from(master, 'hex'));
  }

  seal(secret: string): string {
    const nonce = createHmac('sha256', this.#master).update(`nonce of ${secret}`).digest().subarray(0, NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#master, nonce).setAAD(Buffer.from(VERSION));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
  }

  open(sealed: string): string {
    if (!sealed.startsWith(VERSION)) throw new SealBroken('the sealed secret has an unknown version');
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
    const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#master, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(VERSION)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new SealBroken('a sealed secret does not open under this master key', { cause });
    }
  }

  /** The secret as an HMAC key. */
  signingKey(sealed: string): KeyObject {
    let key = this.#ready.get(sealed);
    if (key === undefined) {
      if (this.#ready.size >= CACHE_LIMIT) this.#ready.clear();
      key = createSecretKey(Buffer.from(this.open(sealed), 'utf8'));
      this.#ready.set(sealed, key);
    }
    return key;
  }
}
