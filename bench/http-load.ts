/**
 * The load of the HTTP benchmark, in its own process. It signs requests, then sends them over keep-alive connections,
 * one at a time on each, and checks every reply: status 200, and an order id in its body.
 *
 * It uses sockets directly and reads only the length of a reply, so that it is not what is measured: it needs less time
 * per request than the bare server.
 *
 * http.ts starts it with an IPC channel. It receives a `LoadOrder`, and sends a `LoadReport` or `{ error }`.
 */
import { connect, type Socket } from 'node:net';
import { requestBytes } from './http-traffic.ts';

export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  /** How many requests are signed. A run ends when they are used up, or when the time is. */
  readonly requests: number;
  readonly seconds: number;
}

export interface LoadReport {
  readonly replies: number;
  readonly seconds: number;
  /** Of all replies. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HOST = '127.0.0.1';
const HEAD_END = '\r\n\r\n';
const OK = 'HTTP/1.1 200 ';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;
const ORDER_ID = '"orderId":"';

class Run {
  readonly #requests: readonly Buffer[];
  readonly #latenciesMs: Float64Array;
  readonly #endsAtMs: number;
  readonly startedAtMs = performance.now();
  next = 0;
  replies = 0;

  constructor(requests: readonly Buffer[], seconds: number) {
    this.#requests = requests;
    this.#latenciesMs = new Float64Array(requests.length);
    this.#endsAtMs = this.startedAtMs + seconds * 1000;
  }

  /** The next request; undefined at the end of the run. */
  take(nowMs: number): Buffer | undefined {
    return nowMs < this.#endsAtMs ? this.#requests[this.next++] : undefined;
  }

  answered(latencyMs: number): void {
    this.#latenciesMs[this.replies++] = latencyMs;
  }

  report(): LoadReport {
    const seconds = (performance.now() - this.startedAtMs) / 1000;
    const sorted = this.#latenciesMs.subarray(0, this.replies).sort();
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return { replies: this.replies, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}

/** Sends one request after the other. Resolves when the run is over, rejects on the first wrong reply. */
function drive(socket: Socket, run: Run): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAtMs = 0;
    let received = '';
    const send = (nowMs: number) => {
      const request = run.take(nowMs);
      if (request === undefined) {
        resolve();
        return;
      }
      sentAtMs = nowMs;
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const length = replyLength(received);
      if (length === 0 || received.length < length) return;
      if (received.length > length || !received.startsWith(OK) || !received.includes(ORDER_ID)) {
        reject(new Error(`not the reply to a placement: ${received}`));
        return;
      }
      received = '';
      const nowMs = performance.now();
      run.answered(nowMs - sentAtMs);
      send(nowMs);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    send(performance.now());
  });
}

/** The length of the reply at the beginning of `received`, head and body. 0 while its head is incomplete. */
function replyLength(received: string): number {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return 0;
  return end + HEAD_END.length + Number(LENGTH.exec(received)?.[1] ?? 0);
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: HOST, noDelay: true }, () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

async function load({ port, connections, requests, seconds }: LoadOrder): Promise<LoadReport> {
  const startMs = Date.now();
  const signed = Array.from({ length: requests }, (_, i) => requestBytes(i, startMs, `${HOST}:${port}`));
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  try {
    const run = new Run(signed, seconds);
    await Promise.all(sockets.map((socket) => drive(socket, run)));
    return run.report();
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

process.on('message', (order: LoadOrder) => {
  load(order).then(
    (report) => process.send?.(report),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
