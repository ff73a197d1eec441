/**
 * Follows the engine for the topics that somebody has subscribed, and sends each message, encoded once, to all who have.
 *
 * Invariants:
 * - A message shows durable and applied commands only, and never half of one. `seq` is the last of them.
 * - On a manual clock every command sends what it changes, on a real clock that is sent every INTERVAL_MS at most.
 * - A subscriber gets the whole first, then changes. What changes while the whole is read is sent behind it.
 * - After a reset, a restored snapshot or a rebuild everybody gets the whole again.
 *
 * Cost: nothing while nobody has subscribed. Otherwise a call for each event and topic that wants its kind.
 */

import type { Timer, World } from '../../../engine/contract/world.ts';
import type { EventHandlers, EventKind, VenueEvent } from '../../../venue/contract/events.ts';
import { controlError } from '../../gateway/error-bodies.ts';
import { engineError } from '../../shared/engine-errors.ts';
import { ApiError } from '../../shared/errors.ts';
import { frameOf } from '../../streams/subscription.ts';
import { type Data, type Sources, TOO_MUCH, type Topic } from './topic.ts';
import { topicOf } from './topics.ts';

/** The shortest time between two messages of a topic on a real clock. */
const INTERVAL_MS = 100;

export interface Subscriber {
  send(frame: Buffer): void;
}

interface Followed {
  readonly name: string;
  readonly topic: Topic;
  /** By subscriber, what waits until it has the whole. Null: it has it. */
  readonly subscribers: Map<Subscriber, Buffer[] | null>;
  /** Its changes are being read. */
  isReading: boolean;
}

export interface FeedOptions {
  readonly sources: Omit<Sources, 'replacedSeq'>;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  /** Called with a bug: a topic threw. Must not throw. */
  readonly onBug: (error: unknown, where: string) => void;
}

type Handler = (event: VenueEvent) => void;

export class Feed {
  readonly #sources: Sources;
  readonly #world: FeedOptions['world'];
  readonly #onBug: FeedOptions['onBug'];
  readonly #followed = new Map<string, Followed>();
  /** By kind of event, the handlers of the topics. */
  readonly #handlers = new Map<EventKind, readonly Handler[]>();
  /** The kinds that the engine gives. */
  #listened = new Set<EventKind>();
  #detach: (() => void) | null = null;
  /** The state was replaced, and the subscribers do not have the new one yet. */
  #isReplaced = false;
  #replacedSeq: number | null = null;
  /** Nothing continues from before this seq: then the state was replaced, or this process began. */
  readonly #startSeq: number;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;

  /** Notes from now on whether the state was replaced, so that a reader can continue when its connection was lost. */
  constructor({ sources, world, onBug }: FeedOptions) {
    this.#sources = { ...sources, replacedSeq: () => this.#replacedSeq };
    this.#world = world;
    this.#onBug = onBug;
    this.#startSeq = sources.engine.venue.seq;
    sources.engine.listen({ stateReplaced: () => this.#noteReplaced() });
  }

  /**
   * Adds a subscriber of a topic, and sends it the whole. `after`: it has everything up to this seq.
   * @throws {ApiError} there is no such topic
   */
  subscribe(name: string, subscriber: Subscriber, after: number | null): void {
    let followed = this.#followed.get(name);
    if (followed === undefined) {
      followed = { name, topic: topicOf(this.#sources, name), subscribers: new Map(), isReading: false };
      this.#followed.set(name, followed);
      this.#regroup();
      this.#listen();
    } else this.#sendChanges(followed);
    const since = this.#replacedSeq ?? this.#startSeq;
    this.#sendWhole(followed, [subscriber], after !== null && after >= since ? after : null);
  }

  unsubscribe(name: string, subscriber: Subscriber): void {
    const followed = this.#followed.get(name);
    followed?.subscribers.delete(subscriber);
    if (followed === undefined || followed.subscribers.size > 0) return;
    this.#followed.delete(name);
    this.#regroup();
    if (this.#followed.size > 0) return;
    this.#detach?.();
    this.#detach = null;
    this.#listened.clear();
    this.#timer?.clear();
    this.#timer = null;
  }

  /** Sends what no event reports: the health of the venue, and a mark that is pinned or released at its present price. */
  look(): void {
    for (const followed of [...this.#followed.values()]) {
      if (followed.topic.look === undefined) continue;
      followed.topic.look();
      this.#sendChanges(followed);
    }
  }

  /** A message, encoded for any number of readers. The venue must be readable. */
  message(topic: string, type: 'snapshot' | 'change' | 'heartbeat' | 'error', data?: Data): Buffer {
    const { engine } = this.#sources;
    return frameOf(JSON.stringify({ topic, type, seq: engine.venue.seq, time: engine.nowMs(), data }));
  }

  #regroup(): void {
    this.#handlers.clear();
    for (const { topic } of this.#followed.values()) {
      for (const [kind, handler] of Object.entries(topic.on) as [EventKind, Handler][]) {
        this.#handlers.set(kind, [...(this.#handlers.get(kind) ?? []), handler]);
      }
    }
  }

  /** Has the engine give all the kinds that the topics want. */
  #listen(): void {
    const kinds = [...this.#handlers.keys()];
    if (this.#detach !== null && kinds.every((kind) => this.#listened.has(kind))) return;
    this.#detach?.();
    this.#listened = new Set([...this.#listened, ...kinds]);
    const give = (kind: EventKind) => (event: VenueEvent) => {
      for (const handler of this.#handlers.get(kind) ?? []) handler(event);
    };
    const { engine } = this.#sources;
    const isManual = engine.venue.genesis?.clock === 'manual';
    this.#detach = engine.listen({
      ...(Object.fromEntries([...this.#listened].map((kind) => [kind, give(kind)])) as EventHandlers),
      commandApplied: () => {
        if (isManual) this.#flush();
      },
      batchApplied: () => {
        if (isManual) this.#flush();
        else this.#flushInTime();
      },
    });
  }

  #noteReplaced(): void {
    this.#isReplaced = this.#followed.size > 0;
    this.#replacedSeq = this.#sources.engine.venue.seq;
    for (const { topic } of this.#followed.values()) topic.begin();
  }

  #flushInTime(): void {
    if (this.#timer !== null) return;
    const waitMs = this.#sentAtMs + INTERVAL_MS - this.#world.monotonicMs();
    if (waitMs <= 0) {
      this.#flush();
      return;
    }
    this.#timer = this.#world.timer(waitMs, () => {
      this.#timer = null;
      if (this.#sources.engine.unreadable === undefined) this.#flush();
    });
    this.#timer.unref();
  }

  #flush(): void {
    this.#sentAtMs = this.#world.monotonicMs();
    const isReplaced = this.#isReplaced;
    this.#isReplaced = false;
    for (const followed of [...this.#followed.values()]) {
      if (isReplaced) this.#sendWhole(followed, [...followed.subscribers.keys()], null);
      else this.#sendChanges(followed);
    }
  }

  /** Sends the whole, and behind it what changes until it has been read. */
  #sendWhole(followed: Followed, subscribers: readonly Subscriber[], after: number | null): void {
    const waiting: Buffer[] = [];
    for (const subscriber of subscribers) followed.subscribers.set(subscriber, waiting);
    const send = (first: Buffer) => {
      for (const subscriber of subscribers) {
        // It has left, or waits for the whole of a later state.
        if (followed.subscribers.get(subscriber) !== waiting) continue;
        followed.subscribers.set(subscriber, null);
        for (const frame of [first, ...waiting]) subscriber.send(frame);
      }
    };
    const fail = (error: unknown) => send(this.message(followed.name, 'error', this.#errorOf(error, followed.name)));
    try {
      const whole = followed.topic.whole(after);
      if (whole instanceof Promise) {
        whole.then((data) => send(this.message(followed.name, 'snapshot', data))).catch(fail);
      } else send(this.message(followed.name, 'snapshot', whole));
    } catch (error) {
      fail(error);
    }
  }

  #sendChanges(followed: Followed): void {
    // What has happened meanwhile is read when that is done.
    if (followed.isReading) return;
    const send = (data: Data | undefined) => {
      if (data !== undefined) this.#send(followed, this.message(followed.name, 'change', data));
    };
    const fail = (error: unknown) =>
      this.#send(followed, this.message(followed.name, 'error', this.#errorOf(error, followed.name)));
    try {
      const changes = followed.topic.changes();
      if (changes === TOO_MUCH) {
        this.#sendWhole(followed, [...followed.subscribers.keys()], null);
        return;
      }
      if (!(changes instanceof Promise)) {
        send(changes);
        return;
      }
      followed.isReading = true;
      changes
        .then(send)
        .catch(fail)
        .finally(() => {
          followed.isReading = false;
          this.#sendChanges(followed);
        });
    } catch (error) {
      fail(error);
    }
  }

  #send({ subscribers }: Followed, frame: Buffer): void {
    const waiting = new Set<Buffer[]>();
    for (const [subscriber, frames] of [...subscribers]) {
      if (frames === null) subscriber.send(frame);
      else waiting.add(frames);
    }
    for (const frames of waiting) frames.push(frame);
  }

  /** The error for the readers: the topic has no whole, or lacks a change. They may subscribe it again. */
  #errorOf(error: unknown, topic: string): object {
    const known = error instanceof ApiError ? error : engineError(error);
    if (known !== null) return controlError(known).body;
    this.#onBug(error, `the topic ${topic} of the control stream`);
    return { error: { reason: 'internal', message: 'internal error; it has been logged' } };
  }
}
