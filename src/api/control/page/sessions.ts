/**
 * Who looks at the page. A link holds a code, which opens one session; the browser then has a cookie, which is neither
 * the code nor a control token. Both end with the process.
 *
 * Invariants:
 * - A code works once, within ten minutes.
 * - A session may do what the token may that asked for its link, and ends when that token is revoked.
 * - Only digests are kept.
 * - At most 100 codes and 1,000 sessions are known: a new one displaces the oldest.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Caller, ControlTokens, Scope } from '../tokens.ts';

export const CODE_MS = 600_000;
const MOST_CODES = 100;
const MOST_SESSIONS = 1000;
const SECRET_BYTES = 24;

export interface PageSessionsOptions {
  readonly tokens: Pick<ControlTokens, 'holds'>;
  /** Every session may only look, whatever its token may do. */
  readonly readOnly: boolean;
  readonly monotonicMs: () => number;
}

interface Code {
  readonly session: Session;
  readonly untilMs: number;
}

interface Session {
  /** The token that asked for the link. */
  readonly token: Caller;
  readonly caller: Caller;
}

export class PageSessions {
  readonly #options: PageSessionsOptions;
  /** By the digest of the code. */
  readonly #codes = new Map<string, Code>();
  /** By the digest of the cookie's value. */
  readonly #sessions = new Map<string, Session>();

  constructor(options: PageSessionsOptions) {
    this.#options = options;
  }

  /** A code for a link. `readOnly`: its session may only look. */
  newCode(token: Caller, readOnly: boolean): { readonly code: string; readonly scope: Scope } {
    const scope = readOnly || this.#options.readOnly ? 'read' : token.scope;
    const session: Session = { token, caller: { name: token.name, isSession: true, scope } };
    const untilMs = this.#options.monotonicMs() + CODE_MS;
    return { code: keep(this.#codes, MOST_CODES, { session, untilMs }), scope };
  }

  /** Spends a code. Returns the value of the new session's cookie, or null if the code opens nothing. */
  open(code: string): string | null {
    const digest = digestOf(code);
    const known = this.#codes.get(digest);
    this.#codes.delete(digest);
    if (known === undefined || known.untilMs < this.#options.monotonicMs()) return null;
    if (!this.#options.tokens.holds(known.session.token)) return null;
    return keep(this.#sessions, MOST_SESSIONS, known.session);
  }

  /** Null: there is no such session. */
  callerOf(cookie: string): Caller | null {
    const session = this.#sessions.get(digestOf(cookie));
    return session !== undefined && this.#options.tokens.holds(session.token) ? session.caller : null;
  }

  end(cookie: string): void {
    this.#sessions.delete(digestOf(cookie));
  }
}

/** Keeps an entry under the digest of a new secret, which it returns. */
function keep<Entry>(entries: Map<string, Entry>, most: number, entry: Entry): string {
  if (entries.size >= most) entries.delete(entries.keys().next().value as string);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  entries.set(digestOf(secret), entry);
  return secret;
}

function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}
