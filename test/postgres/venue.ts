/** A venue in a separate process with its log in PostgreSQL, and the orders that tests place on it. */
import { setTimeout as delay } from 'node:timers/promises';
import { VenueError } from '../../src/client/request.ts';
import type { SpotLimit } from '../../src/client/types.ts';
import { type Starting, VenueProcess } from '../crash/process.ts';

/** Starts a venue on the log. `more`: other flags, such as `--accept-single-node`. */
export function starting(address: string, folder: string, ...more: string[]): Starting {
  return VenueProcess.startIn({ BOURSE_LOG: address }, folder, ...more);
}

/** The same when it is ready. Rejects with its output if it ends instead. */
export async function started(address: string, folder: string, ...more: string[]): Promise<VenueProcess> {
  const { ready, errors } = await starting(address, folder, ...more).outcome;
  if (ready === undefined) throw new Error(`the venue ended instead of getting ready:\n${errors}`);
  return ready;
}

/** Resolves with its health when it is ready. Rejects if it ends instead. */
export async function untilReady(venue: VenueProcess): Promise<unknown> {
  for (;;) {
    try {
      return await venue.control.request('GET', '/health');
    } catch {
      const { exitCode, signalCode } = venue.child;
      if (exitCode !== null || signalCode !== null) throw new Error(`the venue has ended:\n${venue.errors}`);
      await delay(50);
    }
  }
}

/** The result of `ask`, once the venue answers: on a busy machine its lease may expire for a moment. */
export async function answers<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof VenueError) || error.status !== 503) throw error;
      await delay(50);
    }
  }
}

/** A resting BUY with a unique size and price, far below the index of 100,000. */
export function restingOrder(id: number): SpotLimit {
  return {
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'LIMIT',
    orderPrice: (950_000 + (id % 997)) / 10,
    orderSize: 0.001,
    clOrderId: `order-${id}`,
    timeInForce: 'GTC',
  };
}

/** What a client knows about its orders. */
export class Orders {
  readonly #prefix: string;
  /** By client id: the order id that was acknowledged. Undefined: there was no answer, or it said that the outcome is unknown. */
  readonly sent = new Map<string, string | undefined>();
  /** Answers that said "look the order up". */
  unknown = 0;
  /** Answers that said that nothing has happened. */
  refused = 0;
  #next = 0;

  /** `prefix`: of the client ids. */
  constructor(prefix = 'order') {
    this.#prefix = prefix;
  }

  /** Places orders one after the other until `goesOn` says no, or the venue is gone, and keeps what it learns. */
  async place(venue: VenueProcess, goesOn: () => boolean, paceMs = 0): Promise<void> {
    while (goesOn()) {
      const id = `${this.#prefix}-${this.#next}`;
      const order = { ...restingOrder(this.#next), clOrderId: id };
      this.#next += 1;
      this.sent.set(id, undefined);
      try {
        const [record] = await venue.alice.placeSpotOrder(order);
        this.sent.set(id, record.orderId);
      } catch (error) {
        if (!(error instanceof VenueError)) return; // The venue is gone.
        if (error.status !== 503) throw error;
        if (/look the order up/.test(error.message)) this.unknown += 1;
        else {
          this.sent.delete(id);
          this.refused += 1;
        }
      }
      if (paceMs > 0) await delay(paceMs);
    }
  }

  get acknowledged(): [clientId: string, orderId: string][] {
    return [...this.sent].filter((entry): entry is [string, string] => entry[1] !== undefined);
  }

  /** Returns what is wrong: acknowledged orders that are missing, others that were never sent, doubles. */
  async wrong(venue: VenueProcess): Promise<string[]> {
    const open = await answers(() => venue.alice.openSpotOrders('BTC-USDT'));
    const wrong: string[] = [];
    const found = new Map<string, string>();
    for (const { clOrderId, orderId } of open as { clOrderId: string; orderId: string }[]) {
      if (found.has(clOrderId)) wrong.push(`${clOrderId} is there twice`);
      if (!this.sent.has(clOrderId)) wrong.push(`${clOrderId} is there, and was refused or never sent`);
      found.set(clOrderId, orderId);
    }
    for (const [clientId, orderId] of this.acknowledged) {
      if (found.get(clientId) !== orderId) wrong.push(`${clientId} was acknowledged, and is lost`);
    }
    return wrong;
  }
}
