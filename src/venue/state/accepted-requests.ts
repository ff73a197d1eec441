/**
 * Accepted requests with a client id, oldest first, which refuse identical ones for a while (rule 2.10).
 *
 * Cost: O(1). A new iterator of a Map passes all entries that were removed since the Map last moved into a new table: with 4,000
 * such requests a second that is up to 270,000 for each command. So the one that finds the oldest is kept. It also goes on in
 * the new table. It has given the oldest and none of the others.
 */

export interface AcceptedRequest {
  /** The key of its order. */
  readonly key: number;
  readonly atMs: number;
}

export class AcceptedRequests implements Iterable<[id: string, request: AcceptedRequest]> {
  readonly #byId = new Map<string, AcceptedRequest>();
  readonly #younger = this.#byId.entries();
  /** Undefined: `#younger` finds it. */
  #oldest: readonly [id: string, request: AcceptedRequest] | undefined;

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): AcceptedRequest | undefined {
    return this.#byId.get(id);
  }

  /** It is then the youngest, also if there was one of that id. */
  add(id: string, request: AcceptedRequest): void {
    this.#delete(id);
    this.#byId.set(id, request);
  }

  oldest(): readonly [id: string, request: AcceptedRequest] | undefined {
    // An iterator that has reached the end finds nothing more.
    if (this.#oldest === undefined && this.#byId.size > 0) this.#oldest = this.#younger.next().value;
    return this.#oldest;
  }

  forgetOldest(): void {
    const oldest = this.oldest();
    if (oldest !== undefined) this.#delete(oldest[0]);
  }

  [Symbol.iterator](): Iterator<[id: string, request: AcceptedRequest]> {
    return this.#byId.entries();
  }

  #delete(id: string): void {
    if (this.#oldest?.[0] === id) this.#oldest = undefined;
    this.#byId.delete(id);
  }
}
