/**
 * What a client asked of a stream, and which of it came. Of each topic that it subscribed to: an acknowledgement and frames, or the
 * snapshot and a delta of a book. Also its login, and an answer to its pings.
 */
import type { Frame } from './recorder.ts';

interface Message {
  readonly op?: string;
  readonly args?: readonly unknown[];
  readonly event?: string;
  readonly success?: boolean;
  readonly channel?: readonly string[];
  readonly topic?: string;
  readonly data?: { readonly type?: string };
  readonly errors?: readonly { readonly arg?: string; readonly error: { readonly message: string } }[];
}

/** Topics whose frames come only when something happens to the account. */
const PRIVATE = /^(notificationApi|fills|allPosition|positions)/;

export class Conversation {
  readonly #asked = new Set<string>();
  readonly #came = new Set<string>();
  /** By what was asked for. */
  readonly #refused = new Map<string, string>();

  constructor(frames: readonly Frame[]) {
    for (const { by, text } of frames) {
      if (by === 'client') this.#hear(text);
      else this.#answer(text);
    }
  }

  /** What was asked for and has not come, by a few words. */
  get missing(): string[] {
    return [...this.#asked].filter((asked) => !this.#came.has(asked) && !this.#refusal(asked));
  }

  /** Whether all that is missing are frames of topics that the account itself can cause. */
  get waitsForTrades(): boolean {
    const { missing } = this;
    return (
      missing.length > 0 && missing.every((asked) => asked.startsWith('frames of ') && PRIVATE.test(asked.slice(10)))
    );
  }

  /** What the venue refused, in its words. */
  get refusals(): string[] {
    return [...this.#refused].map(([asked, message]) => `${asked}: ${message}`);
  }

  #refusal(asked: string): boolean {
    return this.#refused.has(asked.replace(/^\S+ of /, ''));
  }

  #hear(text: string): void {
    const { op, args = [] } = parsed(text);
    if (text === 'ping' || op === 'ping') this.#asked.add('pong');
    else if (op === 'authKeyExpires' || op === 'login') this.#asked.add('login');
    else if (op === 'subscribe') {
      for (const topic of args) {
        for (const what of this.#partsOf(String(topic))) this.#asked.add(`${what} of ${topic}`);
      }
    }
  }

  #partsOf(topic: string): string[] {
    return topic.startsWith('update:') ? ['acknowledgement', 'snapshot', 'delta'] : ['acknowledgement', 'frames'];
  }

  #answer(text: string): void {
    const { event, success, channel = [], topic, data, errors = [] } = parsed(text);
    if (text === 'pong') this.#came.add('pong');
    if (event === 'login' && success === true) this.#came.add('login');
    if (event === 'subscribe') for (const each of channel) this.#came.add(`acknowledgement of ${each}`);
    for (const { arg = '', error } of errors) this.#refused.set(arg, error.message);
    if (topic === undefined) return;
    for (const asked of this.#asked) {
      const [what, of] = asked.split(' of ');
      const isOf = of === topic || of?.split(':')[0] === topic;
      if (isOf && (what === 'frames' || what === data?.type)) this.#came.add(asked);
    }
  }
}

function parsed(text: string): Message {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
