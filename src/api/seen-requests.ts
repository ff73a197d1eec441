/**
 * Which signed requests were made before, for as long as their nonces are inside the window.
 *
 * A request is known by 64 bits of its signature, mixed with method and target (the query is not signed). Signatures
 * are HMACs, so nobody without the secret can aim at a collision, and by chance one in 10^13 requests meets one. The
 * marks lie in typed open-addressing tables, one for each ten seconds of nonces, dropped as a whole when the window has
 * passed them: no object a request, nothing for the garbage collector, and at most LIMIT marks.
 */
const SPAN_MS = 10_000;
const LIMIT = 4_000_000;
const FIRST_SLOTS = 1024;

class MarkSet {
  count = 0;
  #slots = new Uint32Array(2 * FIRST_SLOTS);

  /** False when the mark was there already. */
  add(high: number, low: number): boolean {
    if (2 * (this.count + 1) > this.#slots.length / 2) this.#grow();
    if (!this.#put(high, low)) return false;
    this.count++;
    return true;
  }

  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const there = slots[2 * at];
      if (there === 0) {
        slots[2 * at] = high;
        slots[2 * at + 1] = low;
        return true;
      }
      if (there === high && slots[2 * at + 1] === low) return false;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let i = 0; i < old.length; i += 2) if (old[i] !== 0) this.#put(old[i], old[i + 1]);
  }
}

export class SeenRequests {
  readonly #windowMs: number;
  readonly #spans = new Map<number, MarkSet>();
  #total = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Whether there is room for one more mark. */
  get full(): boolean {
    return this.#total >= LIMIT;
  }

  /** Remembers a request; false when it was made before. `nonceMs` must be inside the window of `nowMs`. */
  add(nonceMs: number, nowMs: number, signature: Buffer, method: string, target: string): boolean {
    const span = Math.floor(nonceMs / SPAN_MS);
    let marks = this.#spans.get(span);
    if (marks === undefined) {
      this.#dropOld(nowMs);
      marks = new MarkSet();
      this.#spans.set(span, marks);
    }
    const mixed = mix(mix(0x811c9dc5, method), target);
    // 0 marks an empty slot, so the first word is never 0.
    const added = marks.add((signature.readUInt32LE(0) ^ mixed) >>> 0 || 1, signature.readUInt32LE(4));
    if (added) this.#total++;
    return added;
  }

  #dropOld(nowMs: number): void {
    for (const [span, marks] of this.#spans) {
      if ((span + 1) * SPAN_MS + this.#windowMs >= nowMs) continue;
      this.#spans.delete(span);
      this.#total -= marks.count;
    }
  }
}

/** FNV-1a over UTF-16 units. */
function mix(seed: number, text: string): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
