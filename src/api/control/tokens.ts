/**
 * The tokens of the control surface and what they may do. Only digests are kept, so neither the file nor a copy of it
 * opens anything. A token is 24 random bytes, so its SHA-256 cannot be guessed.
 *
 * Invariants:
 * - A scope includes those before it: `read` looks, `test` also moves time, prices, faults and whole states, `admin`
 *   does everything. The token of the start is `admin`, and is neither listed nor revoked here.
 * - A created or revoked token is durable before it counts: `save` throws, or the change is on disk.
 * - Checking a token takes the same time for every token, right or wrong.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

export const SCOPES = ['read', 'test', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What messages call the token of the start. */
export const START_TOKEN = 'control-token';
export const MOST_TOKENS = 100;
const TOKEN_BYTES = 24;

/** A token as it is kept: its SHA-256, 64 hex digits, never itself. */
export interface KeptToken {
  readonly name: string;
  readonly scope: Scope;
  readonly sha256: string;
  /** Epoch ms. */
  readonly createdMs: number;
}

/** True: it has this form. For what a file holds. */
export function isKeptToken(value: unknown): value is KeptToken {
  const { name, scope, sha256, createdMs } = (value ?? {}) as Partial<Record<keyof KeptToken, unknown>>;
  return (
    typeof name === 'string' &&
    SCOPES.some((known) => known === scope) &&
    /^[0-9a-f]{64}$/.test(String(sha256)) &&
    Number.isSafeInteger(createdMs)
  );
}

/** Who calls. */
export interface Caller {
  /** Of the token, also for a session of the page. */
  readonly name: string;
  readonly isSession?: true;
  readonly scope: Scope;
}

export interface ControlTokensOptions {
  /** The token of the start, in clear. */
  readonly start: string;
  readonly kept: readonly KeptToken[];
  /** Keeps the tokens, and returns when they are durable. */
  readonly save: (tokens: readonly KeptToken[]) => void;
  /** The machine's clock. */
  readonly wallMs: () => number;
}

export class ControlTokens {
  readonly #start: KeptToken;
  readonly #save: ControlTokensOptions['save'];
  readonly #wallMs: () => number;
  #kept: readonly KeptToken[];

  constructor({ start, kept, save, wallMs }: ControlTokensOptions) {
    this.#start = { name: START_TOKEN, scope: 'admin', sha256: digestOf(start), createdMs: wallMs() };
    this.#kept = kept;
    this.#save = save;
    this.#wallMs = wallMs;
  }

  /** Null: no such token. */
  callerOf(token: string): Caller | null {
    const given = Buffer.from(digestOf(token), 'hex');
    let found: Caller | null = null;
    for (const kept of [this.#start, ...this.#kept]) {
      if (timingSafeEqual(given, Buffer.from(kept.sha256, 'hex'))) found = kept;
    }
    return found;
  }

  /** Whether a caller that `callerOf` returned is still known. */
  holds(caller: Caller): boolean {
    return caller === this.#start || this.#kept.some((kept) => kept === caller);
  }

  /** In the order in which they were created. */
  get list(): readonly KeptToken[] {
    return this.#kept;
  }

  get isFull(): boolean {
    return this.#kept.length >= MOST_TOKENS;
  }

  has(name: string): boolean {
    return name === START_TOKEN || this.#kept.some((kept) => kept.name === name);
  }

  /** Returns the token. Nothing else ever has it. The name must be new. */
  create(name: string, scope: Scope): string {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    this.#keep([...this.#kept, { name, scope, sha256: digestOf(token), createdMs: this.#wallMs() }]);
    return token;
  }

  /** False: there is no such token. */
  revoke(name: string): boolean {
    const others = this.#kept.filter((kept) => kept.name !== name);
    if (others.length === this.#kept.length) return false;
    this.#keep(others);
    return true;
  }

  #keep(tokens: readonly KeptToken[]): void {
    this.#save(tokens);
    this.#kept = tokens;
  }
}

function digestOf(token: string): string {
  return hash('sha256', token, 'hex');
}
