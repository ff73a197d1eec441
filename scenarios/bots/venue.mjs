// What both bots share: signed requests, and the book from its stream. Node 22 or newer, no packages.
import { createHmac } from 'node:crypto';

const { BOURSE_URL, BOURSE_STREAMS_URL, BOURSE_KEY, BOURSE_SECRET, BOT_CLOCK_OFFSET_MS = '0' } = process.env;
export const symbol = process.env.BOURSE_SYMBOLS.split(',')[0];
const ORDER = '/futures/api/v2.3/order';

// The clock of a machine that may be wrong: a scenario sets how far.
const machineClock = () => Date.now() + Number(BOT_CLOCK_OFFSET_MS);
let correctionMs = 0;
let lastNonce = 0;

/** What to add to the machine's clock from now on. */
export function correctClock(ms) {
  correctionMs = ms;
  lastNonce = 0;
}

export { machineClock };

/** Resolves with {status, body, headers}, and rejects if there is no answer. */
export async function call(method, path, { query, body } = {}) {
  const text = body === undefined ? '' : JSON.stringify(body);
  lastNonce = Math.max(lastNonce + 1, machineClock() + correctionMs);
  const signed = `${path.replace('/futures', '')}${lastNonce}${text}`;
  const response = await fetch(`${BOURSE_URL}${path}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'request-api': BOURSE_KEY,
      'request-nonce': String(lastNonce),
      'request-sign': createHmac('sha384', BOURSE_SECRET).update(signed).digest('hex'),
    },
    body: text === '' ? undefined : text,
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

export const sendOrder = (order) => call('POST', ORDER, { body: { symbol, ...order } });
export const findOrder = (clOrderID) => call('GET', ORDER, { query: { clOrderID } });

/** The position: how many contracts, at which entry and mark. Undefined: the venue did not answer with it. */
export async function readPosition() {
  const { status, body } = await call('GET', '/futures/api/v2.3/user/positions', { query: { symbol } });
  if (status !== 200) return undefined;
  const [row] = body;
  if (row === undefined) return { size: 0 };
  return { size: row.side === 'BUY' ? row.size : -row.size, entry: row.entryPrice, mark: row.markPrice };
}

/** Follows the book. `onChange` is called after each frame that was taken. */
export class Book {
  #bids = new Map();
  #asks = new Map();
  #number = null;
  #socket;
  #options;
  /** Venue time of the last frame. */
  time = 0;

  /** `checksNumbers`: subscribes again after a gap. `reconnects`: opens a lost connection again. */
  constructor(options) {
    this.#options = options;
    this.#open();
  }

  get best() {
    const [bid, ask] = [Math.max(...this.#bids.keys()), Math.min(...this.#asks.keys())];
    return this.#bids.size > 0 && this.#asks.size > 0 ? { bid, ask, middle: (bid + ask) / 2 } : null;
  }

  #open() {
    const socket = new WebSocket(`${BOURSE_STREAMS_URL}/ws/oss/futures`);
    this.#socket = socket;
    socket.onopen = () => this.#send('subscribe');
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    socket.onerror = () => {};
    socket.onclose = () => {
      if (!this.#options.reconnects) return;
      this.#forget();
      setTimeout(() => this.#open(), 100);
    };
  }

  #send(op) {
    this.#socket.send(JSON.stringify({ op, args: [`update:${symbol}_0`] }));
  }

  #forget() {
    this.#bids.clear();
    this.#asks.clear();
    this.#number = null;
  }

  #take({ topic, data }) {
    if (topic === undefined) return;
    if (data.type === 'snapshot') this.#forget();
    else if (this.#options.checksNumbers && data.prevSeqNum !== this.#number) {
      if (this.#number === null) return;
      this.#forget();
      this.#send('unsubscribe');
      this.#send('subscribe');
      return;
    }
    this.#number = data.seqNum;
    this.time = data.timestamp;
    for (const [side, levels] of [
      [this.#bids, data.bids],
      [this.#asks, data.asks],
    ]) {
      for (const [price, size] of levels) {
        if (Number(size) === 0) side.delete(Number(price));
        else side.set(Number(price), Number(size));
      }
    }
    this.#options.onChange();
  }
}

/** Calls `act` after each `wake`, and every 250 ms, never twice at a time. */
export function whenever(act) {
  let [running, again] = [false, false];
  const wake = async () => {
    again = true;
    if (running) return;
    running = true;
    while (again) {
      again = false;
      // A request without an answer: the next turn looks again.
      await act().catch((error) => console.log(`no answer: ${error.cause?.code ?? error.message}`));
    }
    running = false;
  };
  setInterval(wake, 250);
  return wake;
}
