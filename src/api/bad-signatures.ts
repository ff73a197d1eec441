/**
 * Counts bad signatures by address: after LIMIT within a minute, what does not verify is refused from there until the
 * minute is over. What verifies is served, so that nobody locks out a neighbour behind the same address. Never by key, or
 * anyone could lock a key's owner out. At most ADDRESSES are held; beyond, the oldest minute is forgotten.
 */
const LIMIT = 100;
const MINUTE_MS = 60_000;
const ADDRESSES = 10_000;

export class BadSignatures {
  readonly #minutes = new Map<string, { readonly endsAtMs: number; count: number }>();

  /** Seconds until the address may try again; 0: now. */
  blockedSeconds(address: string, nowMs: number): number {
    if (this.#minutes.size === 0) return 0;
    const minute = this.#minutes.get(source(address));
    if (minute === undefined || minute.count < LIMIT || nowMs >= minute.endsAtMs) return 0;
    return Math.ceil((minute.endsAtMs - nowMs) / 1000);
  }

  count(address: string, nowMs: number): void {
    const from = source(address);
    const minute = this.#minutes.get(from);
    if (minute !== undefined && nowMs < minute.endsAtMs) {
      minute.count++;
      return;
    }
    this.#minutes.delete(from);
    if (this.#minutes.size >= ADDRESSES) this.#minutes.delete(this.#minutes.keys().next().value as string);
    this.#minutes.set(from, { endsAtMs: nowMs + MINUTE_MS, count: 1 });
  }
}

/** One host owns a whole IPv6 /64, so that is what counts as its address. */
function source(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head, tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? 0 : tail.split(':').length;
    for (let i = groups.length + rest; i < 8; i++) groups.push('0');
    if (tail !== '') groups.push(...tail.split(':'));
  }
  return groups.slice(0, 4).join(':');
}
