/**
 * One reader of the control stream. It sends `{"op": "subscribe", "topics": ["tickers", "orders:alice"], "after": SEQ}` and
 * `{"op": "unsubscribe", "topics": […]}`, and gets an answer to each, errors included.
 *
 * Invariants:
 * - One topic at a time is begun or ended, in the order of the messages, and when it is this reader's turn.
 * - A topic that a waiting message begins again anyway sends no snapshot before that.
 * - A reader that asks for more than allowance.ts lets it, or for which more than MOST_WAITING topics wait, is closed with 1008.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { Field } from '../../../config/field.ts';
import type { World } from '../../../engine/contract/world.ts';
import { controlError } from '../../gateway/error-bodies.ts';
import { engineError } from '../../shared/engine-errors.ts';
import { ApiError, malformed } from '../../shared/errors.ts';
import { Allowance, ASKS_TOO_MUCH } from '../../streams/allowance.ts';
import { closeSoon } from '../../streams/closing.ts';
import type { Outbox } from '../../streams/outbox.ts';
import type { Pace } from '../../streams/pace.ts';
import { frameOf } from '../../streams/subscription.ts';
import { refuseProblems } from '../problems.ts';
import type { Feed, Subscriber } from './feed.ts';
import type { StreamedEngine } from './topic.ts';

export const MOST_BUFFERED = 1_048_576;
export const MOST_TOPICS = 100;
const LONGEST_TOPIC = 128;
const MOST_WAITING = 1000;
/** What errors call what a reader sent. */
const MESSAGE = 'the message';

export interface ReaderOptions {
  readonly feed: Feed;
  readonly engine: StreamedEngine;
  /** Shared by all readers. */
  readonly outbox: Outbox;
  /** Shared by all readers. */
  readonly pace: Pace;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  readonly onBug: (error: unknown, where: string) => void;
  readonly onTooSlow: () => void;
  readonly onClosed: () => void;
}

/** What waits for the reader's turn. */
interface Step {
  /** The topic that it begins. Null: none. */
  readonly begins: string | null;
  readonly act: () => void;
}

export class Reader implements Subscriber {
  readonly #ws: WebSocket;
  readonly #raw: Duplex;
  readonly #options: ReaderOptions;
  readonly #topics = new Set<string>();
  readonly #allowance: Allowance;
  /** In the order of the messages. */
  #steps: Step[] = [];
  #isDropped = false;

  /** `raw`: the connection below the WebSocket. */
  constructor(ws: WebSocket, raw: Duplex, options: ReaderOptions) {
    this.#ws = ws;
    this.#raw = raw;
    this.#options = options;
    this.#allowance = new Allowance(options.world);
    ws.on('message', (data) => this.#take(String(data)));
    ws.on('ping', (data) => {
      if (this.#mayGoOn()) ws.pong(data);
    });
    // The venue sends no pings, so a pong answers none.
    ws.on('pong', () => this.#mayGoOn());
    // ws closes the connection itself: a frame that is too large, or text that is not UTF-8.
    ws.on('error', () => {});
    ws.on('close', () => {
      this.#isDropped = true;
      this.#forget();
      options.onClosed();
    });
  }

  send(frame: Buffer): void {
    if (this.#isDropped || this.#ws.readyState !== this.#ws.OPEN) return;
    const { outbox } = this.#options;
    // Before this frame, so that one that is large itself does not count as a delay.
    if (this.#ws.bufferedAmount > MOST_BUFFERED) outbox.flush();
    if (this.#ws.bufferedAmount > MOST_BUFFERED) {
      this.#options.onTooSlow();
      this.drop('it reads too slowly: subscribe again, after the last seq');
      return;
    }
    // ws compresses nothing, so it writes its own frames at once, and the order stays.
    outbox.put(this.#raw, frame);
  }

  drop(reason: string, code = 1008): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#forget();
    closeSoon(this.#ws, code, reason, this.#options.world);
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.#ws.terminate();
  }

  #forget(): void {
    for (const topic of this.#topics) this.#options.feed.unsubscribe(topic, this);
    this.#topics.clear();
    this.#steps = [];
  }

  /** Counts what the reader asks for. False: it asks for too much, and is dropped. */
  #mayGoOn(things = 1): boolean {
    if (this.#isDropped) return false;
    if (this.#allowance.take(things)) return true;
    this.drop(ASKS_TOO_MUCH);
    return false;
  }

  #take(text: string): void {
    if (!this.#mayGoOn()) return;
    const steps: Step[] = [];
    try {
      steps.push(...this.#stepsOf(text));
    } catch (error) {
      steps.push({ begins: null, act: () => this.#refuse(error) });
    }
    const isIdle = this.#steps.length === 0;
    if (!this.#mayGoOn(steps.length - 1)) return;
    this.#steps.push(...steps);
    if (this.#steps.length > MOST_WAITING) this.drop(ASKS_TOO_MUCH);
    else if (isIdle) this.#goOn();
  }

  /** Does what waits, one step in each turn of this reader. */
  #goOn(): void {
    this.#options.pace.run(() => {
      const step = this.#steps.at(0);
      // It was dropped.
      if (step === undefined) return;
      try {
        if (this.#options.engine.unreadable !== undefined) throw this.#options.engine.unreadable;
        step.act();
      } catch (error) {
        this.#refuse(error);
      }
      this.#steps.shift();
      if (this.#steps.length > 0) this.#goOn();
    });
  }

  #refuse(error: unknown): void {
    const known = error instanceof ApiError ? error : engineError(error);
    if (known !== null) {
      this.#say({ event: 'error', ...controlError(known).body });
      return;
    }
    this.#options.onBug(error, 'the control stream');
    this.drop('a bug in the venue', 1011);
  }

  /** A step for each topic of a message. The last one answers it. */
  #stepsOf(text: string): Step[] {
    const request = new Field(parsed(text));
    request.object(['op', 'topics', 'after']);
    const op = request.at('op').oneOf(['subscribe', 'unsubscribe']);
    const topics = request
      .at('topics')
      .list('topics')
      .map((topic) => topic.text(LONGEST_TOPIC));
    if (!request.at('topics').given) request.at('topics').problem('is required: a list of topics');
    const after = request.at('after').given ? request.at('after').integer(0, Number.MAX_SAFE_INTEGER) : null;
    refuseProblems(request, MESSAGE);
    const begins = op === 'subscribe';
    const wanted = [...new Set(topics)];
    const done: string[] = [];
    const take = (topic: string) => {
      if (begins ? this.#subscribe(topic, after) : this.#unsubscribe(topic)) done.push(topic);
    };
    const answer = () => this.#say({ event: op, topics: done, seq: this.#options.engine.venue.seq });
    if (wanted.length === 0) return [{ begins: null, act: answer }];
    return wanted.map((topic, index) => ({
      begins: begins ? topic : null,
      act: () => {
        take(topic);
        if (index === wanted.length - 1) answer();
      },
    }));
  }

  /** A topic that it already has begins again. False: it gets an error instead. */
  #subscribe(topic: string, after: number | null): boolean {
    const isNew = !this.#topics.has(topic);
    const beginsLater = this.#steps.some(({ begins }, index) => index > 0 && begins === topic);
    if (!isNew && beginsLater) return true;
    try {
      if (isNew && this.#topics.size >= MOST_TOPICS) {
        throw malformed('topics', `are more than ${MOST_TOPICS}`, 'unsubscribe some, or open another stream');
      }
      this.#topics.add(topic);
      this.#options.feed.subscribe(topic, this, after);
      return true;
    } catch (error) {
      if (isNew) this.#topics.delete(topic);
      if (!(error instanceof ApiError)) throw error;
      this.#say({ event: 'error', topic, ...controlError(error).body });
      return false;
    }
  }

  #unsubscribe(topic: string): boolean {
    if (!this.#topics.delete(topic)) return false;
    this.#options.feed.unsubscribe(topic, this);
    return true;
  }

  #say(answer: object): void {
    this.send(frameOf(JSON.stringify(answer)));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(MESSAGE, 'is not JSON', 'send {"op": "subscribe", "topics": ["system"]}');
  }
}
