/**
 * Remembers signed requests, so that none is accepted twice and no signature serves two methods.
 *
 * Invariants:
 * - A mark lives for at least `lifeMs` of elapsed time, whatever the machine's clock does. When it ends, its nonce
 *   becomes the floor of its key: nothing at or below a floor is accepted. So a signature is never valid again.
 * - A signature belongs to the first method and path that it arrived with. The method is not signed, and the `/spot` or
 *   `/futures` of the path is not.
 * - At most LIMIT marks are held. Expired marks are dropped before anything is refused for lack of space.
 *
 * A request is identified by 64 bits of its signature. Signatures are HMACs, so nobody without the secret can aim at a
 * collision. By chance one request in 10^13 meets one.
 *
 * Cost: marks are in typed open-addressing tables, one for the nonces of each eighth of a life. A signature covers its
 * nonce, so a request is looked up in one table, and leaves nothing for the garbage collector. A table is dropped whole
 * when its last mark ends: with nonces near the time, after a life and an eighth.
 */
const SPANS = 8;
const LIMIT = 4_000_000;
const FIRST_SLOTS = 1024;
const WORDS = 3;

export interface TakenRequest {
  readonly key: string;
  readonly nonceMs: number;
  readonly signature: Buffer;
  readonly method: string;
  /** The raw path, without the query. */
  readonly path: string;
  /**
   * The raw query if it says what the request is about: two requests that differ only in the query are two requests.
   */
  readonly query: string | null;
}

export type Taking = 'taken' | 'replayed' | 'otherUse' | 'spent' | 'full';

/** Maps 64 bits of a signature to its use, a number above 0. */
class MarkSet {
  count = 0;
  #slots = new Uint32Array(WORDS * FIRST_SLOTS);

  /** 0: there is no such mark. */
  find(high: number, low: number): number {
    const slots = this.#slots;
    const mask = slots.length / WORDS - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const use = slots[WORDS * at + 2];
      if (use === 0 || (slots[WORDS * at] === high && slots[WORDS * at + 1] === low)) return use;
    }
  }

  add(high: number, low: number, use: number): void {
    if (2 * (this.count + 1) > this.#slots.length / WORDS) this.#grow();
    this.#put(high, low, use);
    this.count++;
  }

  #put(high: number, low: number, use: number): void {
    const slots = this.#slots;
    const mask = slots.length / WORDS - 1;
    let at = low & mask;
    while (slots[WORDS * at + 2] !== 0) at = (at + 1) & mask;
    slots[WORDS * at] = high;
    slots[WORDS * at + 1] = low;
    slots[WORDS * at + 2] = use;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let i = 0; i < old.length; i += WORDS) if (old[i + 2] !== 0) this.#put(old[i], old[i + 1], old[i + 2]);
  }
}

/** The requests whose nonces are in one eighth of a life. */
interface Span {
  readonly number: number;
  readonly marks: MarkSet;
  /** The highest nonce of each key. */
  readonly nonces: Map<string, number>;
  /** When the last mark ends, in elapsed time. */
  endsAtMs: number;
}

export class SeenRequests {
  readonly #lifeMs: number;
  readonly #limit: number;
  readonly #floors: Map<string, number>;
  /** By the number of the eighth. */
  readonly #spans = new Map<number, Span>();
  /** The last one that was used. Most requests have the same one. */
  #lastSpan: Span | undefined;
  /** No span ends before this. */
  #endsAtMs = Number.POSITIVE_INFINITY;
  #total = 0;
  /** The last use that was worked out. Most requests have the same one. */
  #last = { method: '', path: '', use: 0 };

  /** `floors`: by key, the nonces that were used before this process. */
  constructor(lifeMs: number, floors: ReadonlyMap<string, number> = new Map(), limit = LIMIT) {
    this.#lifeMs = lifeMs;
    this.#limit = limit;
    this.#floors = new Map(floors);
  }

  /** The highest nonce at which requests of the key are refused. */
  floorOf(key: string): number {
    return this.#floors.get(key) ?? 0;
  }

  /** Nothing is accepted at or below these nonces, by key, from now on. */
  raiseFloors(nonces: ReadonlyMap<string, number>): void {
    raise(this.#floors, nonces);
  }

  /** Takes a request, or says why not. `elapsedMs` never goes back. */
  take({ key, nonceMs, signature, method, path, query }: TakenRequest, elapsedMs: number): Taking {
    this.#dropOld(elapsedMs);
    if (nonceMs <= this.floorOf(key)) return 'spent';
    const use = this.#useOf(method, path);
    const high = signature.readUInt32LE(0);
    const low = signature.readUInt32LE(4);
    const queried = query === null ? high : (high ^ mix(FNV_OFFSET, `?${query}`)) >>> 0;
    const number = Math.floor((nonceMs * SPANS) / this.#lifeMs);
    const known = this.#spanOf(number);
    const before = known?.marks.find(high, low) ?? 0;
    if (known !== undefined && before !== 0) {
      if (before !== use) return 'otherUse';
      if (method === 'GET') return 'taken'; // A GET changes nothing, and may be repeated.
      if (query === null || known.marks.find(queried, low) !== 0) return 'replayed';
    }
    if (this.#total >= this.#limit) return 'full';
    const span = known ?? this.#newSpan(number);
    span.endsAtMs = elapsedMs + this.#lifeMs;
    if (span.endsAtMs < this.#endsAtMs) this.#endsAtMs = span.endsAtMs;
    if (before === 0) this.#add(span, high, low, use);
    if (query !== null) this.#add(span, queried, low, use);
    if (nonceMs > (span.nonces.get(key) ?? 0)) span.nonces.set(key, nonceMs);
    return 'taken';
  }

  /** By key, the highest nonce that was accepted. */
  highest(): Map<string, number> {
    const highest = new Map(this.#floors);
    for (const { nonces } of this.#spans.values()) raise(highest, nonces);
    return highest;
  }

  /** The highest nonce of a key that was accepted. 0: none. */
  highestOf(key: string): number {
    let highest = this.floorOf(key);
    for (const { nonces } of this.#spans.values()) highest = Math.max(highest, nonces.get(key) ?? 0);
    return highest;
  }

  #useOf(method: string, path: string): number {
    if (path !== this.#last.path || method !== this.#last.method) {
      this.#last = { method, path, use: mix(mix(FNV_OFFSET, method), path) >>> 0 || 1 };
    }
    return this.#last.use;
  }

  #add({ marks }: Span, high: number, low: number, use: number): void {
    marks.add(high, low, use);
    this.#total++;
  }

  #spanOf(number: number): Span | undefined {
    if (this.#lastSpan?.number !== number) this.#lastSpan = this.#spans.get(number);
    return this.#lastSpan;
  }

  #newSpan(number: number): Span {
    const span = { number, marks: new MarkSet(), nonces: new Map<string, number>(), endsAtMs: 0 };
    this.#spans.set(number, span);
    this.#lastSpan = span;
    return span;
  }

  /** A span is dropped when its last mark has ended. */
  #dropOld(elapsedMs: number): void {
    if (elapsedMs <= this.#endsAtMs) return;
    this.#endsAtMs = Number.POSITIVE_INFINITY;
    for (const span of this.#spans.values()) {
      if (span.endsAtMs < elapsedMs) {
        this.#spans.delete(span.number);
        this.#total -= span.marks.count;
        raise(this.#floors, span.nonces);
      } else this.#endsAtMs = Math.min(this.#endsAtMs, span.endsAtMs);
    }
    this.#lastSpan = undefined;
  }
}

function raise(floors: Map<string, number>, nonces: ReadonlyMap<string, number>): void {
  for (const [key, nonceMs] of nonces) if (nonceMs > (floors.get(key) ?? 0)) floors.set(key, nonceMs);
}

const FNV_OFFSET = 0x811c9dc5;

/** FNV-1a over UTF-16 units. */
function mix(seed: number, text: string): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
