/** A client of the streams for tests: it keeps what arrives, in order, and signs in as BTSE's samples do. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { WebSocket } from 'ws';
import { assertDocumentedFrame } from './documented-frames.ts';
import type { TestKey } from './signing.ts';

// biome-ignore lint/suspicious/noExplicitAny: frames are whatever the venue sends
export type Frame = any;

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

export class StreamClient {
  readonly socket: WebSocket;
  readonly path: string;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<Closed>;
  readonly #arrived: Frame[] = [];
  #waiting: (() => void) | null = null;
  #isClosed = false;
  /** The first frame that is not as docs/asyncapi.json says. */
  #undocumented: unknown;

  private constructor(socket: WebSocket, path: string) {
    this.socket = socket;
    this.path = path;
    socket.on('message', (data) => this.#take(String(data)));
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#isClosed = true;
        this.#waiting?.();
        resolve({ code, reason: String(reason) });
      });
    });
  }

  /** `venue`: the address of the HTTP port. */
  static async open(venue: string, path: string): Promise<StreamClient> {
    const client = new StreamClient(new WebSocket(`${venue.replace(/^http/, 'ws')}${path}`), path);
    await new Promise((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('error', reject);
    });
    return client;
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The next frame that arrives: parsed, or text. */
  async next(): Promise<Frame> {
    while (this.#arrived.length === 0) {
      assert.ok(!this.#isClosed, 'the connection ended before the next frame');
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    if (this.#undocumented !== undefined) throw this.#undocumented;
    return this.#arrived.shift();
  }

  /** All frames that have arrived and were not read yet. */
  taken(): Frame[] {
    return this.#arrived.splice(0);
  }

  /** Everything that arrives until the venue has answered a ping: nothing sent before it is missing. */
  async settled(): Promise<Frame[]> {
    this.send('ping');
    const frames: Frame[] = [];
    for (let frame = await this.next(); frame !== 'pong'; frame = await this.next()) frames.push(frame);
    return frames;
  }

  /** Subscribes, and returns the topics of the acknowledgement. */
  async subscribe(...topics: string[]): Promise<string[]> {
    this.send({ op: 'subscribe', args: topics });
    const { event, channel } = await this.next();
    assert.equal(event, 'subscribe');
    return channel;
  }

  async unsubscribe(...topics: string[]): Promise<string[]> {
    this.send({ op: 'unsubscribe', args: topics });
    const { event, channel } = await this.next();
    assert.equal(event, 'unsubscribe');
    return channel;
  }

  /** Signs in, and returns the answer. */
  async login(key: TestKey, nonce = Date.now(), op = 'authKeyExpires'): Promise<Frame> {
    this.send({ op, args: [key.key, String(nonce), loginSignature(key, this.path, nonce)] });
    return this.next();
  }

  close(): void {
    this.socket.terminate();
  }

  #take(text: string): void {
    let frame: Frame = text;
    try {
      frame = JSON.parse(text);
    } catch {}
    try {
      assertDocumentedFrame(this.path, frame);
    } catch (error) {
      this.#undocumented ??= error;
    }
    this.#arrived.push(frame);
    this.#waiting?.();
    this.#waiting = null;
  }
}

/** What a frame says that the venue made for its subscribers (frameOf). */
export function contentOf(frame: Buffer): Frame {
  const head = frame[1] < 126 ? 2 : frame[1] === 126 ? 4 : 10;
  return JSON.parse(String(frame.subarray(head)));
}

export function loginSignature({ secret }: TestKey, path: string, nonce: number | string): string {
  return createHmac('sha384', secret).update(`${path}${nonce}`).digest('hex');
}

/** The book that a client holds: folds frames as BTSE's samples do, and fails as they do. */
export class HeldBook {
  readonly bids = new Map<string, string>();
  readonly asks = new Map<string, string>();
  seqNum = 0;

  fold({ data }: Frame): void {
    assert.equal(data.seqNum, data.prevSeqNum + 1);
    if (this.seqNum !== 0) assert.equal(data.prevSeqNum, this.seqNum, 'a gap in the sequence');
    this.seqNum = data.seqNum;
    if (data.type === 'snapshot') {
      this.bids.clear();
      this.asks.clear();
    } else {
      assert.equal(data.type, 'delta');
      assert.ok(data.bids.length + data.asks.length > 0, 'an empty delta');
    }
    for (const [levels, side] of [
      [data.bids, this.bids],
      [data.asks, this.asks],
    ] as const) {
      for (const [price, size] of levels) {
        if (size !== '0') side.set(price, size);
        else assert.ok(side.delete(price), `removes ${price}, which was never sent`);
      }
    }
  }

  /** Best first. */
  sides(): { bids: [string, string][]; asks: [string, string][] } {
    return {
      bids: [...this.bids].sort(([a], [b]) => Number(b) - Number(a)),
      asks: [...this.asks].sort(([a], [b]) => Number(a) - Number(b)),
    };
  }
}
