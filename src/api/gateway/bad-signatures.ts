/**
 * Counts bad signatures by address: after LIMIT within a minute, what does not verify is refused from there until the
 * minute is over. What verifies is served, so that nobody locks out a neighbour behind the same address. Never by key, or
 * anyone could lock a key's owner out. By elapsed time, which nobody sets. At most ADDRESSES are held; beyond, the oldest minute is forgotten.
 */
import { sourceOf } from '../../config/addresses.ts';

const LIMIT = 100;
const MINUTE_MS = 60_000;
const ADDRESSES = 10_000;

export class BadSignatures {
  readonly #minutes = new Map<string, { readonly endsAtMs: number; count: number }>();

  /** Seconds until the address may try again; 0: now. */
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
