/**
 * The load of the overload benchmark, in its own process. It sends signed placements at a rate that does not depend on
 * the replies, over connections with a limited number of requests in flight. Requests that are due while all
 * connections are at their limit count as offered, and are not sent.
 *
 * overload.ts starts it with an IPC channel. It receives an `OverloadOrder`, and sends an `OverloadReport` or `{ error
 * }`.
 */
import { connect, type Socket } from 'node:net';
import { requestBytes } from './http-traffic.ts';

export interface OverloadOrder {
  readonly port: number;
  readonly connections: number;
  readonly inFlight: number;
  /** Null: as fast as the replies come. */
  readonly perSecond: number | null;
  readonly seconds: number;
  /** How many requests are signed. */
  readonly requests: number;
}

interface Latencies {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface OverloadReport {
  readonly seconds: number;
  /** Processor time of the load, in seconds. */
  readonly cpuSeconds: number;
  readonly offered: number;
  readonly heldBack: number;
  readonly accepted: Latencies;
  readonly refused: Latencies;
}

const HOST = '127.0.0.1';
const TIME = '/spot/api/v4/time';
const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;
/** The load ends with the last replies, or after this time. */
const LAST_REPLIES_MS = 30_000;

class Line {
  readonly socket: Socket;
  /** When the requests without a reply were sent. Replies come in the same order. */
  readonly sentAtMs: number[] = [];
  #received = '';
  readonly #onReply: (status: number, latencyMs: number, text: string) => void;

  constructor(socket: Socket, onReply: (status: number, latencyMs: number, text: string) => void) {
    this.socket = socket;
    this.#onReply = onReply;
    socket.on('data', (chunk: Buffer) => this.#take(chunk.toString('latin1')));
  }

  send(request: Buffer): void {
    this.sentAtMs.push(performance.now());
    this.socket.write(request);
  }

  #take(text: string): void {
    this.#received += text;
    for (;;) {
      const end = this.#received.indexOf(HEAD_END);
      if (end < 0) return;
      const length = end + HEAD_END.length + Number(LENGTH.exec(this.#received)?.[1] ?? 0);
      if (this.#received.length < length) return;
      const reply = this.#received.slice(0, length);
      this.#received = this.#received.slice(length);
      this.#onReply(Number(reply.slice(9, 12)), performance.now() - (this.sentAtMs.shift() as number), reply);
    }
  }
}

async function load(order: OverloadOrder): Promise<OverloadReport> {
  const startMs = Date.now();
  const requests = Array.from({ length: order.requests }, (_, i) => requestBytes(i, startMs, `${HOST}:${order.port}`));
  const accepted: number[] = [];
  const refused: number[] = [];
  let wrong: string | undefined;
  const onReply = (status: number, latencyMs: number, text: string) => {
    if (status === 200) accepted.push(latencyMs);
    else if (status === 503) refused.push(latencyMs);
    else wrong ??= text;
  };
  const sockets = await Promise.all(Array.from({ length: order.connections }, () => open(order.port)));
  const lines = sockets.map((socket) => new Line(socket, onReply));
  for (const socket of sockets) {
    socket.on('close', () => {
      wrong ??= 'the server closed a connection';
    });
  }
  let [offered, sent, heldBack, next] = [0, 0, 0, 0];
  /** The next connection that may have one more in flight. */
  const free = (): Line | undefined => {
    for (let tried = 0; tried < lines.length; tried += 1) {
      next = (next + 1) % lines.length;
      if (lines[next].sentAtMs.length < order.inFlight) return lines[next];
    }
    return undefined;
  };
  const beganMs = performance.now();
  const cpuBefore = process.cpuUsage();
  for (;;) {
    const elapsedMs = performance.now() - beganMs;
    if (elapsedMs >= order.seconds * 1000 || wrong !== undefined) break;
    const due = order.perSecond === null ? Number.POSITIVE_INFINITY : (elapsedMs * order.perSecond) / 1000;
    while (offered < due && sent < requests.length) {
      const line = free();
      if (line === undefined && order.perSecond === null) break;
      offered += 1;
      if (line === undefined) heldBack += 1;
      else {
        line.send(requests[sent]);
        sent += 1;
      }
    }
    // At full speed, replies set the pace. Otherwise the load must not take a core away from the venue by waiting.
    await new Promise((resolve) => (order.perSecond === null ? setImmediate(resolve) : setTimeout(resolve, 1)));
  }
  const seconds = (performance.now() - beganMs) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  while (accepted.length + refused.length < sent && wrong === undefined) {
    if (performance.now() - beganMs > order.seconds * 1000 + LAST_REPLIES_MS) wrong = 'replies are missing';
    await new Promise((resolve) => setImmediate(resolve));
  }
  const failure = wrong;
  for (const socket of sockets) socket.destroy();
  if (failure !== undefined) throw new Error(failure);
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  return { seconds, cpuSeconds, offered, heldBack, accepted: latencies(accepted), refused: latencies(refused) };
}

function latencies(values: number[]): Latencies {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Resolves when the venue has answered on the connection. It accepts one connection per turn of its event loop. */
function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: HOST, noDelay: true });
    socket.write(`GET ${TIME} HTTP/1.1\r\nHost: ${HOST}:${port}\r\n\r\n`);
    socket.once('data', () => resolve(socket));
    socket.once('error', reject);
  });
}

process.on('message', (order: OverloadOrder) => {
  load(order).then(
    (report) => process.send?.(report),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
