/**
 * The load of the soak benchmark, in its own process: clients that each send one request after the other, as fast as the
 * replies come, and check every reply.
 *
 * Each client has an account and a connection. It repeats a round of eight requests on spot: an order that rests, one that
 * crosses, an amend, a stop, an OCO, and a cancel for the oldest of each that waits. A ninth cancels what the crossing order
 * of the round before has left in the book. So the number of live orders stays the same, however long the load lasts.
 *
 * soak.ts starts it with an IPC channel. It receives a `SoakOrder`, and sends a `SoakSlice` after each slice of the time, or
 * `{ error }`.
 */
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { traders } from './http-traffic.ts';

export interface SoakOrder {
  readonly port: number;
  readonly clients: number;
  readonly slices: number;
  readonly sliceMs: number;
  /** Whether orders have client ids. */
  readonly clientIds: boolean;
}

/** What happened in one slice. */
export interface SoakSlice {
  readonly requests: number;
  /** Replies that say that the order had already ended. */
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HOST = '127.0.0.1';
const PATH = '/spot/api/v4/trade/orders';
const ALGO_PATH = `${PATH}/algo`;
const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;
const SYMBOL = 'BTC-USDT';
const MID = 50_000;
/** How many orders of a kind a client has waiting. */
const WAITING = 8;
/** Prices that a client's orders rest at. */
const LEVELS = 50;
const OK = 200;
/** An amend or a cancel of an order that has ended meanwhile. */
const ENDED = [400, 404];

let latencies: number[] = [];
let refused = 0;

class Client {
  readonly #index: number;
  readonly #socket: Socket;
  readonly #order: SoakOrder;
  readonly #resting: string[] = [];
  readonly #stops: string[] = [];
  readonly #ocos: string[] = [];
  /** The last order that crosses. Its rest is in the book, or it has ended. */
  readonly #crossed: string[] = [];
  #received = '';
  #answered: (reply: string) => void = () => {};
  #nonce = 0;
  #placed = 0;
  #round = 0;

  constructor(index: number, socket: Socket, order: SoakOrder) {
    this.#index = index;
    this.#socket = socket;
    this.#order = order;
    socket.on('data', (chunk: Buffer) => this.#take(chunk.toString('latin1')));
  }

  async fill(): Promise<void> {
    for (let i = 0; i < WAITING; i += 1) {
      await this.#place(this.#resting, this.#rest());
      await this.#place(this.#stops, this.#stop());
      await this.#place(this.#ocos, this.#oco());
    }
  }

  async run(until: () => boolean): Promise<void> {
    while (!until()) {
      this.#round += 1;
      await this.#place(this.#resting, this.#rest());
      await this.#cancel(this.#crossed);
      await this.#place(this.#crossed, this.#crossing());
      await this.#amend(this.#resting[this.#resting.length - 1]);
      await this.#cancel(this.#resting);
      await this.#place(this.#stops, this.#stop());
      await this.#cancel(this.#stops);
      await this.#place(this.#ocos, this.#oco());
      await this.#cancel(this.#ocos);
    }
  }

  /** The side of this round: a client and its neighbour are on different ones. */
  get #buys(): boolean {
    return (this.#round + this.#index) % 2 === 0;
  }

  get #size(): number {
    return (10 + (this.#round % 7)) / 100_000;
  }

  /** A price so far from the middle, on the side where an order of this side rests. */
  #away(distance: number): number {
    const steps = distance + (this.#placed % LEVELS) / 10;
    return Math.round((this.#buys ? MID - steps : MID + steps) * 10) / 10;
  }

  #rest(): object {
    return { orderType: 'LIMIT', orderPrice: this.#away(100), timeInForce: 'GTC' };
  }

  /** Two neighbours trade at one price. An own order there goes (`selfTrade: cancelResting`). */
  #crossing(): object {
    return { orderType: 'LIMIT', orderPrice: MID + Math.floor(this.#index / 2) / 10, timeInForce: 'GTC' };
  }

  #stop(): object {
    const trigger = { triggerOrderType: 'STOP_LOSS_LIMIT', triggerPriceType: 'LAST_PRICE' };
    return { orderType: 'CONDITIONAL', ...trigger, triggerPrice: this.#away(-1000), orderPrice: this.#away(-1010) };
  }

  #oco(): object {
    const stop = { stopLossTriggerPrice: this.#away(-1000), stopLossTriggerPriceType: 'LAST_PRICE' };
    return { orderType: 'OCO', takeProfitOrderPrice: this.#away(200), ...stop, stopLossOrderPrice: this.#away(-1010) };
  }

  async #place(waiting: string[], terms: object): Promise<void> {
    this.#placed += 1;
    const clOrderId = this.#order.clientIds ? { clOrderId: `soak-${this.#index}-${this.#placed}` } : {};
    const side = { orderSide: this.#buys ? 'BUY' : 'SELL', orderSize: this.#size };
    const path = 'timeInForce' in terms ? PATH : ALGO_PATH;
    const reply = await this.#send('POST', path, '', { symbol: SYMBOL, ...side, ...terms, ...clOrderId });
    waiting.push(/"orderId":"([^"]+)"/.exec(reply)?.[1] ?? '');
  }

  async #amend(orderId: string): Promise<void> {
    await this.#send('PUT', PATH, '', { symbol: SYMBOL, orderId, orderSize: (20 + (this.#round % 9)) / 100_000 });
  }

  async #cancel(waiting: string[]): Promise<void> {
    const orderId = waiting.shift();
    if (orderId !== undefined) await this.#send('DELETE', PATH, `?symbol=${SYMBOL}&orderId=${orderId}`);
  }

  /** Resolves with the reply, which is checked. */
  async #send(method: string, path: string, query: string, content?: object): Promise<string> {
    const { key, secret } = traders[this.#index];
    const body = content === undefined ? '' : JSON.stringify(content);
    this.#nonce = Math.max(Date.now(), this.#nonce + 1);
    const signed = `${path.slice('/spot'.length)}${this.#nonce}${body}`;
    const signature = createHmac('sha384', secret).update(signed).digest('hex');
    const sentAtMs = performance.now();
    const replied = new Promise<string>((resolve) => {
      this.#answered = resolve;
    });
    this.#socket.write(
      `${method} ${path}${query} HTTP/1.1\r\nHost: ${HOST}:${this.#order.port}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
        `request-api: ${key}\r\nrequest-nonce: ${this.#nonce}\r\nrequest-sign: ${signature}\r\n\r\n${body}`,
    );
    const reply = await replied;
    latencies.push(performance.now() - sentAtMs);
    const status = Number(reply.slice(9, 12));
    if (status === OK) return reply;
    if (method === 'POST' || !ENDED.includes(status)) throw new Error(`${method} ${path}${query} ${body}: ${reply}`);
    refused += 1;
    return reply;
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return;
    const length = end + HEAD_END.length + Number(LENGTH.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length < length) return;
    const reply = this.#received;
    this.#received = '';
    this.#answered(reply);
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: HOST, noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

function slice(): SoakSlice {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const found = { requests: sorted.length, refused, p50Ms: at(0.5), p99Ms: at(0.99) };
  latencies = [];
  refused = 0;
  return found;
}

async function soak(order: SoakOrder): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: order.clients }, () => open(order.port)));
  const broken = new Promise<never>((_, reject) => {
    for (const socket of sockets) socket.once('close', () => reject(new Error('the server closed a connection')));
  });
  const clients = sockets.map((socket, index) => new Client(index, socket, order));
  await Promise.race([Promise.all(clients.map((client) => client.fill())), broken]);
  slice();
  let over = false;
  const running = Promise.all(clients.map((client) => client.run(() => over)));
  for (let i = 0; i < order.slices; i += 1) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, order.sliceMs)), running, broken]);
    process.send?.(slice());
  }
  over = true;
  await Promise.race([running, broken]);
  broken.catch(() => {});
  for (const socket of sockets) socket.destroy();
}

process.on('message', (order: SoakOrder) => {
  soak(order).catch((error: Error) => process.send?.({ error: error.message }));
});
