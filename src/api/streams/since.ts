/**
 * Private topics that begin after a seq: `fills@1234`. Their client first gets what happened to its account after that
 * command, from the log, and then what happens.
 *
 * Invariants:
 * - Every frame that a subscriber since then would have got comes once, in order. A frame of the past may hold a part of
 *   what was one frame.
 * - Each frame has the last seq that it includes, so that a client knows where to begin the next time.
 *
 * Cost: the commands after the seq are applied again, beside the venue (time-machine/since.ts).
 */
import { ApiError, errorText } from '../shared/errors.ts';
import type { PrivateTopic } from './accounts.ts';
import type { Publication, Receiver, StreamEngine, Subscription } from './subscription.ts';

export interface SinceQuery {
  /** The last command that the client knows. */
  readonly seq: number;
  /** The last command that is wanted. */
  readonly toSeq: number;
  readonly account: number;
  readonly product: PrivateTopic['product'];
  /** The name of the topic, without the seq. */
  readonly topic: string;
}

/** Frames (frameOf) of a topic. @throws {ApiError} */
export type AskSince = (query: SinceQuery, gone: AbortSignal) => Promise<readonly Uint8Array[]>;

export interface SinceOptions {
  readonly engine: StreamEngine;
  readonly ask: AskSince;
  /** Resolves when the venue has reached the seq. Undefined: it has. @throws {ApiError} */
  readonly wait: (seq: string) => Promise<void> | undefined;
}

/** Live frames of a topic that wait for those of the past. */
export const MOST_HELD_BYTES = 1_048_576;

/** A topic of one subscriber that begins after `seq`. */
export class Since implements Publication {
  readonly #live: Publication;
  readonly #query: Omit<SinceQuery, 'toSeq'>;
  readonly #options: SinceOptions;
  #subscription: Subscription | undefined;
  /** The same with the receiver that holds frames back. */
  #inner: Subscription | undefined;
  readonly #gone = new AbortController();

  constructor(live: Publication, query: Omit<SinceQuery, 'toSeq'>, options: SinceOptions) {
    this.#live = live;
    this.#query = query;
    this.#options = options;
  }

  subscribe(subscription: Subscription): void {
    this.#subscription = subscription;
    this.#begin(subscription).catch((error: unknown) => this.#refuse(error));
  }

  again(): void {}

  unsubscribe(): void {
    this.#subscription = undefined;
    this.#gone.abort();
    if (this.#inner !== undefined) this.#live.unsubscribe(this.#inner);
    this.#inner = undefined;
  }

  async #begin(subscription: Subscription): Promise<void> {
    const { engine, ask, wait } = this.#options;
    await wait(String(this.#query.seq));
    if (engine.unreadable !== undefined) throw new ApiError('busy', { problem: engine.unreadable.message });
    if (this.#gone.signal.aborted) return;
    const held = new HeldFrames(subscription.receiver, () => this.#refuse(TOO_MUCH));
    this.#inner = { ...subscription, receiver: held };
    const toSeq = engine.venue.seq;
    this.#live.subscribe(this.#inner);
    if (toSeq > this.#query.seq) {
      const frames = await ask({ ...this.#query, toSeq }, this.#gone.signal);
      if (this.#gone.signal.aborted) return;
      for (const { buffer, byteOffset, byteLength } of frames) {
        subscription.receiver.sendPrivate(Buffer.from(buffer, byteOffset, byteLength));
      }
    }
    held.release();
  }

  /** The topic ends, and its client hears why. */
  #refuse(error: unknown): void {
    const subscription = this.#subscription;
    if (subscription === undefined) return;
    this.unsubscribe();
    subscription.receiver.refuse(
      subscription.name,
      error instanceof ApiError ? errorText(error, 'A') : 'internal error',
    );
    if (!(error instanceof ApiError)) throw error;
  }
}

const TOO_MUCH = new ApiError('busy', { problem: 'too much happens meanwhile: subscribe from a later seq' });

/** Holds frames back until those before them were sent. */
class HeldFrames implements Receiver {
  readonly #receiver: Receiver;
  readonly #onTooMuch: () => void;
  #held: Buffer[] | undefined = [];
  #bytes = 0;

  constructor(receiver: Receiver, onTooMuch: () => void) {
    this.#receiver = receiver;
    this.#onTooMuch = onTooMuch;
  }

  send(frame: Buffer): void {
    this.sendPrivate(frame);
  }

  sendPrivate(frame: Buffer): void {
    if (this.#held === undefined) {
      this.#receiver.sendPrivate(frame);
      return;
    }
    this.#held.push(frame);
    this.#bytes += frame.length;
    if (this.#bytes > MOST_HELD_BYTES) this.#onTooMuch();
  }

  skipsNumber(): boolean {
    return this.#receiver.skipsNumber();
  }

  refuse(name: string, why: string): void {
    this.#receiver.refuse(name, why);
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const frame of held) this.#receiver.sendPrivate(frame);
  }
}
