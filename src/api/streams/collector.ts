/**
 * Follows the engine for a publisher of frames, while somebody is subscribed.
 *
 * Invariants:
 * - What a command does counts when the command is done. What it did before it was undone never counts.
 * - On a manual clock the frames are sent after every command, on a real clock after every batch.
 */
import type { EngineListener } from '../../engine/listeners.ts';
import type { EventHandlers } from '../../venue/contract/events.ts';
import type { StreamEngine } from './subscription.ts';

export interface Publisher<Item> {
  /** Handlers that give `add` what the command in progress does. */
  events(add: (item: Item) => void): EventHandlers;
  /** A command is done, and did this. */
  apply(items: readonly Item[]): void;
  /** Sends everything that waits. */
  flush(): void;
  /** A batch on a real clock is done: sends what waits when it is time. */
  flushInTime(): void;
}

export class Collector<Item> {
  readonly #engine: StreamEngine;
  readonly #publisher: Publisher<Item>;
  /** Of the command in progress. */
  #items: Item[] = [];
  #detach: (() => void) | null = null;

  constructor(engine: StreamEngine, publisher: Publisher<Item>) {
    this.#engine = engine;
    this.#publisher = publisher;
  }

  /** Follows the engine, if it does not already. */
  begin(): void {
    this.#detach ??= this.#engine.listen(this.#listener());
  }

  end(): void {
    this.#detach?.();
    this.#detach = null;
    this.forget();
  }

  /** What the command in progress did so far does not count. */
  forget(): void {
    this.#items = [];
  }

  #listener(): EngineListener {
    const publisher = this.#publisher;
    const isManual = this.#engine.venue.genesis?.clock === 'manual';
    return {
      ...publisher.events((item) => this.#items.push(item)),
      commandApplied: () => {
        const items = this.#items;
        this.#items = [];
        if (items.length > 0) publisher.apply(items);
        if (isManual) publisher.flush();
      },
      commandUndone: () => this.forget(),
      batchApplied: () => publisher.flushInTime(),
    };
  }
}
