/** A topic that a client has subscribed, and what the parts that make frames need of the client. */

import type { EngineListener } from '../../engine/listeners.ts';
import type { Venue } from '../../venue/venue.ts';

/** The part of the engine that streams need. `venue` may be replaced, so never keep it. */
export interface StreamEngine {
  readonly venue: Venue;
  /** Set while `venue` must not be read. */
  readonly unreadable: Error | undefined;
  nowMs(): number;
  listen(listener: EngineListener): () => void;
}

/** Takes frames for one client. */
export interface Receiver {
  /** Sends a text frame, already encoded, or drops the client if it does not keep up. */
  send(frame: Buffer): void;
  /** The same, for what only the owner of its key may see: drops the client if the key is no longer valid. */
  sendPrivate(frame: Buffer): void;
  /** Whether the next delta of a book skips a number, for a test of the client (faults.ts). */
  skipsNumber(): boolean;
}

export interface Subscription {
  readonly receiver: Receiver;
  /** As subscribed, and as in the acknowledgement: 'update:BTC-PERP-USDT_0'. */
  readonly name: string;
  /** The topic of its frames. */
  readonly topic: string;
}

/** What makes the frames of a topic, or of several that say the same. */
export interface Feed {
  /** Adds a subscription and sends its first frame, if the topic has one. */
  subscribe(subscription: Subscription): void;
  /** The same topic was subscribed again. */
  again(subscription: Subscription): void;
  unsubscribe(subscription: Subscription): void;
}

export function frameOf(text: string): Buffer {
  return Buffer.from(text);
}
