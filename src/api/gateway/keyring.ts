/**
 * Seals the secrets of API keys under a master key before they enter a command, so that neither log nor snapshot ever
 * holds a secret in the clear, and opens them to check signatures.
 *
 * A sealed secret is "v1." and base64url of nonce (12 bytes), tag (16) and ciphertext of AES-256-GCM. The version is
 * authenticated too. The nonce is derived from key and secret, so a secret has one sealed form: sealed secrets are
 * venue state, and venues with the same input have the same state hash. No nonce is used for two plaintexts.
 * After a rotation there are several master keys. The newest seals, and every one opens what it has sealed, because the
 * log keeps the old seals for ever.
 *
 * Invariant: `open` returns exactly what was sealed under one of the master keys, or throws. Cost: one decryption per
 * master key tried, once per key while it is in use. After that, a Map look-up.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { SigningKey } from './signing-key.ts';

const VERSION = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How many signing keys are kept in memory. Beyond that, all are dropped, and return when they are used. */
const CACHE_LIMIT = 100_000;

/** The sealed text was changed, or none of the master keys sealed it. */
export class SealBroken extends Error {
  override name = 'SealBroken';
}

export type MasterOfSeal = 'present' | 'retired' | 'missing';

export class Keyring {
  /** The newest first. */
  readonly #masters: readonly KeyObject[];
  readonly #ready = new Map<string, SigningKey>();

  /**
   * `masters`: 32 bytes as 64 hex digits, the newest first. Without any: a temporary key, for venues with a log in
   * memory.
   */
  constructor(...masters: readonly string[]) {
    for (const master of masters) {
      if (!/^[0-9a-fA-F]{64}$/.test(master)) throw new RangeError('a master key is 64 hex digits (32 bytes)');
    }
    const bytes = masters.length === 0 ? [randomBytes(32)] : masters.map((master) => Buffer.from(master, 'hex'));
    this.#masters = bytes.map((each) => createSecretKey(each));
  }

  seal(secret: string): string {
    const [master] = this.#masters;
    const nonce = createHmac('sha256', master).update(`nonce of ${secret}`).digest().subarray(0, NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', master, nonce).setAAD(Buffer.from(VERSION));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
  }

  /** @throws {SealBroken} */
  open(sealed: string): string {
    if (!sealed.startsWith(VERSION)) throw new SealBroken('the sealed secret has an unknown version');
    let failure: unknown;
    for (const master of this.#masters) {
      try {
        return openedBy(master, sealed);
      } catch (error) {
        failure = error;
      }
    }
    throw new SealBroken('a sealed secret does not open under the master key', { cause: failure });
  }

  /** Which master key sealed it: the one that seals now, an earlier one, or one that is not here. */
  masterOf(sealed: string): MasterOfSeal {
    const at = this.#masters.findIndex((master) => {
      try {
        openedBy(master, sealed);
        return true;
      } catch {
        return false;
      }
    });
    return at < 0 ? 'missing' : at === 0 ? 'present' : 'retired';
  }

  /** Whether a master key, 64 hex digits, is the one that seals. */
  sealsBy(master: string): boolean {
    return this.#masters[0].equals(createSecretKey(Buffer.from(master, 'hex')));
  }

  /** The secret as an HMAC key. */
  signingKey(sealed: string): SigningKey {
    let key = this.#ready.get(sealed);
    if (key === undefined) {
      if (this.#ready.size >= CACHE_LIMIT) this.#ready.clear();
      key = new SigningKey(Buffer.from(this.open(sealed), 'utf8'));
      this.#ready.set(sealed, key);
    }
    return key;
  }
}

/** Throws if another key sealed it, or it was changed. */
function openedBy(master: KeyObject, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', master, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(VERSION)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}
