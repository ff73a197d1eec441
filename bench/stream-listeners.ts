/**
 * The listeners of the streams benchmark, in their own process: half of them hold the book of a market, half are signed in and
 * get its trades and what happens to their account, four topics each. They read the bytes without parsing frames, so that they
 * take as little of the machine as they can. Two more connections are always there, and parse their frames: one measures how old
 * trades are, one is signed in as a trader.
 *
 * streams.ts starts it with an IPC channel. It receives a `ListenOrder`, answers 'ready', and at 'stop' a `ListenReport`.
 */
import { WebSocket } from 'ws';
import { nextNonce, sign } from '../src/client/request.ts';
import { listener, type Trader, traders } from './http-traffic.ts';

export interface ListenOrder {
  readonly port: number;
  readonly connections: number;
}

export interface ListenReport {
  readonly bytes: number;
  /** From the venue's time of a trade, when its batch was begun, until the client had the frame. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Frames that were measured. */
  readonly measured: number;
}

const SYMBOL = 'BTC-USDT';
const BOOK = ['update:BTC-USDT_0', 'update:BTC-USDT_1', 'update:BTC-USDT_2', 'snapshotL1:BTC-USDT'];
const OWN = ['notificationApiV3', 'fills'];
const TRADES = ['tradeHistoryApi:BTC-USDT', 'tradeHistoryApi:ETH-USDT', ...OWN];

let sockets: WebSocket[] = [];
let bytes = 0;
let ages: number[] = [];

async function open(port: number, path: string, topics: readonly string[], as?: Trader): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  if (as !== undefined) {
    const nonce = nextNonce();
    await asked(socket, 'authKeyExpires', [as.key, nonce, sign(as.secret, path, nonce, '')]);
  }
  await asked(socket, 'subscribe', topics);
  return socket;
}

/** Resolves when it is answered. */
async function asked(socket: WebSocket, op: string, args: readonly string[]): Promise<void> {
  socket.send(JSON.stringify({ op, args }));
  const answer = await new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
  if (/"success":false|"errors"/.test(answer)) throw new Error(`${op}: ${answer}`);
}

/** Counts the bytes below the WebSocket from now on. The venue's pings stay unanswered, which it allows for a minute. */
function readOnly(socket: WebSocket): void {
  const { _socket: raw } = socket as unknown as { _socket: NodeJS.ReadableStream };
  raw.removeAllListeners('data');
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
}

async function listen({ port, connections }: ListenOrder): Promise<void> {
  const probe = await open(port, '/ws/spot', [`tradeHistoryApi:${SYMBOL}`]);
  probe.on('message', (data) => {
    const { data: trades } = JSON.parse(String(data)) as { data?: { timestamp: number }[] };
    if (trades !== undefined) ages.push(Date.now() - trades[0].timestamp);
  });
  sockets = [probe, await open(port, '/ws/spot', OWN, traders[0])];
  for (let i = 0; i < connections; i++) {
    const isBook = i % 2 === 0;
    const socket = isBook ? await open(port, '/ws/oss/spot', BOOK) : await open(port, '/ws/spot', TRADES, listener);
    readOnly(socket);
    sockets.push(socket);
  }
  bytes = 0;
  ages = [];
}

function stop(): ListenReport {
  for (const socket of sockets) socket.terminate();
  const sorted = ages.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { bytes, p50Ms: at(0.5), p99Ms: at(0.99), measured: sorted.length };
}

process.on('message', (message: ListenOrder | 'stop') => {
  if (message === 'stop') {
    process.send?.(stop());
    return;
  }
  listen(message).then(
    () => process.send?.('ready'),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
