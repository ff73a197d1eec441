/** A reader of the control stream for tests: it keeps what arrives, in order, without heartbeats. */
import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import type { TestVenue } from '../../src/index.ts';
import type { Closed } from './stream-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: messages are what the tests judge
export type Message = any;

type Address = Pick<TestVenue, 'control' | 'controlToken'>;

export class ControlStreamClient {
  readonly socket: WebSocket;
  readonly closed: Promise<Closed>;
  heartbeats: Message[] = [];
  readonly #arrived: Message[] = [];
  #wake: (() => void) | null = null;
  #isClosed = false;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      (message.topic === 'heartbeat' ? this.heartbeats : this.#arrived).push(message);
      this.#wake?.();
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#isClosed = true;
        this.#wake?.();
        resolve({ code, reason: String(reason) });
      });
    });
  }

  static async open({ control, controlToken }: Address, token = controlToken): Promise<ControlStreamClient> {
    const url = `${control.replace(/^http/, 'ws')}/control/v1/stream`;
    const client = new ControlStreamClient(new WebSocket(url, { headers: { authorization: `Bearer ${token}` } }));
    await new Promise((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('error', reject);
    });
    return client;
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The next message that is no heartbeat. */
  async next(): Promise<Message> {
    while (this.#arrived.length === 0) {
      assert.ok(!this.#isClosed, 'the connection ended before the next message');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#arrived.shift();
  }

  /** The next message of a topic. Those of others before it are dropped. */
  async nextOf(topic: string): Promise<Message> {
    for (;;) {
      const message = await this.next();
      if (message.topic === topic) return message;
    }
  }

  /** Subscribes, and returns what arrives until the answer. */
  async subscribe(topics: readonly string[], after?: number): Promise<Message[]> {
    this.send({ op: 'subscribe', topics, after });
    const messages: Message[] = [];
    for (;;) {
      const message = await this.next();
      if (message.event === 'subscribe') {
        assert.deepEqual(message.topics, topics);
        return messages;
      }
      messages.push(message);
    }
  }

  /** Subscribes one topic, and returns its snapshot. */
  async snapshot(topic: string, after?: number): Promise<Message> {
    const [found] = await this.subscribe([topic], after);
    const message = found ?? (await this.nextOf(topic));
    assert.deepEqual([message.topic, message.type], [topic, 'snapshot']);
    return message;
  }

  close(): void {
    this.socket.terminate();
  }
}
