/** A topic that a client has subscribed, and what publishers, the parts that make frames, need of the client and the engine. */

import type { World } from '../../engine/contract/world.ts';
import type { EngineListener } from '../../engine/listeners.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';

/** The part of the engine that streams need. `venue` may be replaced, so never keep it. */
export interface StreamEngine {
  readonly venue: Venue;
  /** Set while `venue` must not be read. */
  readonly unreadable: Error | undefined;
  /** When the present batch became durable, in monotonic time. */
  readonly durableAtMs: number;
  nowMs(): number;
  listen(listener: EngineListener): () => void;
}

/**
 * What identifies a market for its subscribers. After a reset another market may be listed with its symbol: if it is of the
 * same product, they get its data.
 */
export function nameOf({ product, symbol }: MarketView): string {
  return `${product} ${symbol}`;
}

/** The market with the name (nameOf). Undefined: a reset has removed it. */
export function marketNamed(venue: Venue, name: string): MarketView | undefined {
  const [product, symbol] = name.split(' ', 2);
  const market = venue.marketBySymbol(symbol);
  return market?.product === product ? market : undefined;
}

/** Takes frames for one client. */
export interface Receiver {
  /** Sends a frame (frameOf), or drops the client if it does not keep up. */
  send(frame: Buffer): void;
  /** The same, for what only the owner of its key may see: drops the client if the key is no longer valid. */
  sendPrivate(frame: Buffer): void;
  /** Whether the next delta of a book skips a number, for a test of the client (faults.ts). */
  skipsNumber(): boolean;
  /** Ends a topic of the client, and says why. */
  refuse(name: string, why: string): void;
}

export interface Subscription {
  readonly receiver: Receiver;
  /** As subscribed, and as in the acknowledgement: 'update:BTC-PERP-USDT_0'. */
  readonly name: string;
  /** The topic of its frames. */
  readonly topic: string;
}

/** What a frame shows: a book, public trades, or the orders, fills and positions of an account. */
export type FrameKind = 'book' | 'trades' | 'account';

export interface PublisherOptions {
  readonly engine: StreamEngine;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  /**
   * Writes what was sent so far to the sockets. `durableAtMs`: when the oldest change in it became durable, in monotonic time.
   * Not needed for the first frames of a subscription and for new snapshots: the outbox writes them by itself.
   */
  readonly write: (kind: FrameKind, durableAtMs: number) => void;
}

/** The frames of a topic, or of several that say the same. */
export interface Publication {
  /** Adds a subscription and sends its first frame, if the topic has one. */
  subscribe(subscription: Subscription): void;
  /** The same topic was subscribed again. */
  again(subscription: Subscription): void;
  unsubscribe(subscription: Subscription): void;
}

/** Values that several subscribers share, such as a frame: each is made once for its key. */
export class Shared<Key, Value> {
  readonly #made = new Map<Key, Value>();

  get(key: Key, make: () => Value): Value {
    let value = this.#made.get(key);
    if (value === undefined) {
      value = make();
      this.#made.set(key, value);
    }
    return value;
  }
}

const TEXT_FRAME = 0x81;
const LENGTH_IN_16_BITS = 126;
const LENGTH_IN_64_BITS = 127;

/**
 * A whole WebSocket frame with this text: its head and its payload, as it goes to every subscriber. The `ws` package would
 * make a head for each of them, and send it beside the payload, which costs half as much again.
 */
export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < LENGTH_IN_16_BITS ? 2 : length < 2 ** 16 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = TEXT_FRAME;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = LENGTH_IN_16_BITS;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_IN_64_BITS;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}
