/**
 * Limits how many refused commands an account can add to the log. A command that the venue refuses because of its state
 * (no funds, no such order) is logged before the refusal is known, so each costs a few hundred bytes on disk.
 *
 * Each account has a bucket of `burst` refusals that refills at `perSecond`. While it is empty, the gateway refuses the
 * account's commands, and none reaches the log. Cancels are always accepted, because they reduce what an account can
 * lose. Refusals that were under way when the bucket became empty are charged later: in the long run no account has
 * more than `perSecond`.
 *
 * Cost: nothing for an account without refusals. Full buckets are forgotten.
 */

import type { RefusedCommandsLimit } from '../../config/gateway.ts';
import type { Command, CommandType } from '../../venue/contract/commands.ts';
import { ApiError } from './errors.ts';

const CANCELS: readonly CommandType[] = ['cancel', 'cancelAll', 'cancelAllAfter'];
/** With more buckets than this, full ones are dropped. */
const MOST_BUCKETS = 10_000;

export interface RefusedCommandsOptions {
  /** Time that never goes back. */
  readonly elapsedMs: () => number;
  /** Called for each command that the venue or this limit refused. `seq`: in the log. Null: it is not there. Must not throw. */
  readonly onRefused: (reason: string, seq: number | null) => void;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export class RefusedCommands {
  readonly #limit: RefusedCommandsLimit | 'off';
  readonly #options: RefusedCommandsOptions;
  readonly #buckets = new Map<number, Bucket>();

  constructor(limit: RefusedCommandsLimit | 'off', options: RefusedCommandsOptions) {
    this.#limit = limit;
    this.#options = options;
  }

  /** Call it before a command is submitted. @throws {ApiError} the account has had too many refusals */
  admit(account: number, { type }: Command): void {
    if (this.#limit === 'off' || CANCELS.includes(type)) return;
    const { perSecond } = this.#limit;
    const tokens = this.#filled(account, this.#limit)?.tokens ?? 1;
    if (tokens >= 1) return;
    this.#options.onRefused('tooManyRefused', null);
    const seconds = Math.ceil((1 - tokens) / perSecond);
    throw new ApiError('tooManyRefused', { seconds }, { retryAfterSeconds: seconds });
  }

  /** Counts a refused command of an account. `reason`: the venue's, or 'failed'. `seq`: in the log. */
  count(account: number, reason: string, seq: number): void {
    this.#options.onRefused(reason, seq);
    if (this.#limit === 'off') return;
    const { burst } = this.#limit;
    const bucket = this.#filled(account, this.#limit);
    if (bucket !== undefined) bucket.tokens -= 1;
    else this.#buckets.set(account, { tokens: burst - 1, atMs: this.#options.elapsedMs() });
    if (this.#buckets.size > MOST_BUCKETS) this.#forgetFull(this.#limit);
  }

  /** The account's bucket at this moment. Undefined: it is full. */
  #filled(account: number, { burst, perSecond }: RefusedCommandsLimit): Bucket | undefined {
    const bucket = this.#buckets.get(account);
    if (bucket === undefined) return undefined;
    const nowMs = this.#options.elapsedMs();
    bucket.tokens += ((nowMs - bucket.atMs) * perSecond) / 1000;
    bucket.atMs = nowMs;
    if (bucket.tokens < burst) return bucket;
    this.#buckets.delete(account);
    return undefined;
  }

  #forgetFull(limit: RefusedCommandsLimit): void {
    for (const account of this.#buckets.keys()) this.#filled(account, limit);
  }
}
