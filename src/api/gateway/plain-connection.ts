/**
 * Connections whose requests have all been plain (plain-request.ts). They are read and answered here, without
 * node:http, which costs more than all the rest of the gateway.
 *
 * Invariants:
 * - At the first request that is not plain, the connection goes to node:http for good: with all bytes of that request,
 *   and when all earlier replies are out.
 * - Replies go out in the order of their requests, with the bytes that node:http would send.
 * - The limits of time are those of node:http: a client that sends nothing is disconnected, and a request that does not
 *   arrive within HOLD_MS goes to node:http, which waits for the rest.
 *
 * Cost: a check every CHECK_TIMEOUTS_MS of the connections that have sent nothing yet, or only a part of a request.
 */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { CHECK_TIMEOUTS_MS, KEEP_ALIVE_MS } from './connections.ts';
import { PlainReply, writeReply } from './plain-reply.ts';
import { type PlainHead, readPlainHead } from './plain-request.ts';
import type { RequestHeaders } from './request.ts';
import type { Endpoint } from './routing.ts';

/** How long a part of a request is kept before node:http gets it, with its own limits of time. */
const HOLD_MS = CHECK_TIMEOUTS_MS / 2;
/** The parts in which a request may arrive. Many libraries send head and body apart. */
const MOST_PARTS = 16;
const NO_BODY = Buffer.alloc(0);

/** What the gateway does for plain connections. */
export interface PlainTaker {
  /** The endpoint of a request with this head. Null: it has none or would be refused, so node:http gets the request. */
  endpointOf(head: PlainHead): Endpoint | null;
  /** Takes a whole request, and answers it now or later. */
  take(request: PlainRequest, endpoint: Endpoint, body: Buffer): void;
  /** Whether a request that has not arrived completely may wait for the rest, unseen by the gateway. */
  mayWait(): boolean;
  /** Answers a connection that broke off in the middle of a request, or was too slow. */
  badClient(error: NodeJS.ErrnoException, socket: Socket): void;
}

/** What reads the connection. */
export interface PlainOwner {
  /** Called before a request is taken, and when its reply goes to the socket. */
  received(): void;
  answered(): void;
  /** Nothing more is read. */
  leave(): void;
  /** Node:http gets the connection, beginning with these bytes. */
  leavePlain(bytes: Buffer): void;
}

/** The plain connections of one listener. */
export class PlainConnections {
  readonly taker: PlainTaker;
  readonly headersMs: number;
  readonly #all = new Set<PlainConnection>();
  /** Those that have sent nothing, or a part of a request. */
  readonly #waiting = new Set<PlainConnection>();
  #check: NodeJS.Timeout | null = null;
  isClosing = false;

  constructor(taker: PlainTaker, headersMs: number) {
    this.taker = taker;
    this.headersMs = headersMs;
  }

  add(connection: PlainConnection): void {
    this.#all.add(connection);
    this.wait(connection);
  }

  remove(connection: PlainConnection): void {
    this.#all.delete(connection);
    this.#waiting.delete(connection);
  }

  wait(connection: PlainConnection): void {
    this.#waiting.add(connection);
    this.#check ??= setInterval(() => this.#checkWaiting(), CHECK_TIMEOUTS_MS).unref();
  }

  stopsWaiting(connection: PlainConnection): void {
    this.#waiting.delete(connection);
  }

  /** Closes the idle connections. The others close with their last reply, or go to node:http. */
  close(): void {
    this.isClosing = true;
    for (const connection of this.#all) connection.close();
  }

  destroy(): void {
    for (const connection of this.#all) connection.socket.destroy();
  }

  #checkWaiting(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#check as NodeJS.Timeout);
      this.#check = null;
      return;
    }
    const nowMs = performance.now();
    for (const connection of this.#waiting) connection.check(nowMs);
  }
}

export class PlainConnection {
  readonly socket: Socket;
  readonly #all: PlainConnections;
  readonly #owner: PlainOwner;
  /** Requests without a reply, in the order of their arrival. */
  readonly #due: PlainRequest[] = [];
  /** The beginning of a request. */
  #held: Buffer | null = null;
  #parts = 0;
  /** True: it has sent nothing yet, or only a part of a request. */
  #isWaiting = true;
  #waitsSinceMs = performance.now();
  /** The client has closed its half. */
  #hasEnded = false;
  #isCorked = false;

  constructor(socket: Socket, owner: PlainOwner, all: PlainConnections) {
    this.socket = socket;
    this.#owner = owner;
    this.#all = all;
    socket.on('end', this.#onEnd);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', ignore);
    all.add(this);
  }

  /** What was held, with the bytes behind it. */
  joined(bytes: Buffer): Buffer {
    const held = this.#held;
    if (held === null) return bytes;
    this.#held = null;
    return Buffer.concat([held, bytes]);
  }

  /**
   * Takes one request, or keeps the beginning of one. Returns the bytes used. -1: node:http has to read them.
   * `bytes` are valid until it returns, so what is kept of them is copied.
   */
  read(bytes: Buffer): number {
    if (this.#all.isClosing) return -1;
    const head = readPlainHead(bytes);
    if (head === null) return -1;
    if (head === 'incomplete') return this.#hold(bytes) ? bytes.length : -1;
    const { headBytes, bodyBytes } = head;
    const end = headBytes + bodyBytes;
    if (end > bytes.length) return this.#all.taker.mayWait() && this.#hold(bytes) ? bytes.length : -1;
    const endpoint = this.#all.taker.endpointOf(head);
    if (endpoint === null) return -1;
    const request = new PlainRequest(this, head);
    this.#due.push(request);
    this.#owner.received();
    this.#all.taker.take(request, endpoint, bodyBytes === 0 ? NO_BODY : Buffer.from(bytes.subarray(headBytes, end)));
    if (this.#isWaiting) {
      this.#parts = 0;
      this.#isWaiting = false;
      this.#all.stopsWaiting(this);
    }
    return end;
  }

  /** Node:http takes over. */
  leave(): void {
    const { socket } = this;
    this.#all.remove(this);
    socket.setTimeout(0);
    socket.removeListener('end', this.#onEnd);
    socket.removeListener('timeout', this.#onTimeout);
  }

  /** The connection is over. */
  closed(): void {
    this.#all.remove(this);
  }

  close(): void {
    if (this.#held !== null) this.#giveUp();
    else if (this.#due.length === 0) this.socket.destroy();
  }

  check(nowMs: number): void {
    const waitedMs = nowMs - this.#waitsSinceMs;
    if (this.#held === null) {
      if (waitedMs >= this.#all.headersMs) this.#bad('ERR_HTTP_REQUEST_TIMEOUT');
    } else if (waitedMs >= Math.min(HOLD_MS, this.#all.headersMs)) this.#giveUp();
  }

  /** Sends the replies that are ready and whose turn it is. */
  flush(): void {
    const { socket } = this;
    const due = this.#due;
    if (due[0]?.reply === null) return;
    if (due.length > 1 && !this.#isCorked) {
      // All replies of this moment go out in one write.
      this.#isCorked = true;
      socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        socket.uncork();
      });
    }
    while (due.length > 0 && due[0].reply !== null) {
      const isLast = due.length === 1;
      const { reply } = due.shift() as PlainRequest;
      if (!socket.destroyed) {
        const { isClosing } = this.#all;
        writeReply(socket, reply as PlainReply, isLast && isClosing);
        if (isLast && (isClosing || this.#hasEnded)) socket.destroySoon();
        else if (socket.timeout !== IDLE_MS) socket.setTimeout(IDLE_MS);
      }
      this.#owner.answered();
    }
  }

  #hold(bytes: Buffer): boolean {
    if (this.#parts === MOST_PARTS) return false;
    if (this.#parts === 0) this.#waitsSinceMs = performance.now();
    this.#parts += 1;
    this.#held = Buffer.from(bytes);
    this.#isWaiting = true;
    this.#all.wait(this);
    return true;
  }

  #giveUp(): void {
    const held = this.#held as Buffer;
    this.#held = null;
    this.#all.stopsWaiting(this);
    this.#owner.leavePlain(held);
  }

  #bad(code: string): void {
    this.#all.taker.badClient(Object.assign(new Error(code), { code }), this.socket);
    this.#owner.leave();
  }

  readonly #onEnd = () => {
    this.#hasEnded = true;
    if (this.#held !== null) this.#bad('HPE_INVALID_EOF_STATE');
    else if (this.#due.length === 0) this.socket.end();
  };

  readonly #onTimeout = () => {
    // A request in progress has no limit of time. Its reply starts the timeout again.
    if (this.#due.length === 0) this.socket.destroy();
  };
}

/** node:http allows a second more than it says, too. */
const IDLE_MS = KEEP_ALIVE_MS + 1000;

function ignore(): void {}

/** A plain request and, later, its reply. */
export class PlainRequest {
  readonly sinceMs = performance.now();
  /** The number of the account that signed it. -1: none did. */
  account = -1;
  /** The venue's seq when a read began (exchanges.ts). */
  seq: number | undefined;
  readonly method: string;
  readonly target: string;
  readonly requestHeaders: RequestHeaders;
  readonly #connection: PlainConnection;
  reply: PlainReply | null = null;

  constructor(connection: PlainConnection, { method, target, headers }: PlainHead) {
    this.#connection = connection;
    this.method = method;
    this.target = target;
    this.requestHeaders = headers;
  }

  get client(): Socket {
    return this.#connection.socket;
  }

  /** It goes out once earlier requests of the connection have their replies. `headers`: names and values, alternating. */
  send(status: number, body: string | Buffer, headers: readonly string[], type?: string): void {
    this.reply = new PlainReply(status, body, headers, type);
    this.#connection.flush();
  }
}
