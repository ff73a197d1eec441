/**
 * Counts bad signatures by address. After LIMIT within a minute, further bad ones from there are refused until the
 * minute ends. Requests that verify are served, so nobody can lock out a neighbour behind the same address. It never
 * counts by key, because then anyone could lock out the owner of a key. Minutes are elapsed time, which nobody can set.
 * At most ADDRESSES are held. Beyond that, the oldest minute is forgotten.
 */

import { sourceOf } from '../../config/addresses.ts';
import { MINUTE_MS } from '../../config/times.ts';

const LIMIT = 100;
const ADDRESSES = 10_000;

export class BadSignatures {
  readonly #minutes = new Map<string, { readonly endsAtMs: number; count: number }>();

  /** Seconds until the address may try again. 0: now. */
  blockedSeconds(address: string, elapsedMs: number): number {
    if (this.#minutes.size === 0) return 0;
    const minute = this.#minutes.get(sourceOf(address));
    if (minute === undefined || minute.count < LIMIT || elapsedMs >= minute.endsAtMs) return 0;
    return Math.ceil((minute.endsAtMs - elapsedMs) / 1000);
  }

  count(address: string, elapsedMs: number): void {
    const from = sourceOf(address);
    const minute = this.#minutes.get(from);
    if (minute !== undefined && elapsedMs < minute.endsAtMs) {
      minute.count++;
      return;
    }
    this.#minutes.delete(from);
    if (this.#minutes.size >= ADDRESSES) this.#minutes.delete(this.#minutes.keys().next().value as string);
    this.#minutes.set(from, { endsAtMs: elapsedMs + MINUTE_MS, count: 1 });
  }
}
